#!/bin/sh
# solve: open nodes of one tree shared by ranks over MPI, where there is gpube-mpi.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
. tests/ranks/ranks.sh

eager() { # N FILE OPTION…: nodes are lent at once, however soon the tree would end
	n=$1
	shift
	GPUBE_TEST_RANK=eager ranks "$n" solve --json "$@"
}

# what has to be the same: not the assignment, where several are optimal
verdict() {
	grep -Eo '"(status|lower_bound|upper_bound|log10|closed)": [^,]*' "$1"
}

# ---- random models, of which some have no solution, against gpube solve
for options in '-n 12 -d 4 --p1 0.7 --p2 0.1' '-n 30 -d 3 --p1 0.15 --p2 0.2' '-n 14 -d 5 --p1 0.6 --p2 0.55' \
	'-n 20 -d 6 --p1 0.5 --p2 0.1' '-n 49 -d 3 --rows 7 --p2 0.2 grid' '-n 16 -d 5 --p1 0.9 --p2 0.05'; do
	case $options in *grid) ;; *) options="$options random" ;; esac
	for seed in 1 2; do
		# shellcheck disable=SC2086
		"$gpube" generate --seed $seed -o "$work/m.wcsp" $options
		"$gpube" solve -q --json "$work/m.wcsp" > "$work/one"
		verdict "$work/one" > "$work/one.verdict"
		for n in 2 4; do
			eager $n "$work/m.wcsp" > "$work/many" 2> "$work/err"
			verdict "$work/many" > "$work/many.verdict"
			that "$n ranks, seed $seed, $options: as alone" cmp "$work/one.verdict" "$work/many.verdict"
		done
	done
done

# ---- a maximum, potentials, costs that are known
printf '{problem: {name: "most", mustbe: ">-90.0"},\n variables: {a: 3, b: 3, c: 2},\n functions: {f: {scope: [a, b],
 costs: [0.5, -1.5, 3.2, 7.1, 2, -3.1, 1, 7, 6.9]}, g: {scope: [b, c], costs: [1.5, 0, 2, 3, -5.5, 4]}}}\n' > "$work/most.cfn"
printf 'none 2 2 1 10\n2 2\n2 0 1 10 0\n' > "$work/none.wcsp"
printf 'constant 0 0 1 10\n\n0 5 0\n' > "$work/constant.wcsp"
for file in "$work/most.cfn" examples/rain.uai tests/instances/alarm.bif examples/exams.cfn "$work/none.wcsp" "$work/constant.wcsp"; do
	[ -e "$file" ] || continue
	"$gpube" solve -q --json "$file" > "$work/one"
	verdict "$work/one" > "$work/one.verdict"
	eager 3 "$file" > "$work/many" 2> "$work/err"
	verdict "$work/many" > "$work/many.verdict"
	that "3 ranks, ${file##*/}: as alone" cmp "$work/one.verdict" "$work/many.verdict"
done
"$gpube" generate random -n 20 -d 6 --p1 0.5 --p2 0.1 --seed 1 -o "$work/m.wcsp"
"$gpube" solve -q --output ub -o "$work/m.ub" "$work/m.wcsp"
"$gpube" solve -q --output sol -o "$work/m.sol" "$work/m.wcsp"
"$gpube" solve -q --json --ub 3000 "$work/m.wcsp" > "$work/one"
eager 3 --ub 3000 "$work/m.wcsp" > "$work/many" 2> "$work/err"
verdict "$work/one" | grep -v upper > "$work/one.verdict"
verdict "$work/many" | grep -v upper > "$work/many.verdict"
that 'nothing better than --ub' grep -q '"closed": true' "$work/many"
that 'as alone' cmp "$work/one.verdict" "$work/many.verdict"
for n in 1 2 3; do
	row "$n ranks, no assignment, none below --ub either" 0 '"status": "infeasible".*"closed": false' '' \
		eager $n "$work/none.wcsp" --ub 5
	row "$n ranks, the tree is not shared, either" 0 '"status": "infeasible".*"closed": false' '' \
		ranks $n solve --json --ub 5 "$work/none.wcsp"
done
row 'the work has been shared' 0 '^optimum' '([2-9]|[1-9][0-9]+) nodes lent to 2 ranks' \
	env GPUBE_TEST_RANK=eager timeout 600 mpirun -n 3 "$mpi" solve -v --threads 1 --method tree "$work/m.wcsp"
row 'a known solution is proved' 0 "^optimum +$(cat "$work/m.ub")," '' \
	env GPUBE_TEST_RANK=eager timeout 600 mpirun -n 3 "$mpi" solve -q --threads 1 --sol "$work/m.sol" "$work/m.wcsp"
printf '{problem: {name: "cut", mustbe: ">-9"}, variables: {a: 2, b: 2, c: 2, d: 2}, functions: {' > "$work/cut.cfn"
for pair in 'a b' 'a c' 'a d' 'b c' 'b d' 'c d'; do
	printf '%s: {scope: [%s], costs: [0, 1, 1, 0]}' "${pair% *}${pair#* }" "${pair% *}, ${pair#* }"
	[ "$pair" = 'c d' ] && printf '}}\n' || printf ', '
