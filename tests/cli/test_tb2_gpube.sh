#!/bin/sh
# tb2-gpube: answers against brute force (gpube solve), whoever proves them; signals; no files stay.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
tb2=plugins/toulbar2/tb2-gpube
GPUBE=$(command -v "$gpube")
TMPDIR=$work/tmp
mkdir "$TMPDIR"
export GPUBE TMPDIR
if ! command -v toulbar2 > /dev/null; then
	skip 'tb2-gpube' 'toulbar2 is not installed'
	plan
	exit 0
fi
# toulbar2 that never ends on the file as it is, and one that ends on none
printf '#!/bin/sh\ncase "$*" in *reparam.wcsp*) exec toulbar2 "$@" ;; esac\nexec sleep 600\n' > "$work/slow"
printf '#!/bin/sh\nexec sleep 600\n' > "$work/never"
chmod +x "$work/slow" "$work/never"
printf 'none 2 2 1 10\n2 2\n2 0 1 10 0\n' > "$work/none.wcsp"
printf '{problem: {name: "most", mustbe: ">-9.0"},\n variables: {a: 2, b: 2},\n' > "$work/most.cfn"
printf ' functions: {f: {scope: [a, b], costs: [0.5, -1.5, 3.2, 7.1]}}}\n' >> "$work/most.cfn"

TB2_GPUBE_DELAY=60 row 'toulbar2 at once' 0 '^optimum +4\.30, proved by toulbar2$' '^Optimum: 430 ' "$tb2" $x/exams.cfn
row 'a maximum' 0 '^optimum +7\.1, ' '*' "$tb2" "$work/most.cfn"
row 'infeasible' 0 '^infeasible ' '*' "$tb2" "$work/none.wcsp"
row 'potentials' 0 '^optimum +1\.127011763190, ' '*' "$tb2" $x/sprinkler.uai
row 'options of toulbar2' 0 '^optimum +4\.30, ' '*' "$tb2" $x/exams.cfn -- -B=1 -O=-3
for n in 1 2 3 5 8; do
	TB2_GPUBE_CORES=$n row "$n cores" 0 '^optimum +4\.30, ' '*' "$tb2" $x/exams.cfn
done
# what toulbar2 is called with
printf '#!/bin/sh\necho "$@" >> "%s"\nexec sleep 600\n' "$work/called" > "$work/told"
chmod +x "$work/told"
# gpube begins to solve once toulbar2 has been called
printf '#!/bin/sh\ncase $1 in solve | bound) until [ -s "%s" ]; do sleep 0.05; done ;; esac\nexec "%s" "$@"\n' \
	"$work/called" "$gpube" > "$work/waits"
chmod +x "$work/waits"
TOULBAR2=$work/told GPUBE=$work/waits row 'a cover for -B=' 0 'gpube$' '*' "$tb2" $x/exams.cfn -- -B=1
that 'the cover is named' grep -q -- '-B=1 -O=.*\.cov' "$work/called"
# a variable of one value, which toulbar2 takes wrongly in a .uai
printf 'MARKOV\n2\n1 2\n2\n2 0 1\n1 1\n2 0.2 0.8\n2 0.3 0.7\n' > "$work/one.uai"
row 'a variable of one value' 0 '^optimum +0\.579818495253, ' '*' "$tb2" "$work/one.uai"
row 'how FILE is read' 0 '^optimum +0\.580, ' '*' "$tb2" "$work/one.uai" --precision 3
# how FILE is read, by names that are cut short, too: toulbar2 has to get what gpube reads
printf 'MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n2 0.2 0.8\n4 0.1 0.2 0.3 0.4\n' > "$work/seen.uai"
printf '1 0 0\n' > "$work/seen.uai.evid"
for option in --evidence --evid; do
	TB2_GPUBE_DELAY=60 row "$option none" 0 '^optimum +1\.139434283188, proved by toulbar2$' '*' "$tb2" "$work/seen.uai" $option none
	TB2_GPUBE_DELAY=60 row "$option=none" 0 '^optimum +1\.139434283188, proved by toulbar2$' '*' "$tb2" "$work/seen.uai" $option=none
