#!/bin/sh
# gpube list: the optima, the best assignments, limits, and the forms of a list.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
x=examples

# costs 0 1 1 2 over two variables, and a maximum of the same
printf 'two 2 2 2 9\n2 2\n1 0 0 1\n1 1\n1 1 0 1\n1 1\n' > "$work/two.wcsp"
printf '{"problem":{"name":"m","mustbe":">-9.0"},"variables":{"a":["n","y"],"b":2},"functions":{"f":{"scope":["a","b"],"costs":[0.5,1.5,1.5,0.1]}}}' > "$work/max.cfn"
row 'the optimum alone' 0 '^listed +1, all that are optimal$' '' "$gpube" list -q "$work/two.wcsp"
row 'in their order' 0 '^0 0$' '' "$gpube" list -q --within inf --output sol "$work/two.wcsp"
"$gpube" list -q --within 1 --output sol -o "$work/l.sol" "$work/two.wcsp"
that 'within 1' [ "$(tr '\n' , < "$work/l.sol")" = '0 0,0 1,1 0,' ]
row 'the two best' 0 '^listed +2, the best; there are more$' '' "$gpube" list -q --within inf -n 2 "$work/two.wcsp"
row 'all there are' 0 '^listed +4, all that are asked for$' '' "$gpube" list -q --within inf -n 4 "$work/two.wcsp"
row 'below a bound' 0 '^listed +3' '' "$gpube" list -q --within inf --ub 2 "$work/two.wcsp"
row 'both maxima' 0 '"direction": "maximise".*"optimum": 1.5, .*"listed": 2, "more": false, "assignments": \[\{"cost": 1.5, "assignment": \[0,1\], "names": \{"a": "n", "b": 1\}\},\{"cost": 1.5, "assignment": \[1,0\], "names": \{"a": "y", "b": 0\}\}\]' '' \
	"$gpube" list -q --json "$work/max.cfn"
row 'the third of a maximum' 0 '^assignment  a=n b=0$' '' "$gpube" list -q --within 1.0 "$work/max.cfn"
row 'as many as are counted' 0 '^listed +324, ' '' "$gpube" list -q --within inf $x/exams.cfn
row 'of a network' 0 '^optimum +1.12701176[0-9]*, -ln, .*, proved$' '' "$gpube" list -q $x/sprinkler.uai "$x/sprinkler.uai.evid"

row 'what it was rounded to' 0 '^optimum +1.12701176[0-9]*, -ln, each function rounded to 12 decimals, proved$' '' \
	"$gpube" list -q $x/sprinkler.uai
row 'the evidence is told' 0 '^evidence +1 variable from .*sprinkler.uai.evid$' '' "$gpube" list -q $x/sprinkler.uai
row 'in JSON, too' 0 '"rounded_decimals": 12, "observed": 1, "evidence_file": ".*sprinkler.uai.evid"' '' \
	"$gpube" list -q --json $x/sprinkler.uai

# what a wide function adds is in no list
awk 'BEGIN { n = 24; printf "wide %d 2 1 9\n", n; for (i = 0; i < n; i++) printf "2 "; printf "\n%d", n
	for (i = 0; i < n; i++) printf " %d", i; printf " -1 wsum hard 9 == 1\n" }' > "$work/wide.wcsp"
"$gpube" list -q --output sol "$work/wide.wcsp" > "$work/wide.sol"
that '24 optima of 24 variables' [ "$(awk 'NF == 24' "$work/wide.sol" | sort -u | wc -l)" = 24 ]
row 'nor in the solution that count shows' 0 '"variables": 24, "hidden_variables": [0-9]+,.*"assignment": \[([01],){23}[01]\]' '' \
	"$gpube" count -q --json "$work/wide.wcsp"

"$gpube" list -q --within inf -n 3 --distance 2 --output sol -o "$work/far.sol" "$work/two.wcsp"
that 'at a distance: the best one, and its opposite' [ "$(tr '\n' , < "$work/far.sol")" = '0 0,1 1,' ]
row 'how many were asked for' 0 '^listed +2, each the best at the distance from those before$' '' \
	"$gpube" list -q --within inf -n 2 --distance 2 "$work/two.wcsp"
