#!/bin/sh
# Does this branch compute the same as where it left the main one, and is nothing worse? A gate for CI, and for anybody with git and Go.
#
#	prove.sh ./...                 all benchmarks
#	prove.sh -bench Parse ./tree   what `coppice prove -help` lists
#
# Exit code: 0 no loss is proven, 1 one is or the results differ, 2 nothing could be measured.
#
#	BASE     what the branch will be merged into; default origin/main
#	OUT      a new folder for the runs, report.md and prove.sarif; default is a temporary one
#	COPPICE  the program; default coppice
set -eu
main=${BASE:-origin/main}
base=$(git merge-base "$main" HEAD) || {
	echo "prove.sh: $main and this branch have no common commit; check out with the whole history (fetch-depth: 0)" >&2
	exit 2
}
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
code=0
"${COPPICE:-coppice}" prove -base "$base" -out "$out" -sarif "$out/prove.sarif" "$@" || code=$?
if [ -f "$out/report.md" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	cat "$out/report.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -f "$out/prove.sarif" ] && [ -n "${GITHUB_OUTPUT:-}" ]; then
	echo "sarif=$out/prove.sarif" >>"$GITHUB_OUTPUT"
fi
exit $code
