# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=600 bash compare.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../recipes.sh"

SEEDS=${SEEDS:-$(setting ca_mtl seed)}  # the thesis's one (section 3.7.5), as the values below
UPDATES=${UPDATES:-$(setting ca_mtl max_update)}  # about 5 epochs of GLUE
BATCH=${BATCH:-$(setting ca_mtl batch_size)}  # sentences
LR=${LR:-$(setting ca_mtl lr)}  # after a warm-up over a tenth of the updates
CORPORA_FILE=${CORPORA_FILE:-$here/corpora.yaml}
CORPORA=${CORPORA:-rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli,wnli}
both=$(for entry in mrpc:accuracy qqp:accuracy stsb:pearson; do
    if [[ ,$CORPORA, == *",${entry%:*},"* ]]; then echo "$entry"; fi
done | paste -sd,)
ENTRIES=${ENTRIES:-$both}                # of task σ, beside the columns (3.5.2)
JOINT_OPTIONS=${JOINT_OPTIONS:-}         # more options of fairseq-train, for the mixture

glue() { # RUN_DIR ARCH SAMPLING [MODEL OPTIONS]: the mixture for each seed, beside others; runs that are there are not made again
    local seed
    for seed in $SEEDS; do
        # shellcheck disable=SC2086  # lists of words
        at_once "${1#"$WORK/"}-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" \
            --corpora "$CORPORA_FILE" --arch "$2" --init-from "$ENCODER" --stages joint --seeds "$seed" \
            --updates "$UPDATES" --device "$DEVICE" --only-corpora "$CORPORA" \
            --joint="--batch-size $BATCH --sampling $3 $JOINT_OPTIONS" --model="${4:-}" \
            -- --loss-scaling none --lr "$LR" $OPTIONS
    done
}

single() { # [RUN_DIR]: each corpus by itself, for each seed, in $WORK/single; the end of training is scored
    local seed corpora folder=${1:-$WORK/single}
    corpora=$(sed 's/,wnli//' <<<"$CORPORA")  # which counts in no mean
    for seed in $SEEDS; do
        # shellcheck disable=SC2086  # lists of words
        at_once "${folder#"$WORK/"}-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$folder" "$DATA_BIN" \
            --corpora "$CORPORA_FILE" --arch "dense_$SIZE" --init-from "$ENCODER" --stages single --seeds "$seed" \
            --max-epoch "$EPOCHS" --patience 0 --device "$DEVICE" --only-corpora "$corpora" --small "" \
            -- --batch-size "$BATCH" --loss-scaling none --lr "$LR" $OPTIONS
    done
}

add_row() { # NAME RUN_DIR [STAGE]: a row of the table that show_table prints
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed/${3:-joint}"); done
}