row 'whether there are more is not known' 0 '"listed": 2, "more": null' '' "$gpube" list --json -q --within inf -n 2 --distance 2 "$work/two.wcsp"
row 'there are no more' 0 '"listed": 2, "more": false' '' "$gpube" list --json -q --within inf -n 3 --distance 2 "$work/two.wcsp"
row 'within a cost' 0 '"listed": 1, "more": false' '' "$gpube" list --json -q --within 1 -n 3 --distance 2 "$work/two.wcsp"
row 'of a maximum' 0 '^assignment  a=y b=0$' '' "$gpube" list -q --within 1.0 -n 2 --distance 2 "$work/max.cfn"
row 'an optimum alone, as others at the distance cost more' 0 '^listed +1, all that are optimal and at the distance$' '' \
	"$gpube" list -q --distance 2 -n 3 "$work/two.wcsp"
row 'none so far away' 0 '^listed +1, ' '' "$gpube" list -q --within inf --distance 3 "$work/two.wcsp"
row 'no distance' 2 '' 'distance' "$gpube" list -q --distance 0 "$work/two.wcsp"

printf 'none 1 2 2 9\n2\n1 0 0 1\n0 9\n1 0 0 1\n1 9\n' > "$work/none.wcsp"
row 'nothing is allowed' 0 '^infeasible  every assignment is forbidden' '' "$gpube" list -q "$work/none.wcsp"
row 'in JSON, too' 0 '"status": "infeasible".*"optimum": null, .*"listed": 0, "more": false, "assignments": \[\]' '' \
	"$gpube" list -q --json "$work/none.wcsp"
row 'no line is written, which is said' 0 '' 'every assignment is forbidden, so no line is written' \
	"$gpube" list --output sol "$work/none.wcsp"
row 'no limit' 1 '' "--within: expected a number >= 0 of at most 0 decimals, as the file has, or inf, found 'x'\$" "$gpube" list -q --within x "$work/two.wcsp"
row 'none below the optimum' 1 '' '--within: expected a number >= 0' "$gpube" list -q --within -1 "$work/two.wcsp"
row 'no time' 1 '' 'time' "$gpube" list -q --timeout 0.000001 $x/zebra.wcsp

printf 'MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n2 0.3 0.7\n4 0.5 0.5 0 1\n' > "$work/two.uai"
row 'what has a probability, each priced again' 0 '^listed +3, all that are asked for$' '' \
	"$gpube" list -q --within inf "$work/two.uai"

# 2^40 assignments have no end
awk 'BEGIN { printf "free 40 2 0 9\n"; for (i = 0; i < 40; i++) printf "2 "; print "" }' > "$work/free.wcsp"
row 'what does not fit is refused' 1 '' 'assignments do not fit the memory' \
	"$gpube" list -q --memory 1M -n 1000000 "$work/free.wcsp"
# nine variables that all share functions: not even the least tables, nor elimination, have 100 bytes
awk 'BEGIN {
	n = 9
	printf "nine %d 2 %d 1000\n", n, n * (n - 1) / 2
	for (i = 0; i < n; i++) printf "2 "
	for (i = 0; i < n; i++) for (j = i + 1; j < n; j++)
		printf "\n2 %d %d 0 4\n0 0 %d\n0 1 %d\n1 0 %d\n1 1 %d", i, j, (i * 7 + j * 5) % 11, (i * 3 + j) % 9, (i + j * 8) % 10, i * j % 7
}' > "$work/nine.wcsp"
row 'no smaller tables than the smallest are asked for' 1 '' 'tables of i-bound 1 do not fit the memory of 100 bytes; give more$' \
	"$gpube" list -q --memory 100 "$work/nine.wcsp"
row 'and counting says that memory may be what is short' 1 '' 'elimination does not fit the memory, or the time$' \
	"$gpube" count -q --optima --memory 100 "$work/nine.wcsp"
# at so many looks at the clock: a machine that others use may not list one in 0.2 s
has_clock && row 'what was found before the stop' 1 '"status": "incomplete", .*"listed": [1-9][0-9]*, "more": null' 'the list is incomplete' \
	clocked 100 "$gpube" list -q --timeout 0.2 -n 2000000000 --json --memory 8G "$work/free.wcsp"
plan
