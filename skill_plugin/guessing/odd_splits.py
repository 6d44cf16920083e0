"""A split that is written otherwise than the others of its corpus, such as a test file with other columns."""

from __future__ import annotations

from skill_plugin.guessing.corpus_guess import CorpusGuess
from skill_plugin.guessing.file_groups import DataFile
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.unused_names import UnusedNames
from skill_plugin.options.splits import SplitName


def odd_corpus(
    corpus: CorpusGuess, guess: KindGuess, split: SplitName, file: DataFile, path: str, names: UnusedNames
) -> CorpusGuess | None:
    """A corpus of its own that shares the head, where it has as many texts; None where it has not.

    Args:
        corpus, guess: of the other splits.
        split: what the file's name says.
        path: of the file, as it stands beside a split.
    """
    meanings = [meaning for meaning in guess.columns if meaning.startswith("text_")]
    texts = [column for column in file.columns if column.is_text]
    if not meanings or len(texts) != len(meanings) or split == "train" or file.layout.format == "lines":
        return None
    other = CorpusGuess(names.take(f"{corpus.name}-{split}"), open=list(corpus.open))
    other.doubts.append(f"{file.name.path.name} has other columns than the other files of {corpus.name}")
    columns = {meaning: one.reference for meaning, one in zip(meanings, texts, strict=True)}
    label = guess.columns.get("label")
    answered = any(column.reference == label for column in file.columns) and label not in columns.values()
    if answered and label is not None:
        columns["label"] = label
    other.keys["as"] = (corpus.name, f"its name says {split} of it")
    other.keys["language"] = corpus.keys["language"]
    other.keys["format"] = (file.layout.format, file.layout.why)
    if file.layout.format in ("tsv", "csv", "xlsx"):
        other.keys["header"] = (True, "the first row names the columns here")
    other.keys |= file.layout.keys
    other.keys["columns"] = (columns, "texts of several words that differ")
    other.keys[split if answered else "test"] = (path, "" if answered or split == "test" else "it has no label")
    return other
