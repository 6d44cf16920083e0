"""tasknet on the texts of a data folder, with a clock; started by ``training.py`` in an environment of its own.

    python tasknet_program.py DATA REPORT --corpora a,b --batch 16 --clock WARM,TIMED,PROFILED [--size base] [--cuda]

Its options and its model are those of ``trainer_program.py``; a batch is of one corpus, as ours is.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import evaluate
from datasets import Dataset, DatasetDict
from transformers import BertForSequenceClassification

from measures.trainer_program import Watch, make_config, read_arguments, read_rows, read_tokenizer
from measures.update_clock import UpdateClock

evaluate.load = lambda *_, **__: None  # tasknet downloads metrics when it is imported; none is computed here
import tasknet  # noqa: E402


def make_task(data: Path, corpus: str) -> Any:
    """The training rows of a corpus; tasknet wants the other splits too, which nothing reads."""
    rows = [
        {f"s{i}": text for i, text in enumerate(texts)} | {"labels": label} for texts, label in read_rows(data, corpus)
    ]
    whole = Dataset.from_list(rows)
    splits = DatasetDict(train=whole, validation=whole.select([0]), test=whole.select([0]))
    return tasknet.Classification(splits, name=corpus, s1="s0", s2="s1", y="labels", num_labels=3)


def main() -> None:
    given = read_arguments(__doc__)
    tokenizer = read_tokenizer(given.data)
    clock = UpdateClock(*map(int, given.clock.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        BertForSequenceClassification(make_config(given.size, len(tokenizer))).save_pretrained(folder)
        options = {
            "model_name": folder, "max_length": 128, "output_dir": f"{folder}/out", "max_steps": clock.updates,
            "per_device_train_batch_size": given.batch, "learning_rate": 5e-5, "use_cpu": not given.cuda,
            "bf16": given.cuda, "eval_strategy": "no", "save_strategy": "no", "report_to": [], "disable_tqdm": True,
            "batched": True,
        }  # fmt: skip
        tasks = [make_task(given.data, corpus) for corpus in given.corpora.split(",")]
        model = tasknet.Model(tasks, options)
        trainer = tasknet.Trainer(model, tasks, options, tokenizer=tokenizer)
        trainer.add_callback(Watch(clock, given.report))
        trainer.train()


if __name__ == "__main__":
    main()
