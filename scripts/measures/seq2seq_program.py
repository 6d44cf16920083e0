"""transformers' Seq2SeqTrainer on the texts of a data folder, with a clock; started by ``text_to_text.py``.

    python seq2seq_program.py DATA REPORT --corpora a,b --batch 16 --clock WARM,TIMED,PROFILED [--size small] [--cuda]

The model is an mT5 with random weights of the same size as ours; it reads the same pieces, the names of the corpus and
of each text before them, and learns the label's. It trains as the thesis does: Adafactor with a constant rate of 1e-3,
on a GPU in bfloat16.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from transformers import (
    DataCollatorForSeq2Seq,
    MT5Config,
    MT5ForConditionalGeneration,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
)

from measures.made_data import TEXT_NAMES
from measures.trainer_program import Watch, read_arguments, read_tokenizer
from measures.update_clock import UpdateClock
from skill_plugin.variants.t5_shape import T5_SIZES

LONGEST = 128  # tokens, as ours


def read_rows(data: Path, corpus: str) -> Iterator[tuple[str, str]]:
    """Source and target of each training row."""
    for line in (data / corpus / "text" / "train.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        row = json.loads(line)
        named = zip(TEXT_NAMES, row["texts"], strict=False)
        yield f"{corpus}: {' '.join(f'{name}: {text}' for name, text in named)}", row["answer"]


def make_config(size: str, vocabulary: int, pad: int, end: int) -> MT5Config:
    """An mT5 as large as our model of that size."""
    shape = T5_SIZES[size]
    return MT5Config(
        vocab_size=vocabulary, d_model=shape.width, d_kv=shape.head_width, d_ff=shape.inner, num_layers=shape.layers,
        num_decoder_layers=shape.decoder_layers, num_heads=shape.heads, pad_token_id=pad, eos_token_id=end,
        decoder_start_token_id=pad,
    )  # fmt: skip


def main() -> None:
    given = read_arguments(__doc__)
    tokenizer = read_tokenizer(given.data)
    end = tokenizer.sep_token_id

    def pieces(text: str, most: int) -> list[int]:
        return [*tokenizer(text, add_special_tokens=False).input_ids[: most - 1], end]

    sentences = [
        {"input_ids": pieces(source, LONGEST), "labels": pieces(target, LONGEST)}
        for corpus in given.corpora.split(",")
        for source, target in read_rows(given.data, corpus)
    ]
    clock = UpdateClock(*map(int, given.clock.split(",")))
    model = MT5ForConditionalGeneration(make_config(given.size, len(tokenizer), tokenizer.pad_token_id, end))
    with tempfile.TemporaryDirectory() as folder:
        arguments = Seq2SeqTrainingArguments(
            folder, max_steps=clock.updates, per_device_train_batch_size=given.batch, learning_rate=1e-3,
            lr_scheduler_type="constant", optim="adafactor", max_grad_norm=0.0, use_cpu=not given.cuda, bf16=given.cuda,
            save_strategy="no", report_to=[], disable_tqdm=True,
        )  # fmt: skip
        Seq2SeqTrainer(
            model=model, args=arguments, train_dataset=sentences, callbacks=[Watch(clock, given.report)],
            data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        ).train()  # fmt: skip


if __name__ == "__main__":
    main()
