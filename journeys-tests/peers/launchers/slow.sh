#!/bin/sh
# An agent that is slow within the limits: it needs a while to start, and goes on cleaning up for some
# seconds after its input was closed (the limit is 10).
#
#   slow.sh AGENT [ARGUMENT...]
sleep 3
"$@"
status=$?
sleep 5
exit "$status"
