#!/bin/sh
# csg: answers, methods, forms of output, limits, generated games.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

printf 'csg 3 int32\n{1} 5\n{2} 5\n{3} 1\n{1,2} 9\n{1,3} 8\n{2,3} 5\n{1,2,3} 12\n' > "$work/g.txt"
printf 'csg 2 int32\n{1} 5\n' > "$work/none.txt"
printf 'csg 2 int32\n{1} five\n' > "$work/bad.txt"
printf 'csg 2 int32\ndefault -4\n{1} 5\n' > "$work/loss.txt"

for m in auto lp conv dp idp; do
	row "$m: value" 0 '^value +13, the proved maximum$' '' "$gpube" csg --method $m "$work/g.txt"
	row "$m: structure" 0 '^structure +\{1,3\} \{2\}$' '' "$gpube" csg --method $m "$work/g.txt"
done
row 'JSON' 0 '^\{"status": "optimal", .*"value": 13, "upper_bound": 13, .*"structure": \[\[1,3\],\[2\]\]' '' \
	"$gpube" csg --json "$work/g.txt"
row 'infeasible' 0 'every structure has a forbidden coalition' '' "$gpube" csg "$work/none.txt"
printf 'csg 3 int32\n{1,2} 3\n{2,3} 4\n' > "$work/odd.txt"
printf 'csg 3 int32\n{1,2} 3\n{2,3} 4\n{1,3} 9\n' > "$work/half.txt"
for f in none odd half; do
	row "infeasible by lp: $f" 0 '^infeasible' '' "$gpube" csg -m lp "$work/$f.txt"
done
row 'infeasible as JSON' 0 '"status": "infeasible"' '' "$gpube" csg --json "$work/none.txt"
row 'a loss' 0 '^value +1, ' '' "$gpube" csg "$work/loss.txt"
row 'disposal' 0 '^value +5, ' '' "$gpube" csg --free-disposal "$work/loss.txt"
row 'a bad file' 1 '' "bad.txt:2: expected a value or 'forbidden', found 'five'" "$gpube" csg "$work/bad.txt"
# counts of processor seconds decide, so that this does not depend on the machine's load
row 'auto leaves a random game to lp' 0 'method +lp ' '' \
	"$gpube" csg --method auto --backend cpu --threads 1 --generate normal -n 24 --seed 1
row 'cpu' 0 '"backend": "cpu".*"method": "conv"' '' \
	"$gpube" csg --json --backend cpu --method conv "$work/g.txt"
if "$gpube" devices | grep -q '^gpu  *none'; then
	row 'no device' 1 '' 'CUDA' "$gpube" csg --backend cuda --method conv "$work/g.txt"
else
	row 'a device' 0 '"value": 13, .*"method": "conv"' '' \
		"$gpube" csg --json --backend cuda --method conv "$work/g.txt"
fi
row 'no file' 2 '' 'expected either FILE or --generate' "$gpube" csg
row 'file and --generate' 2 '' 'expected either' "$gpube" csg --generate uniform "$work/g.txt"
row 'unknown distribution' 1 '' "no such distribution: 'flat'; there are uniform, normal, .* near-ties\$" "$gpube" csg --generate flat
row 'too large' 1 '' 'take 1024 MiB for sums, .*, allowed are 1 MiB$' "$gpube" csg --generate uniform -n 30 --memory 1M
row 'values without room are made in pieces' 0 '^value ' '' \
	"$gpube" csg --generate uniform -n 18 --method conv --memory 1M
# a file that is not read but mapped, so that the time ends within dp, which has minutes to go
"$gpube" generate csg -n 23 --dist threshold -o "$work/long.csg"
row 'timeout: bounds' 0 '"status": "bounds".*"upper_bound": ([0-9]|null)' 'ended before' \
	"$gpube" csg --threads 1 --backend cpu --json --method dp --timeout 0.3 "$work/long.csg"
row 'SIGINT: bounds' 0 '"status": "bounds".*"value": [0-9]+, "upper_bound": ([0-9]+|null).*"structure": \[\[' 'ended before' \
	end_at INT 'dp, [0-9]+ %' "$gpube" csg --threads 1 --backend cpu -v --json --method dp "$work/long.csg"
