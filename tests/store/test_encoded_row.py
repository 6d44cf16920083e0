"""What is written of an example of any kind is what is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import BLOCK, ExampleBlock
from skill_plugin.store.corpus_store import open_corpus
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text.words import encode_words_batch
from tests.every_kind import CORPORA, World, examples, make_reading, make_world
from tests.measure_rows import measure_rows

ROWS = {name: examples(name, BLOCK + 20, words=5) for name in CORPORA}  # more than one block of a worker


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


@pytest.fixture(scope="module")
def world(encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("data") / "bin", encoder, ROWS)


def stored(world: World, name: str) -> StoredSplit:
    return open_corpus(world.folder, world.bundle.corpus(name), "valid", world.bundle.labels[name])


def rows_of(world: World, name: str) -> Iterator[tuple[Example, EncodedRow]]:
    split = stored(world, name)
    assert len(split) == len(ROWS[name])
    for number, made in enumerate(ROWS[name]):
        yield made, split[number]


@pytest.mark.parametrize("name", CORPORA)
def test_texts(world: World, encoder: TextEncoder, name: str) -> None:
    split = stored(world, name)
    for number, (made, row) in enumerate(rows_of(world, name)):
        assert split.example(number) == made
        if name in ("tags", "signs"):
            words = [made.texts[0][start:end] for start, end in made.words]
            (expected,) = encode_words_batch(encoder, [words], spaced=name == "tags")
            assert row.texts[0].tolist() == expected.ids.tolist()
            assert row.arrays["first"].tolist() == expected.first.tolist()
            continue
        texts = [encoder.encode(text).ids.tolist() for text in made.texts]
        members = [encoder.encode(text).ids.tolist() for text in made.candidates]
        found = [ids.tolist() for ids in row.texts], [ids.tolist() for ids in row.members]
        assert found == (([], texts) if name == "nsp" else (texts, members))
        assert all(
            len(file) == size for file, size in zip(row.texts, [s[number] for s in split.sizes.texts], strict=True)
        )


def test_labels(world: World) -> None:
    for name in ("one", "pair", "topics", "tags", "signs", "wic", "wsc"):
        labels = world.bundle.labels[name]
        for made, row in rows_of(world, name):
            names = (made.answer,) if isinstance(made.answer, str) else made.answer or ()
            expected = [labels.index(label) if label in labels else -1 for label in names]  # type: ignore[arg-type]
            assert row.arrays["label"].tolist() == expected
    assert any("B-new" in (made.answer or ()) for made in ROWS["tags"])  # type: ignore[operator]


def test_scores_and_relevance(world: World) -> None:
    for made, row in rows_of(world, "score"):
        assert row.score == made.answer
    for name in ("choice", "search"):
        for made, row in rows_of(world, name):
            assert tuple(row.arrays["relevance"]) == made.answer


def test_places(world: World, encoder: TextEncoder) -> None:
    for made, row in rows_of(world, "span"):
        assert row.arrays["offset"].reshape(-1, 2).tolist() == encoder.encode(made.texts[1]).offsets.tolist()
        assert len(row.arrays["answer"]) == 2 * len(made.answer or ())  # type: ignore[arg-type]
    for name in ("wic", "wsc"):
        for made, row in rows_of(world, name):
            for (text, start, end), found in zip(made.spans, row.arrays["span"].reshape(2, 3).tolist(), strict=True):
                offsets = encoder.encode(made.texts[text]).offsets.tolist()
                touching = [t for t, (a, b) in enumerate(offsets) if max(a, start) < min(b, end)]
                assert found == [text, touching[0], touching[-1] + 1]


def test_an_answer_that_is_not_in_the_context_has_no_tokens(encoder: TextEncoder) -> None:
    corpus = make_reading("span", encoder).corpus
    made = Example(("q", "the cat"), ((-1, "dog"), (4, "cat"), (3, " ")), "", 0)
    (row,) = kind_named(corpus.kind).storage.encode(corpus, [made], encoder)
    offsets = row.arrays["offset"].reshape(-1, 2)
    first, last = row.arrays["answer"]
    assert len(row.arrays["answer"]) == 2
    assert (offsets[first, 0], offsets[last, 1]) == (4, 7)


@pytest.mark.parametrize("name", [name for name in CORPORA if name not in ("mlm", "nsp")])
def test_a_split_without_answers(encoder: TextEncoder, tmp_path: Path, name: str) -> None:
    known = ROWS[name][:20]
    unknown = [made._replace(answer=None) for made in known]
    world = make_world(tmp_path / "bin", encoder, {name: {"train": known, "test": unknown}})
    corpus, labels = world.bundle.corpus(name), world.bundle.labels[name]
    train, test = (open_corpus(world.folder, corpus, split, labels) for split in ("train", "test"))
    assert (train.answered, test.answered or name == "span") == (True, name == "span")
    for number in range(len(known)):
        assert [ids.tolist() for ids in train[number].texts] == [ids.tolist() for ids in test[number].texts]
        assert test.example(number) == unknown[number]
        assert not {"label"} & set(test[number].arrays)


def test_the_number_of_workers_changes_no_byte(world: World, encoder: TextEncoder, tmp_path: Path) -> None:
    other = make_world(tmp_path / "bin", encoder, ROWS, workers=2)
    files = sorted(path.relative_to(world.folder) for path in world.folder.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(other.folder) for path in other.folder.rglob("*") if path.is_file())
    for file in files:
        if file.name not in ("manifest.json", "corpora.yaml"):  # the manifest names the raw files
            assert (world.folder / file).read_bytes() == (other.folder / file).read_bytes(), file


@pytest.mark.parametrize("name", CORPORA)
def test_a_block_is_its_rows_end_to_end(encoder: TextEncoder, name: str) -> None:
    corpus, made = make_reading(name, encoder).corpus, examples(name, 20)
    storage = kind_named(corpus.kind).storage
    rows = storage.encode(corpus, made, encoder)
    block = storage.encode_block(corpus, ExampleBlock.of(made), encoder)
    columns = [[row.texts[i] for row in rows] for i in range(len(rows[0].texts))]
    if storage.has_members:
        columns.append([member for row in rows for member in row.members])
        assert block.counts.tolist() == [len(row.members) for row in rows]
    columns += [[row.arrays[array] for row in rows] for array in storage.arrays]
    found = [*block.inputs, *(block.arrays[array] for array in storage.arrays)]
    for ragged, column in zip(found, columns, strict=True):
        assert ragged.lengths.tolist() == list(map(len, column))
        assert ragged.flat.tolist() == [number for ids in column for number in ids.tolist()]
        ended = ragged.with_end(2)
        assert ended.flat.tolist() == [number for ids in column for number in (*ids.tolist(), 2)]
        assert ended.lengths.tolist() == [len(ids) + 1 for ids in column]
    sizes = measure_rows(rows)
    assert block.sizes().texts.tolist() == sizes.texts.tolist()
    assert block.sizes().starts.tolist() == sizes.starts.tolist()
