#!/bin/sh
# Equilibria of random games of several players, beside checks that share nothing with gpube.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

if command -v python3 > /dev/null 2>&1; then
	row 'random ones' 0 '^12 games: complete, [0-9]+ equilibria, [0-9]+ of them no fractions, all verified$' '' \
		python3 benchmarks/nash_players.py "$gpube" --games 12
	row 'none is missing' 0 '^3 games: none is missing' '' python3 benchmarks/nash_players.py "$gpube" --plain 3
	row 'nor of degenerate ones' 0 '^12 degenerate games: [0-9]+ complete, none is missing' '' \
		python3 benchmarks/nash_players.py "$gpube" --degenerate 12
	row 'certificates, whatever the size of payoffs' 0 '^3 certificates verified, 300 forged ones refused$' '' \
		python3 benchmarks/nash_players.py "$gpube" --certify 300
	# by McKelvey and McLennan: several proofs of one support, which have other unknowns; with outcomes
	cat > "$work/nine.nfg" << 'END'
NFG 1 R "nine" { "A" "B" "C" }
{ { "1" "2" } { "1" "2" } { "1" "2" } }
""
{ { "" 9, 8, 12 } { "" 9, 8, 2 } { "" 3, 4, 6 } }
1 0 0 2 0 3 3 0
END
	row 'nine, with outcomes' 0 '^equilibria  9, complete' '' "$gpube" nash -q --certify "$work/nine.txt" "$work/nine.nfg"
	row 'their proof' 0 '^verified: 9 equilibria, complete$' '' \
		python3 tests/games/check_nash.py "$work/nine.nfg" "$work/nine.txt" 20 1
	row 'how their checker is called' 0 '^usage: check_nash.py GAME.nfg CERTIFICATE' '' python3 tests/games/check_nash.py --help
	row 'and without a certificate' 2 '' '^usage: check_nash.py GAME.nfg CERTIFICATE' \
		python3 tests/games/check_nash.py "$work/nine.nfg"
else
	skip 'random ones' 'no python3'
fi
plan
