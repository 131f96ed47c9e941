#!/bin/sh
# gpube infer: sums, marginals and most probable assignments, and what it refuses.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
x=examples/sprinkler.uai

# 3.3 and 6.7 in all; the second value of variable 0 forbids the first one of variable 1
cat > "$work/two.uai" <<'END'
MARKOV
2
2 2
2
1 0
2 0 1
2
3 1
4
1 0.1 0 6.7
END

row 'a partition function' 0 '^log10 Z +1, the sum over all assignments; relative error of Z at most [0-9.]+e-1' '' \
	"$gpube" infer -q "$work/two.uai"
row 'no evidence' 0 '^evidence +none$' '' "$gpube" infer -q "$work/two.uai"
row 'marginals' 0 '^marginals +0: 0.33 0.67$' '' "$gpube" infer -q -t MAR "$work/two.uai"
row 'marginals of the next variable' 0 '^ +1: 0.3 0.7$' '' "$gpube" infer -q -t MAR "$work/two.uai"
row 'the most probable assignment' 0 '^assignment +1 1$' '' "$gpube" infer -q -t MPE "$work/two.uai"
row 'PR as a file' 0 '^1$' '' "$gpube" infer -q --output uai "$work/two.uai"
row 'MPE as a file' 0 '^2 1 1$' '' "$gpube" infer -q -t MPE --output uai "$work/two.uai"
row 'MAR in JSON' 0 '"status": "exact", .*"log10": 1, .*"marginals": \[\[0.3[23]' '' \
	"$gpube" infer -q -t MAR --json "$work/two.uai"
row 'MAR into a file' 0 '' '' "$gpube" infer -q -t MAR --output uai -o "$work/two.MAR" "$work/two.uai"
that 'it is a MAR result of two variables' sh -c "tr '\n' ' ' < '$work/two.MAR' | grep -Eq '^MAR 2 2 0.3[23][0-9]* 0.67'"
row 'it is known as a result' 1 '' "is a result, which 'gpube info'" "$gpube" solve -q "$work/two.MAR"

# ---- joint distributions, soft evidence, what is drawn, rows of evidence
b=examples/sprinkler.bif
row 'a joint distribution' 0 '^ +rain=yes sprinkler=on 0.137691238$' '' \
	"$gpube" infer -q --query rain,sprinkler --observe lawn=wet $b
row 'of a variable that is observed' 0 '^joint +lawn=dry 0$' '' "$gpube" infer -q --query lawn --observe lawn=wet $b
row 'by indices, as .csv' 0 '^1,1,0.67$' '' "$gpube" infer -q --query 1,0 --output csv "$work/two.uai"
row 'its header' 0 '^rain,3?lawn,probability$' '' "$gpube" infer -q --query 2,lawn --output csv $b
row 'in JSON' 0 '"query": \[2,3\], "query_names": \["rain","lawn"\], "query_values": \[\["no","yes"\],\["dry","wet"\]\], "joint": \[' \
	'' "$gpube" infer -q --query rain,lawn --json $b
row 'from a .query file' 0 '"query": \[1,0\], "joint": \[0.3,0,0.03' '' sh -c \
	"printf '2 1 0' > '$work/asked.query' && '$gpube' infer -q --query '$work/asked.query' --json '$work/two.uai'"
row 'with marginals' 0 '"marginals": \[.*"joint": \[' '' "$gpube" infer -q -t MAR --query rain --json $b
row 'too large' 1 '' 'the joint table of 40 variables has 1.09951e\+12 cells, which take 16.0 TiB; ' sh -c \
	"{ printf 'MARKOV 40 '; printf '2 %.0s' \$(seq 40); printf '1 1 0 2 1 1'; } > '$work/many.uai' &&
	'$gpube' infer -q --query \$(seq -s, 0 39) '$work/many.uai'"
