#!/bin/sh
# dpop: answers, forms of output, refusals; ranks over MPI where there is gpube-mpi.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
printf 'none 2 2 1 10\n2 2\n2 0 1 10 0\n' > "$work/none.wcsp"
printf '{problem: {name: "most", mustbe: ">-9.0"},\n variables: {a: 2, b: 2},\n' > "$work/most.cfn"
printf ' functions: {f: {scope: [a, b], costs: [0.5, -1.5, 3.2, 7.1]}}}\n' >> "$work/most.cfn"
# two trees, and a variable by itself
printf 'forest 5 2 4 100\n2 2 2 2 2\n2 0 1 0 2\n0 0 5\n1 1 3\n2 2 3 0 2\n0 1 4\n1 0 7\n' > "$work/forest.wcsp"
printf '1 4 0 2\n0 6\n1 2\n1 0 0 1\n0 1\n' >> "$work/forest.wcsp"
printf 'algebra north\nbotany north\nchemistry south\ndrama south\n' > "$work/map"

row 'zebra' 0 '^optimum +0, the proved minimum' '' "$gpube" dpop -q $x/zebra.wcsp
row 'messages are n - 1 and n - 1' 0 '^messages +24 UTIL, 24 VALUE' '' "$gpube" dpop -q $x/zebra.wcsp
row 'a forest: no message between its trees' 0 '^messages +2 UTIL, 2 VALUE' '' "$gpube" dpop -q "$work/forest.wcsp"
row 'exams: decimals as in the file' 0 '^optimum +4\.30, ' '' "$gpube" dpop -q $x/exams.cfn
row 'a maximum' 0 '^optimum +7\.1, the proved maximum' '' "$gpube" dpop -q "$work/most.cfn"
row 'infeasible' 0 '^infeasible +every assignment is forbidden' '' "$gpube" dpop -q "$work/none.wcsp"
row 'sprinkler: log10' 0 'log10 -0\.48945' '' "$gpube" dpop -q $x/sprinkler.uai
row 'ADPOP: bounds' 0 '^bounds +\[[0-9.]+, [0-9.]+\]' '' "$gpube" dpop -q --z 2 $x/exams.cfn
row 'the paper'\''s partition' 0 '^method +ADPOP, z 2, ' '' \
	"$gpube" dpop -q --z 2 --partition first --no-match $x/exams.cfn
for tree in min-degree max-degree min-id max-id min-name max-name best; do
	row "tree $tree" 0 "\\($tree of " '' "$gpube" dpop -q --tree $tree --tries 5 --seed 1 $x/exams.cfn
done
row 'agents build the tree' 0 '^built by +distributed DFS: [0-9]+ messages, 10 of them of the token' '' \
	"$gpube" dpop -q --distributed-dfs $x/exams.cfn
row 'by the most connected, as the central search' 0 '\(max-degree of 1\)' '' "$gpube" dpop -q --distributed-dfs $x/exams.cfn
row 'the same optimum' 0 '^optimum +4\.30, ' '' "$gpube" dpop -q --distributed-dfs --tree min-name $x/exams.cfn
row 'its messages in JSON' 0 '"built_by": "distributed DFS", "messages": [1-9][0-9]*, "token_messages": 4, ' '' \
	"$gpube" dpop -q --json --distributed-dfs "$work/forest.wcsp"
row 'central: none' 0 '"built_by": "central DFS", "messages": 0, ' '' "$gpube" dpop -q --json $x/exams.cfn
row 'the best is nothing that agents know' 1 '' 'agents cannot compare whole pseudo-trees' \
	"$gpube" dpop -q --distributed-dfs --tree best $x/exams.cfn
