"""A model of every kind, its file, and a server in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from skill_plugin import api
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.serving.app import make_app
from skill_plugin.serving.limits import Limits
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, examples, make_world

Serve = Callable[..., Any]


@pytest.fixture(scope="session")
def model(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> api.Model:
    rows = {name: examples(name, 10) for name in CORPORA}
    return make_world(tmp_path_factory.mktemp("data") / "bin", open_tokenizer(sentencepiece_model), rows).model()


@pytest.fixture(scope="session")
def checkpoint(model: api.Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoint") / "model.pt"
    save_checkpoint(Checkpoint(model.bundle, model.model.state_dict()), path)
    return path


@pytest.fixture(scope="session")
def serve(model: api.Model) -> Serve:
    """serve(questions, queue=3) runs a coroutine function of a client of a server with these limits."""

    def run(
        questions: Callable[[httpx.AsyncClient], Awaitable[Any]],
        token: str | None = None,
        own: str | None = None,
        **limits: Any,
    ) -> Any:
        async def whole() -> Any:
            app = make_app(model, replace(Limits(), **limits), token, own=own)
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with (
                app.router.lifespan_context(app),
                httpx.AsyncClient(transport=transport, base_url="http://server", timeout=60) as client,
            ):
                return await questions(client)

        return asyncio.run(whole())

    return run