rm -f "$work/long.csg"
row 'SIGINT: while the game is made' 1 '' '^gpube: stopped$' \
	end_at INT '' "$gpube" csg --threads 1 --generate agent-normal -n 28
row '--timeout: while the game is made' 1 '"status": "error", "message": "out of time"' '^gpube: out of time$' \
	"$gpube" csg --json --timeout 0.000001s --generate agent-normal -n 25
row 'SIGTERM: auto keeps what lp has found' 0 '"status": "bounds".*"value": [0-9]+' 'ended before' \
	end_at TERM 'lp: not proved' "$gpube" csg --threads 1 --backend cpu -v --json --generate hump -n 25 --type int64
printf 'csg 40 int32\ndefault -1\n{1,40} 9\n{2,40} 10\n{1,3} 6\n' > "$work/sparse.txt"
row '40 agents, three of them listed' 0 '^structure +\{1,3\} \{2,40\} \{4,5,.*,39\}$' '' "$gpube" csg "$work/sparse.txt"
row 'a table: the parts by their worth' 0 '^ +10 +67 % +#+ +2 40$' '' "$gpube" csg --output table "$work/sparse.txt"
row 'a table: all' 0 '^ +15 +3 coalitions of 40 agents, the proved maximum$' '' "$gpube" csg --output table "$work/sparse.txt"
printf '{problem: {name: "c", mustbe: ">-100.0"}, variables: {a: 2, b: 2},\n' > "$work/c.cfn"
printf ' functions: {v: {scope: [a, b], costs: [0, 1.5, 2.5, 3.5]}}}\n' >> "$work/c.cfn"
row 'a table: decimals' 0 '^ +2\.5 +62 % +#+ +1$' '' "$gpube" csg --output table "$work/c.cfn"
row 'a table: their sum' 0 '^ +4\.0 +2 coalitions of 2 agents' '' "$gpube" csg --output table "$work/c.cfn"
row '40 agents, three of them listed: value' 0 '^value +15, the proved maximum$' '' "$gpube" csg "$work/sparse.txt"
row 'no table of 40 agents' 1 '' 'the values of 40 agents take .* MiB, allowed are' \
	"$gpube" csg --method conv "$work/sparse.txt"
"$gpube" generate csg -n 16 --seed 3 --dist ndcs -o "$work/large.csg"
row 'a plain file larger than --memory' 0 'proved maximum' '' "$gpube" csg --method conv --memory 200K "$work/large.csg"
gzip -c "$work/large.csg" > "$work/large.csg.gz"
row 'a compressed file larger than --memory' 0 'proved maximum' '' "$gpube" csg --method conv --memory 200K "$work/large.csg.gz"
row 'nor a place for it' 1 '' "cannot make a temporary file in '/nowhere': No such file" \
	env TMPDIR=/nowhere "$gpube" csg --method conv --memory 200K "$work/large.csg.gz"
{ head -c 32 "$work/large.csg" | sed 's/^\(.\{12\}\)./\1\x18/' | head -c 32; head -c 67108864 /dev/zero; } | gzip -1 > "$work/zeros.csg.gz"
row '--timeout: while a file is read' 1 '"message": "out of time"' 'out of time$' \
	"$gpube" csg --json --timeout 0.000001s "$work/zeros.csg.gz"
row 'a refusal says what it takes' 1 '' 'conv: 16 agents take .* for sums, .* for values and .* for layers' \
	"$gpube" csg --method conv --memory 20K "$work/large.csg"

for f in g.csg g.csg.gz g.txt; do
	"$gpube" generate csg -n 10 --seed 3 --dist ndcs -o "$work/n$f"
	"$gpube" csg "$work/n$f" | head -n 2 > "$work/$f.out"
done
"$gpube" csg --generate ndcs -n 10 --seed 3 | head -n 2 > "$work/memory.out"
that 'a generated file is what --generate solves' cmp "$work/g.csg.out" "$work/memory.out"
that 'gzip makes no difference' cmp "$work/g.csg.out" "$work/g.csg.gz.out"
that 'text makes no difference' cmp "$work/g.csg.out" "$work/g.txt.out"

row 'certificate' 0 'proved maximum' '' "$gpube" csg --certify "$work/proof" "$work/ng.csg"
row 'certificate: by lp alone' 1 '' 'only method lp makes a certificate' \
	"$gpube" csg --method conv --certify "$work/none" "$work/ng.csg"