done
printf 'NFG 1 R "pennies" { "A" "B" } { 2 2 }\n\n1 -1 -1 1 -1 1 1 -1\n' > "$work/pennies.nfg"
for option in --regret --regr; do
	TB2_GPUBE_DELAY=60 row "a game, $option" 0 '^optimum +2, proved by toulbar2$' '*' "$tb2" "$work/pennies.nfg" $option
done
TB2_GPUBE_DELAY=60 row 'a pipe' 0 '^optimum +4\.30, proved by toulbar2$' '*' sh -c "cat $x/exams.cfn | $tb2 /dev/stdin"
for setting in CORES=x CORES=1.5 BOUND=1.5 DELAY=-1 MOMENT=1.2.3 SHIFT=x SHARE=.; do
	row "TB2_GPUBE_$setting" 2 '' "^tb2-gpube: TB2_GPUBE_${setting%%=*}: expected a (whole )?number, found '${setting#*=}'" \
		env "TB2_GPUBE_$setting" "$tb2" $x/exams.cfn
done
row 'what toulbar2 does not read' 0 '^optimum ' '*' "$tb2" tests/instances/frodo.xml
row 'a file with odd words' 0 '^optimum +4\.30, ' '*' sh -c \
	"cp $x/exams.cfn \"$work/it's  odd.cfn\" && TB2_GPUBE_MOMENT=0 $tb2 \"$work/it's  odd.cfn\" --seed 7"
TB2_GPUBE_MOMENT=0.1
export TB2_GPUBE_MOMENT
TOULBAR2=$work/never row 'gpube alone' 0 '^optimum +4\.30, proved by gpube$' '*' "$tb2" $x/exams.cfn
TOULBAR2=$work/never row 'infeasible by gpube' 0 '^infeasible .* gpube$' '*' "$tb2" "$work/none.wcsp"
TOULBAR2=$work/slow row 'the reparametrised problem' 0 'proved by toulbar2 on the reparametrised problem$' \
	'toulbar2 on the reparametrised problem, constant' "$tb2" $x/exams.cfn --method arc -- -B=1
# nothing is better than --ub, which says nothing of the problem
printf 'five 1 2 1 100\n2\n1 0 0 2\n0 5\n1 7\n' > "$work/five.wcsp"
for option in --ub --u; do
	TOULBAR2=$work/slow row "the reparametrised problem, $option 3" 3 '^bounds ' 'nothing better than --ub' "$tb2" "$work/five.wcsp" $option 3 --method arc
done
for seed in 1 2 3; do
	"$gpube" generate random -n 10 -d 4 --p1 0.5 --p2 0.3 --max-cost 30 --seed $seed -o "$work/n.wcsp"
	want=$("$gpube" solve --json -q "$work/n.wcsp" |
		sed -n 's/.*"status": "infeasible".*/infeasible/p; s/.*"upper_bound": \([0-9.]*\).*/optimum     \1,/p')
	TOULBAR2=$work/slow row "random $seed: $want" 0 "^$want" '*' "$tb2" "$work/n.wcsp" --method arc
done
# toulbar2s that end without a proof, whatever they say: the optimum is 3, of 1 0 1
printf 'hard 3 2 2 9\n2 2 2\n2 0 1 9 1\n1 0 3\n2 1 2 0 1\n0 0 1\n' > "$work/hard3.wcsp"
fake() { # NAME ASSIGNMENT WORDS COMMAND: the assignment is written, the words are said
	{
		echo '#!/bin/sh'
		# shellcheck disable=SC2016
		[ -n "$2" ] && echo 'for a; do case $a in -w=*) echo '"$2"' > "${a#-w=}" ;; esac; done'
		echo "echo '$3'"
		echo "$4"
	} > "$work/$1"
	chmod +x "$work/$1"
}
# (gpube waits until that has been said)
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase "$*" in bound*--threads*) until grep -Eq -e "$SAID" "%s"; do sleep 0.05; done ;; esac\nexec "%s" "$@"\n' \
	"$work/err" "$GPUBE" > "$work/held"
