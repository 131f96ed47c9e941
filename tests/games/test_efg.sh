#!/bin/sh
# Games in extensive form: by their tree, and as their reduced normal form; random ones, what is refused, and where
# they are taken.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

if command -v python3 > /dev/null 2>&1; then
	that 'random ones' python3 tests/games/check_efg.py "$gpube" 60
	that 'equilibria of random ones' python3 tests/games/check_extensive.py "$gpube" 40
	that "Kuhn's and Leduc's games are written" sh -c '
		python3 benchmarks/nash_extensive.py "$0" write kuhn3 "$1/kuhn.efg"
		python3 benchmarks/nash_extensive.py "$0" write leduc "$1/leduc.efg"' "$gpube" "$work"
else
	skip 'random ones' 'no python3'
fi
if [ -s "$work/leduc.efg" ]; then
	row "Kuhn's poker" 0 '^equilibria  [0-9]+, all extreme equilibria' '' "$gpube" nash "$work/kuhn.efg"
	row 'every one has its value' 0 '^ *payoffs -1/18, 1/18$' '' sh -c "'$gpube' nash '$work/kuhn.efg' | grep payoffs | sort -u"
	row 'one equilibrium' 0 '"method": "linear-program"' '' "$gpube" nash --json --one "$work/kuhn.efg"
	row "Leduc's value" 0 'payoffs -1454920850547486749701863871533/16995463438839962469905132501930, ' '' "$gpube" nash --one "$work/leduc.efg"
	row 'out of time' 1 '^equilibria  0, incomplete: out of time' 'there may be more' "$gpube" nash --one --timeout 0.001 "$work/leduc.efg"
fi

# poker N: of N cards player 1 sees one, the first wins
poker() {
	awk -v n="$1" 'BEGIN {
		print "EFG 2 R \"poker\" { \"Fred\" \"Alice\" }"
		printf "c \"\" 1 \"\" {"
		for (k = 1; k <= n; k++) printf " \"%d\" 1/%d", k, n
		print " } 0"
		for (k = 1; k <= n; k++) {
			printf "p \"\" 1 %d \"\" { \"raise\" \"fold\" } 0\np \"\" 2 1 \"\" { \"meet\" \"pass\" } 0\n", k
			if (k == 1) print "t \"\" 1 \"\" { 2 -2 }"
			else if (k == 2) print "t \"\" 4 \"\" { -2 2 }"
			else print "t \"\" 4"
			if (k == 1) print "t \"\" 2 \"\" { 1 -1 }\nt \"\" 3 \"\" { -1 1 }"
			else print "t \"\" 2\nt \"\" 3"
		}
	}'
}

poker 2 > "$work/p.efg"
row 'its equilibrium' 0 '^ *Fred #2: raise 1/3, fold 2/3$' '' "$gpube" nash "$work/p.efg"
row 'by strategies' 0 '"11" 1/3, "12" 2/3' '' "$gpube" nash --normal-form "$work/p.efg"
row "Gambit's line" 0 '^NE,1,0,1/3,2/3,2/3,1/3$' '' "$gpube" nash --output gambit "$work/p.efg"
row 'JSON' 0 '"number": 2, "name": "", "actions": ."raise","fold".*"behaviour": .."1","0".,."1/3","2/3"' '' "$gpube" nash --json "$work/p.efg"
row 'components are of strategies' 0 '^components  1 with 1 maximal Nash subset$' '' "$gpube" nash --components "$work/p.efg"
row 'what each gets' 0 'payoffs 1/3, -1/3' '' "$gpube" nash "$work/p.efg"
row 'info' 0 '^strategies  4 x 2 in reduced normal form' '' "$gpube" info "$work/p.efg"
row 'as a model' 0 '^infeasible' '' "$gpube" solve -q "$work/p.efg"
row 'as .nfg' 0 '' '' "$gpube" convert "$work/p.efg" "$work/p.nfg"
row 'on standard input' 0 '"11" 1/3, "12" 2/3' '' sh -c "'$gpube' nash --normal-form - < '$work/p.efg'"
row 'none is written' 1 '' '.efg is only read, not written' "$gpube" convert "$work/p.nfg" "$work/q.efg"
poker 40 > "$work/p.efg"
row 'too many strategies' 1 '' 'the players have 1099511627776 and 2 reduced strategies: more than the memory allowed' \
	"$gpube" nash --normal-form "$work/p.efg"
