#!/bin/sh
# gpube info and convert on every kind of file: formats of models by pipe and by
# name, games, coalitions, auctions.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

in=tests/instances

# ---- streams: the format is told from the content, or given ---------------------------------
for f in hard.wcnf plain.cnf bits.qpbo graph.col chain.LG alarm.erg alarm.bif agrum.net four.opb soft.wbo; do
	that "$f by pipe" sh -c "'$gpube' convert -q --colors 3 --to cfn - - < $in/$f > '$work/a.cfn' &&
		'$gpube' convert -q --colors 3 --evidence none $in/$f '$work/b.cfn' &&
		cmp '$work/a.cfn' '$work/b.cfn'"
done
that '--from is needed by no format' sh -c \
	"'$gpube' convert -q --from wcnf $in/modern.wcnf '$work/a.cfn' && '$gpube' convert -q $in/modern.wcnf '$work/b.cfn' &&
	cmp '$work/a.cfn' '$work/b.cfn'"
row 'the wrong --from' 1 '' "$in/hard.wcnf:1: expected MARKOV or BAYES, found 'c'" \
	"$gpube" convert --from uai $in/hard.wcnf "$work/x.cfn"
row 'only read' 1 '' "'.*x.qpbo': .qpbo is only read, not written" \
	"$gpube" convert $in/hard.wcnf "$work/x.qpbo"
row 'no colours' 1 '' 'needs a number of colours .*: --colors K' "$gpube" info $in/graph.col
row 'no shift' 1 '' 'totals may be negative, which .wcnf cannot hold: .*--shift' \
	"$gpube" convert $in/spins.qpbo "$work/x.wcnf"
row 'a shift is said' 0 '' 'shifted: every total is larger by' \
	"$gpube" convert --shift $in/spins.qpbo "$work/x.wcnf"
that 'no way out is told where --lossy is none' sh -c \
	"! '$gpube' convert --to cnf $in/hard.wcnf '$work/x.cnf' 2>&1 | grep -e --lossy"
row 'costs that no .cnf has a place for: --lossy changes nothing' 1 '' 'has no place: write .wcnf$' \
	"$gpube" convert --lossy --to cnf $in/hard.wcnf "$work/x.cnf"

# ---- the same optima as toulbar2's -------------------------------------------------------------
if command -v toulbar2 > /dev/null 2>&1; then
	for f in hard.wcnf soft.wcnf plain.cnf; do
		"$gpube" convert -q $in/$f "$work/t.wcnf"
		ours=$("$gpube" solve -q $in/$f | sed -n 's/^optimum *\([0-9.-]*\),.*/\1/p')
		for g in $in/$f "$work/t.wcnf"; do
			theirs=$(toulbar2 "$g" | sed -n 's/^Optimum: \([0-9.-]*\) .*/\1/p')
			that "$f as toulbar2: $ours" [ "$ours" = "$theirs" ]
		done
	done
	"$gpube" convert -q $in/chain.LG "$work/t.LG"
	that 'chain.LG as toulbar2' sh -c "toulbar2 '$work/t.LG' | grep -q 'energy: -1.575'"
else
	skip 'optima as toulbar2' 'no toulbar2'
fi

# ---- what holds no model -------------------------------------------------------------------------
row 'info of a game' 0 '^game +4 x 3 actions' '' "$gpube" info examples/effort.nfg
row 'info of a game as JSON' 0 '"file": ".*", "kind": "bimatrix game", "rows": 4, "columns": 3, "model": \{"kind": "costs", .*"variables": 2, "functions": 2, .*"fits": true' '' \
	"$gpube" info --json examples/effort.nfg
row 'a game for lrsnash' 0 '' '' "$gpube" convert examples/effort.nfg "$work/e.txt"
row 'and back' 0 '' '' "$gpube" convert "$work/e.txt" "$work/e.nfg"
row 'and again' 0 '' '' "$gpube" convert "$work/e.nfg" "$work/e2.txt"
that 'nothing is lost' cmp "$work/e.txt" "$work/e2.txt"
row 'a game as a model' 0 '^assignment +Ann=low Bob=low' '' \
	"$gpube" solve -q examples/effort.nfg