done >> "$work/cut.cfn"
for n in 2 3; do # rank 0 has no method that proves it, and waits
	row "$n ranks: what one of them proves by itself is everybody's" 0 "^optimum +$(cat "$work/m.ub")," 'gap 0 % .another rank.' \
		env GPUBE_TEST_RANK=solo timeout 600 mpirun -n $n "$mpi" solve -v --threads 1 "$work/m.wcsp"
	row "$n ranks: a maximum, likewise" 0 '^optimum' '(another rank)' \
		env GPUBE_TEST_RANK=solo timeout 600 mpirun -n $n "$mpi" solve -v --threads 1 "$work/cut.cfn"
done
"$gpube" generate random -n 45 -d 8 --p1 0.6 --p2 0.05 --seed 1 -o "$work/hard.wcsp"
row 'rank 0 waits no longer than the time limit' 1 '^incomplete' '*' \
	env GPUBE_TEST_RANK=solo timeout 600 mpirun -n 2 "$mpi" solve -q --threads 1 --timeout 1s "$work/hard.wcsp"
for method in eliminate tree andor pairwise 'ascent --regions nested'; do
	row "--method $method" 0 "^optimum +$(cat "$work/m.ub")," '' \
		env GPUBE_TEST_RANK=eager timeout 600 mpirun -n 3 "$mpi" solve -q --threads 1 --method $method "$work/m.wcsp"
done
row 'an MPE result file' 0 '^MPE' '' ranks 2 solve --output uai tests/instances/alarm.bif

# ---- ends
bounds='"status": "bounds".*"lower_bound": [1-9][0-9]*, "upper_bound": [1-9][0-9]*, "assignment": \['
row 'a timeout gives bounds' 1 "$bounds" '*' ranks 3 solve --json --timeout 0.000001s "$work/hard.wcsp"
row 'a signal gives bounds' 1 "$bounds" '*' \
	end_ranks_at TERM 'upper bound' -n 3 "$mpi" solve --json --threads 1 "$work/hard.wcsp"
row 'and says why' 1 '^incomplete +stopped before the end' '*' \
	end_ranks_at TERM 'upper bound' -n 3 "$mpi" solve --threads 1 "$work/hard.wcsp"
GPUBE_TEST_RANK=eager row 'a signal gives bounds of a tree that is shared, too' 1 '^incomplete +stopped before the end' '*' \
	end_ranks_at TERM 'upper bound' -n 3 "$mpi" solve --threads 1 "$work/hard.wcsp"
least_of_ranks() { # a signal comes while they search
	for s in 1 2 3; do
		"$gpube" generate random -n 24 -d 6 --p1 0.7 --p2 0.1 --seed $s -o "$work/b.wcsp"
		best=$("$gpube" solve -q --output ub "$work/b.wcsp")
		tap_also=$work/b.err
		GPUBE_TEST_RANK=eager end_ranks_at TERM 'upper bound' -n 3 "$mpi" solve --threads 1 --method tree --json "$work/b.wcsp" \
			> "$work/b.json" 2> "$work/b.err"
		tap_also=
		lower=$(sed -E 's/.*"lower_bound": ([0-9]+).*/\1/' "$work/b.json")
		[ "$lower" -le "$best" ] && [ "$lower" -gt 0 ] || { cat "$work/b.json"; return 1; }
	done
}
row 'the least bound of all ranks is no better than the optimum' 0 '' '*' least_of_ranks
row 'a slow rank is waited for' 0 '^optimum ' '' \
	env GPUBE_TEST_RANK='slow 1' timeout 600 mpirun -n 2 "$mpi" solve -q --receive-timeout 5s "$work/m.wcsp"
ranks_that_fail solve "$work/hard.wcsp"

# ---- what is kept at a stop
row 'a checkpoint at a signal' 1 '^incomplete' 'checkpoint written' \
	end_ranks_at TERM 'upper bound' -n 3 "$mpi" solve --threads 1 --method tree --checkpoint "$work/ck" "$work/hard.wcsp"
row 'another number of ranks goes on' 1 '"status": "bounds"' '*' \
	ranks 2 solve --json --method tree --timeout 0.5s --resume "$work/ck" "$work/hard.wcsp"

# ---- random models, killed ranks and stops; GPUBE_RANK_RUNS=100 has so many times as many
for runs in answers:3 kills:1 checkpoints:2; do
	if command -v python3 > /dev/null; then
		that "at random: ${runs%:*}" python3 tests/ranks/check_ranks.py --program "${gpube%/*}" \
			"--${runs%:*}" $((${runs#*:} * ${GPUBE_RANK_RUNS:-1}))
	else
		skip "at random: ${runs%:*}" 'no python3'
	fi
done

# ---- what is wrong is told once
told_once 1 'cannot open' solve --json "$work/nothing"
told_once 1 'expected a number' solve --json --ub x "$work/m.wcsp"
told_once 1 'expected 1 to 8 indices' solve --json --devices x "$work/m.wcsp"
told_once 1 'cannot write' solve -o "$work/no/file" "$work/m.wcsp"
told_once 2 'several ranks count no optima' solve --count "$work/m.wcsp"
told_once 2 'unknown option' solve --bogus
if ! "$gpube" solve -q --backend cuda "$work/m.wcsp" > /dev/null 2>&1; then
	told_once 1 'CUDA' solve --json --backend cuda "$work/m.wcsp"
fi
plan
