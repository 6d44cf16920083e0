#!/usr/bin/env python3
"""The two-stage protocol of MT-TaG (section 4.5, appendix A.3.2) as a sweep of three stages.

    python scripts/two_stage.py RUN_DIR DATA_BIN --corpora FILE --arch mt_tag_small --init-from ENCODER --updates N \\
        [--seeds 1 2 3] [--single='--lr 2e-5'] [--joint='--lr 1e-4'] [--finetune='--lr 2e-5'] [-- --autocast bf16 …]

- single: each corpus alone from the pretrained encoder, with early stopping; its best checkpoint is scored.
- joint: all corpora together for a fixed number of updates; the last checkpoint is scored and goes on, as in the paper,
  which chooses the end of joint training whatever the dev sets say. With `--joint-best` it is the best on `avg`, or on
  `--choose METRIC`.
- finetune: each corpus by itself from the joint run's checkpoint, with early stopping; the best one is scored.

Early stopping is `--patience` on `avg`, which with one corpus is its metric. The script writes a sweep file,
RUN_DIR/two_stage-SEEDS.yaml, and runs `skill-plugin sweep` with it: runs are in RUN_DIR/seedS/STAGE/[CORPUS]/, the
same command goes on after a stop, and the table is RUN_DIR/table.md.

Options of fairseq-train come from four places, later ones win: loss scaling, learning rate, batch size and the like of
the preset paper:mt_tag, with its share of a run's updates as warm-up; those after `--` for all stages; `--model` for
stages that train ARCH (`--model='--experts 8'`: the dense model of Single has none); and `--single`, `--joint`,
`--finetune` for one stage. Write them with `=`, as their values begin with a dash. On small corpora
`--single=--no-last-checkpoints` and `--finetune=--no-last-checkpoints` save most of the time: only best checkpoints are
written, and a run that is stopped begins anew.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from skill_plugin.errors import InputError
from skill_plugin.files.whole_file import write_text
from skill_plugin.pipeline.fairseq_options import option_words
from skill_plugin.pipeline.preset import read_preset
from skill_plugin.spec.names import split_names

STAGES = ("single", "joint", "finetune")
_PUBLISHED = read_preset("paper:mt_tag").options  # A.3.2's
_WARMUP = float(_PUBLISHED["--warmup-updates"][0]) / float(_PUBLISHED["--max-update"][0])


def _published(*names: str) -> str:
    return shlex.join(option_words({name: _PUBLISHED[name] for name in names}))


OWN = (
    f"{_published('--loss-scaling', '--lr', '--lr-scheduler', '--clip-norm', '--batch-size')} "
    f"--warmup-updates {_WARMUP:.0%}"
)
OWN_OF_JOINT = _published("--save-interval-updates", "--keep-interval-updates")  # an epoch is long: it is saved within


def sweep_of(asked: argparse.Namespace, common: Sequence[str]) -> dict[str, Any]:
    """The sweep file that a command line asks for, with the stages that are asked for and what they start from.

    Args:
        asked: what ``parser`` makes of it.
        common: the words after ``--``.
    """
    if asked.updates is None and set(asked.stages) != {"single"}:
        raise InputError("--updates N is needed: joint training takes a fixed number of updates")
    single_arch = asked.single_arch or f"dense_{asked.arch.rpartition('_')[2]}"
    # without patience all epochs are trained, and their end is scored
    stop = f"--patience {asked.patience}" if asked.patience else "--disable-validation"
    ends = f"--max-epoch {asked.max_epoch} {stop}"
    alone = {"each": asked.targets or "corpus", "checkpoint": "best" if asked.patience else "last"}
    model = asked.model if single_arch == asked.arch else ""
    stages = {
        "single": {**alone, "options": _joined(f"--arch {single_arch} {ends}", model, asked.single)},
        "joint": {
            "checkpoint": "best" if asked.joint_best else "last",
            "options": _joined(
                f"--arch {asked.arch} {OWN_OF_JOINT} --max-update {asked.updates}", asked.model, asked.joint
            ),
        },
        "finetune": {
            **alone,
            "init_from": {"stage": "joint"},
            "options": _joined(f"--arch {asked.arch} {ends}", asked.model, asked.finetune),
        },
    }
    needed = {*asked.stages, *(["joint"] if "finetune" in asked.stages else [])}
    alone_stages = [name for name in stages if name in needed and name != "joint"]
    only = f"--only-corpora {','.join(asked.only_corpora)}" if asked.only_corpora else ""
    device = "--cpu" if asked.device == "cpu" else ""
    encoder = asked.init_from / "model.pt" if asked.init_from.is_dir() else asked.init_from  # a folder of fairseq's
    return {
        "corpora": str(asked.corpora.absolute()),
        "data": str(asked.data_bin.absolute()),
        "encoder": str(encoder.absolute()),
        "options": _joined(OWN, only, device, shlex.join(common)),
        "stages": {name: stage for name, stage in stages.items() if name in needed},
        "seeds": asked.seeds,
        "choose": asked.choose,
        "evaluate": [asked.split],
        "discard_checkpoints": alone_stages if asked.discard_models else False,
        "table": {"columns": asked.targets, "small": asked.small or []},
    }


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="where the runs and the table go")
    parser.add_argument("data_bin", type=Path, metavar="DATA_BIN", help="folder that `skill-plugin prepare` wrote")
    parser.add_argument("--corpora", type=Path, required=True, metavar="FILE", help="the corpora file")
    parser.add_argument("--arch", required=True, help="architecture of the mixture, e.g. mt_tag_small")
    parser.add_argument("--single-arch", metavar="ARCH", help="of Single (default: dense, of the same size)")
    parser.add_argument("--init-from", type=Path, required=True, metavar="ENCODER", help="the pretrained encoder")
    parser.add_argument("--only-corpora", type=split_names, metavar="A,B", help="corpora of the mixture (default: all)")
    parser.add_argument(
        "--targets", type=split_names, metavar="A,B", help="those of them that the table has (default: all)"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], metavar="S", help="default: 1")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES), help="which to run (default: all)")
    parser.add_argument("--updates", type=int, metavar="N", help="of the joint run")
    parser.add_argument("--max-epoch", type=int, default=20, metavar="N", help="of the others, at most (default: 20)")
    patience = "validations without a better score (default: 5); 0: none, all epochs are trained and the end is scored"
    parser.add_argument("--patience", type=int, default=5, metavar="N", help=patience)
    best = "score and go on from the best of joint training by avg, rather than its end"
    parser.add_argument("--joint-best", action="store_true", help=best)
    choose = "the score by which the best is told (default: avg), e.g. that of a corpus which counts in no average"
    parser.add_argument("--choose", default="avg", metavar="METRIC", help=choose)
    parser.add_argument("--model", default="", metavar="OPTIONS", help="fairseq-train's, for stages that train ARCH")
    for stage in STAGES:
        parser.add_argument(f"--{stage}", default="", metavar="OPTIONS", help=f"fairseq-train's, for stage {stage}")
    parser.add_argument("--small", type=split_names, metavar="A,B", help="corpora of the mean over small ones")
    parser.add_argument("--split", default="valid", choices=("valid", "test"), help="that is scored (default: valid)")
    parser.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda where there is one")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time (default: 1)")
    parser.add_argument("--discard-models", action="store_true",
                        help="delete the checkpoints of single and finetune, once they are scored")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="print the commands of runs that are not done")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    given = list(sys.argv[1:] if arguments is None else arguments)
    cut = given.index("--") if "--" in given else len(given)
    asked = parser().parse_args(given[:cut])
    file = asked.run_dir / f"two_stage-{'-'.join(map(str, asked.seeds))}.yaml"
    try:
        content = yaml.safe_dump(sweep_of(asked, given[cut + 1 :]), sort_keys=False, allow_unicode=True, width=1000)
        write_text(file, content)
    except InputError as error:
        sys.exit(str(error))
    stages = [word for stage in asked.stages for word in ("--stage", stage)]
    command = [sys.executable, "-m", "skill_plugin", "sweep", str(file), "--out", str(asked.run_dir), *stages]
    command += ["--jobs", str(asked.jobs), *["--print"] * asked.dry_run]
    sys.stdout.flush()
    os.execv(command[0], command)  # in this one's place, so that what stops it stops the runs


if __name__ == "__main__":
    main()
