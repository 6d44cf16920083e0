#!/usr/bin/env python3
"""Makes small corpora in four languages, their corpora file, and a SentencePiece model for them.

    python scripts/make_corpora.py DEST [--rows 400] [--seed 1] [--all-kinds]

writes DEST/corpora.yaml, DEST/raw/… and DEST/sentencepiece.model. Sentences are put together from a few words, so that
a tiny model learns them from random weights within a minute; they show how things work, and measure nothing.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sentencepiece

Item = dict[str, Any]  # column of the file -> value
TEXTS = {"premise", "hypothesis", "text", "token", "question", "context", "first", "second", "choices"}

# language: people, activities (said exactly, said generally), good and bad words, frames; for some also names, frames
# with names (and spaces between all words), and frames with the question that is answered in them
WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "people": ["A man", "A woman", "A child", "My neighbour", "A doctor", "The teacher"],
        "nobody": "Nobody",
        "doing": [
            ("plays the guitar", "makes music"),
            ("plays the piano", "makes music"),
            ("eats an apple", "has a meal"),
            ("eats a pizza", "has a meal"),
            ("runs in the park", "does sports"),
            ("swims in the lake", "does sports"),
        ],
        "good": ["wonderful", "great", "lovely", "excellent", "brilliant"],
        "bad": ["awful", "terrible", "boring", "dreadful", "poor"],
        "things": ["The film", "This book", "The hotel", "Our dinner", "The concert"],
        "frames": ["{thing} was {word}.", "I thought that {thing} was {word}.", "{thing} is really {word}!"],
        "PER": ["Anna", "Tom Miller", "Maria Lopez", "Peter", "Lucy Brown", "David"],
        "LOC": ["London", "New York", "Rome", "Cape Town", "Berlin", "San Jose"],
        "named": [
            "{PER} lives in {LOC} .",
            "Yesterday {PER} met {PER} in {LOC} .",
            "It rains in {LOC} and {LOC} .",
            "{PER} is here .",
        ],
        "story": [
            ("{PER} called this morning.", "Who called?"),
            ("The letter comes from {LOC}.", "Where does the letter come from?"),
            ("Dinner was {good}.", "How was dinner?"),
        ],
        "senses": [  # word, sentences with its one meaning, sentences with its other one
            ("bank", ["The bank lends money.", "My bank is closed."], ["A bank of the river.", "We sat on the bank."]),
            ("bat", ["He hit the ball with a bat.", "A wooden bat."], ["A bat flies at night.", "The bat sleeps."]),
            ("ring", ["A golden ring.", "She wears a ring."], ["Give me a ring later.", "The phone began to ring."]),
        ],
    },
    "de": {
        "people": ["Ein Mann", "Eine Frau", "Ein Kind", "Mein Nachbar", "Eine Ärztin", "Der Lehrer"],
        "nobody": "Niemand",
        "doing": [
            ("spielt Gitarre", "macht Musik"),
            ("spielt Klavier", "macht Musik"),
            ("isst einen Apfel", "isst etwas"),
            ("isst eine Pizza", "isst etwas"),
            ("läuft im Park", "treibt Sport"),
            ("schwimmt im See", "treibt Sport"),
        ],
        "good": ["wunderbar", "großartig", "schön", "ausgezeichnet", "prima"],
        "bad": ["furchtbar", "schrecklich", "langweilig", "schlecht", "öde"],
        "things": ["Der Film", "Dieses Buch", "Das Hotel", "Unser Essen", "Das Konzert"],
        "frames": ["{thing} war {word}.", "Ich fand, {thing} war {word}.", "{thing} ist wirklich {word}!"],
    },
    "es": {
        "people": ["Un hombre", "Una mujer", "Un niño", "Mi vecino", "Una médica", "El profesor"],
        "nobody": "Nadie",
        "doing": [
            ("toca la guitarra", "hace música"),
            ("toca el piano", "hace música"),
            ("come una manzana", "come algo"),
            ("come una pizza", "come algo"),
            ("corre en el parque", "hace deporte"),
            ("nada en el lago", "hace deporte"),
        ],
        "good": ["maravilloso", "genial", "precioso", "excelente", "estupendo"],
        "bad": ["horrible", "terrible", "aburrido", "pésimo", "malo"],
        "things": ["La película", "Este libro", "El hotel", "La cena", "El concierto"],
        "frames": ["{thing} fue {word}.", "Creo que {thing} fue {word}.", "¡{thing} es realmente {word}!"],
    },
    "zh": {
        "people": ["一个男人", "一个女人", "一个孩子", "我的邻居", "一位医生", "老师"],
        "nobody": "没有人",
        "doing": [
            ("在弹吉他", "在演奏音乐"),
            ("在弹钢琴", "在演奏音乐"),
            ("在吃苹果", "在吃东西"),
            ("在吃披萨", "在吃东西"),
            ("在公园跑步", "在做运动"),
            ("在湖里游泳", "在做运动"),
        ],
        "good": ["精彩", "很棒", "可爱", "出色", "美好"],
        "bad": ["糟糕", "可怕", "无聊", "难看", "很差"],
        "things": ["这部电影", "这本书", "这家酒店", "我们的晚餐", "音乐会"],
        "frames": ["{thing}{word}。", "我觉得{thing}{word}。", "{thing}真是{word}！"],
        "PER": ["王芳", "李小明", "张伟", "刘洋", "陈静", "赵大海"],
        "LOC": ["北京", "上海", "哈尔滨", "广州", "石家庄", "香港"],
        "named": [
            "{PER} 住在 {LOC} 。",
            "昨天 {PER} 在 {LOC} 遇见了 {PER} 。",
            "{LOC} 和 {LOC} 都在下雨。",
            "{PER} 来了。",
        ],
        "story": [
            ("早上{PER}打来电话。", "谁打来电话？"),
            ("这封信来自{LOC}。", "这封信来自哪里？"),
            ("晚饭{good}。", "晚饭怎么样？"),
        ],
    },
}
NLI = ("entailment", "neutral", "contradiction")
REVIEWS = ("negative", "positive")
TOPICS = ("music", "food", "sports")  # two activities each, in their order
SENSES = ("same", "different")

CORPORA = """\
# Made corpora in four languages; see the README for what each line means.
languages: [en, de, es, zh]
skills:
  generic: generic skill
  token: get the semantic meaning of a token
  sentence: get the semantic meaning of a sentence
  interact: understand how two text segments interact
  sentiment: understand the sentiment of text
  question: understand natural language questions
