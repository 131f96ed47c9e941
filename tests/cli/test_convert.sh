#!/bin/sh
# gpube convert and gpube-convert: numbers by rule, checks, streams, and outputs that cannot be completed.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
alone=${gpube%/*}/gpube-convert

optimum() { # FILE
	"$gpube" solve -q "$1" | sed -n 's/^optimum *\([^,]*\),.*/\1/p'
}

# ---- the program of its own
row 'gpube-convert: version' 0 '^gpube-convert [0-9]' '' "$alone" --version
row 'gpube-convert: help' 0 '^usage: gpube-convert \[options\] IN OUT$' '' "$alone" --help
row 'gpube-convert: mistakes' 2 '' "^see 'gpube-convert --help'\$" "$alone" --chek a b
row 'gpube-convert: messages bear its name' 1 '' '^gpube-convert: cannot open' "$alone" "$work/none" "$work/a.wcsp"
that 'gpube-convert has no CUDA in it' sh -c "! nm '$alone' | grep -qi cuda"
for f in zebra.wcsp exams.cfn sprinkler.uai; do
	for to in wcsp cfn uai; do
		"$gpube" convert -q "examples/$f" "$work/a.$to" 2> /dev/null
		"$alone" -q "examples/$f" "$work/b.$to" 2> /dev/null
		that "$f to $to: both programs write the same" cmp "$work/a.$to" "$work/b.$to"
		row "$f to $to: checked" 0 '' 'read back and compared: .* all equal$' \
			"$alone" --check "examples/$f" "$work/c.$to"
	done
done

# hard clauses alone are SAT: read back as what they were meant to be, not as Max-SAT
printf 'p 2 2 2 9\n2 2\n2 0 1 0 2\n0 0 9\n1 1 9\n2 1 0 0 1\n1 1 9\n' > "$work/sat.wcsp"
row 'hard clauses as .cnf: checked' 0 '' 'compared: 2 variables, .* all equal$' "$alone" --check "$work/sat.wcsp" "$work/s.cnf"
row 'values as hard clauses: checked' 0 '' 'compared: 25 variables, .* all equal$' "$alone" --check examples/zebra.wcsp "$work/z.cnf"
printf '{problem:{name:p,mustbe:"<9"},variables:{a:2},functions:{f:{scope:[a],costs:[inf,inf]}}}' > "$work/none.cfn"
for f in examples/zebra.wcsp tests/instances/pgmpy.uai "$work/observed.uai"; do
	printf 'BAYES\n1\n2\n1\n1 0\n2\n0.5 0.5\n' > "$work/observed.uai"
	echo '1 0 1' > "$work/observed.uai.evid"
	row "$f is no network" 1 '' 'the model is no Bayesian network of a conditional table for each variable: .uai can hold it$' \
		"$alone" --to bif "$f" -
done
printf 'MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n2\n0.8 0.2\n4\n0.9 0.1 0.05 0.95\n' > "$work/built.uai"
row 'conditional tables are a network, whoever says so' 0 '' 'compared: 2 variables, .* all equal$' \
	"$alone" --check "$work/built.uai" "$work/built.bif"
row 'no solution as .cnf' 0 '' 'all equal$' "$alone" --check "$work/none.cfn" "$work/none.cnf"
row 'stays without one' 0 '^infeasible' '' "$gpube" solve "$work/none.cnf"
row 'and a solution is one' 0 '^optimum *0,' '' "$gpube" solve "$work/s.cnf"
printf 'p cnf 2 2\n1 2 0\n-1 0\n' > "$work/max.cnf"
row 'clauses that cost 1 stay Max-SAT' 0 '' 'all equal$' "$alone" --check "$work/max.cnf" "$work/m.cnf"
that 'clauses that cost 1: one is paid' [ "$(optimum "$work/m.cnf")" = 0 ]

# names that no .cfn can tell apart are left out, and said to be
printf 'objective: min\ndomains: {d: {values: [a, a, b]}}\nvariables: {x: {domain: d}}\nconstraints: {c: {type: intention, function: 1 if x == "a" else 0}}\nagents: [p]\n' > "$work/twice.yaml"
row 'value names that are there twice' 0 '' 'the value names of 1 variable cannot be written' \
	"$alone" --check "$work/twice.yaml" "$work/twice.cfn"
row 'value names that are there twice: it is read' 0 '^optimum *0,' '' "$gpube" solve "$work/twice.cfn"

# ---- numbers
row 'precision' 0 '' 'rounded to 3 decimals$' "$alone" --precision 3 examples/sprinkler.uai "$work/p.cfn"
that 'precision: decimals in the file' grep -q '"mustbe": "<[0-9]*\.[0-9][0-9][0-9]"' "$work/p.cfn"
awk 'BEGIN { n = 7000; print "MARKOV\n1\n2\n" n; for (i = 0; i < n; i++) print "1 0"
	for (i = 0; i < n; i++) print "2 1 1e-300" }' > "$work/many.uai"
