from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from skill_plugin.checkpoints.initial_weights import InitialWeights, read_initial_weights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.pretrained.encoder_file import HEADS, EncoderFile, save_encoder_file
from skill_plugin.pretrained.huggingface import read_huggingface_folder
from skill_plugin.pretrained.load_encoder import load_encoder_file
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.slots import Inventory
from tests.every_kind import make_head

transformers = pytest.importorskip("transformers")

SINGLES = [
    "The cat sat on the mat; nobody minded.",
    "我爱北京天安门，今天天气很好。",
    "Der Hund läuft über die Straße – schnell!",
    "¿Qué come el niño? Una manzana.",
]
PAIRS = [
    ("A man sleeps.", "He is not awake, is he?"),
    ("今天天气很好。", "我们去公园。"),
    ("Der Hund bellt.", "Niemand hört die Katze auf der Matte."),
    ("El niño come.", "La playa."),
]
ROWS: list[tuple[str, ...]] = [*((t,) for t in SINGLES), *PAIRS]


def hidden_states(encoder: EncoderFile, rows: list[tuple[str, ...]]) -> tuple[list[Any], list[torch.Tensor]]:
    """Assembled rows, and their hidden states [T, D] from one pack of all of them."""
    c = encoder.config
    model = build_encoder("dense", c.shape, Inventory((), ())).eval()
    state = {name: t for name, t in encoder.state.items() if not name.startswith(HEADS)}
    model.load_state_dict(state)
    assert encoder.text is not None
    text = encoder.text
    assembled = [text.template.assemble([e.ids for e in text.encode_batch(row)]) for row in rows]
    sequences = [EncodedSequence(a.tokens.astype(np.int64), a.token_types.astype(np.int64)) for a in assembled]
    with torch.no_grad():
        hidden = model(pack([(ActiveSet((), "en"), "head", sequences)], c.token_types > 0)).hidden
    return assembled, list(hidden.split([len(a.tokens) for a in assembled]))


def assert_equals_transformers(folder: Path, encoder: EncoderFile, rows: list[tuple[str, ...]]) -> None:
    """Token ids, up to the order of the vocabulary, token types and hidden states."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    model = transformers.AutoModel.from_pretrained(str(folder), attn_implementation="eager").float().eval()
    assert encoder.text is not None
    roles = (tokenizer.cls_token, tokenizer.pad_token, tokenizer.sep_token, tokenizer.unk_token)
    names = dict(zip(roles, ("<s>", "<pad>", "</s>", "<unk>"), strict=True))
    assembled, hidden = hidden_states(encoder, rows)
    for row, ours, states in zip(rows, assembled, hidden, strict=True):
        theirs = tokenizer(*row, return_tensors="pt")
        tokens = tokenizer.convert_ids_to_tokens(theirs["input_ids"][0].tolist())
        assert ours.tokens.tolist() == [encoder.text.vocabulary.index(names.get(t, t)) for t in tokens]
        if "token_type_ids" in theirs:
            assert ours.token_types.tolist() == theirs["token_type_ids"][0].tolist()
        else:
            assert not ours.token_types.any()
        with torch.no_grad():
            expected = model(**theirs).last_hidden_state[0]
        assert (states - expected).abs().max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["english", "multilingual"])
def test_real_encoders(name: str, checkpoints: Path, shared: Path, tmp_path: Path) -> None:
    raw = shared / "data" / "raw"
    rows = list(ROWS)
    rows += [tuple(line.split("\t")[1:3]) for line in (raw / "qnli/dev.tsv").read_text("utf-8").split("\n")[1:6]]
    chinese = [json.loads(line) for line in (raw / "ocnli/dev.json").read_text("utf-8").split("\n")[:5]]
    rows += [(c["sentence1"], c["sentence2"]) for c in chinese]
    for language in ("de", "es"):
        lines = (raw / f"umsab-{language}/val_text.txt").read_text("utf-8").split("\n")[:5]
        rows += [(line,) for line in lines] + [(lines[0], lines[1])]
    out = tmp_path / "encoder.pt"
    save_encoder_file(read_huggingface_folder(checkpoints / name), out)
    encoder = load_encoder_file(out)
    assert encoder.config.layer_norm_eps == 1e-12
    assert_equals_transformers(checkpoints / name, encoder, rows)


SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 130,
    "initializer_range": 0.5,
}


def randomise(model: torch.nn.Module) -> Any:
    """Norms and biases too, so that nothing that is forgotten goes unseen."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.3 + (parameter.dim() == 1) * 0.5)
    return model.eval()


