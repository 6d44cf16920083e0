"""Files such as fairseq wrote over the years: Namespace or cfg, float16, legacy pickles, meters."""

from __future__ import annotations

import argparse
import sys
import types
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from omegaconf import OmegaConf

from skill_plugin.checkpoints.initial_weights import read_initial_weights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.pretrained.encoder_file import HEADS, EncoderFile, save_encoder_file
from skill_plugin.pretrained.load_encoder import load_encoder_file
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.slots import Inventory
from tests.every_kind import make_head

OPTIONS: dict[str, Any] = {
    "arch": "roberta_base",
    "task": "multilingual_masked_lm",
    "criterion": "masked_lm",
    "encoder_layers": 2,
    "encoder_embed_dim": 32,
    "encoder_ffn_embed_dim": 48,
    "encoder_attention_heads": 4,
    "max_positions": 30,
    "tokens_per_sample": 30,
    "activation_fn": "gelu",
    "pooler_activation_fn": "tanh",
    "dropout": 0.1,
    "attention_dropout": 0.1,
    "fp16": True,
    "lr": [0.0007],
}
LETTERS = list("abcdefghijklmnopqrstuvwxyz")


@pytest.fixture(scope="module")
def roberta() -> Any:
    """fairseq's own model of these options, with random weights everywhere."""
    import fairseq.models.roberta as fairseq_roberta
    from fairseq.data import Dictionary

    dictionary = Dictionary()
    for letter in LETTERS:
        dictionary.add_symbol(letter)
    dictionary.add_symbol("<mask>")
    args = argparse.Namespace(**OPTIONS)
    fairseq_roberta.base_architecture(args)
    task = argparse.Namespace(source_dictionary=dictionary)
    model = fairseq_roberta.RobertaModel.build_model(args, task)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator) * 0.3 + (parameter.dim() == 1) * 0.5
            parameter.copy_(noise.half().float())  # so that a float16 file loses nothing
    return model.eval()


def old_names(roberta: Any, half: bool = True) -> OrderedDict[str, torch.Tensor]:
    names = OrderedDict()
    for name, tensor in roberta.state_dict().items():
        name = name.replace("encoder.", "decoder.", 1).replace("layernorm_embedding", "emb_layer_norm")
        names[name] = tensor.half() if half else tensor
    return names


def write(folder: Path, content: dict[str, Any], zipped: bool = True) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "dict.txt").write_text("".join(f"{letter} 1\n" for letter in LETTERS))
    torch.save(content, folder / "model.pt", _use_new_zipfile_serialization=zipped)
    return folder / "model.pt"


def content_of(roberta: Any) -> dict[str, Any]:
    history = [{"criterion_name": "MaskedLmLoss", "optimizer_name": "FP16Optimizer", "num_updates": 5}]
    return {
        "args": argparse.Namespace(**OPTIONS),
        "model": old_names(roberta),
        "optimizer_history": history,
        "extra_state": {"train_iterator": {"epoch": 1}, "val_loss": np.float64(2.1)},
        "last_optimizer_state": None,
    }


def assert_equals_fairseq(encoder: EncoderFile, roberta: Any) -> None:
    c = encoder.config
    model = build_encoder("dense", c.shape, Inventory((), ())).eval()
    model.load_state_dict({n: t for n, t in encoder.state.items() if not n.startswith(HEADS)})
    tokens = np.array([0, 7, 8, 9, 2, 2, 10, 11, 2])
    with torch.no_grad():
        ours = model(
            pack([(ActiveSet((), "en"), "h", [EncodedSequence(tokens, np.zeros_like(tokens))])], c.token_types > 0)
        ).hidden
        logits, extra = roberta(torch.from_numpy(tokens)[None], features_only=False, return_all_hiddens=True)
        theirs = extra["inner_states"][-1][:, 0]
        assert (ours - theirs).abs().max() < 1e-5
        s = encoder.state
        x = torch.nn.functional.gelu(ours @ s["masked_lm.dense.weight"].T + s["masked_lm.dense.bias"])
        x = torch.nn.functional.layer_norm(x, (c.width,), s["masked_lm.norm.weight"], s["masked_lm.norm.bias"], 1e-5)
        assert (x @ s["embeddings.tokens.weight"].T + s["masked_lm.bias"] - logits[0]).abs().max() < 1e-3


@pytest.mark.parametrize("zipped", [True, False])
def test_namespace(roberta: Any, tmp_path: Path, zipped: bool) -> None:
    path = write(tmp_path / "m", content_of(roberta), zipped)
    encoder = load_encoder_file(path)
    c = encoder.config
    assert (c.layers, c.width, c.heads, c.feed_forward_width, c.vocabulary, c.positions) == (2, 32, 4, 48, 31, 30)
    assert (c.token_types, c.layer_norm_eps, c.source) == (0, 1e-5, "xlm-roberta")
    assert encoder.left == ()
    assert_equals_fairseq(encoder, roberta)
    save_encoder_file(encoder, tmp_path / "out.pt")
    assert_equals_fairseq(load_encoder_file(tmp_path / "out.pt"), roberta)
    assert load_encoder_file(tmp_path / "m").config == c  # the folder


