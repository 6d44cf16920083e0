"""The table of options has every option of ours, with the values that it may have."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY
from fairseq.models import MODEL_DATACLASS_REGISTRY
from fairseq.optim import OPTIMIZER_DATACLASS_REGISTRY
from fairseq.tasks import TASK_DATACLASS_REGISTRY

import skill_plugin.register  # noqa: F401
from skill_plugin.options.option_row import OptionRow
from skill_plugin.tasks.option_rows import option_rows

REGISTERED = {
    "multilingual_multitask": TASK_DATACLASS_REGISTRY,
    "skill_encoder": MODEL_DATACLASS_REGISTRY,
    "multitask_cross_entropy": CRITERION_DATACLASS_REGISTRY,
    "multitask_r3f": CRITERION_DATACLASS_REGISTRY,
    "adafactor": OPTIMIZER_DATACLASS_REGISTRY,
}


@pytest.fixture(scope="module")
def rows() -> dict[str, OptionRow]:
    found = option_rows()
    assert len({one.flag for one in found}) == len(found)
    return {one.flag: one for one in found}


@pytest.mark.parametrize("name", REGISTERED)
def test_every_field_that_is_registered_is_in_it(rows: dict[str, OptionRow], name: str) -> None:
    for field in dataclasses.fields(REGISTERED[name][name]):
        follows_fairseq = isinstance(field.default, str) and field.default.startswith("${")
        if field.name == "_name" or follows_fairseq:
            continue
        flag = field.metadata.get("argparse_alias") or "--" + field.name.replace("_", "-")
        row = rows["data" if field.name == "data" else flag]
        assert field.metadata["help"].startswith(row.help) and row.help
        assert row.allowed == str(field.metadata.get("allowed", ""))
        assert bool(row.choices) == hasattr(field.type, "__members__")


def test_what_defaults_mean_for_an_architecture(rows: dict[str, OptionRow]) -> None:
    assert rows["--experts"].default == "10 for moe_top2, 4 for mt_switch and mt_tag"
    assert rows["--expert-scale"].default == "renormalised for moe_top2, probability for mt_switch and mt_tag"
    assert rows["--conditional-form"].default == "large for ca_mtl_large, base for the others"
    assert rows["--freeze"].default == "bottom-half for ca_mtl, none for the others"
    assert rows["--skill-layers"].default == "the upper half for ca_mtl, all for the others"
    assert rows["--dropout"].default == "0.1"
    assert (rows["--sampling"].default, rows["--sampling"].type) == ("proportional", "str")
    assert rows["--experts"].allowed == "1 to 1024" and rows["--head"].choices == ("dense", "linear")


def test_the_models_own_need_no_fairseq() -> None:
    code = (
        "import sys; from skill_plugin.variants.option_rows import model_option_rows\n"
        "assert model_option_rows() and 'fairseq' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
