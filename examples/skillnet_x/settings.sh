# What the recipes share; they source this file. Every line can be set from outside: `UPDATES=500 bash train.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SIZE=${SIZE:-base}                       # the paper's encoder
source "$here/../recipes.sh"

RAW_TEXT_BIN=${RAW_TEXT_BIN:-$WORK/raw-text-bin}
ARCH=${ARCH:-skillnet_x_ffn_mha_$SIZE}   # of pretrain.sh and train.sh
PRETRAINED=${PRETRAINED:-$WORK/pretrained/$ARCH/checkpoint_best.pt}  # what pretrain.sh makes
VARIANTS=${VARIANTS:-dense moe_top2 skillnet_x_ffn skillnet_x_ffn_mha}  # of compare.sh and new_tasks.sh
SEEDS=${SEEDS:-1 2 3}                    # pretrain.sh and train.sh take the first
CORPORA_FILE=${CORPORA_FILE:-$here/corpora.yaml}  # the eleven
PRETRAIN_UPDATES=${PRETRAIN_UPDATES:-20000}
UPDATES=${UPDATES:-$(setting skillnet_x max_update)}  # the paper's, as all below (section 4.2)
EPOCHS=${EPOCHS:-3}                      # of one corpus by itself
BATCH=${BATCH:-$(setting skillnet_x batch_size)}  # sentences
LR=${LR:-$(setting skillnet_x lr)}  # falls to 0, without warm-up
ALPHA=${ALPHA:-$(setting skillnet_x sampling_alpha)}  # of models with skills
BASELINE_ALPHA=${BASELINE_ALPHA:-0.6}    # of `dense` and `moe_top2`
JOINT_OPTIONS=${JOINT_OPTIONS:-}         # more options of fairseq-train, for the eleven corpora together

train() { # SETTINGS DATA_BIN CORPORA_FILE INIT_FROM SAVE_DIR UPDATES [OPTIONS…]; run it again after a stop, and it goes on
    local settings=$1 data=$2 corpora=$3 initial=$4 save=$5 updates=$6
    shift 6
    if [[ $DEVICE == cpu ]]; then OPTIONS+=" --cpu"; fi
    # shellcheck disable=SC2086  # lists of words
    show "$PYTHON" -m fairseq_cli.train "$data" --user-dir "$root/skill_plugin" $settings --corpora "$corpora" \
        --init-from "$initial" --arch "$ARCH" --sampling-alpha "$ALPHA" --lr "$LR" --total-num-update "$updates" \
        --max-update "$updates" --batch-size "$BATCH" --seed "${SEEDS%% *}" --save-dir "$save" --no-progress-bar \
        --log-interval 100 $OPTIONS "$@"
}

two_stage() { # RUN_DIR ARCH INIT_FROM STAGE ALPHA: each seed beside others; the end of training is scored
    local seed
    for seed in $SEEDS; do
        # shellcheck disable=SC2086  # lists of words
        at_once "${1#"$WORK/"}-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$1" "$DATA_BIN" \
            --corpora "$CORPORA_FILE" --arch "$2" --init-from "$3" --stages "$4" --seeds "$seed" --updates "$UPDATES" \
            --max-epoch "$EPOCHS" --patience 0 --device "$DEVICE" --discard-models --small "" \
            --joint="--sampling temperature --sampling-alpha $5 $JOINT_OPTIONS" \
            -- --batch-size "$BATCH" --lr "$LR" --warmup-updates 0 --clip-norm 0 $OPTIONS
    done
}

table5() { # VARIANT: that model trained on the eleven corpora from the encoder, in $WORK/table5/VARIANT
    local alpha=$ALPHA
    case $1 in dense | moe_top2) alpha=$BASELINE_ALPHA ;; esac
    two_stage "$WORK/table5/$1" "$1_$SIZE" "$ENCODER" joint "$alpha"
}

add_row() { # NAME RUN_DIR STAGE: a row of the table that show_table prints
    local seed
    for seed in $SEEDS; do rows+=("$1=$2/seed$seed/$3"); done
}
