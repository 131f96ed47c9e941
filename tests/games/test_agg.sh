#!/bin/sh
# Action graph games, Bayesian ones, too: random ones beside the definition, what is found of them, and what is refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

if command -v python3 > /dev/null 2>&1; then
	that 'random ones' python3 tests/games/check_agg.py "$gpube" 60
fi
printf '#AGG\n2 2 0\n2 2\n0 1\n0 1\n2 0 1\n2 1 0\n0 35 -4\n0 -10 95\n' > "$work/x.agg"
row 'two players' 0 '^equilibria  3, all extreme equilibria' '' "$gpube" nash "$work/x.agg"
row 'on standard input' 0 '^ *payoffs -5/11, -5/11$' '' sh -c "'$gpube' nash - < '$work/x.agg'"
row 'info' 0 '^game        2 players, 4 profiles, by an action graph of 2 action and 0 function nodes' '' "$gpube" info "$work/x.agg"
row 'info, JSON' 0 '"kind": "action graph game", "players": \[2,2\], "n_actions": 2, "n_functions": 0' '' "$gpube" info --json "$work/x.agg"
row 'none is written' 1 '' '.agg is only read, not written' "$gpube" convert "$work/x.agg" "$work/y.agg"
row 'but as .nfg' 0 '' '' "$gpube" convert "$work/x.agg" "$work/y.nfg"
that 'it has the payoffs' grep -q '^-4 -4 -10 35$' "$work/y.nfg"
row 'as a model' 0 '^solutions +2$' '' "$gpube" count "$work/x.agg"
# the first type has no choice, and its player's other type does what is better against player 2
printf '#BAGG\n2 2 0\n2 1\n1/3 2/3 1\n1 2 2\n1\n0 1\n0 1\n2 0 1\n1 0\n0 1 2\n0 4 5\n' > "$work/x.bagg"
row 'types are players' 0 '^game        3 players, 1 x 2 x 2 actions' '' "$gpube" nash --keep-dominated "$work/x.bagg"
row 'what they get' 0 '^ *payoffs 4, 4, 4$' '' "$gpube" nash "$work/x.bagg"
"$gpube" convert "$work/x.bagg" "$work/z.nfg"
that 'they have names' grep -q '{ "player 1, type 1" "player 1, type 2" "player 2, type 1" }' "$work/z.nfg"
that 'expected payoffs' grep -q '^5 2 5/3$' "$work/z.nfg"
printf '#AGG\n2 2 0\n2 2\n0 1\n0 1\n1 1\n1 0\n1 1 [0] 1\n1 2 [0] 1 [1] 2\n' > "$work/less.agg"
row 'a payoff that is missing' 1 '' 'action node 0 has no payoff for the configuration .1.$' "$gpube" nash "$work/less.agg"
{
	printf '#AGG\n40 2 0\n'
	for k in $(seq 40); do printf '2 '; done
	for k in $(seq 40); do printf '0 1 '; done
	printf '2 0 1 2 0 1 0'
	for k in $(seq 40); do printf ' %d' "$k"; done
	printf ' 0'
	for k in $(seq 40); do printf ' %d' "$k"; done
} > "$work/many.agg"
row 'forty players are read' 0 '^game        40 players, 1099511627776 profiles' '' "$gpube" info "$work/many.agg"
row 'and refused by their number' 1 '' '1099511627776 profiles are too many for mixed equilibria' "$gpube" nash "$work/many.agg"
row 'pure ones, too' 1 '' 'more than the memory allowed' "$gpube" nash --pure "$work/many.agg"
row 'by other commands' 1 '' 'more than the memory allowed' "$gpube" solve "$work/many.agg"
plan
