#!/bin/sh
# gpube info and convert on every kind of file: formats of models by pipe and by
# name, games, coalitions, auctions.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

in=tests/instances

# ---- streams: the format is told from the content, or given ---------------------------------
for f in hard.wcnf plain.cnf bits.qpbo graph.col chain.LG alarm.erg; do
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
row 'info of a game as JSON' 0 '^\{"file": ".*", "kind": "bimatrix game", "rows": 4, "columns": 3\}$' '' \
	"$gpube" info --json examples/effort.nfg
row 'a game for lrsnash' 0 '' '' "$gpube" convert examples/effort.nfg "$work/e.txt"
row 'and back' 0 '' '' "$gpube" convert "$work/e.txt" "$work/e.nfg"
row 'and again' 0 '' '' "$gpube" convert "$work/e.nfg" "$work/e2.txt"
that 'nothing is lost' cmp "$work/e.txt" "$work/e2.txt"
row 'a game is no model' 1 '' "'examples/effort.nfg' is a game of two players, which 'gpube nash' reads" \
	"$gpube" solve examples/effort.nfg

"$gpube" generate csg -n 5 --seed 2 -o "$work/c.csg"
row 'info of coalitions' 0 '^coalitions +of 5 agents, values of type int32' '' "$gpube" info "$work/c.csg"
row 'coalitions as text' 0 '' '' "$gpube" convert "$work/c.csg" "$work/c.txt"
row 'coalitions as bytes' 0 '' '' "$gpube" convert "$work/c.txt" "$work/c2.csg"
that 'nothing is lost of them' cmp "$work/c.csg" "$work/c2.csg"
row 'coalitions are no model' 1 '' "is a game of coalitions, which 'gpube csg' reads" \
	"$gpube" bound "$work/c.txt"

printf '%% CATS\ngoods 3\nbids 2\ndummy 0\n\n0\t5\t0\t1\t#\n1\t4.5\t2\t#\n' > "$work/a.txt"
row 'info of an auction' 0 '^auction +3 goods, 2 bids' '' "$gpube" info "$work/a.txt"
row 'info of an auction as JSON' 0 '"kind": "auction", "goods": 3, "bids": 2' '' \
	"$gpube" info --json "$work/a.txt"
row 'auctions are only read' 1 '' 'is an auction, which is only read, not written' \
	"$gpube" convert "$work/a.txt" "$work/a.cfn"
printf 'csg 2 int32\n{1} five\n' > "$work/bad.txt"
row 'a bad one' 1 '' "bad.txt:2: expected a value or 'forbidden', found 'five'" "$gpube" info "$work/bad.txt"
plan