chmod +x "$work/held"
while IFS='|' read -r name assignment words command said; do
	fake liar "$assignment" "$words" "$command"
	SAID=$said
	[ "$said" = '*' ] && SAID=
	export SAID
	GPUBE=$work/held TOULBAR2=$work/liar row "toulbar2 $name" 0 '^optimum +3, proved by gpube' "$said" "$tb2" "$work/hard3.wcsp"
done << 'END'
ends with what FILE forbids|0 0 0|Optimum: 0 in 1||forbidden by the tables of FILE: it does not count
claims too little|1 0 1|Optimum: 2 in 1||costs 3, not 2 as it says: it does not count
claims too much|1 0 1|Optimum: 4 in 1||costs 3, not 4 as it says: it does not count
claims no integer|1 0 1|Optimum: 3.0 in 1||3.0, which it says, is no integer: it does not count
claims what no integer holds|1 0 1|Optimum: 18446744073709551619 in 1||is no integer: it does not count
claims an octal number|1 0 1|Optimum: 03 in 1||is no integer: it does not count
claims an energy|1 0 1|Optimum: 7 energy: -3 in 1||is no integer: it does not count
crashes after its claim|1 0 0|Optimum: 4 in 1|kill -SEGV $$|ended with status 139: Optimum: 4 in 1
crashes before it says anything|||kill -ABRT $$|ended with status 134
fails|||exit 1|ended with status 1
is killed|||kill -KILL $$|ended with status 137
is stopped|||kill -STOP $$|*
says nothing||||*
says that there is no solution, of which it has one|1 0 0|No solution in 1 backtracks||of cost 4: it does not count
does not know an option||Unrecognized option: -pwc|exit 1|ended with status 1: Unrecognized
writes half a solution|1 0|Optimum: 3 in 1||does not count
END
# it finds no solution of the reparametrised problem, and one better than what pruned that is known by then
printf 'two 2 2 1 9\n2 2\n2 0 1 0 3\n0 0 3\n0 1 5\n1 0 4\n' > "$work/two.wcsp"
# shellcheck disable=SC2016
printf '#!/bin/sh
for a; do case $a in -w=*) sol=${a#-w=} ;; esac; done
case "$*" in
*reparam.wcsp*) until grep -qs "^1 1" "${sol%%/*}/best.sol"; do sleep 0.05; done; echo "No solution in 1 backtracks" ;;
*) until [ -e "${sol%%/*}/search-reparam.log" ]; do sleep 0.05; done; echo 1 1 > "$sol"; echo "Primal bound: 0 in 1" ;;
esac\n' > "$work/late"
# shellcheck disable=SC2016
printf '#!/bin/sh
case "$*" in
reparam*) for a; do case $a in */reparam.wcsp) cp "%s" "$a" ;; esac; done
	echo "{\\"status\\": \\"bounds\\", \\"direction\\": \\"minimise\\", \\"lower_bound\\": 0, \\"upper_bound\\": 5, \\"assignment\\": [0, 1]," \
	"\\"written\\": {\\"constant\\": 0, \\"decimals\\": 0, \\"offset\\": 0, \\"negated\\": false, \\"top\\": 5}}"; exit ;;
bound*--threads*) until grep -q "$SAID" "%s"; do sleep 0.05; done ;;
esac\nexec "%s" "$@"\n' "$work/two.wcsp" "$work/err" "$GPUBE" > "$work/reparam5"
chmod +x "$work/late" "$work/reparam5"
GPUBE=$work/reparam5 TOULBAR2=$work/late TB2_GPUBE_CORES=6 TB2_GPUBE_SHARE=0 row 'toulbar2 finds nothing in the reparametrised problem' 0 \
	'^optimum +0, proved by gpube' 'finds no solution, but there is one of cost 0: it does not count' "$tb2" "$work/two.wcsp"
