"""transformers' Trainer with dynamic padding on the texts of a data folder, with a clock; started by ``training.py``.

    python trainer_program.py DATA REPORT --corpora a,b --batch 16 --clock WARM,TIMED,PROFILED [--size base] [--cuda]

The model is a BERT with random weights of the same size as ours; on a GPU it trains in bfloat16 with fused AdamW.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import torch
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

SIZES = {"tiny": (2, 64, 2, 128), "small": (6, 384, 12, 1536), "base": (12, 768, 12, 3072)}  # as ours


class Sentences(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """Tokenised sentences and pairs of all corpora with their labels, in the order of the corpora."""

    def __init__(self, tokenizer: Any, data: Path, corpora: list[str]) -> None:
        self.rows = []
        for corpus in corpora:
            labels = json.loads((data / corpus / "manifest.json").read_text())["labels"]
            for line in (data / corpus / "text" / "train.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
                row = json.loads(line)
                encoded = tokenizer(*row["texts"], truncation=True, max_length=128)
                label = row.get("label")  # the scores of a regression train as the first class: the cost is the same
                self.rows.append({**encoded, "labels": labels.index(label) if label in labels else 0})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]  # type: ignore[no-any-return]


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("report", type=Path)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--clock", required=True)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--cuda", action="store_true")
    given = parser.parse_args()
    tokenizer = read_tokenizer(given.data)
    sentences = Sentences(tokenizer, given.data, given.corpora.split(","))
    layers, width, heads, inner = SIZES[given.size]
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer), hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
            intermediate_size=inner, num_labels=3,
        )
    )  # fmt: skip
    clock = UpdateClock(*map(int, given.clock.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder, max_steps=clock.updates, per_device_train_batch_size=given.batch, learning_rate=5e-5,
            use_cpu=not given.cuda, bf16=given.cuda, save_strategy="no", report_to=[], disable_tqdm=True,
            optim="adamw_torch_fused",
        )  # fmt: skip
        Trainer(
            model=model, args=arguments, train_dataset=sentences, data_collator=DataCollatorWithPadding(tokenizer),
            callbacks=[Watch(clock, given.report)],
        ).train()  # fmt: skip


if __name__ == "__main__":
    main()