row 'precision that is too much' 1 '' 'a precision of 12 decimals lets totals pass' \
	"$alone" --precision 12 "$work/many.uai" "$work/p.cfn"
printf 'MARKOV\n1\n2\n1\n1 0\n2\n4 2\n' > "$work/n.uai"
row 'normalising constant: kept where it can be' 0 '' 'rounded to 12 decimals$' \
	"$alone" "$work/n.uai" "$work/n.cfn"
that 'normalising constant: the optimum says so' [ "$(optimum "$work/n.cfn")" = -1.386294361120 ]
row 'normalising constant: said to be dropped where not' 0 '' \
	'the normalising constant is dropped: every total is -ln of the product plus 1.386294361120$' \
	"$alone" --check "$work/n.uai" "$work/n.wcsp"
cat > "$work/neg.cfn" << 'CFN'
{{p "<9.0"} {x 2} {{[x] [1.5 -2.5]}}}
CFN
row 'negative totals are refused' 1 '' 'totals may be negative, which .wcsp cannot hold' \
	"$alone" "$work/neg.cfn" "$work/neg.wcsp"
row 'the way out is told' 1 '' 'with --lossy it may be written' "$alone" "$work/neg.cfn" "$work/neg.wcsp"
that 'what is refused leaves no file' [ ! -e "$work/neg.wcsp" ]
for option in --shift --lossy; do
	row "negative totals are raised: $option" 0 '' \
		'shifted: every total is larger by 2.5, so that none is negative$' \
		"$alone" $option --check "$work/neg.cfn" "$work/neg.wcsp"
done
that 'raised: the optimum' [ "$(optimum "$work/neg.wcsp")" = 0 ]
printf 'p 1 2 1 5000\n2\n1 0 0 1\n1 2000\n' > "$work/big.wcsp"
row 'an exponential that fits no double is refused' 1 '' 'its exponential does not fit a double' \
	"$alone" "$work/big.wcsp" "$work/big.uai"
row 'it is divided' 0 '' 'costs are divided by 10\^1$' "$alone" --lossy --check "$work/big.wcsp" "$work/big.uai"
printf 'p 2 2 2 5\n2 2\n1 0 0 1\n1 3\n1 1 0 1\n0 4\n' > "$work/top.wcsp"
row 'a bound that .uai has no place for is refused' 1 '' 'totals can reach the top of 5' \
	"$alone" "$work/top.wcsp" "$work/top.uai"
row 'it is dropped' 0 '' 'the bound is dropped' "$alone" --lossy "$work/top.wcsp" "$work/top.uai"
cat > "$work/huge.cfn" << 'CFN'
{{p "<9000000000000000.00"} {x 2} {{[x] [8000000000000000.25 2500000000000000.75]}}}
CFN
printf 'one 1 500000000 1 100\n500000000\n1 0 5 1\n3 1\n' > "$work/one.wcsp"
# twenty million variables in forty kilobytes: what they take goes by the memory, not by what is unpacked
for form in wcsp uai lg; do
	case $form in wcsp) head='many 20000000 2 0 9' tail='' ;; *) head='MARKOV 20000000' tail=0 ;; esac
	{ echo "$head"; yes '2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2' | head -n 1000000; echo $tail; } | gzip > "$work/many.$form.gz"
	row "20 million variables in a .$form.gz" 1 '' 'many.*:[0-9]+: [0-9]+ variables: more than the memory allowed' \
		"$gpube" info --memory 256M "$work/many.$form.gz"
done
{ echo 'some 1000000 2 0 9'; yes '2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2' | head -n 50000; } | gzip > "$work/some.wcsp.gz"
row 'a million are read where there is memory' 0 '^model +1000000 variables' '' "$gpube" info -q --memory 1G "$work/some.wcsp.gz"
row 'a domain that the memory does not hold' 1 '' 'a domain of 500000000 values: more than the memory allowed' \
	"$alone" --memory 64M --simplify "$work/one.wcsp" "$work/one.cfn"
for to in wcsp cfn; do
	row "past the range of toulbar2: .$to is written, and said" 0 '' \
		'costs pass 9007199254740992, the most that toulbar2 reads exactly: gpube reads the file, toulbar2 does not$' \
		"$alone" --check "$work/huge.cfn" "$work/far.$to"
done
that 'past the range of toulbar2: the optimum' [ "$(optimum "$work/far.wcsp")" = 250000000000000075 ]
row 'past the range of toulbar2: divided' 0 '' 'costs are divided by 10\^2 and rounded$' \
	"$alone" --lossy --check "$work/huge.cfn" "$work/huge.wcsp"
