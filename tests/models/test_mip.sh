#!/bin/sh
# Models as .lp and .mps for MIP solvers.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

printf 'goods 3\nbids 4\ndummy 0\n1 2.5 0 #\n2 3 0 1 #\n3 1.25 2 #\n4 1 1 2 #\n' > "$work/a.txt"
cat > "$work/expected" << 'END'
\ gpube: each column is 0 or 1 in an optimum
\ x0: bid1
\ x1: bid2
\ x2: bid3
\ x3: bid4
Maximize
 obj: + 0.00 one + 2.50 x0 + 3.00 x1 + 1.25 x2 + 1.00 x3
Subject To
 r0: + x0 + x1 <= 1
 r1: + x1 + x3 <= 1
 r2: + x2 + x3 <= 1
Bounds
 one = 1
Binary
 x0 x1 x2 x3
End
END
"$gpube" convert -q --to lp "$work/a.txt" - > "$work/a.lp"
that 'an auction is packing' cmp "$work/expected" "$work/a.lp"
row '.mps is minimised' 0 '' 'the model is maximised: written negated' "$gpube" convert "$work/a.txt" "$work/a.mps"
row '.lp is read back' 0 '^optimum     4.25, the proved maximum' '' "$gpube" solve -q "$work/a.lp"
row '.mps is read back' 0 '^optimum     -4.25, the proved minimum' '' "$gpube" solve -q "$work/a.mps"
printf 'NAME more words than the fields of a line\nOBJSENSE\n MAX\nROWS\n N o\n E r\nCOLUMNS\n x o 2.5 r 1\n y o 1 r 1\nRHS\n r 3\nBOUNDS\n UI x 2\n UI b y 5\nENDATA\n' > "$work/max"
row '.mps of a maximum, told by its text' 0 '^assignment  x=2 y=1$' '' "$gpube" solve -q "$work/max"
row 'but not checked' 1 '' "cannot check '.*c.lp': .lp is not read back as the same tables" "$gpube" convert --check examples/exams.cfn "$work/c.lp"
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
