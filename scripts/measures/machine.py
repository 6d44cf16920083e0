"""On what was measured: the machine, versions, and the commit."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import torch

from measures.asked import ROOT

PACKAGES = {"torch": "torch", "fairseq": "ve-fairseq", "transformers": "transformers", "numpy": "numpy"}


def describe_machine(commit: str | None) -> dict[str, Any]:
    """Processor, cores and GPUs; versions; the commit.

    Args:
        commit: of this checkout, where git does not know it.
    """
    gpus = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    return {
        "machine": {"cpu": _processor(), "cores": len(os.sched_getaffinity(0)), "gpus": gpus},
        "versions": {"python": platform.python_version(), **{name: _version(PACKAGES[name]) for name in PACKAGES}},
        "commit": commit or _commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """That of the checkout, with ``-dirty`` where files differ from it; None without git."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
