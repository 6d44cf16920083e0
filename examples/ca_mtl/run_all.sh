#!/usr/bin/env bash
# Table 3.1 of the thesis from nothing: SKILL_DATA=/path/to/data bash run_all.sh ENCODER_FOLDER. It goes on after a stop.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
set -euo pipefail
bash "$here/prepare.sh" "$@"
bash "$here/compare.sh"
