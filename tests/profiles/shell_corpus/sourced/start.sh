#!/usr/bin/env bash
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/conf/defaults.env"
if [ -f /etc/finch/site.env ]; then source /etc/finch/site.env; fi
. "${HERE}/lib.sh"
start_engine "$MODEL" --port "${PORT}"
