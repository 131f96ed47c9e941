#!/bin/sh
# Certificates: a second checker agrees on each that is written, forged ones prove nothing that is
# not so, and a check that takes long can be stopped.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
py=tests/cli/check_certificate.py
have_python=true
command -v python3 > /dev/null || have_python=false

# MODEL CERTIFICATE BOUND: both checkers accept it, with this bound
agree() {
	"$gpube" bound -q --verify "$2" "$1" > "$work/agree" || return 1
	grep -q "^certified *$3," "$work/agree" || return 1
	! $have_python || python3 $py check "$1" "$2" "$3"
}

# MODEL CERTIFICATE: both refuse it
refused() {
	! "$gpube" bound -q --verify "$2" "$1" > /dev/null 2>&1 || return 1
	! $have_python || ! python3 $py check "$1" "$2"
}

# ---- those that are written -----------------------------------------------------------------

certify() { # MODEL METHOD [SPLIT]
	bound=$("$gpube" bound -q --backend cpu --method "$2" --split "${3:-auto}" --certify "$work/c.gz" "$1" |
		sed -n 's/^certified *\([^,]*\),.*/\1/p')
	agree "$1" "$work/c.gz" "$bound"
}
for method in auto arc ascent pairwise andor; do
	that "exams, $method" certify $x/exams.cfn $method
	that "sprinkler, $method" certify $x/sprinkler.uai $method
	that "zebra, $method" certify $x/zebra.wcsp $method
done
# of solve, too, whatever proved; elimination, which has none of its own, by a search along an order
solved() { # MODEL METHOD
	bound=$("$gpube" solve -q --backend cpu --method "$2" --certify "$work/c.gz" "$1" |
		sed -n 's/^certified *\([^,]*\),.*/\1/p')
	agree "$1" "$work/c.gz" "$bound"
}
for method in auto tree pairwise andor eliminate; do
	that "solve exams, $method" solved $x/exams.cfn $method
	that "solve sprinkler, $method" solved $x/sprinkler.uai $method
	that "solve zebra, $method" solved $x/zebra.wcsp $method
done
for command in solve bound; do
	row "$command: an elimination's optimum" 0 '"lower_bound": 4\.30.*"certified_bound": 4\.30,' '' \
		"$gpube" $command -q --json --method eliminate --certify "$work/c" $x/exams.cfn
	that 'has an order' grep -q '^order ' "$work/c"
	row "$command: mini-buckets have none" 2 '' 'mini-buckets leave no certificate' \
		"$gpube" $command --method mbe --certify "$work/c" $x/exams.cfn
	row "$command: nowhere to write" 1 '' "cannot write '$work/none/c'" \
		"$gpube" $command --certify "$work/none/c" $x/exams.cfn
done
"$gpube" generate random -n 14 -d 12 --p1 0.7 --p2 0 --seed 3 -o "$work/broad.wcsp"
row 'what is too wide for one is not begun' 1 '' 'leaves no certificate: its tables, of up to [0-9.e+]+ cells' \
	"$gpube" solve -q --backend cpu --memory 1000000G --order min-fill --method eliminate --certify "$work/c" "$work/broad.wcsp"
if $have_python; then
	for seed in 1 2 3 4 5 6; do
		python3 $py random $seed "$work"
		case $seed in 1) method=auto ;; 5) method=andor ;; 6) method=pairwise ;; 2 | 3) method=arc ;; *) method=ascent ;; esac
		for form in wcsp cfn uai; do
			that "random .$form $seed, $method" certify "$work/$seed.$form" $method
		done
	done
	for unit in test_certificate test_certificate_lists test_certificate_cycles; do
		if [ -x "${BUILD:-build}/tests/bound/$unit" ]; then
			mkdir "$work/$unit"
			GPUBE_CERTIFICATES="$work/$unit" "${BUILD:-build}/tests/bound/$unit" > /dev/null 2>&1
			that "those of $unit" python3 $py all "$work/$unit"
			that 'which are many' [ "$(find "$work/$unit" -name '*.cert' | wc -l)" -gt 100 ]
		else
			skip "those of $unit" 'it is not built'
		fi
	done
else
	skip 'the second checker' 'no python3'
fi

# ---- trees of splits ------------------------------------------------------------------------

"$gpube" generate random -n 20 -d 3 --p1 0.5 --p2 0.05 --seed 3 -o "$work/split.wcsp"
"$gpube" convert -q "$work/split.wcsp" "$work/split.cfn"
"$gpube" convert -q "$work/split.wcsp" "$work/split.uai"
for form in wcsp cfn uai; do
	that "splits, .$form" certify "$work/split.$form" pairwise first
	that 'of a tree' [ "$(gzip -dc "$work/c.gz" | grep -c ^leaf)" -gt 2 ]