that 'divided: rounded to the nearest' [ "$(optimum "$work/huge.wcsp")" = 2500000000000001 ]

# ---- for toulbar2, and what totals mean
for to in wcsp cfn; do
	row "--toulbar2: .$to is refused" 1 '"written": null, "message": ".*reads exactly' 'reads exactly' \
		"$alone" --toulbar2 --json "$work/huge.cfn" "$work/refused.$to"
	that "--toulbar2: no .$to is left" [ ! -e "$work/refused.$to" ]
done
row '--json: a maximum' 0 '"decimals": 2, "offset": -96, "negated": true, "top": 596}' '' \
	"$alone" -q --json --toulbar2 --shift tests/cli/toulbar2/max.cfn "$work/max.wcsp"
that '--json: (T + offset) / 10^decimals, negated' [ "$(optimum "$work/max.wcsp")" = 0 ]
row '--json: negative' 0 '"decimals": 1, "offset": -15, "negated": false, "top": 65}' '' \
	"$alone" -q --json --toulbar2 --shift tests/cli/toulbar2/min.cfn "$work/min.wcsp"
row '--json: a .cfn keeps its direction' 0 '"decimals": 2, "offset": 0, "negated": false, "top": -500}' '' \
	"$alone" -q --json tests/cli/toulbar2/max.cfn "$work/max2.cfn"
row '--json: digits that are lost have no meaning' 0 '"written": {"file": "[^"]*"}' '' \
	"$alone" -q --json --lossy "$work/huge.cfn" "$work/huge.wcsp"
printf 'low 2 2 1 4611686018427387999\n2 2\n2 0 1 0 4\n0 0 4611686018427387903\n0 1 4611686018427387902\n1 0 4611686018427387904\n1 1 4611686018427387998\n' > "$work/low.wcsp"
row '--shift makes smaller what is too large' 0 '"offset": 4611686018427387902, "negated": false, "top": 97}' '' \
	"$alone" -q --json --check --toulbar2 --shift "$work/low.wcsp" "$work/moved.wcsp"
row 'that is said' 0 '' 'every total is smaller by 4611686018427387902.0, so that none is too large$' \
	"$alone" --toulbar2 --shift "$work/low.wcsp" "$work/moved.wcsp"
row '--json and standard output' 2 '' 'standard output has the report$' "$alone" --json --to wcsp "$work/low.wcsp" -
row '--json and --simplify' 2 '' '--json does not go with --simplify$' "$alone" --json --simplify "$work/low.wcsp" "$work/moved.wcsp"
printf '{{p "<-0.5"} {x 2 y 2} {{[] [-1]} {[x] [0 0.4]} {[y] [0 0.4]}}}' > "$work/sign.cfn"
row 'a bound whose sign toulbar2 loses is said' 0 '' 'reads it without its sign, and then accepts' "$alone" "$work/sign.cfn" "$work/sign2.cfn"
row '--toulbar2: it is refused' 1 '' 'without its sign: write a [.]wcsp$' "$alone" -q --toulbar2 "$work/sign.cfn" "$work/sign3.cfn"
row '--toulbar2: not as a .wcsp' 0 '"offset": -10, "negated": false, "top": 5}' '' \
	"$alone" -q --json --toulbar2 --shift "$work/sign.cfn" "$work/sign.wcsp"

# ---- simplified
row 'map without simplify' 2 '' '--map goes with --simplify$' "$alone" --map x a b.wcsp
row 'consistency without simplify' 2 '' '--consistency goes with --simplify$' "$alone" --consistency sac a b.wcsp
for f in zebra.wcsp exams.cfn; do
	row "simplify $f" 0 '' 'all equal$' \
		"$alone" --simplify --check --map "$work/map" "examples/$f" "$work/s.cfn"
	that "simplify $f: the optimum stays" [ "$(optimum "examples/$f")" = "$(optimum "$work/s.cfn")" ]
	"$gpube" solve -q --output sol "$work/s.cfn" > "$work/s.sol"
	awk 'NR == FNR { n = split($0, s); next }
		$2 == "value" { printf "%s ", $3 }
		$2 == "variable" { a = s[$3 + 1]; if (NF > 3) a = $(4 + a); printf "%s ", a }' \
		"$work/s.sol" "$work/map" > "$work/full.sol"
	that "simplify $f: the map leads back to an optimum" sh -c \
		"'$gpube' bound -q --sol '$work/full.sol' 'examples/$f' | grep -q '$(optimum "examples/$f")'"