cat > "$work/cycle.nfg" << 'END'
NFG 1 R "z" { "r" "c" } { 4 4 }

0 0 -1 1 0 0 1 -1
1 -1 0 0 -1 1 -1 1
0 0 1 -1 0 0 -1 1
-1 1 1 -1 1 -1 0 0
END
printf 'NFG 1 R "three" { "a" "b" "c" } { 2 2 1 }\n\n1 0 9 0 1 9 0 1 9 1 0 9\n' > "$work/cycle3.nfg"
for f in cycle cycle3; do
	for command in solve list bound dpop; do
		row "$command: $f has no pure equilibrium" 0 \
			'^infeasible +the game has no pure equilibrium: every assignment is forbidden \(proved\)$' '' \
			"$gpube" $command -q "$work/$f.nfg"
	done
	row "in JSON, too: $f" 0 '"status": "infeasible", "reason": "the game has no pure equilibrium"' '' \
		"$gpube" solve --json "$work/$f.nfg"
	row "no .sol of $f" 0 '' 'the game has no pure equilibrium, so there is no assignment to write' \
		"$gpube" solve --output sol "$work/$f.nfg"
	row "its regrets: $f" 0 '^optimum ' '' "$gpube" solve -q --regret "$work/$f.nfg"
done
row 'a model without a solution is no game' 0 '^infeasible +every assignment is forbidden' '' \
	sh -c "'$gpube' convert -q '$work/cycle.nfg' '$work/cycle.wcsp' && '$gpube' solve -q '$work/cycle.wcsp'"

# ---- what convert cannot do to them is not left undone in silence -------------------------------
printf 'csg 2 int32\n1 5\n2 4\n3 8\n' > "$work/two.txt"
printf 'goods 2\nbids 1\n1 2.5 0 #\n' > "$work/cats.txt"
for option in --simplify --shift --lossy '--precision 3' --regret; do
	# shellcheck disable=SC2086
	row "a game and $option" 1 '' "${option%% *} goes with models, .*a game is written as .nfg" \
		"$gpube" convert $option examples/effort.nfg "$work/no.txt"
done
row 'a game is checked' 0 '' 'all equal$' "$gpube" convert --check examples/effort.nfg "$work/checked.txt"
row 'what cannot be read back is not' 1 '' "cannot check what is written to '-'" "$gpube" convert --check examples/effort.nfg -
row 'coalitions and --map' 1 '' '--simplify goes with models, .*coalitions are written as .txt' \
	"$gpube" convert --simplify --map "$work/map" "$work/two.txt" "$work/no.txt"
for to in csg sol ub; do
	row "a game is no .$to" 1 '' "cannot write '.*no\.$to' from '.*': a game is written as" \
		"$gpube" convert examples/effort.nfg "$work/no.$to"
done
for to in nfg MPE; do
	row "coalitions are no .$to" 1 '' "cannot write '.*no\.$to' from '.*': values of coalitions are" \
		"$gpube" convert "$work/two.txt" "$work/no.$to"
done
row 'an auction is no game' 1 '' 'an auction is written as a model, by the name of its format, or by any other name as CATS does' \
	"$gpube" convert "$work/cats.txt" "$work/no.nfg"
that 'and nothing is written' sh -c "! ls '$work'/no.* '$work/map' 2> /dev/null | grep ."
row 'an auction as CATS writes it' 0 '' 'read back and compared: 1 bid, .*all equal$' \
	"$gpube" convert --check "$work/cats.txt" "$work/again.txt"
row 'coalitions in binary' 0 '' '' "$gpube" convert "$work/two.txt" "$work/two.csg"
row 'a game as GAMUT writes it' 0 '' '' "$gpube" convert examples/effort.nfg "$work/e.gam"

# ---- each command names who reads a file that it does not ---------------------------------------
for c in csg auction nash; do
	row "$c of a model" 1 '' "^gpube: 'examples/zebra.wcsp' is a model, which 'gpube solve' reads" \
		"$gpube" $c examples/zebra.wcsp
done
row 'nash says what form a game has' 1 '' \
	"reads, and no game: it has 25 variables and 19 functions, a game has two players at least" \
	"$gpube" nash examples/zebra.wcsp