done
row 'they prove the optimum' 0 '"lower_bound": 3271.*"certified_bound": 3271,' '' \
	"$gpube" bound -q --json --method pairwise --split first --certify "$work/split.cert" "$work/split.wcsp"
row 'which is split by no other method' 0 '"certified_bound": 3271,' '' \
	"$gpube" bound -q --json --backend cpu --certify "$work/split.cert" "$work/split.wcsp"

# a triangle whose corners are to differ, in two values: one edge cannot
echo 'p 3 2 3 10
2 2 2
2 0 1 0 2 0 0 1 1 1 1
2 0 2 0 2 0 0 1 1 1 1
2 1 2 0 2 0 0 1 1 1 1' > "$work/edge.wcsp"

# ---- searches along an order --------------------------------------------------------------------

for form in wcsp cfn uai; do
	that "a search, .$form" certify "$work/split.$form" andor
	that 'of one block' sh -c "gzip -dc '$work/c.gz' | grep -q '^blocks 1$'"
done
row 'it proves the optimum' 0 '"lower_bound": 3271.*"certified_bound": 3271,' '' \
	"$gpube" bound -q --json --method andor --certify "$work/search.cert" "$work/split.wcsp"
row 'which is told' 0 'checked, along an order: [0-9]+ tables in 1 block add up to' '' \
	"$gpube" bound -q --verify "$work/search.cert" "$work/split.wcsp"

# the triangle: its own functions add up to 1 at least, if they are minimised together
cat > "$work/order.cert" << 'END'
gpube-proof 1
form tables
variables 3 2 2 2
functions 3
decimals 0
cap 1
shift 0
bound 1
constant 0
blocks 1
block 3
table 2 0 1
1 0 0 1
table 2 0 2
1 0 0 1
table 2 1 2
1 0 0 1
order 1 2 0
END
that 'an order by hand' agree "$work/edge.wcsp" "$work/order.cert" 1
disorder() { # NAME SED-SCRIPT
	sed "$2" "$work/order.cert" > "$work/disordered"
	that "$1" refused "$work/edge.wcsp" "$work/disordered"
}
disorder 'more than the search proves' 's/^bound 1/bound 2/'
disorder 'a variable twice' 's/^order.*/order 1 2 1/'
disorder 'a variable too few' 's/^order.*/order 1 2/'
disorder 'a variable too many' 's/^order.*/order 1 2 0 0/'
disorder 'no such variable' 's/^order.*/order 1 2 3/'
disorder 'a negative variable' 's/^order.*/order 1 2 -1/'
disorder 'a word that is no variable' 's/^order.*/order 1 2 x/'
disorder 'no order' '$d'
disorder 'a case in its place' '$s/.*/case 0\nleaf/'
disorder 'another form with an order' 's/^form tables/form steps/'
disorder 'no form' '2d'
disorder 'a form that there is not' 's/^form tables/form table/'
disorder 'another version' '1s/1/2/'
disorder 'no version' '1s/ 1//'
disorder 'tables that are not the problem' '13s/1 0 0 1/1 1 1 1/'
disorder 'a table left out' 's/^block 3/block 2/;12,13d'
disorder 'each table by itself' 's/^blocks 1/blocks 3/;s/^block 3/block 1/;14s/^/block 1\n/;16s/^/block 1\n/'
disorder 'a table more than the block has' 's/^block 3/block 2/'
disorder 'a block of fewer' 's/^block 3/block -1/'
disorder 'no block' 's/^blocks 1/blocks 0/'
disorder 'a table of a variable twice' '12s/0 1/0 0/'
disorder 'of variables that do not rise' '12s/0 1/1 0/'
disorder 'a number below 0 that makes up for nothing' '13s/1 0 0 1/1 0 0 -1/'
sed '11,13s/.*//;11s/.*/block 4\ntable 2 0 1\n9 -5 0 -4\ntable 1 0\n-4 5/' "$work/order.cert" > "$work/disordered"
that 'numbers below 0' refused "$work/edge.wcsp" "$work/disordered"
sed '11,13s/.*//;11s/.*/block 4\ntable 2 0 1\n9 8 -5 -4\ntable 1 0\n-8 5/' "$work/order.cert" > "$work/disordered"
that 'as long as they add up to the problem' agree "$work/edge.wcsp" "$work/disordered" 1
sed 's/^form tables$//;s/^gpube-proof 1/gpube-certificate 3/' "$work/order.cert" > "$work/disordered"
that 'a file of before' refused "$work/edge.wcsp" "$work/disordered"
row 'which is named' 1 '' 'disordered:1: this is a certificate of before gpube-proof 1' \
	"$gpube" bound -q --verify "$work/disordered" "$work/edge.wcsp"
