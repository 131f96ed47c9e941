#!/bin/sh
# tests/run.sh BUILD TEST… - runs test programs and scripts that speak TAP, JOBS (1) at a time, and
# closes with "N passed, N failed". A program that dies, or prints fewer results than its plan,
# counts as one more failure. What all of them print is in BUILD/test.log, in their order.

# run.sh --one BUILD DIR TEST: one of them; DIR/TEST gets its output and DIR/TEST.counts its results
one() {
	export GPUBE="$PWD/$1/gpube" BUILD="$1" CMOCKA_MESSAGE_OUTPUT=TAP
	# tests lie deeper than the program, beside which the CUDA backend is
	[ -e "$1/libgpube-cuda.so" ] && export GPUBE_CUDA="$PWD/$1/libgpube-cuda.so"
	t=$3 name=$2/$(printf '%s' "$3" | tr / _) alone='' begin=$(date +%s)
	case $t in */tests/gpu/*) alone="flock $2/gpu" ;; esac # they share the device's memory
	out=$($alone "$t" 2>&1)
	rc=$?
	printf '==== %s (exit %d, %d s)\n%s\n' "$t" $rc $(($(date +%s) - begin)) "$out" > "$name"
	set -- $(printf '%s\n' "$out" | awk '
		/^(not )?ok .*# [Ss][Kk][Ii][Pp]/ { s++; next }
		/^ok /     { p++ }
		/^not ok / { f++ }
		/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); n += $1 }
		END { print p + 0, f + 0, s + 0, n + 0 }')
	p=$1 f=$2 s=$3 n=$4
	{
		if [ $((p + f + s)) -lt "$n" ] || [ $((p + f + s)) -eq 0 ] || { [ $rc -ne 0 ] && [ "$f" -eq 0 ]; }; then
			echo "DIED    $t: exit $rc after $((p + f + s)) of $n results"
			f=$((f + 1))
		fi
		if [ "$f" -ne 0 ]; then
			echo "FAILED  $t"
			printf '%s\n' "$out" | grep -v '^ok ' | tail -n 40
		fi
		printf '%s\n' "$out" | sed -n 's/^\(not \)*ok .*# [Ss][Kk][Ii][Pp]/SKIP   /p'
	} > "$name.said"
	echo "$p $f $s" > "$name.counts"
	cat "$name.said"
}

if [ "$1" = --one ]; then
	one "$2" "$3" "$4"
	exit 0
fi
build=$1
shift
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -n 1 "$0" --one "$build" "$results"
passed=0 failed=0 skipped=0
: > "$build/test.log"
for t; do
	name=$results/$(printf '%s' "$t" | tr / _)
	cat "$name" >> "$build/test.log"
	if read -r p f s < "$name.counts"; then
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	else
		echo "DIED    $t: it was not run to the end"
		failed=$((failed + 1))
	fi
done
[ $skipped -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
