"""Damages files that are read, one at a time, and looks at what is made of them.

    python scripts/damage_trial [--trials 2000] [--seed 1] [--work DIR] [--verbose]

Small corpora of all kinds are made, prepared and trained on; then each trial flips a bit of a file, cuts the file, sets
a run of its bytes to zero or appends some, and reads it in a process of its own. What may come of it:

    same        the numbers of the whole file
    named       one line that names the file
    unnamed     a line that does not, or more than one
    changed     other numbers, in silence
    traceback   any other exception, a crash, or no end within a minute

Exit status 1 where something was unnamed or a traceback, or where something changed although the file has a checksum.
What others write (safetensors, SentencePiece), and a folder whose checksums are not looked at, has none.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from file_sets import list_file_sets
from make_files import make_files
from trial import DAMAGES, OUTCOMES, read_in_process, run_trial


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help="where the files are made, and kept for the next call")
    parser.add_argument("--verbose", action="store_true", help="print every outcome but the first two")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (asked.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        if not (work / "encoder.pt").exists():
            make_files(work)
        return report(run_trials(work, asked.trials, asked.seed, asked.verbose))


def run_trials(work: Path, count: int, seed: int, verbose: bool) -> dict[tuple[str, bool], Counter[str]]:
    """Outcomes by set of files, and whether it has checksums; sets and kinds of damage take turns."""
    import torch
    from fairseq_cli import train as _train  # noqa: F401 - before the first fork

    import skill_plugin.register  # noqa: F401

    torch.set_num_threads(1)
    chance, found = random.Random(seed), {}
    every = list_file_sets(work)
    whole = {}
    for file_set in every:
        kind, whole[file_set.name] = read_in_process(file_set.read)
        if kind != "numbers":
            sys.exit(f"{file_set.name}, undamaged: {whole[file_set.name]}")
        found[file_set.name, file_set.checked] = Counter[str]()
    for number in range(count):
        file_set, kind = every[number % len(every)], DAMAGES[number // len(every) % len(DAMAGES)]
        file = chance.choice([one for one in file_set.files if one.stat().st_size])
        result, text = run_trial(file_set, file, kind, whole[file_set.name], chance)
        found[file_set.name, file_set.checked][result] += 1
        if result in ("unnamed", "traceback") or (verbose and result == "changed"):
            print(f"{file_set.name}: {kind} {file}: {result}\n{text}", flush=True)
    return found


def report(found: dict[tuple[str, bool], Counter[str]]) -> int:
    """Prints the table and gives the exit status."""
    bad = 0
    print(f"{'':28}" + "".join(f"{outcome:>11}" for outcome in OUTCOMES))
    for (name, checked), counts in found.items():
        print(f"{name:28}" + "".join(f"{counts[outcome]:11,}" for outcome in OUTCOMES))
        bad += counts["unnamed"] + counts["traceback"] + (counts["changed"] if checked else 0)
    total = sum(found.values(), Counter[str]())
    print(f"{f'{total.total():,} trials':28}" + "".join(f"{total[outcome]:11,}" for outcome in OUTCOMES))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