sed 's/^bound 1/bound 0/' "$work/order.cert" > "$work/disordered"
that 'less than it proves' agree "$work/edge.wcsp" "$work/disordered" 0
sed 's/^order.*/order 0 1 2/' "$work/order.cert" > "$work/disordered"
that 'another order' agree "$work/edge.wcsp" "$work/disordered" 1

# ---- sweeps over lists ----------------------------------------------------------------------------

for form in wcsp cfn uai; do
	that "lists, .$form" certify "$work/split.$form" pairwise
	that 'of stages' sh -c "gzip -dc '$work/c.gz' | grep -q ^stage"
done
row 'they prove the optimum' 0 '"lower_bound": 3271.*"certified_bound": 3271,' '' \
	"$gpube" bound -q --json --method pairwise --certify "$work/lists.cert" "$work/split.wcsp"
row 'of solve they are what was noted in its run' 0 '"lower_bound": 3271.*"certified_bound": 3271,' '' \
	"$gpube" solve -q --json --method pairwise --certify "$work/solved.cert" "$work/split.wcsp"
that 'so that nothing is made anew' grep -q ^stage "$work/solved.cert"
row 'which is told' 0 'checked, by sweeps over [0-9]+ relations in [0-9]+ stages and [0-9]+ cases?, of the problem' '' \
	"$gpube" bound -q --verify "$work/lists.cert" "$work/split.wcsp"

# the triangle again: one list of all three says it, two edges and their neighbour do not
sed 's/^form.*/form steps/;/^constant/,$d' "$work/order.cert" > "$work/head.cert"
{
	cat "$work/head.cert"
	echo 'limit 1
case 2
stage 1 0
list 3 1 0 1 2
stage 0 2
leaf'
} > "$work/listed.cert"
that 'a list by hand' agree "$work/edge.wcsp" "$work/listed.cert" 1
listed() { # NAME SED-SCRIPT
	sed "$2" "$work/listed.cert" > "$work/mislisted"
	that "$1" refused "$work/edge.wcsp" "$work/mislisted"
}
listed 'more than lists prove' 's/^bound 1/bound 2/;s/^limit 1/limit 2/;s/^cap 1/cap 9/'
listed 'more than the limit' 's/^bound 1/bound 2/'
listed 'lists that do not see it' 's/^list.*/list 2 0 0 1/;s/^stage 0 2/stage 0 9/'
listed 'no lists' '/^stage 1/,/^list/d;s/^case 2/case 1/'
listed 'a variable that leaves, and is in another' 's/^list.*/list 2 1 0 1/'
listed 'a variable twice' 's/^list.*/list 3 0 0 1 1/'
listed 'no such variable' 's/^list.*/list 3 0 0 1 3/'
listed 'a negative one' 's/^list.*/list 3 0 0 1 -1/'
listed 'more that leave than there are' 's/^list.*/list 3 4 0 1 2/'
listed 'a list of nothing' 's/^list.*/list 0 0/'
listed 'sweeps below 0' 's/^stage 0 2/stage 0 -2/'
listed 'no stages' '/^stage 1/,/^stage 0/d;s/^case 2/case 0/'
listed 'a stage too few' '/^stage 0/d'
listed 'a stage too many' 's/^leaf/stage 0 2\nleaf/'
listed 'no leaf' '$d'
listed 'a word that is no number' 's/^list.*/list 3 0 0 1 x/'
listed 'no limit' '/^limit/d'
listed 'tables in their place' '/^limit/,$d;$a constant 0\nblocks 0\norder 0 1 2'
listed 'another form with lists' 's/^form steps/form tables/'
sed 's/^bound 1/bound 0/' "$work/listed.cert" > "$work/mislisted"
that 'less than lists prove' agree "$work/edge.wcsp" "$work/mislisted" 0

