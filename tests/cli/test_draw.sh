#!/bin/sh
# Pictures: what they say is what the model, its plan, its bounds and the equilibria are.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
x=examples

# ---- the graph: 25 variables; 12 binary functions are edges, 5 larger ones boxes, 2 of one variable rings
"$gpube" info --dot graph $x/zebra.wcsp > "$work/graph"
count() { # N PATTERN FILE
	[ "$(grep -c -e "$2" "$3")" = "$1" ]
}
that 'graph: variables' count 25 '^	v[0-9]* \[label=".*\\n5 values"' "$work/graph"
that 'graph: binary functions are edges' count 12 '^	v[0-9]* -- v[0-9]* \[tooltip="25 cells"' "$work/graph"
that 'graph: larger ones are boxes' count 5 '^	f[0-9]* \[shape=box' "$work/graph"
that 'graph: costs of one variable are a ring' count 2 'peripheries=2' "$work/graph"
that 'graph: the legend has the colours that there are' count 1 'values.*5 to 9.*cells.*100 .*10 000 .*two rings' "$work/graph"
that 'graph: their variables' count 25 '^	f[0-9]* -- v[0-9]*;$' "$work/graph"
that 'graph: a sparse table' grep -q '120 of 3125 cells' "$work/graph"
"$gpube" info --dot graph $x/exams.cfn > "$work/named"
that 'graph: names' grep -q '"algebra\\n3 values"' "$work/named"
printf 'MARKOV\n1\n2\n1\n1 0\n2 0.5 0.5\n' > "$work/one.uai"
printf '1 0 1\n' > "$work/one.uai.evid"
row 'graph: what is observed' 0 'v0 \[label="0.n2 values, is 1"' '' "$gpube" info --dot graph "$work/one.uai"
printf '%s' '{"problem": {"name": "q", "mustbe": "<9"}, "variables": {"a\b": 2}, "functions": {}}' > "$work/q.cfn"
row 'a name is escaped' 0 'label="a\\\\b.n2 values"' '' "$gpube" info --dot graph "$work/q.cfn"

"$gpube" info --dot graph $x/sprinkler.bif > "$work/network"
that 'a Bayesian network has arrows' sh -c "grep -o '\"[a-z]*.n2 values\|v[0-9] -> v[0-9]' '$work/network' | tr -d '\"' | paste -sd ' ' |
	grep -q '^cloudy.n2 values.* v0 -> v1 v0 -> v2 v1 -> v3 v2 -> v3\$'"

