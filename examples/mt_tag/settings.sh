# What the recipes share; they source this file. Every line can be set from outside: `SEEDS=1 UPDATES=500 bash compare.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../recipes.sh"

SEEDS=${SEEDS:-1 2 3}
UPDATES=${UPDATES:-30000}                # of the mixture; 30k or 50k in the paper (A.3.2), as the values below
JOINT_BATCH=${JOINT_BATCH:-128}          # sentences, in the mixture
BATCH=${BATCH:-32}                       # sentences, for one corpus
LR=${LR:-5e-5}
EPOCHS=${EPOCHS:-20}                     # of one corpus, at most
PATIENCE=${PATIENCE:-5}                  # epochs without a better score
VARIANTS=${VARIANTS:-dense mt_switch mt_tag}
CORPORA=${CORPORA:-rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli}
SMALL=${SMALL:-rte,mrpc,stsb,cola}       # the small corpora: at most 10k examples in GLUE (section 4.5)
STAGES=${STAGES:-joint finetune}         # of the mixture: `joint` alone is quicker, and not the paper's protocol

two_stage() { # RUN_DIR ARCH CORPORA_FILE STAGES SEEDS [OPTIONS OF two_stage.py…]
    local run_dir=$1 arch=$2 corpora=$3 stages=$4 seeds=$5
    shift 5
    # shellcheck disable=SC2086  # lists of words
    show "$PYTHON" "$root/scripts/two_stage.py" "$run_dir" "$DATA_BIN" --corpora "$corpora" --arch "$arch" \
        --init-from "$ENCODER" --stages $stages --seeds $seeds --updates "$UPDATES" --max-epoch "$EPOCHS" \
        --patience "$PATIENCE" --device "$DEVICE" --joint="--batch-size $JOINT_BATCH" --discard-models "$@" \
        -- --batch-size "$BATCH" --lr "$LR" $OPTIONS
}

glue() { # VARIANT: the GLUE mixture in $WORK/glue/VARIANT, which several recipes use
    two_stage "$WORK/glue/$1" "$1_$SIZE" "$here/corpora.yaml" "$STAGES" "$SEEDS" --only-corpora "$CORPORA" \
        --small "$SMALL"
}

add_rows() { # NAME RUN_DIR STAGES: rows of the table that show_table prints
    local stage seed title
    for stage in $3; do
        case $stage in
        joint) title="$1, joint" ;;
        finetune) title="$1, joint + fine-tuning" ;;
        *) title=$1 ;;
        esac
        for seed in $SEEDS; do rows+=("$title=$2/seed$seed/$stage"); done
    done
}
