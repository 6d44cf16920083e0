"""Living with fairseq 0.12.3 on today's torch, numpy and omegaconf: one small file per fault of fairseq's.

Each file says which fault it works around and how to know that it is no longer needed, and has a test that fails
without it. ``install()`` applies them all, in every process that imports the plugin: the launching one, each spawned
rank, and programs that use the plugin as a library.
"""

from skill_plugin.compat import (
    absent_values,
    colon_paths,
    cpu_overflow,
    data_parallel,
    early_checks,
    failed_saves,
    finished_runs,
    fp16_copies,
    gloo_gather,
    infinite_gradients,
    interval_checkpoints,
    kept_checkpoints,
    launched_ranks,
    missing_checkpoints,
    one_line_errors,
    one_wait,
    quiet,
    rank_statistics,
    reading_threads,
    refused_modes,
    safe_loading,
    stopped_ranks,
    task_stops,
    unreadable_checkpoints,
    unused_compiler,
    update_seeds,
    watched_runs,
    whole_copies,
)

PATCHES = (
    absent_values,
    quiet,
    one_line_errors,
    safe_loading,
    launched_ranks,
    early_checks,
    stopped_ranks,  # after launched_ranks, which launches them
    refused_modes,  # after launched_ranks, so that a refused mode is named before any rank is launched
    gloo_gather,
    colon_paths,
    data_parallel,
    rank_statistics,
    cpu_overflow,
    fp16_copies,
    one_wait,
    infinite_gradients,  # after one_wait, which has nothing to be looked at before an update is launched
    failed_saves,
    interval_checkpoints,
    whole_copies,
    kept_checkpoints,
    missing_checkpoints,
    unreadable_checkpoints,
    task_stops,
    update_seeds,
    unused_compiler,
    reading_threads,
    watched_runs,
    finished_runs,  # after watched_runs, to which a run that is not trained does not begin
)


def install() -> None:
    """Applies all patches; a second call does nothing."""
    for patch in PATCHES:
        patch.install()