row 'certificate: where there is no structure' 1 '^infeasible' 'no certificate is written' \
	"$gpube" csg --certify "$work/none" "$work/none.txt"
that 'no certificate is written' test ! -e "$work/none"
that 'the certificate is written' grep -q '^csg-certificate 3$' "$work/proof"

printf 'csg 21 int32\ndefault -1\n{1,21} 9\n{2,21} 10\n{1,3} 6\n' > "$work/sparse21.txt"
row 'certificate: of listed coalitions' 0 'proved maximum' '' \
	"$gpube" csg --certify "$work/sparse.cert" "$work/sparse21.txt"

# ---- certificates are checked by gpube, and by a program that knows their page alone
printf 'csg 4 int32\ndefault -4\n{1} 5\n{2} -1\n{1,2} 3\n{3,4} 2\n{3} forbidden\n{2,3} -1\n' > "$work/out.txt"
printf 'csg 3 float64\n1 0.1\n2 0.25\n4 -1e-9\n3 0.7\n5 0.3\n6 0.9\n7 0.95\n' > "$work/real.txt"
printf 'csg 3 float32\n1 1e38\n2 2e38\n4 -3e37\n3 2.5e38\n5 1e30\n6 1\n7 3e38\n' > "$work/vast.txt"
"$gpube" generate csg -n 9 --dist normal --type float64 --seed 5 -o "$work/normal.csg.gz"
"$gpube" generate csg -n 5 --dist near-ties --type int16 --seed 2 -o "$work/ties.csg"
"$gpube" generate csg -n 12 --dist uniform --type float32 --seed 4 -o "$work/uniform.csg"
proved() { # NAME FILE OPTION...
	name=$1 file=$2
	shift 2
	row "certify: $name" 0 'proved maximum' '' "$gpube" csg --certify "$work/cert" "$@" "$file"
	row "verify: $name" 0 '^certificate .*; checked' '' "$gpube" csg --verify "$work/cert" "$file"
	cp "$work/out" "$work/verified"
	"$gpube" csg "$@" "$file" | sed -n 2p > "$work/found"
	that "verify: the structure of $name" grep -qxFf "$work/found" "$work/verified"
	if command -v python3 > /dev/null; then
		that "python: $name" python3 tests/cli/check_csg.py "$work/cert" "$file"
	else
		skip "python: $name" 'no python3'
	fi
}
forged() { # NAME FILE, after proved
	if command -v python3 > /dev/null; then
		that "forged: $1" env GPUBE="$gpube" python3 tests/cli/check_csg.py forge "$work/cert" "$2"
	else
		skip "forged: $1" 'no python3'
	fi
}
proved 'ten agents' "$work/ng.csg"
proved 'three agents' "$work/g.txt"
forged 'three agents' "$work/g.txt"
proved 'floats' "$work/real.txt"
forged 'floats' "$work/real.txt"
proved 'vast floats' "$work/vast.txt"
proved 'normal, compressed' "$work/normal.csg.gz"
proved 'uniform' "$work/uniform.csg"
proved 'near ties' "$work/ties.csg"
forged 'near ties' "$work/ties.csg"
proved 'disposal' "$work/out.txt" --free-disposal
that 'the certificate tells of it' grep -q '^agents 4 shift [0-9]* disposal 1$' "$work/cert"
that 'and so does --verify' grep -q 'checked; agents may stay out$' "$work/verified"
forged 'disposal' "$work/out.txt"
cp "$work/cert" "$work/disposal"
row 'verify: JSON' 0 '^\{"status": "verified", .*"value": 7, .*"structure": \[\[1\],\[3,4\]\], "free_disposal": true' '' \
	"$gpube" csg --json --verify "$work/disposal" "$work/out.txt"
proved 'no disposal' "$work/out.txt"
proved 'all losses are disposed of' "$work/loss.txt" --free-disposal
"$gpube" csg --certify "$work/cert.gz" "$work/ng.csg" > /dev/null
row 'verify: compressed' 0 '; checked$' '' "$gpube" csg --verify "$work/cert.gz" "$work/ng.csg"
row 'verify: another game' 1 '' 'does not hold: it is of 10 agents, the game has 3' \
	"$gpube" csg --verify "$work/cert.gz" "$work/g.txt"
