"""The model of a new run: its bundle by corpora file, data folder and options, its weights by ``--init-from``."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

from skill_plugin.checkpoints.base_fingerprint import base_fingerprint
from skill_plugin.checkpoints.build_model import with_new_parameters
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.initial_weights import InitialWeights, read_initial_weights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.checkpoints.label_rows import find_label_rows
from skill_plugin.checkpoints.old_corpora import find_moved, moved_lines
from skill_plugin.checkpoints.reuse import find_reuse
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.store.corpus_store import list_splits
from skill_plugin.tasks.bundle_from_data import bundle_from_data

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class NewModel:
    """What a new run starts from.

    Attributes:
        bundle: bundle of the model to be built.
        initial: what ``--init-from`` names; None for random weights.
        trained: corpora that the run trains on.
    """

    bundle: Bundle
    initial: InitialWeights | None
    trained: tuple[str, ...]

    def initialise(self, model: MultitaskModel) -> Bundle:
        """Gives the built model its first weights, says which, and returns the bundle that knows where they are from.

        Raises:
            InputError: the weights do not fit the model.
        """
        if self.initial is None:
            return self.bundle
        theirs = self.initial.bundle
        reuse = None if theirs is None else find_reuse(self.bundle, theirs, self.initial.file)
        labels = {} if theirs is None else find_label_rows(self.bundle, theirs)
        origin = initialise_from(model, self.initial, reuse, labels)
        for line in origin.lines:
            logger.info(line)
        if theirs is not None and theirs.variant == self.bundle.variant:
            for line in moved_lines(find_moved(model, self.bundle, self.trained, theirs)):
                logger.info(line)
        base = base_fingerprint(model) if self.bundle.lora.rank else self.bundle.base
        return replace(self.bundle, origin=origin, base=base)


def make_new_model(task: Any, model: Any) -> NewModel:
    """Reads what a new run starts from.

    Args:
        task, model: options of the task and of the model.

    Raises:
        InputError: as ``bundle_from_data``, or ``--init-from`` cannot be read.
    """
    read = read_initial_weights(task.init_from) if task.init_from else None
    bundle, initial = bundle_from_data(task, model, read)
    started = [name for name in bundle.labels if bundle.corpus(name).starts]
    started += [*bundle.spec.skills_from, *bundle.spec.languages_from]
    if started and (initial is None or initial.bundle is None):
        logger.warning(
            "gate_from, skills_from and the like need --init-from a checkpoint of this plugin: "
            f"{', '.join(started)} start without"
        )
    if initial is not None:
        bundle = with_new_parameters(bundle, initial.state)
    elif bundle.freeze != "none":
        logger.warning(f"--freeze {bundle.freeze} without --init-from: random weights are frozen")
    trained = tuple(name for name in bundle.labels if "train" in list_splits(task.data, name))
    return NewModel(bundle, initial, trained)
