#!/bin/sh
# What is measured on a machine with a GPU, part by part, into OUT.
#
# usage: benchmarks/device.sh BUILD DATA OUT PART...
#
#   measure  gpube devices --measure, which the later parts then go by
#   tables   the GpuBE paper's tables 1 to 3 on the card, on one core and on eight, each on cores of its own (tables-*.csv, each-*.csv); 16 cores
#   whole    gpube solve on generated files, whole processes (whole.csv)
#   large    instances whose largest table has 10^7 to 10^10.5 cells, on the card (large.csv)
#   auto     the same on the card, on the cores and by choice, the best of three (auto.csv)
#   growth   one bucket from 2^14 joined cells on (growth-cuda.csv, growth-cpu.csv)
#   slices   a network on cards that hold 1/2, 1/4 and 1/16 of its largest bucket (slices.txt)
#   split    the same on one card, on one twice and on two (split.txt)
#   two      whole commands on one card and on two, three times each (two-cards.txt)
#
# LIMIT bounds the seconds of a row of the tables (default 0.5), INSTANCES their number (10).
build=$1 data=$2 out=$3
shift 3
here=$(dirname "$0")
gpube=$build/gpube
mkdir -p "$out"

# One more line of seconds and the answer for each set of options.
compare() {
	file=$1
	shift
	for options in "$@"; do
		echo "== gpube solve -v $options"
		start=$(date +%s.%N)
		# shellcheck disable=SC2086
		timeout 120 "$gpube" solve -v $options "$file" 2> "$out/talk" > "$out/answer" || echo "exit $?"
		end=$(date +%s.%N)
		grep -E '^(optimum|plan|time|backend|infeasible)' "$out/answer"
		grep -E 'slices|buckets? on|copies between|devices?:|subproblem' "$out/talk" | tail -n "${LINES_OF_TALK:-12}"
		echo "whole process: $(awk "BEGIN { print $end - $start }") s"
	done
	rm -f "$out/talk" "$out/answer"
}

