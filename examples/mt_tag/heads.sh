#!/usr/bin/env bash
# Equations 7, 8 and 10 of the paper: what heads consist of and start from, and on which scale STS-B is learned. FORMS:
#   pooler   a dense map, which starts as the encoder's pooler, then the map to classes or scores: the other recipes'
#   fresh    the same from an encoder without pooler, so that the dense map is random
#   linear   no dense map (equations 7 and 8)
#   raw      as pooler, with STS-B's scores as they are (equation 10); by itself on STS-B alone
#   nsp-pooler, nsp-fresh   as pooler and fresh, after NSP_UPDATES of next sentences and hidden tokens as in BERT's
#            pre-training, which have trained the pooler: for encoders whose own pooler never was
# STAGES (default: single joint) over the small corpora and the mixture; JOBS runs at a time.
# Tables: $WORK/heads.md, and STS-B by both correlations on the screen.
STAGES=${STAGES:-single joint}
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
FORMS=${FORMS:-pooler fresh linear raw}
NSP_UPDATES=${NSP_UPDATES:-2000}
NSP_OPTIONS=${NSP_OPTIONS:-}             # more options of that training
folder=$WORK/heads
mkdir -p "$folder"
sed '/^    score_scale: raw/d' "$CORPORA_FILE" >"$folder/bounded.yaml"

without_pooler() { # ENCODER OUT
    "$PYTHON" - "$1" "$2" <<'PYTHON'
import sys
from dataclasses import replace

from skill_plugin.pretrained.encoder_file import save_encoder_file
from skill_plugin.pretrained.load_encoder import load_encoder_file

encoder = load_encoder_file(sys.argv[1])
state = {name: t for name, t in encoder.state.items() if not name.startswith(("pooler.", "next_sentence."))}
save_encoder_file(replace(encoder, state=state), sys.argv[2])
PYTHON
}

train_pooler() { # OUT: the encoder after further pre-training, the dense map of its next-sentence head as the pooler
    binarise "$here/pretrain.yaml" "$WORK/pretrain-bin"
    local device=()
    if [[ $DEVICE == cpu ]]; then device=(--cpu); fi
    # shellcheck disable=SC2086  # a list of words
    show "$PYTHON" -m fairseq_cli.train "$WORK/pretrain-bin" --user-dir "$root/skill_plugin" \
        --task multilingual_multitask --corpora "$here/pretrain.yaml" --arch "dense_$SIZE" --init-from "$ENCODER" \
        --criterion multitask_cross_entropy --sampling uniform --optimizer skill_adam --lr "$LR" --clip-norm 1.0 \
        --lr-scheduler polynomial_decay --total-num-update "$NSP_UPDATES" --max-update "$NSP_UPDATES" \
        --batch-size "$BATCH" --seed 1 --save-dir "$folder/pretrained" --no-epoch-checkpoints --no-progress-bar \
        --disable-validation "${device[@]}" $OPTIONS $NSP_OPTIONS
    "$PYTHON" - "$ENCODER" "$folder/pretrained/checkpoint_last.pt" "$1" <<'PYTHON'
import sys
from dataclasses import replace

from skill_plugin.pretrained.encoder_file import save_encoder_file
from skill_plugin.pretrained.load_encoder import load_encoder_file
from skill_plugin.checkpoints.checkpoint import read_checkpoint

encoder, trained = load_encoder_file(sys.argv[1]), read_checkpoint(sys.argv[2]).state
state = {name: trained[f"encoder.{name}"] for name in encoder.state if f"encoder.{name}" in trained}
state |= {f"pooler.dense.{part}": trained[f"heads.nsp.dense.{part}"] for part in ("weight", "bias")}
state |= {f"next_sentence.{part}": trained[f"heads.nsp.out_proj.{part}"] for part in ("weight", "bias")}
save_encoder_file(replace(encoder, state=state), sys.argv[3])
PYTHON
}

train_form() { # FORM STAGE
    local corpora=$folder/bounded.yaml names=$CORPORA ENCODER=$ENCODER HEAD=dense
    if [[ $2 == single ]]; then names=$SMALL; fi
    case $1 in
    linear) HEAD=linear ;;
    raw)
        corpora=$CORPORA_FILE
        if [[ $2 == single ]]; then names=stsb; fi
        ;;
    fresh | nsp-*) ENCODER=$folder/$1.pt ;;
    esac
    two_stage "$folder/$1" "dense_$SIZE" "$corpora" "$2" "$SEEDS" --only-corpora "$names" --small ""
}

if [[ " $FORMS " == *" fresh "* ]]; then without_pooler "$ENCODER" "$folder/fresh.pt"; fi
if [[ " $FORMS " == *" nsp-"* ]]; then
    if [[ ! -f $folder/nsp-pooler.pt ]]; then train_pooler "$folder/nsp-pooler.pt"; fi
    without_pooler "$folder/nsp-pooler.pt" "$folder/nsp-fresh.pt"
fi
for stage in $STAGES; do
    for form in $FORMS; do
        train_form "$form" "$stage"
        for seed in $SEEDS; do rows+=("$form, $stage=$folder/$form/seed$seed/$stage"); done
    done
    all_done  # the stages of a form share a folder
done
show_table heads
"$PYTHON" - "${rows[@]}" <<'PYTHON'
import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

found = defaultdict(list)
for row in sys.argv[1:]:
    name, _, path = row.partition("=")
    for file in Path(path).rglob("results.json"):
        if stsb := json.loads(file.read_text())["corpora"].get("stsb"):
            both = {stsb["metric"]: stsb["value"], **stsb, **stsb["details"]}
            found[name].append((100 * both["pearson"], 100 * both["spearman"]))
for name, values in found.items():
    told = [f"{statistics.mean(v):.2f} ± {statistics.stdev(v) if len(v) > 1 else 0:.2f}" for v in zip(*values)]
    print(f"STS-B, {name}: Pearson {told[0]}, Spearman {told[1]}")
PYTHON
