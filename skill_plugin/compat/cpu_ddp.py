"""``--ddp-backend pytorch_ddp`` on CPU, and with parameters that an update does not use.

Fault: fairseq 0.12.3 (``models/distributed_fairseq_model.py``) names a GPU for every wrapped model, which torch refuses
for one on CPU, and no option helps. It also leaves unused parameters to ``--find-unused-parameters``; a model of which
each corpus uses a part stops at the second update without it, so that it is always on here.

No longer needed: the first, when ``fairseq-train --cpu --ddp-backend pytorch_ddp`` runs on two ranks without
``install()``; the second, never for models with skills.
"""

from __future__ import annotations

from typing import Any

from fairseq.models import distributed_fairseq_model
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class SparseUseDDP(DistributedDataParallel):
    """torch's data parallel module as models of many skills need it."""

    def __init__(self, module: nn.Module, device_ids: Any = None, output_device: Any = None, **kwargs: Any) -> None:
        if not any(p.is_cuda for p in module.parameters()):
            device_ids = output_device = None
        kwargs["find_unused_parameters"] = True
        super().__init__(module, device_ids=device_ids, output_device=output_device, **kwargs)


def install() -> None:
    """Puts it where fairseq wraps its models."""
    distributed_fairseq_model.DistributedDataParallel = SparseUseDDP
