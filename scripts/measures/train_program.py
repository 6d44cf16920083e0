"""``fairseq-train`` with a clock: started by ``runs.py``, which reads what it writes.

It imports fairseq, and then waits for the name of a file with a job on standard input, so that the next run can be got
ready while another is measured; or takes it as its argument. The ranks that fairseq spawns import this file as well.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from fairseq.trainer import Trainer
from fairseq_cli.train import cli_main

from measures.update_clock import UpdateClock

JOB = "BENCH_JOB"  # variable of the environment with the name of the job's file, for the ranks


class Watch:
    """Writes the report of a run when its last update begins.

    Args:
        job: ``clock`` (what ``UpdateClock`` is given), and the file ``report`` to write.
    """

    def __init__(self, job: dict[str, Any]) -> None:
        self.clock, self.report = UpdateClock(*job["clock"]), Path(job["report"])
        self.sentences, self.tokens = 0, Counter[Any]()

    def begin(self, trainer: Any, samples: list[dict[str, Any]]) -> None:
        """An update begins."""
        found = self.clock.begin()
        if self.clock.is_timed():
            for sample in samples:
                self.sentences += sample.get("nsentences", 0)
                for segment in sample.get("net_input", {}).get("segments", ()):
                    self.tokens[segment.active, segment.head] += segment.end - segment.start
        if found is not None and trainer.data_parallel_rank == 0:
            found |= {"sentences": self.sentences, "tokens": sum(self.tokens.values())}
            found["products"] = self._products(trainer._model.model)
            self.report.write_text(json.dumps(found))

    def _products(self, model: Any) -> int:
        """Weights of the encoder's matrices that a token is multiplied with, added up over all tokens."""
        from skill_plugin.report.description import describe_model

        corpora = {str(number): key for number, key in enumerate(self.tokens)}
        used = describe_model(model, corpora).corpora
        return sum(tokens * used[str(number)].products for number, tokens in enumerate(self.tokens.values()))


def watch(job: dict[str, Any]) -> None:
    """Has every update of this process watched."""
    original, found = Trainer.train_step, Watch(job)

    def train_step(self: Any, samples: list[dict[str, Any]], *rest: Any, **options: Any) -> Any:
        found.begin(self, samples)
        return original(self, samples, *rest, **options)

    Trainer.train_step = train_step


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else sys.stdin.readline().strip()
    if not name:
        return  # there was nothing more to measure
    job = json.loads(Path(name).read_text())
    os.environ[JOB] = name
    if job["checkout"]:
        sys.path.insert(0, job["checkout"])
    watch(job)
    sys.argv = ["fairseq-train", *job["arguments"]]
    cli_main()


if __name__ == "__main__":
    main()
elif JOB in os.environ:
    watch(json.loads(Path(os.environ[JOB]).read_text()))
