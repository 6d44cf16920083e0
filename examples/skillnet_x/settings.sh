# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=500 bash train.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SIZE=${SIZE:-base}                       # the paper's encoder
source "$here/../recipes.sh"

RAW_TEXT_BIN=${RAW_TEXT_BIN:-$WORK/raw-text-bin}
PRETRAINED=${PRETRAINED:-$WORK/pretrained/checkpoint_best.pt}  # what pretrain.sh makes
ARCH=${ARCH:-skillnet_x_ffn_mha_$SIZE}
SEEDS=${SEEDS:-1}                        # one run: of the first; new_tasks.sh takes all
VARIANTS=${VARIANTS:-dense moe_top2 skillnet_x_ffn_mha}  # of joint.sh and new_tasks.sh
JOBS=${JOBS:-1}                          # runs at a time, of these two
CORPORA_FILE=${CORPORA_FILE:-$here/corpora.yaml}  # the eleven
PRETRAIN_UPDATES=${PRETRAIN_UPDATES:-20000}
UPDATES=${UPDATES:-200000}               # the paper's, as LR, BATCH and ALPHA (section 4.2)
BATCH=${BATCH:-16}                       # sentences
LR=${LR:-1e-5}
ALPHA=${ALPHA:-0.4}

train() { # DATA_BIN CORPORA_FILE INIT_FROM SAVE_DIR UPDATES [OPTIONS…]; run it again after a stop, and it goes on
    local data=$1 corpora=$2 initial=$3 save=$4 updates=$5
    shift 5
    if [[ $DEVICE == cpu ]]; then OPTIONS+=" --cpu"; fi
    # shellcheck disable=SC2086  # a list of words
    show "$PYTHON" -m fairseq_cli.train "$data" --user-dir "$root/skill_plugin" --task multilingual_multitask \
        --corpora "$corpora" --init-from "$initial" --arch "$ARCH" --criterion multitask_cross_entropy \
        --loss-scaling log-classes --sampling temperature --sampling-alpha "$ALPHA" --optimizer skill_adam --lr "$LR" \
        --lr-scheduler polynomial_decay --total-num-update "$updates" --max-update "$updates" --batch-size "$BATCH" \
        --seed "${SEEDS%% *}" --save-dir "$save" --no-epoch-checkpoints --save-interval-updates 1000 \
        --keep-interval-updates 1 --no-progress-bar --log-interval 100 $OPTIONS "$@"
}