printf 'x 2 2 1 9\n2 2\n2 0 1 5 2\n1 1 1\n0 1 3\n' > "$work/two.wcsp"
row 'csg of a model' 0 '^value +4, the proved maximum' '' "$gpube" csg "$work/two.wcsp"
row 'and its proof' 0 '^value +4,' '' sh -c \
	"'$gpube' csg -q --certify '$work/proof' '$work/two.wcsp' > '$work/said' && '$gpube' csg --verify '$work/proof' '$work/two.wcsp'"
row 'csg says what form a game has' 1 '' "reads, and no coalition game: it has 25 variables and 19 functions, a game has one" \
	"$gpube" csg examples/zebra.wcsp
printf 'goods 3\nbids 3\n1 2.5 0 1 #\n2 2 1 #\n7 1 2 #\n' > "$work/three.txt"
for to in cfn wcsp; do
	"$gpube" convert -q "$work/three.txt" "$work/three.$to"
done
printf '{"problem":{"name":"x","mustbe":">-9.00"},"variables":{"a":2,"b":2},"functions":{"f":{"scope":["a","b"],"costs":[0,1.25,2,4]}}}' > "$work/two.cfn"
row 'decimals of coalitions' 0 '^value +4\.00, the proved maximum' '' "$gpube" csg -q "$work/two.cfn"
row 'and in a table' 0 '^ +4\.00 +100 % ' '' "$gpube" csg -q --output table "$work/two.cfn"
row 'auction of what convert writes' 0 '^bids +1 7$' '' "$gpube" auction "$work/three.cfn"
row 'auction of it as .wcsp, in tenths' 0 '^revenue +35, the proved maximum' '' "$gpube" auction "$work/three.wcsp"
row 'auction of a price for each bundle' 0 '^revenue +4, the proved maximum' '' "$gpube" auction "$work/two.wcsp"
row 'auction says what form it has' 1 '' "reads, and no auction: function 0 is over neither one variable" \
	sh -c "printf 'x 3 2 2 9\n2 2 2\n3 0 1 2 0 1\n1 1 1 9\n1 0 0 0\n' > '$work/no.wcsp'; '$gpube' auction '$work/no.wcsp'"
rm -f "$work/no.wcsp"
row 'nash of a broken model' 1 '' "broken.wcsp:3: expected a domain size, found the end of the file" \
	sh -c "printf 'x 2 2 2 9\n2\n' > '$work/broken.wcsp'; '$gpube' nash '$work/broken.wcsp'"
row 'nash of a model without a name that says so' 0 '^equilibria  4, all' '' \
	sh -c "printf 'MARKOV 2 2 2 2 2 0 1 2 0 1 4 1 1 1 1 4 1 1 1 1\n' > '$work/nameless'; '$gpube' nash '$work/nameless'"
row 'csg of a .uai' 1 '' "is a model, which 'gpube solve' reads, and no" "$gpube" csg examples/sprinkler.uai
row 'csg of a game' 1 '' "is a game, which 'gpube nash' reads$" "$gpube" csg examples/effort.nfg
row 'auction of a game' 1 '' "is a game, which 'gpube nash' reads$" \
	"$gpube" auction examples/effort.nfg
printf 'NFG 1 R "three" { "a" "b" "c" } { 1 1 1 }\n\n1 2 3\n' > "$work/three.nfg"
row 'auction of a game of three players' 1 '' "three.nfg' is a game, which 'gpube nash' reads$" \
	"$gpube" auction "$work/three.nfg"
row 'nash of coalitions' 1 '' "is a coalition game, which 'gpube csg' reads$" "$gpube" nash "$work/two.txt"
row 'nash of coalitions, binary' 1 '' "is a coalition game, which 'gpube csg' reads$" \
	"$gpube" nash "$work/two.csg"
row 'nash of an auction' 1 '' "is an auction, which 'gpube auction' reads$" "$gpube" nash "$work/cats.txt"
row 'csg of an auction' 1 '' "is an auction, which 'gpube auction' reads$" "$gpube" csg "$work/cats.txt"
printf 'MPE\n2 0 1\n' > "$work/two.MPE"
row 'csg of a result' 1 '' "is a result, which" "$gpube" csg "$work/two.MPE"
row 'what is nothing gets its own error' 1 '' "junk:1: expected 'csg', found 'lorem'" \
	sh -c "echo lorem ipsum > '$work/junk'; '$gpube' csg '$work/junk'"

