"""Makes small corpora in four languages, their corpora file, and a SentencePiece model for them.

    python scripts/make_corpora DEST [--rows 400] [--seed 1] [--all-kinds | --own-tables]

writes DEST/corpora.yaml, DEST/raw/… and DEST/sentencepiece.model. Sentences are put together from a few words, so that
a tiny model learns them from random weights within a minute; they show how things work, and measure nothing. With
--own-tables it writes five TSV files alone, as somebody may have them: see docs/tutorial.md.
"""

from __future__ import annotations

import argparse
import io
import random
from collections.abc import Iterator
from pathlib import Path

import sentencepiece
from items import joint
from own_tables import write_own_tables
from raw_formats import WRITERS
from recipes import MORE_RECIPES, RECIPES, Recipe
from words import WORDS

TEXTS = {"premise", "hypothesis", "text", "token", "question", "context", "first", "second", "choices"}
CORPORA = """\
# Made corpora in four languages; docs/corpora-file.md says what each line means.
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
    parser.add_argument("--own-tables", action="store_true", help="five TSV files without a corpora file")
    arguments = parser.parse_args()
    if arguments.own_tables:
        arguments.dest.mkdir(parents=True, exist_ok=True)
        write_own_tables(arguments.dest, arguments.rows, arguments.seed)
        print(arguments.dest)
        return
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
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    (arguments.dest / "sentencepiece.model").write_bytes(model.getvalue())
    print(arguments.dest / "corpora.yaml")


if __name__ == "__main__":
    main()
