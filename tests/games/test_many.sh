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
else
	skip 'random ones' 'no python3'
fi
plan
