"""``mix``: one section stands for a corpus a language."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.spec import CorporaFile, parse_corpora_file
from skill_plugin.spec.corpus import MixPart

GOOD = """\
languages: [en, de, zh]
skills: {generic: on, sentence: meaning}
corpora:
  first:
    kind: classification
    language: en
    skills: [generic]
    labels: [x, y]
    format: tsv
    columns: {text_a: a, label: l}
    train: first.tsv
  xnli:
    kind: classification
    skills: [generic, sentence]
    labels: [e, n, c]
    format: tsv
    columns: {text_a: a, text_b: b, label: l}
    mix:
      en: train-en.tsv
      de: train-de.tsv
      zh: train-zh.tsv
    mix_seed: 7
    valid:
      en: dev-en.tsv
      de: dev-de.tsv
    test: {zh: test-zh.tsv}
  last:
    as: xnli-de
    language: sw
    test: last.tsv
"""
PATH = Path("folder/corpora.yaml")


def parsed(old: str = "", new: str = "", text: str = GOOD) -> CorporaFile:
    """The good file with one change."""
    assert old in text
    return parse_corpora_file(text.replace(old, new, 1), PATH)


def fault(old: str, new: str, text: str = GOOD) -> str:
    with pytest.raises(InputError) as error:
        parsed(old, new, text)
    return str(error.value)


def test_a_corpus_a_language_with_one_head() -> None:
    file = parsed()
    assert list(file.corpora) == ["first", "xnli-en", "xnli-de", "xnli-zh", "last"]
    for number, language in enumerate(("en", "de", "zh")):
        corpus = file.corpora[f"xnli-{language}"]
        assert (corpus.language, corpus.head, corpus.shares) == (language, "xnli", None)
        assert (corpus.skills, corpus.labels) == (("generic", "sentence"), ("e", "n", "c"))
        assert corpus.sources["train"].inputs[0].path == Path(f"folder/train-{language}.tsv")
        assert corpus.part == MixPart("xnli", number, 3, 7)
        assert corpus.line == corpus.sources["train"].line == 19 + number
    assert file.corpora["xnli-de"].sources["valid"].line == 25
    assert {name: set(corpus.sources) for name, corpus in file.corpora.items()} == {
        "first": {"train"}, "xnli-en": {"train", "valid"}, "xnli-de": {"train", "valid"}, "xnli-zh": {"train", "test"},
        "last": {"test"},
    }  # fmt: skip
    assert [split for name in file.corpora for split, one in file.corpora[name].sources.items() if one.part] == [
        "train", "train", "train",
    ]  # fmt: skip
    assert file.corpora["last"].head == "xnli"
    assert file.corpora["last"].part is None


def test_it_is_what_could_be_written_out() -> None:
    """All but the part and the lines is as in sections of their own with ``head``."""
    start, end = GOOD.index("  xnli:"), GOOD.index("  last:")
    shared = GOOD[GOOD.index("    kind", start) : GOOD.index("    mix:")]
    files = {
        "en": "    train: train-en.tsv\n    valid: dev-en.tsv\n",
        "de": "    train: train-de.tsv\n    valid: dev-de.tsv\n",
        "zh": "    train: train-zh.tsv\n    test: test-zh.tsv\n",
    }  # fmt: skip
    written = "".join(
        f"  xnli-{language}:\n{shared}    language: {language}\n    head: xnli\n{files_}"
        for language, files_ in files.items()
    )
    by_hand = parse_corpora_file(GOOD[:start] + written + GOOD[end:], PATH)

    def plain(file: CorporaFile, name: str) -> dict[str, object]:
        corpus = file.corpora[name].model_dump(exclude={"line": True, "sources": True})
        sources = file.corpora[name].sources.items()
        return {**corpus, "sources": {split: source.model_dump(exclude={"line", "part"}) for split, source in sources}}

    for name in by_hand.corpora:
        assert plain(by_hand, name) == plain(parsed(), name)


def test_the_text_alone_gives_the_same_file_again() -> None:
    """A checkpoint carries the text."""
    file = parsed()
    assert parse_corpora_file(file.text, file.path) == file


def test_selections() -> None:
    file = parsed()
    assert list(file.select(["xnli-de"]).corpora) == ["xnli-de"]
    assert file.select(["xnli-de"]).corpora["xnli-de"] == file.corpora["xnli-de"]
    assert list(file.select(["xnli", "first"]).corpora) == ["first", "xnli-en", "xnli-de", "xnli-zh"]
    with pytest.raises(InputError, match="unknown corpus 'xnli-e'; did you mean 'xnli-en'"):
        file.select(["xnli-e"])


def test_defaults_and_other_keys() -> None:
    assert parsed("    mix_seed: 7\n", "").corpora["xnli-zh"].part == MixPart("xnli", 2, 3, 1)
    assert parsed("    mix_seed: 7\n", "    head: first_\n").corpora["xnli-zh"].head == "first_"
    valid = GOOD[GOOD.index("    valid:\n") : GOOD.index("    test: {zh")]
    assert "valid" not in parsed(valid, "").corpora["xnli-en"].sources


def test_a_mix_that_shares_with_another_corpus() -> None:
    text = GOOD.replace(
        "    as: xnli-de\n    language: sw\n    test: last.tsv\n", "    as: first\n    mix: {de: d, zh: z}\n"
    )
    for number, language in enumerate(("de", "zh")):
        corpus = parse_corpora_file(text, PATH).corpora[f"last-{language}"]
        assert (corpus.head, corpus.shares, corpus.language) == ("first", "first", language)
        assert (corpus.labels, corpus.part) == (("x", "y"), MixPart("last", number, 2, 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    mix_seed: 7", "    language: en", ":22: corpus 'xnli' has both 'mix' and 'language'; 'mix' gives"),
        ("    mix_seed: 7", "    train: x.tsv", ":22: corpus 'xnli' has both 'mix' and 'train'"),
        ("mix_seed: 7", "mix_seed: -1", ":22: corpus 'xnli': mix_seed: expected a whole number from 0, not -1"),
        ("mix_seed: 7", "mix_seed: x", ":22: corpus 'xnli': mix_seed: expected a whole number from 0, not 'x'"),
        ("mix_seed: 7", "mixseed: 7", ":22: corpus 'xnli-en': unknown key 'mixseed'; did you mean 'mix_seed'?"),
        ("    train: first.tsv", "    train: first.tsv\n    mix_seed: 2", ":12: corpus 'first' has a 'mix_seed' but"),
        ("      de: train-de.tsv\n      zh: train-zh.tsv\n", "", ":18: corpus 'xnli': 'mix' has one language; ex"),
        ("{zh: test-zh.tsv}", "test.tsv", ":26: corpus 'xnli': test: expected a file for each language, as {en: FILE"),
        ("{zh: test-zh.tsv}", "{sw: s}", ":26: corpus 'xnli': test: no part of the mix is in 'sw'; expected one of"),
        ("      zh: train-zh", "      fr: train-zh", ":26: corpus 'xnli': test: no part of the mix is in 'zh'"),
        ("      de: train-de.tsv", "      de: [[a]]", ":20: corpus 'xnli-de': train: expected the path of a file, not"),
        ("  last:", "  xnli-de:", ":20: the mix 'xnli' has a corpus 'xnli-de', but there is another one"),
        ("as: xnli-de", "as: xnli", ":28: corpus 'last' shares with the mix 'xnli'; name one of its corpora: xnli-en"),
        ("languages: [en, de, zh]", "languages: [en, zh]", ":20: corpus 'xnli-de' has an unknown language 'de'"),
    ],
)  # fmt: skip
def test_faults_name_the_line(old: str, new: str, message: str) -> None:
    assert message in fault(old, new)


def test_rows_must_be_items() -> None:
    mix = "    mix: {en: a, de: b}\n"
    start = "languages: [en, de]\nskills: {g: on}\ncorpora:\n  c:\n    skills: [g]\n    format: tsv\n"
    ranking = start + "    kind: ranking\n    columns: {text_a: a, text_b: b, label: l}\n"
    assert "several rows make one query here" in fault("", "", ranking + mix)
    choices = start + "    kind: ranking\n    columns: {text_a: a, choices: [b, c], label: l}\n"
    assert len(parsed("", "", choices + mix).corpora) == 2
    sentences = start + "    kind: next_sentence\n    columns: {sentence: s}\n"
    assert "several rows make one document here" in fault("", "", sentences + mix)
    scores = start + "    kind: regression\n    columns: {text_a: a, score: s}\n"
    assert "needs a 'score_range', as each part has other scores" in fault("", "", scores + mix)
    assert len(parsed("", "", scores + mix + "    score_range: [0, 5]\n").corpora) == 2


def test_files_of_columns() -> None:
    text = GOOD.replace("format: tsv\n    columns: {text_a: a, text_b: b, label: l}\n    mix", "format: lines\n    mix")
    for split in ("train", "dev", "test"):
        for language in ("en", "de", "zh"):
            name = f"{split}-{language}"
            text = text.replace(f"{name}.tsv", f"{{text_a: {name}.a, text_b: {name}.b, label: {name}.l}}")
    text = text.replace("test: last.tsv", "test: {text_a: a, text_b: b}")
    sources = parse_corpora_file(text, PATH).corpora["xnli-zh"].sources
    assert sources["train"].inputs[0].paths["text_b"] == Path("folder/train-zh.b")
    assert sources["test"].inputs[0].paths["label"] == Path("folder/test-zh.l")