# ---- the pseudo-tree, of one component: every variable but the root has a parent
"$gpube" info --dot pseudotree $x/zebra.wcsp > "$work/pseudotree"
that 'pseudo-tree: parents' count 24 '^	v[0-9]* -> v[0-9]* \[label=".* cells"' "$work/pseudotree"
edges=$("$gpube" info --dot graph $x/zebra.wcsp | awk '
	/^\tv[0-9]* -- / { e[$1 < $3 ? $1 " " $3 : $3 " " $1] = 1 }
	/^\tf[0-9]* -- / { sub(";", ""); s[$1] = s[$1] " " $3 }
	END { for (f in s) { n = split(s[f], v, " ")
		for (i = 1; i <= n; i++) for (j = 1; j <= n; j++) if (v[i] < v[j]) e[v[i] " " v[j]] = 1 }
		n = 0; for (k in e) n++; print n }')
that 'pseudo-tree: with the pseudo-parents, all edges' \
	count "$((edges - 24))" 'style=dashed' "$work/pseudotree"

# ---- the elimination: the same sizes as the plan's
"$gpube" info --json $x/zebra.wcsp > "$work/json"
plan_says() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$work/json"; }
"$gpube" info --dot buckets $x/zebra.wcsp > "$work/buckets"
joined=$(sed -n 's/.*\\n\([0-9]*\) cells joined.*/\1/p' "$work/buckets" | awk '{ n += $1 } END { print n }')
that 'buckets: joined cells' [ "$joined" = "$(plan_says joined_cells)" ]
message=$(sed -n 's/.* -> .*label="\([0-9]*\) cells.*/\1/p' "$work/buckets" | sort -n | tail -1)
that 'buckets: the largest message' [ "$message" = "$(plan_says largest_message)" ]
that 'buckets: every function is in one' [ "$(grep -o '\\nover' "$work/buckets" | wc -l)" = \
	"$(sed -n 's/.*"plan": {"variables": [0-9]*, "functions": \([0-9]*\).*/\1/p' "$work/json")" ]
"$gpube" info --dot decomposition $x/zebra.wcsp > "$work/clusters"
largest=$(sed -n 's/.* variables, \([0-9]*\) cells".*/\1/p' "$work/clusters" | sort -n | tail -1)
that 'decomposition: the largest cluster' [ "$largest" = "$(plan_says largest_joined)" ]
framed=$(sed -n 's/.* variables, \([0-9]*\) cells".*penwidth=3\];/\1/p' "$work/clusters" | sort -u)
that 'decomposition: the largest is framed' [ "$framed" = "$largest" ]
n=$(grep -c 'shape=box' "$work/clusters")
that 'decomposition: a tree' count "$((n - 1))" ' -> ' "$work/clusters"
printf 'x 1 1 1 5\n1\n1 0 9 0\n' > "$work/none.wcsp"
row 'nothing is left to draw' 0 '^digraph buckets' '' "$gpube" info --dot buckets "$work/none.wcsp"

# ---- Graphviz
row 'without Graphviz' 1 '' "^gpube: --svg needs Graphviz's program 'dot', which is not there \(apt-get install graphviz\); .*\$" \
	env PATH=/nowhere "$gpube" info --dot graph --svg "$work/none.svg" $x/zebra.wcsp
that 'no file then' [ ! -e "$work/none.svg" ]
printf '#!/bin/sh\nexit 3\n' > "$work/dot"
chmod +x "$work/dot"
row 'Graphviz fails' 1 '' "^gpube: Graphviz's 'dot' failed\$" \
	env PATH="$work" "$gpube" info --dot graph --svg "$work/none.svg" $x/zebra.wcsp
that 'no file then, either' [ ! -e "$work/none.svg" ]
if command -v dot > /dev/null 2>&1; then
	for picture in graph pseudotree buckets decomposition; do
		row "SVG: $picture, and the report" 0 '^order       width' '' "$gpube" info --dot $picture --svg "$work/$picture.svg" $x/exams.cfn
		that "SVG: $picture, drawn" grep -q '^<svg' "$work/$picture.svg"
	done
	row '--svg is of the graph' 0 '^order       width' '' "$gpube" info --svg "$work/itself.svg" $x/exams.cfn
	that 'it is' cmp -s "$work/graph.svg" "$work/itself.svg"
	row '--svg of an order that is written, too' 0 '*' '' \
		"$gpube" info --svg "$work/itself.svg" --write-order "$work/written.order" $x/exams.cfn
	row '--svg goes where it can' 1 '' "cannot write '/nowhere/a.svg'" "$gpube" info --svg /nowhere/a.svg $x/exams.cfn
	"$gpube" generate grid -n 196 -d 3 -o "$work/grid.wcsp"
	row '--svg of 196 variables' 0 '196 variables' '' "$gpube" info --svg "$work/grid.svg" "$work/grid.wcsp"
	that 'all of them' grep -q '^<svg' "$work/grid.svg"
	that 'of many, names alone' sh -c "'$gpube' info --dot graph '$work/grid.wcsp' | grep -q 'v7 .label=\"[^\\\\]*\", tooltip'"
else
	skip 'SVG' 'no Graphviz'
fi

# ---- the order, and its clusters as a decomposition, in files
width() { # FILE OPTION…: of the elimination
	"$gpube" info --json --no-simplify "$@" | sed -n 's/.*"width": \([0-9]*\).*/\1/p'
}
for f in zebra.wcsp exams.cfn sprinkler.uai; do
	for to in order cov cov.gz; do
		row "$f: written as .$to" 0 '^order +width' '' "$gpube" info --write-order "$work/o.$to" "$x/$f"
		that "$f: the width that is read from .$to" [ "$(width "$x/$f")" = "$(width --order-file "$work/o.$to" "$x/$f")" ]
	done
	that "$f: an order of all variables" [ "$(sort -n "$work/o.order" | tail -1)" = \
		"$(($("$gpube" info --json "$x/$f" | sed -n 's/.*"decimals": [0-9]*, "variables": \([0-9]*\).*/\1/p') - 1))" ]
done
if command -v toulbar2 > /dev/null 2>&1; then
	"$gpube" info --write-order "$work/z.cov" $x/zebra.wcsp > "$work/out"
	that 'toulbar2 reads the decomposition' sh -c \
		"toulbar2 $x/zebra.wcsp '$work/z.cov' -B=1 | grep -q '^Optimum: 0 '"
else
	skip 'toulbar2 reads the decomposition' 'no toulbar2'
fi
row 'an order needs an elimination' 2 '' 'which --dot pseudotree has not$' \
	"$gpube" info --write-order "$work/o" --dot pseudotree $x/zebra.wcsp
row 'an order that cannot be written' 1 '*' "^gpube: cannot write '/nonexistent/x'" \
	"$gpube" info --write-order /nonexistent/x $x/zebra.wcsp

# ---- densities
row 'densities' 0 '^densities +[0-9]+ % \([0-9]+\)' '' "$gpube" info $x/zebra.wcsp
printf 'x 2 10 2 9\n10 10\n2 0 1 0 1\n3 4 5\n2 0 1 0 12\n%s' \
	"$(for i in 0 1 2 3 4 5 6 7 8 9; do echo "$i 0 2"; done; printf '0 1 2\n1 1 2\n')" > "$work/d.wcsp"
row 'densities: 1 and 12 of 100 cells' 0 '^densities +1 % \(1\), 20 % \(1\)$' '' "$gpube" info "$work/d.wcsp"
row 'densities: JSON' 0 '"densities_percent": \{"1": 1, "20": 1\}' '' "$gpube" info --json "$work/d.wcsp"
row 'densities: potentials' 0 '^densities +0 % \(1\)$' '' "$gpube" info "$work/one.uai"
# ---- bounds over time
row 'solve --plot' 0 '^optimum +4.30' '' "$gpube" solve -q --plot "$work/p.svg" $x/exams.cfn
that 'plot: two lines of steps' count 2 '^<path class="\(lower\|upper\)" .*d="M[0-9. HV]*"/>' "$work/p.svg"
that 'plot: they end at the optimum' count 1 '>optimum 4.30</text>' "$work/p.svg"
that 'plot: where they have met both are seen' count 1 '^<path class="met" .*stroke-dasharray' "$work/p.svg"
that 'plot: the title' grep -q 'exams.cfn: the optimum is proved' "$work/p.svg"
that 'plot: they end at the same height' [ "$(sed -n '/"lower"\|"upper"/s/.*[VM][0-9. H]*[ V]\([0-9.]*\) H[0-9]*".*/\1/p' "$work/p.svg" | sort -u | wc -l)" = 1 ]
row 'plot: nothing is allowed' 0 '^infeasible' '' "$gpube" solve -q --plot "$work/n.svg" "$work/none.wcsp"
that 'plot: no number where there is none' sh -c "! grep -q '>lower' '$work/n.svg'"
that 'plot: says so' grep -q 'every assignment is forbidden (proved)</text>' "$work/n.svg"
"$gpube" generate random --p2 0 -n 90 -d 12 -o "$work/hard.wcsp"
row 'plot: after a stop with both bounds' 1 '^incomplete' ', upper bound ' \
	end_at INT 'lower bound [0-9]+, upper bound' "$gpube" solve --plot "$work/t.svg" "$work/hard.wcsp"
that 'plot: says that nothing is proved' grep -q 'hard.wcsp: not proved</text>' "$work/t.svg"
that 'plot: and has both lines' count 2 '^<path class="\(lower\|upper\)"' "$work/t.svg"
that 'plot: and the gap below, which is open' count 1 '^<path class="gap".*' "$work/t.svg"
that 'plot: with its percents' grep -q '>gap [0-9.]* %</text>' "$work/t.svg"
if command -v xmllint > /dev/null 2>&1; then
	that 'plot: XML' xmllint --noout "$work/p.svg" "$work/n.svg" "$work/t.svg"
fi
row 'plot: a maximum' 0 '' '' sh -c "printf '%s' '{problem: {name: \"most\", mustbe: \">-9.0\"}, variables: {a: 2, b: 2}, functions: {f: {scope: [a, b], costs: [0.5, -1.5, 3.2, 7.1]}}}' > '$work/most.cfn'; '$gpube' solve -q --plot '$work/m.svg' -o '$work/m' '$work/most.cfn'"
that 'plot: of a maximum, its end' count 1 '>optimum 7.1</text>' "$work/m.svg"

# ---- posteriors and structures
row 'infer --plot' 0 '^log10 Z' '' "$gpube" infer --task MAR --observe rain=yes --plot "$work/b.svg" $x/sprinkler.bif
that 'posteriors: a bar as long as a probability' grep -q 'width="88.0" height="13.0" fill="#1f6bab"' "$work/b.svg"
that 'posteriors: every value' count 8 '>\(no\|yes\|off\|on\|dry\|wet\)</text>' "$work/b.svg"
that 'posteriors: what is observed' count 1 '>observed</text>' "$work/b.svg"
row 'infer --plot of another task' 2 '' '^gpube: --plot is for --task MAR' "$gpube" infer --plot "$work/x.svg" $x/sprinkler.bif
{
	echo 'network odd { }'
	echo 'variable "a<b>&c" { type discrete [ 30 ] {' "$(seq -s ', ' -f 'v%g' 30)" '}; }'
	echo 'probability ( "a<b>&c" ) { table' "$(seq 30 | sed 's/.*/0.1/' | paste -sd ,)" '; }'
} > "$work/odd.bif"
row 'posteriors: many values' 0 '*' '*' "$gpube" infer --task MAR --plot "$work/o.svg" "$work/odd.bif"
that 'posteriors: as many as are readable' grep -q '>and 6 more values</text>' "$work/o.svg"
that 'posteriors: names are escaped' grep -q '>a&lt;b>&amp;c</text>' "$work/o.svg"
printf 'csg 3 int32\ndefault 0\n{1} 5\n{2,3} 7\n{1,2,3} -2\n' > "$work/three.csg"
row 'csg --plot' 0 '^value +12' '' "$gpube" csg --plot "$work/c.svg" "$work/three.csg"
that 'structure: its agents' count 3 '^<circle' "$work/c.svg"
that 'structure: what coalitions are worth' sh -c "grep -o '>[57]</text>' '$work/c.svg' | tr -dc 57 | grep 75"
that 'structure: the title' grep -q 'three.csg: value 12, the proved maximum, 2 coalitions of 3 agents' "$work/c.svg"
row 'csg --plot: no place' 1 '' "^gpube: cannot write '/nonexistent/x'" "$gpube" csg --plot /nonexistent/x "$work/three.csg"
if command -v xmllint > /dev/null 2>&1; then
	that 'bars: XML' xmllint --noout "$work/b.svg" "$work/o.svg" "$work/c.svg"
fi
# ---- equilibria: at 3/5 and 2/5 both lines bend, 360 pixels are 1
printf 'NFG 1 R "x" { "her" "him" } { { "opera" "boxing" } { "opera" "boxing" } }\n\n3 2 0 0 0 0 2 3\n' > "$work/sexes.nfg"
row 'nash --svg' 0 '^equilibria +3' '' "$gpube" nash --svg "$work/sexes.svg" "$work/sexes.nfg"
that 'nash: a dot for each equilibrium' count 3 '^<circle' "$work/sexes.svg"
that 'nash: the mixed one' grep -q 'cx="296.0" cy="278.0"' "$work/sexes.svg"
that 'nash: best responses of player 1' grep -q 'class="responses1".*d="M80.0 422.0L80.0 278.0L440.0 278.0L440.0 62.0"' "$work/sexes.svg"
that 'nash: best responses of player 2' grep -q 'class="responses2".*d="M80.0 422.0L296.0 422.0L296.0 62.0L440.0 62.0"' "$work/sexes.svg"
that 'nash: its strategies' grep -q 'opera 3/5, boxing 2/5</text>' "$work/sexes.svg"
printf 'NFG 1 R "x" { "a" "b" } { 2 2 }\n\n1 1 1 0 1 0 1 1\n' > "$work/same.nfg"
row 'nash --svg: all is a best response' 0 '"regular": false, .*"v": "1"\}\]\}$' '' "$gpube" nash --json --svg "$work/same.svg" "$work/same.nfg"
that 'nash: a square of best responses' count 1 'class="responses1" x="80.0" y="62.0" width="360"' "$work/same.svg"
that 'nash: equilibria on three lines' count 3 'stroke="black" stroke-width="2"' "$work/same.svg"
"$gpube" generate nash -n 4 --game win-lose --seed 5 -o "$work/lose.nfg"
row 'nash --svg of more actions' 0 '"n_components": 1' '' "$gpube" nash --json --components --svg "$work/lose.svg" "$work/lose.nfg"
that 'nash: an edge for each equilibrium' [ "$(sed -n 's/.*class="edge".*\( d=.*\)/\1/p' "$work/lose.svg" | sort -u | wc -l)" = \
	"$("$gpube" nash --json "$work/lose.nfg" | sed -n 's/.*"n_equilibria": \([0-9]*\).*/\1/p')" ]
that 'nash: the component' grep -q '>component 1: 5 and 4 strategies, 6 maximal Nash subsets<' "$work/lose.svg"
row 'nash --svg: what was asked for' 0 '' '' "$gpube" nash --pure --svg "$work/pure.svg" -o "$work/pure" "$work/lose.nfg"
that 'nash: no components then' sh -c "grep -q 'those asked for' '$work/pure.svg' && ! grep -q component '$work/pure.svg'"
row 'nash --svg: nothing is kept' 2 '' 'no --stream' "$gpube" nash --stream --output gambit --svg "$work/x.svg" "$work/lose.nfg"
row 'nash --svg: a file that cannot be written' 1 '' "^gpube: cannot write '/nonexistent/x'" \
	"$gpube" nash --svg /nonexistent/x "$work/lose.nfg"
printf 'NFG 1 R "x" { "a" "b" } { { "<x> & \377" "y" } { 2 } }\n\n1 1 1 1 1 1 1 1\n' | sed 's/{ 2 }/{ "\x01" "z" }/' > "$work/odd.nfg"
row 'nash --svg: names that are no words' 0 '^game' '' "$gpube" nash --svg "$work/odd.svg" "$work/odd.nfg"
that 'nash: they are escaped' grep -q 'player 1 plays &lt;x> &amp; .*</text>' "$work/odd.svg"
printf 'NFG 1 R "x" { "a" "b" } { 2 2 }\n\n999999999999999999 1 999999999999999998 2 1 2 1 1\n' > "$work/near.nfg"
row 'nash --svg: payoffs that doubles take for one' 0 '^equilibria' '' "$gpube" nash --svg "$work/near.svg" "$work/near.nfg"
that 'nash: a line all the same' grep -q 'class="responses1".*d="M80.0 422.0L440.0 422.0L440.0 62.0"' "$work/near.svg"
printf 'NFG 1 R "x" { "a" "b" } { 2 2 }\n\n99999999999999999999 2 1 2 1 1 1 1\n' > "$work/past.nfg"
row 'nash --svg: the result without a picture' 1 '^equilibria' '^gpube: a payoff passes 64 bits$' \
	"$gpube" nash --svg "$work/past.svg" "$work/past.nfg"
that 'nash: no file then' [ ! -e "$work/past.svg" ]
if command -v xmllint > /dev/null 2>&1; then
	that 'nash: XML' xmllint --noout "$work/odd.svg" "$work/near.svg" "$work/sexes.svg" "$work/same.svg" "$work/lose.svg" "$work/pure.svg"
fi
row 'plot: a file that cannot be written' 1 '' "^gpube: cannot write '/nonexistent/x'" \
	"$gpube" solve --plot /nonexistent/x $x/exams.cfn
plan
