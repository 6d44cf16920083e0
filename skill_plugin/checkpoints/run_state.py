"""What a checkpoint keeps of its run beside the model: its parts and their types, looked at before any of them is used.

A junk value would otherwise be a traceback some hundred lines or updates later, where the file is no longer known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from numbers import Real
from os import PathLike
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    FiniteFloat,
    InstanceOf,
    StrictBool,
    StrictInt,
    StrictStr,
)
from torch import Tensor

from skill_plugin.checkpoints.origin import Origin
from skill_plugin.files.validated import validate
from skill_plugin.sampling.training_shares import TrainingShares

TASK = "MultilingualMultitaskTask"  # under whose name fairseq keeps what the task gives it


def check_run_state(content: Any, file: str | PathLike[str]) -> None:
    """Looks at all parts of a checkpoint but the bundle, weights and the moments of the optimizer.

    Args:
        content: what the file holds. A part that is not there is no fault: those of a sweep and averages lack most.
        file: the file, for the message.

    Raises:
        InputError: a part has another type, or lacks something; the message names the first one.
    """
    validate(_Content, content, file)


def _number(value: Any) -> Any:
    """A number of Python, numpy or torch."""
    number = isinstance(value, Real) or (isinstance(value, Tensor) and value.numel() == 1)
    if number and type(value) is not bool:
        return value
    raise ValueError("expected a number")


def _without_tensors(value: Any) -> Any:
    """What can be compared: to ``==`` a tensor has none or many answers."""
    if isinstance(value, Tensor):
        raise ValueError("expected no tensor")  # noqa: TRY004 - pydantic's
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        _without_tensors(inner)
    return value


def _of_the_task(value: Any) -> Any:
    """All but one of its values are compared."""
    if isinstance(value, Mapping):
        for name in filter(lambda name: name != "data-used", value):
            _without_tensors(value[name])
    return value


def _meter(meter: tuple[int, str, str, _Meter]) -> tuple[int, str, str, _Meter]:
    """Sums that are not shown may be of several things."""
    _, name, _, state = meter
    for value in (state.val, state.sum, state.count, state.n, state.init):
        several = name.startswith("_") and isinstance(value, Tensor) and value.dim() == 1
        if value is not None and not several:
            _number(value)
    return meter


Number = Annotated[Any, AfterValidator(_number)]


@dataclass(frozen=True)
class _Meter:
    """State of any of fairseq's meters."""

    val: Any = None
    sum: Any = 0
    count: Any = 0
    n: Any = 0
    init: Any = 0
    round: StrictInt | None = None


_MeterClass = Literal["AverageMeter", "SumMeter", "TimeMeter", "StopwatchMeter", "ConcatTensorMeter"]
_Meters = list[Annotated[tuple[StrictInt, StrictStr, _MeterClass, _Meter], AfterValidator(_meter)]]


@dataclass(frozen=True)
class _EpochStart:
    epoch: StrictInt
    updates: StrictInt
    examples: Mapping[StrictStr, StrictInt]


@dataclass(frozen=True)
class _BestValidation:
    score: Number
    update: StrictInt
    since: StrictInt


@dataclass(frozen=True)
class _Patience:
    frozen_out: Mapping[StrictStr, StrictInt]
    best: Mapping[StrictStr, _BestValidation]


@dataclass(frozen=True)
class _Position:
    """Where in its data the run is."""

    epoch: StrictInt
    iterations_in_epoch: StrictInt
    start: _EpochStart | None = None
    patience: _Patience | None = None


@dataclass(frozen=True)
class _Shares:
    names: list[StrictStr]
    sizes: list[StrictInt]
    by_examples: StrictBool
    epoch: StrictInt
    counts: list[list[list[FiniteFloat]]]
    chosen: StrictInt | None = None
    parts: Mapping[StrictStr, StrictStr] = field(default_factory=dict)


def _of_each_corpus(shares: _Shares) -> _Shares:
    TrainingShares.from_state(asdict(shares))
    return shares


@dataclass(frozen=True)
class _EarlyStopping:
    best: Number | None
    since: StrictInt


@dataclass(frozen=True)
class _Task:
    """Conditions of the run (``tasks.resume``) that are more than compared, and what it goes on from."""

    labels: Mapping[StrictStr, list[StrictStr]] = field(default_factory=dict)
    data: Mapping[StrictStr, Mapping[StrictStr, tuple[StrictInt, StrictInt | StrictStr]]] = field(default_factory=dict)
    head_options: Annotated[Mapping[StrictStr, Mapping[StrictStr, Any]], Field(alias="head-options")] = field(
        default_factory=dict
    )
    options: Mapping[StrictStr, Any] = field(default_factory=dict)
    train_rows: Annotated[list[StrictStr], Field(alias="train-rows")] = field(default_factory=list)
    early_stopping: Annotated[_EarlyStopping | None, Field(alias="early-stopping")] = None
    data_used: Annotated[InstanceOf[Tensor] | None, Field(alias="data-used")] = None
    shares: Annotated[_Shares, AfterValidator(_of_each_corpus)] | None = None
    origin: Origin | None = None


@dataclass(frozen=True)
class _Extra:
    train_iterator: _Position | None = None
    metrics: Mapping[StrictStr, _Meters] = field(default_factory=dict)
    best: Number = 0
    val_loss: Number | None = None
    previous_training_time: Number = 0
    best_of_corpora: Mapping[StrictStr, Number] = field(default_factory=dict)
    task: Annotated[_Task | None, BeforeValidator(_of_the_task), Field(alias=TASK)] = None


@dataclass(frozen=True)
class _Schedule:
    lr: Number | None = None
    best: Number | None = None


@dataclass(frozen=True)
class _History:
    criterion_name: StrictStr
    optimizer_name: StrictStr
    num_updates: StrictInt
    lr_scheduler_state: _Schedule


_Decay = Annotated[float, Field(strict=True, ge=0, lt=1)]


@dataclass(frozen=True)
class _Group:
    """Settings of an optimizer, which are those of the checkpoint."""

    lr: Number = 0
    weight_decay: Number = 0
    betas: tuple[_Decay, _Decay] | None = None


@dataclass(frozen=True)
class _Optimizer:
    param_groups: list[_Group]
    state: Mapping[Any, Mapping[StrictStr, Any]]


@dataclass(frozen=True)
class _Content:
    cfg: InstanceOf[Mapping[Any, Any]] | None = None
    optimizer_history: list[_History] | None = None
    last_optimizer_state: _Optimizer | None = None
    extra_state: _Extra | None = None
