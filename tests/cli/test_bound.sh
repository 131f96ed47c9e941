#!/bin/sh
# bound: answers, forms of output, limits, signals.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
printf 'none 2 2 1 10\n2 2\n2 0 1 10 0\n' > "$work/none.wcsp"
printf '{problem: {name: "most", mustbe: ">-9.0"},\n variables: {a: 2, b: 2},\n' > "$work/most.cfn"
printf ' functions: {f: {scope: [a, b], costs: [0.5, -1.5, 3.2, 7.1]}}}\n' >> "$work/most.cfn"
checked() { # NAME MODEL CERTIFICATE: by the checker that shares no code
	if command -v python3 > /dev/null; then
		that "$1, a second time" python3 tests/cli/check_certificate.py check "$2" "$3"
	else
		skip "$1, a second time" 'no python3'
	fi
}
# far too hard for a second or two
"$gpube" generate random -n 80 -d 8 --p1 0.3 --p2 0 --seed 3 -o "$work/hard.wcsp"

for method in mbe arc ascent 'ascent --regions nested' auto; do
	row "$method: zebra" 0 '^optimum +0, the proved ' '' "$gpube" bound -q --method $method $x/zebra.wcsp
	row "$method: a maximum" 0 '^optimum +7\.1, the proved ' '' "$gpube" bound -q --method $method "$work/most.cfn"
	row "$method: infeasible" 0 '^infeasible +every assignment is forbidden \(proved\)$' '' \
		"$gpube" bound -q --method $method "$work/none.wcsp"
done
row 'exams: decimals as in the file' 0 '^optimum +4\.30, the proved ' '' "$gpube" bound -q $x/exams.cfn
row 'not in the first moment, in which the answer may come' 0 '*' '' "$gpube" bound --no-eliminate $x/exams.cfn
row 'quiet is quiet' 0 '*' '' "$gpube" bound -q $x/exams.cfn
row 'sprinkler: log10' 0 'log10 -0\.48945' '' "$gpube" bound -q $x/sprinkler.uai
row 'z' 0 '^model ' '' "$gpube" bound -q --method mbe --z 2 $x/exams.cfn
row 'ibound' 0 '^model ' '' "$gpube" bound -q --method mbe --ibound 1 --partition first --no-match $x/exams.cfn
for c in bound solve 'reparam -o x.cfn'; do
	# shellcheck disable=SC2086
	row "$c: a method that is no more" 2 '' "^gpube: --method: 'patches' is no more, take 'pairwise'\$" \
		"$gpube" $c --method patches $x/exams.cfn
done
for m in 'shift arc' 'sweep andor' 'joins ascent' 'clusters ascent --regions nested' 'regions ascent --regions nested'; do
	row "${m%% *} is no more" 2 '' "^gpube: --method: '${m%% *}' is no more, take '${m#* }'\$" \
		"$gpube" bound --method "${m%% *}" $x/exams.cfn
done
awk 'BEGIN {
	print "wide 12 3 30 1000\n3 3 3 3 3 3 3 3 3 3 3 3"
	for (f = 0; f < 30; f++) {
		print 3, f % 12, (f + 1 + f % 4) % 12, (f + 6) % 12, 0, 27
		for (t = 0; t < 27; t++) print int(t / 9), int(t / 3) % 3, t % 3, (t * t * 7 + f * f * t + 3 * f) % 11
	}
}' > "$work/wide.wcsp"
row 'regions of wider functions: soft arc consistency' 0 '^(lower|optimum) ' 'nested regions need functions of pairs: soft arc consistency instead' \
	"$gpube" bound --no-simplify --backend cpu --method ascent --regions nested "$work/wide.wcsp"
row 'z and ibound' 2 '' '--z and --ibound exclude each other' "$gpube" bound --z 3 --ibound 3 $x/exams.cfn
row 'a cutoff at the optimum' 0 '^closed ' '' "$gpube" bound -q --method mbe --ub 7.1 "$work/most.cfn"
row 'a cutoff that is none' 1 '' 'expected a number' "$gpube" bound --ub 7.12 "$work/most.cfn"
row 'a cutoff of potentials' 1 '' 'has no costs' "$gpube" bound --ub 7 $x/sprinkler.uai
"$gpube" bound -q --output sol -o "$work/exams.sol" $x/exams.cfn
row 'a known solution' 0 '^optimum +4\.30,' 'upper bound 4\.30, gap 100 % \(given assignment\)' \
	"$gpube" bound -v --sol "$work/exams.sol" $x/exams.cfn
printf 'huge 2 2000000000 1 10\n2000000000 2000000000\n2 0 1 0 1\n7 3 4\n' > "$work/huge.wcsp"
row 'domains that no memory holds' 1 '' 'a domain of 2000000000 values: more than the memory allowed' \
	"$gpube" bound -q --memory 8G "$work/huge.wcsp"
row 'a timeout gives bounds' 0 '^lower +[0-9]+, proved' '' \
	"$gpube" bound -q --timeout 1s "$work/hard.wcsp"
