# What the recipes share; they source this file. Every line can be set from outside: `SEEDS=1 UPDATES=500 bash compare.sh`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../recipes.sh"

SEEDS=${SEEDS:-1 2 3}
CORPORA_FILE=${CORPORA_FILE:-$here/corpora.yaml}  # GLUE
UPDATES=${UPDATES:-$(setting mt_tag max_update)}  # of the mixture; 30k or 50k in the paper (A.3.2), as the values below
DRAWS=${DRAWS:-$(setting mt_tag corpora_per_batch)}  # batches in a super-batch (3.3): 4 of 32 are A.3.2's 128 sentences
BATCH=${BATCH:-$(setting mt_tag batch_size)}  # sentences of a draw, and for one corpus
LR=${LR:-$(setting mt_tag lr)}  # one of A.3.2's
EPOCHS=${EPOCHS:-20}                     # of one corpus, at most
PATIENCE=${PATIENCE:-5}                  # epochs without a better score
VARIANTS=${VARIANTS:-dense mt_switch mt_tag}
CORPORA=${CORPORA:-rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli}
SMALL=${SMALL:-rte,mrpc,stsb,cola}       # the small corpora: at most 10k examples in GLUE (section 4.5)
HEAD=${HEAD:-linear}                     # equations 7 and 8
JOINT_OPTIONS=${JOINT_OPTIONS:-}         # more options of fairseq-train, for the mixture
STAGES=${STAGES:-joint finetune}         # of the mixture: `joint` alone is quicker, and not the paper's protocol

two_stage() { # RUN_DIR ARCH CORPORA_FILE STAGES SEEDS [OPTIONS OF two_stage.py…]: each seed beside others
    local run_dir=$1 arch=$2 corpora=$3 stages=$4 seed seeds=$5
    shift 5
    for seed in $seeds; do
        # shellcheck disable=SC2086  # lists of words
        at_once "${run_dir#"$WORK/"}-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$run_dir" "$DATA_BIN" \
            --corpora "$corpora" --arch "$arch" --init-from "$ENCODER" --stages $stages --seeds "$seed" \
            --updates "$UPDATES" --max-epoch "$EPOCHS" --patience "$PATIENCE" --device "$DEVICE" \
            --joint="--corpora-per-batch $DRAWS $JOINT_OPTIONS" --discard-models "$@" \
            -- --batch-size "$BATCH" --sampling proportional --head "$HEAD" --lr "$LR" $OPTIONS
    done
}

glue() { # VARIANT: the GLUE mixture in $WORK/glue/VARIANT, which several recipes use
    two_stage "$WORK/glue/$1" "$1_$SIZE" "$CORPORA_FILE" "$STAGES" "$SEEDS" --only-corpora "$CORPORA" --small "$SMALL"
}

title_of() { # STAGE
    case $1 in
    finetune) echo "joint + fine-tuning" ;;
    *) echo "$1" ;;
    esac
}

add_rows() { # NAME RUN_DIR STAGES: rows of the table that show_table prints
    local stage seed title
    for stage in $3; do
        title=$1
        if [[ $stage != single ]]; then title+=", $(title_of "$stage")"; fi
        for seed in $SEEDS; do rows+=("$title=$2/seed$seed/$stage"); done
    done
}
