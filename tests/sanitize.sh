#!/bin/sh
# tests/sanitize.sh BUILD TOOL PARTS TEST… - runs test programs of the CUDA backend under a tool of compute-sanitizer. The tools
# are slow and use little of the card, so the cases of each program are dealt out to PARTS processes, which run side by side.
# Prints a line for each program; what process K prints is in BUILD/TOOL.TEST.K. TIMEOUT: seconds after which a process is
# ended, which counts as failed; without it none is.
build=$1 tool=$2 parts=$3
shift 3
export GPUBE_REQUIRE_GPU=1 GPUBE_CUDA="${GPUBE_CUDA:-$PWD/$build/libgpube-cuda.so}" CMOCKA_MESSAGE_OUTPUT=TAP
failed=0
for t; do
	begin=$(date +%s) name=$build/$tool.$(basename "$t") k=0
	rm -f "$name".*
	while [ $k -lt "$parts" ]; do
		k=$((k + 1))
		{
			GPUBE_TEST_PART=$k/$parts timeout "${TIMEOUT:-0}" \
				compute-sanitizer --tool "$tool" --error-exitcode 9 "$t" > "$name.$k" 2>&1
			echo "exit $?" >> "$name.$k"
		} &
	done
	wait
	ok=$(cat "$name".* | grep -c '^ok ')
	not=$(cat "$name".* | grep -c '^not ok ')
	clean=$(cat "$name".* | grep -c '^exit 0$')
	echo "$tool $(basename "$t"): $ok passed, $not failed, $clean of $parts processes clean, $(($(date +%s) - begin)) s"
	[ "$ok" -gt 0 ] && [ "$not" -eq 0 ] && [ "$clean" -eq "$parts" ] || failed=1
done
exit $failed
