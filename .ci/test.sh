#!/usr/bin/env bash
# The stages of `make test`: stops at the first that fails and says at the end what ran.
set -uo pipefail
stages=(layers c py haystack2 typing)
summary=()
status=0
for stage in "${stages[@]}"; do
    if ((status)); then
        summary+=("not run  $stage")
        continue
    fi
    printf '\n== %s\n' "$stage"
    SECONDS=0
    if make --no-print-directory -j2 "test-$stage"; then
        summary+=("ok       $stage  ${SECONDS}s")
    else
        status=1
        summary+=("FAILED   $stage  ${SECONDS}s")
    fi
done
printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
exit $status