row 'a root by name' 0 '^drama +- ' '' "$gpube" dpop -q --root drama $x/exams.cfn
row 'a root by index' 0 '^drama +- ' '' "$gpube" dpop -q --root 3 $x/exams.cfn
row 'no such root' 1 '' "there is no agent 'latin'" "$gpube" dpop -q --root latin $x/exams.cfn
row 'an agent map' 0 '^(north|south) .* 2 ' '' "$gpube" dpop -q --agents "$work/map" $x/exams.cfn
row 'its optimum' 0 '^optimum +4\.30, ' '' "$gpube" dpop -q --agents "$work/map" $x/exams.cfn
row 'no agent map' 1 '' 'cannot open' "$gpube" dpop -q --agents "$work/nothing" $x/exams.cfn
row 'latency counts' 0 '^simulated +([8-9]|[0-9]{2,})\.' '' "$gpube" dpop -q --latency 1s $x/exams.cfn
row 'threads' 0 '^optimum +4\.30, ' '' "$gpube" dpop -q --threads 4 --agent-threads 2 $x/exams.cfn
row 'memory' 1 '' "the agents' tables need" "$gpube" dpop -q --memory 1K $x/zebra.wcsp
"$gpube" generate random -n 60 -d 6 --p1 0.3 --p2 0.05 --seed 3 -o "$work/hard.wcsp"
row 'a timeout ends with bounds' 1 '^lower +[1-9][0-9]*, proved' '' \
	"$gpube" dpop -q --z 4 --timeout 0.000001s "$work/hard.wcsp"
export GPUBE_TEST_RANK='slow 0' # there is time for a signal once agents are at work
row 'SIGINT ends with bounds' 1 '"status": "bounds".*"lower_bound": [1-9][0-9]*, "upper_bound": [0-9]+, "assignment": \[' \
	'stopped' end_at INT 'agents at work' "$gpube" dpop -v --json --z 4 "$work/hard.wcsp"
unset GPUBE_TEST_RANK
if has_clock; then # a moment is as long on a slow machine
	row 'and an assignment' 1 '^upper +[1-9][0-9]*, of an assignment' 'out of time' \
		clocked 1 "$gpube" dpop --z 4 --timeout 0.000001s "$work/hard.wcsp"
	row 'a timeout, JSON' 1 '"status": "bounds".*"lower_bound": [0-9]+, "upper_bound": [0-9]+, "assignment": \[' 'out of time' \
		clocked 1 "$gpube" dpop --json --z 4 --timeout 0.000001s "$work/hard.wcsp"
	row 'what a moment proves is the optimum' 0 '^optimum +4\.30, the proved ' '' \
		clocked 1 "$gpube" dpop -q --timeout 0.000001s $x/exams.cfn
else
	skip 'what a moment proves is the optimum' 'no compiler, or the program has an allocator of its own'
fi
row 'precision' 0 'log10 -0\.4' '' "$gpube" dpop -q --precision 3 --backend cpu $x/sprinkler.uai
row 'json' 0 '"status": *"optimal".*"lower_bound": *4\.30.*"upper_bound": *4\.30.*"assignment": *\[' '' \
	"$gpube" dpop -q --json $x/exams.cfn
row 'json keys' 0 '"messages": *10,.*"largest_message_bytes": *[0-9]+,.*"simulated_seconds": *[0-9.]+' '' \
	"$gpube" dpop -q --json $x/exams.cfn
that 'json is JSON' sh -c "'$gpube' dpop -q --json $x/exams.cfn | python3 -m json.tool"
"$gpube" dpop -q --output sol -o "$work/exams.sol" $x/exams.cfn
row 'sol' 0 'upper bound 4\.30, gap 100 % \(given assignment\)' '' sh -c "'$gpube' bound -v --sol '$work/exams.sol' $x/exams.cfn 2>&1"

# ---- ranks ----
. tests/ranks/ranks.sh

