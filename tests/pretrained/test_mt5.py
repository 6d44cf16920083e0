"""An imported mT5 computes what transformers' does: hidden states, logits, gradients, and what it writes."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from skill_plugin.checkpoints.cut_to_pieces import cut_to_pieces
from skill_plugin.checkpoints.initial_weights import InitialWeights, read_initial_weights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.pretrained.encoder_file import EncoderFile, save_encoder_file
from skill_plugin.pretrained.huggingface import read_huggingface_folder
from skill_plugin.pretrained.load_encoder import load_encoder_file
from skill_plugin.pretrained.mt5 import hub_names
from skill_plugin.text.span_corruption import find_sentinels
from skill_plugin.text.trimming.trim_text import trim_text
from skill_plugin.text.vocabulary import SPECIALS
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.t5_shape import T5Shape
from tests.pretrained.test_huggingface import SINGLES, edit_config
from tests.warm_process import run

transformers = pytest.importorskip("transformers")

TEXTS = [*SINGLES, " ".join(SINGLES), "a"]
ANSWERS = ["mat", "今天天气", "Hund läuft", "niño", "a", "SUPPORTS"]
EXTRA = 4  # symbols for corrupted spans; mT5 has 100
UNNAMED = 6  # rows without a piece; mT5 has 12
FILES = ["tied", "untied"]


@pytest.fixture(scope="session")
def t5_model() -> bytes:
    """A SentencePiece model with mT5's ids of special symbols, bytes, and symbols for corrupted spans at the end."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SINGLES * 5), model_writer=written, vocab_size=360, hard_vocab_limit=False,
        pad_id=0, eos_id=1, unk_id=2, bos_id=-1, byte_fallback=True, character_coverage=1.0, minloglevel=2,
    )  # fmt: skip
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(written.getvalue())
    for number in reversed(range(EXTRA)):
        model.pieces.add(piece=f"\u2581<extra_id_{number}>", score=0.0, type=4)
    return bytes(model.SerializeToString())


@pytest.fixture
def t5_folder(t5_model: bytes, tmp_path: Path) -> Callable[..., Path]:
    import sentencepiece

    def make(tied: bool = True, **options: Any) -> Path:
        folder = tmp_path / "mt5"
        pieces = sentencepiece.SentencePieceProcessor(model_proto=t5_model).get_piece_size()
        sizes = {"d_model": 32, "d_kv": 12, "d_ff": 48, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4}
        positions = {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 20}
        config = transformers.MT5Config(vocab_size=pieces + UNNAMED, **sizes, **positions, **options)
        torch.manual_seed(1)
        model = transformers.MT5ForConditionalGeneration(config)
        if not tied:
            model.lm_head.weight = nn.Parameter(0.3 * torch.randn(config.vocab_size, 32))
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.dim() == 1:  # norms
                    parameter.uniform_(0.5, 1.5)
                elif "relative" in name:
                    parameter.normal_()
        model.save_pretrained(folder)
        (folder / "spiece.model").write_bytes(t5_model)
        settings = {"tokenizer_class": "T5Tokenizer", "extra_ids": 0}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        return folder

    return make


def imported(folder: Path) -> InitialWeights:
    out = folder.parent / "model.pt"
    save_encoder_file(read_huggingface_folder(folder), out)
    return read_initial_weights(str(out))


def build(initial: InitialWeights) -> TextToTextModel:
    assert isinstance(initial.shape, T5Shape)
    model = build_mt5(initial.shape).eval()
    model.load_state_dict(initial.state)
    return model


def load(folder: Path) -> Any:
    found = transformers.MT5ForConditionalGeneration.from_pretrained(str(folder), attn_implementation="eager")
    return found.float().eval()