# ---- from a pipe, as from a file -------------------------------------------------------------------
printf '{"problem":{"name":"g","mustbe":"<9.0"},"variables":{"a":["u","d"],"b":2},"functions":{"f":{"scope":["a","b"],"costs":[0,3,1,2.5]},"g":{"scope":["a","b"],"costs":[3,0,1,2]}}}' > "$work/pennies.cfn"
"$gpube" convert -q "$work/pennies.cfn" "$work/pennies.wcsp"
cp examples/effort.nfg "$work/nash.nfg"
"$gpube" convert -q examples/effort.nfg "$work/nash.lrs.txt" # two integers alone on its first line
"$gpube" convert -q examples/effort.nfg "$work/nash.gam"
cp "$work/pennies.cfn" "$work/nash.cfn"
cp "$work/pennies.wcsp" "$work/nash.wcsp"
cp "$work/two.txt" "$work/csg.txt"
cp "$work/two.csg" "$work/csg.csg"
gzip -c "$work/two.csg" > "$work/csg.csg.gz"
cp "$work/two.wcsp" "$work/csg.wcsp"
cp "$work/three.txt" "$work/auction.txt"
cp "$work/three.cfn" "$work/auction.cfn"
cp "$work/three.wcsp" "$work/auction.wcsp"
cp "$work/two.txt" "$work/auction.csg"
for file in "$work"/nash.?* "$work"/csg.?* "$work"/auction.?*; do
	c=$(basename "$file")
	c=${c%%.*}
	"$gpube" $c -q "$file" | grep -v '^time\|^method' > "$work/said"
	that "$c reads $(basename "$file")" grep -q '^[a-z]' "$work/said"
	that "$(basename "$file") by a pipe" sh -c "cat '$file' | '$gpube' $c -q - | grep -v '^time\|^method' | diff - '$work/said'"
	rm -f "$work/fifo"
	mkfifo "$work/fifo"
	that "$(basename "$file") by a pipe with a name" \
		sh -c "cat '$file' > '$work/fifo' & '$gpube' $c -q '$work/fifo' | grep -v '^time\|^method' | diff - '$work/said'"
	that "$(basename "$file") by a pipe as a model" \
		sh -c "'$gpube' info --json -q - < '$file' | sed 's/\"file\": \"[^\"]*\"//' > '$work/pipe' &&
			'$gpube' info --json -q '$file' | sed 's/\"file\": \"[^\"]*\"//' | sed 's/\"seconds\":.*//' > '$work/file' &&
			sed 's/\"seconds\":.*//' '$work/pipe' | cmp - '$work/file'"
done
row 'a model that is converted goes on to nash' 0 '^equilibria  1, the only one' '' \
	sh -c "'$gpube' convert -q --to wcsp '$work/pennies.cfn' - | '$gpube' nash -q -"
"$gpube" nash -q examples/effort.nfg | grep -v 'time\|payoffs' > "$work/played"
that 'the regrets of a game have its equilibria' sh -c "'$gpube' convert -q --regret --to cfn examples/effort.nfg - |
	'$gpube' nash -q - | grep -v 'time\|payoffs' | diff - '$work/played'"
row 'an auction that is converted goes on' 0 '^bids +1 7$' '' \
	sh -c "'$gpube' convert -q --to cfn '$work/three.txt' - | '$gpube' auction -q -"
row 'a pipe of another kind' 1 '' "'-' is an auction, which 'gpube auction' reads$" sh -c "'$gpube' csg - < '$work/three.txt'"
row 'a pipe of nothing known' 1 '' "<stdin>:1: expected the number of players, found 'lorem'" \
	sh -c "echo lorem | '$gpube' nash -"
row 'an empty pipe' 1 '' "<stdin>:1: expected 'csg', found the end of the file" sh -c "'$gpube' csg - < /dev/null"