done
printf 'p 1 2 1 5\n2\n1 0 9 0\n' > "$work/no.wcsp"
cat > "$work/most.cfn" <<'END'
{problem: {name: "most", mustbe: ">-10"}, variables: {a: 2, b: 2},
functions: {f: {scope: [a, b], costs: [1, 2, 3, 0]}, g: {scope: [a, b], costs: [5, 2, 1, 7]}}}
END
for how in sac pc; do
	"$gpube" generate random -n 12 -d 6 --p1 0.5 --p2 0.4 --seed 4 -o "$work/tight.wcsp"
	row "consistency $how: what went is said" 0 '' 'consistency: [1-9][0-9]* of 71 values and ' \
		"$alone" -v --simplify --consistency $how "$work/tight.wcsp" "$work/$how.wcsp"
	that "consistency $how: the optimum stays" [ "$(optimum "$work/tight.wcsp")" = "$(optimum "$work/$how.wcsp")" ]
done
row 'simplify: a maximum becomes a minimum, which is said' 0 '' 'maximised: written negated, to be minimised$' \
	"$alone" --simplify "$work/most.cfn" "$work/least.cfn"
that 'it is that' [ "$(optimum "$work/most.cfn")=$(optimum "$work/least.cfn")" = 7=-7 ]
"$alone" -q --simplify "$work/no.wcsp" "$work/no2.wcsp"
row 'simplify: no solution stays none' 0 'no solution|every assignment' '*' "$gpube" solve "$work/no2.wcsp"

# ---- streams
row 'standard output needs a format' 2 '' 'standard output has no name' "$alone" examples/zebra.wcsp -
row 'standard output cannot be checked' 1 '' 'cannot check what is written' \
	"$alone" --check --to cfn examples/zebra.wcsp -
"$alone" -q --to cfn examples/zebra.wcsp "$work/z.cfn"
that 'standard input and output' sh -c \
	"'$alone' -q --to cfn - - < examples/zebra.wcsp | cmp - '$work/z.cfn'"

# ---- outputs that cannot be completed: status 1, nothing under the name, nothing beside it
"$gpube" generate random -n 300 -d 20 --p1 0.02 --seed 1 -o "$work/large.wcsp"
for to in wcsp cfn uai wcsp.gz cfn.xz; do
	case $to in
	*xz) xz --version > /dev/null 2>&1 || continue ;;
	esac
	rm -rf "$work/limited"
	mkdir "$work/limited"
	row "a limit on the size of files: $to" 1 '' "^gpube-convert: cannot write '.*': File too large\$" \
		sh -c "ulimit -f 8; exec '$alone' -q --lossy '$work/large.wcsp' '$work/limited/m.$to'"
	that "a limit on the size of files: $to: nothing is left" [ -z "$(ls -A "$work/limited")" ]
	echo old > "$work/limited/m.$to"
	sh -c "ulimit -f 8; exec '$alone' -q --lossy '$work/large.wcsp' '$work/limited/m.$to'" 2> /dev/null
	that "a limit on the size of files: $to: the old one stays" \
		[ "$(cat "$work/limited/"*)" = old ]
	if [ -w /dev/full ]; then
		row "full disk: $to" 1 '' '^gpube-convert: cannot write' \
			sh -c "'$alone' -q --lossy --to ${to%.?z} '$work/large.wcsp' - > /dev/full"
	else
		skip "full disk: $to" 'no /dev/full'
	fi
done
row 'closed pipe' 0 '^1$' "^gpube-convert: cannot write '<stdout>': Broken pipe\$" \
	without_reader "$alone" -q --to cfn "$work/large.wcsp" -
row 'a directory that is not there' 1 '' 'cannot write' "$alone" examples/zebra.wcsp "$work/no/a.wcsp"

# every file that is read as every format that is written: checked, or refused before it is written
for f in examples/*.wcsp examples/*.cfn examples/*.uai tests/instances/*.*; do
	case $f in *.txt | *.evid | *.col) continue ;; esac
	"$gpube" info -q "$f" > "$work/info" 2>&1 || continue # a build without what reads it
	for to in wcsp cfn uai lg wcnf cnf lp mps; do
		rm -f "$work/every"
		"$alone" -q --shift --check --to $to "$f" "$work/every" > "$work/out" 2> "$work/err"
		rc=$?
		if [ $rc = 0 ] && [ -s "$work/every" ]; then echo checked
		elif [ $rc = 1 ] && [ ! -e "$work/every" ] && grep -Eq 'has no place|does not fit a double' "$work/err"; then echo refused
		else
			echo "$f to $to:"
			cat "$work/err"
		fi
	done
done | sort | uniq -c > "$work/pairs"
that 'every pair is checked, or refused with the reason' sh -c '! grep -Ev " (checked|refused)$" "$1"' - "$work/pairs"
that 'most are checked' awk '$2 == "checked" { n += $1 } $2 == "refused" { m += $1 } END { exit !(n > 4 * m) }' "$work/pairs"
plan