@pytest.fixture
def bert_folder(word_piece_vocabulary: Path, word_piece_tokens: list[str], tmp_path: Path) -> Callable[..., Path]:
    def make(head: bool = False, kind: Any = None, **save: Any) -> Path:
        folder = tmp_path / "bert"
        config = transformers.BertConfig(vocab_size=len(word_piece_tokens), **SIZES)
        kind = kind or (transformers.BertForMaskedLM if head else transformers.BertModel)
        model = randomise(kind(config))
        model.save_pretrained(folder, **save)
        transformers.BertTokenizer(str(word_piece_vocabulary), do_lower_case=True).save_pretrained(folder)
        return folder

    return make


@pytest.fixture
def xlm_roberta_folder(sentencepiece_model: Path, tmp_path: Path) -> Callable[..., Path]:
    import sentencepiece

    def make(head: bool = False, kind: Any = None, **options: Any) -> Path:
        folder = tmp_path / "xlm-roberta"
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_model)).get_piece_size()
        config = transformers.XLMRobertaConfig(
            vocab_size=pieces + 2, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5, **SIZES, **options
        )
        kind = kind or (transformers.XLMRobertaForMaskedLM if head else transformers.XLMRobertaModel)
        randomise(kind(config)).save_pretrained(folder)
        (folder / "sentencepiece.bpe.model").write_bytes(sentencepiece_model.read_bytes())
        return folder

    return make


@pytest.mark.parametrize("head", [False, True])
def test_bert(bert_folder: Callable[..., Path], head: bool, word_piece_tokens: list[str]) -> None:
    folder = bert_folder(head)
    encoder = read_huggingface_folder(folder)
    assert_equals_transformers(folder, encoder, ROWS)
    assert encoder.left == ()
    assert ("masked_lm.bias" in encoder.state) == head == ("pooler.dense.weight" not in encoder.state)
    assert encoder.text is not None
    assert encoder.text.vocabulary.mask == len(word_piece_tokens) - 1


def assert_masked_lm_equals_transformers(folder: Path, out: Path) -> list[str]:
    """Logits at every position, of a head that starts from the imported file; gives what ``--init-from`` prints."""
    save_encoder_file(read_huggingface_folder(folder), out)
    initial = read_initial_weights(str(out))
    encoder = build_encoder("skillnet", initial.shape, Inventory(("generic",), ("en",)))
    shape = initial.shape
    head = make_head("masked_lm", shape.vocabulary).make(shape.width, 0.1, shape.layer_norm_eps)
    model = MultitaskModel(encoder, {"mlm": head}).eval()
    lines = initialise_from(model, initial).lines

    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(str(folder), attn_implementation="eager").float().eval()
    assert initial.text is not None
    roles = (tokenizer.cls_token, tokenizer.pad_token, tokenizer.sep_token, tokenizer.unk_token, tokenizer.mask_token)
    names = dict(zip(roles, ("<s>", "<pad>", "</s>", "<unk>", "<mask>"), strict=True))
    pieces = [names.get(t, t) for t in tokenizer.convert_ids_to_tokens(list(range(shape.vocabulary)))]
    order = torch.tensor([initial.text.vocabulary.index(piece) for piece in pieces])
    assert sorted(order.tolist()) == list(range(shape.vocabulary))
    for text in (SINGLES[0], f"{SINGLES[2]} {tokenizer.mask_token} {SINGLES[3]}"):
        inputs = tokenizer(text, return_tensors="pt")
        ids = order[inputs["input_ids"][0]].numpy()
        row = EncodedSequence(ids, np.zeros_like(ids), np.arange(len(ids)))
        batch = pack([(ActiveSet(("generic",), "en"), "mlm", [row])], shape.token_types > 0)
        with torch.no_grad():
            (ours,), expected = model(batch).answers, theirs(**inputs).logits[0]
        assert (ours[:, order] - expected).abs().max() < 1e-5
    return lines


def answers(initial: InitialWeights, kind: str, rows: list[tuple[str, ...]]) -> tuple[Any, torch.Tensor]:
    """A head that starts from the encoder, and what it gives for some rows."""
    shape = initial.shape
    model = MultitaskModel(
        build_encoder("dense", shape, Inventory((), ())), {"h": make_head(kind, 2).make(shape.width, 0.1)}
    ).eval()
    initialise_from(model, initial)
    assert initial.text is not None
    text = initial.text
    assembled = [text.template.assemble([e.ids for e in text.encode_batch(row)]) for row in rows]
    sequences = [EncodedSequence(a.tokens.astype(np.int64), a.token_types.astype(np.int64)) for a in assembled]
    with torch.no_grad():
        (found,) = model(pack([(ActiveSet((), "en"), "h", sequences)], shape.token_types > 0)).answers
    return model.heads["h"], found


