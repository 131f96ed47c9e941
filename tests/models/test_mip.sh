#!/bin/sh
# Models as .lp and .mps for MIP solvers.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

# ---- auctions: set packing programs, a column a bid, a row a good
printf 'goods 3\nbids 4\ndummy 1\n10 2.50 0 3 #\n2 3 0 1 #\n3 1.25 2 3 #\n4 1.875 1 2 #\n' > "$work/a.txt"
cat > "$work/expected" << 'END'
\ an auction: one bid at most wins each good
Maximize
 obj: + 2.500 bid10 + 3.000 bid2 + 1.250 bid3 + 1.875 bid4
Subject To
 good0: + bid10 + bid2 <= 1
 good1: + bid2 + bid4 <= 1
 good2: + bid3 + bid4 <= 1
 dummy0: + bid10 + bid3 <= 1
Binary
 bid10 bid2 bid3 bid4
End
END
"$gpube" convert -q --to lp "$work/a.txt" - > "$work/a.lp"
that 'an auction is set packing' cmp "$work/expected" "$work/a.lp"
cat > "$work/expected" << 'END'
* gpube: maximised, its objective is written negated
NAME gpube
ROWS
 N obj
 L good0
 L good1
 L good2
 L dummy0
COLUMNS
 mark0 'MARKER' 'INTORG'
 bid10 obj -2.500
 bid10 good0 1
 bid10 dummy0 1
 bid2 obj -3.000
 bid2 good0 1
 bid2 good1 1
 bid3 obj -1.250
 bid3 good2 1
 bid3 dummy0 1
 bid4 obj -1.875
 bid4 good1 1
 bid4 good2 1
 last 'MARKER' 'INTEND'
RHS
 rhs good0 1
 rhs good1 1
 rhs good2 1
 rhs dummy0 1
BOUNDS
 UP bound bid10 1
 UP bound bid2 1
 UP bound bid3 1
 UP bound bid4 1
ENDATA
END
row '.mps is minimised' 0 '' 'a.mps: the model is maximised: written negated, to be minimised$' \
	"$gpube" convert "$work/a.txt" "$work/a.mps"
that 'which its first line says' cmp "$work/expected" "$work/a.mps"
for x in lp mps; do
	row ".$x is read back" 0 '^optimum     4.375, the proved maximum' '' "$gpube" solve -q "$work/a.$x"
	row ".$x is an auction" 0 '^revenue     4.375, the proved maximum' '' "$gpube" auction -q "$work/a.$x"
	row ".$x has its bids" 0 '^bids        10 4$' '' "$gpube" auction -q "$work/a.$x"
	row ".$x is checked" 0 '' "c.$x: read back and compared: 4 bids, their prices and which of them exclude each other, all equal" \
		"$gpube" convert --check "$work/a.txt" "$work/c.$x"
	row ".$x, compressed" 0 '' 'all equal' "$gpube" convert --check "$work/a.txt" "$work/c.$x.gz"
	row ".$x of a .$x" 0 '' '' "$gpube" convert -q "$work/a.$x" "$work/again.cfn"
	row "it is the same: $x" 0 '^optimum     4.375, the proved maximum' '' "$gpube" solve -q "$work/again.cfn"
	row "the old form is there: $x" 0 '' '' "$gpube" convert -q --simplify "$work/a.txt" "$work/s.$x"