row 'verify: a random game' 0 '; checked$' '' \
	"$gpube" csg --verify "$work/cert.gz" --generate ndcs -n 10 --seed 3
row 'verify: listed coalitions' 0 'checked' '' "$gpube" csg --verify "$work/sparse.cert" "$work/sparse21.txt"
row 'verify: cut' 1 '' "short:[0-9]+: expected a number, found the end of the file" \
	sh -c 'head -n 1 "$0" > "$1/short"; printf "agents" >> "$1/short"; exec "$2" csg --verify "$1/short" "$3"' \
	"$work/disposal" "$work" "$gpube" "$work/out.txt"
row 'verify: no such file' 1 '' "cannot open '/nowhere'" "$gpube" csg --verify /nowhere "$work/out.txt"
row 'verify and certify' 2 '' 'exclude each other' \
	"$gpube" csg --verify "$work/disposal" --certify "$work/none" "$work/out.txt"

# ---- integers that doubles have no room for
printf 'csg 3 int64\n1 9007199254740992\n2 1\n4 0\n3 9007199254740993\n5 2\n6 1\n7 4\n' > "$work/odd.txt"
for c in csg auction; do
	row "$c: past 2^53" 0 ' 9007199254740993, "upper_bound": 9007199254740993,' '' \
		"$gpube" $c --json "$work/odd.txt"
done
printf 'csg 1 int64\n1 8545515931866499072\n' > "$work/one.txt"
row 'past 2^62, by lp' 0 '"value": 8545515931866499072, "upper_bound": 8545515931866499072,' '' \
	"$gpube" csg --json -m lp "$work/one.txt"
printf 'csg 3 int64\n1 4000000000000000001\n2 4000000000000000001\n4 1\n3 5\n5 3\n6 4\n7 7\n' > "$work/two.txt"
row 'two large singles of three' 0 '^value +8000000000000000003, the proved maximum$' '' "$gpube" csg "$work/two.txt"
row 'in 128 bits' 0 '^method +dp in int128' '' "$gpube" csg "$work/two.txt"
row 'by lp the bound is no lower' 0 '"status": "bounds", .*"value": 8000000000000000003, "upper_bound": 1\.20*[12]?e\+19,' 'ended before' \
	"$gpube" csg --json -m lp "$work/two.txt"
printf 'csg 40 int64\ndefault 0\n{1} 500000000000000000\n{2} 400000000000000000\n' > "$work/large40.txt"
row 'large values of 40 agents' 0 '^value +900000000000000000, the proved maximum$' '' "$gpube" csg "$work/large40.txt"
printf 'csg 2 float32\n1 1e38\n2 1e38\n3 0\n' > "$work/float.txt"
row 'float32, 1e38 twice' 0 '^value +1\.99999993.*e\+38, the proved maximum' '' "$gpube" csg "$work/float.txt"

# ---- auctions
printf 'goods 2\nbids 2\n1 1250000000.000001 0 #\n2 1000000000.000001 1 #\n' > "$work/dear.txt"
row 'auction: six decimals of billions' 0 '^revenue +2250000000\.000002, the proved maximum$' '' "$gpube" auction "$work/dear.txt"
printf '%% three goods\ngoods 3\nbids 4\ndummy 1\n0 5.5 0 1 #\n1 3.25 1 2 3 #\n2 3 0 3 #\n3 1 0 1 2 #\n' > "$work/a.txt"
row 'auction: revenue' 0 '^revenue +5\.50, the proved maximum$' '' "$gpube" auction "$work/a.txt"
row 'auction: bids' 0 '^bids +0$' '' "$gpube" auction "$work/a.txt"
row 'auction: a table' 0 '^ +5\.50 +100 % +#{20} +0:( [0-9]+)+$' '' "$gpube" auction --output table "$work/a.txt"
row 'auction: a table of bundles' 0 '^ +13 +2 bundles of 3 goods, the proved maximum$' '' "$gpube" auction --output table "$work/g.txt"
row 'auction: never' 0 '^never win +3$' '' "$gpube" auction "$work/a.txt"
# prices below 0, in the form of a variable a bid and of a variable a good
printf 'goods 3\nbids 3\n0 -5.5 0 1 #\n1 10 1 2 #\n2 3 0 #\n' > "$work/below.txt"
printf 'goods 2\nbids 6\n0 -5 0 1 #\n1 10 0 #\n2 3 1 #\n3 -2 0 #\n4 6 0 1 #\n5 -1 1 #\n' > "$work/below2.txt"
for f in below below2; do
	row "auction: $f 0" 0 '^revenue +13(\.0)?, the proved maximum$' '' "$gpube" auction "$work/$f.txt"
	for to in cfn wcsp; do # .wcsp has no decimals
		row "auction: $f 0: written as .$to" 0 '' '*' "$gpube" convert -q "$work/$f.txt" "$work/$f.$to"
		row "auction: $f 0: read from .$to" 0 '^revenue +13(0|\.0)?, the proved maximum$' '' \
			"$gpube" auction "$work/$f.$to"
	done
	row "auction: $f 0: written as .wcnf" 0 '' '*' "$gpube" convert -q "$work/$f.txt" "$work/$f.wcnf"
	row "auction: $f 0: as a model" 0 '^optimum +13(\.0)?, ' '*' "$gpube" solve "$work/$f.cfn"