# the triangle once more: with either value of the first corner the other two have one, and it is the same
{
	cat "$work/head.cert"
	echo 'limit 1
case 0
split 1 0 0
case 1
stage 0 0
leaf
case 1
stage 0 0
leaf'
} > "$work/cases.cert"
that 'cases by hand' agree "$work/edge.wcsp" "$work/cases.cert" 1
cased() { # NAME SED-SCRIPT
	sed "$2" "$work/cases.cert" > "$work/miscased"
	that "$1" refused "$work/edge.wcsp" "$work/miscased"
}
cased 'more than cases prove' 's/^bound 1/bound 2/;s/^limit 1/limit 2/;s/^cap 1/cap 9/'
cased 'more than their limit' 's/^bound 1/bound 2/'
cased 'a leaf in place of the split' 's/^split.*/leaf/'
cased 'no split, and nothing below it' 's/^split.*/leaf/;/^leaf/,$d;$a leaf'
cased 'no stage in the first case' '12s/1/0/;13d'
cased 'no stage in the second case' '15s/1/0/;16d'
cased 'the second case left out' '15,$d'
cased 'the last word left out' '$d'
cased 'a case too many' '$a case 0\nleaf'
cased 'a split of no variable' 's/^split.*/split 0/'
cased 'of one that is not there' 's/^split.*/split 1 3 0/'
cased 'of a negative one' 's/^split.*/split 1 -1 0/'
cased 'of no such value' 's/^split.*/split 1 0 2/'
cased 'of a negative value' 's/^split.*/split 1 0 -1/'
cased 'a word that is no number' 's/^split.*/split 1 0 x/'
cased 'of two variables, of which one has a value' 's/^split.*/split 2 0 0 1/'
cased 'of more variables than it says' 's/^split.*/split 1 0 0 1 1/'
cased 'stages below none' 's/^case 0/case -1/'
cased 'another version with cases' '1s/1/2/'
sed 's/^bound 1/bound 0/' "$work/cases.cert" > "$work/miscased"
that 'less than cases prove' agree "$work/edge.wcsp" "$work/miscased" 0
sed 's/^split.*/split 2 0 0 1 0/' "$work/cases.cert" > "$work/miscased"
that 'a split of two variables leaves more in the second case' refused "$work/edge.wcsp" "$work/miscased"
sed 's/^split.*/split 2 0 0 0 1/' "$work/cases.cert" > "$work/miscased"
that 'and one that no assignment has leaves all' refused "$work/edge.wcsp" "$work/miscased"

# ---- forged headers --------------------------------------------------------------------------

# N functions of one variable each, all of whose numbers are e^-0.0501: -ln of the product is N times that
flat() { # N
	echo MARKOV
	echo "$1"
	seq "$1" | sed 's/.*/2/' | tr '\n' ' '
	echo
	echo "$1"
	seq 0 $(($1 - 1)) | sed 's/^/1 /'
	seq "$1" | sed 's/.*/2 0.951134302914362 0.951134302914362/'
}
head_of() { # N DECIMALS CAP SHIFT BOUND
	printf 'gpube-proof 1\nform tables\n'
	echo "variables $1 $(seq "$1" | sed 's/.*/2/' | tr '\n' ' ')"
	printf 'functions %d\ndecimals %d\ncap %d\nshift %d\nbound %d\nconstant %d\nblocks 0\n' \
		"$1" "$2" "$3" "$4" "$5" "$(($5 << $4))"
	echo "order $(seq 0 $(($1 - 1)) | tr '\n' ' ')"
}
at_most() { # CERTIFICATE OPTIMUM MODEL
	"$gpube" bound -q --verify "$1" "$3" | awk -v most="$2" '/^certified/ { ok = $2 + 0 <= most } END { exit !ok }'
}
flat 1000 > "$work/flat.uai"
head_of 1000 1 1 0 1000 > "$work/coarse"
that 'decimals of its own choice' at_most "$work/coarse" 50.1 "$work/flat.uai"
that 'and what is certified then' agree "$work/flat.uai" "$work/coarse" 49.9
head_of 1000 2 1 0 5000 > "$work/less"
that 'two decimals' at_most "$work/less" 50.1 "$work/flat.uai"
row 'the text says what it is a bound of' 0 'a lower bound of -ln of the file.s product;.* rounded to 1 decimal; their bound, 100\.0, less' \
	'' "$gpube" bound -q --verify "$work/coarse" "$work/flat.uai"
row 'so does JSON' 0 '"certified_bound": 49\.9, "certified_of": "-ln product", "certified_rounded_bound": 100\.0, "certified_decimals": 1,' \
	'' "$gpube" bound -q --json --verify "$work/coarse" "$work/flat.uai"
row 'of costs, too' 0 '"certified_of": "costs"' '' "$gpube" bound -q --json --certify "$work/c" $x/exams.cfn
row 'a bound of rounded numbers is told as one' 0 '-ln 100\.0, each function rounded to 1 decimal' '' \
	"$gpube" bound -q --precision 1 "$work/flat.uai"
row 'in JSON, too' 0 '"lower_bound": 100\.0.*"rounded_decimals": 1' '' \
	"$gpube" bound -q --json --precision 1 "$work/flat.uai"
row 'other decimals than are asked for' 1 '' 'is of another problem' \
	"$gpube" bound -q --precision 12 --verify "$work/coarse" "$work/flat.uai"
