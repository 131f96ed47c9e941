#!/bin/sh
# tests/fuzz/fuzz.sh BUILD RUNS [READER…] - fuzzes every reader, or those named, with RUNS inputs
# each, from the seeds and the finds of this directory. New inputs are collected in BUILD/fuzz-corpus;
# a find is left in BUILD/fuzz-found and belongs into tests/fuzz/found/READER.
build=$1 runs=$2
shift 2
[ $# -gt 0 ] || set -- $(cd tests/fuzz/corpus && ls)
mkdir -p "$build/fuzz-found"
failed=0
for reader; do
	ln -f "$build/fuzz" "$build/fuzz-$reader"
	mkdir -p "$build/fuzz-corpus/$reader" "tests/fuzz/corpus/$reader"
	found=tests/fuzz/found/$reader
	[ -d "$found" ] || found=
	if "$build/fuzz-$reader" -runs="$runs" -timeout=1 -rss_limit_mb=2048 -malloc_limit_mb=1100 -max_len=4096 \
		-print_final_stats=1 -artifact_prefix="$build/fuzz-found/$reader-" \
		"$build/fuzz-corpus/$reader" "tests/fuzz/corpus/$reader" $found > "$build/fuzz-$reader.log" 2>&1; then
		echo "ok     $reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz-$reader.log") inputs, \
$(sed -n 's/^stat::average_exec_per_sec: *//p' "$build/fuzz-$reader.log") a second"
	else
		echo "FOUND  $reader: $(grep -m 1 -E 'ERROR|SUMMARY|not freed' "$build/fuzz-$reader.log")"
		failed=1
	fi
done
exit $failed