corpora:
"""


# items of each kind


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
    choices = sorted({g for _, g in words["doing"]}, key=lambda _: rng.random())
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


# raw formats


def write_table(separator: str) -> Callable[[Path, list[Item]], None]:
    def write(path: Path, items: list[Item]) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(items[0]), delimiter=separator, lineterminator="\n")
            writer.writeheader()
            writer.writerows(items)

    return write


def write_jsonl(path: Path, items: list[Item]) -> None:
    path.write_text("".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in items), encoding="utf-8")


def write_lines(path: Path, items: list[Item]) -> None:
    """One file a column."""
    for column in items[0]:
        Path(f"{path}.{column}").write_text("".join(f"{item[column]}\n" for item in items), encoding="utf-8")


def write_conll(path: Path, items: list[Item]) -> None:
    """A word and its tag a line, a blank line after each sentence."""
    sentences = (zip(item["token"], item["tag"], strict=True) for item in items)
    lines = ("".join(f"{word}\t{tag}\n" for word, tag in pairs) for pairs in sentences)
    path.write_text("".join(f"{part}\n" for part in lines), encoding="utf-8")


def write_squad(path: Path, items: list[Item]) -> None:
    """SQuAD v1.1, one question a paragraph."""
    paragraphs = []
    for number, item in enumerate(items):
        answers = [{"text": item["answer"], "answer_start": item["start"]}]
        asked = {"id": f"{path.stem}.{number}", "question": item["question"], "answers": answers}
        paragraphs.append({"context": item["context"], "qas": [asked]})
    content = {"version": "1.1", "data": [{"title": path.stem, "paragraphs": paragraphs}]}
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")


WRITERS: dict[str, Callable[[Path, list[Item]], None]] = {
    "tsv": write_table("\t"),
    "csv": write_table(","),
    "jsonl": write_jsonl,
    "lines": write_lines,
    "conll": write_conll,
    "squad": write_squad,
}


# corpora


@dataclass(frozen=True)
class Recipe:
    """The corpora of one name, one a language.

    Attributes:
        kind: as in the corpora file.
        languages, skills: with spaces between them.
        item: makes one, given the language.
        format: as in the corpora file.
        columns: meaning -> column.
        options: further lines of the corpora file.
        formats: of the languages in which it is another.
    """

    kind: str
    languages: str
    skills: str
    item: Callable[[str, random.Random], Item]
    format: str
    columns: dict[str, str | int] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    formats: dict[str, str] = field(default_factory=dict)


def listed(names: tuple[str, ...]) -> str:
    return f"labels: [{', '.join(names)}]"


_PAIR = {"text_a": "first", "text_b": "second"}
RECIPES = {
    "nli": Recipe(
        "classification",
        "en de es zh",
        "generic sentence interact",
        nli,
        "tsv",
        {"text_a": "premise", "text_b": "hypothesis", "label": "label"},
        (listed(NLI),),
        {"zh": "jsonl"},
    ),
    "reviews": Recipe(
        "classification",
        "en de es zh",
        "generic sentence sentiment",
        review,
        "csv",
        {"text_a": "text", "label": "label"},
        (listed(REVIEWS),),
        {"es": "lines"},
    ),
    "names": Recipe("labelling", "en zh", "generic token", names, "conll", {"token": 0, "tag": 1}),
    "questions": Recipe("span", "en zh", "generic token interact question", question, "squad"),
    "similarity": Recipe(
        "regression",
        "en es",
        "generic sentence interact sentiment",
        similarity,
        "csv",
        {**_PAIR, "score": "score"},
        ("score_range: [0, 5]",),
    ),
}
MORE_RECIPES = {
    "choices": Recipe(
        "ranking",
        "en de",
        "generic sentence interact",
        choice,
        "jsonl",
        {"text_a": "premise", "choices": "choices", "label": "label"},
    ),
    "topics": Recipe(
        "multilabel",
        "es zh",
        "generic sentence",
        topics,
        "jsonl",
        {"text_a": "text", "label": "label"},
        (listed(TOPICS),),
    ),
    "senses": Recipe(
        "word_in_context",
        "en",
        "generic token interact",
        sense,
        "jsonl",
        {**_PAIR, "start_a": "start_a", "start_b": "start_b", "word_a": "word", "word_b": "word", "label": "label"},
        (listed(SENSES),),
    ),
    "text": Recipe("masked_lm", "de zh", "generic token", text, "lines", {"text": "text"}),
    "documents": Recipe(
        "next_sentence",
        "es zh",
        "generic sentence interact sentiment",
        document,
        "jsonl",
        {"text": "text"},
    ),
}


def make_corpus(folder: Path, name: str, language: str, recipe: Recipe, rows: int, seed: int) -> str:
    """Writes the files of one corpus, the same ones whatever else is made.

    Returns:
        its entry in the corpora file.
    """
    rng = random.Random(f"{seed} {name}-{language}")
    form = recipe.formats.get(language, recipe.format)
    lines = [f"kind: {recipe.kind}", f"language: {language}", f"skills: [{', '.join(recipe.skills.split())}]"]
    lines += [*recipe.options, f"format: {form}"]
    if form == "tsv":
        lines.append("quoting: csv")
    if form not in ("lines", "squad"):
        columns = ", ".join(f"{meaning}: {column}" for meaning, column in recipe.columns.items())
        lines.append(f"columns: {{{columns}}}")
    for split, size in {"train": rows, "valid": max(rows // 4, 8)}.items():
        file = f"raw/{name}-{language}.{split}"
        if form == "lines":
            files = ", ".join(f"{meaning}: {file}.{column}" for meaning, column in recipe.columns.items())
            lines.append(f"{split}: {{{files}}}")
        else:
            file = f"{file}.{form if form != 'squad' else 'json'}"
            lines.append(f"{split}: {file}")
        WRITERS[form](folder / file, [recipe.item(language, rng) for _ in range(size)])
    return f"  {name}-{language}:\n" + "".join(f"    {line}\n" for line in lines)


def all_texts(seed: int) -> Iterator[str]:
    """Texts of all kinds in all their languages."""
    rng = random.Random(seed)
    for recipe in (*RECIPES.values(), *MORE_RECIPES.values()):
        for language in recipe.languages.split():
            for _ in range(200):
                item = recipe.item(language, rng)
                for column in sorted(item.keys() & TEXTS):
                    yield item[column] if isinstance(item[column], str) else joint(language).join(item[column])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dest", type=Path)
    parser.add_argument("--rows", type=int, default=400, help="training rows of each corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-kinds", action="store_true", help="corpora of all nine kinds, in place of four")
    arguments = parser.parse_args()
    (arguments.dest / "raw").mkdir(parents=True, exist_ok=True)
    recipes = {**RECIPES, **(MORE_RECIPES if arguments.all_kinds else {})}
    entries = [
        make_corpus(arguments.dest, name, language, recipe, arguments.rows, arguments.seed)
        for language in WORDS
        for name, recipe in recipes.items()
        if language in recipe.languages.split()
    ]
    (arguments.dest / "corpora.yaml").write_text(CORPORA + "".join(entries), encoding="utf-8")
    model = io.BytesIO()  # a model that the library writes to a file itself has the file's path in it
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=all_texts(arguments.seed),
        model_writer=model,
        vocab_size=600,
        model_type="bpe",
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    (arguments.dest / "sentencepiece.model").write_bytes(model.getvalue())
    print(arguments.dest / "corpora.yaml")


if __name__ == "__main__":
    main()