row 'asked for twice' 1 '' "variable 'rain' is asked for twice" "$gpube" infer -q --query rain,rain $b
row 'no such variable' 1 '' "expected a variable \(cloudy, sprinkler, rain, lawn\), found 'snow'" "$gpube" infer -q --query snow $b
row 'not of MPE' 2 '' 'query is not for --task MPE' "$gpube" infer -q -t MPE --query rain $b
row 'MMAP by names' 0 '^assignment +rain=yes sprinkler=off$' '' "$gpube" infer -q -t MMAP --query rain,sprinkler --observe lawn=wet $b
row 'soft evidence' 0 '^ +rain=yes 0.8$' '' "$gpube" infer -q -t MAR --soft rain=0.2,0.8 $b
row 'of two variables' 0 '^log10 Z +-0.60205999' '' "$gpube" infer -q --soft cloudy=1,0 --soft rain=0.5,0.5 $b
row 'of the most probable assignment' 0 '^assignment .*rain=no' '' "$gpube" infer -q -t MPE --soft rain=9,1 $b
row 'impossible' 0 '^impossible +the evidence has probability zero' '' \
	"$gpube" infer -q --observe rain=no --soft rain=0,1 --draw 3 $b
row 'one weight too few' 1 '' "soft 'rain=1': variable rain has 2 values, found 1 weight$" "$gpube" infer -q --soft rain=1 $b
row 'a weight below 0' 1 '' "soft 'rain=1,-2': expected a number >= 0, found '-2'" "$gpube" infer -q --soft rain=1,-2 $b
row 'twice' 1 '' 'the variable has weights already' "$gpube" infer -q --soft rain=1,2 --soft 2=1,2 $b
row 'no weights' 1 '' 'expected NAME=WEIGHT,WEIGHT' "$gpube" infer -q --soft rain $b
"$gpube" infer -q --draw 200 --seed 5 --threads 1 --output csv -o "$work/drawn.csv" --observe lawn=wet $b
"$gpube" infer -q --draw 100 --seed 5 --threads 2 --output csv -o "$work/fewer.csv" --observe lawn=wet $b
that 'what is drawn, on one thread and on two' sh -c "head -n 101 '$work/drawn.csv' | cmp - '$work/fewer.csv'"
that 'agrees with the evidence' [ "$(grep -c ',wet$' "$work/drawn.csv")" = 200 ]
cat > "$work/expected" << 'END'
cloudy,sprinkler,rain,lawn
no,on,no,wet
yes,off,yes,wet
no,on,no,wet
yes,off,yes,wet
yes,off,yes,wet
END
that 'a seed draws the same everywhere' sh -c "head -n 6 '$work/drawn.csv' | cmp - '$work/expected'"
row 'drawn, as text' 0 '^drawn +cloudy=[a-z]+ sprinkler=[a-z]+ rain=[a-z]+ lawn=wet$' '' \
	"$gpube" infer -q --draw 2 --observe lawn=wet $b
row 'without names' 0 '^drawn +[01] 1$' '' "$gpube" infer -q --draw 1 --observe 1=1 "$work/two.uai"
row 'drawn, in JSON' 0 '"drawn": \[\[[01],[01],[01],[01]\],.*"drawn_names": \[\{"cloudy": "' '' "$gpube" infer -q --draw 2 --json $b
row 'none of what is impossible' 0 '' 'the evidence has probability zero, so there is no assignment to write' \
	"$gpube" infer --draw 2 --output csv --observe rain=no --soft rain=0,1 $b
