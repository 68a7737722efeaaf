#!/bin/sh
# Does this branch compute the same results as the commit where it left the main branch, and is no
# metric worse? A gate for CI or any machine with git and Go.
#
#	prove.sh ./...                 all benchmarks
#	prove.sh -bench Parse ./tree   what `coppice prove -help` lists
#
# Exit code: 0 no loss is proven, 1 one is or the results differ, 2 nothing could be measured.
#
#	BASE     what the branch will be merged into; default origin/main
#	OUT      a new folder for the runs, report.md, prove.sarif and prove.xml (JUnit); default is a temporary one
#	RECORD   a file to which what was measured is appended; history.html in OUT is then the page of it. Default is none
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
coppice=${COPPICE:-coppice}
if [ -n "${RECORD:-}" ]; then
	set -- -record "$RECORD" "$@"
fi
"$coppice" prove -base "$base" -out "$out" -sarif "$out/prove.sarif" -junit "$out/prove.xml" "$@" || code=$?
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
if [ -f "$out/report.md" ]; then
	cat "$out/report.md" >>"$summary"
fi
if [ -n "${RECORD:-}" ] && [ -s "$RECORD" ]; then
	if "$coppice" prove -history "$RECORD" -markdown -html "$out/history.html" >"$out/history.md"; then
		cat "$out/history.md" >>"$summary"
	fi
fi
if [ -f "$out/prove.sarif" ] && [ -n "${GITHUB_OUTPUT:-}" ]; then
	printf 'sarif=%s\njunit=%s\n' "$out/prove.sarif" "$out/prove.xml" >>"$GITHUB_OUTPUT"
fi
exit $code