def test_next_sentences_are_told_as_bert_tells_them(bert_folder: Callable[..., Path], tmp_path: Path) -> None:
    """Row 0 is "next" in both: BERT's label 0 says that the second text follows."""
    from skill_plugin.kinds.next_sentence.items import NEXT

    folder = bert_folder(kind=transformers.BertForPreTraining)
    save_encoder_file(read_huggingface_folder(folder), tmp_path / "e.pt")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    theirs = transformers.BertForNextSentencePrediction.from_pretrained(str(folder), attn_implementation="eager").eval()
    _, ours = answers(read_initial_weights(str(tmp_path / "e.pt")), "next_sentence", PAIRS)
    for row, found in zip(PAIRS, ours, strict=True):
        with torch.no_grad():
            expected = theirs(**tokenizer(*row, return_tensors="pt")).logits[0]
        assert (found - expected).abs().max() < 1e-5
    assert NEXT == 0


def test_a_fresh_head_reads_what_bert_pools(bert_folder: Callable[..., Path], tmp_path: Path) -> None:
    folder = bert_folder()
    save_encoder_file(read_huggingface_folder(folder), tmp_path / "e.pt")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    theirs = transformers.AutoModel.from_pretrained(str(folder), attn_implementation="eager").eval()
    for kind in ("classification", "regression"):
        head, ours = answers(read_initial_weights(str(tmp_path / "e.pt")), kind, ROWS)
        for row, found in zip(ROWS, ours, strict=True):
            with torch.no_grad():
                pooled = theirs(**tokenizer(*row, return_tensors="pt")).pooler_output[0]
                assert (found - head.out_proj(pooled)).abs().max() < 1e-5


def test_the_dense_map_of_a_fine_tuned_roberta(xlm_roberta_folder: Callable[..., Path]) -> None:
    folder = xlm_roberta_folder(kind=transformers.XLMRobertaForSequenceClassification)
    encoder, weights = read_huggingface_folder(folder), load_file(folder / "model.safetensors")
    assert torch.equal(encoder.state["pooler.dense.weight"], weights["classifier.dense.weight"])
    assert encoder.notes == ("the pooler is classifier.dense, as training for a task has left it",)
    assert encoder.left == ("classifier.out_proj.bias", "classifier.out_proj.weight")


def test_masked_lm_head_of_bert(bert_folder: Callable[..., Path], tmp_path: Path) -> None:
    """Its vocabulary is brought into another order, and the bias with it."""
    lines = assert_masked_lm_equals_transformers(bert_folder(head=True), tmp_path / "e.pt")
    assert lines[2:] == [
        "heads: heads.mlm start from the pretrained masked-LM head",
        "fresh: nothing",
        "left in the file: nothing",
    ]


def test_masked_lm_head_of_xlm_roberta(xlm_roberta_folder: Callable[..., Path], tmp_path: Path) -> None:
    assert_masked_lm_equals_transformers(xlm_roberta_folder(head=True), tmp_path / "e.pt")


def test_a_masked_lm_head_with_a_matrix_of_its_own_is_left(xlm_roberta_folder: Callable[..., Path]) -> None:
    encoder = read_huggingface_folder(xlm_roberta_folder(head=True, tie_word_embeddings=False))
    assert not any(name.startswith("masked_lm.") for name in encoder.state)
    assert encoder.notes == ("the masked-LM head is left: its output matrix is not the embedding table",)
    assert {"lm_head.decoder.weight", "lm_head.dense.weight"} <= set(encoder.left)


def test_shards_bin_files_and_old_names(bert_folder: Callable[..., Path]) -> None:
    folder = bert_folder(head=True, max_shard_size="20KB")
    assert (folder / "model.safetensors.index.json").is_file()
    sharded = read_huggingface_folder(folder)
    tensors: dict[str, torch.Tensor] = {}
    for shard in folder.glob("*.safetensors"):
        tensors |= load_file(shard)
        shard.unlink()
    (folder / "model.safetensors.index.json").unlink()
    old = {
        n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): t
        for n, t in tensors.items()
    }
    old["bert.embeddings.position_ids"] = torch.arange(130)[None]
    torch.save(old, folder / "pytorch_model.bin")
    again = read_huggingface_folder(folder)
    assert again.state.keys() == sharded.state.keys()
    assert all(torch.equal(again.state[name], tensor) for name, tensor in sharded.state.items())
    assert again.left == ()


