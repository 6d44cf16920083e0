"""``serve`` under load of 200 clients over five corpora, over the same server with one request at a time.

Clients ask for one text of 20 tokens at a time, each over a connection of its own, and compare every answer with that
of ``predict``. Server and clients share the cores of the machine.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from measures.asked import Asked, Cases
from measures.figure import Figure, at_least
from measures.made_data import SPECIALS
from measures.runs import LONGEST, FailedRunError, environment
from skill_plugin import api
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.files.json_file import write_json
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape

LENGTH = 20  # tokens of a text, special tokens included
WORDS = 30_000
CORPORA = """\
languages: [en, de]
skills: {generic: made, sentence: made, interact: made, sentiment: made, token: made}
corpora:
  pairs-en: {kind: classification, language: en, skills: [generic, sentence, interact], labels: [yes-en, no-en],
             format: tsv, columns: {text_a: a, text_b: b, label: l}, test: none.tsv}
  pairs-de: {kind: classification, language: de, skills: [generic, sentence, interact], labels: [yes-de, no-de],
             format: tsv, columns: {text_a: a, text_b: b, label: l}, test: none.tsv}
  reviews-en: {kind: classification, language: en, skills: [generic, sentence, sentiment], labels: [good-en, bad-en],
               format: tsv, columns: {text_a: a, label: l}, test: none.tsv}
  reviews-de: {kind: classification, language: de, skills: [generic, sentence, sentiment], labels: [good-de, bad-de],
               format: tsv, columns: {text_a: a, label: l}, test: none.tsv}
  names-en: {kind: labelling, language: en, skills: [generic, token], labels: [O, B-PER, I-PER], format: conll,
             columns: {token: 0, tag: 1}, test: none.conll}
"""


def under_load(asked: Asked) -> Iterator[Figure]:
    """The server as it is, then one request at a time."""
    clients, seconds = (20, 2.0) if asked.tiny else (200, 60.0)
    with tempfile.TemporaryDirectory(prefix="bench-") as made:
        folder = Path(made)
        checkpoint = make_model(asked, folder)
        write_json(folder / "questions.json", make_questions(checkpoint, asked, 50 if asked.tiny else 400))
        found = {}
        for name, options in {"together": [], "alone": ["--max-batch", "1"]}.items():
            found[name] = ask_server(folder, [*options, "--device", asked.device], clients, seconds)
    rates = {name: one["answers"] / one["seconds"] for name, one in found.items()}
    if wrong := sum(one["wrong"] + one["lost"] for one in found.values()):
        raise FailedRunError(f"{wrong:,} requests had no answer or another one's")
    details: dict[str, float] = {"clients": clients}
    for name, one in found.items():
        times = np.array(one["times"]) * 1e3
        details |= {f"{name}_a_second": rates[name], f"{name}_answers": one["answers"]}
        details |= {f"{name}_p{share}_ms": float(np.percentile(times, share)) for share in (50, 99)}
    yield Figure(
        rates["together"] / rates["alone"],
        f"answers a second of `serve` to {clients} clients over five corpora, {LENGTH} tokens each, over --max-batch 1",
        at_least(3),
        details=details,
    )


def make_model(asked: Asked, folder: Path) -> Path:
    """A checkpoint with random weights; its file."""
    pieces = [*SPECIALS, *(f"w{number}" for number in range(500 if asked.tiny else WORDS))]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    encoder = open_tokenizer(folder / "vocab.txt")
    size = SIZES["tiny" if asked.tiny else asked.size or "minilm12"]
    shape = EncoderShape(size.layers, size.width, size.heads, size.inner, len(encoder.vocabulary), token_types=2)
    labels = {
        "pairs-en": ("yes-en", "no-en"), "pairs-de": ("yes-de", "no-de"), "reviews-en": ("good-en", "bad-en"),
        "reviews-de": ("good-de", "bad-de"), "names-en": ("O", "B-PER", "I-PER"),
    }  # fmt: skip
    facts: dict[str, dict[str, Any]] = {name: {} for name in labels} | {"names-en": {"scheme": "bio"}}
    torch.manual_seed(0)
    bundle = Bundle("skillnet_x_ffn_mha", shape, CORPORA, "corpora.yaml", labels, facts, 128, encoder.to_state())
    save_checkpoint(Checkpoint(bundle, build_model(bundle).state_dict()), folder / "model.pt")
    return folder / "model.pt"


def make_questions(checkpoint: Path, asked: Asked, number: int) -> list[dict[str, Any]]:
    """So many for each corpus: what is posted, and what ``predict`` says."""
    model, random = api.load(str(checkpoint), asked.device), np.random.default_rng(0)
    found = []
    for corpus in model.corpora:
        texts = len(model.bundle.corpus(corpus).columns or ()) if corpus.startswith("pairs") else 1
        words = LENGTH - 3 if corpus.startswith("pairs") else LENGTH - 2
        inputs: list[Any] = []
        for _ in range(number):
            drawn = [f"w{word}" for word in random.integers(0, 500 if asked.tiny else WORDS, words)]
            half = words // 2
            inputs.append([" ".join(drawn[:half]), " ".join(drawn[half:])] if texts > 1 else " ".join(drawn))
        answers = [one.to_json() for one in model.predict(corpus, inputs)]
        found += [
            {"corpus": corpus, "input": one, "answer": answer} for one, answer in zip(inputs, answers, strict=True)
        ]
    return found


def ask_server(folder: Path, options: list[str], clients: int, seconds: float) -> dict[str, Any]:
    """What ``load_program.py`` tells of a server with these options.

    Raises:
        FailedRunError: either failed.
    """
    start = [sys.executable, "-m", "skill_plugin", "serve", str(folder / "model.pt"), "--port", "0", *options]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment()}
    with subprocess.Popen(start, **streams) as server:  # type: ignore[call-overload]
        try:
            ready = server.stderr.readline()
            if " at http://" not in ready:
                raise FailedRunError(f"the server did not start: {ready}{server.stderr.read()}")
            load = Path(__file__).with_name("load_program.py")
            port = ready.strip().rpartition(":")[2]
            arguments = [port, str(folder / "questions.json"), str(clients), str(seconds)]
            done = subprocess.run(
                [sys.executable, str(load), *arguments], capture_output=True, text=True, timeout=LONGEST, check=False
            )
            if done.returncode:
                raise FailedRunError(f"the clients failed:\n{done.stderr[-3000:]}")
        finally:
            server.send_signal(signal.SIGTERM)
    if server.returncode:
        raise FailedRunError(f"the server ended with {server.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def cases(asked: Asked) -> Cases:
    return {"serve": partial(under_load, asked)}
