from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.errors import InputError
from skill_plugin.kinds.next_sentence.items import sentence_pairs
from skill_plugin.spec.corpora_file import CorporaFile, parse_corpora_file, read_corpora_file
from skill_plugin.store.corpus_store import (
    list_corpora,
    list_splits,
    open_corpus,
    read_corpus_labels,
    read_text_encoder,
)
from skill_plugin.store.prepare import FaultyCorporaError, prepare_corpora
from skill_plugin.text.sequences.sentence_spans import sum_spans
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.conftest import LINES

PAIRS = [
    ("the cat sat on the mat", "the dog", "yes"),
    ("A man\u2028sleeps. 🙂", "He is\u0085not awake", "no"),
    ("", "die Straße", "maybe so"),
    ("el niño come", "", "no"),
]
YAML = """\
languages: [en, de]
skills: {generic: on}
corpora:
  pair:
    kind: classification
    language: en
    skills: [generic]
    labels: ["yes", "no", maybe so]
    format: tsv
    quoting: none
    columns: {text_a: a, text_b: b, label: gold}
    train: pair.train.tsv
    valid: pair.valid.tsv
    test: pair.test.tsv
  single:
    kind: classification
    language: de
    skills: [generic]
    format: jsonl
    columns: {text_a: text, label: label}
    drop_labels: ["-"]
    max_length: 5
    train: single.jsonl
"""


def tsv(rows: list[tuple[str, ...]], header: str = "a\tb\tgold") -> str:
    return "\n".join([header, *("\t".join(row) for row in rows)]) + "\n"