row 'one question at a time' 2 '' 'draw goes with neither --query nor --rows' "$gpube" infer -q --draw 2 --query rain $b
row 'not of MMAP' 2 '' 'draw and --rows are for --task PR and MAR' "$gpube" infer -q -t MMAP --draw 2 $b
row 'not as a result of UAI' 2 '' 'output uai has no place for that' "$gpube" infer -q --draw 2 --output uai $b
printf 'rain,"lawn"\r\nyes,wet\r\n\r\n?,\r\n"no",0\r\n1,dry' > "$work/rows.csv"
row 'rows of evidence' 0 '^1 +-0.3390397082' '' "$gpube" infer -q --rows "$work/rows.csv" $b
row 'one without any' 0 '^2 +[-0-9.e]+e-1[5-9]$|^2 +0$' '' "$gpube" infer -q --rows "$work/rows.csv" $b
row 'beside what is observed for all' 0 '^4 +impossible$' '' "$gpube" infer -q --soft lawn=0,1 --rows "$work/rows.csv" $b
row 'how many' 0 '^rows +4, from ' '' "$gpube" infer -q --rows "$work/rows.csv" $b
row 'their marginals' 0 '^log10,cloudy=no,cloudy=yes,sprinkler=off,.*,lawn=wet$' '' \
	"$gpube" infer -q --rows "$work/rows.csv" -t MAR --output csv $b
row 'no row of what is impossible' 0 '^-inf,,,,,,,,$' '' \
	"$gpube" infer -q --rows "$work/rows.csv" --soft lawn=0,1 -t MAR --output csv $b
