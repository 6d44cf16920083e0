"""Labels: what can be used comes back from a prepared folder, what cannot is refused wherever it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import write_json
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.spec.labels import find_label_problem
from skill_plugin.store.corpus_store import open_corpus, read_corpus_labels
from skill_plugin.store.manifest import FILE, read_corpus_manifest, read_folder_manifest
from skill_plugin.store.prepare import FaultyCorporaError, prepare_corpora
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer

YAML = """\
languages: [en]
corpora:
  c:
    kind: classification
    language: en
    format: jsonl
    columns: {text_a: t, label: y}
    train: rows.jsonl
"""
ODD = ["<s>", "<pad>", "#fairseq:overwrite", "x #fairseq:overwrite", "a 5", "a\u2028b", "\u200bx", "5", "<mask>"]


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


@settings(max_examples=25)
@given(st.lists(st.text(min_size=1, max_size=6).map(str.strip), min_size=2, max_size=6, unique=True))
@example(ODD)
@example(["a\nb", "c"])
@example(["madeupword0000", "c"])
@example(["\ufeffa", "b"])
def test_check_prepare_and_training_agree(
    tmp_path_factory: pytest.TempPathFactory, encoder: TextEncoder, labels: list[str]
) -> None:
    """Labels that can be used are those of training, row by row; others stop ``prepare`` at their row."""
    labels = [label for label in labels if label]
    folder = tmp_path_factory.mktemp("labels")
    rows = "".join(json.dumps({"t": f"the cat {n}", "y": label}) + "\n" for n, label in enumerate(labels))
    (folder / "rows.jsonl").write_text(rows)
    spec = parse_corpora_file(YAML, folder / "corpora.yaml")
    bad = [n for n, label in enumerate(labels, start=1) if find_label_problem(label)]
    if bad or len(labels) < 2:
        with pytest.raises(FaultyCorporaError) as caught:
            prepare_corpora(spec, folder / "bin", encoder)
        assert [fault.line for fault in caught.value.faults if "jsonl" in fault.file] == bad
        return
    prepare_corpora(spec, folder / "bin", encoder)
    known = read_corpus_labels(folder / "bin", spec.corpora["c"])
    assert known == tuple(sorted(labels))
    stored = open_corpus(folder / "bin", spec.corpora["c"], "train").labels
    assert stored is not None
    assert [known[int(stored[row][0])] for row in range(len(labels))] == labels


def test_names_that_cannot_be_are_refused_in_manifests(tmp_path: Path) -> None:
    content = {"version": 2, "kind": "classification", "texts": 1, "labels": ["a", "b\x1b"], "splits": {}, "facts": {}}
    write_json(tmp_path / FILE, content)
    with pytest.raises(InputError, match=r"manifest.json: has a label that cannot be used: 'b\\x1b' holds the control"):
        read_corpus_manifest(tmp_path)
    write_json(tmp_path / FILE, {"version": 2, "corpora": ["../up"], "vocabulary": "v", "text_encoder": "t"})
    with pytest.raises(InputError, match=r"manifest.json: the corpus '../up' is not a name that can be used"):
        read_folder_manifest(tmp_path)