@pytest.mark.parametrize("head", [False, True])
def test_xlm_roberta(xlm_roberta_folder: Callable[..., Path], head: bool) -> None:
    folder = xlm_roberta_folder(head)
    encoder = read_huggingface_folder(folder)
    assert encoder.config.positions == 128
    assert encoder.config.token_types == 1
    assert encoder.text is not None
    assert encoder.text.vocabulary.mask == encoder.config.vocabulary - 1
    assert_equals_transformers(folder, encoder, [*PAIRS[:1], *((t,) for t in SINGLES[:2])])
    assert ("masked_lm.bias" in encoder.state) == head


def test_roberta_with_byte_level_bpe(tmp_path: Path) -> None:
    from tokenizers import ByteLevelBPETokenizer

    library = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    library.train_from_iterator(SINGLES * 5, vocab_size=330, special_tokens=special, show_progress=False)
    vocabulary = library.get_vocab()
    config = transformers.RobertaConfig(
        vocab_size=len(vocabulary) + 3, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5, **SIZES
    )
    randomise(transformers.RobertaForMaskedLM(config)).save_pretrained(tmp_path)
    library.save_model(str(tmp_path))
    encoder = read_huggingface_folder(tmp_path)
    assert encoder.text is not None
    assert encoder.text.vocabulary.symbols[-4:] == ["madeupword0000", "madeupword0001", "madeupword0002", "<mask>"]
    assert_equals_transformers(tmp_path, encoder, ROWS)


def edit_config(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= changes
    (folder / "config.json").write_text(json.dumps({k: v for k, v in config.items() if v is not None}, indent=2))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "brt"}, "unknown model_type 'brt'; did you mean 'bert'?"),
        ({"model_type": "gpt2"}, "unknown model_type 'gpt2'; expected one of: bert, roberta, xlm-roberta"),
        ({"hidden_act": "relu"}, "hidden_act is 'relu'; only 'gelu' is supported"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type is 'relative_key'; only 'absolute'"),
        ({"is_decoder": True}, "is_decoder is True; only False"),
        ({"num_attention_heads": 5}, "hidden_size 32 is not divisible by 5 heads"),
        ({"num_hidden_layers": None}, "num_hidden_layers is missing"),
        ({"hidden_size": "big"}, "hidden_size is 'big', expected a whole number from 1"),
        (
            {"intermediate_size": 50},
            "encoder.layer.0.intermediate.dense.weight has the size [48, 32], config.json says [50, 32]",
        ),
        ({"num_hidden_layers": 3}, "lacks the weights encoder.layer.2.attention.self.query.weight"),
        ({"vocab_size": 10}, "embeddings.word_embeddings.weight has the size"),
    ],
)
def test_config_faults(bert_folder: Callable[..., Path], changes: dict[str, Any], message: str) -> None:
    folder = bert_folder()
    edit_config(folder, **changes)
    with pytest.raises(InputError) as error:
        read_huggingface_folder(folder)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_config_faults_carry_the_line(bert_folder: Callable[..., Path]) -> None:
    folder = bert_folder()
    edit_config(folder, hidden_act="relu")
    line = (folder / "config.json").read_text().split("\n").index('  "hidden_act": "relu",') + 1
    with pytest.raises(InputError, match=rf"config.json:{line}: hidden_act"):
        read_huggingface_folder(folder)


def test_missing_and_damaged_files(bert_folder: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config.json: no such file"):
        read_huggingface_folder(tmp_path)
    folder = bert_folder()
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[:1000])
    with pytest.raises(InputError, match="not a safetensors file, or damaged"):
        read_huggingface_folder(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"holds no weights: expected model.safetensors or pytorch_model.bin"):
        read_huggingface_folder(folder)
    (folder / "config.json").write_text("{\n  nonsense\n}")
    with pytest.raises(InputError, match=r"config.json:2: not JSON"):
        read_huggingface_folder(folder)


def test_pickles_are_not_executed(bert_folder: Callable[..., Path]) -> None:
    folder = bert_folder()
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save({**tensors, "evil": Path("x")}, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="not loaded, since it holds more than weights"):
        read_huggingface_folder(folder)


def test_without_tokenizer(bert_folder: Callable[..., Path]) -> None:
    folder = bert_folder()
    for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json"):
        (folder / name).unlink(missing_ok=True)
    encoder = read_huggingface_folder(folder)
    assert encoder.text is None
    assert encoder.notes == ("no tokenizer in the folder: only the weights are imported",)


def test_half_precision_becomes_float32(bert_folder: Callable[..., Path]) -> None:
    folder = bert_folder()
    tensors = load_file(folder / "model.safetensors")
    save_file({n: t.half() for n, t in tensors.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    assert {t.dtype for t in read_huggingface_folder(folder).state.values()} == {torch.float32}