row 'their joint distributions' 0 '^log10,rain=no,rain=yes$' '' "$gpube" infer -q --rows "$work/rows.csv" --query rain --output csv $b
sed 's/no, yes/"a,b", "c d"/' examples/sprinkler.bif | sed 's/(no)/("a,b")/; s/(yes)/("c d")/; s/(no, /("a,b", /; s/(yes, /("c d", /; s/, no)/, "a,b")/; s/, yes)/, "c d")/' > "$work/comma.bif"
printf 'rain\n"a,b"\n' > "$work/comma.csv"
that 'a heading with a comma is one field' sh -c "'$gpube' infer -q --rows '$work/comma.csv' --query sprinkler,rain --output csv '$work/comma.bif' > '$work/comma.out' && python3 -c '
import csv, sys
head, row = csv.reader(open(sys.argv[1]))
assert head[1:3] == [\"sprinkler=off rain=a,b\", \"sprinkler=off rain=c d\"] and len(head) == len(row) == 5, (head, row)' '$work/comma.out'"
row 'in JSON' 0 '"rows": \[\{"log10": -0.33[0-9]*, "joint": \[0,1\]\},' '' "$gpube" infer -q --rows "$work/rows.csv" --query rain --json $b
printf '2\n1 1 0\n2 lawn wet rain yes\n' > "$work/rows.evid"
row 'samples of a .evid' 0 '^2 +-0.3390397082' '' "$gpube" infer -q --rows "$work/rows.evid" $b
row 'text has the sums alone' 2 '' 'of rows text has the sums alone' "$gpube" infer -q --rows "$work/rows.csv" -t MAR $b
printf 'rain,rain\n' > "$work/bad.csv"
row 'a column twice' 1 '' 'bad.csv:1: variable rain has two columns$' "$gpube" infer -q --rows "$work/bad.csv" $b
printf 'rain,lawn\nyes,wet\nyes\n' > "$work/bad.csv"
row 'a field too few' 1 '' 'bad.csv:3: expected 2 fields, as the first line has, found 1$' "$gpube" infer -q --rows "$work/bad.csv" $b
printf 'rain\nmaybe\n' > "$work/bad.csv"
row 'no value' 1 '' "bad.csv:2: expected a value of variable rain \(no, yes\), found 'maybe'" "$gpube" infer -q --rows "$work/bad.csv" $b
printf 'rain\n"yes\n' > "$work/bad.csv"
row 'a field without an end' 1 '' "bad.csv:[23]: expected a '\"' at the end of a field" "$gpube" infer -q --rows "$work/bad.csv" $b
printf '' > "$work/bad.csv"
row 'an empty file' 1 '' 'bad.csv:1: expected a line of variables, found the end of the file' "$gpube" infer -q --rows "$work/bad.csv" $b
row 'a marginal as .csv' 0 '^rain,yes,0.707927677' '' "$gpube" infer -q -t MAR --output csv --observe lawn=wet $b
row 'a sum as .csv' 0 '^-0.1890286[0-9]*,[0-9.]+e-1[0-9]$' '' "$gpube" infer -q --output csv --observe lawn=wet $b

# ---- rows of conditional tables that do not add up to 1
printf 'BAYES\n2\n2 3\n2\n1 0\n2 0 1\n\n2\n0.35 0.65\n6\n0.1 0.2 0.3 0.3 0.6 0.5' > "$work/turned.uai"
row 'rows of a .uai: a note, once' 0 '^log10 Z ' \
	'turned.uai: 2 rows of conditional probabilities do not add up to 1, the worst to 0.6: that of variable 1 where variable 0 is 0; all rows of this table would if the values of that variable varied slowest$' \
	"$gpube" infer "$work/turned.uai"
that 'it is one line' [ "$(wc -l < "$work/err")" = 1 ]
row 'none with -q' 0 '^log10 Z ' '' "$gpube" infer -q "$work/turned.uai"
row 'the numbers are kept' 0 '"log10": 0.04921802' '' "$gpube" infer -q --json "$work/turned.uai"
cat > "$work/less.bif" << 'END'
network unknown {
}
variable a { type discrete [ 2 ] { t, f }; }
variable b { type discrete [ 3 ] { p, q, r }; }
variable c { type discrete [ 2 ] { y, n }; }
probability ( a ) { table 0.2, 0.7; }
probability ( b | a ) { table 0.1, 0.5, 0.3, 0.25, 0.6, 0.25; }
probability ( c | a, b ) { default 0.5, 0.5; (f, r) 0.5, 0.75; }
END
row 'the worst row of a .bif' 0 '^log10 Z ' \
	'less.bif: 2 rows of conditional probabilities do not add up to 1, the worst to 1.25: that of variable c where variable a is f, variable b is r$' \
	"$gpube" infer "$work/less.bif"
sed 's/0.5, 0.75/0.5, 0.5/' "$work/less.bif" > "$work/one.bif"
row 'one row, without parents' 0 '^log10 Z ' \
	'one.bif: 1 row of conditional probabilities does not add up to 1, the worst to 0.9: that of variable a$' \
	"$gpube" infer "$work/one.bif"
"$gpube" convert "$work/one.bif" --check "$work/back.uai" 2> "$work/said"
that 'what is read back is not told again' [ "$(grep -c 'add up' "$work/said")" = 1 ]
printf '2\n2 2\n0\n1 0\n2\n0.5 0.5\n4\n0.5 0.5 0.25 0.5\na b\nn y n y\n' > "$work/less.erg"
row 'a row of an .erg' 0 '*' 'less.erg: 1 row of .* to 0.75: that of variable b where variable a is y$' \
	"$gpube" infer "$work/less.erg"
# a seventh of each, to so many decimals: what %f writes is let pass, whatever the sum comes to
for digits in 142857 14286 1428571; do
	printf 'BAYES\n1\n7\n1\n1 0\n7\n%s\n' "$(for k in 1 2 3 4 5 6 7; do printf '0.%s ' $digits; done)" > "$work/7.uai"
	case $digits in 14286) note='add up to 1, the worst to 1.00002: that of variable 0$' ;; *) note='^$' ;; esac
	"$gpube" infer "$work/7.uai" > /dev/null 2> "$work/err"
	that "sevenths, 0.$digits" sh -c '[ "$2" = "^$" ] && [ ! -s "$1" ] || grep -q -e "$2" "$1"' - "$work/err" "$note"
