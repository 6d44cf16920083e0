"""Data with a cut vocabulary: a model of all kinds goes on from one with the full vocabulary, and answers the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from skill_plugin import load
from skill_plugin.api import Model
from skill_plugin.checkpoints.adapter_file import put_on_base
from skill_plugin.errors import InputError
from skill_plugin.inference.read_packs import find_readable_splits, read_packs
from skill_plugin.store.corpus_store import read_text_encoder
from skill_plugin.text.trusted_offsets import TEXTS
from tests.integration.conftest import Made, Run, execute
from tests.text.trimming.tokenizers_of_each_model import PAGES

pytestmark = pytest.mark.slow
STAY = ("--lr", 0, "--max-update", 1)
RAW = ("text-de", "text-zh")  # masked_lm
Train = Callable[..., Run]


class Cut(NamedTuple):
    """A run on the full vocabulary, its data, and data with fewer pieces: of all corpora, and of one."""

    full: Run
    full_data: Path
    data: Path
    of_one: Path

    @property
    def checkpoint(self) -> Path:
        return self.full.folder / "checkpoint_last.pt"


def prepare(*arguments: object) -> str:
    status, output = execute(sys.executable, "-m", "skill_plugin", "prepare", *arguments)
    assert status == 0, output
    return output


@pytest.fixture(scope="module")
def cut(train: Train, every_kind: Made, tmp_path_factory: pytest.TempPathFactory) -> Cut:
    import sentencepiece

    folder, corpora = tmp_path_factory.mktemp("cut"), every_kind.corpora
    raw = [path.read_text("utf-8") for path in sorted((corpora.parent / "raw").iterdir())]
    (folder / "texts").write_text("\n".join([*raw, *PAGES]), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "texts"), model_prefix=str(folder / "spm"), vocab_size=1500, hard_vocab_limit=False,
        minloglevel=2,
    )  # fmt: skip
    prepare(corpora, folder / "full-data", "--tokenizer", folder / "spm.model")
    more = ("--corpora", corpora, "--max-update", 3, "--lr", 3e-3)
    full = train(folder / "full", *more, data=folder / "full-data")
    found = Cut(full, folder / "full-data", folder / "data", folder / "of-one")
    for data, only in ((found.data, ()), (found.of_one, ("--only-corpora", "names-zh"))):
        output = prepare(corpora, data, "--encoder", found.checkpoint, "--trim-vocabulary", *only)
        assert "symbols stay (" in output and " MB smaller" in output
    return found


@pytest.fixture(scope="module")
def started(train: Train, every_kind: Made, cut: Cut, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The model with the full vocabulary on the cut data, before it trains."""
    options = ("--corpora", every_kind.corpora, "--init-from", cut.checkpoint, *STAY)
    return train(tmp_path_factory.mktemp("started"), *options, data=cut.data)


@torch.no_grad()
def states(model: Model, data: Path) -> dict[str, list[torch.Tensor]]:
    """Hidden states and outputs of all packs of each corpus's valid split."""
    found: dict[str, list[torch.Tensor]] = {}
    for name, examples in find_readable_splits(model, str(data), "valid")[0].items():
        for batch in read_packs(model, examples):
            (answers,) = model.model(batch).answers
            found.setdefault(name, []).extend([model.model.encoder(batch).hidden, answers])
    return found


def test_states_and_outputs_are_those_of_the_full_vocabulary(cut: Cut, started: Run) -> None:
    full, fewer = load(str(cut.checkpoint)), load(str(started.folder / "checkpoint_last.pt"))
    sizes = [model.bundle.shape.vocabulary for model in (full, fewer)]
    assert sizes[1] < sizes[0]
    assert (
        f"takes the rows of {sizes[1]:,} of its {sizes[0]:,} symbols, by name: the data folder has no others"
        in started.output
    )
    expected, found = states(full, cut.full_data), states(fewer, cut.data)
    assert found.keys() == expected.keys()
    for name in found.keys() - set(RAW):  # what is put in place of hidden tokens is drawn from other pieces
        assert all(map(torch.equal, found[name], expected[name])), name
    text = "<mask> <mask>"  # no other pieces, which may be spelled otherwise
    (ours,), (theirs,) = (model.predict("text-de", [text]) for model in (fewer, full))
    assert [len(fill) for fill in ours.fills] == [5, 5]
    # a softmax over fewer pieces: what is left has the same order
    for fill, among in zip(ours.fills, theirs.fills, strict=True):
        kept = [piece for piece in among if piece in fewer.bundle.text_encoder.vocabulary]
        assert list(fill)[: len(kept)] == kept


