#!/usr/bin/env bash
# The tables beside this file, from the results.json beneath it, however many there are yet: bash examples/mt_tag/results/tables.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tables.sh"
tables_of compare scale sampling robustness low_resource
