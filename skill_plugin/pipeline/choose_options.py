"""Options of ``fairseq-train`` for a preset, an encoder, corpora and a machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from skill_plugin.errors import InputError
from skill_plugin.options.max_length import MAX_LENGTH
from skill_plugin.pipeline.count_parameters import count_parameters
from skill_plugin.pipeline.fairseq_options import Options, number_of
from skill_plugin.pipeline.machine import Machine
from skill_plugin.pipeline.preset import Budget, Preset
from skill_plugin.pipeline.start import Start
from skill_plugin.pipeline.update_batch import UpdateBatch, spread, tokens_that_fit
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.variants.catalogue import ARCHITECTURES, MT5
from skill_plugin.variants.encoder_shape import SIZES
from skill_plugin.variants.model_shape import check_has_decoder, make_shape
from skill_plugin.variants.named_sizes import check_sizes
from skill_plugin.variants.t5_shape import T5_SIZES

# learning rates by size: of a pretrained encoder, and of random weights
_RATES = {
    "tiny": ("1e-3", "2e-3"),
    "small": ("1e-4", "1e-3"),
    "minilm12": ("5e-5", "5e-4"),
    "base": ("2e-5", "2e-4"),
    "large": ("1e-5", "1e-4"),
}
# as T5 is fine-tuned (Raffel et al., 2020, section 3.1.2; the thesis, chapter 4), whatever its size
_TEXT_TO_TEXT: Options = {"--optimizer": ("adafactor",), "--lr": ("1e-3",), "--lr-scheduler": ("fixed",)}
_SENTENCES = 32  # of an update
_WARM_UP = 0.1  # of the updates
_SMALL, _LARGE = 20_000, 500_000  # training rows: up to the first, and from the second on, see ``Budget.passes``
_FROM_NOTHING = 4  # times as many passes where weights are random
_VALIDATIONS = 20  # of a run, about
_PATIENCE = 8  # validations without a better score
_LINES = 200  # of a log, about
_NEVER = ("1000000",)  # epochs


@dataclass(frozen=True)
class Data:
    """What is trained on.

    Attributes:
        rows: of all corpora.
        validated: whether a corpus that counts in ``avg`` has a validation split.
        validation_rows: what a validation reads.
    """

    rows: int
    validated: bool
    validation_rows: int = 0


def choose_options(
    preset: Preset, start: Start, spec: CorporaFile, data: Data, machine: Machine, given: Mapping[str, tuple[str, ...]]
) -> Options:
    """All but paths; what is given counts, and what follows from it follows.

    Args:
        preset: named settings.
        start: what the model starts from.
        spec: the corpora.
        data: how much there is.
        machine: where the run will be.
        given: options of the command line.

    Raises:
        InputError: the architecture does not fit what the model starts from, or the run would end before it is
            validated.
    """
    options: Options = {**preset.options, "--arch": (choose_architecture(preset, start, given),)}
    options |= {name: values for name, values in given.items() if name in ("--max-length", "--max-update")}
    if options["--arch"][0].startswith(f"{MT5}_") and preset.variant != MT5:
        options |= _TEXT_TO_TEXT
    if "--lr" not in options:
        options["--lr"] = (_RATES[start.size][start.path is None],)
    options |= _batch(options, start, spec, machine)
    if machine.bf16 and not given.keys() & {"--fp16", "--memory-efficient-fp16"}:
        options["--autocast"] = ("bf16",)
    sentences = number_of(given, "--batch-size") or _SENTENCES
    if preset.budget is not None and "--max-update" not in options:
        options["--max-update"] = (str(updates(preset.budget, data.rows, sentences, start.path is None)),)
    updates_in_all = number_of(options, "--max-update")
    if updates_in_all is not None:
        options |= _schedule(preset, {**options, **given}, int(updates_in_all), int(data.validation_rows / sentences))
    if data.validated:
        options |= {"--best-checkpoint-metric": ("avg",), "--maximize-best-checkpoint-metric": ()}
        if preset.budget is not None:
            options["--patience"] = (str(_PATIENCE),)
    else:
        for name in ("--best-checkpoint-metric", "--maximize-best-checkpoint-metric"):
            options.pop(name, None)
        options["--disable-validation"] = ()
    chosen: Options = {**options, "--no-epoch-checkpoints": (), **given}
    _check_validated(chosen)
    return chosen


def choose_architecture(preset: Preset, start: Start, given: Mapping[str, tuple[str, ...]]) -> str:
    """The name of the architecture: as given, else as in the preset's paper, else as what the model starts from.

    Args:
        preset, start, given: as for ``choose_options``.

    Raises:
        InputError: it has a decoder and what the model starts from has none, or the reverse, or it has another size.
    """
    has_decoder = start.variant == MT5
    # a trained checkpoint stays what it is, but a paper's mT5 is no encoder, and the reverse
    stays = preset.budget is not None or has_decoder == (preset.variant == MT5)
    chosen = f"{(stays and start.variant) or preset.variant}_{start.size}"
    architecture = "".join(given.get("--arch", (chosen,)))
    if start.path is not None and architecture in ARCHITECTURES:
        variant, size = ARCHITECTURES[architecture]
        check_has_decoder(variant == MT5, has_decoder, architecture, str(start.path))
        names, what = (T5_SIZES, "the model") if has_decoder else (SIZES, "the encoder")
        check_sizes(size, names[start.size], names, what, architecture, str(start.path))
    return architecture


def updates(budget: Budget, rows: int, sentences: float, from_nothing: bool) -> int:
    """How many updates suit so many rows: more passes over few rows than over many.

    Args:
        budget: of the preset.
        rows: that are trained on.
        sentences: of an update.
        from_nothing: whether weights are random.
    """
    most, least = budget.passes
    shrunk = math.log(max(rows, _SMALL) / _SMALL) / math.log(_LARGE / _SMALL)
    passes: float = most * (least / most) ** min(1.0, shrunk) * (_FROM_NOTHING if from_nothing else 1)
    fewest, greatest = budget.updates
    return round(min(greatest, max(fewest, passes * rows / sentences)))


def _batch(options: Options, start: Start, spec: CorporaFile, machine: Machine) -> Options:
    update = UpdateBatch(
        sentences=int(number_of(options, "--batch-size") or _SENTENCES),
        draws=int(number_of(options, "--corpora-per-batch") or 1),
        passes=int(number_of(options, "--update-freq") or 1),
    )
    general = int(number_of(options, "--max-length") or MAX_LENGTH)
    longest = max(min(corpus.max_length or general, start.positions) for corpus in spec.corpora.values())
    tokens = _tokens_that_fit(options["--arch"][0], start, spec, machine)
    found = spread(update, longest, tokens, max(1, machine.gpus))
    passes: Options = {"--update-freq": (str(found.passes),)} if found.passes > 1 else {}
    options.pop("--update-freq", None)
    return {"--batch-size": (str(found.sentences),), **passes}


def _tokens_that_fit(architecture: str, start: Start, spec: CorporaFile, machine: Machine) -> int | None:
    """How many tokens a pass may have; None where nothing bounds them, or the architecture is none, which is told."""
    if machine.memory is None or architecture not in ARCHITECTURES:
        return None
    variant, size = ARCHITECTURES[architecture]
    parameters = count_parameters(variant, make_shape(size, start.vocabulary), spec)
    return tokens_that_fit(size.layers, size.width, parameters, machine.memory, machine.bf16)


def _check_validated(options: Options) -> None:
    """Checks that a run which is to be validated comes to it."""
    first, last = (number_of(options, name) for name in ("--validate-after-updates", "--max-update"))
    if "--disable-validation" not in options and first is not None and last is not None and first > last:
        message = f"--validate-after-updates {first:.0f}: the run has {last:.0f} updates, and none would be validated"
        raise InputError(f"{message}; --disable-validation trains without")


def _schedule(preset: Preset, options: Options, updates: int, validation: int) -> Options:
    """Warm-up in proportion; a paper's warm-up stays in its proportion to its updates.

    From one validation to the next as many rows are trained on as it reads, at least: those of ``validation`` updates.
    """
    found: Options = {}
    if options.get("--lr-scheduler") == ("polynomial_decay",):
        warm_up, of = number_of(preset.options, "--warmup-updates"), number_of(preset.options, "--max-update")
        share = _WARM_UP if preset.budget is not None else (warm_up or 0) / (of or updates)
        if share:
            found["--warmup-updates"] = (str(round(share * updates)),)
    interval = str(min(updates, max(1, updates // _VALIDATIONS, validation)))
    if preset.budget is not None:
        found |= {"--validate-interval-updates": (interval,), "--save-interval-updates": (interval,)}
        last = options.get("--max-epoch", _NEVER)  # epochs of small data are short
        found |= {"--validate-interval": last, "--save-interval": last}
        found["--keep-interval-updates"] = ("0",)  # the best and the last will do
    found["--log-interval"] = (str(min(100, max(10, updates // _LINES))),)
    return found