head_of 1000 0 1 0 0 > "$work/none"
that 'no decimals' refused "$work/flat.uai" "$work/none"
head_of 1000 1 1 0 1001 > "$work/greedy"
that 'more than the tables prove' refused "$work/flat.uai" "$work/greedy"

"$gpube" bound -q --method arc --certify "$work/c" $x/exams.cfn > "$work/out"
forge() { # NAME WORD VALUE
	sed "s/^$2 .*/$2 $3/" "$work/c" > "$work/forged"
	that "$1" refused $x/exams.cfn "$work/forged"
}
forge 'decimals of costs' decimals 1
forge 'more decimals of costs' decimals 3
forge 'a smaller cap' cap 0
forge 'a cap past 2^63 - 2' cap 9223372036854775807
forge 'a negative cap' cap -1
forge 'another shift' shift "$(($(sed -n 's/^shift //p' "$work/c") + 1))"
forge 'a shift of 64' shift 64
forge 'a negative shift' shift -1
forge 'another constant' constant 1000000
forge 'another bound' bound 1000000
forge 'another number of functions' functions 3
forge 'a number past 64 bits' bound 9223372036854775808
"$gpube" bound -q --method pairwise --certify "$work/c" $x/exams.cfn > "$work/out"
forge 'decimals of costs, of steps' decimals 1
forge 'a smaller cap, of steps' cap 0
forge 'a shift of 64, of steps' shift 64
forge 'a limit below the bound' limit 429
forge 'a limit past 64 bits' limit 9223372036854775808
forge 'another bound, of steps' bound 1000000
forge 'another number of functions, of steps' functions 3
sed 's/^bound .*/bound 431/;s/^limit .*/limit 431/' "$work/c" > "$work/forged"
that 'one unit more' refused $x/exams.cfn "$work/forged"

# ---- the limits of 64 bits ----------------------------------------------------------------------

# Five separators of one list have nearly 2^61 each for one of its entries, which that list gets once they are forgotten;
# the lists of variable 0 come first, and keep the costs from going on. What leaves 64 bits there is no proof.
for part in 16 17 18 19 20; do
	awk -v cost=$((2097151 * part / 20)) 'BEGIN {
		print "united 6 2 51 200000000\n2 2 2 2 2 2\n5 1 2 3 4 5 0 0"
		for (i = 1; i < 6; i++) {
			print 1, i, "0 1\n1", cost
			for (k = 0; k < 9; k++) print 2, 0, i, 0, 0
		}
	}' > "$work/united.wcsp"
	for bound in 0 2097152; do
		echo "gpube-proof 1 form steps variables 6 2 2 2 2 2 2 functions 51 decimals 0 cap 200000000 shift 40" \
			"bound $bound limit 2097152 case 2 stage 0 1 stage 0 0 leaf" > "$work/united$bound.cert"
		echo "gpube-proof 1 form steps variables 6 2 2 2 2 2 2 functions 51 decimals 0 cap 200000000 shift 40" \
			"bound $bound limit 2097152 case 1 stage 0 1 split 1 1 1 case 2 stage 0 1 stage 0 0 leaf case 1 stage 0 0 leaf" \
			> "$work/parted$bound.cert"
	done
	that "costs of $part twentieths of 2^61 each" agree "$work/united.wcsp" "$work/united0.cert" 0
	that 'split' agree "$work/united.wcsp" "$work/parted0.cert" 0
	that 'what is not so, split' refused "$work/united.wcsp" "$work/parted2097152.cert"
	that 'and what is not so' refused "$work/united.wcsp" "$work/united2097152.cert"
done

cat > "$work/wide.cfn" << 'END'
{problem:{name:p,mustbe:"<9223372036854775000"},variables:{a:2,b:2},functions:{f:{scope:[a],costs:[-5,9223372036854774000]}}}
END
cat > "$work/wide.cert" << 'END'
gpube-proof 1
form tables
variables 2 2 2
functions 1
decimals 0
cap 1
shift 0
bound -5
constant -5
blocks 1
block 1
table 1 0
0 1
order 0 1
END
that 'costs as far apart as 64 bits go' agree "$work/wide.cfn" "$work/wide.cert" -5

echo '{problem:{name:p,mustbe:"<100"},variables:{a:2,b:2},functions:{f:{scope:[a,b],costs:[
-4000000000000000000,-3999999999999999999,4000000000000000000,3999999999999999993]},
g:{scope:[a],costs:[4000000000000000000,-4000000000000000000]}}}' > "$work/far.cfn"
that 'least costs far below the optimum' certify "$work/far.cfn" auto
row 'the bound is the optimum' 0 '^certified *-7' '' "$gpube" bound -q --certify "$work/far.cert" "$work/far.cfn"