def batch_of(initial: InitialWeights) -> PackedBatch:
    """A pack of all texts with an answer each."""
    assert initial.text is not None
    sequences = []
    for source, target in zip(initial.text.encode_batch(TEXTS), initial.text.encode_batch(ANSWERS), strict=True):
        ids, answer = (np.array([*one.ids, 2], np.int64) for one in (source, target))
        sequences.append(EncodedSequence(ids, 0 * ids, np.zeros(len(answer), np.int64), (answer,)))
    return pack([(ActiveSet((), "en"), "", sequences)], token_types=False)


def theirs_of(ids: Tensor) -> Tensor:
    """The source's ids: all but <s> are one less [1, T]."""
    return ids[None] - 1


def assert_near(found: Tensor, expected: Tensor) -> None:
    """Within 1e-5, of the largest value where that is above 1."""
    assert float((found - expected).detach().abs().max()) < 1e-5 * max(1.0, float(expected.detach().abs().max()))


@pytest.mark.parametrize("kind", FILES)
def test_hidden_states_logits_and_gradients(t5_folder: Callable[..., Path], kind: str) -> None:
    folder = t5_folder(tied=kind == "tied")
    initial, theirs = imported(folder), load(folder)
    assert isinstance(initial.shape, T5Shape) and initial.shape.tied == (kind == "tied")
    ours = build(initial)
    batch = batch_of(initial)
    assert batch.targets is not None
    states = ours.encoder(batch).hidden
    hidden = ours.decode(batch, batch.targets, states)
    (logits,) = ours(batch).answers
    (scores,) = ours(batch, classes=[batch.targets.tokens]).answers
    lengths = list(batch.targets.lengths)
    parts = (batch.tokens.split(batch.lengths), batch.targets.tokens.split(lengths))
    found = (states.split(batch.lengths), hidden.split(lengths), logits.split(lengths), scores.losses.split(lengths))
    total = torch.zeros(())
    for source, target, *alone in zip(*parts, *found, strict=True):
        labels = theirs_of(target)
        expected = theirs(input_ids=theirs_of(source), labels=labels, output_hidden_states=True)
        assert (alone[0] - expected.encoder_last_hidden_state[0]).abs().max() < 1e-5
        assert (alone[1] - expected.decoder_hidden_states[-1][0]).abs().max() < 1e-5
        assert_near(alone[2][:, 1:], expected.logits[0])
        assert (alone[3].mean() - expected.loss).abs() < 1e-5
        total = total + expected.loss * len(target)
    total.backward()
    scores.losses.sum().backward()
    gradients = {name: one.grad for name, one in theirs.named_parameters()}
    for name, sources in hub_names(initial.shape).items():
        own = ours.get_parameter(name).grad
        other = torch.cat([gradients[source] for source in sources])
        if name in ("encoder.embeddings.tokens.weight", "decoder.output.weight"):
            assert not own[0].any()  # <s>
            own = own[1:]
        assert_near(own, other)


@pytest.mark.parametrize("kind", FILES)
def test_it_writes_the_same(t5_folder: Callable[..., Path], kind: str) -> None:
    folder = t5_folder(tied=kind == "tied")
    initial, theirs = imported(folder), load(folder)
    batch = batch_of(initial)
    written = build(initial).generate(batch, most=9)
    for source, own in zip(batch.tokens.split(batch.lengths), written, strict=True):
        options = {"max_new_tokens": 9, "do_sample": False, "num_beams": 1}
        # their cache takes the decoder for as deep as the encoder
        expected = theirs.generate(theirs_of(source), use_cache=False, **options)[0, 1:]
        end = (expected == 1).nonzero().flatten().tolist()
        assert own.tolist() == (expected[: end[0]] if end else expected).add(1).tolist()


