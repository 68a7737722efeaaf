#!/usr/bin/env bash
# Says which of the checks in .ci/inputs have to run: those of which something that they read has changed since they last passed.
#
#	scripts/changed.sh                 prints them
#	scripts/changed.sh passed TARGET   writes to .ci/passed that this one passed, with what it reads now
#
# In doubt a check runs: without a line in .ci/passed, or with one that cannot be read.
set -euo pipefail
cd "$(dirname "$0")/.."

# inputs_of TARGET prints its pathspecs, one a line.
inputs_of() {
	sed -n "s/^$1: *//p" .ci/inputs | tr -s " " "\n" | sed "/^$/d"
}

# contents prints the files of a list (a zero byte after each name), for a hash. Comments and empty lines in Go source do not count,
# because no check reads them. A comment has a space after //; directives have none. A line of a string that looks like a comment does
# not count either. Everything counts in tests, whose examples have outputs in comments, in testdata, and where a comment is C.
contents() {
	perl -0 -ne '
		chomp;
		my $text;
		if (open my $file, "<", $_) { local $/; $text = <$file> }
		$text = "cannot be read" unless defined $text;
		if (/\.go$/ && !/_test\.go$|(^|\/)testdata\// && $text !~ /^(import |\t)"C"/m) {
			$text =~ s{^[ \t]*//([ \t].*)?\n}{}mg;
			$text =~ s{[ \t]+// [^"`\n]*$}{}mg;
			$text =~ s{^\n}{}mg;
		}
		print "$_ ", length $text, "\n$text\n"'
}

# state_of TARGET prints a hash of its files, those that git does not know yet among them, and of its recipe.
state_of() {
	local inputs
	mapfile -t inputs < <(inputs_of "$1")
	[ ${#inputs[@]} -gt 0 ] || { echo "changed: .ci/inputs has no check $1" >&2; return 1; }
	{
		git ls-files -z --cached --others --exclude-standard --deduplicate -- "${inputs[@]}" | contents || exit 1
		env -u MAKEFLAGS -u MAKELEVEL make -n --no-print-directory "$1"
	} | sha256sum | cut -d ' ' -f 1
}

targets=$(sed -n 's/^\([a-z0-9-]*\):.*/\1/p' .ci/inputs)
case ${1:-} in
'')
	for target in $targets; do
		state=$(state_of "$target")
		grep -qx "$target $state" .ci/passed 2>/dev/null || echo "$target"
	done
	;;
passed)
	state=$(state_of "$2")
	touch .ci/passed
	{ grep -v "^$2 " .ci/passed || true; echo "$2 $state"; } | sort > .ci/passed.new
	mv .ci/passed.new .ci/passed
	;;
*)
	echo "changed: invalid argument $1: must be none, or passed TARGET" >&2
	exit 2
	;;
esac