@pytest.fixture
def corpora(tmp_path: Path) -> CorporaFile:
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "corpora.yaml").write_text(YAML, encoding="utf-8")
    (raw / "pair.train.tsv").write_text(tsv(PAIRS * 3), encoding="utf-8", newline="")
    (raw / "pair.valid.tsv").write_text(tsv(PAIRS[:2]), encoding="utf-8", newline="")
    (raw / "pair.test.tsv").write_text(tsv([row[:2] for row in PAIRS], "a\tb"), encoding="utf-8", newline="")
    rows = [{"text": "der Hund läuft über die Straße", "label": label} for label in ("b", "a", "-", "b")]
    (raw / "single.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return read_corpora_file(raw / "corpora.yaml")


@pytest.fixture
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


def test_documents_are_counted_as_the_spans_that_training_reads(encoder: TextEncoder, tmp_path: Path) -> None:
    documents = [" ".join(f"{line}." for line in LINES[: n % 7]) for n in range(30)] + ["one"]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps({"t": text}) + "\n" for text in documents))
    lines = "kind: next_sentence, language: en, max_length: 60, format: jsonl, columns: {t: t}, train: d.jsonl"
    (tmp_path / "c.yaml").write_text(f"languages: [en]\ncorpora:\n  n: {{{lines}}}\n".replace("{t: t}", "{text: t}"))
    spec = read_corpora_file(tmp_path / "c.yaml")
    (prepared,) = prepare_corpora(spec, tmp_path / "bin", encoder)
    room = 60 - encoder.template.special_tokens(2)
    pairs = sentence_pairs(open_corpus(tmp_path / "bin", spec.corpora["n"], "train"), room)
    lengths = sum_spans(pairs.member_sizes, pairs.spans) + encoder.template.special_tokens(2)
    report = check_corpora(spec, encoder).corpora["n"]["train"].tokens
    assert report is not None and report.lengths is not None
    assert report.counts.sequences == len(pairs) > 30
    assert prepared.tokens_max == report.lengths.maximum == lengths.max()
    assert prepared.tokens_mean == pytest.approx(lengths.mean())
    assert prepared.truncated == report.counts.truncated == (lengths > 60).mean()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_what_is_written_is_read(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    prepare_corpora(corpora, data, encoder)
    assert list_corpora(data) == ("pair", "single")
    assert list_splits(data, "pair") == ("train", "valid", "test")
    train = open_corpus(data, corpora.corpora["pair"], "train")
    assert [int(train[i].arrays["label"][0]) for i in range(12)] == [0, 1, 2, 1] * 3
    for i, row in enumerate(PAIRS * 3):
        for text, file in zip(row[:2], train.texts, strict=True):
            assert file[i].tolist() == encoder.encode(text).ids.tolist()
    assert not open_corpus(data, corpora.corpora["pair"], "test").answered
    single = open_corpus(data, corpora.corpora["single"], "train")
    assert [int(single[i].arrays["label"][0]) for i in range(3)] == [1, 0, 1]
    assert read_corpus_labels(data, corpora.corpora["single"]) == ("a", "b")
    assert read_text_encoder(data, ["pair", "single"]).fingerprint() == encoder.fingerprint()
    lines = (data / "pair/text/train.jsonl").read_text(encoding="utf-8").split("\n")
    assert [tuple(json.loads(line)["texts"]) for line in lines[:4]] == [row[:2] for row in PAIRS]
    manifest = json.loads((data / "single/manifest.json").read_text())
    assert manifest["labels"] == ["a", "b"]
    assert manifest["splits"]["train"]["rows"] == 3
    assert sum(manifest["splits"]["train"]["skipped"].values()) == 1
    (path, digest), *_ = manifest["splits"]["train"]["sources"].items()
    assert digest == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert (data / "pair/label/dict.txt").read_text().split("\n")[:3] == ["yes 4", "no 7", "maybe so 3"]


def test_dictionaries_are_one_file(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    prepare_corpora(corpora, tmp_path / "data", encoder)
    paths = [tmp_path / "data" / p / "dict.txt" for p in ("text", "pair/input0", "pair/input1", "single/input0")]
    assert len({path.stat().st_ino for path in paths}) == 1


def test_counts(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    done: Counter[tuple[str, str, int]] = Counter()

    def on_progress(corpus: str, split: str, rows: int, total: int) -> None:
        done[corpus, split, total] += rows

    prepared = prepare_corpora(corpora, tmp_path / "data", encoder, on_progress=on_progress)
    assert [(p.corpus, p.split, p.rows) for p in prepared] == [
        ("pair", "train", 12),
        ("pair", "valid", 2),
        ("pair", "test", 4),
        ("single", "train", 3),
    ]
    assert done == {(p.corpus, p.split, p.rows): p.rows for p in prepared}
    lengths = [len(encoder.encode(a).ids) + len(encoder.encode(b).ids) + 4 for a, b, _ in PAIRS]
    assert prepared[2].tokens_max == max(lengths)
    assert prepared[2].tokens_mean == pytest.approx(sum(lengths) / 4)
    assert prepared[2].truncated == 0
    assert prepared[3].truncated == 1
    assert sum(prepared[3].skipped.values()) == 1
    ids = [i for row in PAIRS for text in row[:2] for i in encoder.encode(text).ids.tolist()]
    assert prepared[2].unknown == pytest.approx(ids.count(3) / len(ids))


def test_fairseq_reads_the_folder(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    from fairseq.data import Dictionary, data_utils

    prepare_corpora(corpora, tmp_path / "data", encoder)
    pair = tmp_path / "data" / "pair"
    dictionary = Dictionary.load(str(pair / "input0" / "dict.txt"))
    dataset = data_utils.load_indexed_dataset(str(pair / "input0" / "train"), dictionary)
    assert dataset[0].tolist() == [*encoder.encode(PAIRS[0][0]).ids.tolist(), dictionary.eos()]
    labels = Dictionary.load(str(pair / "label" / "dict.txt"))
    assert labels.symbols[labels.nspecial :] == ["yes", "no", "maybe so"]
    assert data_utils.load_indexed_dataset(str(pair / "label" / "train"), labels)[2].tolist() == [6, 2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sentencepiece", "word_piece"])
def test_workers_change_nothing(
    corpora: CorporaFile, sentencepiece_model: Path, word_piece_vocabulary: Path, tmp_path: Path, kind: str
) -> None:
    encoder = open_tokenizer(sentencepiece_model if kind == "sentencepiece" else word_piece_vocabulary)
    rows = [(f"the cat {i} sat", f"{i} Straße", PAIRS[i % 3][2]) for i in range(1500)]
    (tmp_path / "raw" / "pair.train.tsv").write_text(tsv(rows), encoding="utf-8")
    one = prepare_corpora(corpora, tmp_path / "one", encoder, workers=1)
    two = prepare_corpora(corpora, tmp_path / "two", encoder, workers=2)
    assert one == two
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_faults_of_all_corpora_and_nothing_written(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    bad = [("x", "y", "nope")] * 5 + [("x", "y")]
    (raw / "pair.valid.tsv").write_text(tsv(bad), encoding="utf-8")
    (raw / "single.jsonl").write_text('{"text": "a", "label": "b"}\n' + "{\n" * 30, encoding="utf-8")
    before = os.listdir(tmp_path)
    with pytest.raises(FaultyCorporaError) as error:
        prepare_corpora(corpora, tmp_path / "deep" / "data", encoder)
    lines = str(error.value).split("\n")
    assert lines[0].startswith(f"{raw / 'pair.valid.tsv'}:2: unknown label 'nope'")
    assert "(5 rows, also in lines 3, 4, 5, 6); label_map renames labels, drop_labels " in lines[0]
    assert len(lines) == 3 and len(error.value.faults) > 20  # each is said once
    assert "single.jsonl:2: " in lines[-1] and "(30 rows, also in lines 3, " in lines[-1]
    assert lines[-1].endswith(", 22 and 9 more)")
    assert {Path(fault.file).name for fault in error.value.faults} == {"pair.valid.tsv", "single.jsonl"}
    assert os.listdir(tmp_path) == before


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_interrupted(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path, stop: type[BaseException]) -> None:
    def on_progress(*_: object) -> None:
        raise stop

    before = os.listdir(tmp_path)
    with pytest.raises(stop):
        prepare_corpora(corpora, tmp_path / "data", encoder, on_progress=on_progress)
    assert os.listdir(tmp_path) == before


def test_an_existing_folder_keeps_its_other_corpora(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    data = tmp_path / "data"
    prepare_corpora(corpora.select(["pair"]), data, encoder)
    pair = contents(data / "pair")
    prepare_corpora(corpora.select(["single"]), data, encoder)
    assert contents(data / "pair") == pair
    assert json.loads((data / "manifest.json").read_text())["corpora"] == ["pair", "single"]
    (tmp_path / "raw" / "pair.train.tsv").write_text(tsv(PAIRS[:1]), encoding="utf-8")
    (data / "pair" / "input0" / "stale").touch()
    prepare_corpora(corpora.select(["pair"]), data, encoder)
    assert len(open_corpus(data, corpora.corpora["pair"], "train")) == 1
    assert not (data / "pair" / "input0" / "stale").exists()
    assert read_text_encoder(data, ["single", "pair"]).fingerprint() == encoder.fingerprint()
    assert sorted(os.listdir(tmp_path)) == ["data", "raw"]


def test_folders_that_do_not_fit(
    corpora: CorporaFile, encoder: TextEncoder, word_piece_vocabulary: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    prepare_corpora(corpora, data, encoder)
    before = contents(data)
    with pytest.raises(InputError, match="data: was prepared with another vocabulary"):
        prepare_corpora(corpora, data, open_tokenizer(word_piece_vocabulary))
    assert contents(data) == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(InputError, match="is not empty and was not written by"):
        prepare_corpora(corpora, tmp_path / "other", encoder)
    with pytest.raises(InputError, match="is a file"):
        prepare_corpora(corpora, tmp_path / "other" / "file", encoder)
    (tmp_path / "empty").mkdir()
    prepare_corpora(corpora, tmp_path / "empty", encoder)
    assert contents(tmp_path / "empty") == before


def edit(corpora: CorporaFile, old: str, new: str) -> CorporaFile:
    corpora.path.write_text(corpora.text.replace(old, new), encoding="utf-8")
    return read_corpora_file(corpora.path)


BORROWER = """\
  evaluated:
    as: single
    language: en
    test: single.jsonl
"""


def test_labels_of_a_corpus_that_only_evaluates(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    spec = edit(corpora, "  single:", f"{BORROWER}  single:").select(["single", "evaluated"])
    order = [name for name in spec.corpora if name in ("single", "evaluated")]
    prepare_corpora(spec.select(["single"]), tmp_path / "data", encoder)
    prepare_corpora(spec.select(["evaluated"]), tmp_path / "data", encoder)
    assert read_corpus_labels(tmp_path / "data", spec.corpora["evaluated"]) == ("a", "b")
    prepare_corpora(spec, tmp_path / "together", encoder)
    assert read_corpus_labels(tmp_path / "together", spec.corpora["evaluated"]) == ("a", "b")
    assert sorted(order) == ["evaluated", "single"]
    prepare_corpora(spec.select(["evaluated"]), tmp_path / "alone", encoder)
    assert read_corpus_labels(tmp_path / "alone", spec.corpora["evaluated"]) == ("a", "b")


def test_heads_with_other_labels(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    spec = edit(corpora, "format: jsonl", "head: pair\n    format: jsonl")
    with pytest.raises(
        FaultyCorporaError, match="corpus 'single' shares the head 'pair' with 'pair' but not its labels"
    ):
        prepare_corpora(spec, tmp_path / "data", encoder)


def test_max_length_below_the_special_tokens(corpora: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    spec = edit(corpora, "max_length: 5", "max_length: 1")
    with pytest.raises(FaultyCorporaError, match="'single': the longest sequence has 1 token; expected at least 3"):
        prepare_corpora(spec, tmp_path / "data", encoder)


def test_new_columns_and_splits_of_one_file(encoder: TextEncoder, tmp_path: Path) -> None:
    for name in "ab":
        rows = "".join(f"t{n},{name} {n},{n % 2},{n // 2 % 2}\n" for n in range(20))
        (tmp_path / f"{name}.csv").write_text("title,body,x,y\n" + rows, encoding="utf-8")
    columns = 'columns: {text_a: {columns: [title, body], join: ": "}, label: {odd: x, upper: -1}}'
    section = "kind: multilabel, language: en, skills: [generic], format: csv, train: [a.csv, b.csv]"
    text = f"languages: [en]\nskills: {{generic: on}}\ncorpora:\n  c: {{{section}, split: {{valid: 25%}}, {columns}}}\n"
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    file = read_corpora_file(tmp_path / "c.yaml")
    prepare_corpora(file, tmp_path / "data", encoder)
    assert list_splits(tmp_path / "data", "c") == ("train", "valid")
    assert read_corpus_labels(tmp_path / "data", file.corpora["c"]) == ("odd", "upper")
    found = []
    for split in ("train", "valid"):
        lines = (tmp_path / f"data/c/text/{split}.jsonl").read_text(encoding="utf-8").splitlines()
        found.append([json.loads(line)["texts"][0] for line in lines])
    assert [len(texts) for texts in found] == [30, 10]
    assert sorted(found[0] + found[1]) == sorted(f"t{n}: {name} {n}" for name in "ab" for n in range(20))
    manifest = json.loads((tmp_path / "data/c/manifest.json").read_text())
    assert [Path(path).name for path in manifest["splits"]["valid"]["sources"]] == ["a.csv", "b.csv"]
    again = parse_corpora_file(file.text, tmp_path / "elsewhere" / "c.yaml")  # as it rides in a checkpoint
    assert again.corpora["c"].columns == file.corpora["c"].columns and again.corpora["c"].labels == ("odd", "upper")
    assert again.corpora["c"].sources["valid"].cut == file.corpora["c"].sources["valid"].cut
