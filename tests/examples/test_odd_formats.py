"""The notes on odd formats in the data's README, each held against what the collection reads."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_plugin.readers.example import Example
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import CorporaFile, parse_corpora_file
from tests.examples import direct

Read = Callable[[str, str], list[Example]]


def words_of(example: Example) -> list[str]:
    return [example.texts[0][start:end] for start, end in example.words]


@pytest.mark.parametrize("file", ["ner", "tagging"])
def test_words_and_tags_of_every_conll_file(
    raw: Path, collection: dict[str, CorporaFile], read: Read, file: str
) -> None:
    """Tab-only separators, tokens that are a quote or hold U+200B and U+FEFF, index columns, spaces, 3-4, 8.1."""
    sections = direct.written(direct.COLLECTION / f"{file}.yaml", raw)
    for name, corpus in collection[file].corpora.items():
        if corpus.format != "conll":
            continue
        token, tag = (1, 3) if name.startswith("pos-") else (corpus.columns["token"], corpus.columns["tag"])
        blocks = [block for split in corpus.sources for block in direct.blocks(sections[name][split])]
        examples = read(file, name)
        assert [words_of(example) for example in examples] == [[cells[token] for cells in block] for block in blocks]
        expected = [tuple("O" if cells[tag] == "-" else cells[tag] for cells in block) for block in blocks]
        assert [example.answer for example in examples] == expected
        joint = "" if corpus.language == "zh" else " "
        assert all(example.texts[0] == joint.join(words_of(example)) for example in examples)


def test_odd_tokens_of_wnut17_are_kept(raw: Path, read: Read) -> None:
    words = {word for example in read("ner", "wnut17") for word in words_of(example)}
    assert '"' in words
    assert any("\u200b" in word for word in words)
    assert any("\ufeff" in word for word in words)
    assert b"\n\t\n" in (raw / "wnut17/wnut17train.conll").read_bytes()
    tags = {tag for example in read("ner", "wnut17") for tag in example.answer}  # type: ignore[union-attr]
    assert "B-creative-work" in tags


def test_surface_forms_of_several_words_are_no_words(read: Read) -> None:
    words = [words_of(example) for example in read("tagging", "pos-de")]
    assert sum("im" in sentence for sentence in words) == 0  # 3-4 im, 3 in, 4 dem
    assert any(sentence[i : i + 2] == ["in", "dem"] for sentence in words for i in range(len(sentence)))


def test_characters_of_msra_are_between_bytes_0x02(raw: Path, read: Read) -> None:
    rows = [row for split in ("train", "dev") for row in direct.lines_of(raw / f"msra-ner/{split}.tsv")[1:]]
    for example, row in zip(read("ner", "msra-ner"), rows, strict=True):
        characters, tags = (cell.split("\x02") for cell in row.split("\t"))
        assert (words_of(example), example.answer) == (characters, tuple(tags))
        assert example.texts[0] == "".join(characters)


def test_entities_of_cluener_have_inclusive_ends(raw: Path, read: Read) -> None:
    rows = [row for split in ("train", "dev") for row in direct.objects(raw / f"cluener/{split}.json")]
    differ = []
    for example, row in zip(read("ner", "cluener"), rows, strict=True):
        assert example.texts == (row["text"],)
        expected = {
            (start, end + 1, name)
            for name, surfaces in row["label"].items()
            for spans in surfaces.values()
            for start, end in spans
        }
        found = {(start, end, name) for start, end, name in entities(example)}
        if found != expected:
            differ.append(example.line)
            assert found < expected
            for start, end, _ in expected - found:  # what is left out lies within something longer
                assert any(s < end and start < e and e - s > end - start for s, e, _ in found)
    assert differ == [1507]


def entities(example: Example) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for (start, end), tag in zip(example.words, example.answer, strict=True):  # type: ignore[arg-type]
        if str(tag).startswith("B-"):
            found.append((start, end, str(tag)[2:]))
        elif str(tag).startswith("I-"):
            found[-1] = (found[-1][0], end, found[-1][2])
    return found


def test_byte_order_mark_and_quotes_of_mrpc(raw: Path, read: Read) -> None:
    assert (raw / "mrpc/msr_paraphrase_train.txt").read_bytes().startswith(b"\xef\xbb\xbfQuality\t")
    examples = read("paraphrase", "mrpc")
    assert examples[0].texts[0].startswith("Amrozi accused his brother")
    assert examples[0].answer == "paraphrase"
    assert sum(text.count('"') % 2 for example in examples[:1800] for text in example.texts) == 122
    assert sum(text.startswith('"') for example in examples[:1800] for text in example.texts) == 343


def test_the_third_cell_of_cola_may_be_empty(raw: Path, read: Read) -> None:
    rows = [line.split("\t") for line in direct.lines_of(raw / "cola/train.tsv")]
    examples = read("acceptability", "cola")
    for example, row in zip(examples, rows, strict=False):
        assert example.texts == (row[3],)
        assert example.answer == ("acceptable" if row[1] == "1" else "unacceptable")
    assert sum(row[2] == "" for row in rows) == 2791 + 1  # and a mark is no label: one unacceptable row has none
    assert all(example.answer is None for example in read("acceptability", "cola-test"))


def test_csv_quotes_in_tab_files(raw: Path, read: Read) -> None:
    for file, name, paths, columns in (
        ("sentiment", "imdb", ("imdb-cad/train.tsv", "imdb-cad/dev.tsv"), (1,)),
        ("nli", "snli", ("snli-cad/train.tsv", "snli-cad/dev.tsv", "snli-cad/test.tsv"), (0, 1)),
        ("paraphrase", "pawsx-es", ("pawsx-es/dev-es.tsv", "pawsx-es/test-es.tsv"), (0, 1)),
        ("paraphrase", "pawsx-en", ("pawsx-en/dev-en.tsv", "pawsx-en/test-en.tsv"), (0, 1)),
    ):
        rows = []
        for path in paths:
            with (raw / path).open(encoding="utf-8", newline="") as stream:
                rows += list(csv.reader(stream, delimiter="\t"))[0 if file == "paraphrase" else 1 :]
        assert [example.texts for example in read(file, name)] == [tuple(row[i] for i in columns) for row in rows]
    assert not any('""' in example.texts[0] for example in read("sentiment", "imdb"))


def test_lone_quotes_are_text(raw: Path, read: Read) -> None:
    rows = direct.table(raw / "rte/train.tsv", True, "none", "\t")
    examples = read("nli", "rte")[: len(rows)]
    assert [example.texts for example in examples] == [(row["sentence1"], row["sentence2"]) for row in rows]
    assert sum(text.startswith('"') for example in examples for text in example.texts) == 33
    texts = [text for example in read("nli", "qnli") for text in example.texts]
    assert sum(text.count("\ufeff") for text in texts) == 3


def test_parallel_files_are_split_at_line_ends_only(raw: Path, read: Read) -> None:
    for language in ("en", "de", "es"):
        lines = [t for split in ("train", "val") for t in direct.lines_of(raw / f"umsab-{language}/{split}_text.txt")]
        assert [example.texts[0] for example in read("sentiment", f"umsab-{language}")] == lines
    text = "".join(example.texts[0] for example in read("sentiment", "umsab-de"))
    assert {"\u200b", "\ufffd", "\u00a0"} <= set(text)


def test_german_tweets_and_reviews(raw: Path, read: Read) -> None:
    tweets = read("sentiment", "germeval2018-fine")[:2500]
    assert sum("|LBR|" in example.texts[0] for example in tweets) == 470
    reviews = read("sentiment", "germeval2017-aspects")
    rows = [
        line.split("\t") for split in ("train", "dev") for line in direct.lines_of(raw / f"germeval2017/{split}.tsv")
    ]
    rows = [row for row in rows if row != [""]]
    for example, row in zip(reviews, rows, strict=True):
        assert example.texts == (row[1],)
        assert example.answer == tuple(dict.fromkeys(row[4].split(" "))) if len(row) == 5 else example.answer == ()
    assert any("\ufeff" in example.texts[0] for example in reviews)
    assert all(len(example.texts) == 3 for example in read("ranking", "xglue-qadsm-de"))


def test_numbers_of_intents_have_the_names_that_the_texts_mean(read: Read) -> None:
    intents = {example.texts[0]: example.answer for example in read("topic-intent", "massive-de-intent")}
    assert intents["weck mich am freitag um neun uhr auf"] == "alarm_set"
    assert intents["hey ich brauche jetzt kaffee"] == "iot_coffee"
    assert intents["bitte bestelle sushi zum abendessen"] == "takeaway_order"
    assert intents["buche mir ein taxi siri"] == "transport_taxi"
    assert intents["regnet es"] == "weather_query"


def test_cells_that_were_not_translated(read: Read) -> None:
    for language in ("de", "es", "zh"):
        assert any("NS" in example.texts for example in read("paraphrase", f"pawsx-{language}"))


def test_scores_with_seven_and_nine_cells(raw: Path, read: Read) -> None:
    rows = [line.split("\t") for line in direct.lines_of(raw / "stsb/sts-train.tsv")]
    assert {len(row) for row in rows} == {7, 9}
    examples = read("similarity", "stsb")[:2000]
    expected = [((row[5], row[6]), float(row[4])) for row in rows]
    assert [(example.texts, example.answer) for example in examples] == expected
    for language in ("de", "es", "zh"):
        with (raw / f"stsb-multi-mt-{language}/stsb-{language}-train.csv").open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))
        examples = read("similarity", f"stsb-{language}")[:1200]
        assert [(e.texts, e.answer) for e in examples] == [((row[0], row[1]), float(row[2])) for row in rows]


def test_labels_of_one_task_may_have_several_types(raw: Path, read: Read) -> None:
    kinds = {
        name: {type(row["label"]) for row in direct.objects(raw / path)}
        for name, path in (
            ("bool", "fewglue/BoolQ/train.jsonl"),
            ("text", "superglue-boolq/val.jsonl"),
            ("number", "fewglue/COPA/train.jsonl"),
        )
    }
    assert kinds == {"bool": {bool}, "text": {str}, "number": {int}}
    first = direct.objects(raw / "fewglue/BoolQ/train.jsonl")[0]
    assert read("superglue", "boolq-32")[0].answer == {True: "yes", False: "no"}[first["label"]]
    row, example = direct.objects(raw / "fewglue/COPA/train.jsonl")[1], read("superglue", "copa-32")[1]
    assert (example.texts, example.candidates) == (
        (row["premise"], row["question"]),
        (row["choice1"], row["choice2"]),
    )
    assert (row["label"], example.answer) == (1, (0, 1))
    tnews = direct.objects(raw / "tnews/train_few_all.json")
    assert {type(row["label"]) for row in tnews} == {int}
    assert [example.answer for example in read("topic-intent", "tnews")[:1185]] == [row["label_desc"] for row in tnews]


def test_answers_nested_in_questions_nested_in_passages(raw: Path, read: Read) -> None:
    rows = direct.objects(raw / "fewglue/MultiRC/train.jsonl")
    expected = [
        (row["passage"]["text"], question["question"], [(a["text"], a["label"]) for a in question["answers"]])
        for row in rows
        for question in row["passage"]["questions"]
    ]
    found = [
        (*example.texts, list(zip(example.candidates, example.answer, strict=True)))  # type: ignore[arg-type]
        for example in read("superglue", "multirc-32")
    ]
    assert found == expected


def test_scattered_candidates_and_strings_as_relevance(read: Read) -> None:
    cmedqa = read("ranking", "cmedqa")
    assert sum(len(example.candidates) for example in cmedqa) == 1070 + 427
    assert sum(not any(example.answer) for example in cmedqa[:110]) == 62  # type: ignore[arg-type]
    assert sum(sum(example.answer) > 1 for example in cmedqa[:110]) == 32  # type: ignore[arg-type]
    cmedir = read("ranking", "cmedir")
    assert {len(example.candidates) for example in cmedir} == {2}
    assert {relevance for example in cmedir for relevance in example.answer} == {0, 1, 2, 3}  # type: ignore[union-attr]


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


def test_the_template_of_contrast_sets_is_no_row(raw: Path, read: Read) -> None:
    entries = json.loads((raw / "boolq-contrast/boolq_perturbed.json").read_text(encoding="utf-8"))["data"][1:]
    expected = [
        ((entry["paragraph"], row["perturbed_q"]), {"TRUE": "yes", "FALSE": "no"}[row["answer"]])
        for entry in entries
        for row in entry["perturbed_questions"]
        if row["answer"]
    ]
    assert [(example.texts, example.answer) for example in read("superglue", "boolq-contrast")] == expected


def test_both_languages_of_one_file(raw: Path, read: Read) -> None:
    rows = direct.table(raw / "meta4xnli/train_met.tsv", True, "none", "\t")
    for language in ("en", "es"):
        expected = [(row["sentence1"], row["sentence2"]) for row in rows if row["language"] == language]
        assert [example.texts for example in read("nli", f"meta4xnli-{language}-met")] == expected


def test_evidence_is_a_list_of_lists(raw: Path, read: Read) -> None:
    rows = [row for split in ("train", "dev") for row in direct.objects(raw / f"ctkfacts-cs/{split}.jsonl")]
    expected = [(row["claim"], evidence[0]) for row in rows for evidence in row["evidence"]]
    assert [example.texts for example in read("nli", "ctkfacts-cs")] == expected
    assert sum(len(evidence) > 1 for row in rows for evidence in row["evidence"]) == 55
    assert len(expected) == 496


def test_labelled_sets_repeat_unlabelled_tests(read: Read) -> None:
    unlabelled = [example for example in read("nli", "xnli-zh") if example.answer is None]
    assert [e.texts for e in unlabelled] == [e.texts for e in read("nli", "xnli-zh-labelled")[:60]]
    unlabelled = [example for example in read("paraphrase", "pawsx-de") if example.answer is None]
    assert [e.texts for e in unlabelled] == [e.texts for e in read("paraphrase", "pawsx-de-labelled")[:60]]
    pairs = list(zip(read("sentiment", "sst2")[4000:], read("sentiment", "sst2-glue"), strict=True))
    assert all(a.answer == b.answer for a, b in pairs)
    assert sum(letters(a.texts[0]) == letters(b.texts[0]) for a, b in pairs) > 850  # accents differ in the others
    assert {e.texts + e.candidates for e in read("superglue", "copa-32")[:32]} <= {
        e.texts + e.candidates for e in read("superglue", "copa")[:400]
    }


def letters(text: str) -> str:
    """Without brackets, points and hyphens, which the two forms of SST-2 write in their own ways."""
    return re.sub(r"\W|\b[lr]rb\b", "", text)


def test_raw_text(raw: Path, read: Read) -> None:
    articles = direct.objects(raw / "wikipedia-en-mtdnn/mlm_train.json")
    assert [example.texts[0] for example in read("raw-text", "mlm-wikipedia-en")] == [row["text"] for row in articles]
    for example, row in zip(read("raw-text", "nsp-wikipedia-en"), articles, strict=True):
        assert "".join("".join(example.texts).split()) == "".join(row["text"].split())
        assert example.texts[0] == row["title"]
    for pair, language in (("deu", "de"), ("spa", "es"), ("cmn", "zh"), ("ces", "cs")):
        for side, name in ((pair, f"mlm-tatoeba-{language}"), ("eng", f"mlm-tatoeba-{language}-en")):
            lines = direct.lines_of(raw / f"tatoeba/tatoeba.{pair}-eng.{side}")
            assert [example.texts[0] for example in read("raw-text", name)] == lines
    treebanks = {
        "en": "ud-en-gum/en_gum",
        "de": "ud-de-gsd/de_gsd",
        "es": "ud-es-gsd/es_gsd",
        "zh": "ud-zh-gsdsimp/zh_gsdsimp",
    }
    for language, path in treebanks.items():
        text = direct.text_of(raw / f"{path}-ud-dev.conllu")
        comments = [match.strip() for match in re.findall("^# text = (.*)$", text, re.MULTILINE)]
        assert [example.texts[0] for example in read("raw-text", f"mlm-ud-{language}")] == comments
    documents = read("raw-text", "nsp-ud-en")
    text = direct.text_of(raw / "ud-en-gum/en_gum-ud-dev.conllu")
    assert len(documents) == len(re.findall("^# newdoc", text, re.MULTILINE))
    assert [s for d in documents for s in d.texts] == [e.texts[0] for e in read("raw-text", "mlm-ud-en")]


@pytest.mark.parametrize(
    ("file", "corpus", "old", "new", "messages"),
    [
        ("paraphrase", "qqp", "skip", "error", ["qqp/train.tsv:1: 5 cells; expected 6, as 999 of the first 1,000"]),
        (
            "sentiment",
            "germeval2017-sentiment",
            "skip",
            "error",
            ["germeval2017/train.tsv:101: a blank line; expected"],
        ),
        (
            "superglue",
            "boolq-contrast",
            "on_bad_row: skip",
            "on_bad_row: error",
            ["boolq-contrast/boolq_perturbed.json:1: no label; expected one of: no, yes"] * 5,
        ),
        (
            "sentiment",
            "chnsenticorp",
            "quoting: none                      # one row",
            "quoting: csv  #",
            ["chnsenticorp/train.tsv:944: text follows the closing quote of a cell that runs over lines 944 to 1030"],
        ),
    ],
)
def test_what_is_not_read_is_refused_with_file_and_line(
    raw: Path, file: str, corpus: str, old: str, new: str, messages: list[str]
) -> None:
    """Without the option that leaves such rows out, as examples/corpora/README.md says."""
    path = direct.COLLECTION / f"{file}.yaml"
    head, mark, section = path.read_text(encoding="utf-8").partition(f"  {corpus}:")
    assert old in section
    changed = parse_corpora_file(head + mark + section.replace(old, new, 1), path)
    faults = [str(fault) for fault in CorpusReader(changed).read(changed.corpora[corpus]).faults]
    assert len(faults) == len(messages)
    for fault, message in zip(faults, messages, strict=True):
        assert fault.startswith(f"{raw}/{message}")


def test_dummy_labels_are_pointed_out(raw: Path) -> None:
    path = direct.COLLECTION / "superglue.yaml"
    valid = "${SKILL_DATA}/copa-en/val-en.jsonl\n"
    text = path.read_text(encoding="utf-8").replace(valid, valid + "    test: ${SKILL_DATA}/copa-en/test-en.jsonl\n", 1)
    file = parse_corpora_file(text, path)
    notices = [str(notice) for notice in CorpusReader(file).read(file.corpora["copa"]).splits["test"].notices]
    message = "queries whose right choice is number 0, as of all here (placeholders?): 60, the first one here"
    assert any(notice.endswith(message) for notice in notices)


def test_the_parts_of_xnli_mix_are_every_row_once(raw: Path, read: Read) -> None:
    """Each in its language: row n of all four files is the same pair, which exactly one corpus trains on."""
    found: Counter[int] = Counter()
    for language in ("en", "de", "es", "zh"):
        rows = direct.table(raw / f"xnli-{language}/dev-{language}.tsv", False, "none", "\t")
        train = read("xnli-mix", f"xnli-{language}")[:300]
        for example in train:
            row = rows[example.line - 1]
            assert (example.texts, example.answer) == ((row[0], row[1]), row[2])
        found.update(example.line for example in train)
    assert found == Counter(range(1, 1201))
