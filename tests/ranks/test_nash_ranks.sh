#!/bin/sh
# nash: pairs of supports shared by ranks over MPI, where there is gpube-mpi.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
. tests/ranks/ranks.sh

"$gpube" generate nash -n 6 --seed 2 -o "$work/six.nfg"
if ! "$gpube" nash --pure "$work/six.nfg" > "$work/said" 2>&1 && grep -q FLINT "$work/said"; then
	skip 'ranks' 'built without FLINT'
	plan
	exit
fi
for game in minimum-effort random; do
	"$gpube" generate nash -n 6 --seed 2 --game $game -o "$work/six.nfg"
	"$gpube" nash -q --method se --keep-dominated --json "$work/six.nfg" > "$work/one"
	same "$work/one" > "$work/one.same"
	for n in 1 2 3; do
		ranks $n nash --method se --keep-dominated --json "$work/six.nfg" > "$work/many"
		same "$work/many" > "$work/many.same"
		that "$game, $n ranks: as alone, with all pairs" cmp "$work/one.same" "$work/many.same"
	done
done
that 'pairs are counted once' grep -q '"work": 923' "$work/many"
row 'ranks go with se' 2 '' 'several ranks go with --method se' ranks 2 nash --method ve "$work/six.nfg"
told_once 1 'cannot open' nash --json --method se "$work/nothing"
if ! "$gpube" nash --method se --backend cuda "$work/six.nfg" > /dev/null 2>&1; then
	told_once 1 'CUDA' nash --json --method se --backend cuda "$work/six.nfg"
fi
told_once 2 "is not a gpube command" nush "$work/six.nfg"
"$gpube" generate nash -n 24 --seed 2 -o "$work/large.nfg"
row 'a timeout ends all with what was found' 1 'incomplete: out of time' '.' \
	ranks 2 nash --method se --timeout 0.5s "$work/large.nfg"
row 'a slow rank is waited for' 0 '^equilibria ' '' \
	env GPUBE_TEST_RANK='slow 1' timeout 600 mpirun -n 2 "$mpi" nash -q --method se --receive-timeout 5s \
	"$work/six.nfg"
# longer at work than the timeout, with signs of life
"$gpube" generate nash -n 15 --seed 2 -o "$work/large.nfg"
row 'a rank at work is not taken for a dead one' 0 '^equilibria ' '' \
	ranks 2 nash --method se --receive-timeout 1.9s --support-size 6 "$work/large.nfg"
ranks_that_fail "nash --method se" "$work/large.nfg"
plan