# who has said what is false is not believed when he says what is true
# shellcheck disable=SC2016
printf '#!/bin/sh
for a; do case $a in -w=*) sol=${a#-w=} ;; esac; done
case "$*" in
*reparam.wcsp*) until grep -q "does not count" "%s"; do sleep 0.05; done; echo 1 1 > "$sol"; echo "Optimum: 0 in 1" ;;
*) until [ -e "${sol%%/*}/search-reparam.log" ]; do sleep 0.05; done; echo 1 1 > "$sol"; echo "No solution in 1 backtracks" ;;
esac\n' "$work/err" > "$work/once"
chmod +x "$work/once"
SAID='false before' GPUBE=$work/reparam5 TOULBAR2=$work/once TB2_GPUBE_CORES=6 TB2_GPUBE_SHARE=0 row 'toulbar2 has lied before' 0 \
	'^optimum +0, proved by gpube' 'has said what is false before: what it ends with does not count' "$tb2" "$work/two.wcsp"
# a false optimum, where a better assignment is known from another search
# shellcheck disable=SC2016
printf '#!/bin/sh
for a; do case $a in -w=*) sol=${a#-w=} ;; esac; done
case $sol in
*/search1.sol) echo 1 0 1 > "$sol"; echo "Primal bound: 3 in 1" ;;
*) until grep -qs "^1 0 1" "${sol%%/*}/best.sol"; do sleep 0.05; done; echo 1 0 0 > "$sol"; echo "Optimum: 4 in 1" ;;
esac\n' > "$work/worse"
chmod +x "$work/worse"
SAID='but there is an assignment of cost 3: it does not count'
export SAID
GPUBE=$work/held TOULBAR2=$work/worse TB2_GPUBE_CORES=4 row 'toulbar2 claims an optimum beside a better one' 0 '^optimum +3, proved by gpube' \
	'toulbar2 says that 4 is the optimum, but there is an assignment of cost 3: it does not count' "$tb2" "$work/hard3.wcsp"
# what is known only as gpube is ended: a better assignment than that of a false optimum, and one where there is "no solution"
"$gpube" generate random -n 80 -d 8 --p1 0.3 --p2 0 --seed 3 -o "$work/hard.wcsp"
# (all 0, which costs more than what a moment finds, but less than what pricing it meets)
seq 80 | sed 's/.*/0/' | tr '\n' ' ' > "$work/bad.sol"
bad=$("$gpube" bound --json -q --method mbe --timeout 0.000001s --sol "$work/bad.sol" "$work/hard.wcsp" |
	sed -n 's/.*"given_cost": *\([0-9]*\).*/\1/p')
# shellcheck disable=SC2016
printf '#!/bin/sh
for a; do case $a in -w=*) sol=${a#-w=} ;; esac; done
until [ -e "%s" ]; do sleep 0.05; done
[ -z "$CLAIM" ] || cp "%s" "$sol"
echo "${CLAIM:-No solution in 1 backtracks}"\n' "$work/improved" "$work/bad.sol" > "$work/early"
# (gpube says so as soon as it has a better one than that)
# shellcheck disable=SC2016
printf '#!/bin/sh
case "$*" in bound*--threads*) ;; *) exec "%s" "$@" ;; esac
"%s" bound --json -q --timeout 0.5s "%s" > "$0.json"
cat "$0.json"
: > "%s"
trap "kill \\$!; exit" TERM
sleep 600 &
wait\n' "$GPUBE" "$GPUBE" "$work/hard.wcsp" "$work/improved" > "$work/knows"
chmod +x "$work/early" "$work/knows"
CLAIM='' GPUBE=$work/knows TOULBAR2=$work/early row 'no solution, and then gpube has one' 3 '^best ' \
	'toulbar2 finds no solution, but there is one of cost [0-9]*: it does not count' timeout 60 "$tb2" "$work/hard.wcsp" -- -A
