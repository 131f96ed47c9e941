#!/bin/sh
# What README.md and the pages of docs/ say that commands print is what they print, but for what the machine decides:
# seconds, rates, threads, free memory and cards. And the names in CONTRIBUTING.md
# and docs/glossary.md are names of the tree.
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
that 'four commands are shown' [ "$(wc -l < "$work/commands")" -eq 4 ]
that 'README.md has at most 130 lines' [ "$(wc -l < README.md)" -le 130 ]
while read -r command; do
	block "$command" > "$work/said"
	# shellcheck disable=SC2086 # the words of the command
	(PATH=$bin:$PATH && $command) > "$work/printed" 2> "$work/talk" < /dev/null
	same "$work/said" > "$work/a"
	same "$work/printed" > "$work/b"
	that "$command prints what README.md says" diff "$work/a" "$work/b"
done < "$work/commands"

# ---- every headline is claimed by the script that measures it again
that 'benchmarks/headlines.py has every row of the two pages, and the plugins say the same' python3 benchmarks/headlines.py --check
sed 's/\*\*0\.32 s\*\*/**0.33 s**/' README.md > "$work/README.md"
mkdir -p "$work/benchmarks/runs" "$work/plugins/python" "$work/plugins/toulbar2"
cp benchmarks/headlines.py benchmarks/common.py benchmarks/README.md "$work/benchmarks"
cp -r benchmarks/runs/python-2c "$work/benchmarks/runs"
for plugin in python toulbar2; do
	sed 's/| 8 queens, the cheapest placement | pytoulbar2 | 11 |/| 8 queens, the cheapest placement | pytoulbar2 | 12 |/' plugins/$plugin/README.md > "$work/plugins/$plugin/README.md"
done
that 'and tells a figure that differs' sh -c "python3 '$work/benchmarks/headlines.py' --check | grep -q 'combinatorial auction.*0.33 s'"
that 'on a page of a plugin, too' sh -c "python3 '$work/benchmarks/headlines.py' --check | grep -q 'plugins/python: .*8 queens'"

# ---- CONTRIBUTING.md and the glossary name files and functions, all of which are there; x and FOLDER are anyone's
git ls-files > "$work/tree" 2> /dev/null || find . -type f | sed 's|^\./||' | grep -v '^build' > "$work/tree"
grep -ohE '[a-z_/-]+\.(c|h|sh|py|txt|md)\b' CONTRIBUTING.md docs/glossary.md | grep -vE '(^|[/_])x[._]' | sort -u |
	while read -r file; do
		grep -qE "(^|/)$file\$" "$work/tree" || echo "no file $file"
	done > "$work/wrong"
# shellcheck disable=SC2016
grep -oh '`[a-z_]*()`' CONTRIBUTING.md docs/glossary.md | tr -d '`()' | grep -vE '_x(_|$)' | sort -u |
	while read -r name; do
		grep -E '\.(c|h|cu)$' "$work/tree" | xargs grep -qE "\b$name\(" || echo "no function $name"
	done >> "$work/wrong"
that 'CONTRIBUTING.md and docs/glossary.md name what is there' sh -c "cat '$work/wrong'; [ ! -s '$work/wrong' ]"

# ---- docs/: what the pages say that commands, programs in C and Python print is what they print
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null; then
	skip 'the examples of docs' 'no python3 of 3.8 or later'
	plan
	exit 0
elif nm "$gpube" 2> /dev/null | grep -q -e __asan_init -e __tsan_init; then
	skip 'the examples of docs' 'python3 is not built with the sanitizer that the library has'
	plan
	exit 0
fi
python3 docs/examples.py "${gpube%/gpube}" docs/*.md docs/notebooks/*.md > "$work/said"
while IFS= read -r line; do
	case $line in
	'ok '*) ok "${line#ok * - }" ;;
	'not ok '*) not_ok "${line#not ok * - }" ;;
	'#'*) echo "$line" ;;
	esac
done < "$work/said"
that 'all pages were read' [ "$(grep -c 'ok ' "$work/said")" -eq "$(find docs -name '*.md' | wc -l)" ]
that 'the guides have their examples' sh -c "grep -q 'docs/c.md, examples: 1[0-9]' '$work/said' && grep -qE 'docs/python.md, examples: ([89]|1[0-9])' '$work/said'"

# ---- an example that says something else is told
mkdir "$work/pages"
printf '```console\n$ gpube solve examples/exams.cfn | head -n 1\noptimum     4.31, the proved minimum, after 0.001 s\n```\n' > "$work/pages/x.md"
printf '```python\nprint(1)\n```\n```text\n2\n```\n' > "$work/pages/y.md"
printf '```c\n#include <stdio.h>\nint main(void)\n{\n\tputs("1");\n\treturn 0;\n}\n```\n```text\n2\n```\n' > "$work/pages/z.md"
for page in x y z; do
	row "an output that differs: $page" 0 '^not ok 1 - .*, examples: 1' '' python3 docs/examples.py "${gpube%/gpube}" "$work/pages/$page.md"
done

# ---- every name of the C library in the pages is one
grep -ohE '\bgpube_[a-z][a-z_]*\(' docs/*.md docs/notebooks/*.md | tr -d '(' | sort -u > "$work/names"
grep -v -x -F -f tests/api/exported.txt "$work/names" | grep -v -x -e gpube_x_free > "$work/unknown"
that 'functions of the library that pages name are there' sh -c "cat '$work/unknown'; [ -s '$work/names' ] && [ ! -s '$work/unknown' ]"

# ---- the site's sources are made without Sphinx: a page for each command and each header
mkdir "$work/build"
ln -s "$(realpath "$gpube")" "$work/build/gpube"
ln -s "$(realpath "${gpube%/gpube}/libgpube.so")" "$work/build/libgpube.so"
row 'the sources of the site' 0 '' '' python3 docs/make.py "$work/build"
for c in $("$gpube" __commands); do
	[ -s "$work/build/docs-src/reference/commands/$c.rst" ] || echo "no page of $c"
done > "$work/missing"
grep -o '^GPUBE_API\|^gpube_[a-z_]*' tests/api/exported.txt | while read -r name; do
	grep -rqE "c:function:: .*\b$name\(" "$work/build/docs-src/reference/c" || echo "no $name"
done >> "$work/missing"
for option in $("$gpube" solve --help | sed -nE 's/^ +(-[a-z])?,? *(--[a-z-]+).*/\1 \2/p'); do
	grep -qE "^[.][.] option:: (.* )?$option( |,|$)" "$work/build/docs-src/reference/commands/solve.rst" || echo "no option $option of solve"
done >> "$work/missing"
that 'every command and every function has its place in the reference' sh -c "cat '$work/missing'; [ ! -s '$work/missing' ]"

# ---- links of pages lead somewhere: those of the site among its sources
for page in README.md CONTRIBUTING.md examples/README.md plugins/python/README.md docs/*.md docs/notebooks/*.md; do
	case $page in
	docs/*) at=$work/build/docs-src/$(dirname "${page#docs/}") ;;
	*) at=$(dirname "$page") ;;
	esac
	grep -oE '\]\([^)]*\)' "$page" | sed -e 's/^](//' -e 's/[)#].*//' | grep -v -e '^http' -e '^$' | while read -r to; do
		[ -e "$at/$to" ] || echo "$page leads to $to"
	done
done > "$work/missing"
that 'no dead links' sh -c "cat '$work/missing'; [ ! -s '$work/missing' ]"
plan