# what no way proves in 64 bits is told, and no file is written that proves nothing: four variables, of which one can have its least cost
echo '{problem:{name:p,mustbe:"<9223372036854775807"},variables:{a:2,b:2,c:2,d:2},functions:{
f:{scope:[a],costs:[-4611686018427387904,0]},g:{scope:[b],costs:[-4611686018427387904,0]},
h:{scope:[c],costs:[-4611686018427387904,0]},i:{scope:[d],costs:[-4611686018427387904,0]},
j:{scope:[a,b,c,d],costs:[inf,inf,inf,inf,inf,inf,inf,0,inf,inf,inf,0,inf,0,0,0]}}}' > "$work/apart.cfn"
row 'costs too far apart for any certificate' 1 '^optimum *-4611686018427387904' 'costs are too large for a certificate' \
	"$gpube" solve -q --certify "$work/apart.cert" "$work/apart.cfn"
that 'which writes none' [ ! -e "$work/apart.cert" ]

echo '{problem:{name:p,mustbe:"<100"},variables:{a:2,b:2},functions:{f:{scope:[],costs:[inf]},g:{scope:[a,b],costs:[1,2,3,4]}}}' > "$work/none.cfn"
that 'an infinite constant' certify "$work/none.cfn" auto
row 'mini-buckets leave no proof, which is told before they run' 2 '' 'take another --method$' \
	"$gpube" bound --method mbe --certify "$work/mbe.cert" $x/exams.cfn
that 'which writes nothing' [ ! -e "$work/mbe.cert" ]

# ---- a check that takes hours ---------------------------------------------------------------------

# all pairs of 60 variables, minimised together: nothing but a search says what they add up to
awk -v proof="$work/slow.cert" 'BEGIN {
	n = 60
	print "pairs", n, 4, n * (n - 1) / 2, 1000000
	printf "gpube-proof 1\nform tables\nvariables %d", n > proof
	for (i = 0; i < n; i++) { print 4; printf " 4" > proof }
	printf "\nfunctions %d\ndecimals 0\ncap 9\nshift 0\nbound 15000\nconstant 0\nblocks 1\nblock %d\n",
		n * (n - 1) / 2, n * (n - 1) / 2 > proof
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++) {
			print 2, j, i, 0, 16
			print "table 2", j, i > proof
			for (k = 0; k < 16; k++) {
				cost = k != (i * 5 + j * 3) % 16 ? (i * 7 + j * 13 + k * 5 + int(i * j * k / 3)) % 10 : 0
				print int(k / 4), k % 4, cost
				print cost > proof
			}
		}
	printf "order" > proof
	for (i = 0; i < n; i++) printf " %d", i > proof
}' > "$work/slow.wcsp"
row 'a check sees --timeout' 1 '' 'out of time' \
	timeout 600 "$gpube" bound -q --timeout 0.2s --verify "$work/slow.cert" "$work/slow.wcsp"
row 'and SIGTERM' 1 '' 'stopped' \
	end_at TERM '' "$gpube" bound -q --verify "$work/slow.cert" "$work/slow.wcsp"

# ---- one verdict of two checkers ---------------------------------------------------------------

# a list with a variable twice, where the limit is proved before it; a cell that the file's bound forbids, near 2^62
c=tests/cli/certificates
that 'a variable twice in a list that is not looked at' refused $c/twice.cfn $c/twice.cert
row 'which is said' 1 '' 'twice.cert:28: variable 3 is there twice' "$gpube" bound -q --verify $c/twice.cert $c/twice.cfn
sed 's/^list 4 0 2 3 4 3$/list 3 0 2 3 4/' $c/twice.cert > "$work/once.cert"
that 'once it is a proof' agree $c/twice.cfn "$work/once.cert" 1192
sed 's/^split 2 4 2 5 0$/split 2 4 2 4 2/' "$work/once.cert" > "$work/split.cert"
that 'a variable twice in a split' refused $c/twice.cfn "$work/split.cert"
that 'a cell that the bound forbids' refused $c/near62_1.cfn $c/near62_1.cert
"$gpube" bound -q --certify "$work/near.cert" $c/near62_1.cfn > "$work/near"
that 'what is written of it' agree $c/near62_1.cfn "$work/near.cert" "$(sed -n 's/^certified *\([^,]*\),.*/\1/p' "$work/near")"
# a number that a double has one bit of: -ln of the text is 744.42813221763676, of the double it would be 744.44007
printf 'MARKOV\n1\n2\n1\n1 0\n2\n5e-324 5e-324\n' > "$work/small.uai"
that 'the least of doubles' certify "$work/small.uai" auto
that 'is certified as it is written' [ "$bound" = 744.428132217636 ]
printf 'MARKOV\n2\n2 2\n2\n2 0 1\n1 1\n4\n3.7e-315 0.5 0 1e-309\n2\n2e-320 7\n' > "$work/small.uai"
for method in auto arc ascent andor pairwise; do
	that "small ones beside others, $method" certify "$work/small.uai" $method
