#!/bin/sh
# The sources are as 'make format' leaves them, in a hundred columns. clang-format breaks no comment
# (.clang-format), for it would run the lines of a list together; so lines are measured here.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

git ls-files > "$work/tree" 2> /dev/null || find . -type f | sed 's|^\./||' | grep -v '^build' > "$work/tree"
grep -E '\.(c|h|cc|cu|cuh)$' "$work/tree" > "$work/sources"
that 'there are sources' [ "$(wc -l < "$work/sources")" -gt 200 ]

# characters, not bytes, with a tab at every eighth column
xargs python3 -c '
import sys
for path in sys.argv[1:]:
	for number, line in enumerate(open(path, encoding="utf-8"), 1):
		columns = len(line.rstrip("\n").expandtabs(8))
		if columns > 100:
			print(f"{path}:{number}: {columns} columns")
' < "$work/sources" > "$work/long" 2>&1
that 'no line is longer than 100 columns' sh -c "cat '$work/long'; [ ! -s '$work/long' ]"

# Other versions of clang-format break lines at other places.
version=14 format=
for name in "clang-format-$version" clang-format; do
	[ -z "$format" ] && "$name" --version 2> /dev/null | grep -q "version $version\." && format=$name
done
if [ -z "$format" ]; then
	skip 'the sources are formatted' "no clang-format $version"
else
	xargs "$format" --dry-run -Werror < "$work/sources" > "$work/unformatted" 2>&1
	that 'the sources are formatted' \
		sh -c "grep error: '$work/unformatted' | head -n 20; [ ! -s '$work/unformatted' ]"
fi
plan
