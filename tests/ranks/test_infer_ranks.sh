#!/bin/sh
# infer: slices of a sum dealt to ranks over MPI, where there is gpube-mpi.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
. tests/ranks/ranks.sh

# SIDE VALUES SEED ZEROS > FILE: a grid of random potentials, of which a share is 0
grid() {
	awk -v n="$1" -v d="$2" -v seed="$3" -v zeros="$4" 'BEGIN {
		srand(seed); print "MARKOV"; print n * n
		for (i = 0; i < n * n; i++) printf "%d ", d
		print ""; print 2 * n * (n - 1)
		for (i = 0; i < n * n; i++) {
			if (i % n < n - 1) print 2, i, i + 1
			if (i < n * (n - 1)) print 2, i, i + n
		}
		for (k = 0; k < 2 * n * (n - 1); k++) {
			print d * d
			for (a = 0; a < d * d; a++) { x = rand(); printf "%.6f ", x < zeros ? 0 : x * 3 + 0.01 }
			print ""
		}
	}'
}

eager() { # N FILE OPTION…: slices however little the whole is
	n=$1
	shift
	GPUBE_TEST_RANK=eager ranks "$n" infer --json "$@"
}

# the answer with all its digits, and how it was sliced
digits() {
	sed -E 's/"seconds": [0-9.]+, //; s/"predicted_seconds": [0-9.e+-]+//; s/"times".*//' "$1"
}

# FILE FILE: log10 of both agree to 9 decimals
agree() {
	awk -v a="$(sed -E 's/.*"log10": ([-0-9.e+]+).*/\1/' "$1")" -v b="$(sed -E 's/.*"log10": ([-0-9.e+]+).*/\1/' "$2")" \
		'BEGIN { exit !(a - b < 1e-9 && b - a < 1e-9 && a != "") }'
}

grid 8 3 1 0 > "$work/plain.uai"
grid 8 2 2 0.15 > "$work/zeros.uai"
grid 9 3 3 0 > "$work/observed.uai"
printf '3 0 1 17 2 40 0\n' > "$work/observed.uai.evid"
# an order that is given: none is searched for, and no cases are, for as long as a clock says
grid 15 3 5 0 > "$work/slices.uai"
for file in plain zeros observed slices; do
	"$gpube" info -q --order min-fill --write-order "$work/$file.order" "$work/$file.uai" > /dev/null
done
for file in plain zeros observed; do
	for task in PR MAR; do
		set -- --order-file "$work/$file.order" "$work/$file.uai"
		"$gpube" infer -q --json -t $task "$@" > "$work/alone"
		eager 1 -t $task "$@" > "$work/one" 2> "$work/err"
		digits "$work/one" > "$work/one.digits"
		that "$file, $task: as without slices" agree "$work/alone" "$work/one"
		for n in 2 4; do
			eager $n -t $task "$@" > "$work/many" 2> "$work/err"
			digits "$work/many" > "$work/many.digits"
			that "$n ranks, $file, $task: the same digits" cmp "$work/one.digits" "$work/many.digits"
		done
	done
done
that 'there are marginals' grep -q '"marginals": \[\[' "$work/many"
that 'there were slices' grep -Eq '"slices": ([2-9]|[1-9][0-9]+)' "$work/many"
"$gpube" infer -q --json --memory 40K "$work/plain.uai" > "$work/alone"
for n in 1 3; do
	ranks $n infer --json --memory 40K --order-file "$work/plain.order" "$work/plain.uai" > "$work/many" 2> "$work/err"
	digits "$work/many" > "$work/many.digits.$n"
	that "$n ranks: what does not fit the memory" agree "$work/alone" "$work/many"
done
that 'in the same slices' cmp "$work/many.digits.1" "$work/many.digits.3"
for file in tests/instances/alarm.bif examples/sprinkler.uai; do
	"$gpube" infer -q --json "$file" > "$work/alone"
	eager 3 "$file" > "$work/many" 2> "$work/err"
	that "3 ranks, ${file##*/}: as alone" agree "$work/alone" "$work/many"
done
printf '1 1 0\n2 2 1\n' > "$work/no.evid"
"$gpube" solve -q --output uai -o "$work/alone" tests/instances/alarm.bif
row 'an MPE by ranks' 0 '"status": "optimal", "task": "MPE"' '' eager 3 -t MPE tests/instances/alarm.bif
printf 'MARKOV\n2\n2 2\n1\n2 0 1\n4\n0 0 0 1\n' > "$work/two.uai"
printf '1 0 0\n' > "$work/two.uai.evid"
row 'evidence of probability zero' 0 '^impossible ' '' ranks 3 infer "$work/two.uai"

# ---- ends
grid 26 3 4 0 > "$work/large.uai"
row 'a timeout ends all ranks' 1 '"status": "error"' 'out of time' ranks 3 infer --json --timeout 0.000001s "$work/large.uai"
row 'a signal gives bounds' 1 '"status": "bounds".*"log10_lower": [0-9.]+, "log10_upper": [0-9.]+' '*' \
	end_ranks_at TERM '(lower|upper) bound 10' -n 3 "$mpi" infer -v --json --threads 1 "$work/large.uai"
# so many slices that they do not end
row 'slices that are stopped give a lower bound' 1 'of which [1-9][0-9]* were done' '*' \
	end_ranks_at TERM 'the first of [0-9]+ slices is done' -n 3 "$mpi" infer -v --threads 1 --memory 6M \
	--order-file "$work/slices.order" "$work/slices.uai"
row 'a slow rank is waited for' 0 '^log10 Z' '' \
	env GPUBE_TEST_RANK='slow 1' timeout 600 mpirun -n 2 "$mpi" infer -q --receive-timeout 5s "$work/plain.uai"
ranks_that_fail infer "$work/large.uai"

# ---- what is wrong is told once
told_once 1 'cannot open' infer --json "$work/nothing"
told_once 1 'a model of costs has no probabilities' infer --json examples/zebra.wcsp
told_once 2 'several ranks share no --task MMAP' infer -t MMAP "$work/plain.uai"
told_once 2 'unknown option' infer --bogus
if ! "$gpube" infer -q --backend cuda "$work/plain.uai" > /dev/null 2>&1; then
	told_once 1 'CUDA' infer --json --backend cuda "$work/plain.uai"
fi
plan