def test_its_vocabulary_is_in_fairseqs_order(t5_folder: Callable[..., Path], t5_model: bytes) -> None:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=t5_model)
    initial = imported(t5_folder())
    assert initial.text is not None
    symbols, pieces = initial.text.vocabulary.symbols, processor.get_piece_size()
    assert tuple(symbols[:4]) == SPECIALS and initial.text.vocabulary.mask is None
    assert symbols[4 : pieces + 1] == [processor.id_to_piece(i) for i in range(3, pieces)]
    assert symbols[pieces + 1 :] == [f"madeupword000{i}" for i in range(UNNAMED)]
    assert symbols[pieces] == "\u2581<extra_id_0>"
    assert find_sentinels(initial.text.vocabulary).tolist() == list(range(pieces, pieces - EXTRA, -1))
    assert initial.text.text_to_text
    for text, encoding in zip(TEXTS, initial.text.encode_batch(TEXTS), strict=True):
        assert (encoding.ids - 1).tolist() == processor.encode(text)


def test_symbols_for_corrupted_spans_may_follow_the_model(t5_folder: Callable[..., Path], t5_model: bytes) -> None:
    """As transformers numbers them, from the last one."""
    from sentencepiece import sentencepiece_model_pb2

    folder = t5_folder()
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(t5_model)
    del model.pieces[-EXTRA:]
    (folder / "spiece.model").write_bytes(model.SerializeToString())
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "T5Tokenizer", "extra_ids": 3}))
    initial, tokenizer = imported(folder), transformers.AutoTokenizer.from_pretrained(str(folder))
    assert initial.text is not None
    for number in range(3):
        name = f"<extra_id_{number}>"
        assert initial.text.vocabulary.index(name) == tokenizer.convert_tokens_to_ids(name) + 1
    (folder / "tokenizer_config.json").unlink()  # 100 do not fit
    text = imported(folder).text
    assert text is not None and "<extra_id_0>" not in text.vocabulary


def test_a_tokenizer_json_alone_will_do(t5_folder: Callable[..., Path]) -> None:
    folder = t5_folder()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    (folder / "spiece.model").unlink()
    tokenizer.save_pretrained(str(folder))
    initial = imported(folder)
    assert initial.text is not None
    for text, encoding in zip(TEXTS, initial.text.encode_batch(TEXTS), strict=True):
        assert (encoding.ids - 1).tolist() == tokenizer(text, add_special_tokens=False)["input_ids"]


def test_without_a_tokenizer_rows_follow_all_the_same(t5_folder: Callable[..., Path]) -> None:
    folder = t5_folder()
    whole = read_huggingface_folder(folder)
    (folder / "spiece.model").unlink()
    encoder = read_huggingface_folder(folder)
    assert encoder.text is None and encoder.notes == ("no tokenizer in the folder: only the weights are imported",)
    assert all(torch.equal(tensor, whole.state[name]) for name, tensor in encoder.state.items())


def test_a_smaller_vocabulary_takes_the_rows_of_both_tables(t5_folder: Callable[..., Path]) -> None:
    initial = imported(t5_folder(tied=False))
    assert initial.text is not None
    occurring = np.zeros(len(initial.text.vocabulary), np.bool_)
    occurring[initial.text.encode(SINGLES[0]).ids] = True
    trimmed = trim_text(initial.text, occurring)
    assert len(trimmed.rows) < len(occurring)
    assert find_sentinels(trimmed.text.vocabulary).size == EXTRA
    cut = cut_to_pieces(initial, trimmed.text, "data-bin")
    assert cut.shape.vocabulary == len(trimmed.rows)
    whole, small = build(initial), build(cut)
    ids = trimmed.text.encode(SINGLES[0]).ids
    target = np.array([*ids[:3], 2], np.int64)
    answers = []
    for model, rows in ((whole, trimmed.rows), (small, np.arange(len(trimmed.rows)))):
        one = EncodedSequence(rows[ids], 0 * ids, np.zeros(4, np.int64), (rows[target],))
        (logits,) = model(pack([(ActiveSet((), "en"), "", [one])], token_types=False)).answers
        answers.append(logits[:, rows])
    torch.testing.assert_close(*answers, atol=1e-5, rtol=1e-5)


