#!/bin/sh
# tests/run.sh BUILD TEST… - runs test programs and scripts that speak TAP and
# closes with "N passed, N failed". A program that dies, or prints fewer
# results than its plan, counts as one more failure.
build=$1
shift
export GPUBE="$PWD/$build/gpube" BUILD="$build" CMOCKA_MESSAGE_OUTPUT=TAP
passed=0 failed=0 skipped=0
log=$build/test.log
: > "$log"
tests=$*
for t in $tests; do
	out=$("$t" 2>&1)
	rc=$?
	printf '==== %s (exit %d)\n%s\n' "$t" $rc "$out" >> "$log"
	set -- $(printf '%s\n' "$out" | awk '
		/^(not )?ok .*# [Ss][Kk][Ii][Pp]/ { s++; next }
		/^ok /     { p++ }
		/^not ok / { f++ }
		/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); n += $1 }
		END { print p + 0, f + 0, s + 0, n + 0 }')
	p=$1 f=$2 s=$3 n=$4
	if [ $((p + f + s)) -lt "$n" ] || [ $((p + f + s)) -eq 0 ] || { [ $rc -ne 0 ] && [ "$f" -eq 0 ]; }; then
		echo "DIED    $t: exit $rc after $((p + f + s)) of $n results"
		f=$((f + 1))
	fi
	if [ "$f" -ne 0 ]; then
		echo "FAILED  $t"
		printf '%s\n' "$out" | grep -v '^ok ' | tail -n 40
	fi
	printf '%s\n' "$out" | sed -n 's/^\(not \)*ok .*# [Ss][Kk][Ii][Pp]/SKIP   /p'
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
[ $skipped -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
