"""An update of whole training runs: how long it takes, how long the device is busy in it, and what the host launches.

Runs of ``fairseq-train`` from random weights on GLUE's eight corpora (or those of --data), of every variant; a batch is
8 draws of 16 sentences, or 16 of one corpus. With several --options, or --beside, each run is made with each of them in
turn. Without a GPU the operations of the CPU stand for its kernels.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from measures.asked import ROOT, Asked, Cases
from measures.figure import Figure, at_most
from measures.made_data import data_of
from measures.runs import Clock, Programs, train_job
from skill_plugin.variants.catalogue import VARIANTS

REACHES = {8: at_most(1.6), 1: at_most(2.5)}  # of an update over the device's busy time, by draws a batch
NO_MORE = at_most(1.02)  # what was measured twice differs by that much
FLOPS = {"skillnet_x_ffn": at_most(1.2), "skillnet_x_ffn_mha": at_most(1.2)}


@dataclass(frozen=True)
class Setting:
    """One of the ways in which every run is made.

    Attributes:
        name: behind the name of its numbers; nothing for runs of this checkout without more options.
        checkout: whose plugin trains.
        options: further ones of ``fairseq-train``.
    """

    name: str
    checkout: Path
    options: tuple[str, ...]


class Updates:
    """Runs that were made, so that none is made twice."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._programs = Programs(ahead=asked.device == "cuda")
        self._found: dict[tuple[str, int, Setting], dict[str, Any]] = {}
        own = [Setting(options, ROOT, tuple(shlex.split(options))) for options in asked.options]
        self.settings = [*own, *(Setting(name, folder.resolve(), ()) for name, folder in asked.beside)]

    def clock(self) -> Clock:
        if self._asked.tiny:
            return Clock(1, 3, 2)
        return Clock(150, 100, 10) if self._asked.device == "cuda" else Clock(2, 6, 2)

    def report(self, variant: str, corpora: int, setting: Setting) -> dict[str, Any]:
        """What a run gave."""
        key = (variant, corpora, setting)
        if key not in self._found:
            batch = 2 if self._asked.tiny else 16
            job = train_job(
                self._asked, data_of(self._asked), variant, corpora, self.clock(), batch,
                setting.checkout, setting.options,
            )  # fmt: skip
            self._found[key] = self._programs.run(job)
        return self._found[key]


def update(updates: Updates, variant: str, corpora: int) -> Iterator[Figure]:
    """The numbers of a variant in every setting."""
    first = updates.settings[0]
    for setting in updates.settings:
        yield over_busy(updates, variant, corpora, setting)
        if variant in FLOPS and corpora > 1:
            yield over_flops(updates, variant, corpora, setting)
        if setting is not first:
            yield busy_over(updates, variant, corpora, setting)


def over_busy(updates: Updates, variant: str, corpora: int, setting: Setting) -> Figure:
    """The time of an update over that in which the device is busy."""
    report = updates.report(variant, corpora, setting)
    profile = report["profile"]
    return Figure(
        report["median_seconds"] / profile["busy_seconds"],
        f"`{variant}`, {corpora}×16 sentences: an update over the device's busy time in it{_in(setting)}",
        REACHES[corpora],
        setting.name,
        details={
            "ms": report["median_seconds"] * 1e3,
            "mean_ms": report["mean_seconds"] * 1e3,
            "busy_ms": profile["busy_seconds"] * 1e3,
            "kernels": profile["kernels"],
            "launches": profile["launches"],
            "copies": profile["copies"],
            "sentences_per_s": report["sentences"] / report["updates"] / report["mean_seconds"],
            "tokens": report["tokens"] / report["updates"],
            "peak_GB": report.get("peak_bytes", 0) / 1e9,
            "most_ms": profile["most_ms"],
        },
    )


def over_flops(updates: Updates, variant: str, corpora: int, setting: Setting) -> Figure:
    """The time of an update over dense's, both by their products: active weights of matrices times tokens."""
    ours, dense = (updates.report(name, corpora, setting) for name in (variant, "dense"))
    times = ours["median_seconds"] / dense["median_seconds"]
    products = ours["products"] / dense["products"]
    return Figure(
        times / products,
        f"`{variant}`, {corpora}×16 sentences: an update over dense's times its FLOPs over dense's{_in(setting)}",
        FLOPS[variant],
        f"{setting.name}/flops".strip("/"),
        details={
            "time_over_dense": times,
            "flops_over_dense": products,
            "tflop": 6 * ours["products"] / ours["updates"] / 1e12,  # a product is 2 FLOPs forward and 4 backward
            "dense_tflop": 6 * dense["products"] / dense["updates"] / 1e12,
            "busy_over_dense": ours["profile"]["busy_seconds"] / dense["profile"]["busy_seconds"],
        },
    )


def busy_over(updates: Updates, variant: str, corpora: int, setting: Setting) -> Figure:
    """The device's busy time of the first setting over that of another, and the times of an update."""
    ours, theirs = (updates.report(variant, corpora, one) for one in (updates.settings[0], setting))
    return Figure(
        ours["profile"]["busy_seconds"] / theirs["profile"]["busy_seconds"],
        f"`{variant}`, {corpora}×16 sentences: the device's busy time over that{_in(setting)}",
        NO_MORE,
        f"busy-over/{setting.name}",
        details={"update_over": ours["median_seconds"] / theirs["median_seconds"]},
    )


def _in(setting: Setting) -> str:
    if setting.options:
        return f" with `{' '.join(setting.options)}`"
    return f", {setting.name}" if setting.name else ""


def cases(asked: Asked) -> Cases:
    updates = Updates(asked)
    return {
        f"update/{corpora}x16/{variant}": partial(update, updates, variant, corpora)
        for corpora in REACHES
        for variant in asked.variants or VARIANTS
    }
