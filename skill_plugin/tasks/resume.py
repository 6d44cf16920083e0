"""What must be the same when a run goes on, so that it goes on exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fairseq.distributed import utils as distributed_utils

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import every_kind, kind_named
from skill_plugin.options.flag import flag_of
from skill_plugin.sampling.rules import RULES
from skill_plugin.spec.averages import WEIGHTED
from skill_plugin.tasks.same_data import check_same_data, identify_data, mix_seeds
from skill_plugin.tasks.sampling_options import read_alphas, read_sampling_weights
from skill_plugin.tasks.train_rows import find_train_rows, show_train_rows

# conditions whose difference has a message of its own, beside ``Kind.changes``
_WITH_OWN_MESSAGE = {"labels", "r4f", "head-options", "lora", "base", "options", "data", "best-checkpoint-metric"}


def resume_conditions(bundle: Bundle, cfg: Any, loaded: Mapping[str, Iterable[CorpusExamples]]) -> dict[str, Any]:
    """What the plan, the meaning of the heads and that of the best checkpoint depend on.

    Args:
        bundle: bundle of the run.
        cfg: options of the task.
        loaded: the examples of each corpus, by split.
    """
    alphas = read_alphas(cfg.sampling_alpha)
    weights = read_sampling_weights(cfg.sampling_weights, list(bundle.labels))
    compared = ("train",) if cfg.reset_meters else ("train", "valid")
    moves = alphas[0] != alphas[1]
    used = (alphas if moves else alphas[:1]) if RULES[str(cfg.corpus_sampling)].has_alpha else ()
    return {
        "labels": {name: list(labels) for name, labels in bundle.labels.items()},
        "ranks": distributed_utils.get_data_parallel_world_size(),
        "update-freq": [int(frequency) for frequency in cfg.update_freq],
        "seed": int(cfg.seed),
        "sampling": [str(cfg.corpus_sampling), *used],
        # how far alpha has moved depends on it, and with that what earlier epochs drew
        "max-update": cfg.max_update if moves else None,
        "sampling-weights": [f"{name}={weight:g}" for name, weight in sorted(weights.items())],
        "sampling-cap": cfg.sampling_cap,
        "corpus-patience": cfg.corpus_patience,
        "corpora-per-batch": int(cfg.corpora_per_batch),
        "batch-size": cfg.batch_size,
        "max-tokens": cfg.max_tokens,
        "mlm-batch-share": cfg.mlm_batch_share,
        "max-length": bundle.max_length,
        "r4f": bundle.r4f,
        **{change: _read_as_now(bundle, change) for change in _changes()},
        "head-options": {name: bundle.corpus(name).head_options for name in bundle.labels},
        "lora": [bundle.lora.rank, bundle.lora.alpha, bundle.lora.dropout, ",".join(bundle.lora.targets)],
        "base": bundle.base,
        "options": {"arch": bundle.variant, **bundle.given()},
        "best-checkpoint-metric": _chosen_by(bundle, cfg),
        "mix_seed": mix_seeds(bundle),
        "train-rows": show_train_rows(find_train_rows(map(bundle.corpus, bundle.labels), cfg.train_rows)),
        "data": identify_data({split: loaded[split] for split in compared if split in loaded}),
    }


def check_resume(stopped: dict[str, Any], now: dict[str, Any]) -> None:
    """Compares the conditions of the run that stopped with those of the one that resumes it.

    Raises:
        InputError: the first difference. The plan's position is counted in each rank's batches, so another number of
            ranks or of batches an update would skip some of them and repeat others.
    """
    stopped = {"labels": {}, "train-rows": [], **stopped}  # before there were parts, all rows were trained on
    for differences in (_of_labels, _of_kinds, _of_adapters, _of_options, _of_choosing):
        for difference in differences(stopped, now):
            raise InputError(f"cannot resume: {difference}")
    check_same_data(stopped.get("data", {}), now["data"])
    for difference in _of_the_plan(stopped, now):
        raise InputError(f"cannot resume: {difference}")


def _of_labels(stopped: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name, labels in stopped["labels"].items():
        if now["labels"].get(name, labels) != labels:
            yield f"the labels of {name!r} were {', '.join(labels)}, now {', '.join(now['labels'][name])}"
    if gone := [name for name in stopped["labels"] if name not in now["labels"]]:
        yield f"corpora that this run does not have: {', '.join(gone)}; keep them, or see --init-from"
    if added := [name for name in now["labels"] if name not in stopped["labels"]]:
        yield f"corpora that the run did not have: {', '.join(added)}; see --init-from"


def _of_kinds(stopped: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    if now["r4f"] != stopped.get("r4f", False):
        yield f"the run was {'without' if now['r4f'] else 'with'} --r4f; see --init-from"
    for key, what in _changes().items():
        if [name for name in stopped.get(key, []) if name in now["labels"]] != now[key]:
            yield f"the run {what}: {_shown(now[key])}; start a new run with --init-from"
    for name, options in now["head-options"].items():
        before = _head_options(stopped, name)
        for key, value in options.items():
            if before.get(key, value) != value:
                yield f"{key} of {name!r} was {before[key]}, now {value}; keep it, or see --init-from"


def _head_options(stopped: dict[str, Any], name: str) -> dict[str, Any]:
    """``Corpus.head_options`` of a run that stopped; of earlier versions only the scale of scores is known."""
    if "head-options" in stopped:
        return dict(stopped["head-options"].get(name, {}))
    return {"score_scale": "raw" if name in stopped.get("score-scale", []) else "normalised"}


def _of_adapters(stopped: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    if stopped.get("lora", now["lora"]) != now["lora"]:
        was, is_now = _shown(stopped["lora"]), _shown(now["lora"])
        what = f"rank, alpha, dropout and targets of LoRA were {was}, now {is_now}"
        yield f"{what}; keep them, or start a new run with --init-from"
    if stopped.get("base", now["base"]) != now["base"]:
        yield "--init-from is not the base that the adapters were trained beside"


def _of_options(stopped: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Of the model, of which some change what it computes, but none of its weights."""
    before, after = stopped.get("options", now["options"]), now["options"]
    for name in dict.fromkeys([*before, *after]):
        was, is_now = (_shown(options.get(name)) for options in (before, after))
        if was != is_now:
            yield f"{flag_of(name)} was {was}, now {is_now}; keep it, or start a new run with --init-from"