# ---- results ---------------------------------------------------------------------------------------
"$gpube" solve -q --output uai -o "$work/z.MPE" examples/zebra.wcsp
row 'info of a result' 0 '^result +MPE, values of all 25 variables$' '' "$gpube" info "$work/z.MPE"
row 'an MPE as .sol' 0 '' '' "$gpube" convert "$work/z.MPE" "$work/z.sol"
that 'it is what solve writes' sh -c "'$gpube' solve -q --output sol examples/zebra.wcsp | cmp - '$work/z.sol'"
row 'a .sol as MPE' 0 '' '' "$gpube" convert "$work/z.sol" "$work/z2.MPE.gz"
that 'nothing is lost of a result' sh -c "gzip -dc '$work/z2.MPE.gz' | cmp - '$work/z.MPE'"
row 'an MPE as a known solution' 0 '^optimum +0,' '' "$gpube" bound -q --sol "$work/z.MPE" examples/zebra.wcsp
row 'an MPE of another model' 1 '' 'expected an MPE result, values of 6 variables' \
	"$gpube" bound -q --sol "$work/z.MPE" examples/exams.cfn
printf 'PR\n1\n-3.5\n-BEGIN-\n1\n-2.25\n' > "$work/old"
row 'info of a result as JSON' 0 '"kind": "result", "task": "PR", "log10": -2.25' '' "$gpube" info --json "$work/old"
row 'a result in the layout of 2014' 0 '^-2.25$' '' "$gpube" convert "$work/old" -
row 'a result has its task' 1 '' 'the result is PR' "$gpube" convert "$work/old" "$work/x.MAR"
row 'PR as .sol' 1 '' "x.sol': a .sol is a value for each variable, which a PR result has not" \
	"$gpube" convert "$work/old" "$work/x.sol"
row 'a result as a model' 1 '' "x.wcsp': a result is no model" "$gpube" convert "$work/old" "$work/x.wcsp"
that 'what is refused leaves nothing' sh -c "! ls '$work'/x.MAR '$work'/x.sol '$work'/x.wcsp 2> /dev/null | grep ."
printf 'MAR\n2 2 0.5 0.5 3 0 0 1\n' > "$work/m.MAR"
row 'info of marginals' 0 '^result +MAR, marginals of 2 variables$' '' "$gpube" info "$work/m.MAR"
printf 'MMAP\n1 3 0\n' > "$work/m.MMAP"
row 'info of MMAP' 0 '^result +MMAP, values of 1 variable$' '' "$gpube" info "$work/m.MMAP"
row 'a broken result' 1 '' 'm.MPE:1: expected PR, MAR, MPE, MAP or MMAP, found ' \
	sh -c "echo 5 1 2 > '$work/m.MPE'; '$gpube' info '$work/m.MPE'"
row 'a result is no model' 1 '' "z.MPE' is a result, which 'gpube info', 'gpube convert' and --sol read" \
	"$gpube" solve "$work/z.MPE"

# ---- what goes with a model ------------------------------------------------------------------------
row 'an upper bound' 0 '^4\.30$' '' "$gpube" solve -q --output ub examples/exams.cfn
row 'an upper bound, of a bound' 0 '^4\.30$' '' "$gpube" bound -q --output ub examples/exams.cfn
row 'no assignment, no file, no success' 1 '' 'none was found' \
	"$gpube" bound --ub 0 --output sol -o "$work/none.sol" examples/exams.cfn
that 'no file' test ! -e "$work/none.sol"
row 'potentials have none' 1 '' 'a model of potentials has no bound in costs' \
	"$gpube" solve -q --output ub examples/sprinkler.uai
echo 4.4 > "$work/e.ub"
row 'a .ub as the cutoff' 0 '^optimum +4.30,' '' "$gpube" bound -q --ub "$work/e.ub" examples/exams.cfn
echo 4.2 > "$work/e.ub"
row 'a .ub that nothing beats' 0 '^closed ' '' "$gpube" bound -q --ub "$work/e.ub" examples/exams.cfn
echo 4.301 > "$work/e.ub"
row 'a .ub of too many decimals' 1 '' 'e.ub:1: the bound 4.301 has more decimals than the model' \
	"$gpube" bound -q --ub "$work/e.ub" examples/exams.cfn
