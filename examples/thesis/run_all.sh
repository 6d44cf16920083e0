#!/usr/bin/env bash
# The ladder of sections 4.2 and 4.3 from nothing: SKILL_DATA=/path/to/data bash run_all.sh ENCODER_FOLDER. It goes on after a stop.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
set -euo pipefail
bash "$here/prepare.sh" "$@"
bash "$here/ladder.sh"
