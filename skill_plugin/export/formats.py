"""The formats of exports, and what each can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.errors import InputError
from skill_plugin.export.written import Written


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        what: it in a few words.
        dtypes: types that its weights can have, the usual one first.
        quantized: types that its matrices alone can have.
        has_decoder: whether it can hold a model that answers with texts.
        library: the tag of models of its kind on the Hugging Face hub.
        write: writes a corpus's part of a trained model into an empty folder, with weights of a type.
    """

    what: str
    dtypes: tuple[str, ...]
    library: str
    write: Callable[[Checkpoint, str, Path, str], Written]
    quantized: tuple[str, ...] = ()
    has_decoder: bool = False


def _write_huggingface(trained: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    sliced = take_slice(trained, corpus)
    if trained.bundle.is_text_to_text:
        from skill_plugin.export.huggingface.mt5.write import write_mt5_folder

        return write_mt5_folder(sliced, corpus, folder, dtype)
    from skill_plugin.export.huggingface.write import write_hub_folder

    return write_hub_folder(sliced, corpus, folder, dtype)


def _write_fairseq(trained: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    from skill_plugin.export.fairseq.write import write_fairseq_folder

    return write_fairseq_folder(take_slice(trained, corpus), corpus, folder, dtype)


def _write_onnx(trained: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    if not (find_spec("onnx") and find_spec("onnxruntime")):  # neither is needed for anything else
        raise InputError("needs onnx and onnxruntime: pip install 'skill_plugin[export]'")
    from skill_plugin.export.onnx.write_onnx import write_onnx

    return write_onnx(trained, corpus, folder, dtype)


FORMATS: Mapping[str, Format] = {
    "huggingface": Format(
        "a folder that transformers' Auto classes load", ("float32", "float16", "bfloat16"), "transformers",
        _write_huggingface, has_decoder=True,
    ),
    "fairseq": Format(
        "a checkpoint that fairseq's own RoBERTa loads", ("float32", "float16"), "fairseq", _write_fairseq
    ),
    "onnx": Format(
        "a graph for ONNX Runtime, of any variant", ("float32", "float16"), "onnxruntime", _write_onnx,
        ("int8",),
    ),
}  # fmt: skip