row 'and none of the tree' 0 'payoffs -14/15, 14/15$' '' "$gpube" nash --one "$work/p.efg"

# a player who forgets which of its sets it comes from: counted one by one
awk 'BEGIN {
	print "EFG 2 R \"forgets\" { \"A\" \"B\" }\nc \"\" 1 \"\" { \"h\" 1/2 \"t\" 1/2 } 0"
	for (side = 0; side < 2; side++)
		for (k = 1; k <= 30; k++) {
			printf "c \"\" %d \"\" { \"x\" 1/2 \"y\" 1/2 } 0\np \"\" 1 %d \"\" { \"a\" \"b\" } 0\nt \"\" 0\n", 100 * side + k + 1, k
			if (side) printf "p \"\" 1 99 \"\" { \"a\" \"b\" } 0\nt \"\" 0\nt \"\" 0\n"; else print "t \"\" 0"
			if (k == 30) print "t \"\" 0"
		}
}' > "$work/f.efg"
row 'and of a player who forgets' 1 '' 'the players have more than 1048576 and 1 reduced strategies' "$gpube" nash "$work/f.efg"
row 'which info says' 0 '^recall      is imperfect: player 1 forgets at its information set 99$' '' "$gpube" info --memory 64M "$work/f.efg"
printf 'EFG 2 R "" { "A" "B" }\nc "" 1 "" { "x" 1/3 "y" 2/3 } 0\nt "" 1 "" { 9223372036854775807 1 }\nt "" 2 "" { 9223372036854775806 1 }\n' > "$work/l.efg"
row 'a payoff that is too long' 1 '' 'an expected payoff passes 64 bits' "$gpube" nash --normal-form "$work/l.efg"
row 'by the tree it is exact' 0 'payoffs 27670116110564327419/3, 1$' '' "$gpube" nash "$work/l.efg"
awk 'BEGIN {
	print "EFG 2 R \"chain\" { \"A\" \"B\" }"
	for (k = 1; k <= 100000; k++) printf "p \"\" %d %d \"\" { \"x\" } 0\n", k % 2 + 1, k
	print "t \"\" 1 \"\" { 1 2 }"
}' > "$work/c.efg"
row 'a tree 100000 deep' 0 '100000 information sets, 100001 nodes' '' "$gpube" info "$work/c.efg"
row 'by backward induction' 0 'payoffs 1, 2$' '' "$gpube" nash --one "$work/c.efg"
cat > "$work/three.efg" << 'END'
EFG 2 R "entry" { "In" "Out" "State" }
p "" 1 1 "begin" { "enter" "stay" } 0
c "" 1 "" { "up" 1/3 "down" 2/3 } 1 "" { 1/2 0 0 }
p "" 2 1 "fight?" { "yes" "no" } 0
t "" 2 "" { -1 -1 0 }
t "" 3 "" { 2 1 5 }
p "" 3 1 "" { "tax" "" } 0
t "" 4 "" { 0 3 1 }
t "" 5 "" { 3 0 0 }
t "" 6 "" { 0 4 0 }
END
row 'three players: subgame perfect' 0 '^equilibria  1, subgame perfect$' '' "$gpube" nash "$work/three.efg"
row 'what they do' 0 '^ *Out fight[?]: no$' '' "$gpube" nash "$work/three.efg"
row 'and get' 0 '^ *payoffs 7/6, 7/3, 7/3$' '' "$gpube" nash "$work/three.efg"
row 'their normal form' 0 '^equilibria  [0-9]+, all that are pure$' '' "$gpube" nash --pure "$work/three.efg"
plan
