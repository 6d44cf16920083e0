"""A graph in ONNX that is being written: each call adds a node, and gives the name of what it computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from torch import Tensor, nn

OPSET, IR = 20, 9  # the first with Gelu; the format that opset came with
LARGEST = 1_500_000_000  # bytes of weights within the file, which cannot have 2 GB
_TYPES = {"float32": np.float32, "float16": np.float16}


class Graph:
    """Nodes and weights.

    Args:
        dtype: type of weights and of what is computed, ``float32`` or ``float16``.

    Attributes:
        parameters: how many numbers its weights are.
    """

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.parameters = 0
        self._bytes, self._names = 0, 0
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._known: dict[tuple[int, ...], str] = {}

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output."""
        (output,) = self.add_split(operator, 1, *inputs, **attributes)
        return output

    def add_split(self, operator: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """A node with several outputs."""
        names = [self._name(operator.lower()) for _ in range(outputs)]
        self._nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names

    def weight(self, tensor: Tensor, exact: bool = False) -> str:
        """Numbers of the model, in the graph's type, or as they are."""
        array = tensor.detach().cpu().numpy()
        array = np.ascontiguousarray(array if exact else array.astype(_TYPES[self.dtype]))
        self.parameters += array.size
        return self._constant(array)

    def integers(self, *values: int) -> str:
        """A list of numbers, int64."""
        if values not in self._known:
            self._known[values] = self._constant(np.array(values, np.int64))
        return self._known[values]

    def number(self, value: float) -> str:
        """A scalar in the graph's type."""
        return self._constant(np.array(value, _TYPES[self.dtype]))

    def linear(self, x: str, module: nn.Linear) -> str:
        """[…, inputs] -> […, outputs]"""
        product = self.add("MatMul", x, self.weight(module.weight.t()))
        return self.add("Add", product, self.weight(module.bias))

    def norm(self, x: str, module: nn.LayerNorm) -> str:
        """[…, D] -> […, D]"""
        weight, bias = self.weight(module.weight), self.weight(module.bias)
        return self.add("LayerNormalization", x, weight, bias, axis=-1, epsilon=module.eps)

    def cast(self, x: str, dtype: str) -> str:
        """The same in another type, which onnx names so."""
        return self.add("Cast", x, to=getattr(TensorProto, dtype))

    def to_own(self, x: str) -> str:
        """The same in the graph's type."""
        return self.cast(x, {"float32": "FLOAT", "float16": "FLOAT16"}[self.dtype])

    def write(
        self, output: str, inputs: Mapping[str, Sequence[str | int]], shape: Sequence[str | int], file: Path
    ) -> None:
        """Writes the file, and weights that are too many for it beside it.

        Args:
            output: what the graph gives, float32 under the name ``logits``.
            inputs: what it reads, int64: shapes by name, in which axes of any size have names.
            shape: of the output.
            file: a new file.
        """
        self._nodes.append(helper.make_node("Cast", [output], ["logits"], to=TensorProto.FLOAT))
        read = [helper.make_tensor_value_info(name, TensorProto.INT64, list(axes)) for name, axes in inputs.items()]
        given = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, list(shape))]
        graph = helper.make_graph(self._nodes, "slice", read, given, self._constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR, producer_name="skill_plugin"
        )
        if self._bytes > LARGEST:
            onnx.save_model(model, file, save_as_external_data=True, location=f"{file.name}_data")
        else:
            onnx.save_model(model, file)

    def _constant(self, array: np.ndarray[Any, Any]) -> str:
        name = self._name("constant")
        self._constants.append(onnx.numpy_helper.from_array(array, name))
        self._bytes += array.nbytes
        return name

    def _name(self, what: str) -> str:
        self._names += 1
        return f"{what}_{self._names}"
