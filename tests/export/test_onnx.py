"""Graphs that ONNX Runtime runs give what the trained model gives, from raw texts on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.data.request import Request
from skill_plugin.errors import InputError
from skill_plugin.export.examples import choose_examples
from skill_plugin.export.load_script import load_script
from skill_plugin.export.onnx import graph
from skill_plugin.export.onnx.write_onnx import write_onnx
from skill_plugin.export.parity import compare, raw_output
from skill_plugin.kinds.input_form import make_example
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import choose_template, find_tokenizer
from skill_plugin.variants.catalogue import MODELS, VARIANTS, Variant
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.lora_options import LoraOptions
from skill_plugin.variants.slots import Inventory, Slots, dense_slots
from tests.every_kind import CORPORA, examples, make_world


@pytest.mark.parametrize("name", CORPORA)
def test_every_kind_from_raw_texts(encoder: TextEncoder, name: str, tmp_path: Path) -> None:
    rows = examples(name, 12, words=30)
    model = make_world(tmp_path / "bin", encoder, {name: rows}, max_length=130 if name == "search" else 24).model()
    folder = tmp_path / "out"
    folder.mkdir()
    written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), name, folder, "float32")
    if name == "mlm":
        rows = [row._replace(texts=(f"{row.texts[0][:20]} <mask> und {row.texts[0]} <mask>",)) for row in rows]
    if name == "nsp":
        rows = [row._replace(texts=(row.texts * 2)[:2]) for row in rows]
    found = compare(model, name, written.exported, rows, "rows", "float32")
    assert found.good, found.to_line()
    assert found.examples == len(rows)
    if name == "mlm":
        assert written.scored is None
        return
    assert written.scored is not None
    items, scored = model.items(name), written.scored(model)
    request = Request(None, [sequence for row in items.encode(rows) for sequence in items.sequences(row)])
    ((_, ours),), ((_, theirs),) = model.outputs(name, [request]), scored.outputs(name, [request])
    torch.testing.assert_close(theirs, ours, atol=1e-4, rtol=1e-4)


def test_signs_that_become_several(encoder: TextEncoder, tmp_path: Path) -> None:
    """Each is a word, read as in the middle of a text: letters without a piece, a space and a mark, digits."""
    signs = ("ﷺ", "北", "¨", "½", "ŉ", "¨", "😀")
    rows = [make_example(("".join(signs),), words=tuple((at, at + 1) for at in range(len(signs))))]
    made = make_world(tmp_path / "bin", encoder, {"signs": examples("signs", 4)}, max_length=60)
    folder, model = tmp_path / "out", made.model()
    folder.mkdir()
    written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), "signs", folder, "float32")
    found = compare(model, "signs", written.exported, rows, "rows", "float32")
    assert found.good, found.to_line()


def test_three_texts(encoders: dict[str, TextEncoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = "{text_a: a, text_b: b, text_c: c, label: l}"
    keys = f"kind: classification, language: en, labels: [b, a], truncate: right, columns: {columns}"
    monkeypatch.setitem(CORPORA, "three", keys)
    rows = [row._replace(texts=(*row.texts, row.texts[0])) for row in examples("pair", 12, words=20)]
    model = make_world(tmp_path / "bin", encoders["sentencepiece"], {"three": rows}, max_length=24).model()
    folder = tmp_path / "out"
    folder.mkdir()
    written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), "three", folder, "float32")
    found = compare(model, "three", written.exported, rows, "rows", "float32")
    assert found.good, found.to_line()


@pytest.mark.parametrize(("origin", "name"), [("english", "span"), ("multilingual", "wic")])
def test_tokenizers_of_real_encoders(checkpoints: Path, origin: str, name: str, tmp_path: Path) -> None:
    source = find_tokenizer(checkpoints / origin)
    assert source is not None
    vocabulary, _ = source.arrange()
    encoder = TextEncoder(source.build(vocabulary), vocabulary, choose_template(source))
    rows = examples(name, 12)
    model = make_world(tmp_path / "bin", encoder, {name: rows}, max_length=40).model()
    folder = tmp_path / "out"
    folder.mkdir()
    written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), name, folder, "float32")
    rows, _ = choose_examples(model, name, None, 12)
    found = compare(model, name, written.exported, rows, "texts", "float32")
    assert found.good, found.to_line()


EXPERTS = ("mt_tag", "moe_top2", "mt_switch")


@pytest.mark.parametrize(
    ("variant", "more"),
    [
        ("dense", {}),
        ("skillnet", {}),
        ("skillnet_x_ffn", {"r4f": True}),
        ("skillnet_x_ffn_mha", {"skill_layers": 1}),
        ("mt_tag", {"skill_layers": None}),
        ("moe_top2", {}),
        ("moe_top2", {"experts": ExpertOptions(scale="rescaled")}),
        ("mt_switch", {}),
        ("ca_mtl", {"conditional": ConditionalOptions(length=8)}),
        ("ca_mtl", {"conditional": ConditionalOptions(full_block=True, form="large"), "skill_layers": None}),
        ("ca_mtl", {"conditional": ConditionalOptions(modules=("alignment",), separate_alignment=True)}),
        ("skillnet", {"lora": LoraOptions(rank=2), "linear_heads": True}),
    ],
)
def test_every_variant(encoders: dict[str, TextEncoder], variant: str, more: dict[str, Any], tmp_path: Path) -> None:
    """Sentences, of whose last layer only the first token is computed, and words; alone and in a batch."""
    rows = {name: examples(name, 12, words=30) for name in ("one", "tags")}
    bundle = {"variant": variant, "skill_layers": 1, **more}
    model = make_world(tmp_path / "bin", encoders["word_piece"], rows, max_length=40, **bundle).model()
    for name in rows:
        folder = tmp_path / name
        folder.mkdir()
        written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), name, folder, "float32")
        found = compare(model, name, written.exported, rows[name], "rows", "float32")
        assert found.good, found.to_line()
        assert (found.tie is not None and 0 < found.tie < 1) == (variant in EXPERTS)
    script = load_script(tmp_path / "one")
    texts = [row.texts[0] for row in rows["one"]]
    logits = script.run([script.encode(text) for text in texts])
    expected = torch.cat([raw_output(model, "one", row).answers[0] for row in rows["one"]])  # type: ignore[arg-type]
    torch.testing.assert_close(torch.from_numpy(logits), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("slot", "place"), [("attention", "attention"), ("norm", "a norm"), ("feed_forward", "a feed-forward network")]
)
def test_what_is_derived_from_a_known_module_is_none(
    encoders: dict[str, TextEncoder], slot: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slots(shape: EncoderShape, inventory: Inventory) -> Slots:
        plain = dense_slots(shape)

        def odd() -> Any:
            module = getattr(plain, slot)()
            module.__class__ = type("Odd", (type(module),), {})
            return module

        return replace(plain, **{slot: odd})

    monkeypatch.setitem(VARIANTS, "odd", Variant(slots=slots))
    monkeypatch.setitem(MODELS, "odd", VARIANTS["odd"])
    world = make_world(tmp_path / "bin", encoders["sentencepiece"], {"one": examples("one", 12)}, variant="odd")
    model = world.model()
    trained = Checkpoint(model.bundle, model.model.state_dict())
    with pytest.raises(InputError, match=f"'one' of odd: no graph is known for Odd in place of {place}$"):
        write_onnx(trained, "one", tmp_path, "float32")
    with pytest.raises(InputError, match=f"'one' of odd has no dense slice: Odd in place of {place} computes"):
        take_slice(trained, "one")


def test_weights_beside_the_graph(
    encoders: dict[str, TextEncoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "LARGEST", 1)
    rows = examples("one", 12)
    model = make_world(tmp_path / "bin", encoders["sentencepiece"], {"one": rows}).model()
    for dtype, allowed in (("float32", 1e-5), ("int8", 0.5)):
        folder = tmp_path / dtype
        folder.mkdir()
        written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), "one", folder, dtype)
        assert (folder / "model.onnx_data").exists() == (dtype == "float32")
        assert compare(model, "one", written.exported, rows, "rows", dtype).difference < allowed


def test_experts_in_eight_bits(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    """Of ten experts some get no token of a text."""
    rows, folder = [*examples("tags", 6), examples("tags", 1)[0]._replace(texts=("",), words=())], tmp_path / "out"
    model = make_world(tmp_path / "bin", encoders["word_piece"], {"tags": rows}, variant="moe_top2").model()
    folder.mkdir()
    written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), "tags", folder, "int8")
    found = compare(model, "tags", written.exported, rows, "rows", "int8")
    assert 1e-4 < found.difference < 2


def test_half_precision(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    rows = examples("one", 40)
    model = make_world(tmp_path / "bin", encoders["sentencepiece"], {"one": rows}).model()
    folder = tmp_path / "out"
    folder.mkdir()
    written = write_onnx(Checkpoint(model.bundle, model.model.state_dict()), "one", folder, "float16")
    assert 1e-5 < compare(model, "one", written.exported, rows, "rows", "float16").difference < 2e-2
    assert (folder / "model.onnx").stat().st_size < 2.5 * written.parameters