def heads_of(count: int) -> dict[str, torch.Tensor]:
    """What fine-tuning for so many tasks adds to a model."""
    found = {}
    for number in range(count):
        for name, size in {"dense.weight": (32, 32), "dense.bias": (32,), "out_proj.weight": (3, 32)}.items():
            found[f"classification_heads.task{number}.{name}"] = torch.randn(size).half()
    return found


def test_a_fine_tuned_models_dense_map_is_a_pooler(roberta: Any, tmp_path: Path) -> None:
    """That of the only head; of several none is the model's."""
    for count in (1, 2):
        content = content_of(roberta)
        heads = heads_of(count)
        content["model"] |= heads
        encoder = load_encoder_file(write(tmp_path / f"m{count}", content))
        assert ("pooler.dense.weight" in encoder.state) == (count == 1) == bool(encoder.notes[:-1])
        if count == 1:
            assert torch.equal(
                encoder.state["pooler.dense.bias"], heads["classification_heads.task0.dense.bias"].float()
            )
            assert "the pooler is classification_heads.task0.dense, as training for a task has left it" in encoder.notes
    content["args"].pooler_activation_fn = "relu"
    assert "pooler.dense.weight" not in load_encoder_file(write(tmp_path / "relu", content)).state


def test_berts_pooler_and_its_next_sentence_head(roberta: Any, tmp_path: Path) -> None:
    """fairseq's label 1 says that the second text follows, where BERT's is 0."""
    content, projection = content_of(roberta), torch.randn(2, 32).half()
    content["model"] |= {
        "decoder.masked_lm_pooler.weight": torch.randn(32, 32).half(),
        "decoder.masked_lm_pooler.bias": torch.randn(32).half(),
        "decoder.sentence_projection_layer.weight": projection,
    }
    encoder = load_encoder_file(write(tmp_path / "m", content))
    assert torch.equal(encoder.state["next_sentence.weight"], projection.flip(0).float())
    assert torch.equal(encoder.state["next_sentence.bias"], torch.zeros(2))
    assert encoder.left == ()


def test_meters_of_old_releases(roberta: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("fairseq.meters")
    for name in ("AverageMeter", "TimeMeter", "StopwatchMeter"):
        setattr(module, name, type(name, (), {"__module__": "fairseq.meters"}))
    meter = module.AverageMeter()  # type: ignore[attr-defined]
    meter.__dict__.update(val=1.0, avg=1.0, sum=1.0, count=1)
    content = content_of(roberta)
    content["extra_state"]["train_meters"] = OrderedDict(train_loss=meter)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "fairseq.meters", module)
        path = write(tmp_path / "m", content, zipped=False)
    assert_equals_fairseq(load_encoder_file(path), roberta)


def test_cfg_of_newer_releases(roberta: Any, tmp_path: Path) -> None:
    content = content_of(roberta)
    config = {"model": {**OPTIONS, "_name": "roberta"}, "common": {"seed": 1}, "task": {"_name": "masked_lm"}}
    content |= {"args": None, "cfg": config, "model": roberta.state_dict()}
    assert_equals_fairseq(load_encoder_file(write(tmp_path / "plain", content)), roberta)
    content["cfg"] = OmegaConf.create(config)
    assert_equals_fairseq(load_encoder_file(write(tmp_path / "omegaconf", content)), roberta)
    content["cfg"] = {**config, "model": argparse.Namespace(**OPTIONS)}
    assert_equals_fairseq(load_encoder_file(write(tmp_path / "namespace", content)), roberta)


def test_projections_in_one_matrix(roberta: Any, tmp_path: Path) -> None:
    content = content_of(roberta)
    model = content["model"]
    for i in range(2):
        stem = f"decoder.sentence_encoder.layers.{i}.self_attn."
        for kind in ("weight", "bias"):
            model[f"{stem}in_proj_{kind}"] = torch.cat([model.pop(f"{stem}{p}_proj.{kind}") for p in "qkv"])
    assert_equals_fairseq(load_encoder_file(write(tmp_path / "m", content)), roberta)


def test_masked_lm_head(roberta: Any, tmp_path: Path) -> None:
    """A head that starts from the file scores every position as fairseq's does."""
    initial = read_initial_weights(str(write(tmp_path / "m", content_of(roberta))))
    encoder = build_encoder("dense", initial.shape, Inventory((), ()))
    model = MultitaskModel(encoder, {"mlm": make_head("masked_lm", 31).make(32, 0.1)}).eval()
    assert initialise_from(model, initial).lines[1:] == [
        "heads: heads.mlm start from the pretrained masked-LM head",
        "fresh: nothing",
        "left in the file: nothing",
    ]
    tokens = np.array([0, 7, 30, 9, 2])
    row = EncodedSequence(tokens, np.zeros_like(tokens), np.arange(5))
    batch = pack([(ActiveSet((), "en"), "mlm", [row])], token_types=False)
    with torch.no_grad():
        (ours,), (theirs, _) = model(batch).answers, roberta(torch.from_numpy(tokens)[None], features_only=False)
    assert (ours - theirs[0]).abs().max() < 1e-5


