#!/bin/sh
# Every option of opts.h is in its command's help, man page and completion, and
# is read by the code that takes the option's struct.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

# "GROUP field type" of every row: GROUP is SOLVE of OPTS_SOLVE
awk '/^#define OPTS_[A-Z]*\(X\)/ { group = $2; sub(/^OPTS_/, "", group); sub(/\(X\).*/, "", group) }
	/^[ \t]*X\([A-Z]+, / { type = $1; sub(/X\(/, "", type); sub(/,/, "", type)
		field = $2; sub(/,/, "", field)
		if (group == "RESULT") of[group, field] = type; else print group, field, type }
	/^[ \t]*OPTS_RESULT\(X\)/ { part = $1; sub(/OPTS_/, "", part); sub(/\(X\).*/, "", part)
		for (k in of) { split(k, at, SUBSEP); if (at[1] == part) print group, at[2], of[k] } }' \
	gpube/cli/opts.h > "$work/rows"
that 'the table is found' [ "$(wc -l < "$work/rows")" -ge 20 ]

# What the library takes is written once: a row of the command line has the words of its table.
grep -oE 'X\([A-Z]+, [a-z_]+, OPTS_LIBRARY\)' gpube/cli/opts.h | sed 's/.*, \([a-z_]*\), .*/\1/' | sort -u > "$work/shared"
that 'options of the library are taken from its table' [ "$(wc -l < "$work/shared")" -ge 25 ]
tr '\n\t' '  ' < gpube/options/table.h | sed 's/X(/\nX(/g' | grep GPUBE__ON_CLI | sed -n 's/^X([A-Z]*, [A-Z]*, [a-z_]*, "\([a-z_]*\)".*/\1/p' | sort > "$work/there"
that 'each is there once' sh -c "comm -23 '$work/shared' '$work/there' | grep . && exit 1; ! uniq -d '$work/there' | grep ."

"$gpube" __completion bash > "$work/bash"
"$gpube" __completion zsh > "$work/zsh"

# The files that read a group's struct; a command's own is its cmd_x.c.
readers() {
	case $1 in
	TALK) echo gpube/cli/session/session.c ;;
	READ) echo gpube/cli/session/inputs.c gpube/cli/session/contents.c ;;
	BOUNDING) echo gpube/cli/bounding.c ;;
	RANKS) echo gpube/cli/session/session_ranks.c ;;
	ANSWER | CERTIFY) echo gpube/cli/cmd_solve.c gpube/cli/cmd_bound.c ;;
	ENGINE | SUMMING) echo gpube/cli/session/inputs.c gpube/cli/session/session_engine.c gpube/cli/cmd_solve.c gpube/cli/cmd_info.c ;;
	*)
		own=gpube/cli/cmd_$(echo "$1" | tr '[:upper:]' '[:lower:]').c
		echo "$own" $(grep -q SESSION_WORK "$own" && echo gpube/cli/session/session.h)
		;;
	esac
}

# The commands whose struct holds a group.
holders() {
	case $1 in
	TALK | READ | ENGINE | BOUNDING | RANKS)
		for c in $("$gpube" __commands); do
			grep -q "OPT_GROUP_$1" "gpube/cli/cmd_$c.c" && echo "$c"
		done
		;;
	ANSWER | CERTIFY) echo solve bound ;;
	SUMMING) echo solve infer ;;
	*) echo "$1" | tr '[:upper:]' '[:lower:]' ;;
	esac
}

# FIELD FILES…: one of them reads the field, or has opts_library() hand it to a call that has such an option
tr '\n\t' '  ' < gpube/options/table.h | sed 's/X(/\nX(/g' | tr -s ' ' > "$work/table"
is_read() {
	field=$1
	shift
	grep -Eq "(->|\.)$field\>" "$@" && return
	for call in $(grep -ohE 'opts_library\([^,]*, GPUBE__ON_[A-Z_]*' "$@" | sed 's/.*GPUBE__ON_//' | sort -u); do
		case $call in
		SOLVE | COSTS_OF) call="$call|PROVES|COSTS_OF|ORDERS|TIMED|SOLVE" ;;
		BOUND | BOUNDS) call="BOUND|BOUNDS|PROVES|COSTS_OF|ORDERS|TIMED" ;;
		*) call="$call|TIMED" ;;
		esac
		grep -E "^X\([A-Z]*, [A-Z]*, [a-z_]*, \"$field\"" "$work/table" | grep -Eq "GPUBE__ON_($call)\>" && return
	done
	return 1
}

while read -r group field type; do
	name=--$(echo "$field" | tr _ -)
	# shellcheck disable=SC2046
	that "$group $name ($type) is read" is_read "$field" $(readers "$group")
	for c in $(holders "$group"); do
		"$gpube" help "$c" > "$work/help"
		"$gpube" __man "$c" | sed 's/\\-/-/g' > "$work/man"
		that "help $c has $name" grep -Eq -e "^ .*$name( |\$)" "$work/help"
		that "man gpube-$c has $name" grep -Eq -e "^\\\\fB.*$name\\\\fR" "$work/man"
		that "bash completes $c $name" grep -Eq -e "^.$c\) .*${name}[ ']" "$work/bash"
		that "zsh completes $c $name" \
			sh -c "sed -n '/^.$c)\$/,/;;\$/p' '$work/zsh' | grep -q -e '${name}[]=[}]'"
	done
done < "$work/rows"

for c in $("$gpube" __commands); do
	that "gpube --help lists $c" sh -c "'$gpube' --help | grep -q '^  $c '"
	that "help $c and $c --help agree" \
		sh -c "'$gpube' help '$c' > '$work/a'; '$gpube' '$c' --help | cmp - '$work/a'"
	that "help $c fits 80 columns" sh -c "! '$gpube' help '$c' | grep -E '.{81}'"
	if command -v man > /dev/null 2>&1; then
		"$gpube" __man "$c" > "$work/gpube-$c.1"
		row "man page of $c has no warnings" 0 '*' '' man --warnings -l "$work/gpube-$c.1"
	else
		skip "man page of $c has no warnings" 'no man'
	fi
done
# the same table as JSON: names as in the help, defaults that are among the words, ranges that hold them
"$gpube" --help --json > "$work/all.json"
for c in $("$gpube" __commands); do
	"$gpube" help "$c" | sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p' > "$work/a"
	that "$c --help --json has the options of its help" sh -c "'$gpube' '$c' --help --json | python3 -c '
import json, sys
c = json.load(sys.stdin)
assert c[\"command\"] == \"$c\"
assert c in json.load(open(\"$work/all.json\"))[\"commands\"]
for o in c[\"options\"]:
    print(o[\"name\"])
    assert o[\"help\"] and \"$c\" in o[\"commands\"], o
    if o[\"type\"] == \"choice\":
        assert o[\"default\"] in o[\"choices\"].split(\"|\"), o
    if \"least\" in o and o.get(\"default\"):
        assert o[\"least\"] <= float(o[\"default\"]) <= o.get(\"most\", 1e300), o
' | cmp - '$work/a'"
done
that 'the bash completion parses' bash -n "$work/bash"
if command -v zsh > /dev/null 2>&1; then
	that 'the zsh completion parses' zsh -n "$work/zsh"
else
	skip 'the zsh completion parses' 'no zsh'
fi
plan
