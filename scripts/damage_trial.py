#!/usr/bin/env python3
"""Damages files that are read, one at a time, and looks at what is made of them.

    python scripts/damage_trial.py [--trials 2000] [--seed 1] [--work DIR] [--verbose]

Small corpora of all kinds are made, prepared and trained on; then each trial flips a bit of a file, cuts the file, sets
a run of its bytes to zero or appends some, and reads it in a process of its own. What may come of it:

    same        the numbers of the whole file
    named       one line that names the file
    unnamed     a line that does not, or more than one
    changed     other numbers, in silence
    traceback   any other exception, a crash, or no end within a minute

Exit status 1 where something was unnamed or a traceback, or where something changed although the file has a checksum.
What others write (safetensors, SentencePiece), and a folder whose checksums are not looked at, has none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TIMEOUT = 60  # seconds
OUTCOMES = ("same", "named", "unnamed", "changed", "traceback")
DAMAGES = ("flip", "cut", "zero", "append")
TIMED = ("wps", "ups", "wall", "train_wall", "gb_free")


@dataclass(frozen=True)
class Target:
    """Files that are read together.

    Attributes:
        name: for the table.
        files: of which one is damaged in a trial.
        read: gives what depends on their content.
        checked: whether they have checksums.
    """

    name: str
    files: Sequence[Path]
    read: Callable[[], Any]
    checked: bool = True


def run(*command: object) -> None:
    """A Python program that must succeed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *map(str, command)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def training(work: Path, *more: object) -> list[str]:
    """The options of a run of one update."""
    options = {
        "--user-dir": ROOT / "skill_plugin", "--task": "multilingual_multitask", "--corpora": work / "corpora.yaml",
        "--only-corpora": ",".join(chosen(work)), "--arch": "dense_tiny", "--criterion": "multitask_cross_entropy",
        "--optimizer": "skill_adam", "--lr": 1e-3, "--batch-size": 4, "--num-workers": 0, "--log-format": "json",
        "--log-interval": 1, "--max-length": 32,
    }  # fmt: skip
    return [str(part) for part in (work / "data", *(one for pair in options.items() for one in pair), "--cpu", *more)]


def chosen(work: Path) -> list[str]:
    """One of the made corpora of each kind."""
    from skill_plugin.spec.corpora_file import read_corpora_file

    found: dict[str, str] = {}
    for name, corpus in read_corpora_file(work / "corpora.yaml").corpora.items():
        found.setdefault(corpus.kind, name)
    return list(found.values())


def make_files(work: Path) -> None:
    """Corpora, a data folder, a checkpoint, an adapter beside it, an encoder of others' and the same imported."""
    run(ROOT / "scripts/make_corpora", work, "--rows", 8, "--all-kinds")
    only = ("--only-corpora", ",".join(chosen(work)))
    tokenizer = ("--tokenizer", work / "sentencepiece.model")
    run("-m", "skill_plugin", "prepare", work / "corpora.yaml", work / "data", *tokenizer, *only)
    program = ("-m", "fairseq_cli.train")
    run(*program, *training(work, "--max-update", 1, "--save-dir", work / "base"))
    base = work / "base/checkpoint_last.pt"
    adapted = ("--init-from", base, "--lora-rank", 2, "--max-update", 1, "--save-dir", work / "adapted")
    run(*program, *training(work, *adapted))
    run("-m", "skill_plugin", "adapter", "extract", work / "adapted/checkpoint_last.pt", work / "adapter.pt")
    write_bert(work / "bert")
    run("-m", "skill_plugin", "import", work / "bert", work / "encoder.pt")


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


def targets(work: Path) -> list[Target]:
    """What is damaged."""
    from skill_plugin import api
    from skill_plugin.checkpoints.initial_weights import read_initial_weights
    from skill_plugin.cli.import_encoder import read_encoder
    from skill_plugin.inference.evaluation import evaluate
    from skill_plugin.text.tokenizer_files import open_tokenizer

    base, data, adapter = work / "base/checkpoint_last.pt", work / "data", work / "adapter.pt"
    resumed = ("--restore-file", base, "--max-update", 2, "--no-save")
    model = api.load(str(base))

    def scores(of: Any, verify: bool = True) -> Any:
        return evaluate(of, str(data), "valid", verify=verify).results.to_json()

    def weights_of(state: Any) -> str:
        digest = hashlib.sha256()
        for name, tensor in sorted(state.items()):
            digest.update(name.encode() + tensor.float().numpy().tobytes())
        return digest.hexdigest()

    def initial() -> Any:
        found = read_initial_weights(str(work / "encoder.pt"))
        return weights_of(found.state), None if found.text is None else found.text.fingerprint()

    def imported() -> Any:
        found = read_encoder(work / "bert")
        return weights_of(found.state), None if found.text is None else found.text.fingerprint()

    def pieces() -> Any:
        encoder = open_tokenizer(work / "sentencepiece.model")
        texts = (work / "corpora.yaml").read_text(encoding="utf-8").split("\n")
        return [one.ids.tolist() for one in encoder.encode_batch(texts)], encoder.vocabulary.symbols

    read = [path for path in sorted(data.rglob("*")) if path.is_file()]
    corpora = [path for path in read if path.parent not in (data, data / "text")]
    scored = [path for path in corpora if path.stem != "train"]
    trained = [path for path in read if "text" not in path.parts or path.stem != "train"]
    return [
        Target("data folder, evaluate", scored, lambda: scores(model)),
        Target("data folder, training", trained, lambda: train(work, "--max-update", 1, "--no-save")),
        Target("checkpoint, evaluate", [base], lambda: scores(api.load(str(base)))),
        Target("checkpoint, resumed", [base], lambda: train(work, *resumed)),
        Target("adapter, evaluate", [adapter], lambda: scores(api.load(str(base), adapter=str(adapter)))),
        Target("imported encoder", [work / "encoder.pt"], initial),
        Target("without checksums, evaluate", scored, lambda: scores(model, verify=False), checked=False),
        Target("safetensors", [work / "bert/model.safetensors"], imported, checked=False),
        Target("SentencePiece", [work / "sentencepiece.model"], pieces, checked=False),
    ]  # fmt: skip


