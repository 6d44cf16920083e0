"""Fixtures that several folders of tests use."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from skill_plugin.spec import Corpus, parse_corpora_file
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests import warm_process
from tests.chromium import Browser, chromium, find_chromium
from tests.one_corpus import Read, read_data

# files are written in property tests, which takes as long as the machine's disk wants
settings.register_profile("files", deadline=None)
settings.load_profile("files")

# tests of what only a GPU runs are not collected elsewhere
collect_ignore = [] if shutil.which("nvidia-smi") else ["gpu"]

SHARED = Path(__file__).resolve().parents[1] / "../shared"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files of whole runs come first where processes share the files, so that none is left with one at the end."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: "slow" not in item.keywords)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared beside the repository: the real data is not here")
    return SHARED


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """read("kind: span", "format: squad", train="...") reads a corpus whose files hold these contents."""
    return lambda *lines, **splits: read_data(tmp_path, *lines, **splits)


@pytest.fixture
def make_corpus(tmp_path: Path) -> Callable[..., Corpus]:
    """make_corpus("format: tsv", "columns: {...}", train=b"...") writes the files and gives the corpus.

    Each keyword is a split's content, or a mapping from column to content for parallel files; a split given as None has
    no file. The corpora file is tmp_path/corpora.yaml, the files are train.txt, valid.label.txt and so on.
    """

    def make(*lines: str, **splits: bytes | dict[str, bytes] | None) -> Corpus:
        section = ["kind: classification", "language: en", "skills: [generic]", *lines]
        for split, content in splits.items():
            contents = {"": content} if not isinstance(content, dict) else {f".{k}": v for k, v in content.items()}
            for suffix, data in contents.items():
                path = tmp_path / f"{split}{suffix}.txt"
                path.unlink(missing_ok=True) if data is None else path.write_bytes(data)
            parallel = ", ".join(f"{column}: {split}.{column}.txt" for column in content or ())
            section.append(f"{split}: {{{parallel}}}" if isinstance(content, dict) else f"{split}: {split}.txt")
        text = "languages: [en]\nskills: {generic: on}\ncorpora:\n  c:\n" + "".join(f"    {line}\n" for line in section)
        path = tmp_path / "corpora.yaml"
        path.write_text(text, encoding="utf-8")
        return parse_corpora_file(text, path).corpora["c"]

    return make


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Headless Chromium."""
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed (apt install chromium)")
    with chromium(program, tmp_path_factory.mktemp("profile")) as found:
        yield found


LINES = [
    "the cat sat on the mat and looked at the dog",
    "A man sleeps. He is not awake, is he?",
    "der Hund läuft über die Straße und bellt",
    "el niño come una manzana en la playa",
    "我 爱 北京 天安门 。 今天 天气 很 好 ， 我们 去 公园 。",
    "numbers such as 12345 and 67890 are texts too",
]


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process of the session to ask for it makes, for all of them; nobody may write into it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            begun = folder.with_suffix(".begun")
            shutil.rmtree(begun, ignore_errors=True)
            begun.mkdir()
            make(begun)
            begun.rename(folder)
    return folder


@pytest.fixture(scope="session")
def checkpoints(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two real pretrained encoders as Hugging Face folders, ``english`` and ``multilingual``."""
    tool = shared / "tools" / "make_checkpoints.py"
    return made_once(
        tmp_path_factory,
        "checkpoints",
        lambda folder: warm_process.run([sys.executable, tool, folder], check=True, capture_output=True),
    )


@pytest.fixture(scope="session")
def sentencepiece_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small SentencePiece model with XLM-R's special symbols."""
    import sentencepiece

    folder = tmp_path_factory.mktemp("sentencepiece")
    (folder / "text.txt").write_text("\n".join(LINES * 5), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text.txt"),
        model_prefix=str(folder / "sentencepiece.bpe"),
        vocab_size=160,
        model_type="unigram",
        character_coverage=1.0,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "sentencepiece.bpe.model"


@pytest.fixture(scope="session")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The ``World`` of all kinds with twelve rows each; nobody may write into its folder."""
    from tests.every_kind import CORPORA, examples, make_world

    rows = {name: examples(name, 12, words=20) for name in CORPORA}
    return make_world(tmp_path_factory.mktemp("data") / "bin", open_tokenizer(sentencepiece_model), rows)


@pytest.fixture(scope="session")
def word_piece_tokens() -> list[str]:
    """A small lower-cased WordPiece vocabulary with BERT's special tokens where bert-base has them."""
    letters = sorted({c for line in LINES for c in line.lower() if not c.isspace()})
    words = sorted({w for line in LINES for w in line.lower().split() if w.isalpha()} - set(letters))
    unused = [f"[unused{i}]" for i in range(5)]
    special = ["[PAD]", *unused, "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return [*special, *letters, *words, *(f"##{c}" for c in letters)]


@pytest.fixture
def word_piece_vocabulary(word_piece_tokens: list[str], tmp_path: Path) -> Path:
    """The ``vocab.txt`` of ``word_piece_tokens``."""
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(word_piece_tokens) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs ``skill-plugin`` in this process: exit status, standard output, standard error."""
    from skill_plugin.cli.main import main

    def run(*arguments: object) -> tuple[int, str, str]:
        status = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            status = int(exit_.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture(scope="session")
def encoders(
    sentencepiece_model: Path, word_piece_tokens: list[str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, TextEncoder]:
    """SentencePiece with RoBERTa's template, lower-casing WordPiece with BERT's."""
    path = tmp_path_factory.mktemp("word_piece") / "vocab.txt"
    path.write_text("\n".join(word_piece_tokens) + "\n", encoding="utf-8")
    return {"sentencepiece": open_tokenizer(sentencepiece_model), "word_piece": open_tokenizer(path)}


@pytest.fixture(scope="session", params=["sentencepiece", "word_piece"])
def encoder(request: pytest.FixtureRequest, encoders: dict[str, TextEncoder]) -> TextEncoder:
    return encoders[request.param]
