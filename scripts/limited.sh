#!/usr/bin/env bash
# The shell of the Makefile: scripts/limited.sh TIME COMMAND runs the command with bash, and
# ends it after TIME (25m), with everything that it started. Nothing that make starts can run
# for ever: at worst there is a clear failure. An interrupt ends everything too.
set -u
limit=$1 command=$2

# With job control the command has a process group of its own, which timeout leads.
set -m
timeout --kill-after=30s "$limit" bash -eu -o pipefail -c "$command" </dev/null &
group=$!
trap 'kill -INT -- "-$group" 2>/dev/null' INT
trap 'kill -TERM -- "-$group" 2>/dev/null' TERM HUP

wait "$group"
code=$?
# A trap ends the wait early; the group may still be cleaning up.
while kill -0 "$group" 2>/dev/null; do
	wait "$group"
	code=$?
done
case $code in
124 | 137) echo "limited: ended after $limit, which is more than it may take: ${command%%$'\n'*}" >&2 ;;
esac
exit "$code"