def test_scores_stay_and_it_answers_by_itself(
    cut: Cut, started: Run, command: Callable[..., Any], tmp_path: Path
) -> None:
    values = []
    for name, run, data in (("full", cut.full, cut.full_data), ("cut", started, cut.data)):
        file = tmp_path / f"{name}.json"
        status, _, err = command("evaluate", run.folder / "checkpoint_last.pt", data, "--json", file)
        assert status == 0, err
        corpora = json.loads(file.read_text())["corpora"]
        values.append({corpus: result["value"] for corpus, result in corpora.items() if corpus not in RAW})
    assert values[0] == values[1]
    inputs = tmp_path / "in.txt"
    inputs.write_text("".join(f"{text}\n" for text in ("", "👩\u200d🔬", *TEXTS)), encoding="utf-8")
    status, out, err = command("predict", started.folder / "checkpoint_last.pt", "--corpus", "reviews-zh", inputs)
    assert status == 0, err
    assert len(out.splitlines()) == 2 + len(TEXTS)
    # a data folder of another vocabulary is refused as ever
    status, _, err = command("evaluate", started.folder / "checkpoint_last.pt", cut.full_data)
    assert status == 1
    assert err.count("\n") == 1 and "prepared with another vocabulary than the model has" in err


def test_masked_pieces_are_learned(train: Train, started: Run, every_kind: Made, cut: Cut, tmp_path: Path) -> None:
    """Logits, and the pieces drawn at random, are those that are left."""
    corpora = ("--corpora", every_kind.corpora, "--only-corpora", ",".join([*RAW, "reviews-de"]))
    options = (*corpora, "--lr", 5e-3, "--max-epoch", 6, "--save-interval", 6)
    initial = ("--init-from", started.folder / "checkpoint_last.pt")
    run = train(tmp_path, *options, *initial, data=cut.data)
    losses = [float(line["train_loss"]) for line in run.log("train_loss")]
    assert losses[-1] < 0.9 * losses[0]
    weights = run.checkpoint()["model"]
    pieces = len(read_text_encoder(str(cut.data), ["text-de"]).vocabulary)
    assert weights["model.encoder.embeddings.tokens.weight"].shape[0] == pieces
    assert weights["model.heads.text-de.bias"].shape == (pieces,)


def test_another_cut_is_taken_by_name_or_refused(
    train: Train, train_here: Callable[..., None], started: Run, every_kind: Made, cut: Cut, tmp_path: Path
) -> None:
    options = ("--corpora", every_kind.corpora, "--only-corpora", "names-zh", *STAY)
    run = train(tmp_path / "fewer", *options, "--init-from", started.folder / "checkpoint_last.pt", data=cut.of_one)
    before, after = started.checkpoint()["model"], run.checkpoint()["model"]
    theirs = read_text_encoder(str(cut.data), ["names-zh"]).vocabulary
    ours = read_text_encoder(str(cut.of_one), ["names-zh"]).vocabulary
    table = "model.encoder.embeddings.tokens.weight"
    rows = [theirs.index(symbol) for symbol in ours.symbols]
    assert torch.equal(after[table], before[table][rows])
    assert len(ours) < len(theirs)
    smaller = run.folder / "checkpoint_last.pt"
    with pytest.raises(InputError, match=r"prepared with another vocabulary than .*, which lacks \d+ of its"):
        train_here(tmp_path / "more", *options, "--init-from", smaller, data=cut.data)


def test_an_adapter_goes_with_the_full_encoder(
    train: Train, every_kind: Made, cut: Cut, command: Callable[..., Any], tmp_path: Path
) -> None:
    options = ("--corpora", every_kind.corpora, "--only-corpora", "reviews-zh", "--lora-rank", 2, "--max-update", 2)
    run = train(tmp_path / "run", *options, "--init-from", cut.checkpoint, "--lr", 1e-2, data=cut.data)
    whole = run.folder / "checkpoint_last.pt"
    assert command("adapter", "extract", whole, tmp_path / "with.pt", "--with-tokenizer")[0] == 0
    assert command("adapter", "extract", whole, tmp_path / "without.pt")[0] == 0
    put_on, expected = put_on_base(tmp_path / "with.pt", cut.checkpoint), run.checkpoint()["model"]
    assert all(torch.equal(tensor, expected[f"model.{name}"]) for name, tensor in put_on.state.items())
    with pytest.raises(InputError, match=r"has another tokenizer or vocabulary than .*--with-tokenizer"):
        put_on_base(tmp_path / "without.pt", cut.checkpoint)
