# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=600 bash compare.sh`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

PYTHON=${PYTHON:-python}                 # that of the environment where the plugin is installed
WORK=${WORK:-ca_mtl}                     # everything that the recipes write
DATA_BIN=${DATA_BIN:-$WORK/data-bin}
ENCODER=${ENCODER:-$WORK/encoder.pt}     # the pretrained encoder, imported
SIZE=${SIZE:-small}                      # of the encoder
DEVICE=${DEVICE:-$("$PYTHON" -c 'import torch; print("cuda" if torch.cuda.is_available() else "cpu")')}
SEEDS=${SEEDS:-12}                       # the thesis's one (section 3.7.5), as the values below
UPDATES=${UPDATES:-150000}               # about 5 epochs of GLUE
BATCH=${BATCH:-32}                       # sentences
LR=${LR:-2e-5}
CORPORA=${CORPORA:-rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli}
OPTIONS=${OPTIONS:-}                     # more options of fairseq-train, e.g. --autocast bf16

show() { # COMMAND…
    echo "\$ $*"
    "$@"
}

glue() { # RUN_DIR ARCH SAMPLING [MODEL OPTIONS]: the mixture for each seed; runs that are there are not made again
    # shellcheck disable=SC2086  # lists of words
    show "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" --corpora "$here/corpora.yaml" --arch "$2" \
        --init-from "$ENCODER" --stages joint --seeds $SEEDS --updates "$UPDATES" --device "$DEVICE" \
        --only-corpora "$CORPORA" --joint="--batch-size $BATCH --sampling $3" --model="${4:-}" \
        -- --loss-scaling none --lr "$LR" $OPTIONS
}

rows=()
add_row() { # NAME RUN_DIR: a row of the table that show_table prints
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed/joint"); done
}

show_table() { # NAME: also as $WORK/NAME.md and $WORK/NAME.json
    echo
    "$PYTHON" "$root/scripts/compare_runs.py" "${rows[@]}" --columns "$CORPORA" \
        --markdown "$WORK/$1.md" --json "$WORK/$1.json"
}