def _of_choosing(stopped: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    best = "best-checkpoint-metric"
    if now[best] is not None and stopped.get(best) not in (None, now[best]):
        what = f"the best checkpoint was chosen by {_shown(stopped[best])}, now by {_shown(now[best])}"
        yield f"{what}; keep it, or forget which was the best with --reset-meters"


def _of_the_plan(stopped: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for key, value in now.items():
        if key in stopped and key not in {*_WITH_OWN_MESSAGE, *_changes()} and value != stopped[key]:
            what = f"{key} was {_shown(stopped[key])}, now {_shown(value)}"
            yield f"{what}; keep it, or start a new plan with --reset-dataloader"


def _changes() -> dict[str, str]:
    """``Kind.changes`` of all kinds."""
    return {change: what for kind in every_kind() for change, what in kind.changes.items()}


def _read_as_now(bundle: Bundle, change: str) -> list[str]:
    """The corpora that are read in today's way, where kinds once read them in another."""
    if change == "joined-question" and not bundle.joined_question:  # of a checkpoint of before
        return []
    corpora = [bundle.corpus(name) for name in bundle.labels]
    kinds = [(corpus, kind_named(corpus.kind)) for corpus in corpora]
    return [corpus.name for corpus, kind in kinds if change in kind.changes and kind.is_changed(corpus)]


def _chosen_by(bundle: Bundle, cfg: Any) -> list[str] | None:
    """The metric, and where it depends on them the weights; None for a run that forgets what was the best."""
    if cfg.reset_meters:
        return None
    name = str(cfg.best_checkpoint_metric)
    weights = bundle.average_weights if name == WEIGHTED else {}
    return [name, *(f"{corpus}={weight:g}" for corpus, weight in sorted(weights.items()))]


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "not given"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
