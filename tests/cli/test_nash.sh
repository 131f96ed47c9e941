#!/bin/sh
# gpube nash: outputs, options, and its equilibria beside lrsnash's.
. "$(dirname "$0")/tap.sh"
cd "$(dirname "$0")/../.." || exit 1

# The example of Rampersaud, Mashayekhy and Grosu, IEEE TPDS 2014, section 2.
cat > "$work/paper.nfg" << 'END'
NFG 1 R "Example" { "Row" "Column" }
{ { "T" "B" } { "L" "M" "R" } }
5 3 0 0 0 0 3 5 0 1 1 3
END
printf '2 2\n\n0 0\n0 0\n\n0 0\n0 0\n' > "$work/zero.txt"
printf '3\n2 2 2\n' > "$work/three.gam"

row 'inexact results say so' 0 '^equilibria  3, inexact' '' "$gpube" nash --inexact "$work/paper.nfg"
row 'inexact, JSON' 0 '"exact": false' '' "$gpube" nash --inexact --json "$work/paper.nfg"
row 'inexact and degenerate' 1 'incomplete: the game looks degenerate' 'there may be more' \
	"$gpube" nash --inexact "$work/zero.txt"
if ! "$gpube" nash --pure "$work/paper.nfg" > "$work/said" 2>&1 && grep -q FLINT "$work/said"; then
	skip 'gpube nash' 'built without FLINT'
	plan
	exit 0
fi

row 'text' 0 '^equilibria  3, all extreme equilibria' '' "$gpube" nash "$work/paper.nfg"
row 'text names the actions' 0 'T 5/8, B 3/8' '' "$gpube" nash "$work/paper.nfg"
printf 'NFG 1 R "" { "a" "b" } { { "1" "go home" } { "" "x,y" "e\\"z" } }\n5 3 0 0 0 0 3 5 0 1 1 3\n' > "$work/odd.nfg"
row 'names that could be numbers are quoted' 0 '^[0-9] +"1" 5/8, "go home" 3/8$' '' "$gpube" nash "$work/odd.nfg"
row 'and a missing one has its number' 0 '^ +#1 3/8, "x,y" 5/8$' '' "$gpube" nash "$work/odd.nfg"
printf '2 2\n\n3 0\n0 2\n\n2 0\n0 3\n' > "$work/unnamed.txt"
row 'actions without names have numbers' 0 '^[0-9] +#1 3/5, #2 2/5$' '' "$gpube" nash "$work/unnamed.txt"
row 'text gives the payoffs' 0 'payoffs 15/8, 15/8' '' "$gpube" nash "$work/paper.nfg"
row 'one equilibrium' 0 '^equilibria  1, as asked for' '' "$gpube" nash --one "$work/paper.nfg"
row 'pure equilibria' 0 '^equilibria  2, as asked for' '' "$gpube" nash --pure "$work/paper.nfg"
row 'at most two' 0 '^equilibria  2, as asked for' '' "$gpube" nash --max 2 "$work/paper.nfg"
row 'supports of one size' 0 '^equilibria  1, as asked for' '' \
	"$gpube" nash --method se --support-size 2 "$work/paper.nfg"
row 'a support size needs its method' 2 '' 'goes with --method se' \
	"$gpube" nash --support-size 2 "$work/paper.nfg"
row 'components' 0 '^components  1 with 1 maximal Nash subset$' '' \
	"$gpube" nash --components "$work/zero.txt"
row 'supports of a degenerate game that are all' 0 '^equilibria  4, all extreme equilibria' '' \
	"$gpube" nash --method se "$work/zero.txt"
printf '2 2\n\n0 1\n1 0\n\n1 1\n1 1\n' > "$work/partial.txt"
row 'supports of a degenerate game that are not all' 1 '^equilibria  2, incomplete: the game is degenerate' \
	'there may be more' "$gpube" nash --method se "$work/partial.txt"
row 'how many there are' 1 '*' 'which gave 2 of 4 equilibria' "$gpube" nash -v --method se "$work/partial.txt"
row 'nearly degenerate: payoffs rounded as by GAMUT' 0 '^equilibria ' '' \
	sh -c '"$0" generate nash --game minimum-effort -n 4 --seed 2 --int-payoffs 10000 | "$0" nash -' "$gpube"
row 'minimum effort by supports' 0 '"method": "se".*"all": true' '' \
	sh -c '"$0" generate nash --game minimum-effort -n 6 | "$0" nash --json --method se -' "$gpube"
row 'three players' 1 '' 'three.gam:1: 3 players: only games of two' "$gpube" nash "$work/three.gam"
row 'three players, JSON' 1 '"status": "error"' 'only games of two' \
	"$gpube" nash --json "$work/three.gam"
row 'no file' 1 '' "cannot open '$work/none'" "$gpube" nash "$work/none"
row 'two kinds of answers' 2 '' 'exclude each other' "$gpube" nash --one --pure "$work/zero.txt"
row 'inexact components' 2 '' 'needs exact' "$gpube" nash --inexact --components "$work/zero.txt"
row 'components of some' 2 '' 'needs all' "$gpube" nash --one --components "$work/zero.txt"

