# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=500 bash train.sh`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

PYTHON=${PYTHON:-python}                 # that of the environment where the plugin is installed
WORK=${WORK:-skillnet_x}                 # everything that the recipes write
DATA_BIN=${DATA_BIN:-$WORK/data-bin}
RAW_TEXT_BIN=${RAW_TEXT_BIN:-$WORK/raw-text-bin}
ENCODER=${ENCODER:-$WORK/encoder.pt}     # the pretrained encoder, imported
PRETRAINED=${PRETRAINED:-$WORK/pretrained/checkpoint_best.pt}  # what pretrain.sh makes
ARCH=${ARCH:-skillnet_x_ffn_mha_base}
DEVICE=${DEVICE:-$("$PYTHON" -c 'import torch; print("cuda" if torch.cuda.is_available() else "cpu")')}
SEED=${SEED:-1}
PRETRAIN_UPDATES=${PRETRAIN_UPDATES:-20000}
UPDATES=${UPDATES:-200000}               # the paper's, as LR, BATCH and ALPHA (section 4.2)
BATCH=${BATCH:-16}                       # sentences
LR=${LR:-1e-5}
ALPHA=${ALPHA:-0.4}
OPTIONS=${OPTIONS:-}                     # more options of fairseq-train, e.g. --autocast bf16
if [[ $DEVICE == cpu ]]; then OPTIONS+=" --cpu"; fi

show() { # COMMAND…
    echo "\$ $*"
    "$@"
}

train() { # DATA_BIN CORPORA_FILE INIT_FROM SAVE_DIR UPDATES [OPTIONS…]; run it again after a stop, and it goes on
    local data=$1 corpora=$2 initial=$3 save=$4 updates=$5
    shift 5
    # shellcheck disable=SC2086  # a list of words
    show "$PYTHON" -m fairseq_cli.train "$data" --user-dir "$root/skill_plugin" --task multilingual_multitask \
        --corpora "$corpora" --init-from "$initial" --arch "$ARCH" --criterion multitask_cross_entropy \
        --loss-scaling log-classes --sampling temperature --sampling-alpha "$ALPHA" --optimizer skill_adam --lr "$LR" \
        --lr-scheduler polynomial_decay --total-num-update "$updates" --max-update "$updates" --batch-size "$BATCH" \
        --seed "$SEED" --save-dir "$save" --no-epoch-checkpoints --save-interval-updates 1000 --keep-interval-updates 1 \
        --no-progress-bar --log-interval 100 $OPTIONS "$@"
}
