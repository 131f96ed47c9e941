#!/bin/sh
# csg: conv's layers shared by ranks over MPI, where there is gpube-mpi.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

. tests/ranks/ranks.sh

"$gpube" generate csg -n 16 --seed 3 --dist ndcs -o "$work/g.csg"
printf 'csg 3 int32\n{1} 5\n{2} 5\n{3} 1\n{1,2} 9\n{1,3} 8\n{2,3} 5\n{1,2,3} 12\n' > "$work/three.txt"
for options in "$work/g.csg" '--generate modified-uniform -n 15 --type float32' \
	'--generate hump -n 15 --type int16 --compress --piece 100' \
	'--generate uniform -n 16 --memory 300K'; do
	# shellcheck disable=SC2086
	"$gpube" csg -q --json --method conv --backend cpu $options > "$work/one"
	for n in 1 2 4; do
		# shellcheck disable=SC2086
		ranks $n csg --json --backend cpu --method conv $options > "$work/many" 2> "$work/err"
		same "$work/one" > "$work/one.same"
		same "$work/many" > "$work/many.same"
		that "$n ranks, $options: as alone" cmp "$work/one.same" "$work/many.same"
		that 'which found something' grep -q '"status": "optimal"' "$work/many.same"
	done
done
row 'auto is conv' 0 'method +conv' '' ranks 2 csg "$work/g.csg"
row 'fewer agents than are shared' 0 '^value ' '' ranks 3 csg --generate uniform -n 3
row 'lp has no ranks' 1 '' 'on several ranks there is method conv alone' ranks 2 csg --method lp "$work/g.csg"
told_once 1 'cannot open' csg --json "$work/nothing"
told_once 1 'method conv alone' csg --json --method lp "$work/g.csg"
told_once 1 'conv: 30 agents take' csg --json --generate uniform -n 30 --memory 1M
told_once 1 'certificate does not hold' csg --json --verify tests/fuzz/corpus/proof/three "$work/g.csg"
row 'ranks verify, too' 0 'checked' '' ranks 2 csg --verify tests/fuzz/corpus/proof/three "$work/three.txt"
told_once 2 'unknown option' csg --bogus
told_once 2 'expected either FILE' csg
told_once 2 'does not run on several ranks' auction "$work/g.csg"
row 'a timeout ends all with bounds' 0 '"status": "bounds"' '' \
	env GPUBE_TEST_RANK='slow 1' timeout 600 mpirun -n 2 "$mpi" csg -q --json --timeout 1s "$work/g.csg"
row 'a slow rank is waited for' 0 '^value ' '' \
	env GPUBE_TEST_RANK='slow 1' timeout 600 mpirun -n 2 "$mpi" csg -q --receive-timeout 5s "$work/g.csg"
ranks_that_fail csg "$work/g.csg"
plan
