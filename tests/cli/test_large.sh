#!/bin/sh
# What takes gigabytes or a minute, by 'make check-large' alone: elimination that waits for a search since it
# wants much memory, and a message of more than 2^31 bytes between ranks.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
mpi=${gpube%/*}/gpube-mpi

if [ -z "$GPUBE_LARGE" ]; then
	skip 'a message of more than 2^31 bytes' "needs 5 GiB: 'make check-large'"
	plan
	exit
fi

if ! [ -x "$mpi" ] || ! command -v mpirun > /dev/null; then
	not_ok 'there is no gpube-mpi or no mpirun'
	plan
	exit
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=1

# a chain of six, and a last agent of 2 values that knows them all: its table has 29^5 * 27 cells
awk 'BEGIN { srand(7); print "large 7 29 11 100000"; print "29 29 29 29 29 27 2"
	for (i = 0; i < 6; i++) d[i] = i < 5 ? 29 : 27
	d[6] = 2
	for (i = 0; i < 5; i++) f(i, i + 1)
	for (i = 0; i < 6; i++) f(i, 6) }
	function f(i, j,	a, b) { print 2, i, j, 0, d[i] * d[j]
		for (a = 0; a < d[i]; a++) for (b = 0; b < d[j]; b++) print a, b, int(1000 * rand()) }' > "$work/large.wcsp"
"$gpube" solve -q "$work/large.wcsp" | sed -n 's/^optimum *\([0-9]*\),.*/\1/p' > "$work/optimum"
for options in '' --compress; do
	# shellcheck disable=SC2086
	timeout 3000 mpirun -n 2 "$mpi" dpop -q --json --threads 1 --tree min-id --root 0 $options \
		"$work/large.wcsp" > "$work/out" 2> "$work/err"
	value() { sed -n "s/.*\"$1\": *\\([0-9]*\\).*/\\1/p" "$work/out"; }
	that "more than 2^31 bytes in a message ${options:-as they are}" [ "$(value largest_message_bytes)" -gt 2147483648 ]
	that 'in several pieces' [ "$(value pieces)" -ge 3 ]
	that 'the optimum' [ "$(value upper_bound)" = "$(cat "$work/optimum")" ]
done
plan
