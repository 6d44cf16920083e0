"""The files that are damaged: corpora, a data folder, checkpoints, encoders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def make_files(work: Path) -> None:
    """Corpora, a data folder, a checkpoint, an adapter beside it, an encoder of others' and the same imported."""
    run(ROOT / "scripts/make_corpora", work, "--rows", 8, "--all-kinds")
    only = ("--only-corpora", ",".join(choose_corpora(work)))
    tokenizer = ("--tokenizer", work / "sentencepiece.model")
    run("-m", "skill_plugin", "prepare", work / "corpora.yaml", work / "data", *tokenizer, *only)
    program = ("-m", "fairseq_cli.train")
    run(*program, *training_options(work, "--max-update", 1, "--save-dir", work / "base"))
    base = work / "base/checkpoint_last.pt"
    adapted = ("--init-from", base, "--lora-rank", 2, "--max-update", 1, "--save-dir", work / "adapted")
    run(*program, *training_options(work, *adapted))
    run("-m", "skill_plugin", "adapter", "extract", work / "adapted/checkpoint_last.pt", work / "adapter.pt")
    write_bert(work / "bert")
    run("-m", "skill_plugin", "import", work / "bert", work / "encoder.pt")
    write_raw(work / "raw")


def run(*command: object) -> None:
    """A Python program that must succeed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *map(str, command)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def training_options(work: Path, *more: object) -> list[str]:
    """The options of a run of one update."""
    options = {
        "--user-dir": ROOT / "skill_plugin", "--task": "multilingual_multitask", "--corpora": work / "corpora.yaml",
        "--only-corpora": ",".join(choose_corpora(work)), "--arch": "dense_tiny",
        "--criterion": "multitask_cross_entropy", "--optimizer": "skill_adam",
        "--lr": 1e-3, "--batch-size": 4, "--num-workers": 0, "--log-format": "json",
        "--log-interval": 1, "--max-length": 32,
    }  # fmt: skip
    return [str(part) for part in (work / "data", *(one for pair in options.items() for one in pair), "--cpu", *more)]


def choose_corpora(work: Path) -> list[str]:
    """One of the made corpora of each kind."""
    from skill_plugin.spec.corpora_file import read_corpora_file

    found: dict[str, str] = {}
    for name, corpus in read_corpora_file(work / "corpora.yaml").corpora.items():
        found.setdefault(corpus.kind, name)
    return list(found.values())


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), path, write_page_checksum=True)


def write_arrow(path: Path, rows: list[dict[str, Any]]) -> None:
    import pyarrow as pa

    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)


def write_xlsx(path: Path, rows: list[dict[str, Any]]) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for cells in ([*rows[0]], *([*row.values()] for row in rows)):
        book.active.append(cells)
    book.save(path)


def write_zstd(path: Path, rows: list[dict[str, Any]]) -> None:
    from backports import zstd

    with zstd.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)


RAW: dict[str, tuple[str, Callable[[Path, list[dict[str, Any]]], None]]] = {
    "parquet": ("parquet", write_parquet),
    "arrow": ("arrow", write_arrow),
    "xlsx": ("xlsx", write_xlsx),
    "jsonl.zst": ("jsonl", write_zstd),
}  # end of a file's name -> its format, and what writes it


def write_raw(folder: Path) -> None:
    """The same rows in every raw format that is no text, with a corpora file that reads them."""
    folder.mkdir(exist_ok=True)
    rows = [{"text": f"text {number} of these é", "label": "ab"[number % 2]} for number in range(40)]
    lines = ["languages: [en]", "skills: {generic: on}", "corpora:"]
    for number, (end, (format_, write)) in enumerate(RAW.items()):
        write(folder / f"rows.{end}", rows)
        keys = f"kind: classification, language: en, format: {format_}, train: rows.{end}"
        lines.append(f"  c{number}: {{{keys}, columns: {{text_a: text, label: label}}}}")
    (folder / "corpora.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_bert(folder: Path) -> None:
    """A small BERT with random weights, as a Hugging Face folder."""
    import torch
    from safetensors.torch import save_file

    width, inner, layers = 16, 32, 2
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    maps = {"attention.self.query": (width, width), "attention.self.key": (width, width),
            "attention.self.value": (width, width), "attention.output.dense": (width, width),
            "intermediate.dense": (inner, width), "output.dense": (width, inner)}  # fmt: skip
    norms = ["embeddings.LayerNorm"]
    sizes: dict[str, tuple[int, ...]] = {"embeddings.word_embeddings.weight": (len(vocabulary), width),
             "embeddings.position_embeddings.weight": (64, width),
             "embeddings.token_type_embeddings.weight": (2, width)}  # fmt: skip
    for layer in (f"encoder.layer.{number}" for number in range(layers)):
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for name, size in maps.items():
            sizes |= {f"{layer}.{name}.weight": size, f"{layer}.{name}.bias": size[:1]}
    for name in norms:
        sizes |= {f"{name}.weight": (width,), f"{name}.bias": (width,)}
    folder.mkdir(exist_ok=True)
    generator = torch.Generator().manual_seed(1)
    save_file(
        {name: torch.randn(size, generator=generator) for name, size in sizes.items()}, folder / "model.safetensors"
    )
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    config = {"model_type": "bert", "num_hidden_layers": layers, "hidden_size": width, "num_attention_heads": 2,
              "intermediate_size": inner, "vocab_size": len(vocabulary), "max_position_embeddings": 64}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
