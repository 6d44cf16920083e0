"""Sets of files that are damaged, and how each is read."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from make_files import RAW, training_options

TIMED = ("wps", "ups", "wall", "train_wall", "gb_free")  # what runs log that differs each time


@dataclass(frozen=True)
class FileSet:
    """Files that are read together.

    Attributes:
        name: what the table calls it.
        files: the files; a trial damages one of them.
        read: reads them and gives what depends on their content.
        checked: whether they have checksums.
    """

    name: str
    files: Sequence[Path]
    read: Callable[[], Any]
    checked: bool = True


def list_file_sets(work: Path) -> list[FileSet]:
    """All sets of files that are damaged."""
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
        FileSet("data folder, evaluate", scored, lambda: scores(model)),
        FileSet("data folder, training", trained, lambda: train(work, "--max-update", 1, "--no-save")),
        FileSet("checkpoint, evaluate", [base], lambda: scores(api.load(str(base)))),
        FileSet("checkpoint, resumed", [base], lambda: train(work, *resumed)),
        FileSet("adapter, evaluate", [adapter], lambda: scores(api.load(str(base), adapter=str(adapter)))),
        FileSet("imported encoder", [work / "encoder.pt"], initial),
        FileSet("without checksums, evaluate", scored, lambda: scores(model, verify=False), checked=False),
        FileSet("safetensors", [work / "bert/model.safetensors"], imported, checked=False),
        FileSet("SentencePiece", [work / "sentencepiece.model"], pieces, checked=False),
        *(FileSet(f"raw {end}", [work / "raw" / f"rows.{end}"], rows_of(work / "raw", f"c{number}"), checked=False)
          for number, end in enumerate(RAW)),
    ]  # fmt: skip


def rows_of(folder: Path, name: str) -> Callable[[], Any]:
    """Reads the train split of a corpus; what it finds wrong with its file is raised, the first fault of it."""

    def read() -> Any:
        from skill_plugin.errors import InputError
        from skill_plugin.readers import read_split
        from skill_plugin.spec.corpora_file import read_corpora_file

        data = read_split(read_corpora_file(folder / "corpora.yaml").corpora[name], "train")
        if data.faults:
            raise InputError(str(data.faults[0]))
        return [(example.texts, example.answer) for example in data.examples]

    return read


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
    line = training_options(work, *more, "--save-dir", work / "unused")
    main(convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), line)))
    return logged
