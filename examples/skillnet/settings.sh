# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=500 bash compare.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SIZE=${SIZE:-base}                       # the slides' encoder
source "$here/../recipes.sh"

RAW_TEXT_BIN=${RAW_TEXT_BIN:-$WORK/raw-text-bin}
PRETRAINED=${PRETRAINED:-$WORK/pretrained/seed1/joint/checkpoint_last.pt}  # what pretrain.sh makes
CORPORA_FILE=${CORPORA_FILE:-$here/corpora.yaml}  # the six, table 2
SEEDS=${SEEDS:-1 2 3}                    # the slides do not say, nor any of the next five
UPDATES=${UPDATES:-$(setting skillnet max_update)}
PRETRAIN_UPDATES=${PRETRAIN_UPDATES:-20000}
EPOCHS=${EPOCHS:-3}                      # of one corpus by itself
BATCH=${BATCH:-$(setting skillnet batch_size)}  # sentences
LR=${LR:-$(setting skillnet lr)}
ALPHA=${ALPHA:-1.0}                      # figure 4's best

two_stage() { # RUN_DIR ARCH CORPORA_FILE INIT_FROM STAGE [OPTIONS OF two_stage.py…]: each seed beside others; ends are scored
    local seed
    for seed in $SEEDS; do
        # shellcheck disable=SC2086  # lists of words
        at_once "${1#"$WORK/"}-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" --corpora "$3" \
            --arch "$2" --init-from "$4" --stages "$5" --seeds "$seed" --updates "$UPDATES" --max-epoch "$EPOCHS" \
            --patience 0 --device "$DEVICE" --small "" \
            --joint="--sampling temperature --sampling-alpha $ALPHA" "${@:6}" \
            -- --batch-size "$BATCH" --loss-scaling none --lr "$LR" $OPTIONS
    done
}

joint() { # RUN_DIR [ARCH [CORPORA_FILE [INIT_FROM [MODEL OPTIONS]]]]: the six corpora together
    two_stage "$1" "${2:-skillnet_$SIZE}" "${3:-$CORPORA_FILE}" "${4:-$ENCODER}" joint --model="${5:-}"
}

baseline_options() { # VARIANT: what the slides' baselines have besides
    if [[ $1 == moe_top2 ]]; then echo "--experts 7"; fi  # as many as skills
}

pretrained() { # makes $PRETRAINED where it is not there
    if [[ ! -e $PRETRAINED && $TABLES_ONLY == no ]]; then
        all_done
        bash "$here/pretrain.sh"
    fi
}

add_row() { # NAME RUN_DIR [STAGE]: a row of the table that show_table prints
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed/${3:-joint}"); done
}
