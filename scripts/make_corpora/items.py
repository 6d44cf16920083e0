"""What a row of each made corpus is: sentences of a few words, and what is right about them."""

from __future__ import annotations

import random
import re
from typing import Any

from words import WORDS

Item = dict[str, Any]  # column of the file -> value
NLI = ("entailment", "neutral", "contradiction")
REVIEWS = ("negative", "positive")
TOPICS = ("music", "food", "sports")  # two activities each, in their order
SENSES = ("same", "different")


def joint(language: str) -> str:
    """What stands between words, and between sentences."""
    return "" if language == "zh" else " "


def sentence(language: str, *parts: str) -> str:
    """Words as a sentence."""
    return joint(language).join(parts) + ("。" if language == "zh" else ".")


def nli(language: str, rng: random.Random) -> Item:
    """The hypothesis says the activity in general, of the same person, another one, or nobody."""
    words = WORDS[language]
    person, other = rng.sample(words["people"], 2)
    (exact, general), label = rng.choice(words["doing"]), rng.choice(NLI)
    who = {"entailment": person, "neutral": other, "contradiction": words["nobody"]}[label]
    return {
        "premise": sentence(language, person, exact),
        "hypothesis": sentence(language, who, general),
        "label": label,
    }


def opinion(language: str, rng: random.Random, sentiment: str) -> str:
    """A good or a bad word about a thing."""
    words = WORDS[language]
    frame: str = rng.choice(words["frames"])
    return frame.format(thing=rng.choice(words["things"]), word=rng.choice(words[sentiment]))


def review(language: str, rng: random.Random) -> Item:
    """Is the word a good one?"""
    label = rng.choice(REVIEWS)
    return {"text": opinion(language, rng, "good" if label == "positive" else "bad"), "label": label}


def names(language: str, rng: random.Random) -> Item:
    """Names of persons and places in a sentence; characters are words in Chinese."""
    tokens: list[str] = []
    tags: list[str] = []
    for part in rng.choice(WORDS[language]["named"]).split():
        kind = part.strip("{}") if part.startswith("{") else None
        text = rng.choice(WORDS[language][kind]) if kind else part
        words = list(text) if language == "zh" else text.split()
        tokens += words
        tags += [f"{'I' if number else 'B'}-{kind}" if kind else "O" for number in range(len(words))]
    return {"token": tokens, "tag": tags}


def question(language: str, rng: random.Random) -> Item:
    """Some sentences in any order, and a question about a word of one of them."""
    words, item, context = WORDS[language], {}, ""
    story = rng.sample(words["story"], len(words["story"]))
    asked = rng.choice(story)
    for frame, its_question in story:
        before, kind, after = re.split("[{}]", frame)
        answer, before = rng.choice(words[kind]), context + before
        if its_question == asked[1]:
            item = {"question": its_question, "answer": answer, "start": len(before)}
        context = before + answer + after + joint(language)
    return {**item, "context": context.strip()}


def similarity(language: str, rng: random.Random) -> Item:
    """3 for the same sentiment and 2 for the same thing."""
    words = WORDS[language]
    things = rng.choices(words["things"], k=2) if rng.random() < 0.5 else [rng.choice(words["things"])] * 2
    sentiments = rng.choices(["good", "bad"], k=2)
    first, second = (
        words["frames"][0].format(thing=thing, word=rng.choice(words[sentiment]))
        for thing, sentiment in zip(things, sentiments, strict=True)
    )
    score = 3 * (sentiments[0] == sentiments[1]) + 2 * (things[0] == things[1])
    return {"first": first, "second": second, "score": score}


def choice(language: str, rng: random.Random) -> Item:
    """Which of the general activities was the exact one?"""
    words = WORDS[language]
    person, (exact, general) = rng.choice(words["people"]), rng.choice(words["doing"])
    choices = sorted(dict.fromkeys(said for _, said in words["doing"]), key=lambda _: rng.random())
    return {
        "premise": sentence(language, person, exact),
        "choices": [sentence(language, person, said) for said in choices],
        "label": choices.index(general),
    }


def topics(language: str, rng: random.Random) -> Item:
    """What one or two people do, and which topics that is about."""
    words = WORDS[language]
    numbers = rng.choices(range(len(words["doing"])), k=rng.choice([1, 2]))
    said = [sentence(language, rng.choice(words["people"]), words["doing"][number][0]) for number in numbers]
    return {"text": joint(language).join(said), "label": sorted({TOPICS[number // 2] for number in numbers})}


def sense(language: str, rng: random.Random) -> Item:
    """A word in two sentences, with the same meaning or not."""
    word, *senses = rng.choice(WORDS[language]["senses"])
    first, second = rng.choice(senses), rng.choice(senses)
    texts = rng.choice(first), rng.choice(second)
    return {
        "first": texts[0],
        "second": texts[1],
        "word": word,
        "start_a": texts[0].index(word),
        "start_b": texts[1].index(word),
        "label": SENSES[first is not second],
    }


def text(language: str, rng: random.Random) -> Item:
    """What somebody does, said twice."""
    words = WORDS[language]
    person, doing = rng.choice(words["people"]), rng.choice(words["doing"])
    return {"text": joint(language).join(sentence(language, person, said) for said in doing)}


def document(language: str, rng: random.Random) -> Item:
    """Some opinions, all good or all bad."""
    sentiment = rng.choice(["good", "bad"])
    return {"text": joint(language).join(opinion(language, rng, sentiment) for _ in range(4))}
