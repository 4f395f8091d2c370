#!/bin/sh
# A shell wrapper that stays: it sets something up, runs the agent as its child, and cleans up after it.
#
#   wrapper.sh AGENT [ARGUMENT...]
scratch=$(mktemp -d)
export WRAPPER_SCRATCH="$scratch"
"$@"
status=$?
rm -rf "$scratch"
exit "$status"
