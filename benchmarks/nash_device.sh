#!/bin/sh
# nash_device.sh BUILD OUT - support scans and branch and bound on a device, beside one core and all
# cores of the machine: files such as those of benchmarks/runs/nash-h200. About six minutes.
build=$1 out=$2
scan=$build/benchmarks/bench_support gpube=$build/gpube
cores=$(nproc)
mkdir -p "$out"

# one core; four processes beside each other on a machine with more cores than that
for dominance in 0 1; do
	for class in random minimum-effort; do
		"$scan" $class 16 16 1 cpu 1 $dominance > "$out/core.$class.$dominance" &
	done
done
wait
cat "$out"/core.* > "$out/core.csv"
rm "$out"/core.*.?

"$scan" random 12 12 1 cuda 1 1 > /dev/null # opens the device
for dominance in 0 1; do
	"$scan" minimum-effort 5 16 5 cuda 1 $dominance
	"$scan" random 14 17 3 cuda 1 $dominance
done > "$out/cuda.csv"
{
	"$scan" minimum-effort 5 16 5 cpu "$cores" 1
	"$scan" minimum-effort 16 16 1 cpu "$cores" 0
	"$scan" random 16 16 1 cpu "$cores" 1
} > "$out/omp.csv"

# whole programs, with opening the device
for n in 24 28 32; do
	for seed in 1 2 3; do
		"$gpube" generate nash -n $n --seed $seed -o "$out/game.nfg"
		for backend in cuda cpu; do
			"$gpube" nash --method eee --backend $backend --json "$out/game.nfg" |
				python3 -c "
import json, sys
r = json.load(sys.stdin)
print(*sys.argv[1:], r['seconds'], r['work'], r['n_equilibria'], r['status'], sep=',')" \
					$n $seed $backend
		done
	done
done > "$out/eee.csv"
rm "$out/game.nfg"