done
printf 'MARKOV\n1\n2\n1\n1 0\n2\n0.5 0.7\n' > "$work/free.uai"
row 'potentials of a MARKOV network need not' 0 '*' '' "$gpube" infer -q "$work/free.uai"
"$gpube" infer "$work/free.uai" > /dev/null 2> "$work/err"
that 'nor are they told' [ ! -s "$work/err" ]

# a network with names
cat > "$work/two.bif" <<'END'
network two { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable wet { type discrete [ 2 ] { yes, no }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( wet | rain ) { (yes) 0.5, 0.5; (no) 0.1, 0.9; }
END
row 'marginals of a .bif' 0 '^ +wet=no 0.82$' '' "$gpube" infer -q -t MAR "$work/two.bif"

# what pyAgrum writes: its order of tables of several parents is another than that of .uai
for word in BAYES MARKOV; do
	for name in '   # x' ''; do
		printf '%s\n3\n2 2 2 \n3\n1 0%s\n1 1\n3 0 1 2\n\n2\n0.5 0.5\n2\n0.25 0.75\n8\n1 0 0.5 0.5 0 1 1 0\n' \
			$word "$name" > "$work/agrum.uai"
		"$gpube" infer "$work/agrum.uai" > /dev/null 2> "$work/err"
		case $word$name in BAYES?*) n=1 ;; *) n=0 ;; esac
		that "a note: $word '$name'" [ "$(grep -c 'if pyAgrum wrote this' "$work/err")" = $n ]
	done
done
row 'the names that pyAgrum gives, by .net' 0 '^ +grass=wet 0.520625$' '' \
	"$gpube" infer -q -t MAR tests/instances/agrum.net

# a sample of several
printf '2\n1 1 0\n1 1 1\n' > "$work/samples"
row 'the first of two samples' 0 '^ +wet=yes 1$' 'samples: 2 samples of evidence, of which the first is taken$' \
	"$gpube" infer -t MAR --evidence "$work/samples" "$work/two.bif"
row 'the second' 0 '^ +wet=yes 0$' '' "$gpube" infer -q -t MAR --evidence "$work/samples" --sample 2 "$work/two.bif"
row 'there is no third' 1 '' 'sample 3 of 2 samples of evidence: there is none$' \
	"$gpube" solve --evidence "$work/samples" --sample 3 "$work/two.bif"

# evidence, and where it is from
echo '1 0 1' > "$work/other.evid"
row 'evidence as an argument' 0 "^evidence +1 observed variable, from $work/other.evid\$" '' \
	"$gpube" infer $x "$work/other.evid"
row 'not both as an argument and an option' 2 '' 'evidence' "$gpube" infer --evidence none $x "$work/other.evid"
row 'evidence beside the file' 0 '^evidence +1 observed variable, from examples/sprinkler.uai.evid$' '' \
	"$gpube" infer -q $x
row 'none of it' 0 '^log10 Z +(-?[0-9.]+e-1[5-9]|0), ' '' "$gpube" infer -q --evidence none $x
echo '1 0 1' > "$work/seen"
row 'evidence from a file' 0 "^evidence +1 observed variable, from $work/seen\$" '' \
	"$gpube" infer -q --evidence "$work/seen" "$work/two.uai"
row 'its probability' 0 '^log10 Z +0.826074' '' "$gpube" infer -q --evidence "$work/seen" "$work/two.uai"
row 'an observed variable is certain' 0 '"marginals": \[\[0,1\],\[0,1\]\]' '' \
	"$gpube" infer -q --json -t MAR --evidence "$work/seen" "$work/two.uai"

# against itself
echo '2 0 1 1 0' > "$work/never"
for t in PR MAR MPE; do
	row "impossible evidence: $t" 0 '^impossible +the evidence has probability zero \(proved\)$' '' \
		"$gpube" infer -q -t $t --evidence "$work/never" "$work/two.uai"
	row "impossible evidence in JSON: $t" 0 '"status": "impossible", .*"observed": 2, .*"log10": null' '' \
		"$gpube" infer -q -t $t --json --evidence "$work/never" "$work/two.uai"
