"""Whom a server without a token answers, that only its own machine reaches."""

from __future__ import annotations

import socket

import httpx
import pytest

from skill_plugin.serving.own_machine import is_own
from tests.serving.conftest import Serve

HOSTS = {
    "localhost": True, "LocalHost:8000": True, "127.0.0.1:8000": True, "127.8.9.1": True, "[::1]:8000": True, "": True,
    "app.localhost:80": True, "Study:8000": True, "evil.com": False, "localhost.evil.com:8000": False,
    "127.0.0.1.evil.com": False, "10.0.0.1:8000": False, "[2001:db8::1]:80": False, "study.evil.com": False,
}  # fmt: skip


@pytest.mark.parametrize("token", [None, "open-sesame"])
def test_the_name_that_is_asked(serve: Serve, token: str | None) -> None:
    async def questions(client: httpx.AsyncClient) -> dict[str, int]:
        bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        for path in ("/", "/healthz"):
            assert (await client.get(path, headers={"Host": "evil.com"})).status_code == 200
        body = {"corpus": "one", "inputs": ["a"]}
        answers = {host: await client.post("/predict", json=body, headers={"Host": host, **bearer}) for host in HOSTS}
        return {host: answer.status_code for host, answer in answers.items()}

    statuses = serve(questions, token=token, own="study")
    assert statuses == {host: 200 if good or token else 421 for host, good in HOSTS.items()}


def test_what_only_this_machine_reaches() -> None:
    for address, own in (("127.0.0.1", True), ("0.0.0.0", False)):
        with socket.create_server((address, 0)) as bound:
            assert is_own(bound) is own
