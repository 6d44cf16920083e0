"""What a server answers at which address."""

from __future__ import annotations

import hmac
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException

from skill_plugin import __version__
from skill_plugin.api import Model
from skill_plugin.errors import nearest
from skill_plugin.kinds.input_form import make_input_form
from skill_plugin.serving.desk import Desk
from skill_plugin.serving.limits import Limits
from skill_plugin.serving.own_machine import only_as_own
from skill_plugin.serving.question import SCHEMA
from skill_plugin.serving.refusal import RefusedError

# what a browser shows: nothing of it is from elsewhere
PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/docs": ("docs.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/docs.js": ("docs.js", "text/javascript; charset=utf-8"),
}
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_ERROR = {"application/json": {"schema": {"type": "object", "properties": {"error": {"type": "string"}}}}}
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The body is not JSON"},
    401: {"description": "The token is missing or wrong"},
    408: {"description": "The body did not arrive in time"},
    413: {"description": "The body is too large"},
    415: {"description": "The body is not said to be JSON"},
    421: {"description": "Without a token, asked under the name of another machine"},
    422: {"description": "No such corpus, or an input that its kind cannot have"},
    503: {"description": "Too much is waiting; Retry-After says when to ask again"},
}
_ANSWERS = {
    "description": "An answer for each input, in order; by corpus where a list of corpora was asked",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {
                    "predictions": {
                        "anyOf": [
                            {"type": "array", "items": {"type": "object"}},
                            {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "object"}}},
                        ]
                    }
                },
            }
        }
    },
}


def make_app(
    model: Model,
    limits: Limits,
    token: str | None = None,
    ready: Callable[[], None] | None = None,
    own: str | None = None,
) -> FastAPI:
    """The application.

    Args:
        model: answers.
        limits: what is refused.
        token: that requests must bear, but for those to the pages and ``/healthz``; None for none.
        ready: called when requests can be answered.
        own: the name under which only its own machine reaches it; None where others do.
    """
    desk = Desk(model, limits)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        desk.batcher.start()
        if ready is not None:
            ready()
        yield
        await desk.close()

    app = FastAPI(title="skill_plugin", version=__version__, docs_url=None, redoc_url=None, lifespan=life)
    guard = [] if own is None else [Depends(only_as_own(own))]
    if token is not None:  # which no page of another site has
        guard = [Depends(HTTPBearer(auto_error=False)), Depends(_guard(token))]
    _add_model(app, desk, guard)
    _add_state(app, desk, guard)
    for path, (name, kind) in PAGES.items():
        _add_page(app, path, files(__package__).joinpath("page", name).read_bytes(), kind)
    _add_errors(app)
    return app


def _add_model(app: FastAPI, desk: Desk, guard: list[Any]) -> None:
    body = {"required": True, "content": {"application/json": {"schema": SCHEMA}}}
    responses = {status: {**refusal, "content": _ERROR} for status, refusal in _REFUSALS.items()}

    @app.post(
        "/predict",
        dependencies=guard,
        openapi_extra={"requestBody": body},
        responses={200: _ANSWERS, **responses},
        response_class=Response,
        summary="Answer inputs",
    )
    async def predict(request: Request) -> Response:
        began, status = time.monotonic(), 500
        try:
            answer = await desk.answer(request)
            status = 200
            return Response(answer, media_type="application/json")
        except RefusedError as refused:
            status = refused.status
            raise
        finally:
            desk.meters.requests.labels(str(status)).inc()
            desk.meters.seconds.observe(time.monotonic() - began)

    corpora = {name: _describe(desk.model, name) for name in desk.model.corpora}

    @app.get("/corpora", dependencies=guard, summary="The corpora that can be asked")
    async def list_corpora() -> dict[str, dict[str, Any]]:
        return {"corpora": corpora}


def _describe(model: Model, name: str) -> dict[str, Any]:
    corpus = model.bundle.corpus(name)
    form = make_input_form(corpus)
    return {
        "kind": corpus.kind,
        "language": corpus.language,
        "skills": list(corpus.skills),
        "labels": list(model.labels(name)),
        "texts": list(form.texts),
        "keys": list(form.keys),
    }


def _add_state(app: FastAPI, desk: Desk, guard: list[Any]) -> None:
    @app.get("/healthz", summary="Whether questions are answered")
    async def healthz() -> JSONResponse:
        works = desk.batcher.works
        state = {"status": "ok" if works else "stopped", "waiting": desk.inside}
        return JSONResponse(state, 200 if works else 503)

    @app.get("/metrics", dependencies=guard, summary="Counts and times for Prometheus", response_class=Response)
    async def metrics() -> Response:
        return Response(generate_latest(desk.meters.registry), media_type=CONTENT_TYPE_LATEST)


def _add_page(app: FastAPI, path: str, content: bytes, kind: str) -> None:
    @app.get(path, include_in_schema=False)
    async def page() -> Response:
        return Response(content, media_type=kind, headers=_SAFE)


def _add_errors(app: FastAPI) -> None:
    paths = [route.path for route in app.routes if hasattr(route, "path")]

    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: RefusedError) -> JSONResponse:
        return JSONResponse({"error": error.message}, error.status, error.headers)

    @app.exception_handler(HTTPException)
    async def not_here(request: Request, error: HTTPException) -> JSONResponse:
        message = f"{request.method} {request.url.path}: {str(error.detail).lower()}"
        if error.status_code == 404:
            message += nearest(request.url.path, paths)
        answer = RefusedError(error.status_code, message, dict(error.headers or {}))
        return await refused(request, answer)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": "the server failed; its log says more"}, 500)


def _guard(token: str) -> Callable[[Request], None]:
    expected = f"Bearer {token}".encode()

    def check(request: Request) -> None:
        given = request.headers.get("authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, expected):
            message = "the header Authorization is to be 'Bearer ' and the server's token"
            raise RefusedError(401, message, {"WWW-Authenticate": "Bearer", "Connection": "close"})

    return check
