"""The corpora file: what is read, what `as` inherits, and one line for every fault."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.metrics.classification import Classification
from skill_plugin.spec import parse_corpora_file, read_corpora_file

GOOD = """\
languages: [en, de]
skills:
  generic: on
  sentence: meaning
corpora:
  a:
    kind: classification
    language: en
    skills: [generic, sentence]
    labels: [x, y, z]
    format: tsv
    columns: {text_a: s1, text_b: s2, label: gold}
    train: a/train.tsv
    valid: a/dev.tsv
  b:
    as: a
    language: sw
    test: b/test.tsv
"""
PATH = Path("folder/corpora.yaml")


def fault(old: str = "", new: str = "", text: str = GOOD) -> str:
    """The message for the good file with one change."""
    assert old in text
    with pytest.raises(InputError) as caught:
        parse_corpora_file(text.replace(old, new, 1), PATH)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("folder/corpora.yaml:")
    return message.removeprefix("folder/corpora.yaml:")


def test_values_and_defaults() -> None:
    file = parse_corpora_file(GOOD, PATH)
    corpus = file.corpora["a"]
    assert file.languages == ("en", "de")
    assert file.skills == {"generic": "on", "sentence": "meaning"}
    assert (corpus.metric, corpus.head, corpus.quoting, corpus.separator) == ("accuracy", "a", "none", "\t")
    assert corpus.text_columns == ("text_a", "text_b")
    assert corpus.sources["train"].inputs[0].path == Path("folder/a/train.tsv")
    assert (corpus.line, corpus.sources["valid"].line) == (6, 14)


def test_the_text_gives_an_equal_file_and_it_can_be_pickled() -> None:
    file = parse_corpora_file(GOOD, PATH)
    assert parse_corpora_file(file.text, file.path) == file
    assert pickle.loads(pickle.dumps(file)) == file


def test_as_inherits_all_but_language_and_splits() -> None:
    file = parse_corpora_file(GOOD, PATH)
    a, b = file.corpora["a"], file.corpora["b"]
    assert (b.shares, b.head, b.language, list(b.sources)) == ("a", "a", "sw", ["test"])
    same = ("kind", "skills", "labels", "metric", "format", "columns", "label_map")
    assert all(getattr(a, name) == getattr(b, name) for name in same)


def test_as_with_another_format_starts_from_that_formats_defaults() -> None:
    text = GOOD.replace("format: tsv", "format: tsv\n    quoting: csv\n    header: true")
    text = text.replace("test: b/test.tsv", "test: b/test.jsonl\n    format: jsonl")
    b = parse_corpora_file(text, PATH).corpora["b"]
    assert (b.format, b.quoting, b.columns["label"]) == ("jsonl", "none", "gold")


def test_as_takes_its_labels_from_the_other_even_when_that_is_not_selected() -> None:
    file = parse_corpora_file(GOOD.replace("    labels: [x, y, z]\n", ""), PATH).select(["b"])
    assert list(file.corpora) == ["b"]
    assert file.languages == ("en", "de")
    assert file.labels_from(file.corpora["b"]).name == "a"


def test_select_names_the_nearest_corpus() -> None:
    text = GOOD.replace("  a:", "  nli-en:").replace("as: a", "as: nli-en")
    with pytest.raises(InputError, match="unknown corpus 'nli-em'; did you mean 'nli-en'"):
        parse_corpora_file(text, PATH).select(["nli-em"])


@pytest.mark.parametrize("name", ["skillnet_x", "skillnet_x_new", "glue"])
def test_real_files(shared: Path, name: str) -> None:
    file = read_corpora_file(shared / "corpora" / f"{name}.yaml")
    assert parse_corpora_file(file.text, file.path) == file


def test_articles_are_read_as_written(shared: Path) -> None:
    file = read_corpora_file(shared / "corpora/skillnet_x.yaml")
    assert file.corpora["squad-en"].sources["valid"].inputs[0].articles == "18:24"  # to YAML 1.1 the number 1104


FAULTS = [
    ("languages:", "langages:", "1: unknown key 'langages'; did you mean 'languages'?"),
    ("    kind:", "    knd:", "7: corpus 'a': unknown key 'knd'; did you mean 'kind'?"),
    ("kind: classification", "kind: clasification", "7: corpus 'a': kind: unknown value 'clasification'; did you mean"),
    ("format: tsv", "format: tvs", "11: corpus 'a': format: unknown value 'tvs'; did you mean 'tsv'?"),
    (
        "format: tsv",
        "format: conll",
        "11: corpus 'a' has format 'conll', which cannot hold the kind 'classification'; expected one of: tsv, csv",
    ),
    (
        "format: tsv",
        "metric: acuracy\n    format: tsv",
        "11: corpus 'a': metric: unknown value 'acuracy'; did you mean",
    ),
    ("format: tsv", "metric: pearson\n    format: tsv", "11: corpus 'a' has the metric 'pearson', which is not one of"),
    (
        "format: tsv",
        "metric: f1\n    format: tsv",
        "11: corpus 'a' has the metric f1 and 3 labels; expected a positive",
    ),
    ("language: en", "language: fr", "8: corpus 'a' has an unknown language 'fr'; expected one of: en, de"),
    ("    language: en\n", "", "6: corpus 'a' has no 'language'"),
    ("[generic, sentence]", "[generic, sentense]", "9: corpus 'a' has an unknown skill 'sentense'; did you mean"),
    ("[generic, sentence]", "generic", "9: corpus 'a': skills: expected a list, as [a, b], not 'generic'"),
    ("text_b: s2", "text_d: s2", "12: corpus 'a' has an unknown column 'text_d'; did you mean 'text_"),
    ("text_a: s1, ", "", "12: corpus 'a' misses the column 'text_a', which the kind 'classification' needs"),
    (", label: gold", "", "12: corpus 'a' misses the column 'label', which the kind 'classification' needs"),
    ("text_b: s2", "text_b: -1.5", "12: corpus 'a': columns: expected text, not -1.5"),
    ("train: a/train.tsv", "train: {pth: x}", "13: corpus 'a': train: unknown key 'pth'; did you mean 'path'?"),
    (
        "train: a/train.tsv",
        "train: {path: x, articles: '0:1'}",
        "13: corpus 'a': train: 'articles' is an option of the",
    ),
    ("train: a/train.tsv", "train: [[x]]", "13: corpus 'a': train: expected the path of a file, not a list"),
    ("train: a/train.tsv", "train:", "13: corpus 'a': 'train' has no value"),
    ("    test: b/test.tsv\n", "", "15: corpus 'b' has no split; expected at least one of: train, valid, test"),
    ("as: a", "as: c", "16: corpus 'b' shares with an unknown corpus 'c'; expected one of: a"),
    ("as: a", "as: b", "16: corpus 'b' shares with an unknown corpus 'b'; expected one of: a"),
    ("    valid:", "    train: x\n    valid:", "14: the key 'train' is written twice, first in line 13"),
    ("  b:", "  a:", "15: the key 'a' is written twice, first in line 6"),
    ("labels: [x, y, z]", "labels: [x, y, x]", "10: corpus 'a' names the label 'x' twice"),
    ("labels: [x, y, z]", "labels: [x]", "10: corpus 'a' has 1 label; expected two or more"),
    ("labels: [x, y, z]", "labels: [x, 'y ', z]", "10: corpus 'a' has a label that cannot be used: 'y '"),
    ("labels: [x, y, z]", "labels: [x, y]\n    label_map: {0: xx}", "11: corpus 'a' maps '0' to an unknown label 'xx'"),
    (
        "labels: [x, y, z]",
        "labels: [x, y]\n    class_weights: {yy: 2}",
        "11: corpus 'a' has a weight for an unknown label",
    ),
    (
        "labels: [x, y, z]",
        "labels: [x, y]\n    class_weights: {y: -2}",
        "11: corpus 'a': class_weights: expected a weight",
    ),
    (
        "labels: [x, y, z]",
        "labels: [x, y]\n    class_weights: even",
        "11: corpus 'a': class_weights: expected balanced",
    ),
    (
        "labels: [x, y, z]",
        "labels: [x, y]\n    label_smoothing: 1",
        "11: corpus 'a': label_smoothing: expected a number",
    ),
    ("labels: [x, y, z]", "labels: [x, y]\n    positive_label: v", "11: corpus 'a' has an unknown positive_label 'v'"),
    ("labels: [x, y, z]", "labels: [x, y]\n    targets: {xx: a}", "11: corpus 'a' has a target for an unknown label"),
    ("labels: [x, y, z]", "labels: [x, y]\n    targets: {x: ' '}", "11: corpus 'a' has an empty target for 'x'"),
    (
        "labels: [x, y, z]",
        "labels: [x, y]\n    text_names: {text_c: a}",
        "11: corpus 'a' names a text 'text_c', which it does not have; did you mean",
    ),
    ("as: a", "as: a\n    score_scale: raw", "17: corpus 'b' has the option 'score_scale' of regression"),
    (
        "as: a",
        "as: a\n    labels: [y, x, z]",
        "17: corpus 'b' shares the head 'a' with 'a' but not its labels: ['y', 'x'",
    ),
    (
        "[en, de]",
        "[en, no]",
        "1: the language 'no' is read by YAML as False; put it in quotes (\"no\") if it is a name",
    ),
    ("language: en", "language: no", "8: the language 'no' is read by YAML as False; put it in quotes (\"no\")"),
    ("labels: [x, y, z]", "labels: [x, on]", "10: corpus 'a': labels: 'on' is read by YAML as True; put it in quotes"),
    ("labels: [x, y, z]", "labels: [x, 1_0]", "10: corpus 'a': labels: '1_0' is read by YAML as 10; put it in quotes"),
    ("  a:", "  yes:", "6: the key 'yes' is read by YAML as True; put it in quotes"),
    ("  a:", "  2020-13-45:", "6: '2020-13-45' looks to YAML like a date or number"),
    ("  a:", "  a/b:", "6: the corpus 'a/b' is not a name that can be used; expected letters, digits, '_' and '-'"),
    ("  a:", "  '-a':", "6: the corpus '-a' is not a name that can be used"),
    ("  a:", "  keys:", "6: the corpus 'keys' has a reserved name; choose another, such as 'keys_corpus'"),
    ("  a:", "  text:", "6: the corpus 'text' has a reserved name"),
    ("  generic: on", "  type: on", "3: the skill 'type' has a reserved name"),
    ("[en, de]", "[en, to]", "1: the language 'to' has a reserved name"),
    ("format: tsv", "head: items\n    format: tsv", "11: the head 'items' has a reserved name"),
    ("format: tsv", "header: 1\n    format: tsv", "11: corpus 'a': header: expected true or false, not 1"),
    ("format: tsv", "header: false\n    format: tsv", "13: corpus 'a' has no header (header: false), so columns are"),
    (
        "format: tsv",
        "max_length: 0\n    format: tsv",
        "11: corpus 'a': max_length: expected a whole number from 1, not 0",
    ),
    (
        "format: tsv",
        "format: tsv\n    rows: x",
        "12: corpus 'a' has the option 'rows' of json, but its format is 'tsv'",
    ),
    (
        "format: tsv",
        "format: jsonl\n    header: true",
        "12: corpus 'a' has the option 'header' of tsv, csv, xlsx, but its",
    ),
    ("format: tsv", "format: lines", "13: corpus 'a': train: the format lines expects a file for each column"),
    ("format: tsv", "format: csv\n    separator: ab", "12: corpus 'a' separator 'ab' must be one character"),
    ("format: tsv", "encoding: utf-9\n    format: tsv", "11: corpus 'a': encoding: unknown encoding 'utf-9'"),
    (
        "format: tsv",
        "on_bad_row: skp\n    format: tsv",
        "11: corpus 'a': on_bad_row: unknown value 'skp'; did you mean",
    ),
    ("format: tsv", "where: {x: no}\n    format: tsv", "11: corpus 'a': where: 'no' is read by YAML as False"),
    ("[en, de]", "[en, de", "2: not YAML: "),
    ("[en, de]", "en", "1: languages: expected a list such as [en, zh], not 'en'"),
    ("[en, de]", "[en, en]", "1: the language 'en' is named twice"),
    ("[en, de]", "&x [*x]", "1: an anchor that holds itself"),
    (
        "[en, de]",
        "!!python/object:os.system []",
        "1: a tag 'tag:yaml.org,2002:python/object:os.system', which has no meaning here",
    ),
    ("[en, de]", "[en, \x01]", "1: not YAML: the character U+0001 may not occur"),
    (GOOD, "", "1: expected a mapping with languages, skills, corpora, not nothing"),
    (GOOD, "- x", "1: expected a mapping with languages, skills, corpora, not a list"),
    (GOOD, "languages: [en]\nskills: {a: b}\ncorpora:\n  x: 3", "4: corpus 'x': expected keys such as kind"),
    (GOOD, "languages: [en]\nskills: {a: b}\ncorpora: {}", "3: corpora: expected a mapping from name to corpus"),
    (GOOD, "languages: [en]\nskills: [a]\ncorpora: {x: {}}", "2: skills: expected a mapping from skill to description"),
    (GOOD, "languages: [en]\nskills: {a: b}", "1: the key 'corpora' is missing"),
]


@pytest.mark.parametrize(("old", "new", "expected"), FAULTS, ids=[f"{new[:30]!r}" for _, new, _ in FAULTS])
def test_faults(old: str, new: str, expected: str) -> None:
    assert expected in fault(old, new)[: len(expected)]


def test_a_chain_of_as_is_refused() -> None:
    message = fault(text=GOOD + "  c:\n    as: b\n    language: de\n    test: x\n")
    assert message.startswith("20: corpus 'c' shares with 'b', which itself shares with 'a'")


def test_names_that_would_be_logged_alike_are_refused() -> None:
    section = (
        "    kind: classification\n    language: en\n    skills: [generic]\n    labels: [p, q]\n    format: jsonl\n"
    )
    section += "    columns: {text_a: t, label: l}\n    train: x\n"
    text = "languages: [en]\nskills: {generic: on}\ncorpora:\n"
    text += f"  m:\n    metric: macro_f1\n{section}  m_macro:\n    metric: f1\n{section}"
    assert "would both be logged as 'm_macro_f1'" in fault(text=text)


def test_f1_of_two_labels_is_that_of_the_last() -> None:
    text = GOOD.replace("labels: [x, y, z]", "labels: [x, y]\n    metric: f1")
    corpus = parse_corpora_file(text, PATH).corpora["a"]
    metric = kind_named(corpus.kind).metric(corpus, ("x", "y"), {}, 0)
    assert isinstance(metric, Classification)
    assert metric.positive == 1


def test_what_texts_are_called() -> None:
    """As the file calls them, which a corpus named by ``as`` says for the others too; the prefix is the head."""
    text = GOOD.replace("train: a/train.tsv", "text_names: {text_b: hypothesis}\n    train: a/train.tsv")
    text += "    columns: {text_a: erster, text_b: zweiter, label: gold}\n    text_names: {text_a: premise}\n"
    a, b = parse_corpora_file(text, PATH).corpora.values()
    assert (a.prefix, a.text_names) == ("a", {"text_a": "s1", "text_b": "hypothesis"})
    assert (b.prefix, b.text_names) == ("a", {"text_a": "premise", "text_b": "hypothesis"})
    numbered = GOOD.replace("{text_a: s1, text_b: s2, label: gold}", "{text_a: 0, text_b: [1, 2], label: 3}")
    numbered = numbered.replace("format: tsv", "format: tsv\n    header: false\n    prefix: nli\n    targets: {x: '1'}")
    a, b = parse_corpora_file(numbered, PATH).corpora.values()
    assert (a.prefix, a.text_names, a.targets) == ("nli", {"text_a": "text_a", "text_b": "text_b"}, {"x": "1"})
    assert (b.prefix, b.text_names, b.targets) == (a.prefix, a.text_names, a.targets)
    nested = GOOD.replace("format: tsv", "format: jsonl").replace(
        "text_a: s1, text_b: s2", "text_a: p.text, text_b: h.text"
    )
    assert parse_corpora_file(nested, PATH).corpora["a"].text_names == {"text_a": "text_a", "text_b": "text_b"}


def test_numbers_are_fine_as_labels_and_in_label_maps() -> None:
    text = GOOD.replace("labels: [x, y, z]", "labels: [100, 101]\n    label_map: {0: 100, '1': 101}")
    corpus = parse_corpora_file(text, PATH).corpora["a"]
    assert corpus.labels == ("100", "101")
    assert corpus.label_map == {"0": "100", "1": "101"}


def test_merge_keys_of_yaml_are_understood() -> None:
    text = GOOD.replace("  a:\n", "  a: &base\n").replace("    as: a\n", "    <<: *base\n    head: other\n")
    b = parse_corpora_file(text.replace("language: sw", "language: de"), PATH).corpora["b"]
    assert (b.labels, b.language, list(b.sources)) == (("x", "y", "z"), "de", ["train", "valid", "test"])


def test_lines_names_files_by_column() -> None:
    section = "  a:\n    kind: classification\n    language: en\n    skills: [generic]\n    format: lines\n"
    head = "languages: [en]\nskills: {generic: on}\ncorpora:\n" + section
    file = parse_corpora_file(head + "    train: {text_a: t, label: l}\n    test: {text_a: u}\n", PATH)
    assert file.corpora["a"].columns == {"text_a": "text_a", "label": "label"}
    assert fault(text=head + "    train: {text_a: t}\n").startswith("9: corpus 'a' misses the column 'label' in train")
    assert fault(text=head + "    train: {txt: t, label: l}\n").startswith("9: corpus 'a' has an unknown column 'txt'")
    columns = "    columns: {text_a: 0}\n    train: {text_a: t, label: l}\n"
    assert fault(text=head + columns).startswith("9: corpus 'a' has format 'lines', whose columns are named in train")
    assert fault(text=head + "    train: t\n").startswith("9: corpus 'a': train: the format lines expects a file for")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_corpora_file(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_corpora_file(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"languages: [en]\n# \xe4\n")
    with pytest.raises(InputError, match=r"latin\.yaml:2: not UTF-8: the byte 0xe4"):
        read_corpora_file(tmp_path / "latin.yaml")


def test_a_byte_order_mark_and_crlf_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    (tmp_path / "b.yaml").write_bytes(GOOD.encode())
    a, b = (read_corpora_file(tmp_path / name) for name in ("a.yaml", "b.yaml"))
    assert {name: corpus.line for name, corpus in a.corpora.items()} == {"a": 6, "b": 15}
    assert a.corpora["a"].labels == b.corpora["a"].labels


@given(st.text(max_size=300))
def test_any_text_gives_a_file_or_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_corpora_file(text, PATH)
    assert "\n" not in str(caught.value)


@given(st.data())
def test_any_damage_gives_a_file_or_one_line(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(start, min(len(GOOD), start + 20)))
    text = GOOD[:start] + data.draw(st.text(alphabet="ab:{}[]-,&*!\n '\"0#", max_size=6)) + GOOD[end:]
    message = ""
    try:
        parse_corpora_file(text, PATH)
    except InputError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.parametrize(
    ("corpus", "language", "logged"),
    [
        ("avg", "map", None),
        ("avg", "accuracy", "avg_accuracy"),
        ("avg", "loss", "avg_loss"),
        ("best", "en", "best_loss"),
        ("balance", "en", "balance_loss"),
        ("worst", "en", None),
    ],
)
def test_names_that_would_be_logged_as_an_average(corpus: str, language: str, logged: str | None) -> None:
    text = (
        f"languages: [{language}]\nskills: {{generic: on}}\ncorpora:\n  {corpus}:\n    kind: classification\n"
        f"    language: {language}\n    skills: [generic]\n    format: tsv\n    columns: {{text_a: a, label: l}}\n"
        "    train: x\n"
    )
    if logged is None:
        parse_corpora_file(text, Path("c.yaml"))
        return
    with pytest.raises(InputError) as caught:
        parse_corpora_file(text, Path("c.yaml"))
    expected = f"c.yaml:4: corpus {corpus!r} would be logged as {logged!r}, which has another meaning; rename it"
    assert str(caught.value) == expected