done
row 'their sum' 0 '^log10 Z +0\.544068' '' "$gpube" infer -q -t PR "$work/small.uai"
row 'they are written as they are read' 0 '' '' "$gpube" convert -q --check "$work/small.uai" "$work/again.uai"
that 'with the same digits' [ "$(tr -s '\n ' '  ' < "$work/again.uai")" = "$(tr -s '\n ' '  ' < "$work/small.uai")" ]
# past 64 bits, as another number or the same one written longer, and what is no number to one of two languages
for bound in 18446744073709552808 -18446744073709550424 9223372036854775808 1_192 1192.0 "$(printf '%0300d' 1192)" 0x4a8; do
	sed "s/^bound 1192$/bound $bound/" "$work/once.cert" > "$work/past.cert"
	that "a bound of $bound" refused $c/twice.cfn "$work/past.cert"
done
for bound in +1192 001192; do
	sed "s/^bound 1192$/bound $bound/" "$work/once.cert" > "$work/past.cert"
	that "a bound of $bound" agree $c/twice.cfn "$work/past.cert" 1192
done
for cost in 18446744073709551641 9223372036854775808 -9223372036854775808; do
	sed "s/\[25 /[$cost /" $c/twice.cfn > "$work/past.cfn"
	that "a cost of $cost" refused "$work/past.cfn" "$work/once.cert"
done
# ---- cycles -------------------------------------------------------------------------------------------

# a torus of 5 by 5 whose edges cost 1 where their ends differ, or are equal; with costs of a variable, too
awk 'BEGIN { n = 25; print "torus", n, 2, 2 * n, 1000; for (i = 0; i < n; i++) printf "2 "; print ""
	for (i = 0; i < n; i++) for (k = 0; k < 2; k++) {
		j = k ? (i + 5) % n : i - i % 5 + (i + 1) % 5
		x = (x * 1103515245 + 12345) % 2147483648; same = int(x / 65536) % 2
		print 2, (i < j ? i : j), (i < j ? j : i), 0, 2; print 0, !same, 1; print 1, same, 1 } }' > "$work/torus.wcsp"
sed '1s/ 50 1000/ 51 1000/; $a 1 0 0 1\n1 1' "$work/torus.wcsp" > "$work/field.wcsp"
# other methods, whose certificates do not know by what totals differ, prove as much by themselves
that 'solve torus, pairwise' solved "$work/torus.wcsp" pairwise
without_clp() { (export GPUBE_CLP=none && solved "$work/torus.wcsp" auto && ! zgrep -q cycles "$work/c.gz"); }
that 'solve torus, no Clp' without_clp
if "$gpube" bound -q --method linear "$work/torus.wcsp" 2>&1 | grep -q 'needs Clp'; then
	skip 'cycles' 'no Clp'
