"""transformers' Trainer with dynamic padding on the texts of a data folder, with a clock; started by ``training.py``.

    python trainer_program.py DATA REPORT --corpora a,b --batch 16 --clock WARM,TIMED,PROFILED [--size base] [--cuda]

The model is a BERT with random weights of the same size as ours; on a GPU it trains in bfloat16 with fused AdamW.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tokenizers.processors import BertProcessing
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from measures.update_clock import UpdateClock

SIZES = {  # as ours
    "tiny": (2, 64, 2, 128), "small": (6, 384, 12, 1536), "minilm12": (12, 384, 12, 1536), "base": (12, 768, 12, 3072),
    "large": (24, 1024, 16, 4096),
}  # fmt: skip


def read_rows(data: Path, corpus: str) -> Iterator[tuple[list[str], int]]:
    """Texts and number of the label of each training row; all scores of a regression are the first: the cost is the
    same."""
    labels = json.loads((data / corpus / "manifest.json").read_text())["labels"] or []
    for line in (data / corpus / "text" / "train.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        row = json.loads(line)
        yield row["texts"], labels.index(row["answer"]) if row["answer"] in labels else 0


class Watch(TrainerCallback):
    """Writes the report when the last update begins."""

    def __init__(self, clock: UpdateClock, report: Path) -> None:
        self.clock, self.report = clock, report

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        found = self.clock.begin()
        if found is not None:
            self.report.write_text(json.dumps(found))


def read_tokenizer(data: Path) -> PreTrainedTokenizerFast:
    """The WordPiece tokenizer of a data folder."""
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(data / "text" / "tokenizer.json"), cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]",
        unk_token="[UNK]", mask_token="[MASK]",
    )  # fmt: skip
    ids = {name: tokenizer.convert_tokens_to_ids(name) for name in ("[SEP]", "[CLS]")}
    tokenizer.backend_tokenizer.post_processor = BertProcessing(*ids.items())
    return tokenizer


def make_config(size: str, vocabulary: int) -> BertConfig:
    """A BERT as large as our model of that size."""
    layers, width, heads, inner = SIZES[size]
    return BertConfig(
        vocab_size=vocabulary, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=inner, num_labels=3,
    )  # fmt: skip


def read_arguments(description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("data", type=Path)
    parser.add_argument("report", type=Path)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--clock", required=True)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--cuda", action="store_true")
    return parser.parse_args()


def main() -> None:
    given = read_arguments(__doc__)
    tokenizer = read_tokenizer(given.data)
    sentences = [
        {**tokenizer(*texts, truncation=True, max_length=128), "labels": label}
        for corpus in given.corpora.split(",")
        for texts, label in read_rows(given.data, corpus)
    ]
    clock = UpdateClock(*map(int, given.clock.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder, max_steps=clock.updates, per_device_train_batch_size=given.batch, learning_rate=5e-5,
            use_cpu=not given.cuda, bf16=given.cuda, save_strategy="no", report_to=[], disable_tqdm=True,
            optim="adamw_torch_fused",
        )  # fmt: skip
        Trainer(
            model=BertForSequenceClassification(make_config(given.size, len(tokenizer))), args=arguments,
            train_dataset=sentences, data_collator=DataCollatorWithPadding(tokenizer),
            callbacks=[Watch(clock, given.report)],
        ).train()  # fmt: skip


if __name__ == "__main__":
    main()
