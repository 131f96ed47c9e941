#!/bin/sh
# reparam: files written, costs equal, options; toulbar2 finds the same optimum in them.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
printf 'none 2 2 1 10\n2 2\n2 0 1 10 0\n' > "$work/none.wcsp"
printf '{problem: {name: "most", mustbe: ">-9.0"},\n variables: {a: 2, b: 2},\n' > "$work/most.cfn"
printf ' functions: {f: {scope: [a, b], costs: [0.5, -1.5, 3.2, 7.1]}}}\n' >> "$work/most.cfn"
"$gpube" generate random -n 60 -d 8 --p1 0.3 --p2 0.1 --seed 3 -o "$work/hard.wcsp"
"$gpube" generate random -n 14 -d 8 --p1 0.6 --p2 0 --seed 1 -o "$work/pairs.wcsp"

for method in arc 'ascent --regions nested' ascent auto; do
	for to in cfn wcsp cfn.gz; do
		row "$method, .$to: zebra" 0 '^checked +5000 random' '' "$gpube" reparam -q --check \
			--method $method -o "$work/o.$to" $x/zebra.wcsp
		row "$method, .$to: exams" 0 '^checked +729 assignments, which are all' '' \
			"$gpube" reparam -q --check --method $method -o "$work/o.$to" $x/exams.cfn
	done
	row "$method: infeasible" 0 '^infeasible ' '' "$gpube" reparam -q --check \
		--method $method -o "$work/o.cfn" "$work/none.wcsp"
	row "$method: a maximum" 0 '^checked +4 assign' '' "$gpube" reparam -q --check \
		--method $method -o "$work/o.cfn" "$work/most.cfn"
	row "$method: potentials" 0 '^checked +16 assign' '' "$gpube" reparam -q --check \
		--method $method -o "$work/o.cfn" $x/sprinkler.uai
done
row 'pruned' 0 '^checked +729 ' '' "$gpube" reparam -q --check --prune \
	--write-sol "$work/o.sol" --write-order "$work/o.order" -o "$work/o.cfn" $x/exams.cfn
that 'the order has all variables' [ "$(sort -n "$work/o.order" | tr '\n' ' ')" = '0 1 2 3 4 5 ' ]
# A .cov: every edge of the graph lies in a cluster, and a variable's clusters are connected: all but
# one of them have it from their parent.
covers() { # COVER MODEL
	"$gpube" info --dot graph "$2" | sed -n 's/^\tv\([0-9]*\) -- v\([0-9]*\) .*/\1 \2/p' > "$work/edges"
	[ -s "$work/edges" ] && awk '
		NR == FNR { parent[$1] = $2; for (k = 3; k <= NF; k++) { has[$1, $k] = 1; vars[$k] } n++; next }
		{ found = 0; for (c = 0; c < n; c++) found += (c, $1) in has && (c, $2) in has; bad += !found }
		END {
			for (v in vars) {
				tops = 0
				for (c = 0; c < n; c++) tops += (c, v) in has && !((parent[c], v) in has)
				bad += tops != 1
			}
			exit bad > 0
		}' "$1" "$work/edges"
}
"$gpube" info -q --order min-fill --write-order "$work/hard.cov" "$work/hard.wcsp" > "$work/said"
that 'info: clusters' covers "$work/hard.cov" "$work/hard.wcsp"
"$gpube" generate grid -n 36 -d 3 --seed 2 -o "$work/grid.wcsp"
"$gpube" reparam -q --timeout 1s --method arc --write-order "$work/grid.cov" -o "$work/shifted.wcsp" \
	"$work/grid.wcsp" > "$work/said"
that 'reparam: clusters' covers "$work/grid.cov" "$work/shifted.wcsp"
row 'no directory for clusters' 1 '*' 'cannot' "$gpube" info -q --write-order "$work/none/x.cov" "$work/grid.wcsp"
row 'the solution is one' 0 'upper bound 4\.30, gap 100 % \(given assignment\)|optimum' '*' \
	"$gpube" bound --sol "$work/o.sol" $x/exams.cfn
row 'below a total' 0 '^checked +729 ' '' "$gpube" reparam -q --check --ub 4.31 \
	-o "$work/o.cfn" $x/exams.cfn
row 'no leftovers' 0 ' 0 added of three' '' "$gpube" reparam -q --check --max-arity 2 \
	-o "$work/o.cfn" $x/exams.cfn
row 'few leftovers' 0 ' 2 added of three' '' "$gpube" reparam -q --check --max-tables 2 \
	-o "$work/o.cfn" "$work/pairs.wcsp"
row 'few cells of them' 0 ' 3 added of three' '' "$gpube" reparam -q --check --max-cells 1600 \
	-o "$work/o.cfn" "$work/pairs.wcsp"
row 'no decimals more' 0 '"added_decimals": 0' '' "$gpube" reparam -q --json --decimals 0 \
	-o "$work/o.cfn" $x/exams.cfn
row 'decimals in a .wcsp' 0 '^checked +729 ' '' "$gpube" reparam -q --check --decimals 3 -o "$work/o.wcsp" $x/exams.cfn
row 'what its totals mean' 0 '"decimals": 5, "offset": 0, "negated": false, "top": [0-9]+' '' "$gpube" reparam -q --json \
	--decimals 3 -o "$work/o.wcsp" $x/exams.cfn