that 'nothing is said to be infeasible' sh -c "! grep infeasible '$work/out'"
rm -f "$work/improved"
CLAIM="Optimum: $bad in 1" GPUBE=$work/knows TOULBAR2=$work/early row 'an optimum, and then gpube has better' 3 '^best ' \
	"toulbar2 says that $bad is the optimum, but there is an assignment of cost [0-9]*: it does not count" \
	timeout 60 "$tb2" "$work/hard.wcsp" -- -A
that 'the better one is the answer' [ "$(sed -n 's/^best *//p' "$work/out")" -lt "$bad" ]
fake found '1 0 1' 'Optimum: 3 in 1' ''
TB2_GPUBE_DELAY=60 TOULBAR2=$work/found row 'toulbar2 is believed' 0 '^optimum +3, proved by toulbar2$' '*' "$tb2" "$work/hard3.wcsp"
for option in -ub=1 -best=900 -x=,0=1 -C=0.5 -I=1 -var=1 -bt=1 -rgap=0.5 -agap=5 -div=1 -sortd "$work/none.wcsp"; do
	row "toulbar2 $option" 0 '^optimum +4\.30, proved by gpube$' '*' "$tb2" $x/exams.cfn -- "$option"
done
# -ub= is a cost of FILE; toulbar2's problem has another unit, and a maximum is turned
: > "$work/called"
TOULBAR2=$work/told row 'an upper bound of the user' 0 'gpube$' '*' "$tb2" $x/exams.cfn -- -ub=4.301
that 'it is in the problem'"'"'s unit' grep -q -- ' -ub=431 ' "$work/called"
: > "$work/called"
TOULBAR2=$work/told row 'of a maximum' 0 'gpube$' '*' "$tb2" "$work/most.cfn" -- -ub=3.2
that 'it is turned and moved' grep -q -- ' -ub=39 ' "$work/called"
TB2_GPUBE_DELAY=60 row 'toulbar2 below that bound' 0 '^optimum +4\.30, proved by toulbar2$' '*' "$tb2" $x/exams.cfn -- -ub=4.301

# ---- problems that toulbar2 does not read as gpube does; it comes first
files=tests/cli/toulbar2
while read -r file answer; do
	TB2_GPUBE_DELAY=60 row "$file: $answer" 0 "^optimum +$answer, proved by toulbar2$" '*' "$tb2" $files/"$file"
done << 'END'
max.cfn 0\.96
min.cfn -1\.5
mustbe_limit.cfn -0\.09
race60.cfn 128\.5
sign_race.cfn -0\.12662
END
# no proof in any time that a test has: as they are, and shifted, they have a solution
for file in soft_reaches_top.wcnf shift_sign_s11.cfn.xz shift_sign_s21.cfn.xz; do
	"$gpube" convert -q --toulbar2 --shift $files/$file "$work/given.wcsp"
	that "$file: toulbar2 finds a solution" sh -c "
		! toulbar2 -bt=1 '$work/given.wcsp' | grep 'No solution found by initial'"
	row "$file: shifted" 0 '"negated": (true|false)' '' "$gpube" reparam -q --json --prune --shift --decimals 6 --timeout 0.3s \
		-o "$work/moved.wcsp" $files/$file
	that "$file: toulbar2 finds a solution of that" sh -c "
		! toulbar2 -bt=1 '$work/moved.wcsp' | grep 'No solution found by initial'"
done
row 'shifted, as a .cfn it would be misread' 1 '^lower ' 'without its sign: write a [.]wcsp$' "$gpube" reparam -q --prune \
	--timeout 0.3s -o "$work/moved.cfn" $files/shift_sign_s11.cfn.xz
# more than toulbar2 reads exactly, and costs that are near each other but far from 0
printf 'far 2 2 2 9223372036854775807\n2 2\n2 0 1 0 2\n0 0 6000000000000000000\n1 1 5\n1 1 0 1\n1 6000000000000000000\n' > "$work/far.wcsp"
TB2_GPUBE_DELAY=60 row 'what toulbar2 does not hold' 0 '^optimum +0, proved by gpube$' 'toulbar2 does not get FILE: totals may pass' \
	"$tb2" "$work/far.wcsp"
