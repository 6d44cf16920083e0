#!/usr/bin/env python3
"""Makes small corpora in four languages, their corpora file, and a SentencePiece model for them.

    python scripts/make_corpora.py DEST [--rows 400] [--seed 1]

writes DEST/corpora.yaml, DEST/raw/… and DEST/sentencepiece.model. Sentences are put together from a few words, so that
a tiny model learns them from random weights within a minute; they show how things work, and measure nothing.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Callable
from pathlib import Path

import sentencepiece

# language: people, activities (said exactly, said generally), good and bad words, frames
WORDS: dict[str, dict[str, list[str] | list[tuple[str, str]]]] = {
    "en": {
        "people": ["A man", "A woman", "A child", "My neighbour", "A doctor", "The teacher"],
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
    },
    "de": {
        "people": ["Ein Mann", "Eine Frau", "Ein Kind", "Mein Nachbar", "Eine Ärztin", "Der Lehrer"],
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
    },
}
NLI = ("entailment", "neutral", "contradiction")
REVIEWS = ("negative", "positive")

CORPORA = """\
# Made corpora in four languages; see the README for what each line means.
languages: [en, de, es, zh]
skills:
  generic: generic skill
  sentence: get the semantic meaning of a sentence
  interact: understand how two text segments interact
  sentiment: understand the sentiment of text
corpora:
"""


def nli(language: str, rng: random.Random) -> tuple[str, str, str]:
    """Premise, hypothesis, label: the same person with the general activity, another activity, or another person."""
    words, join = WORDS[language], "" if language == "zh" else " "
    person, other = rng.sample(words["people"], 2)
    (exact, general), label = rng.choice(words["doing"]), rng.choice(NLI)
    others = sorted({g for _, g in words["doing"] if g != general})
    said = {"entailment": (person, general), "contradiction": (person, rng.choice(others)), "neutral": (other, general)}
    end = "。" if language == "zh" else "."
    return f"{person}{join}{exact}{end}", join.join(said[label]) + end, label


def review(language: str, rng: random.Random) -> tuple[str, str]:
    """Text and label."""
    words, label = WORDS[language], rng.choice(REVIEWS)
    word = rng.choice(words["good" if label == "positive" else "bad"])
    return rng.choice(words["frames"]).format(thing=rng.choice(words["things"]), word=word), label


def write_table(path: Path, header: list[str], rows: list[tuple[str, ...]], separator: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_jsonl(path: Path, header: list[str], rows: list[tuple[str, ...]]) -> None:
    lines = (json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def make_nli(raw: Path, language: str, sizes: dict[str, int], rng: random.Random) -> str:
    """One file a split; TSV, and JSON lines for Chinese."""
    suffix = "jsonl" if language == "zh" else "tsv"
    for split, size in sizes.items():
        rows: list[tuple[str, ...]] = [nli(language, rng) for _ in range(size)]
        path, header = raw / f"nli-{language}.{split}.{suffix}", ["premise", "hypothesis", "label"]
        if suffix == "jsonl":
            write_jsonl(path, header, rows)
        else:
            write_table(path, header, rows, "\t")
    quoting = "" if suffix == "jsonl" else "    quoting: csv\n"
    return f"""\
  nli-{language}:
    kind: classification
    language: {language}
    skills: [generic, sentence, interact]
    labels: [{", ".join(NLI)}]
    format: {suffix}
{quoting}    columns: {{text_a: premise, text_b: hypothesis, label: label}}
    train: raw/nli-{language}.train.{suffix}
    valid: raw/nli-{language}.valid.{suffix}
"""


def make_reviews(raw: Path, language: str, sizes: dict[str, int], rng: random.Random) -> str:
    """One CSV file a split, and for Spanish one file a column."""
    sources = []
    for split, size in sizes.items():
        rows: list[tuple[str, ...]] = [review(language, rng) for _ in range(size)]
        name = f"raw/reviews-{language}.{split}"
        if language == "es":
            for column, values in zip(("text", "label"), zip(*rows, strict=True), strict=True):
                text = "".join(f"{value}\n" for value in values)
                (raw.parent / f"{name}.{column}").write_text(text, encoding="utf-8")
            sources.append(f"    {split}: {{text_a: {name}.text, label: {name}.label}}")
        else:
            write_table(raw.parent / f"{name}.csv", ["text", "label"], rows, ",")
            sources.append(f"    {split}: {name}.csv")
    if language == "es":
        form = "    format: lines\n"
    else:
        form = "    format: csv\n    columns: {text_a: text, label: label}\n"
    return f"""\
  reviews-{language}:
    kind: classification
    language: {language}
    skills: [generic, sentence, sentiment]
    labels: [{", ".join(REVIEWS)}]
{form}{chr(10).join(sources)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dest", type=Path)
    parser.add_argument("--rows", type=int, default=400, help="training rows of each corpus")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    raw = arguments.dest / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    rng = random.Random(arguments.seed)
    sizes = {"train": arguments.rows, "valid": max(arguments.rows // 4, 8)}
    makers: list[Callable[[Path, str, dict[str, int], random.Random], str]] = [make_nli, make_reviews]
    entries = [make(raw, language, sizes, rng) for language in WORDS for make in makers]
    (arguments.dest / "corpora.yaml").write_text(CORPORA + "".join(entries), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(
            " ".join(part for part in nli(language, rng)[:2]) + " " + review(language, rng)[0]
            for language in WORDS
            for _ in range(500)
        ),
        model_prefix=str(arguments.dest / "sentencepiece"),
        vocab_size=600,
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    print(arguments.dest / "corpora.yaml")


if __name__ == "__main__":
    main()
