#!/bin/sh
# What README.md says that commands print is what they print, but for what the machine decides:
# seconds, rates, threads, free memory and cards. And CONTRIBUTING.md's names are names of the tree.
. tests/cli/tap.sh
bin=$(dirname "$gpube")

# The lines of FILE without them, nor blank ones
same() {
	sed -E -e '/^(time|backend) /d' -e '/^$/d' -e 's/[^ ]+ [KMGT]iB allowed.*//' \
		-e 's/, [^ ]+ a second(, [0-9]+ scans?, [0-9]+ candidates?)?$//' -e 's/, after [0-9.]+ s$//' "$1"
}

# The indented block that begins with "$ COMMAND", as it is printed
block() {
	awk -v first="    \$ $1" '$0 == first {on = 1; next}
		on && !/^    / && !/^$/ {exit}
		on && /^    \$ / {exit}
		on {print substr($0, 5)}' README.md
}

grep '^    \$ gpube ' README.md | sed 's/^    \$ //' > "$work/commands"
that 'five commands are shown' [ "$(wc -l < "$work/commands")" -eq 5 ]
while read -r command; do
	block "$command" > "$work/said"
	# shellcheck disable=SC2086 # the words of the command
	(PATH=$bin:$PATH && $command) > "$work/printed" 2> "$work/talk" < /dev/null
	same "$work/said" > "$work/a"
	same "$work/printed" > "$work/b"
	that "$command prints what README.md says" diff "$work/a" "$work/b"
done < "$work/commands"

# ---- every headline is claimed by the script that measures it again
that 'benchmarks/headlines.py has every row of the two pages' python3 benchmarks/headlines.py --check
sed 's/| 0\.74 s/| 0.73 s/; s/\*\*0\.74 s\*\*/**0.73 s**/' README.md > "$work/README.md"
mkdir -p "$work/benchmarks" && cp benchmarks/headlines.py benchmarks/common.py benchmarks/README.md "$work/benchmarks"
that 'and tells a figure that differs' sh -c "python3 '$work/benchmarks/headlines.py' --check | grep -q 'combinatorial auction.*0.73 s'"

# ---- CONTRIBUTING.md names files and functions, all of which are there; x and FOLDER are anyone's
git ls-files > "$work/tree" 2> /dev/null || find . -type f | sed 's|^\./||' | grep -v '^build' > "$work/tree"
grep -oE '[a-z_/-]+\.(c|h|sh|py|txt|md)\b' CONTRIBUTING.md | grep -vE '(^|[/_])x[._]' | sort -u |
	while read -r file; do
		grep -qE "(^|/)$file\$" "$work/tree" || echo "no file $file"
	done > "$work/wrong"
# shellcheck disable=SC2016
grep -o '`[a-z_]*()`' CONTRIBUTING.md | tr -d '`()' | grep -vE '_x(_|$)' | sort -u |
	while read -r name; do
		grep -E '\.(c|h|cu)$' "$work/tree" | xargs grep -qE "\b$name\(" || echo "no function $name"
	done >> "$work/wrong"
that 'CONTRIBUTING.md names what is there' sh -c "cat '$work/wrong'; [ ! -s '$work/wrong' ]"
plan
