#!/bin/sh
# Games in extensive form as their reduced normal form: random ones, what is refused, and where they are taken.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

if command -v python3 > /dev/null 2>&1; then
	that 'random ones' python3 tests/games/check_efg.py "$gpube" 60
else
	skip 'random ones' 'no python3'
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
row 'its equilibrium' 0 '"11" 1/3, "12" 2/3' '' "$gpube" nash "$work/p.efg"
row 'what each gets' 0 'payoffs 1/3, -1/3' '' "$gpube" nash "$work/p.efg"
row 'info' 0 '^game  *4 x 2 actions' '' "$gpube" info "$work/p.efg"
row 'as a model' 0 '^infeasible' '' "$gpube" solve -q "$work/p.efg"
row 'as .nfg' 0 '' '' "$gpube" convert "$work/p.efg" "$work/p.nfg"
row 'on standard input' 0 '"11" 1/3, "12" 2/3' '' sh -c "'$gpube' nash - < '$work/p.efg'"
row 'none is written' 1 '' '.efg is only read, not written' "$gpube" convert "$work/p.nfg" "$work/q.efg"
poker 40 > "$work/p.efg"
row 'too many strategies' 1 '' 'the players have 1099511627776 and 2 reduced strategies: more than the memory allowed' \
	"$gpube" info --memory 64M "$work/p.efg"

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
row 'and of a player who forgets' 1 '' 'the players have more than 1048576 and 1 reduced strategies' "$gpube" info --memory 64M "$work/f.efg"
printf 'EFG 2 R "" { "A" "B" }\nc "" 1 "" { "x" 1/3 "y" 2/3 } 0\nt "" 1 "" { 9223372036854775807 1 }\nt "" 2 "" { 9223372036854775806 1 }\n' > "$work/l.efg"
row 'a payoff that is too long' 1 '' 'an expected payoff passes 64 bits' "$gpube" nash "$work/l.efg"
awk 'BEGIN {
	print "EFG 2 R \"chain\" { \"A\" \"B\" }"
	for (k = 1; k <= 100000; k++) printf "p \"\" %d %d \"\" { \"x\" } 0\n", k % 2 + 1, k
	print "t \"\" 1 \"\" { 1 2 }"
}' > "$work/c.efg"
row 'a tree 100000 deep' 0 '^game  *1 x 1 actions' '' "$gpube" info "$work/c.efg"
plan
