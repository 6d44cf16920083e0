#!/usr/bin/env bash
# The table beside this file, from the results.json beneath it: bash examples/ca_mtl/results/tables.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TABLES_ONLY=yes WORK=$here SEEDS="12 13 14" UNCERTAINTY=no DEVICE=cpu bash "$here/../compare.sh"
rm "$here/compare.json"