row 'a maximum that is moved' 0 '^checked +4 ' '' "$gpube" reparam -q --check --shift --decimals 2 -o "$work/o.wcsp" "$work/most.cfn"
row 'and how' 0 '"offset": -[0-9]+, "negated": true' '' "$gpube" reparam -q --json --shift --decimals 2 -o "$work/o.wcsp" "$work/most.cfn"
row 'which is not moved by itself' 1 '^optimum ' 'totals may be negative' "$gpube" reparam -q -o "$work/o.wcsp" "$work/most.cfn"
printf '{{p "<-0.5"} {x 2 y 2} {{[] [-1]} {[x] [0 0.4]} {[y] [0 0.4]}}}' > "$work/sign.cfn"
row 'a bound whose sign toulbar2 loses' 1 '*' 'without its sign: write a [.]wcsp$' "$gpube" reparam -q -o "$work/o.cfn" "$work/sign.cfn"
row 'not as a .wcsp' 0 '^checked +4 ' '' "$gpube" reparam -q --check --shift -o "$work/o.wcsp" "$work/sign.cfn"
row 'a timeout' 0 '^lower ' '' "$gpube" reparam -q --check --timeout 0.3s \
	-o "$work/o.cfn" "$work/hard.wcsp"
row 'no file' 2 '' '-o FILE is missing' "$gpube" reparam $x/exams.cfn
row 'no format' 2 '' 'cannot tell the format' "$gpube" reparam -o "$work/o" $x/exams.cfn
row 'mini-buckets' 2 '' 'leave no equivalent problem' \
	"$gpube" reparam --method mbe -o "$work/o.cfn" $x/exams.cfn
row 'no directory' 1 '' 'cannot' "$gpube" reparam -o "$work/none/o.cfn" $x/exams.cfn

optimum() { # FILE
	toulbar2 "$1" 2> /dev/null |
		sed -n 's/^No solution.*/none/p; s/^Optimum: \(-\{0,1\}[0-9.]*\).*/\1/p' |
		sed '/\./{s/0*$//;s/\.$//;}'
}

# a pipe is opened once, for the problem: its reader would take a try for the end
mkfifo "$work/pipe.wcsp"
timeout 600 cat "$work/pipe.wcsp" > "$work/piped.wcsp" &
(sleep 0.3 && cat "$x/zebra.wcsp") | timeout 600 "$gpube" reparam -q -o "$work/pipe.wcsp" - > /dev/null 2>&1
wait
that 'a pipe gets the whole problem' "$gpube" info "$work/piped.wcsp"

if ! command -v toulbar2 > /dev/null; then
	skip 'toulbar2 finds the same optimum' 'toulbar2 is not installed'
	plan
	exit 0
fi
want=$(optimum "$work/grid.wcsp")
"$gpube" info -q --write-order "$work/grid.cov" "$work/grid.wcsp" > "$work/said"
row "toulbar2 decomposes by a .cov: $want" 0 "^Optimum: $want " '*' \
	toulbar2 "$work/grid.wcsp" -B=1 -O="$work/grid.cov"
for kind in random grid; do
	for seed in 1 2 3 4; do
		"$gpube" generate $kind -n 12 -d 4 --p1 0.4 --p2 0.2 --seed $seed --max-cost 20 \
			-o "$work/n.wcsp"
		want=$(optimum "$work/n.wcsp")
		for options in "-o $work/r.wcsp" "-o $work/r.cfn" "-o $work/r.cfn.gz --max-arity 4" \
			"-o $work/r.cfn --method ascent --max-arity 5" "-o $work/r.wcsp --max-tables 3"; do
			# shellcheck disable=SC2086
			"$gpube" reparam -q $options "$work/n.wcsp" > /dev/null
			file=${options#-o }
			that "$kind $seed, ${options#*/r}: toulbar2 finds $want" \
				[ "$want" = "$(optimum "${file%% *}")" ]
		done
		"$gpube" reparam -q --prune --json -o "$work/r.cfn" "$work/n.wcsp" > "$work/json"
		best=$(sed 's/.*"upper_bound": \([0-9]*\).*/\1/' "$work/json")
		rest=$(optimum "$work/r.cfn")
		if [ "$best" = "$want" ]; then
			that "$kind $seed, pruned: nothing is better" [ "$rest" = none ]
		else
			that "$kind $seed, pruned: toulbar2 finds $want" [ "$rest" = "$want" ]
		fi
	done
done
# totals too far apart for an ascent: eliminated in 128 bits, within the time
printf 'far 2 2 2 9223372036854775807\n2 2\n2 0 1 0 2\n0 0 6000000000000000000\n1 1 5\n1 1 0 1\n1 6000000000000000000\n' > "$work/far.wcsp"
row 'totals 2^62 apart' 0 '^checked +4 assignments' 'toulbar2 does not$' \
	"$gpube" reparam --check -o "$work/far.cfn" "$work/far.wcsp"
row 'for a search tool they are pruned' 0 '^written ' '' "$gpube" reparam -q --prune -o "$work/far.cfn" "$work/far.wcsp"
row 'and no time for it' 1 '' 'out of time' \
	"$gpube" reparam -q --timeout 0.000001s -o "$work/far.cfn" "$work/far.wcsp"
plan
