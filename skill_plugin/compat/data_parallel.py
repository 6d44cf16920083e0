"""``--ddp-backend pytorch_ddp`` and ``legacy_ddp`` exchange gradients as models need it of which a batch uses a part.

Faults: fairseq 0.12.3 (``models/distributed_fairseq_model.py``) names a GPU for every model that torch's
``DistributedDataParallel`` wraps, which torch refuses for one on CPU, and stops at the second update of a model with
unused parameters without ``--find-unused-parameters``; searching for them in every backward pass costs a GPU more than
the exchange. Its own ``LegacyDistributedDataParallel`` gives zeros as gradients to what no rank used, so that the
optimizer moves it, and begins with each rank's own weights.

No longer needed: never for models with skills.
"""

from __future__ import annotations

from fairseq.models import distributed_fairseq_model

from skill_plugin.ranks.data_parallel import DataParallel


def install() -> None:
    """Puts ours where fairseq wraps its models, for both."""
    distributed_fairseq_model.DistributedDataParallel = DataParallel
    distributed_fairseq_model.LegacyDistributedDataParallel = DataParallel