done
row 'as a PR result' 0 '^-inf$' '' \
	"$gpube" infer -q --output uai --evidence "$work/never" "$work/two.uai"
row 'there are no marginals of it' 0 '' 'the evidence has probability zero, so there is no marginal to write' \
	"$gpube" infer -t MAR --output uai --evidence "$work/never" "$work/two.uai"

# marginal MAP: 0.4 against 0.3 + 0.3; the best product is another value's
cat > "$work/map.uai" <<'END'
MARKOV
3
2 2 2
2
2 0 1
1 2
4
0.4 0 0.3 0.3
2
1 1
END
row 'a query is needed' 1 '' "there is no query beside '$work/map.uai', so --query has to name it" \
	"$gpube" infer -q -t MMAP "$work/map.uai"
echo '1 0' > "$work/map.uai.query"
row 'marginal MAP' 0 '^assignment +0=1$' '' "$gpube" infer -q -t MMAP "$work/map.uai"
row 'its value' 0 '^log10 +0.0791812460476[0-9]*, the proved maximum' '' "$gpube" infer -q -t MMAP "$work/map.uai"
row 'from where the query was' 0 "^query +1 variable, from $work/map.uai.query; left to search: 1 variable, 1 function" '' \
	"$gpube" infer -q -t MMAP "$work/map.uai"
printf '2\n2 0\n' > "$work/asked"
row 'a query by name' 0 '"status": "optimal", "task": "MMAP".*"query": \[2,0\], "assignment": \[[01],1\]' '' \
	"$gpube" infer -q -t MMAP --json --query "$work/asked" "$work/map.uai"
row 'bounds of what does not fit' 1 '^log10 +at least -?[0-9.e-]+, for the best values that were met$' '' \
	"$gpube" infer -q -t MMAP --memory 8 --query "$work/asked" "$work/map.uai"
cat > "$work/five.uai" <<'END'
MARKOV
6
3 3 3 1 2 1
5
3 0 5 4
3 2 1 4
3 1 2 0
2 0 4
4 2 1 3 0
6
1 4 3 2 2 4
18
3 4 2 3 1 2 4 4 3 4 1 1 3 4 1 3 2 4
27
4 2 2 2 3 1 4 1 3 3 4 2 3 1 1 1 4 2 3 3 1 1 1 1 1 1 4
6
2 2 4 4 1 2
27
2 2 4 4 2 3 3 2 4 2 3 4 1 4 3 4 1 4 4 4 3 2 4 2 3 1 1
END
echo '2 1 3' > "$work/five.uai.query"
row 'bounds where no sum fits, all observed' 1 '^log10 +at least [0-9.]+, for the best values that were met$' '' \
	timeout -k 1 30 "$gpube" infer -q -t MMAP --memory 100 --timeout 2 "$work/five.uai"
row 'MMAP as a file' 0 '^1 0 1$' '' "$gpube" infer -q -t MMAP --output uai "$work/map.uai"
echo '2 0 1 1 0' > "$work/seen"
row 'its evidence counts' 0 '^log10 +-0.2218487496163[0-9]*, the proved' '' \
	"$gpube" infer -q -t MMAP --evidence "$work/seen" "$work/map.uai"
echo '2 0 0 1 1' > "$work/never"
row 'impossible evidence: MMAP' 0 '^impossible +the evidence has probability zero' '' \
	"$gpube" infer -q -t MMAP --evidence "$work/never" "$work/map.uai"
for q in "1 x|:1: expected a variable, found 'x'" "1 3|:1: expected a variable from 0 to 2, found '3'" \
	"2 1 1|:1: variable 1 is asked for twice" "2 1|:2: expected a variable, found the end of the file" \
	"1 1 2|:1: expected the end of the file, found '2'" "4 0|:1: expected the number of query variables from 0 to 3, found '4'"; do
	echo "${q%%|*}" > "$work/wrong.query"
	row "a wrong query: ${q%%|*}" 1 '' "^gpube: $work/wrong.query${q#*|}\$" \
		"$gpube" infer -q -t MMAP --query "$work/wrong.query" "$work/map.uai"
