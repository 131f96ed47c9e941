#!/bin/sh
# nash_h200.sh BUILD OUT - the rows of games on a device that the host bounds: support scans with
# dominance, whose supports all threads list, and certified branch and bound, n = 32. Under three
# minutes.
build=$1 out=$2
scan=$build/benchmarks/bench_support gpube=$build/gpube
cores=$(nproc)
mkdir -p "$out"

# one core, beside the device's rows of the same games
timeout 60 "$scan" minimum-effort 16 16 1 cpu 1 1 > "$out/core.csv"

for threads in 1 "$cores"; do
	{
		"$scan" random 12 12 1 cuda "$threads" 1
		"$scan" minimum-effort 16 16 5 cuda "$threads" 1
		"$scan" random 16 16 3 cuda "$threads" 1
	} > "$out/cuda.$threads.csv"
done
timeout 30 "$scan" minimum-effort 14 16 1 cpu "$cores" 1 > "$out/omp.csv"

# columns: seed, threads, seconds, nodes, equilibria, status; all cores twice
for seed in 1 2 3; do
	"$gpube" generate nash -n 32 --seed $seed -o "$out/game.nfg"
	for threads in 1 "$cores" "$cores"; do
		timeout 30 "$gpube" nash --method eee --backend cuda --threads "$threads" --json \
			"$out/game.nfg" |
			python3 -c "
import json, sys
r = json.load(sys.stdin)
print(*sys.argv[1:], r['seconds'], r['work'], r['n_equilibria'], r['status'], sep=',')" \
				$seed "$threads"
	done
done > "$out/eee.csv"
rm "$out/game.nfg"
cat "$out"/*.csv
