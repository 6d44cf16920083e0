# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=500 bash train.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SIZE=${SIZE:-base}                       # the slides' encoder
source "$here/../recipes.sh"

ARCH=${ARCH:-skillnet_$SIZE}
SEEDS=${SEEDS:-1}
UPDATES=${UPDATES:-30000}                # the slides do not say, nor BATCH and LR
BATCH=${BATCH:-16}                       # sentences
LR=${LR:-2e-5}

joint() { # RUN_DIR CORPORA_FILE: all corpora for each seed, drawn by size (α = 1); runs that are there are not made again
    # shellcheck disable=SC2086  # lists of words
    show "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" --corpora "$2" --arch "$ARCH" \
        --init-from "$ENCODER" --stages joint --seeds $SEEDS --updates "$UPDATES" --device "$DEVICE" \
        --joint="--batch-size $BATCH --sampling proportional" -- --loss-scaling none --lr "$LR" $OPTIONS
}

add_row() { # NAME RUN_DIR: a row of the table that show_table prints
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed/joint"); done
}