done
row 'a pipe is not read back' 1 '' "cannot check what is written to '-'" "$gpube" convert --check --to lp "$work/a.txt" -
sed 's/^\* gpube.*/* edited/' "$work/a.mps" > "$work/e.mps"
row 'without that line it is what others read' 0 '^optimum     -4.375, the proved minimum' '' "$gpube" solve -q "$work/e.mps"
sed 's/^NAME gpube/&\nOBJSENSE\n MAX/; s/obj -/obj /' "$work/a.mps" > "$work/m.mps"
row 'nor is one negated that says MAX' 0 '^optimum     4.375, the proved maximum' '' "$gpube" solve -q "$work/m.mps"
printf 'goods 1\nbids 2\ndummy 0\n1 900719925474099.123 0 #\n2 -0.5 0 #\n' > "$work/long.txt"
row 'prices keep every digit' 0 '' 'costs pass 2.53: programs that read them' "$gpube" convert "$work/long.txt" "$work/long.lp"
that 'also a loss' grep -q '^ obj: + 900719925474099.123 bid1 - 0.500 bid2$' "$work/long.lp"
row 'and are read back' 0 '^optimum     900719925474099.123, the proved maximum' '' "$gpube" solve -q "$work/long.lp"
printf 'goods 2\nbids 0\ndummy 0\n' > "$work/none.txt"
row 'an auction without bids' 0 '' '' "$gpube" convert -q "$work/none.txt" "$work/none.lp"
# what is not one is told so
printf 'Maximize\n o: 2 x + 3 y + z\nSubject To\n c: x + y + z <= 2\nBinary\n x y z\nEnd\n' > "$work/two.lp"
row 'two of three are no auction' 1 '' 'no auction: function [0-9]+ .* at most one of several bids' "$gpube" auction "$work/two.lp"
for x in 'L2 8 20' 'L3 9 24' 'L4 8 20' 'L7 9 18' 'arbitrary 9 20' 'regions 9 20' 'scheduling 8 20'; do
	# shellcheck disable=SC2086
	set -- $x
	"$gpube" generate auction --dist "$1" --goods "$2" --bids "$3" --seed 5 -o "$work/g.txt" 2> "$work/err" || cat "$work/err"
	revenue=$("$gpube" auction -q "$work/g.txt" | sed -n 's/^revenue  *\([0-9.]*\),.*/\1/p')
	for to in lp mps; do
		row "$1 as .$to: checked" 0 '' '' "$gpube" convert -q --check "$work/g.txt" "$work/g.$to"
		row "$1 as .$to: $revenue" 0 "^revenue     ${revenue:-none}, " '' "$gpube" auction -q "$work/g.$to"
		row "$1 as .$to: solved" 0 "^optimum     ${revenue:-none}, the proved maximum" '' "$gpube" solve -q "$work/g.$to"
		[ -n "$(command -v cbc)" ] || continue
		cbc "$work/g.$to" solve > "$work/said" 2>&1
		that "$1 as .$to: CBC" awk -v r="$revenue" '/^Objective value:/ { v = $3 < 0 ? -$3 : $3; good = v - r < 1e-6 && r - v < 1e-6 } END { exit !good }' "$work/said"
	done
done
"$gpube" generate auction --dist L1 --goods 60 --bids 1000 --seed 1 -o "$work/l1.txt"
row 'L1, 60 goods, 1000 bids: checked' 0 '' '' "$gpube" convert -q --check "$work/l1.txt" "$work/l1.lp"
that 'its size is that of its entries' [ "$(wc -c < "$work/l1.lp")" -lt 320000 ]

printf 'NAME more words than the fields of a line\nOBJSENSE\n MAX\nROWS\n N o\n E r\nCOLUMNS\n x o 2.5 r 1\n y o 1 r 1\nRHS\n r 3\nBOUNDS\n UI x 2\n UI b y 5\nENDATA\n' > "$work/max"
row '.mps of a maximum, told by its text' 0 '^assignment  x=2 y=1$' '' "$gpube" solve -q "$work/max"
for to in lp mps lp.gz mps.gz; do
	row "checked as .$to" 0 '' "c.$to: read back and compared: columns, costs and rows are those" \
		"$gpube" convert --check examples/exams.cfn "$work/c.$to"
	row "a maximum, checked as .$to" 0 '' 'bids, their prices and which of them exclude each other, all equal' "$gpube" convert --check "$work/a.txt" "$work/c.$to"
done
printf 'wide 26 2 1 9\n%s\n26 %s 5 1 %s 0\n' "$(yes 2 | head -n 26 | tr '\n' ' ')" "$(seq -s ' ' 0 25)" \
	"$(yes 0 | head -n 26 | tr '\n' ' ')" > "$work/w.wcsp"
row 'a default that is not the least' 1 '' 'its default is not its least cost' "$gpube" convert "$work/w.wcsp" "$work/w.lp"
that 'and no file is left' [ ! -e "$work/w.lp" ]

cbc=$(command -v cbc)
if command -v python3 > /dev/null 2>&1; then
	that 'random .lp beside brute force' python3 tests/models/check_lp.py "$gpube" "$cbc" 60
else
	skip 'random .lp beside brute force' 'no python3'
fi
# a file that is cut anywhere is refused: nothing may follow End, so all but the last line's end counts
cut_files() {
	n=$(($(wc -c < "tests/instances/small.$1") - 1))
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		head -c "$n" "tests/instances/small.$1" > "$work/cut.$1"
		"$gpube" info --from "$1" "$work/cut.$1" > /dev/null 2>&1
		[ $? = 1 ] || return 1
	done
}
that 'cut anywhere it is refused' cut_files lp
that '.mps, too' cut_files mps
if [ -n "$cbc" ] && command -v python3 > /dev/null 2>&1; then
	that 'random models beside CBC' python3 tests/models/check_mip.py "$gpube" "$cbc" 40
	"$gpube" convert -q examples/zebra.wcsp "$work/z.lp"
	that 'the zebra beside CBC' sh -c '"$1" "$2" solve | grep -q "^Objective value: *0.0"' - "$cbc" "$work/z.lp"
else
	skip 'random models beside CBC' 'no cbc, or no python3'
fi
plan
