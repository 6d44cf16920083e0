"""``skill-plugin serve CKPT``: answers over HTTP, and a page to try it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from skill_plugin.cli.options import adapter_option, decode_option, device_option
from skill_plugin.errors import InputError, reason_of
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.options.decoding import Decoding
from skill_plugin.serving.limits import Limits

_LONGEST_TOKEN = 4096


def _check_number(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """click holds nan to be in any range."""
    if math.isnan(value):
        raise click.BadParameter("nan is not a number")
    return value


def _limit(flag: str, default: int | None, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    allowed = click.IntRange(1, LARGEST)
    return click.option(flag, type=allowed, default=default, show_default=default is not None, help=text)


@click.command()
@click.argument("checkpoint")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; 0.0.0.0 for every one.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 for any free one.")
@click.option("--token-file", metavar="FILE", help="Answer only requests that bear the token in this file.")
@device_option
@decode_option
@adapter_option
@_limit("--max-batch", Limits.batch, "The most requests read together.")
@_limit("--max-tokens", Limits.tokens, "Tokens of a forward pass; by default what suits the device.")
@_limit("--max-queue", Limits.queue, "The most requests that are received, wait or are answered at once.")
@_limit("--max-body", Limits.body, "The most bytes of a request.")
@_limit("--max-inputs", Limits.inputs, "The most inputs of a request, counted for each corpus that is asked.")
@_limit("--max-characters", Limits.characters, "The most characters of an input.")
@click.option(
    "--timeout", type=click.FloatRange(0, 86400, min_open=True), default=Limits.seconds, show_default=True,
    callback=_check_number,
    help="Seconds until a request that is not answered is given up.",
)  # fmt: skip
def serve(
    checkpoint: str,
    host: str,
    port: int,
    token_file: str | None,
    device: str,
    decode: Decoding,
    adapter: str | None,
    max_batch: int,
    max_tokens: int | None,
    max_queue: int,
    max_body: int,
    max_inputs: int,
    max_characters: int,
    timeout: float,
) -> None:
    """Answer over HTTP with the trained model CHECKPOINT, until the process is told to stop.

    POST /predict takes {"corpus": NAME, "inputs": […]}, or a list of names, which read the same inputs together. GET
    /corpora lists what can be asked, /healthz says whether it works, /metrics tells Prometheus, /docs describes all,
    and / is a page to try it. It needs the extra `serve`.
    """
    try:
        from skill_plugin.serving.app import make_app
        from skill_plugin.serving.own_machine import is_own
        from skill_plugin.serving.run import BACKLOG, address_of, bind, run
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("fastapi", "uvicorn", "prometheus_client", "starlette"):
            raise
        raise InputError(
            f"serving needs {error.name}, which a plain installation of skill_plugin leaves out: "
            "pip install '.[serve]' in the folder of its source"
        ) from None
    from skill_plugin import api

    token = None if token_file is None else _read_token(Path(token_file))
    with bind(host, port) as bound:  # before the model is loaded, which takes longer
        model = api.load(checkpoint, device, adapter, decode)
        limits = Limits(max_body, max_inputs, max_characters, max_queue, timeout, max_batch, max_tokens)
        own = host if is_own(bound) else None
        if token is None and own is None:
            click.echo("whoever reaches this machine may ask; --token-file has requests bear a token", err=True)

        def ready() -> None:
            bound.listen(BACKLOG)
            click.echo(f"serving {checkpoint} at {address_of(bound)}", err=True)

        run(make_app(model, limits, token, ready, own), bound, timeout)


def _read_token(path: Path) -> str:
    """The token of a file, without the white space around it."""
    try:
        with path.open("rb") as read:
            token = read.read(_LONGEST_TOKEN + 1).strip()
    except OSError as error:
        raise InputError(reason_of(error), path) from None
    if not token or len(token) > _LONGEST_TOKEN or not all(0x21 <= byte <= 0x7E for byte in token):
        raise InputError(f"expected a token: one to {_LONGEST_TOKEN:,} visible ASCII characters", path)
    return token.decode("ascii")
