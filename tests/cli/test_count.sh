#!/bin/sh
# gpube count: solutions, optima, and what cannot be counted.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
x=examples

row 'a puzzle has one solution' 0 '^solutions +1$' '' "$gpube" count -q $x/zebra.wcsp
row 'all that is allowed' 0 '^solutions +324$' '' "$gpube" count -q $x/exams.cfn
row 'the best alone' 0 '^optima +1$' '' "$gpube" count -q --optima $x/exams.cfn
row 'and what they cost' 0 '^optimum +4.30, proved$' '' "$gpube" count -q --optima $x/exams.cfn
row 'in JSON' 0 '"status": "exact", .*"solutions": 324, "assignment": \[[0-9]' '' "$gpube" count -q --json $x/exams.cfn
row 'optima in JSON' 0 '"optima": 1, "optimum": 4.30, "assignment": \[' '' "$gpube" count -q --optima --json $x/exams.cfn
row 'solve counts the same' 0 '^optima +1$' '' "$gpube" solve -q --count $x/exams.cfn

# 2^70 is past 64 bits; (a or b) and (not a or c): 4 of 8; a and not a: none
printf 'p cnf 70 1\n1 -1 0\n' > "$work/free.cnf"
printf 'p cnf 3 2\n1 2 0\n-1 3 0\n' > "$work/four.cnf"
printf 'p cnf 1 2\n1 0\n-1 0\n' > "$work/none.cnf"
row 'a count of 71 bits' 0 '^solutions +1180591620717411303424$' '' "$gpube" count -q --ub 1 "$work/free.cnf"
printf 'p cnf 300000 1\n1 -1 0\n' > "$work/many.cnf"
"$gpube" count -q --ub 1 --output-file "$work/many" "$work/many.cnf"
that 'a count of 90,309 digits' [ "$(sed -n 's/^solutions *//p' "$work/many" | tr -d '\n' | wc -c)" = 90309 ]
row 'a string in JSON' 0 '"solutions": "1180591620717411303424"' '' "$gpube" count -q --json --ub 1 "$work/free.cnf"
row 'models of a formula' 0 '^solutions +4$' '' "$gpube" count --ub 1 "$work/four.cnf"
row 'a formula without any' 0 '^solutions +0$' '' "$gpube" count --ub 1 "$work/none.cnf"
row 'in JSON, too' 0 '"solutions": 0, "assignment": null' '' "$gpube" count --json --ub 1 "$work/none.cnf"
row 'what it breaks least' 0 '^optima +2$' '' "$gpube" count --optima "$work/none.cnf"
row 'nothing is forbidden' 0 '^solutions +8$' '^gpube: the model forbids nothing: --ub COST counts' \
	"$gpube" count "$work/four.cnf"

# zeros of probabilities, and evidence
printf 'MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 0 3 2\n' > "$work/two.uai"
echo '1 0 1' > "$work/seen"
row 'what has a probability' 0 '^solutions +3$' '' "$gpube" count -q "$work/two.uai"
row 'with evidence' 0 '^solutions +2$' '' "$gpube" count -q --evidence "$work/seen" "$work/two.uai"

# what is refused
cat > "$work/soft.wcsp" <<'END'
soft 2 2 2 5
2 2
1 0 0 1
1 3
1 1 0 1
1 3
END
row 'soft costs that reach top' 1 '' "costs that are allowed can add up to the model's top" "$gpube" count -q "$work/soft.wcsp"
row 'a lower top decides' 0 '^solutions +1$' '' "$gpube" count -q --ub 3 "$work/soft.wcsp"
row 'no number' 1 '' "--ub: expected a number of at most 0 decimals, as the file has, found 'x'\$" "$gpube" count -q --ub x "$work/soft.wcsp"
printf '1 3 1\n' > "$work/drama.evid"
row 'evidence' 0 '^evidence +1 variable from .*drama.evid$' '' "$gpube" count -q $x/exams.cfn "$work/drama.evid"
row 'leaves those that agree with it' 0 '^solutions +162$' '' "$gpube" count -q --evidence "$work/drama.evid" $x/exams.cfn
row 'evidence beside the file' 0 '^evidence +1 variable from .*sprinkler.uai.evid$' '' "$gpube" count -q $x/sprinkler.uai
row 'in JSON' 0 '"observed": 1, "evidence_file": "[^"]*sprinkler.uai.evid"' '' "$gpube" count -q --json $x/sprinkler.uai
row 'none of it' 0 '^evidence +none found$' '' "$gpube" count -q --evidence none $x/sprinkler.uai
row 'no costs' 1 '' '--ub: a .uai model has no costs' "$gpube" count -q --ub 1 "$work/two.uai"
row 'no time' 1 '' 'out of time' "$gpube" count -q --timeout 0.000001 $x/zebra.wcsp
plan
