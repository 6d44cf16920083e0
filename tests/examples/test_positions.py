"""Where answers and words are in the texts of the collection, as the data's README says of them."""

from __future__ import annotations

from pathlib import Path

from skill_plugin.spec import CorporaFile
from tests.examples import direct
from tests.examples.conftest import Read


def test_answers_of_every_span_corpus_are_at_their_offsets(read: Read, collection: dict[str, CorporaFile]) -> None:
    corpora = [("qa", name) for name in collection["qa"].corpora] + [("superglue", "record-32")]
    for corpus in corpora:
        absent = 0
        for example in read(*corpus):
            assert example.answer
            for start, text in example.answer:  # type: ignore[misc]
                absent += start < 0
                assert start < 0 or example.texts[1].startswith(text, start)
        assert absent == (21 if corpus[1] == "cmrc2018" else 0), corpus  # 28 with those that repeat another's text


def test_span_ends_of_mrqa_and_record_are_inclusive(raw: Path, read: Read) -> None:
    found = {example.id: example.answer for example in read("qa", "newsqa-sample")}
    for context, question in direct.questions(raw / "mrqa-newsqa-sample/NewsQA_sample.jsonl"):
        spans = [span for answer in question["detected_answers"] for span in answer["char_spans"]]
        assert found[question["qid"]] == tuple((first, context[first : last + 1]) for first, last in spans)
    rows = [(row, qa) for row in direct.objects(raw / "fewglue/ReCoRD/train.jsonl") for qa in row["qas"]]
    for (row, qa), example in zip(rows, read("superglue", "record-32"), strict=True):
        text = row["passage"]["text"]
        assert example.answer == tuple((a["start"], text[a["start"] : a["end"] + 1]) for a in qa["answers"])
        assert "@placeholder" in example.texts[0]


def test_words_in_context(raw: Path, read: Read) -> None:
    for example, row in zip(read("superglue", "wic-32"), wic_rows(raw), strict=True):
        assert example.spans == ((0, row["start1"], row["end1"]), (1, row["start2"], row["end2"]))
    rows = direct.objects(raw / "fewglue/WSC/train.jsonl") + direct.objects(raw / "superglue-val/WSC/val.jsonl")
    other = 0
    for example, row in zip(read("superglue", "wsc-32"), rows, strict=True):
        for (_, start, end), number in zip(example.spans, ("1", "2"), strict=True):
            word, text = row["target"][f"span{number}_text"], example.texts[0]
            at_offset = len(text.split()[: row["target"][f"span{number}_index"]])
            assert len(text[:start].split()) in (at_offset, at_offset + 1)  # the word may begin within a token
            other += text[start:end].casefold() != word.strip().casefold()
    assert other == 1  # "it" is at the index of "use" in the source
    for name in ("train_few_all", "dev_few_all", "test_public"):
        rows_zh = direct.objects(raw / f"fewclue-cluewsc/{name}.json")
        texts = {row["text"]: row["target"] for row in rows_zh}
        assert len(texts) > 50
    for example in read("word-in-context", "cluewsc"):
        assert all(example.texts[0][start:end].strip() for _, start, end in example.spans)
    first = direct.objects(raw / "fewclue-cluewsc/train_few_all.json")[0]["target"]
    spans = read("word-in-context", "cluewsc")[0].spans
    assert [read("word-in-context", "cluewsc")[0].texts[0][start:end] for _, start, end in spans] == [
        first["span1_text"],
        first["span2_text"],
    ]


def wic_rows(raw: Path) -> list[dict[str, int]]:
    paths = ("fewglue/WiC/train.jsonl", "superglue-val/WiC/val.jsonl", "fewglue/WiC/unlabeled.jsonl")
    return [row for path in paths for row in direct.objects(raw / path)]
