# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=600 bash ladder.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SIZE=${SIZE:-minilm12}                   # the thesis's encoders are of the size base
source "$here/../recipes.sh"

PRESET=${PRESET:-thesis}                 # whose settings: thesis_mt5 in mt5.sh
SEEDS=${SEEDS:-1 2 3}
UPDATES=${UPDATES:-$(setting "$PRESET" max_update)}  # of a run, at most; the thesis's (chapter 4), as all below
EPOCHS=${EPOCHS:-$(setting "$PRESET" max_epoch)}  # of a run, at most
INTERVAL=${INTERVAL:-$(setting "$PRESET" save_interval_updates)}  # updates between validations, the best of which is scored
BATCH=${BATCH:-128}                      # sentences of an update, in however many draws: a multiple of 16
LR=${LR:-$(setting "$PRESET" lr)}  # constant, without clipping, of which the thesis says nothing
MAX_LENGTH=${MAX_LENGTH:-$(setting "$PRESET" max_length)}  # tokens
DRAWS=${DRAWS:-4}                        # of an update in `joint`: GPUs, times batches that each accumulates
VARIANT=${VARIANT:-dense}
CORPORA_FILE=${CORPORA_FILE:-$here/corpora.yaml}  # xglue.yaml is XGLUE as a whole: TASKS="xnli pawsx nc qadsm qam wpr"
TASKS=${TASKS:-xnli pawsx nc-zh nc-de qadsm-de qam-en wpr-zh}
SPLIT=${SPLIT:-valid}                    # that is scored: `test` wants a WORK of its own (section 4.5, appendix A)

# parallel translations, which split.sh cuts into train and valid; see README.md
export THESIS_DATA=${THESIS_DATA:-$WORK/parallel}

corpora_of() { # TASK…: their corpora, with commas; xnli trains on English alone, xnli-mix on a part in each language
    local names task found=
    names=$(sed -nE 's/^  ([a-z0-9-]+):.*/\1/p' <(sed '1,/^corpora:/d' "$CORPORA_FILE"))
    for task in "$@"; do
        case $task in
        xnli | xnli-mix) found+=$(grep -xE "mnli|$task|xnli-[a-z]{2}" <<<"$names" | tr '\n' ,) ;;
        *) found+=$(grep -xE "$task(-[a-z]{2})?" <<<"$names" | tr '\n' ,) ;;
        esac
    done
    echo "${found%,}"
}

joint() { # RUN_DIR CORPORA SEEDS OPTIONS OF fairseq-train [METRIC]: one model of these corpora for each seed, its best by `avg`
    local seed
    for seed in $3; do
        # shellcheck disable=SC2086  # lists of words
        at_once "${1#"$WORK/"}-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" \
            --corpora "$CORPORA_FILE" --arch "${VARIANT}_$SIZE" --init-from "$ENCODER" --stages joint --joint-best \
            --choose "${5:-avg}" --seeds "$seed" --updates "$UPDATES" --small "" --device "$DEVICE" --split "$SPLIT" \
            --only-corpora "$2" \
            --joint="--max-epoch $EPOCHS --save-interval-updates $INTERVAL $4" \
            -- --loss-scaling none $constant --max-length "$MAX_LENGTH" $OPTIONS
    done
}

constant="--lr $LR --lr-scheduler fixed --warmup-updates 0 --clip-norm 0"

# what the rungs give to `joint`
one="--batch-size $BATCH"                                             # an update is of one corpus
homogeneous="--batch-size $((BATCH / 2)) --update-freq 2"             # of two (mT5's start, table 4.5)
heterogeneous="--corpora-per-batch $DRAWS --batch-size $((BATCH / DRAWS))"
accumulated="--corpora-per-batch 4 --batch-size $((BATCH / 16)) --update-freq 4"      # sixteen, in four passes
r3f="--criterion multitask_r3f"
for key in noise sigma lambda; do r3f+=" --r3f-$key $(setting "$PRESET" "r3f_$key")"; done
scaling="--loss-scaling log-classes"

rung() { # NAME: its runs, in $WORK/NAME
    # shellcheck disable=SC2086  # a list of words
    local english mixed
    english=$(corpora_of $TASKS)
    mixed=$(corpora_of ${TASKS/xnli/xnli-mix})
    case $1 in
    homogeneous) joint "$WORK/$1" "$english" "$SEEDS" "$homogeneous" ;;
    joint) joint "$WORK/$1" "$english" "$SEEDS" "$heterogeneous" ;;
    accumulated) joint "$WORK/$1" "$english" "$SEEDS" "$accumulated" ;;
    mix) joint "$WORK/$1" "$mixed" "$SEEDS" "$accumulated" ;;
    scaling) joint "$WORK/$1" "$mixed" "$SEEDS" "$accumulated $scaling" ;;
    r3f) joint "$WORK/$1" "$mixed" "$SEEDS" "$accumulated $r3f" ;;
    r3f-independent) joint "$WORK/$1" "$mixed" "$SEEDS" "$accumulated $r3f --r3f-dropout independent" ;;
    r3f-scaling) joint "$WORK/$1" "$mixed" "$SEEDS" "$accumulated $r3f $scaling" ;;
    r4f) joint "$WORK/$1" "$mixed" "$SEEDS" "$accumulated $r3f $scaling --r4f" ;;
    *)
        echo "$1: expected one of single, single-mix, homogeneous, joint, accumulated, mix, scaling, r3f," \
            "r3f-independent, r3f-scaling, r4f" >&2
        exit 1
        ;;
    esac
}

single() { # TASK RUN_DIR: one task by itself for each seed, in RUN_DIR/seedS/TASK
    local seed choose=avg
    if [[ $1 == nc-de ]]; then choose=nc-de_accuracy; fi  # it counts in no average
    for seed in $SEEDS; do joint "$2/seed$seed/$1" "$(corpora_of "$1")" "$seed" "$one" "$choose"; done
}

add_rows() { # NAME RUN_DIR [WITHIN]: rows of the table that show_table prints, of RUN_DIR/seedS[/WITHIN]
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed${3:+/$3}"); done
}

scored() { # the columns of tables: corpora with a valid split
    # shellcheck disable=SC2086  # a list of words
    corpora_of $TASKS | sed -E 's/^mnli,//; s/(^|,)xnli,/\1/'
}