printf '# \n2\n1\n0\n' > "$work/e.ord.elim"
row 'an order is no model' 1 '' "e.ord.elim' is no model, but goes with one: .ub by --ub, .order" "$gpube" info "$work/e.ord.elim"
row 'a .ub is no model' 1 '' "e.ub' is no model, but goes with one: .ub by --ub" "$gpube" info "$work/e.ub"

"$gpube" generate csg -n 5 --seed 2 -o "$work/c.csg"
row 'info of coalitions' 0 '^coalitions +of 5 agents, values of type int32' '' "$gpube" info "$work/c.csg"
row 'coalitions as text' 0 '' '' "$gpube" convert "$work/c.csg" "$work/c.txt"
row 'coalitions as bytes' 0 '' '' "$gpube" convert "$work/c.txt" "$work/c2.csg"
that 'nothing is lost of them' cmp "$work/c.csg" "$work/c2.csg"
row 'coalitions as a model' 0 '^optimum +4290, the proved' '' "$gpube" bound -q "$work/c.txt"
row 'as a model in a file' 0 '' '' "$gpube" convert "$work/c.txt" "$work/c.cfn"
row 'by the method made for them' 0 '^optimum +4290, the proved' '^gpube: round 0: csg .the model has its form' \
	"$gpube" solve -v "$work/c.cfn"
row 'which the stages say' 0 '"stages": .."stage": "csg", .*"why": "form"' '' "$gpube" solve --json "$work/c.cfn"
row 'not where another one is asked for' 0 '"stage": "eliminate"' '' "$gpube" solve --json --method eliminate "$work/c.cfn"
row 'as a coalition game again' 0 '^value +4290, the proved' '' "$gpube" csg -q "$work/c.cfn"
row 'with the same values' 0 '' '' "$gpube" convert --to csg "$work/c.cfn" "$work/c3.txt"
that 'but for their type' sh -c "sed s/int32/int16/ '$work/c.txt' | cmp - '$work/c3.txt'"
printf 'NFG 1 R "" { "a" "b" } { 2 2 }\n\n1 1 0 0 0 0 1 1\n' > "$work/pure.nfg"
row 'a game as its pure equilibria' 0 '' '' "$gpube" convert "$work/pure.nfg" "$work/pure.cfn"
row 'and again as a game that has them' 0 '^equilibria +2' '' "$gpube" nash -q --pure "$work/pure.cfn"

printf '%% CATS\ngoods 3\nbids 2\ndummy 0\n\n0\t5\t0\t1\t#\n1\t4.5\t2\t#\n' > "$work/a.txt"
row 'info of an auction' 0 '^auction +3 goods, 2 bids' '' "$gpube" info "$work/a.txt"
row 'info of an auction as JSON' 0 '"kind": "auction", "goods": 3, "bids": 2' '' \
	"$gpube" info --json "$work/a.txt"
"$gpube" generate auction --dist L4 --goods 20 --bids 501 -o "$work/many.txt"
row 'info of a large auction makes no model' 0 '^model +not made of so large an auction' '' "$gpube" info "$work/many.txt"
row 'nor in JSON' 0 '"kind": "auction", "goods": 20, "bids": 501\}' '' "$gpube" info --json "$work/many.txt"
"$gpube" generate auction --dist arbitrary --goods 30 --bids 150 --seed 1 -o "$work/ar.txt"
row 'an auction as costs' 0 '' '' "$gpube" convert -q "$work/ar.txt" "$work/ar.cfn"
row 'which the method of auctions proves' 0 '^optimum +2038.038, the proved' '^gpube: round 0: auction .the model has its form.*, done' \
	"$gpube" solve -v --threads 1 "$work/ar.cfn"
row 'unless it is asked for' 0 '^order +width' '' "$gpube" info --order min-degree "$work/many.txt"
row 'an auction as a model' 0 '^optimum +9.5, the proved maximum' '' "$gpube" solve -q "$work/a.txt"
printf 'csg 2 int32\n{1} five\n' > "$work/bad.txt"
row 'a bad one' 1 '' "bad.txt:2: expected a value or 'forbidden', found 'five'" "$gpube" info "$work/bad.txt"
plan
