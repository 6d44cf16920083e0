#!/usr/bin/env bash
# Tables 3 and 10 of the paper (section 5.3): are the others worse for unrelated corpora in the mixture?
# MIXTURES: `clean` is GLUE without CoLA and SST-2, which have no relatives there, `glue` is all of it, and `more` adds
# corpora that ask for something else altogether. VARIANTS: models to compare. Table: $WORK/robustness.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
MIXTURES=${MIXTURES:-clean glue}
related=rte,mrpc,stsb,qnli,qqp,mnli
for variant in $VARIANTS; do
    for mixture in $MIXTURES; do
        case $mixture in
        clean)
            folder=$WORK/clean/$variant
            two_stage "$folder" "${variant}_$SIZE" "$CORPORA_FILE" "$STAGES" "$SEEDS" --only-corpora "$related"
            ;;
        glue)
            folder=$WORK/glue/$variant
            glue "$variant"
            ;;
        more)
            folder=$WORK/more/$variant
            two_stage "$folder" "${variant}_$SIZE" "$here/robustness.yaml" "$STAGES" "$SEEDS" --targets "$related"
            ;;
        *)
            echo "MIXTURES: $mixture: expected clean, glue or more" >&2
            exit 1
            ;;
        esac
        add_rows "$variant, $mixture" "$folder" "$STAGES"
    done
done
show_table robustness --small "${SMALL_RELATED:-rte,mrpc,stsb}" --columns "$related" --published "$here/table10.json"
