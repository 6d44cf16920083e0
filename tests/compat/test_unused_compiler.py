"""A start does not load torch's compiler."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys, torch
from skill_plugin.compat import unused_compiler
from skill_plugin.optim.active_adamw import ActiveAdamW
if sys.argv[1] == "with":
    unused_compiler.install()
number = torch.nn.Parameter(torch.ones(1))
for make in (ActiveAdamW, torch.optim.SGD):
    optimizer = make([number], lr=0.1)
    (number * 2).sum().backward()
    if make is ActiveAdamW:
        optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
    optimizer.zero_grad()
assert number.item() < 1 and number.grad is None
print("torch._dynamo" in sys.modules)
"""


@pytest.mark.parametrize(("patch", "loaded"), [("with", "False"), ("without", "True")])
def test_an_optimizer_does_not_load_it(patch: str, loaded: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, patch], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == (loaded, 0), done.stderr
