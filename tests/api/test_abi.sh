#!/bin/sh
# What a program was compiled against is what the library has now: fields of public structs are where
# they were, and as large, constants have their values, and functions are there. tests/api/layouts.txt
# has the former, tests/api/exported.txt the latter; what is new gets a line of its own.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

if [ "$(getconf LONG_BIT)" != 64 ] || ! command -v python3 > /dev/null 2>&1; then
	skip 'layouts' 'they are recorded of 64 bits, and python3 reads the headers'
	plan
	exit 0
fi
if python3 tests/api/layouts.py "${CC:-cc}" > "$work/now" 2> "$work/talk"; then
	sort "$work/now" > "$work/a"
	sort tests/api/layouts.txt > "$work/b"
	that 'there are structs and constants' [ "$(wc -l < "$work/a")" -ge 350 ]
	that 'all that is recorded is as it was' sh -c "comm -13 '$work/a' '$work/b' | grep . && exit 1; true"
	that 'what is new is recorded' sh -c "comm -23 '$work/a' '$work/b' | grep . && exit 1; true"
	# a field in front of others, and one that grows, are told
	that 'a field that moves is told' sh -c "sed 's/^\(gpube_solution cost\) 8 8/\1 16 8/' '$work/a' | sort |
		comm -13 - '$work/b' | grep -q '^gpube_solution cost 8 8$'"
else
	cat "$work/talk" >&2
	that 'the headers are compiled' false
fi
that 'gpube.h has at most 500 lines' [ "$(wc -l < gpube/gpube.h)" -le 500 ]
that 'at most 140 functions are exported' [ "$(wc -l < tests/api/exported.txt)" -le 140 ]
plan