"$gpube" generate random -n 14 -d 7 --p1 0.3 --seed 5 -o "$work/random.wcsp"
for options in '' '--z 3' '--z 3 --partition first --no-match' "--agents $work/map" "--latency 1s"; do
	file=$work/random.wcsp
	case $options in --agents*) file=$x/exams.cfn ;; --latency*) file=$work/forest.wcsp ;; esac
	# shellcheck disable=SC2086
	"$gpube" dpop -q --json $options "$file" > "$work/one"
	for n in 1 2 4; do
		[ $n = 4 ] || [ -z "$options" ] || continue
		# shellcheck disable=SC2086
		ranks $n dpop --json $options --piece 100 --compress "$file" > "$work/many" 2> "$work/err"
		same "$work/one" > "$work/one.same"
		same "$work/many" > "$work/many.same"
		that "$n ranks, ${options:-exact}: as the simulator" cmp "$work/one.same" "$work/many.same"
		that 'which found something' grep -Eq '"status": "(optimal|bounds)"' "$work/many.same"
		[ "$n$options" = 2 ] || continue
		sed -E 's/.*"bytes": ([0-9]+), "sent_bytes": ([0-9]+).*/\2 -lt \1/' "$work/many" > "$work/less"
		# shellcheck disable=SC2046
		that '2 ranks: compressed, less is sent' test $(cat "$work/less")
	done
done
# the tree by messages between ranks: as in one process, message by message
for tree in max-degree min-name; do
	for file in "$work/random.wcsp" "$work/forest.wcsp" $x/zebra.wcsp; do
		"$gpube" dpop -q --json --distributed-dfs --tree $tree --root 1 "$file" > "$work/one"
		for n in 2 4; do
			ranks $n dpop --json --distributed-dfs --tree $tree --root 1 --piece 100 "$file" > "$work/many" 2> "$work/err"
			for f in one many; do
				sed -E 's/.*("lower_bound".*), "z".*("built_by".*"rounds": [0-9]+),.*/\1 \2/' "$work/$f" > "$work/$f.same"
				grep -oE '"parent": -?[0-9]+, "pseudo_parents": [^]]*' "$work/$f" >> "$work/$f.same"
			done
			that "$n ranks, distributed DFS, $tree: as the simulator" cmp "$work/one.same" "$work/many.same"
		done
	done
done
that 'which sent something' grep -Eq 'distributed DFS", "messages": [1-9]' "$work/many.same"
row 'more ranks than agents, distributed DFS' 0 '^optimum +7\.1' '' ranks 4 dpop --distributed-dfs "$work/most.cfn"
row 'all are told that best is none' 1 '' 'agents cannot compare' ranks 3 dpop --distributed-dfs --tree best $x/exams.cfn
that 'once' test "$(grep -c 'agents cannot' "$work/err")" = 1
row 'a timeout while they build ends all ranks' 1 '"status": "bounds".*"assignment": \[' '.' \
	timeout 600 mpirun -n 3 "$mpi" dpop -q --json --distributed-dfs --z 4 --timeout 0.000001s "$work/hard.wcsp"
row 'one rank' 0 '^optimum +4\.30' '' ranks 1 dpop $x/exams.cfn
row 'more ranks than agents' 0 '^optimum +7\.1' '' ranks 4 dpop "$work/most.cfn"
row 'pieces' 0 '"pieces": *([1-9][0-9]{2,})' '' ranks 2 dpop --json --piece 16 "$work/random.wcsp"
row 'other commands have no ranks' 2 '' "'bound' does not run on several ranks" "$mpi" bound $x/exams.cfn
row 'an error that all have is told once' 1 '' 'cannot open' ranks 3 dpop "$work/nothing"
that 'once' test "$(grep -c 'cannot open' "$work/err")" = 1
row 'a slow rank is waited for' 0 '^optimum ' '' \
	env GPUBE_TEST_RANK='slow 1' timeout 600 mpirun -n 2 "$mpi" dpop -q --receive-timeout 1.9s "$work/random.wcsp"
row 'a timeout ends all ranks with bounds' 1 '^lower +[1-9][0-9]*, proved' '.' \
	env GPUBE_TEST_RANK='slow 1' timeout 600 mpirun -n 3 "$mpi" dpop -q --z 4 --timeout 1s "$work/hard.wcsp"
row 'one that is over before they work does' 1 '"status": "bounds".*"assignment": \[' '.' \
	timeout 600 mpirun -n 2 "$mpi" dpop -q --json --z 4 --timeout 0.000001s "$work/hard.wcsp"
ranks_that_fail dpop "$work/random.wcsp"
ranks_that_fail 'dpop --distributed-dfs' "$work/random.wcsp" # while they build the tree
plan