def train(work: Path, *more: object) -> Any:
    """The numbers that a run logs."""
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf
    from fairseq_cli.train import main

    logged: list[dict[str, Any]] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if text.startswith("{"):
                logged.append({key: value for key, value in json.loads(text).items() if not key.endswith(TIMED)})

    for name in ("train_inner", "train", "valid"):
        logging.getLogger(name).addHandler(Collect())
    line = training(work, *more, "--save-dir", work / "unused")
    main(convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), line)))
    return logged


def damaged(content: bytes, kind: str, chance: random.Random) -> bytes:
    """Other bytes than the file's."""
    at, length = chance.randrange(len(content)), chance.randint(1, 64)
    if kind == "flip":
        return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
    if kind == "cut":
        return content[:at]
    if kind == "zero":
        return content[:at] + bytes(min(length, len(content) - at)) + content[at + length :]
    return content + chance.randbytes(length)


def outcome(read: Callable[[], Any]) -> tuple[str, str]:
    """What reading gives, in a process of its own: ``numbers``, ``message`` or ``traceback``, and its text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w", encoding="utf-8", errors="replace") as out:
            json.dump(_read(read), out)
        os._exit(0)
    os.close(writer)
    text = b""
    while select.select([reader], [], [], TIMEOUT)[0]:
        part = os.read(reader, 1 << 16)
        text += part
        if not part:
            break
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if not text:
        return "traceback", f"no answer: status {status}"
    kind, found = json.loads(text)
    return kind, found


def _read(read: Callable[[], Any]) -> tuple[str, str]:
    from skill_plugin.errors import InputError

    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        try:
            return "numbers", json.dumps(read(), sort_keys=True)
        except InputError as error:
            return "message", str(error)
        except BaseException:  # noqa: BLE001 - whatever it is, it is what the trial looks for
            return "traceback", traceback.format_exc()


def trial(target: Target, file: Path, kind: str, whole: str, chance: random.Random) -> tuple[str, str]:
    """One of ``OUTCOMES`` for one damage, and its text."""
    content = file.read_bytes()
    changed = damaged(content, kind, chance)
    if changed == content:
        return "same", ""
    file.unlink()  # not through the link that dictionaries are
    file.write_bytes(changed)
    try:
        found, text = outcome(target.read)
    finally:
        file.write_bytes(content)
    if found == "numbers":
        return ("same" if text == whole else "changed"), ""
    if found == "message":
        return ("named" if str(file) in text and "\n" not in text else "unnamed"), text
    return found, text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help="where the files are made, and kept for the next call")
    parser.add_argument("--verbose", action="store_true", help="print every outcome but the first two")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (asked.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        if not (work / "encoder.pt").exists():
            make_files(work)
        return report(trials(work, asked.trials, asked.seed, asked.verbose))


def trials(work: Path, count: int, seed: int, verbose: bool) -> dict[tuple[str, bool], Counter[str]]:
    """Outcomes by target, and whether that has checksums; targets and kinds of damage take turns."""
    import torch
    from fairseq_cli import train as _train  # noqa: F401 - before the first fork

    import skill_plugin.register  # noqa: F401

    torch.set_num_threads(1)
    chance, found = random.Random(seed), {}
    every = targets(work)
    whole = {}
    for target in every:
        kind, whole[target.name] = outcome(target.read)
        if kind != "numbers":
            sys.exit(f"{target.name}, undamaged: {whole[target.name]}")
        found[target.name, target.checked] = Counter[str]()
    for number in range(count):
        target, kind = every[number % len(every)], DAMAGES[number // len(every) % len(DAMAGES)]
        file = chance.choice([one for one in target.files if one.stat().st_size])
        result, text = trial(target, file, kind, whole[target.name], chance)
        found[target.name, target.checked][result] += 1
        if result in ("unnamed", "traceback") or (verbose and result == "changed"):
            print(f"{target.name}: {kind} {file}: {result}\n{text}", flush=True)
    return found


def report(found: dict[tuple[str, bool], Counter[str]]) -> int:
    """Prints the table; the exit status."""
    bad = 0
    print(f"{'':28}" + "".join(f"{outcome:>11}" for outcome in OUTCOMES))
    for (name, checked), counts in found.items():
        print(f"{name:28}" + "".join(f"{counts[outcome]:11,}" for outcome in OUTCOMES))
        bad += counts["unnamed"] + counts["traceback"] + (counts["changed"] if checked else 0)
    total = sum(found.values(), Counter[str]())
    print(f"{f'{total.total():,} trials':28}" + "".join(f"{total[outcome]:11,}" for outcome in OUTCOMES))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
