"""Which values fairseq's own options may have, as far as the plugin's task uses them.

Fault: fairseq 0.12.3 looks at none of them. Sizes of 0 and below hang, divide by zero or mean something else; a NaN is
trained with.

No longer needed: option by option, when fairseq refuses it with a message.
"""

from __future__ import annotations

import ast
from typing import Any

from skill_plugin.options.allowed_values import COUNT, POSITIVE, SHARE, SIZE, WEIGHT, Allowed, Pair, Range, TextForm

OR_NONE = Range(-1, note=" (-1: none)")
OR_NONE_NOT_0 = TextForm("1 or more, or -1 for none", lambda value: value == -1 or value in SIZE)
MOMENTUM = Range(0, 1, below_high=True)


def _is_mapping(value: Any) -> bool:
    try:
        return isinstance(ast.literal_eval(value), dict)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False


OVERRIDES = TextForm("a dictionary, such as '{\"weight_decay\": 0.1}'", _is_mapping)
BETAS = Pair("two numbers from 0 to below 1, such as '(0.9, 0.98)'", MOMENTUM)

#: group of the configuration -> field -> its values; of optimizers and schedules whichever was chosen
ALLOWED: dict[str, dict[str, Allowed]] = {
    "common": {
        "log_interval": SIZE,
        "seed": COUNT,
        "fp16_init_scale": SIZE,
        "fp16_scale_window": SIZE,
        "fp16_scale_tolerance": SHARE,
        "min_loss_scale": POSITIVE,
        "threshold_loss_scale": POSITIVE,
        "empty_cache_freq": COUNT,
        "all_gather_list_size": SIZE,
    },
    "distributed_training": {
        "distributed_world_size": Range(1, 65536),
        "distributed_rank": COUNT,
        "distributed_port": Range(-1, 65535),
        "device_id": COUNT,
        "bucket_cap_mb": SIZE,
        "heartbeat_timeout": OR_NONE,
    },
    "dataset": {
        "num_workers": Range(0, 1024),
        "max_tokens": SIZE,
        "batch_size": SIZE,
        "max_tokens_valid": SIZE,
        "batch_size_valid": SIZE,
        "required_batch_size_multiple": SIZE,
        "required_seq_len_multiple": SIZE,
        "data_buffer_size": COUNT,
        "validate_interval": SIZE,
        "validate_interval_updates": COUNT,
        "validate_after_updates": COUNT,
        "fixed_validation_seed": COUNT,
        "max_valid_steps": COUNT,
        "curriculum": COUNT,
    },
    "optimization": {
        "max_epoch": COUNT,
        "max_update": COUNT,
        "stop_time_hours": WEIGHT,
        "clip_norm": WEIGHT,
        "update_freq": SIZE,
        "lr": WEIGHT,
        "stop_min_lr": OR_NONE,
    },
    "checkpoint": {
        "save_interval": SIZE,
        "save_interval_updates": COUNT,
        "keep_interval_updates": OR_NONE,
        "keep_interval_updates_pattern": OR_NONE_NOT_0,
        "keep_last_epochs": OR_NONE,
        "keep_best_checkpoints": OR_NONE,
        "patience": OR_NONE,
        "checkpoint_shard_count": SIZE,
        "optimizer_overrides": OVERRIDES,
    },
    "ema": {"ema_decay": SHARE, "ema_start_update": COUNT, "ema_update_freq": SIZE},
    "optimizer": {
        "adam_betas": BETAS,
        "adam_eps": POSITIVE,
        "weight_decay": WEIGHT,
        "momentum": MOMENTUM,
    },
    "lr_scheduler": {
        "warmup_updates": COUNT,
        "warmup_init_lr": OR_NONE,
        "force_anneal": SIZE,
        "lr_shrink": Range(0, 1, above_low=True),
        "end_learning_rate": WEIGHT,
        "power": POSITIVE,
        "total_num_update": COUNT,
        "min_lr": WEIGHT,
        "max_lr": POSITIVE,
        "t_mult": SIZE,
        "lr_period_updates": OR_NONE,
        "lr_threshold": WEIGHT,
        "lr_patience": COUNT,
        "lr_decay": Range(0, 1, above_low=True),
        "lr_deacy_period": SIZE,
        "warmup_steps": COUNT,
        "hold_steps": COUNT,
        "decay_steps": COUNT,
        "init_lr_scale": SHARE,
        "final_lr_scale": SHARE,
    },
}  # fmt: skip
