#!/usr/bin/env bash
# Prints the first python that is new enough.
set -euo pipefail
for name in "${PYTHON:-python3}" python3 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$name"
        exit
    fi
done
echo "Python 3.11 or newer is needed; set PYTHON to one, or install it (Debian 12: apt-get install python3)" >&2
exit 1
