#!/bin/sh
# Games, games of coalitions and auctions as models: solve, bound and convert give what nash --pure, csg and auction give.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

if command -v python3 > /dev/null 2>&1; then
	toulbar2=$(command -v toulbar2)
	# shellcheck disable=SC2086
	that 'random ones' python3 tests/models/check_models.py "$gpube" 25 $toulbar2
	that 'random models that have the form of a game' python3 tests/models/check_forms.py "$gpube" 25
else
	skip 'random ones' 'no python3'
fi

row 'the pure equilibria are counted' 0 '^optima +3$' '' "$gpube" solve -q --count examples/effort.nfg
row 'bound takes a game' 0 '^optimum +0, the proved' '' "$gpube" bound -q examples/effort.nfg
row 'a game of no pure equilibrium' 0 '^infeasible' '' sh -c "
	printf 'NFG 1 R \"pennies\" { \"A\" \"B\" } { 2 2 }\n\n1 -1 -1 1 -1 1 1 -1\n' > '$work/p.nfg'; '$gpube' solve -q '$work/p.nfg'"
row 'and its regret' 0 '^optimum +2, the proved minimum' '' "$gpube" solve -q --regret "$work/p.nfg"
row 'thirds have no decimals' 0 '^optimum +1, the proved minimum' 'regrets are counted in units of 1/3' sh -c "
	printf 'NFG 1 R \"thirds\" { \"A\" \"B\" } { 2 2 }\n\n1/3 0 0 1/3 0 1/3 1/3 0\n' > '$work/t.nfg'; '$gpube' solve --regret '$work/t.nfg'"
row 'a payoff past 64 bits' 1 '' 'a payoff passes 64 bits' sh -c "
	printf 'NFG 1 R \"\" { \"A\" \"B\" } { 1 1 }\n\n99999999999999999999 0\n' > '$work/b.nfg'; '$gpube' solve '$work/b.nfg'"
row '--regret of a model' 1 '' "--regret goes with games, and 'examples/zebra.wcsp' is none" "$gpube" solve --regret examples/zebra.wcsp
row 'a picture of a game' 0 'graph' '' "$gpube" info --dot graph examples/effort.nfg

printf 'csg 2 float64\n1 5\n2 4\n3 8\n' > "$work/f.txt"
row 'values that are no integers' 1 '' 'the values are float64: a model.s costs are integers' "$gpube" solve "$work/f.txt"
"$gpube" generate csg -n 15 --seed 2 -o "$work/g.csg"
row 'too many agents' 1 '' 'a game of 15 agents: models are made of at most 14' "$gpube" solve "$work/g.csg"
row 'which info leaves out' 0 '^coalitions +of 15 agents' '' "$gpube" info "$work/g.csg"
"$gpube" generate csg -n 12 --seed 2 -o "$work/g.csg"
that 'twelve agents as csg has them' sh -c "
	a=\$('$gpube' csg -q '$work/g.csg' | awk '/^value/ { print \$2 }'); b=\$('$gpube' solve -q '$work/g.csg' | awk '/^optimum/ { print \$2 }')
	[ -n \"\$a\" ] && [ \"\$a\" = \"\$b\" ]"
plan
