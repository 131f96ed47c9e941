#!/bin/sh
# What standard error shows while a command runs: a status line on a terminal, lines elsewhere.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
# far too hard for a minute
"$gpube" generate random -n 80 -d 8 --p1 0.3 --p2 0 --seed 3 -o "$work/hard.wcsp"
if ! command -v python3 > /dev/null; then
	skip 'a terminal' 'no python3'
	plan
	exit 0
fi

terminal() { # OPTIONS… -- COMMAND…
	timeout 600 python3 tests/terminal/terminal.py "$@"
}

# NAME WHAT COMMAND…: the status line says it, it fits, ^C ends the command, and nothing of the line is left
shows() {
	shows_name=$1 shows_what=$2
	shift 2
	terminal --until "$shows_what" --signal INT -- "$@" > "$work/shown" 2>&1
	shows_got=$?
	if [ $shows_got -le 1 ] && ! grep -Eq "^left: .*([0-9] s  |\[=* *\])" "$work/shown"; then
		ok "$shows_name"
	else
		not_ok "$shows_name: exit $shows_got"
		tail -n 20 "$work/shown" | sed 's/^/# /'
	fi
}

# ---- a terminal
known='^(<[0-9]+>)*[0-9:]+ (s|min)(<0>)?  lower [0-9]+, upper [0-9]+  (<1>)?gap [0-9.e+]+ %(<0>)?  [a-z]'
shows 'solve: time, bounds, gap and method' "$known" "$gpube" solve "$work/hard.wcsp"
that 'in colour' grep -q '<1>.* gap' "$work/shown"
that 'the report follows' grep -Eq '^left: lower +[0-9]+, proved' "$work/shown"
shows 'bound' "$known" "$gpube" bound "$work/hard.wcsp"
row 'NO_COLOR' 0 '^[0-9]+ s  lower' '' terminal --env NO_COLOR=1 --until "$known" --signal TERM -- \
	"$gpube" bound "$work/hard.wcsp"
that 'there is none' sh -c "! grep '<' '$work/out'"
row 'narrow' 0 '^(<[0-9]+>)*[0-9]+ s(<0>)?  (<1>)?gap' '' terminal --columns 26 --until ' s.*gap' --signal INT -- \
	"$gpube" bound "$work/hard.wcsp"
row 'very narrow' 0 ' s' '' terminal --columns 9 --until ' s' --signal INT -- "$gpube" bound "$work/hard.wcsp"
row 'it becomes narrow' 0 ' s' '' terminal --until ' s' --narrow 12 --signal INT -- "$gpube" bound "$work/hard.wcsp"
row 'COLUMNS' 0 ' s' '' terminal --env COLUMNS=24 --until ' s' --signal INT -- "$gpube" bound "$work/hard.wcsp"
that 'it fits those' sh -c "! grep -v '^left' '$work/out' | sed 's/<[0-9]*>//g' | grep '.\{24\}'"
row 'a short problem shows its answer alone' 0 '^left: optimum +4\.30,' '' terminal -- "$gpube" solve $x/exams.cfn
that 'with no line before' sh -c "sed 1q '$work/out' | grep '^left: optimum'"
row '-q' 1 '^left: lower' '' terminal -- "$gpube" solve -q --timeout 2s "$work/hard.wcsp"
that 'shows nothing' sh -c "sed 1q '$work/out' | grep '^left'"
row '-v has lines above it' 0 '^left: gpube: round 0: ' '' terminal --until "$known" --signal INT -- \
	"$gpube" bound -v "$work/hard.wcsp"
that 'and no line is broken' sh -c "! grep '^left: .*gpube: .*gpube: ' '$work/out'"
row 'a dumb terminal has lines' 0 '^left: gpube: [0-9.]+ s: lower bound' '' terminal --env TERM=dumb --until 'lower bound' \
	--signal TERM -- "$gpube" bound "$work/hard.wcsp"
that 'and nothing in place' sh -c "sed 1q '$work/out' | grep '^left'"
row 'an error is in colour' 1 '^left: gpube: cannot open' '' terminal -- "$gpube" solve nothing.wcsp

# ---- other commands
awk 'BEGIN { n = 26; print "MARKOV"; print n * n; for (i = 0; i < n * n; i++) printf "3 "; print ""; print 2 * n * (n - 1)
	for (i = 0; i < n * n; i++) { if (i % n < n - 1) print 2, i, i + 1; if (i + n < n * n) print 2, i, i + n }
	for (k = 0; k < 2 * n * (n - 1); k++) print 9, 4, 1, 2, 1, 5, 1, 2, 1, 6 }' > "$work/grid.uai"
"$gpube" generate nash -n 40 --seed 1 -o "$work/game.txt"
"$gpube" generate auction --goods 120 --bids 1800 --dist arbitrary --seed 1 -o "$work/bids.txt"
shows 'infer: bounds of the sum' 'upper 10\^[0-9.]+' "$gpube" infer --memory 64M "$work/grid.uai"
shows 'list' ' s' "$gpube" list --within inf --most 1000000 "$work/hard.wcsp"
shows 'count' ' s' "$gpube" count --optima "$work/hard.wcsp"
shows 'nash' ' s(<0>)?  .*vert' "$gpube" nash --method ve "$work/game.txt"
shows 'auction: bounds of the revenue' 'upper [0-9.]+, lower [0-9.]+ .*gap ' "$gpube" auction "$work/bids.txt"
shows 'csg: how much of a convolution is done' '\[=* *\] [0-9]+ %' "$gpube" csg --method conv --generate uniform -n 25 --threads 1

# ---- no terminal
row 'lines of bounds' 0 '*' '^gpube: [0-9.]+ s: lower bound [0-9]+, upper bound [0-9]+, gap [0-9.]+ % \([a-z ]+\)$' \
	end_at INT ' [4-9][.0-9]* s: ' "$gpube" bound "$work/hard.wcsp"
that 'at most one in a doubling of time' awk '/^gpube: .* s: / { n++ } /^time / { exit n > 2 + log($2 > 1 ? $2 : 1) / log(2) }' "$work/err" "$work/out"
that 'nothing moves a cursor' sh -c "! grep -q \"$(printf '\r')\|$(printf '\033')\" '$work/err'"
for closed in '2>&-' '0<&- 2>&-'; do
	row "$closed" 0 '' '' sh -c "'$gpube' solve -v -o '$work/closed' $x/exams.cfn $closed"
	that 'the result alone is in its file' sh -c "sed 1q '$work/closed' | grep '^optimum' && ! grep gpube: '$work/closed'"
done
row 'a closed output is an error' 1 '' "cannot write '<stdout>'" sh -c "'$gpube' solve $x/exams.cfn >&-"
row 'a closed input, too' 1 '' "cannot read|cannot open" sh -c "'$gpube' solve - <&-"
plan