def test_the_command_tells_what_it_read_and_training_starts_from_it(
    t5_folder: Callable[..., Path], tmp_path: Path
) -> None:
    folder = t5_folder(tied=False)
    command = [sys.executable, "-m", "skill_plugin", "import", folder, tmp_path / "out.pt"]
    told = run(command, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[:4] == [
        "mt5: 2 + 3 layers x 32 with 4 heads of 12 and feed-forward 48, 8 buckets of relative positions up to 20, "
        "eps 1e-06, logits with a table of their own",
        f"vocabulary: {load_encoder_file(tmp_path / 'out.pt').config.vocabulary} symbols",
        "tokenizer: SentencePiece",
        "left: nothing",
    ]
    initial = read_initial_weights(str(tmp_path / "out.pt"))
    assert isinstance(initial.shape, T5Shape)
    model = build_mt5(initial.shape)
    assert initialise_from(model, initial).lines[1:] == ["fresh: nothing", "left in the file: nothing"]
    assert all(torch.equal(tensor, initial.state[name]) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "t5"}, "unknown model_type 't5'; did you mean 'mt5'?"),
        ({"feed_forward_proj": "relu"}, "feed_forward_proj is 'relu'; only 'gated-gelu' is supported"),
        ({"d_kv": 0}, "d_kv is 0, expected a whole number from 1"),
        ({"d_kv": 13}, r"SelfAttention.q.weight has the size [48, 32], config.json says [52, 32]"),
        ({"num_decoder_layers": 4}, "lacks the weights decoder.block.3."),
        ({"vocab_size": 12}, "shared.weight has the size"),
        ({"pad_token_id": 5}, "pad_token_id is 5; only 0"),
        ({"layer_norm_epsilon": -1}, "layer_norm_epsilon is -1, expected a small number"),
        ({"layer_norm_epsilon": math.nan}, "layer_norm_epsilon is nan, expected a small number"),
        ({"layer_norm_epsilon": math.inf}, "layer_norm_epsilon is inf, expected a small number"),
        ({"num_layers": 10**7}, "num_layers is 10000000, expected a whole number from 1 to 10000"),
        ({"relative_attention_max_distance": 4}, "relative_attention_max_distance is 4, expected a whole number from"),
    ],
)
def test_what_is_not_mt5_is_refused(t5_folder: Callable[..., Path], changes: dict[str, Any], message: str) -> None:
    folder = t5_folder()
    edit_config(folder, **changes)
    with pytest.raises(InputError) as caught:
        read_huggingface_folder(folder)
    assert message in str(caught.value)


def test_a_tokenizer_of_another_model_is_named(t5_folder: Callable[..., Path]) -> None:
    from sentencepiece import sentencepiece_model_pb2

    folder = t5_folder()
    rows = json.loads((folder / "config.json").read_text())["vocab_size"]
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString((folder / "spiece.model").read_bytes())
    for number in range(rows):
        model.pieces.add(piece=f"more{number}", score=-99.0)
    (folder / "spiece.model").write_bytes(model.SerializeToString())
    message = r"config.json:\d+: spiece.model beside it: the tokenizer has [\d,]+ tokens, the embedding table only"
    with pytest.raises(InputError, match=message):
        read_huggingface_folder(folder)


def test_a_file_with_other_sizes_is_damaged(t5_folder: Callable[..., Path], tmp_path: Path) -> None:
    encoder = read_huggingface_folder(t5_folder())
    state = {name: tensor for name, tensor in encoder.state.items() if name != "decoder.positions.weight"}
    save_encoder_file(EncoderFile(encoder.config, encoder.text, state), tmp_path / "less.pt")
    with pytest.raises(InputError, match=r"less\.pt: lacks the weights decoder\.positions\.weight"):
        load_encoder_file(tmp_path / "less.pt")
    assert isinstance(encoder.config, T5Shape)
    save_encoder_file(EncoderFile(replace(encoder.config, head_width=-3), None, encoder.state), tmp_path / "less.pt")
    with pytest.raises(InputError, match=r"less\.pt: damaged: head_width is -3, expected a whole number from 1"):
        load_encoder_file(tmp_path / "less.pt")
