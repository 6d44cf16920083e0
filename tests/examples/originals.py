"""Files under the names of original data sets, made of rows of the collection, or in their form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDERS = (
    "GLUE", "SUPERGLUE", "MRQA", "WNUT17", "HUB", "SCITAIL", "CLUE", "CHNSENTICORP", "CMRC", "SQUAD", "SQUAD_ES",
    "CONLL03", "WIKIANN", "ONTONOTES", "MARC", "CTKFACTS", "CMEDQA", "DBQA", "XNLI_MT", "XGLUE", "PAWSX", "SNLI",
)  # fmt: skip
SAME = {  # an original's file -> the collection's in the same form
    "GLUE/RTE/train.tsv": "rte/train.tsv", "GLUE/RTE/dev.tsv": "rte/dev.tsv",
    "GLUE/MRPC/train.tsv": "mrpc/msr_paraphrase_train.txt", "GLUE/MRPC/dev.tsv": "mrpc/msr_paraphrase_test.txt",
    "GLUE/CoLA/train.tsv": "cola/train.tsv", "GLUE/CoLA/dev.tsv": "cola/dev.tsv",
    "GLUE/QNLI/train.tsv": "qnli/train.tsv", "GLUE/QNLI/dev.tsv": "qnli/dev.tsv",
    "GLUE/WNLI/train.tsv": "wnli/train.tsv", "GLUE/WNLI/dev.tsv": "wnli/dev.tsv",
    "GLUE/MNLI/train.tsv": "mnli-kshot/16-13/train.tsv",
    "GLUE/MNLI/dev_matched.tsv": "mnli-kshot/16-13/dev_matched.tsv",
    "GLUE/MNLI/dev_mismatched.tsv": "mnli-kshot/16-42/dev_matched.tsv",
    "SUPERGLUE/CB/val.jsonl": "superglue-val/CB/val.jsonl", "SUPERGLUE/WiC/val.jsonl": "superglue-val/WiC/val.jsonl",
    "SUPERGLUE/WSC/val.jsonl": "superglue-val/WSC/val.jsonl", "SUPERGLUE/COPA/val.jsonl": "copa-en/val-en.jsonl",
    "CLUE/ocnli/train.50k.json": "ocnli/train.3k.json", "CLUE/ocnli/dev.json": "ocnli/dev.json",
    "CLUE/tnews/train.json": "tnews/train_few_all.json", "CLUE/tnews/dev.json": "tnews/dev_few_all.json",
    "CLUE/afqmc/train.json": "afqmc/train.json", "CLUE/afqmc/dev.json": "afqmc/dev.json",
    "CHNSENTICORP/train.tsv": "chnsenticorp/train.tsv", "CHNSENTICORP/dev.tsv": "chnsenticorp/dev.tsv",
    "CMRC/cmrc2018_train.json": "cmrc2018/cmrc2018_trial.json", "CMRC/cmrc2018_dev.json": "cmrc2018/cmrc2018_dev.json",
    "SQUAD/train-v1.1.json": "xquad-en/xquad.en.json", "SQUAD/dev-v1.1.json": "mlqa-en/dev-context-en-question-en.json",
    "SQUAD_ES/train-v1.1-es.json": "squad-es/train-v1.1-es_small.json",
    "SQUAD_ES/dev-v1.1-es.json": "squad-es/dev-v1.1-es_small.json",
    "WNUT17/wnut17train.conll": "wnut17/wnut17train.conll", "WNUT17/emerging.dev.conll": "wnut17/emerging.dev.conll",
}  # fmt: skip
MADE = {  # what the collection has in another form, or not at all: header, and a row with its number and its label
    "GLUE/STS-B": ("genre\tsentence1\tsentence2\tscore\n", "news\tone {0}\tanother {0}\t{1}.5\n", "04"),
    "GLUE/SST-2": ("sentence\tlabel\n", "a film {0}\t{1}\n", "01"),
    "GLUE/QQP": ("id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n", "{0}\t1\t2\twhy {0}?\twho {0}?\t{1}\n", "01"),
    "HUB": ("", '{{"text": "a film {0}", "label": {1}}}\n', "01"),
    "CONLL03": ("", "Bonn{0} NNP I-NP I-LOC\nwins{0} VBZ I-VP O\n{1} CD I-NP O\n\n", "01"),
    "WIKIANN": ("", "de:Bonn{0}\tB-LOC\nde:liegt{0}\tO\nde:{1}\tO\n\n", "01"),
    "ONTONOTES": ("", "北 B-LOC\n京 I-LOC\n好 O\n{0} O\n{1} O\n\n", "01"),
    "MARC": ("", '{{"review_body": "Gut {0}", "stars": "{1}"}}\n', "15"),
    "CTKFACTS": ("", '{{"id": {1}, "label": {1}, "evidence": "Dnes {0}", "claim": "Zítra {0}"}}\n', "02"),
    "CMEDQA": ("", "{1}\t头痛怎么办\t休息{0}\n", "01"),
    "DBQA": ("qid\ttext_a\ttext_b\tlabel\n", "1\t谁{0}\t他{0}\t{1}\n", "01"),
    "XNLI_MT": ("premise\thypo\tlabel\n", "one {0}\ttwo {0}\t{1}\n", ("entailment", "contradictory")),
    "XGLUE/XNLI": ("", "one {0}\ttwo {0}\t{1}\n", ("entailment", "contradiction")),
    "PAWSX": ("id\tsentence1\tsentence2\tlabel\n", "7\tone {0}\tone {0}\t{1}\n", "01"),
    "SNLI": ("", '{{"sentence1": "one {0}", "sentence2": "two", "gold_label": "{1}"}}\n', ("neutral", "-")),
    "SCITAIL": ("", "a premise {0}\ta hypothesis {0}\t{1}\n", ("entails", "neutral")),
}


def put(path: str, target: Path, raw: Path, copy: Callable[[Path, Path], object]) -> None:
    """A file of an original data set, by its path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    made = next((form for name, form in MADE.items() if path.startswith(name)), None)
    if path in SAME:
        copy(raw / SAME[path], target)
    elif path.startswith("SUPERGLUE/"):
        copy(raw / "fewglue" / path.split("/")[1] / "train.jsonl", target)
    elif path.startswith("MRQA/"):
        copy(raw / "mrqa-newsqa-sample/NewsQA_sample.jsonl", target)
    else:
        assert made is not None, path
        header, row, labels = made
        target.write_text(header + "".join(row.format(f"{target.stem}{n}", labels[n % 2]) for n in range(6)))


def put_all(
    corpora_files: Iterable[Path], folder: Path, raw: Path, copy: Callable[[Path, Path], object]
) -> dict[str, str]:
    """All that corpora files read, in ``folder``.

    Args:
        corpora_files: of original data sets.
        folder: where the folders of the data sets go.
        raw: the collection.
        copy: puts a file of the collection at a path.

    Returns:
        Variable of their paths -> its folder.
    """
    found = [place for file in corpora_files for place in re.findall(r"\$\{(\w+)\}/([^\s\",}]+)", file.read_text())]
    for name, path in sorted(set(found)):
        put(f"{name}/{path}", folder / name / path, raw, copy)
    return {name: str(folder / name) for name in FOLDERS}
