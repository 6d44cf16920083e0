#!/usr/bin/env bash
# From nothing to a language × task table on made corpora: sets up .venv, makes corpora, prepares, trains, evaluates.
#   bash scripts/quickstart.sh [FOLDER]     FOLDER (default: quickstart) is made anew
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:-$root/quickstart}
bash "$root/scripts/setup.sh"
export PATH=$root/.venv/bin:$PATH

show() {
    echo
    echo "\$ $*"
    "$@"
}

rm -rf "$folder"
show python "$root/scripts/make_corpora" "$folder"
show skill-plugin check "$folder/corpora.yaml"
show skill-plugin prepare "$folder/corpora.yaml" "$folder/data-bin" --tokenizer "$folder/sentencepiece.model"
show fairseq-train "$folder/data-bin" --user-dir "$root/skill_plugin" --task multilingual_multitask \
    --corpora "$folder/corpora.yaml" --arch skillnet_x_ffn_mha_tiny --criterion multitask_cross_entropy \
    --loss-scaling log-classes --sampling temperature --sampling-alpha 0.4 --optimizer skill_adam --lr 2e-3 \
    --batch-size 16 --max-epoch 3 --cpu --best-checkpoint-metric avg --maximize-best-checkpoint-metric \
    --no-epoch-checkpoints --no-progress-bar --log-interval 50 --save-dir "$folder/checkpoints"
show skill-plugin evaluate "$folder/checkpoints/checkpoint_best.pt" "$folder/data-bin" --json "$folder/results.json"

ask() { # CORPUS LINE
    echo
    echo "\$ echo '$2' | skill-plugin predict $folder/checkpoints/checkpoint_best.pt --corpus $1 -"
    echo "$2" | skill-plugin predict "$folder/checkpoints/checkpoint_best.pt" --corpus "$1" -
}

ask reviews-de 'Das Konzert war wunderbar.'
ask names-zh '{"text": "昨天李小明在石家庄遇见了张伟。"}'
ask questions-en '{"question": "Who called?", "context": "Dinner was great. Peter called this morning."}'
ask similarity-en $'The film was great.\tThe film was lovely.'
