"""What `skill-plugin init` guesses of the 79 public data sets that examples/corpora reads, compared with those files.

    python scripts/init_trial ../shared/data/raw [--show development|held-out|all] [--keep FILE] [--check]

The folder has a folder for each set. `init` looks at all of them at once. A third of the sets, drawn by a hash of
their names, is held out: rules are written by looking at the others. Prints a table in Markdown of what was guessed
right, left open and wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from compare import compare_sets  # noqa: E402
from table import print_table  # noqa: E402
from truth import held_out, read_truth  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raw", type=Path, help="the folder with a folder for each set")
    parser.add_argument(
        "--show", choices=("development", "held-out", "all"), default="all", help="whose rows are printed"
    )
    parser.add_argument("--keep", type=Path, help="where the guessed file is written")
    parser.add_argument("--check", action="store_true", help="check the guessed file, and count its faults by set")
    asked = parser.parse_args()
    raw = asked.raw.resolve()
    os.environ["SKILL_DATA"] = str(raw)
    with tempfile.TemporaryDirectory() as folder:
        file = asked.keep or Path(folder) / "corpora.yaml"
        found, faults = guess(raw, file, asked.check)
        sets = compare_sets(read_truth(ROOT / "examples/corpora", raw), found, file, raw, faults)
    print_table(sets, held_out([one.name for one in sets]), asked.show)
    return 0


def guess(raw: Path, file: Path, check: bool) -> tuple[object, list[object] | None]:
    """Writes the guessed file; gives the guesses, and the faults that `check` finds where it is asked."""
    from skill_plugin.checking.check_corpora import check_corpora
    from skill_plugin.guessing.corpora_text import corpora_text
    from skill_plugin.guessing.find_labels import add_labels
    from skill_plugin.guessing.guess_corpora import guess_corpora
    from skill_plugin.spec import read_corpora_file

    found = guess_corpora(raw, file)
    add_labels(found, str(raw), file)
    file.write_text(corpora_text(found, str(raw)), encoding="utf-8")
    return found, list(check_corpora(read_corpora_file(file)).faults) if check else None


if __name__ == "__main__":
    sys.exit(main())
