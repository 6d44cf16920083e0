"""A start does not load torch's compiler, which no run uses.

Fault: the first call of an optimizer's methods imports ``torch._dynamo``, to tell it that it shall leave them alone
(``torch._compile._disable_dynamo``, torch 2.11). That takes a quarter of a start, in every process.

No longer needed: when ``torch._dynamo`` is not among the imported modules after an optimizer was made.
"""

from __future__ import annotations

import sys

import torch
from torch.optim import Optimizer


def install() -> None:
    """Has the methods called as they are, unless the compiler is loaded already."""
    leave_alone = getattr(torch, "_disable_dynamo", None)
    if leave_alone is None or "torch._dynamo" in sys.modules:
        return
    lazy = leave_alone(lambda: None).__code__
    for method in vars(Optimizer).values():
        if getattr(method, "__code__", None) is lazy:
            plain = method.__wrapped__
            vars(plain).setdefault("__dynamo_disable", plain)  # what would be made of it by the compiler