printf 'near 2 2 1 4611686018427387999\n2 2\n2 0 1 0 4\n0 0 4611686018427387903\n0 1 4611686018427387902\n1 0 4611686018427387904\n1 1 4611686018427387998\n' > "$work/near.wcsp"
TB2_GPUBE_DELAY=60 row 'far from 0' 0 '^optimum +4611686018427387902, proved by toulbar2$' '^Optimum: 0 ' "$tb2" "$work/near.wcsp"
# a wide function is a chain over hidden variables: FILE's assignment has none
awk 'BEGIN {
	printf "{problem: {name: wide, mustbe: \"<900.0\"}, variables: {"
	for (k = 0; k < 30; k++) { printf "v%d: 2 ", k; names = names " v" k; ones = ones " 1" }
	printf "}, functions: {k: {scope: [%s], type: knapsack, params: {capacity: 9 weights: [%s]}}\n", names, ones
	for (k = 0; k < 30; k++) printf "f%d: {scope: [v%d], costs: [0 1.5]}\n", k, k
	print "}}"
}' > "$work/wide.cfn"
TB2_GPUBE_DELAY=60 row 'hidden variables' 0 '^optimum +13\.5, proved by toulbar2$' '*' "$tb2" "$work/wide.cfn"
that 'one value for each variable of FILE' [ "$(sed -n 's/^assignment  *//p' "$work/out" | wc -w)" = 30 ]
n=${GPUBE_DRAWN:-40}
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null; then
	mkdir "$work/drawn"
	(unset TB2_GPUBE_MOMENT && python3 tests/cli/check_toulbar2.py tb2-gpube "$work/drawn" "$n") > "$work/said" 2>&1
	while read -r line; do
		case $line in
		'ok '*) ok "drawn: ${line#* - }" ;;
		'not ok '*) not_ok "drawn: ${line#* - }" ;;
		'#'*) echo "$line" ;;
		esac
	done < "$work/said"
	that 'drawn: both lines' [ "$(grep -Ec '^(not )?ok ' "$work/said")" = 2 ]
else
	skip "drawn: $n models" 'no python3 of 3.8 or later'
fi
# shellcheck disable=SC2016
TOULBAR2=$work/slow row 'nobody reads what is said' 0 '^optimum +4\.30, ' '' sh -c '{
	"$0" "$1" 2>&1 >&3 3>&- | true; } 3>&1' "$tb2" $x/exams.cfn
row 'no standard output' 1 '' '^tb2-gpube: cannot write the answer' sh -c "$tb2 $x/exams.cfn >&-"
row 'no room for the answer' 1 '' '^tb2-gpube: cannot write the answer' sh -c "$tb2 $x/exams.cfn > /dev/full"
row 'no file' 1 '' "cannot open 'none'" "$tb2" none
# toulbar2 finds no solution of the first, and one of the second that cannot be priced
printf 'cut 16 4' > "$work/cut.wcsp"
printf 'cut 2 2 2 9\n2 2\n2 0 1 9 1\n1' > "$work/cut2.wcsp"
row 'a file that was cut off' 1 '' 'FILE cannot be read: gpube: .*cut.wcsp:1: expected' "$tb2" "$work/cut.wcsp"
row 'cut off later' 1 '' 'FILE cannot be read: gpube: .*cut2.wcsp:4: expected' "$tb2" "$work/cut2.wcsp"
row 'no toulbar2' 1 '' 'cannot find toulbar2' env TOULBAR2=none "$tb2" $x/exams.cfn
row 'usage' 2 '' '^usage: ' "$tb2"
row 'the version is that of gpube' 0 '^gpube [0-9]+[.]' '' env TOULBAR2=none "$tb2" --version
# gpube begins again, for five times as long, where a core is free; by then an assignment is known
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$@" >> "%s"\nexec "%s" "$@"\n' "$work/rounds" "$GPUBE" > "$work/recorded"
chmod +x "$work/recorded"
tap_also=$work/rounds
again='^bound .*--timeout 5s .*--sol'
in_rounds() { # COMMAND…
	: > "$work/rounds"
	(
		export GPUBE="$work/recorded" TB2_GPUBE_BOUND=1 TB2_GPUBE_SHIFT=0.2
		export TOULBAR2="${opponent:-$work/never}" TB2_GPUBE_CORES="${some_cores:-3}"
		"$@"
	)
}
for signal in INT TERM; do
	status=143
	[ $signal = INT ] && env --default-signal=INT true 2> /dev/null && status=130
	row "another round of bounds, SIG$signal: the bounds so far" $status '^best ' 'gpube: bound [0-9]+, best' \
		in_rounds end_at $signal "$again" "$tb2" "$work/hard.wcsp"
