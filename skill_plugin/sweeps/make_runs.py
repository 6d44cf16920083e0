"""Makes the runs of a sweep, several at a time; one that fails does not keep the others."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from skill_plugin.errors import InputError
from skill_plugin.runs.cores import share_of_cores
from skill_plugin.runs.logged_programs import LoggedPrograms
from skill_plugin.sweeps.planned_run import PlannedRun
from skill_plugin.sweeps.record import begun, note


@dataclass(frozen=True)
class Made:
    """How a run went.

    Attributes:
        run: which.
        seconds: that it took.
        fault: why it failed; None where it did not.
    """

    run: PlannedRun
    seconds: float
    fault: str | None = None


def make_runs(
    waiting: Sequence[PlannedRun],
    jobs: int,
    gpus: Sequence[str],
    programs: LoggedPrograms,
    keep: Callable[[PlannedRun], bool],
    tell: Callable[[Made], None],
) -> list[Made]:
    """Makes runs that are not done, each once what it starts from is.

    Args:
        waiting: the runs, each behind the one that it starts from.
        jobs: how many at a time.
        gpus: names of the devices that they share, as ``CUDA_VISIBLE_DEVICES`` has them; none for the CPU.
        programs: starts and ends what runs.
        keep: whether the checkpoint of a run is kept once it is scored.
        tell: called with each run that ends.

    Returns:
        Those that failed.
    """
    places: queue.SimpleQueue[Mapping[str, str]] = queue.SimpleQueue()
    for number in range(jobs):
        places.put(_environment(number, jobs, gpus))
    left, failed = list(waiting), dict[PlannedRun, Made]()
    futures: dict[Future[Made], PlannedRun] = {}

    def make(run: PlannedRun) -> Made:
        place, begin = places.get(), time.monotonic()
        try:
            _make(run, programs, place, "cuda" if gpus and "--cpu" not in run.words else "cpu", keep(run))
        except InputError as error:
            return Made(run, time.monotonic() - begin, str(error))
        finally:
            places.put(place)
        return Made(run, time.monotonic() - begin)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            while left or futures:
                for run in list(left):
                    if run.start in left or run.start in futures.values():
                        continue
                    if fault := _cannot_start(run, failed):
                        failed[run] = Made(run, 0.0, fault)
                        tell(failed[run])
                    elif len(futures) < jobs:
                        futures[pool.submit(make, run)] = run
                    else:
                        break
                    left.remove(run)
                for future in wait(futures, return_when=FIRST_COMPLETED).done:
                    made = future.result()
                    del futures[future]
                    if made.fault is not None:
                        failed[made.run] = made
                    tell(made)
        except BaseException:
            programs.stop()
            raise
    return list(failed.values())


def _cannot_start(run: PlannedRun, failed: Container[PlannedRun]) -> str | None:
    """Why a run has nothing to start from; None where it has, or needs nothing."""
    if run.start is None or (run.start not in failed and run.start.is_done):
        return None
    return f"starts from {run.start.folder}, which {'failed' if run.start in failed else 'is not done'}"


def _environment(number: int, jobs: int, gpus: Sequence[str]) -> dict[str, str]:
    """Each job has its part of the cores, and a GPU; one alone has all."""
    if jobs == 1:
        return {}
    own = share_of_cores(jobs)
    return {**own, "CUDA_VISIBLE_DEVICES": gpus[number % len(gpus)]} if gpus else own


def _make(run: PlannedRun, programs: LoggedPrograms, environment: Mapping[str, str], device: str, keep: bool) -> None:
    """Trains or goes on with training, scores, and deletes what nobody needs."""
    trained = begun(run)
    if trained is None:
        note(run, trained=False)
    if not trained:
        programs.run(run.train_command(), run.log, environment)
        if not run.checkpoint.exists():
            raise InputError(f"the run wrote no {run.scored}; see {run.folder / 'train.log'}", run.folder)
        note(run, trained=True)  # fairseq would make one more update of a run that has made them all
    if keep:
        drop_optimizer_state(run)
    for split in run.splits:
        if not run.results(split).exists():
            programs.run(run.evaluate_command(split, device), run.folder / "evaluate.log", environment)
    tidy(run, keep)


def tidy(run: PlannedRun, keep: bool) -> None:
    """Deletes the checkpoints of a run that is done, but for the one that was scored where that is kept."""
    for file in run.folder.glob("checkpoint*.pt*"):
        if file.name != run.scored or not keep:
            file.unlink()


def drop_optimizer_state(run: PlannedRun) -> None:
    """Two thirds of a checkpoint, which nobody needs who does not go on with the run."""
    from skill_plugin.weights.torch_file import load_torch_file, write_torch_file

    content = load_torch_file(run.checkpoint)
    if content.pop("last_optimizer_state", None) is not None:
        write_torch_file(content, run.checkpoint)
