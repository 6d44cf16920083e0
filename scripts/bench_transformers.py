#!/usr/bin/env python3
"""transformers' side of bench.py: its Trainer with dynamic padding on the texts of a data folder; run by bench.py."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)


class Sentences(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """Tokenised sentences and pairs of all corpora with their labels, in the order of the corpora."""

    def __init__(self, tokenizer: Any, data: Path, corpora: list[str]) -> None:
        self.rows = []
        for corpus in corpora:
            labels = json.loads((data / corpus / "manifest.json").read_text())["labels"]
            for line in (data / corpus / "text" / "train.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
                row = json.loads(line)
                texts = row["texts"]
                encoded = tokenizer(*texts, truncation=True, max_length=128)
                self.rows.append({**encoded, "labels": labels.index(row["label"])})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoder")
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora")
    parser.add_argument("--updates", type=int, required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(arguments.encoder)
    sentences = Sentences(tokenizer, arguments.data, arguments.corpora.split(","))
    trainer = Trainer(
        model=AutoModelForSequenceClassification.from_pretrained(arguments.encoder, num_labels=2),
        args=TrainingArguments(
            arguments.work,
            max_steps=arguments.updates,
            per_device_train_batch_size=16,
            learning_rate=5e-5,
            use_cpu=True,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        ),
        train_dataset=sentences,
        data_collator=DataCollatorWithPadding(tokenizer),
    )
    metrics = trainer.train().metrics
    print(f"sentences a second: {16 * arguments.updates / metrics['train_runtime']:.3f}")


if __name__ == "__main__":
    main()
