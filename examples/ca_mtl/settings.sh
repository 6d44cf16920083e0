# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=600 bash compare.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../recipes.sh"

SEEDS=${SEEDS:-12}                       # the thesis's one (section 3.7.5), as the values below
UPDATES=${UPDATES:-150000}               # about 5 epochs of GLUE
BATCH=${BATCH:-32}                       # sentences
LR=${LR:-2e-5}
CORPORA=${CORPORA:-rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli}

glue() { # RUN_DIR ARCH SAMPLING [MODEL OPTIONS]: the mixture for each seed; runs that are there are not made again
    # shellcheck disable=SC2086  # lists of words
    show "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" --corpora "$here/corpora.yaml" --arch "$2" \
        --init-from "$ENCODER" --stages joint --seeds $SEEDS --updates "$UPDATES" --device "$DEVICE" \
        --only-corpora "$CORPORA" --joint="--batch-size $BATCH --sampling $3" --model="${4:-}" \
        -- --loss-scaling none --lr "$LR" $OPTIONS
}

add_row() { # NAME RUN_DIR: a row of the table that show_table prints
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed/joint"); done
}