for part in "$@"; do
	echo "---- $part, $(date +%T)"
	case $part in
	measure)
		"$gpube" devices --measure | tee "$out/devices.txt"
		;;
	tables)
		bench=$build/benchmarks/bench_be_tables
		timeout 300 taskset -c 0-3 "$bench" cuda "${INSTANCES:-10}" "${LIMIT:-0.5}" "${CELLS:-1e12}" 0,1,2,3 "$out/each-cuda.csv" > "$out/tables-cuda.csv" &
		timeout 300 taskset -c 4 "$bench" cpu "${INSTANCES:-10}" "${CORE_LIMIT:-0.8}" "${CORE_CELLS:-1e9}" 1 "$out/each-core.1" > "$out/tables-core.1" &
		timeout 300 taskset -c 5 "$bench" cpu "${INSTANCES:-10}" "${CORE_LIMIT:-0.8}" "${CORE_CELLS:-1e9}" 2 "$out/each-core.2" > "$out/tables-core.2" &
		timeout 300 taskset -c 6 "$bench" cpu "${INSTANCES:-10}" "${CORE_LIMIT:-0.8}" "${CORE_CELLS:-1e9}" 3 "$out/each-core.3" > "$out/tables-core.3" &
		timeout 300 taskset -c 8-15 "$bench" cpu "${INSTANCES:-10}" "${CPU_LIMIT:-0.4}" "${CPU_CELLS:-1e10}" 1,2,3 "$out/each-cores.csv" > "$out/tables-cores.csv" &
		wait
		for name in tables each; do
			for k in 1 2 3; do
				tail -n +$((k > 1 ? 2 : 1)) "$out/$name-core.$k"
			done > "$out/$name-core.csv"
			rm -f "$out/$name"-core.[123]
		done
		wc -l "$out"/tables-*.csv
		;;
	whole)
		echo "kind,n,d,p1,seed,backend,seconds,answer" > "$out/whole.csv"
		while read -r kind n d p1 more; do
			for seed in ${SEEDS:-1 2 3}; do
				# shellcheck disable=SC2086
				"$gpube" generate "$kind" -n "$n" -d "$d" --p1 "$p1" --p2 0 --seed $seed $more -o "$out/net.wcsp"
				for backend in cuda cpu; do
					start=$(date +%s.%N)
					answer=$(timeout 60 "$gpube" solve --no-simplify --backend $backend "$out/net.wcsp" | awk '/^optimum/ { print $2 }')
					end=$(date +%s.%N)
					echo "$kind,$n,$d,$p1,$seed,$backend,$(awk "BEGIN { print $end - $start }"),$answer" >> "$out/whole.csv"
				done
			done
		done <<- 'ROWS'
			random 10 10 0.3
			random 15 10 0.3
			random 18 10 0.3
			random 20 10 0.3
			random 10 100 0.3
			random 10 10 0.9
			random 14 10 0.2
			random 18 10 0.15
			random 20 10 0.15
			scale-free 13 10 0.3 --links 4
			grid 40 10 0.3 --rows 4
			grid 60 10 0.3 --rows 4
		ROWS
		rm -f "$out/net.wcsp"
		cat "$out/whole.csv"
		;;
	large)
		"$here/large.py" "$data" --gpube "$gpube" --backends cuda --csv "$out/large.csv"
		;;
	auto)
		"$here/large.py" "$data" --gpube "$gpube" --from "${AUTO_FROM:-6.8}" --to "${AUTO_TO:-9.1}" --backends cuda,cpu,auto --repeat "${REPEAT:-3}" --csv "$out/auto.csv"
		;;
	growth)
		timeout 60 "$build/benchmarks/bench_growth" cuda 14 "${MOST_CUDA:-34}" | tee "$out/growth-cuda.csv"
		timeout 60 "$build/benchmarks/bench_growth" cpu 14 "${MOST_CPU:-32}" | tee "$out/growth-cpu.csv"
		;;
	slices)
		"$gpube" generate random -n 22 -d 4 --p1 0.6 --p2 0.1 --seed 1 -o "$out/net.wcsp"
		for cap in 0 ${CAPS:-1G 512M 128M}; do
			compare "$out/net.wcsp" "--backend=cuda --device-memory=$cap"
		done | tee "$out/slices.txt"
		;;
	split)
		for net in "grid -n 144 --rows 9 -d 6" "grid -n 200 --rows 8 -d 8"; do
			# shellcheck disable=SC2086
			"$gpube" generate $net --p2 0.1 --seed 1 -o "$out/net.wcsp"
			echo "==== gpube generate $net --p2 0.1 --seed 1"
			compare "$out/net.wcsp" "--order=min-fill --backend=cuda" "--order=min-fill --backend=cuda --devices 0,0" \
				"--order=min-fill --backend=cuda --devices 0,1"
		done | tee "$out/split.txt"
		;;
	two)
		queen=$(find "$data" -name queen5_5_4.wcsp | head -n 1)
		for net in "grid -n 144 -d 4 --rows 12" "grid -n 144 -d 6 --rows 12" "random -n 24 -d 5 --p1 0.5" queen \
			"random -n 25 -d 5 --p1 0.5" "random -n 26 -d 5 --p1 0.5"; do
			seed=2
			case $net in grid*) seed=1 ;; esac
			if [ "$net" = queen ]; then
				cp "$queen" "$out/net.wcsp"
			else
				# shellcheck disable=SC2086
				"$gpube" generate $net --p2 0 --seed $seed -o "$out/net.wcsp"
			fi
			echo "==== $net"
			for _ in 1 2 3; do
				compare "$out/net.wcsp" "--method eliminate --backend cuda --devices 0" \
					"--method eliminate --backend cuda --devices 0,1"
			done
		done | tee "$out/two-cards.txt"
		rm -f "$out/net.wcsp"
		;;
	esac
done