def test_a_masked_lm_head_with_a_matrix_of_its_own_is_left(roberta: Any, tmp_path: Path) -> None:
    content = content_of(roberta)
    content["model"]["decoder.lm_head.weight"] = torch.zeros(31, 32)
    encoder = load_encoder_file(write(tmp_path / "m", content))
    assert not any(name.startswith("masked_lm.") for name in encoder.state)
    assert encoder.notes[0] == "the masked-LM head is left: its output matrix is not the embedding table"
    assert {"lm_head.weight", "lm_head.bias"} <= set(encoder.left)


def test_heads_of_tasks_are_left(roberta: Any, tmp_path: Path) -> None:
    content = content_of(roberta)
    content["model"]["classification_heads.mnli.dense.weight"] = torch.zeros(3, 3)
    assert load_encoder_file(write(tmp_path / "m", content)).left == ("classification_heads.mnli.dense.weight",)


def test_tokenizer_beside_the_model(roberta: Any, tmp_path: Path, sentencepiece_model: Path) -> None:
    import sentencepiece

    path = write(tmp_path / "m", content_of(roberta))
    encoder = load_encoder_file(path)
    assert encoder.text is not None
    assert encoder.text.tokenizer is None
    assert encoder.text.vocabulary.symbols[4:] == [*LETTERS, "<mask>"]
    assert encoder.notes == ("no sentencepiece.bpe.model beside the model: imported without a tokenizer",)

    (tmp_path / "m" / "sentencepiece.bpe.model").write_bytes(sentencepiece_model.read_bytes())
    encoder = load_encoder_file(path)
    assert encoder.text is not None
    library = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_model))
    expected = [encoder.text.vocabulary.index(p) for p in library.encode("the cat sat", out_type=str)]
    assert encoder.text.encode("the cat sat").ids.tolist() == expected
    assert encoder.text.template.separators == 2

    (tmp_path / "m" / "dict.txt").unlink()
    with pytest.raises(InputError, match=r"symbols with the special ones, the model has 31"):
        load_encoder_file(path)
    (tmp_path / "m" / "sentencepiece.bpe.model").unlink()
    assert load_encoder_file(path).text is None


def test_gpt2_dictionary_without_its_files(roberta: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "m", content_of(roberta))
    (tmp_path / "m" / "dict.txt").write_text("".join(f"{i} 1\n" for i in range(26)))
    notes = load_encoder_file(path).notes
    assert notes == ("no encoder.json and vocab.bpe beside the model: imported without a tokenizer",)


def change(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def edit(content: dict[str, Any]) -> None:
        setattr(content["args"], key, value)

    return edit


def drop(name: str) -> Callable[[dict[str, Any]], None]:
    def edit(content: dict[str, Any]) -> None:
        del content["model"][name]

    return edit


STEM = "decoder.sentence_encoder."


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change("activation_fn", "relu"), "activation_fn is 'relu'; only 'gelu' is supported"),
        (change("encoder_attention_heads", 5), "encoder_attention_heads is 5, expected a divisor of the width 32"),
        (drop(f"{STEM}layers.1.fc2.bias"), "lacks the weights sentence_encoder.layers.1.fc2.bias"),
        (drop(f"{STEM}embed_positions.weight"), "lacks the weights sentence_encoder.embed_positions.weight"),
        (
            lambda c: c["model"].update({f"{STEM}layers.0.fc2.weight": torch.zeros(32, 47)}),
            "sentence_encoder.layers.0.fc2.weight has the size [32, 47], the rest of the file says [32, 48]",
        ),
        (
            lambda c: c["model"].update({f"{STEM}layers.0.fc2.weight": torch.zeros(32, 48, dtype=torch.int8)}),
            "sentence_encoder.layers.0.fc2.weight holds numbers of torch.int8, expected floating point",
        ),
        (lambda c: c["model"].update({f"{STEM}layer_norm.weight": torch.zeros(32)}), "normalises before each layer"),
        (lambda c: c.update(model={"a": torch.zeros(1)}), "neither an imported encoder nor a RoBERTa or XLM-R"),
    ],
)
def test_faults(roberta: Any, tmp_path: Path, edit: Callable[[dict[str, Any]], None], message: str) -> None:
    content = content_of(roberta)
    edit(content)
    with pytest.raises(InputError) as error:
        load_encoder_file(write(tmp_path / "m", content))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