"$gpube" nash --output gambit "$work/paper.nfg" > "$work/out"
printf 'NE,1,0,1,0,0\nNE,5/8,3/8,3/8,5/8,0\nNE,0,1,0,1,0\n' > "$work/expected"
that 'Gambit output' cmp "$work/out" "$work/expected"
"$gpube" nash --stream --output gambit "$work/paper.nfg" | sort > "$work/out"
sort "$work/expected" > "$work/sorted"
that 'the same in a stream' cmp "$work/out" "$work/sorted"
row 'a stream of some' 2 '' 'gives all' "$gpube" nash --stream --output gambit --one "$work/zero.txt"
row 'a stream as text' 2 '' 'goes with --output gambit' "$gpube" nash --stream "$work/zero.txt"
"$gpube" nash --output lrs "$work/paper.nfg" > "$work/out"
cat > "$work/expected" << 'END'
2  1 0 0  5
1  1 0  3

2  3/8 5/8 0  15/8
1  5/8 3/8  15/8

2  0 1 0  3
1  0 1  5

*Number of equilibria found: 3
END
that 'lrsnash output' cmp "$work/out" "$work/expected"
"$gpube" nash --json --components "$work/paper.nfg" > "$work/out"
if command -v python3 > /dev/null; then
	that 'JSON is JSON, with its keys' python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["status"] == "optimal" and r["all"] and r["exact"] and r["regular"]
assert r["equilibria"][1] == {"x": ["5/8", "3/8"], "y": ["3/8", "5/8", "0"], "u": "15/8", "v": "15/8"}
assert r["n_components"] == 3 and [c["component"] for c in r["components"]] == [0, 1, 2]
assert r["x"][r["components"][0]["x"][0]] == ["1", "0"]' "$work/out"
else
	skip 'JSON is JSON, with its keys' 'no python3'
fi
that 'converts to lrsnash input' "$gpube" nash --convert "$work/paper.txt" "$work/paper.nfg"
that 'and back' "$gpube" nash --convert "$work/back.nfg" "$work/paper.txt"
row 'with the same equilibria' 0 '^equilibria  3' '' "$gpube" nash "$work/back.nfg"

"$gpube" generate nash --game minimum-effort -n 5 > "$work/effort.nfg"
row 'a generated game' 0 '^equilibria  15, all extreme' '' "$gpube" nash "$work/effort.nfg"
row 'generated in no format of games' 1 '' 'a format of games' "$gpube" generate nash --to uai
row 'a network in a format of games' 1 '' 'a format of networks' "$gpube" generate grid --to gt
row 'no such class' 1 '' "no such class of games: 'nix'" "$gpube" generate nash --game nix

row 'time limit before any method' 1 '"status": "incomplete".*"method": "auto".*"reason": "out of time"' \
	'there may be more' "$gpube" nash --json --timeout 0.000001s examples/effort.nfg

# A game that takes long, stopped.
"$gpube" generate nash -n 30 --range 10000 -o "$work/long.txt"
row 'time limit' 1 '"status": "incomplete".*"reason": "out of time"' 'there may be more' \
	"$gpube" nash --json --timeout 0.2s --method ve "$work/long.txt"
# Cut short after some equilibria: they are printed, and said not to be all.
"$gpube" generate nash --game coordination -n 30 -o "$work/many.txt"
row 'time limit with what was found' 1 '"all": false.*"n_equilibria": [0-9]' 'there may be more' \
	"$gpube" nash --json --threads 1 --timeout 0.4s --method eee "$work/many.txt"
row 'time limit in a stream' 1 '*' 'there may be more' \
	"$gpube" nash --stream --output gambit --threads 1 --timeout 0.4s "$work/many.txt"
row 'time limit, as text' 1 '^equilibria +[0-9]+, incomplete: out of time$' 'there may be more' \
	"$gpube" nash --timeout 0.1s --method ve "$work/long.txt"
row 'time limit, as lrsnash writes it' 1 '^\*incomplete: out of time$' 'there may be more' \
	"$gpube" nash --output lrs --timeout 0.1s --method ve "$work/long.txt"
row 'SIGINT ends with what was found' 1 '^NE,' 'stopped: there may be more' \
	end_at INT '^NE,' "$gpube" nash --stream --output gambit --threads 1 --method eee "$work/many.txt"
row 'SIGINT during method se' 1 '"reason": "stopped"' 'there may be more' \
	end_at INT 'read 30 x 30' "$gpube" nash -v --json --method se "$work/long.txt"
row 'SIGTERM, as text' 1 '^equilibria +[0-9]+, incomplete: stopped$' 'there may be more' \
	end_at TERM 'read 30 x 30' "$gpube" nash -v --method ve "$work/long.txt"

if ! command -v lrsnash > /dev/null || ! command -v python3 > /dev/null; then
	skip 'the same equilibria as lrsnash' 'lrsnash or python3 is not installed'
else
	that '300 seeded games, the same equilibria as lrsnash' \
		python3 benchmarks/nash_lrs.py --gpube "$gpube" --timeout 3000 --largest 6 --methods auto,eee 300
fi
plan