else
	for method in auto linear; do
		that "solve torus, $method" solved "$work/torus.wcsp" $method
		that "bound torus, $method" certify "$work/torus.wcsp" $method
	done
	that 'torus and costs of values' solved "$work/field.wcsp" linear
	"$gpube" bound -q --method linear --certify "$work/field.cert" "$work/field.wcsp" > /dev/null
	row 'cycles are told' 0 'by [0-9]+ price vectors? of [0-9]+ cycle inequalities in [0-9]+ cases?, of the problem' '' \
		"$gpube" bound -q --method linear --certify "$work/torus.cert" "$work/torus.wcsp"
	that 'whose form is cycles' grep -q '^form cycles' "$work/torus.cert"
	forged() { # NAME SED: of the torus, unless it changes nothing
		sed -E "$2" "$work/torus.cert" > "$work/forged.cert"
		that "cycles: $1" sh -c "! cmp -s '$work/torus.cert' '$work/forged.cert'"
		that "cycles: $1 is refused" refused "$work/torus.wcsp" "$work/forged.cert"
	}
	forged 'more than is proved' 's/^bound (.*)/bound 1\1/; s/^limit (.*)/limit 1\1/'
	forged 'no shift' 's/^shift .*/shift 0/'
	forged 'an even odd set' '0,/^row /s/^row ([0-9]+) [0-9]+/row \1 2/'
	forged 'more odd edges than there are' '0,/^row /s/^row ([0-9]+) [0-9]+/row \1 99999/'
	forged 'an edge that is not there' '0,/^row /s/^(row [0-9]+ [0-9]+) [0-9]+/\1 75/'
	forged 'an edge twice' '0,/^row /s/^(row [0-9]+ [0-9]+) [0-9]+ ([0-9]+)/\1 \2 \2/'
	forged 'no closed walk' '0,/^row /s/^row ([0-9]+) ([0-9]+) .* ([0-9]+)$/row 1 1 \3/'
	forged 'a row that is not there' '0,/^prices/s/^prices ([0-9]+) [0-9]+/prices \1 99999/'
	forged 'a price below 0' '0,/^prices/s/^(prices [0-9]+ [0-9]+) /\1 -/'
	forged 'a price that 64 bits do not hold' '0,/^prices/s/^(prices [0-9]+ [0-9]+) [0-9]+/\1 9223372036854775808/'
	forged 'a split of no edge' '0,/^leaf/s/^leaf/split 75\ncase 0\nleaf\ncase 0\nleaf/'
	forged 'half a split' '0,/^leaf/s/^leaf/split 0\ncase 0\nleaf/'
	forged 'a variable that is not there' 's/^fixed .*/fixed 1 25/'
	forged 'another form' 's/^form .*/form walks/'
	forged 'something behind it' '$s/$/ 1/'
	sed 's/^fixed .*/fixed 1 3/' "$work/field.cert" > "$work/forged.cert"
	that 'cycles: where values cost something none is fixed' refused "$work/field.wcsp" "$work/forged.cert"
fi

if $have_python; then
	for seed in 1 2 3; do
		mkdir "$work/agree$seed.d"
		row "changed certificates and models, $seed" 0 '^[0-9]+ accepted, [0-9]{3} refused$' '' \
			python3 tests/cli/check_agreement.py "$gpube" $seed 30 "$work/agree$seed.d"
	done
	mkdir "$work/mutated"
	row 'proofs that were changed prove no more than is so' 0 '^[0-9]+ proofs of 12 models: ([0-9]+ of (cycles|steps|tables) (accepted|refused)(, )?){4,6}$' '' \
		python3 tests/fuzz/mutate_certificates.py "$gpube" 1 300 "$work/mutated"
else
	skip 'changed certificates and models' 'no python3'
fi

# ---- a time limit is that of the bound and of its proof together ------------------------------------

if ! has_clock; then
	skip 'the bound and its proof share the time' 'no compiler, or the program has an allocator of its own'
	plan
	exit 0
fi
"$gpube" generate random -n 60 -d 4 --p1 0.2 --p2 0 --seed 7 -o "$work/hard.wcsp"
clocked 500 "$gpube" bound -q --json --backend cpu --threads 1 --timeout 2s \
	--certify "$work/hard.cert" "$work/hard.wcsp" > "$work/shared"
seconds_of() { # STAGES: the sum; otherwise all of it
	if [ "$1" ]; then
		grep -o '"stage": "[^"]*", "seconds": [0-9.]*' "$work/shared" | sed 's/.*: //' |
			awk '{ sum += $1 } END { print sum }'
	else
		sed -n 's/.*"backend": "cpu", "seconds": \([0-9.]*\),.*/\1/p' "$work/shared"
	fi
}
within() { # LEAST MOST SECONDS
	awk -v least="$1" -v most="$2" -v seconds="$3" \
		'BEGIN { if (seconds >= least && seconds <= most) exit 0; print seconds > "/dev/stderr"; exit 1 }'
}
that 'it is certified' grep -q '"certified_bound": [0-9]' "$work/shared"
that 'half of the time is for the bound' within 0.8 1.2 "$(seconds_of stages)"
that 'the proof and its check end with the rest' within 1 2.1 "$(seconds_of)"

# ---- what stops before there is a bound tells none ---------------------------------------------------

awk 'BEGIN { n = 300; print "pairs", n, 2, n * (n - 1) / 2, 9; for (i = 0; i < n; i++) print 2
	for (i = 0; i < n; i++) for (j = 0; j < i; j++) print 2, i, j, 0, 1, 1, 1, 9 }' > "$work/pairs.wcsp"
for limit in 1 1.5 2 2.5 3; do
	for output in json text; do
		clocked 100000 "$gpube" solve -q --output $output --threads 1 --timeout ${limit}s \
			"$work/pairs.wcsp" 2> "$work/err"
	done
done > "$work/none"
that 'a bound that is not known is null' grep -q '"status": "bounds".*"lower_bound": null' "$work/none"
numbers() {
	grep -cE '922337203685477|^lower' "$work/none"
}
that 'and no number' [ "$(numbers)" = 0 ]
plan