done
printf 'goods 2\nbids 3\n0 -9000000000000000000 0 #\n1 -9000000000000000000 1 #\n2 7 0 #\n' > "$work/below3.txt"
"$gpube" convert -q "$work/below3.txt" "$work/below3.cfn"
row 'auction: sums below 64 bits' 0 '^revenue +7, ' '' "$gpube" auction "$work/below3.txt"
row 'auction: sums below 64 bits: as a model' 0 '^revenue +7, ' '' "$gpube" auction "$work/below3.cfn"
row 'auction: JSON' 0 '"status": "optimal".*"revenue": 5\.50, "upper_bound": 5\.50, "bids": \[0\]' '' \
	"$gpube" auction --json "$work/a.txt"
row 'auction: timeout' 0 '"status": "bounds"' 'ended before' \
	"$gpube" auction --json --timeout 0.000001 "$work/a.txt"
"$gpube" generate auction --dist regions --goods 20 --bids 50 --seed 2 -o "$work/r.txt"
row 'auction: generated' 0 '^revenue +[0-9.]+, the proved maximum$' '' "$gpube" auction "$work/r.txt"
row 'auction: no such distribution' 1 '' "no such distribution: 'uniform'; there are L1, L2, .*matching$" "$gpube" generate auction --dist uniform
"$gpube" generate auction --dist regions --seed 1 > "$work/regions.txt"
"$gpube" generate auction --seed 1 > "$work/unnamed.txt"
that 'auction: a distribution that need not be named' cmp "$work/regions.txt" "$work/unnamed.txt"
row 'auction: a bid on every bundle' 0 '^revenue +13, the proved maximum$' '' "$gpube" auction "$work/g.txt"
row 'auction: bundles' 0 '^bundles +\{1,3\} \{2\}$' '' "$gpube" auction "$work/g.txt"
row 'auction: bundles as JSON' 0 '"goods": 3, "revenue": 13, "upper_bound": 13, "error": 0, "bundles": \[\[1,3\],\[2\]\]' '' \
	"$gpube" auction --json "$work/g.txt"
row 'auction: a good stays unsold' 0 '^revenue +5, ' '' "$gpube" auction "$work/loss.txt"
row 'auction: no good may' 0 '^revenue +1, ' '' "$gpube" auction --sell-all "$work/loss.txt"
row 'auction: all cannot be sold' 0 '^infeasible' '' "$gpube" auction --sell-all "$work/none.txt"
row 'auction: --sell-all of some bids' 1 '' 'are for auctions with a bid on every bundle' \
	"$gpube" auction --sell-all "$work/a.txt"
"$gpube" generate csg -n 10 --dist normal --seed 3 -o "$work/b.csg"
row 'auction: binary, from a pipe' 0 '^revenue +[0-9]+, the proved maximum$' '' \
	sh -c '"$0" auction - < "$1"' "$gpube" "$work/b.csg"
row 'auction: a bad file' 1 '' "bad.txt:2: expected a value or 'forbidden', found 'five'" \
	"$gpube" auction "$work/bad.txt"
printf 'goods 2\nbids one\n' > "$work/bad2.txt"
row 'auction: bids that are none' 1 '' "bad2.txt:2: expected a number, found 'one'" "$gpube" auction "$work/bad2.txt"
plan
