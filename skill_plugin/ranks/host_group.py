"""Ranks that compute on GPUs tell each other what their hosts know without waiting for a GPU."""

from __future__ import annotations

import functools

import torch.distributed as dist


@functools.cache
def host_group(group: dist.ProcessGroup) -> dist.ProcessGroup:
    """The same ranks over gloo: ``group`` itself where it is over gloo; otherwise all make it at their first call."""
    if dist.get_backend(group) == "gloo":
        return group
    made: dist.ProcessGroup = dist.new_group(dist.get_process_group_ranks(group), backend="gloo")
    return made