# whatever the memory: a stage that has no room gives way, and what is known is told
"$gpube" generate grid -n 400 -d 3 --p2 0 --seed 3 -o "$work/grid.wcsp"
for memory in 1M 2M 4M 16M 64M; do
	for method in auto mbe arc ascent 'ascent --regions nested' tree; do
		for model in hard grid; do
			row "$model, $method in $memory" 0 '^lower +[0-9]+, proved|^optimum ' '' \
				"$gpube" bound -q --backend cpu --memory $memory --method $method \
				--timeout 0.1s "$work/$model.wcsp"
		done
	done
done
for method in auto arc 'ascent --regions nested' ascent; do
	row "reparam, $method in 1M" 0 '^written ' '' "$gpube" reparam -q --backend cpu --memory 1M \
		--method $method --timeout 0.1s -o "$work/r.cfn" "$work/hard.wcsp"
	row "a certificate, $method in 1M" 0 '^certified ' '' "$gpube" bound -q --backend cpu --memory 1M \
		--method $method --timeout 0.1s --certify "$work/r.cert" "$work/hard.wcsp"
	checked "a certificate, $method in 1M" "$work/hard.wcsp" "$work/r.cert"
done
if "$gpube" devices 2> /dev/null | grep -q '^gpu  *[^n ].*compute'; then
	"$gpube" generate random -n 60 -d 40 --p1 0.3 --p2 0 --seed 3 -o "$work/pairs.wcsp"
	for memory in 32M 64M 256M; do
		for method in auto 'ascent --regions nested' mbe; do
			row "$method in $memory, and as much of a card" 0 '^lower +[0-9]+, proved' '*' "$gpube" bound \
				--memory $memory --device-memory $memory --method $method --timeout 3s "$work/pairs.wcsp"
		done
	done
else
	skip 'a card without room' 'no CUDA device'
fi
row 'turns are told' 0 '*' '^gpube: round 0: search \(alone\), ' "$gpube" bound -v --method mbe $x/exams.cfn
row 'json' 0 '"status": *"optimal"' '' "$gpube" bound -q --json $x/exams.cfn
row 'json keys' 0 '"lower_bound": *4\.30.*"upper_bound": *4\.30.*"assignment": *\[' '' \
	"$gpube" bound -q --json $x/exams.cfn
row 'a certificate' 0 '^certified +[0-9.]+, a lower bound of the file.s costs; checked' '' \
	"$gpube" bound -q --certify "$work/c" $x/exams.cfn
row 'it is verified' 0 '^certified +[0-9.]+, a lower bound of the file.s costs; checked' '' \
	"$gpube" bound -q --verify "$work/c" $x/exams.cfn
row 'as JSON' 0 '"status": "verified".*"certified_bound": ' '' \
	"$gpube" bound -q --json --verify "$work/c" $x/exams.cfn
row 'of a maximum' 0 '^certified +7\.1, an upper bound' '' \
	"$gpube" bound -q --certify "$work/c.gz" "$work/most.cfn"
checked 'of a maximum' "$work/most.cfn" "$work/c.gz"
row 'of potentials' 0 '^certified +1\.12' '' "$gpube" bound -q --certify "$work/c.gz" $x/sprinkler.uai
# vertices that cover a wheel of seven
awk 'BEGIN { print "wheel 8 2 22 99"; print "2 2 2 2 2 2 2 2"; for (i = 0; i < 7; i++) {
	print "2", i, (i + 1) % 7, "0 1\n0 0 99\n2", i, "7 0 1\n0 0 99\n1", i, "0 1\n1 1" } print "1 7 0 1\n1 3" }' > "$work/wheel.wcsp"
row 'linear programs without a library' 0 '^lower +5, proved' 'needs Clp .*: soft arc consistency instead' \
	env GPUBE_CLP=none "$gpube" bound --method linear "$work/wheel.wcsp"
row 'of another problem' 1 '' 'is of another problem' \
	"$gpube" bound -q --verify "$work/c" $x/zebra.wcsp
sed 's/^bound .*/bound 440/' "$work/c" > "$work/greedy"
row 'a bound that is not proved' 1 '' 'claims a bound of 440 and proves 430$' \
	"$gpube" bound -q --verify "$work/greedy" $x/exams.cfn
"$gpube" bound -q --method arc --certify "$work/c" $x/exams.cfn > "$work/out"
awk '/^table 2/ && !n++ { print; getline; $1 += 1 } { print }' "$work/c" > "$work/other"
row 'a table that was changed' 1 '' 'do not add up to the problem' \
	"$gpube" bound -q --verify "$work/other" $x/exams.cfn
head -n 12 "$work/c" > "$work/cut"
row 'a certificate that was cut' 1 '' 'cut:[0-9]+: expected' \
	"$gpube" bound -q --verify "$work/cut" $x/exams.cfn
row 'SIGINT gives bounds' 0 '^lower +[0-9]+, proved' ': lower bound ' \
	end_at INT ': lower bound ' "$gpube" bound "$work/hard.wcsp"
# before an order is searched, local search and elimination: what shifts give in a moment
row 'auto begins with soft arc consistency' 0 '-ln 1\.127' ' s: lower bound 1\.127[0-9]* \(soft arc consistency\)$' \
	"$gpube" bound -v --no-eliminate --backend cpu examples/sprinkler.uai
row 'soft arc consistency, and a deadline of nothing' 0 '^lower |^optimum ' '*' "$gpube" bound --backend cpu --timeout 0.000001s examples/sprinkler.uai
plan