done
row 'a query of PR: joint' 0 '^joint +2=0 0=0 0.2$' '' "$gpube" infer --query "$work/asked" "$work/map.uai"
row 'a query is no model' 1 '' '.query by --query' "$gpube" infer "$work/map.uai.query"
row 'not over the query' 2 '' 'would write over' "$gpube" infer -t MMAP -o "$work/map.uai.query" "$work/map.uai"

# what is refused
row 'a model of costs' 1 '' "zebra.wcsp': a model of costs has no probabilities; 'gpube solve' finds its optimum" \
	"$gpube" infer -q examples/zebra.wcsp
row 'no such task' 2 '' "PR, MAR, MMAP or MPE|PR\|MAR\|MMAP\|MPE" "$gpube" infer --task MAP $x
row 'too little memory: bounds' 1 '^log10 Z +(from -[0-9.]+ to|at most) -0.1[0-9]+: proved bounds' 'sums along this order need .* of tables' \
	"$gpube" infer --memory 20 $x
row 'the same in JSON, with the plan' 1 '"status": "bounds".*"log10": null.*"log10_upper": -0.1[0-9]+.*"peak_bytes": 112' '' \
	"$gpube" infer -q --memory 20 --json $x
row 'marginals have intervals' 1 '^marginals +proved bounds of each' '' "$gpube" infer -q -t MAR --memory 20 $x
row 'no result of bounds' 1 '' 'the sum has but bounds, so there is no result to write' \
	"$gpube" infer --memory 20 --output uai $x
row 'slices' 0 'plan .* in [0-9]+ slices' '' "$gpube" infer -q --memory 60 $x
row 'no time' 1 '' 'out of time' "$gpube" infer -q --timeout 0.000001 $x

# a formula: 230 clauses of three of 60 variables, of which 4,983 assignments satisfy all
awk 'BEGIN {
	n = 60; m = 230; s = 12345
	print "MARKOV"; print n
	for (i = 0; i < n; i++) printf "2 "
	print ""; print m
	for (k = 0; k < m; k++) {
		for (i = 0; i < 3; i++)
			do { s = (s * 1103 + 12345) % 65521; v[i] = s % n } while ((i > 0 && v[i] == v[0]) || (i > 1 && v[i] == v[1]))
		print 3, v[0], v[1], v[2]
	}
	for (k = 0; k < m; k++) {
		s = (s * 1103 + 12345) % 65521
		printf "8"
		for (i = 0; i < 8; i++) printf " %d", i != s % 8
		print ""
	}
}' > "$work/formula.uai"
row 'a formula, by cases' 0 '^log10 Z +3.697490887' '' "$gpube" infer -q "$work/formula.uai"
row 'which is said' 0 '^plan .*, not done: [0-9]+ cases were less$' '' "$gpube" infer -q "$work/formula.uai"
row 'and in JSON' 0 '"status": "exact".*"cases": [0-9]+' '' "$gpube" infer -q --json "$work/formula.uai"
row 'two orders' 2 '' 'exclude each other' "$gpube" infer --order min-fill --order-file "$work/o" $x
echo '2 3 1 0' > "$work/order"
row 'a given order' 0 '^plan +width 3' '' "$gpube" infer -q -t MAR --evidence none --order-file "$work/order" $x
row "a Bayesian network of which nothing is observed" 0 "^model +0 of 4 variables and 0 functions" "" "$gpube" infer -q --evidence none $x
row 'not over what is read' 2 '' 'would write over' "$gpube" infer --output uai -o "$work/two.uai" "$work/two.uai"

plan
