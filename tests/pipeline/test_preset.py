"""Presets are settings that fairseq-train takes."""

from __future__ import annotations

import pytest

from skill_plugin.errors import InputError
from skill_plugin.pipeline.preset import preset_names, read_preset


def test_the_papers_settings_are_options_of_fairseq_train() -> None:
    preset = read_preset("paper:skillnet_x")
    assert (preset.variant, preset.budget) == ("skillnet_x_ffn_mha", None)
    assert preset.options == {
        "--seed": ("1",), "--task": ("multilingual_multitask",), "--sampling": ("temperature",),
        "--sampling-alpha": ("0.4",), "--criterion": ("multitask_cross_entropy",), "--loss-scaling": ("log-classes",),
        "--optimizer": ("skill_adam",), "--lr-scheduler": ("polynomial_decay",), "--batch-size": ("16",),
        "--max-update": ("200000",), "--lr": ("1e-5",), "--save-interval-updates": ("1000",),
        "--keep-interval-updates": ("0",), "--no-epoch-checkpoints": (), "--best-checkpoint-metric": ("avg",),
        "--maximize-best-checkpoint-metric": (),
    }  # fmt: skip


@pytest.mark.parametrize("name", preset_names())
def test_fairseq_knows_every_option(name: str) -> None:
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf

    import skill_plugin.register  # noqa: F401
    from skill_plugin.pipeline.fairseq_options import option_words

    preset = read_preset(name)
    words = ["data", *option_words(preset.options), "--arch", f"{preset.variant}_base"]
    more = [] if preset.budget is None else ["--max-update", "10", "--lr", "1", "--batch-size", "2"]
    if preset.options["--lr-scheduler"] == ("polynomial_decay",):
        more += ["--total-num-update", "10"]  # that of --max-update, as the programs fill in
    cfg = convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), [*words, *more]))
    assert cfg.task._name == "multilingual_multitask"


def test_an_unknown_one_is_refused_with_the_nearest() -> None:
    assert preset_names()[:2] == ["standard", "quick"]
    with pytest.raises(InputError, match="--preset paper:skilnet: there is none; did you mean 'paper:skillnet'"):
        read_preset("paper:skilnet")
