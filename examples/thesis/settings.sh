# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=600 bash ladder.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SIZE=${SIZE:-minilm12}                   # the thesis's encoders are of the size base
source "$here/../recipes.sh"

SEEDS=${SEEDS:-1 2 3}
UPDATES=${UPDATES:-20000}                # of a run, at most; the thesis's (chapter 4), as the values below
EPOCHS=${EPOCHS:-10}                     # of a run, at most
BATCH=${BATCH:-128}                      # sentences of an update, in however many draws: a multiple of 16
LR=${LR:-7.5e-6}                         # constant
MAX_LENGTH=${MAX_LENGTH:-512}            # tokens
VARIANT=${VARIANT:-dense}
TASKS=${TASKS:-xnli pawsx nc-zh nc-de qadsm-de qam-en wpr-zh}

# parallel translations, which split.sh cuts into train and valid; see README.md
export THESIS_DATA=${THESIS_DATA:-$WORK/parallel}

corpora_of() { # TASK…: their corpora, with commas; xnli trains on English alone, xnli-mix on a part in each language
    local task found=
    for task in "$@"; do
        case $task in
        xnli) found+=,mnli,xnli,xnli-en,xnli-de,xnli-es,xnli-zh ;;
        xnli-mix) found+=,mnli,xnli-mix,xnli-en,xnli-de,xnli-es,xnli-zh ;;
        pawsx) found+=,pawsx-en,pawsx-de,pawsx-es,pawsx-zh ;;
        *) found+=,$task ;;
        esac
    done
    echo "${found:1}"
}

joint() { # RUN_DIR CORPORA SEEDS OPTIONS OF fairseq-train: one model of these corpora for each seed, its end scored
    # shellcheck disable=SC2086  # lists of words
    show "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" --corpora "$here/corpora.yaml" \
        --arch "${VARIANT}_$SIZE" --init-from "$ENCODER" --stages joint --seeds $3 --updates "$UPDATES" --small "" \
        --device "$DEVICE" --only-corpora "$2" --joint="--max-epoch $EPOCHS $4" \
        -- --loss-scaling none --lr "$LR" --lr-scheduler fixed --max-length "$MAX_LENGTH" --disable-validation $OPTIONS
}

# what the rungs give to `joint`
one="--batch-size $BATCH"                                             # an update is of one corpus
heterogeneous="--corpora-per-batch 4 --batch-size $((BATCH / 4))"     # four draws, as on the thesis's four GPUs
accumulated="--corpora-per-batch 4 --batch-size $((BATCH / 16)) --update-freq 4"      # sixteen, in four passes
r3f="--criterion multitask_r3f --r3f-noise uniform --r3f-sigma 1e-5 --r3f-lambda 0.01 --loss-scaling log-classes"

rung() { # NAME: its runs, in $WORK/NAME
    # shellcheck disable=SC2086  # a list of words
    local english mixed
    english=$(corpora_of $TASKS)
    mixed=$(corpora_of ${TASKS/xnli/xnli-mix})
    case $1 in
    joint) joint "$WORK/joint" "$english" "$SEEDS" "$one" ;;
    heterogeneous) joint "$WORK/heterogeneous" "$english" "$SEEDS" "$heterogeneous" ;;
    accumulated) joint "$WORK/accumulated" "$english" "$SEEDS" "$accumulated" ;;
    mix) joint "$WORK/mix" "$mixed" "$SEEDS" "$accumulated" ;;
    r3f) joint "$WORK/r3f" "$mixed" "$SEEDS" "$accumulated $r3f" ;;
    r4f) joint "$WORK/r4f" "$mixed" "$SEEDS" "$accumulated $r3f --r4f" ;;
    *)
        echo "$1: expected one of single, single-mix, joint, heterogeneous, accumulated, mix, r3f, r4f" >&2
        exit 1
        ;;
    esac
}

add_rows() { # NAME RUN_DIR [WITHIN]: rows of the table that show_table prints, of RUN_DIR/seedS[/WITHIN]
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed${3:+/$3}"); done
}

scored() { # the columns of tables: corpora with a valid split
    # shellcheck disable=SC2086  # a list of words
    corpora_of $TASKS | sed 's/mnli,xnli,//'
}