done
that 'it is longer, and starts from the best assignment' grep -q "$again" "$work/rounds"
that 'the first was short' grep -q '^bound .*--timeout 1s' "$work/rounds"
# two searches that do not end do not keep it from the two cores
some_cores=2 TB2_GPUBE_SHARE=0 row 'another round beside two searches' 143 '^best ' 'toulbar2 on the reparametrised problem' \
	in_rounds end_at TERM "$again" "$tb2" "$work/hard.wcsp"
# a search that has had a little of the processor for all its time: others use it, and a share takes longer by the clock
# shellcheck disable=SC2016
printf '#!/bin/sh\nk=0\nwhile [ $k -lt 40000 ]; do k=$((k + 1)); done\nkill -STOP $$\n' > "$work/starved"
chmod +x "$work/starved"
opponent=$work/starved TB2_GPUBE_DELAY=0.5 row 'processor seconds' 143 '^bounds ' '*' \
	in_rounds end_at TERM '^bound .*--timeout ([2-8]|[1-8][.])[0-9.]*s' "$tb2" "$work/hard.wcsp"
# (within half a second it is one wish: what could not be sent so fast says so)
# shellcheck disable=SC2016
row 'a signal that comes twice' 143 '^best |^late$' '*' in_rounds sh -c '
	"$0" "$1" & until grep -q "$3" "$2"; do sleep 0.1; done; begin=$(date +%s%N); kill $!
	for i in 1 2 3 4; do sleep 0.01; kill $!; done; [ $(($(date +%s%N) - begin)) -lt 300000000 ] || echo late
	wait $!' "$tb2" "$work/hard.wcsp" "$work/rounds" "$again"
row 'SIGHUP' 129 '^bounds ' '*' in_rounds end_at HUP '^bound ' "$tb2" "$work/hard.wcsp"
# gpube that hears nothing, and a second signal; the first one waits until it is deaf
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase $1 in bound) trap "" TERM; : > "%s"; while :; do sleep 1; done ;; esac\nexec "%s" "$@"\n' "$work/is_deaf" "$GPUBE" > "$work/deaf"
chmod +x "$work/deaf"
# shellcheck disable=SC2016
GPUBE=$work/deaf TOULBAR2=$work/never row 'two signals' 143 '' '' sh -c '
	"$0" "$1" & until [ -e "$2" ]; do sleep 0.1; done; while kill $! 2> /dev/null; do sleep 0.6; done; wait $!' "$tb2" "$work/hard.wcsp" "$work/is_deaf"
# a signal that ends the first program, too, says nothing of FILE; the shell dies of no limit on files, which would leave one
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = convert ] && kill -TERM $PPID && kill -KILL $$\nexec "%s" "$@"\n' "$GPUBE" > "$work/hit"
chmod +x "$work/hit"
GPUBE=$work/hit row 'a signal while FILE is read' 143 '' '' "$tb2" $x/exams.cfn
# shellcheck disable=SC2016
that 'talk that passes a limit on files' sh -c '(ulimit -f 0 && "$0" "$1" > /dev/null 2> "$2"; [ $? -le 3 ])' "$tb2" $x/exams.cfn "$work/limited"
that 'no file stays' [ -z "$(ls -A "$TMPDIR")" ]
plan
