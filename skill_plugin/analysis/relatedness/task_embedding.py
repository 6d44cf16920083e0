"""TaskEmb: which parameters and outputs of a trained model matter to its corpus (thesis, section 2.4).

The diagonal of the empirical Fisher information: squares of the gradients of log p of the right answer, each example by
itself. A pass back is made for every example, which is exact for any model, whatever its layers are.

Axes: n examples, N tokens of an example, D width, V pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExample, CorpusExamples
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.kinds.items import join_targets
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import PackedBatch, pack

TABLE = "embeddings.tokens.weight"


def task_embedding(
    model: Model, examples: CorpusExamples, progress: ProgressCallback
) -> dict[str, NDArray[np.float64]]:
    """F of every component, by its name.

    Of a parameter θ it is (1/n) Σ_i (∂ log p(y_i|x_i) / ∂θ)^2, of a matrix the mean over its rows; of the output h of a
    component (1/n) Σ_i (1/T_i) Σ_t (∂ log p(y_i|x_i) / ∂h_t)^2 over what h has in example i: its tokens, sequences or
    units. Outputs are ``layers.L.context`` (attention before its last map), ``layers.L.output``, ``first_token`` (of
    the last layer) and ``head`` (what its last map reads). Of a text-to-text model y is the text of the right answer,
    and the components are those of its encoder.

    Args:
        model: trained on the corpus; in evaluation mode. All its parameters get gradients.
        examples: with the right answers.
        progress: told the corpus, the number of its examples, and how many of them are done.
    """
    model.model.requires_grad_(True)
    sums: dict[str, Tensor] = {}
    for index in range(len(examples)):
        for name, squares in _squares(model, examples, examples.example(index)).items():
            sums[name] = sums[name] + squares.double() if name in sums else squares.double()
        progress(examples.name, len(examples), index + 1)
    return {name: np.asarray((total / len(examples)).cpu().numpy(), np.float64) for name, total in sums.items()}


def _squares(model: Model, examples: CorpusExamples, example: CorpusExample) -> dict[str, Tensor]:
    """What one example adds to the sums."""
    batch = pack([(examples.active, examples.head, example.sequences)], model.bundle.reads_token_types)
    batch = batch.to(model.device)
    target = {name: values.to(model.device) for name, values in join_targets([example.target]).items()}
    head = None if model.bundle.is_text_to_text else model.model.heads[examples.head]
    with _outputs(model.model, head) as outputs:
        (answers,) = model.model(batch, classes=[target.get("classes")]).answers
    log_p = model.bundle.learned_family(examples.name).log_likelihood(answers, target)
    # the gradient of a large table is mostly zeros: that of what was looked up says the same in a fraction of the time
    looked_up = None if isinstance(head, MaskedLmHead) else outputs[TABLE]
    outputs = {name: output for name, output in outputs.items() if name != TABLE}
    names = {f"encoder.{name}": name for name, _ in model.model.encoder.named_parameters()}
    if head is not None:
        names |= {f"heads.{examples.head}.{name}": f"head.{name}" for name, _ in head.named_parameters()}
    parameters = {ours: p for name, p in model.model.named_parameters() if (ours := names.get(name)) is not None}
    if looked_up is not None:
        del parameters[TABLE]
        outputs[TABLE] = looked_up
    asked = [*parameters.items(), *outputs.items()]
    grads: Sequence[Tensor | None] = torch.autograd.grad(log_p, [one for _, one in asked], allow_unused=True)
    found: dict[str, Tensor] = {}
    for (name, _), grad in zip(asked, grads, strict=True):
        if grad is None:
            continue
        if name == TABLE and looked_up is not None:
            found[name] = _table_squares(batch.tokens, grad, model.bundle.shape.vocabulary)
        else:
            found[name] = _mean_over_rows(grad.square())
        if name == f"layers.{len(model.model.encoder.layers) - 1}.output":
            found["first_token"] = _mean_over_rows(grad[_first_tokens(batch)].square())
    return found


def _mean_over_rows(squares: Tensor) -> Tensor:
    """[…, D] -> [D]; 0 where there is no row."""
    if squares.dim() < 2:
        return squares
    rows = squares.flatten(0, -2)
    return rows.sum(0) / max(1, len(rows))


def _table_squares(tokens: Tensor, grad: Tensor, rows: int) -> Tensor:
    """The mean over V rows of the squares of a table's gradient, from that of the rows looked up [N, D] -> [D]."""
    used, of = tokens.unique(return_inverse=True)
    return grad.new_zeros(len(used), grad.shape[1]).index_add_(0, of, grad).square().sum(0) / rows


def _first_tokens(batch: PackedBatch) -> Tensor:
    """Where the sequences begin [S]."""
    lengths = torch.tensor(batch.lengths, device=batch.tokens.device)
    return lengths.cumsum(0) - lengths


@contextmanager
def _outputs(model: MultitaskModel, head: nn.Module | None) -> Iterator[dict[str, Tensor]]:
    """The outputs of components in the forward pass that is made inside, and what was looked up in the table."""
    found: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[..., None]:
        def hook(module: nn.Module, inputs: Any, output: Any) -> None:
            # what is looked up first is what the encoder reads; a decoder reads the same table
            found.setdefault(name, output if isinstance(output, Tensor) else output[0])

        return hook

    def keep_input(name: str) -> Callable[..., None]:
        def hook(module: nn.Module, inputs: Any) -> None:
            found[name] = inputs[0]

        return hook

    handles = [model.encoder.embeddings.tokens.register_forward_hook(keep(TABLE))]
    for number, layer in enumerate(model.encoder.layers):
        handles.append(layer.register_forward_hook(keep(f"layers.{number}.output")))
        last = getattr(layer.attention, "output", None)
        if isinstance(last, nn.Linear):  # attention with skills has one for each of them
            handles.append(last.register_forward_pre_hook(keep_input(f"layers.{number}.context")))
    if isinstance(head, MaskedLmHead):  # its last map is the encoder's table
        handles.append(head.norm.register_forward_hook(keep("head")))
    elif head is not None:
        handles.append(head.get_submodule("out_proj").register_forward_pre_hook(keep_input("head")))
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()
