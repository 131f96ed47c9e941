#!/bin/sh
# What README.md says that commands print is what they print, but for what the machine decides:
# seconds, rates, threads, free memory and cards.
. tests/cli/tap.sh
bin=$(dirname "$gpube")

# The lines of FILE without them, nor blank ones
same() {
	sed -E -e '/^(time|backend) /d' -e '/^$/d' -e 's/[^ ]+ [KMGT]iB allowed.*//' \
		-e 's/, [^ ]+ a second$//' -e 's/, after [0-9.]+ s$//' "$1"
}

# The indented block that begins with "$ COMMAND", as it is printed
block() {
	awk -v first="    \$ $1" '$0 == first {on = 1; next}
		on && !/^    / && !/^$/ {exit}
		on && /^    \$ / {exit}
		on {print substr($0, 5)}' README.md
}

grep '^    \$ gpube ' README.md | sed 's/^    \$ //' > "$work/commands"
that 'four commands are shown' [ "$(wc -l < "$work/commands")" -eq 4 ]
while read -r command; do
	block "$command" > "$work/said"
	# shellcheck disable=SC2086 # the words of the command
	(PATH=$bin:$PATH && $command) > "$work/printed" 2> "$work/talk" < /dev/null
	same "$work/said" > "$work/a"
	same "$work/printed" > "$work/b"
	that "$command prints what README.md says" diff "$work/a" "$work/b"
done < "$work/commands"
plan
