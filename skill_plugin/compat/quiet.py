"""Start-up without pages of noise.

Fault: fairseq 0.12.3 on hydra 1.3 and torch 2.13 prints, in every run, six warnings of hydra's about how fairseq calls
it, one each about ``torch.cuda.amp.autocast`` and ``GradScaler`` (``tasks/fairseq_task.py``,
``optim/amp_optimizer.py``), two about pinned memory and CUDA on machines that have none (``data/iterators.py``), the
whole configuration as one line of thousands of characters, and every module of the model (``fairseq_cli/train.py``).
The configuration is in each checkpoint, and ``skill-plugin describe`` shows the model; here both are logged at DEBUG
only (``LOGLEVEL=DEBUG``).

No longer needed: when a run without ``install()`` starts with less than a page.
"""

from __future__ import annotations

import logging
import os
import warnings

from omegaconf import DictConfig
from torch import nn

LOGGERS = ("fairseq_cli.train", "fairseq_cli.validate", "fairseq_cli.hydra_train")


def _is_message(record: logging.LogRecord) -> bool:
    """Whether a record is a message, and not a whole configuration or model."""
    return not isinstance(record.msg, DictConfig | nn.Module)


def install() -> None:
    """Adds the filters of warnings, and those of the two dumps."""
    warnings.filterwarnings("ignore", module=r"hydra\b.*")
    warnings.filterwarnings("ignore", message=r"(?s).*is validated against ConfigStore schema.*")
    warnings.filterwarnings("ignore", message=r".*pin_memory.*no accelerator.*")
    warnings.filterwarnings("ignore", category=FutureWarning, message=r".*torch\.cuda\.amp\.(autocast|GradScaler).*")
    warnings.filterwarnings("ignore", category=FutureWarning, message=r".*broadcast_buffers.* is deprecated")
    warnings.filterwarnings("ignore", message=r".*CUDA is not available or torch_xla is imported.*")
    logging.getLogger("hydra").setLevel(logging.INFO)
    if os.environ.get("LOGLEVEL", "INFO").upper() != "DEBUG":
        for name in LOGGERS:
            logging.getLogger(name).addFilter(_is_message)
