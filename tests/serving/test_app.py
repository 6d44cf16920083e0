"""The server's answers are those of ``predict``, and what it cannot answer it refuses in one line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np
import pytest
from hypothesis import example as also
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin import api
from skill_plugin.files.json_file import json_text
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.serving.app import PAGES
from tests.every_kind import CORPORA, examples, raw_input
from tests.serving.conftest import Serve
from tests.test_api_together import OF_TEXTS, near

JSON = {"Content-Type": "application/json"}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ALMOST = st.fixed_dictionaries(
    {"corpus": st.sampled_from(list(CORPORA)) | st.lists(st.sampled_from([*CORPORA, "ones"]), max_size=3) | VALUES},
    optional={
        "inputs": VALUES
        | st.lists(
            VALUES
            | st.dictionaries(
                st.sampled_from(["text", "text_a", "text_b", "question", "context", "candidates", "words", "start_a"]),
                VALUES,
                max_size=3,
            ),
            max_size=3,
        ),
        "input": VALUES,
    },
)


def ask(serve: Serve, *bodies: Any, **server: Any) -> list[httpx.Response]:
    """The answers to some bodies, one after the other."""

    async def questions(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [
            await client.post("/predict", content=one if isinstance(one, bytes) else json.dumps(one), headers=JSON)
            for one in bodies
        ]

    found: list[httpx.Response] = serve(questions, **server)
    return found


def as_predict_writes_them(predictions: list[Prediction]) -> Any:
    """What ``predict --json`` writes, where half a character becomes a question mark."""
    return json.loads(json_text([one.to_json() for one in predictions]).encode("utf-8", "replace"))


def error_of(answer: httpx.Response) -> str:
    """The message of a refusal, which is one line."""
    assert list(answer.json()) == ["error"]
    message: str = answer.json()["error"]
    assert message and "\n" not in message and "Traceback" not in message and len(message) < 600
    return message


@pytest.mark.parametrize("name", CORPORA)
def test_every_kind_answers_as_predict_does(serve: Serve, model: api.Model, name: str) -> None:
    inputs = [raw_input(name, made) for made in examples(name, 40, words=30)]  # several pieces
    (answer,) = ask(serve, {"corpus": name, "inputs": inputs})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    found = answer.json()["predictions"]
    assert near(found, as_predict_writes_them(model.predict(name, inputs)))


def test_several_corpora_and_no_inputs(serve: Serve, model: api.Model) -> None:
    texts = ["the cat sat", "", "der Hund 北京 🙂 " * 40, "\u2028 \x00", "\ud800 half"]
    several, one, none = ask(
        serve,
        {"corpus": OF_TEXTS, "inputs": texts},
        {"corpus": ["one"], "inputs": texts},
        {"corpus": "one", "inputs": []},
    )
    found = several.json()["predictions"]
    assert list(found) == OF_TEXTS
    for name, predictions in model.predict(OF_TEXTS, texts).items():
        assert near(found[name], as_predict_writes_them(predictions))
    assert near(one.json()["predictions"]["one"], found["one"])
    assert none.json() == {"predictions": []}


def test_twenty_clients_at_once(serve: Serve, model: api.Model) -> None:
    """Over all corpora of texts: no answer is lost, nor another one's, whatever is read together."""
    random = np.random.default_rng(0)
    texts = ["cat " * number for number in range(30)] + ["der Hund", "", "北京 天气"]
    expected = {name: [one.to_json() for one in answers] for name, answers in model.predict(OF_TEXTS, texts).items()}

    async def client(http: httpx.AsyncClient, number: int) -> int:
        own = np.random.default_rng([number])
        for _ in range(5):
            names = own.permutation(OF_TEXTS)[: int(own.integers(1, 4))].tolist()
            chosen = own.permutation(len(texts))[: int(own.integers(1, 20))].tolist()
            answer = await http.post("/predict", json={"corpus": names, "inputs": [texts[i] for i in chosen]})
            assert answer.status_code == 200
            for name, predictions in answer.json()["predictions"].items():
                assert near(predictions, [expected[name][i] for i in chosen])
        return 5

    async def clients(http: httpx.AsyncClient) -> tuple[list[int], str]:
        done = await asyncio.gather(*(client(http, int(one)) for one in random.integers(0, 1 << 30, 20)))
        return done, (await http.get("/metrics")).text

    for limits in ({}, {"batch": 1}, {"tokens": 40}):
        done, metrics = serve(clients, **limits)
        assert sum(done) == 100
        assert 'skill_plugin_requests_total{status="200"} 100.0' in metrics
        assert "skill_plugin_waiting 0.0" in metrics


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 400, "the body is not JSON"),
        (b"{", 400, "the body is not JSON"),
        (b"\xff", 400, "the body is not UTF-8 (byte 0)"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b'{"corpus": "one", "inputs": [' + b"[" * 900 + b"]" * 900 + b"]}", 422, "inputs[0]|nested too deeply"),
        (b"1" * 5000, 400, "thousands of digits"),
        ([], 422, "expected an object with the keys 'corpus' and 'inputs'"),
        ({}, 422, "the key 'corpus' is missing"),
        ({"corpus": "one"}, 422, "the key 'inputs' is missing"),
        ({"corpora": "one", "inputs": []}, 422, "unknown key 'corpora'; did you mean 'corpus'?"),
        ({"corpus": "pairs", "inputs": []}, 422, "the model has no corpus 'pairs'; did you mean 'pair'?"),
        ({"corpus": ["one", "pairs"], "inputs": []}, 422, "did you mean 'pair'?"),
        ({"corpus": [], "inputs": []}, 422, "'corpus' is to be the name of a corpus, or a list of one or more names"),
        ({"corpus": [["one"]], "inputs": []}, 422, "'corpus' is to be the name"),
        ({"corpus": "one", "inputs": "the cat"}, 422, "'inputs' is to be a list"),
        ({"corpus": "one", "inputs": ["a", 3]}, 422, "inputs[1] for 'one': expected a text"),
        ({"corpus": "one", "inputs": [["a", "b"]]}, 422, "inputs[0] for 'one': 2 texts; the corpus 'one' has 1"),
        ({"corpus": "span", "inputs": ["a"] * 16 + [{"contxt": "a"}]}, 422, "inputs[16] for 'span': unknown key"),
        ({"corpus": "one", "inputs": [{"\ud800\n": "a"}]}, 422, "unknown key"),
        ({"corpus": "one", "inputs": ["a" * 20_001]}, 422, "inputs[0]: 20,001 characters; an input may have 20,000"),
        ({"corpus": "one", "inputs": [""] * 257}, 422, "257 inputs, counted for each corpus; a request may have 256"),
        ({"corpus": ["one", "pair"], "inputs": [""] * 129}, 422, "258 inputs, counted for each corpus"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_refused(serve: Serve, body: Any, status: int, message: str) -> None:
    (answer,) = ask(serve, body)
    assert answer.status_code == status
    assert any(part in error_of(answer) for part in message.split("|"))


@settings(max_examples=60)
@given(st.binary(max_size=60) | VALUES | ALMOST)
@also({"corpus": "wic", "inputs": [{"text_a": "a", "start_a": float("nan"), "start_b": 1e400}]})
@also({"corpus": "span", "inputs": [{"question": "", "context": "", "id": [[{}]]}]})
def test_any_body_is_answered_or_refused(serve: Serve, body: Any) -> None:
    (answer,) = ask(serve, body)
    if answer.status_code != 200:
        assert answer.status_code in (400, 422)
        error_of(answer)


def test_sizes_and_headers(serve: Serve) -> None:
    good = json.dumps({"corpus": "one", "inputs": ["the cat"]})

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 1000

    async def questions(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [
            await client.post("/predict", content=good, headers=JSON),
            await client.post("/predict", content=good, headers={"Content-Type": "application/json; charset=utf-8"}),
            await client.post("/predict", content=b" " * 50_001, headers=JSON),
            await client.post("/predict", content=chunks(), headers=JSON),
            await client.post("/predict", content=good),
            await client.post("/predict", data={"corpus": "one"}),
            await client.get("/predict"),
            await client.get("/predit"),
        ]

    answers = serve(questions, body=50_000)
    assert [one.status_code for one in answers] == [200, 200, 413, 413, 415, 415, 405, 404]
    for answer in answers[2:]:
        error_of(answer)
    assert "50,000 bytes" in error_of(answers[2])
    assert "did you mean '/predict'?" in error_of(answers[7])


def test_a_full_queue_says_when_to_come_again(serve: Serve, model: api.Model) -> None:
    texts = [f"the cat {number}" for number in range(30)]
    expected = [one.to_json() for one in model.predict("one", texts)]

    async def questions(client: httpx.AsyncClient) -> list[httpx.Response]:
        return await asyncio.gather(
            *(client.post("/predict", json={"corpus": "one", "inputs": [text]}) for text in texts)
        )

    answers = serve(questions, queue=3)
    assert {one.status_code for one in answers} == {200, 503}
    for answer, right in zip(answers, expected, strict=True):
        if answer.status_code == 503:
            assert 1 <= int(answer.headers["retry-after"]) <= 60
            assert error_of(answer) == "too many requests are waiting"
        else:
            assert near(answer.json()["predictions"], [right])


def test_late_requests_and_late_answers(serve: Serve) -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(5)

    async def questions(client: httpx.AsyncClient) -> list[httpx.Response]:
        many = {"corpus": "one", "inputs": [f"the cat {n} " * 80 for n in range(250)]}
        return [
            await client.post("/predict", json=many),
            await client.post("/predict", content=slow(), headers=JSON),
            await client.get("/healthz"),
        ]

    late, received, health = serve(questions, seconds=0.02)
    assert (late.status_code, received.status_code) == (503, 408)
    assert "not answered within 0.02 seconds" in error_of(late) and "retry-after" in late.headers
    assert "did not arrive within 0.02 seconds" in error_of(received)
    assert health.json() == {"status": "ok", "waiting": 0}


def test_a_token(serve: Serve) -> None:
    body = {"corpus": "one", "inputs": ["the cat"]}

    async def questions(client: httpx.AsyncClient) -> list[tuple[int, int, int]]:
        found = []
        for value in (None, "", "Bearer", "Bearer wrong", "Basic open", "Bearer opén", "bearer open", "Bearer open"):
            headers = {} if value is None else {"Authorization": value.encode("latin-1")}
            posted = await client.post("/predict", json=body, headers=headers)
            others = [await client.get(path, headers=headers) for path in ("/corpora", "/metrics")]
            if posted.status_code == 401:
                assert posted.headers["www-authenticate"] == "Bearer"
                error_of(posted)
            found.append((posted.status_code, *(one.status_code for one in others)))
        for path in ("/healthz", "/openapi.json", *PAGES):
            assert (await client.get(path)).status_code == 200
        return found

    assert serve(questions, token="open") == [(401, 401, 401)] * 7 + [(200, 200, 200)]


def test_corpora_pages_and_description(serve: Serve, model: api.Model) -> None:
    async def questions(client: httpx.AsyncClient) -> dict[str, httpx.Response]:
        paths = ("/corpora", "/healthz", "/openapi.json", *PAGES)
        return {path: await client.get(path) for path in paths}

    found = serve(questions)
    assert {one.status_code for one in found.values()} == {200}
    corpora = found["/corpora"].json()["corpora"]
    assert list(corpora) == model.corpora
    assert corpora["span"]["keys"] == ["question", "context", "id"] and corpora["one"]["labels"] == ["b", "a", "c"]
    described = found["/openapi.json"].json()["paths"]
    assert set(described) == {"/predict", "/corpora", "/healthz", "/metrics"}
    assert {"200", "400", "401", "413", "422", "503"} <= described["/predict"]["post"]["responses"].keys()
    for path in PAGES:
        text = found[path].text
        assert "default-src 'none'" in found[path].headers["content-security-policy"]
        addresses = [part.split('"')[0].split("'")[0].split("`")[0] for part in text.split("http")[1:]]
        assert all(one.startswith(("://127.0.0.1:8000", "-equiv")) for one in addresses), addresses
