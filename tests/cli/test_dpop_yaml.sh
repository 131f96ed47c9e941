#!/bin/sh
# dpop on pyDCOP's own example problems, as its documentation prints them, at the costs that it
# states: the getting-started problem, the AAMAS 2019 tutorial's, and the simple SECP.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

cat > "$work/3agts.yaml" << 'END'
name: graph coloring
objective: min
domains:
  colors: {values: [R, G]}
variables:
  v1: {domain: colors}
  v2: {domain: colors}
  v3: {domain: colors}
constraints:
  pref_1: {type: extensional, variables: v1, values: {-0.1: R, 0.1: G}}
  pref_2: {type: extensional, variables: v2, values: {-0.1: G, 0.1: R}}
  pref_3: {type: extensional, variables: v3, values: {-0.1: G, 0.1: R}}
  diff_1_2: {type: intention, function: 10 if v1 == v2 else 0}
  diff_2_3: {type: intention, function: 10 if v3 == v2 else 0}
agents: [a1, a2, a3]
END
cat > "$work/tuto.yaml" << 'END'
name: graph coloring
objective: min
domains:
  colors: {values: [R, G], type: color}
variables:
  v1: {domain: colors}
  v2: {domain: colors}
  v3: {domain: colors}
  v4: {domain: colors}
constraints:
  c_1_2: {type: extensional, variables: [v1, v2], values: {5: R R, 8: R G, 20: G R, 3: G G}}
  c_1_3: {type: extensional, variables: [v1, v3], values: {5: R R, 10: R G, 20: G R, 3: G G}}
  c_2_3: {type: extensional, variables: [v2, v3], values: {5: R R, 4: R G, 3: G R | G G}}
  c_2_4: {type: extensional, variables: [v2, v4], values: {3: R R | G G, 8: R G, 10: G R}}
agents:
  a1: {capacity: 100}
  a2: {capacity: 100}
END
cat > "$work/secp.yaml" << 'END'
name: simple secp 1
objective: min
domains:
  luminosity: {values: [0, 1, 2, 3, 4], type: luminosity}
variables:
  l1: {domain: luminosity, cost_function: 0.7 * l1}
  l2: {domain: luminosity, cost_function: 0.5 * l2}
  l3: {domain: luminosity, cost_function: 0.2 * l3}
  m1: {domain: luminosity}
constraints:
  m1_c: {type: intention, function: 0 if m1 == round(0.7 * l1 + 0.5 * l2 + 0.3 * l3) else 1000}
  r1: {type: intention, function: 10 * (abs(m1 - 3) + abs(l2 - 3))}
agents:
  al1: {capacity: 100}
  al2: {capacity: 100}
  al3: {capacity: 100}
distribution_hints:
  must_host: {al1: [l1], al2: [l2], al3: [l3]}
END

if ! "$gpube" help dpop | grep -q yaml; then
	skip 'the examples of pyDCOP' 'this program was built without a reader of .yaml'
	plan
	exit
fi
row 'getting started: -0.1' 0 '^optimum +-0\.10*, ' '' "$gpube" dpop -q "$work/3agts.yaml"
row 'its assignment: R G R' 0 '^assignment  v1=R v2=G v3=R$' '' "$gpube" dpop -q "$work/3agts.yaml"
row '2 UTIL and 2 VALUE messages' 0 '^messages +2 UTIL, 2 VALUE' '' "$gpube" dpop -q "$work/3agts.yaml"
row 'tutorial: 12' 0 '^optimum +12(\.0*)?, ' '' "$gpube" dpop -q "$work/tuto.yaml"
row 'its assignment: G G G G' 0 '^assignment  v1=G v2=G v3=G v4=G$' '' "$gpube" dpop -q "$work/tuto.yaml"
row 'tutorial, ADPOP' 0 '^(optimum|bounds) ' '' "$gpube" dpop -q --z 2 "$work/tuto.yaml"
sed 's/objective: min/objective: max/' "$work/tuto.yaml" > "$work/max.yaml"
row 'tutorial, the maximum: 53' 0 '^optimum +53(\.0*)?, the proved maximum' '' "$gpube" dpop -q "$work/max.yaml"
# the rule is met with l2 = 3 and m1 = 3, which l3 = 4 makes cheapest: 3 * 0.5 + 4 * 0.2
row 'SECP: 2.3' 0 '^optimum +2\.30*, ' '' "$gpube" dpop -q "$work/secp.yaml"
row 'SECP: agents that the file says' 0 '^al2 ' '' "$gpube" dpop -q "$work/secp.yaml"
# north or west meets at 11, which costs 3; the plan at 11 would cost 2 more
row 'meetings: 3' 0 '^optimum +3, ' '' "$gpube" dpop -q examples/meetings.yaml
row 'south has two of the four variables' 0 '^south .* 2 +1 ' '' "$gpube" dpop -q examples/meetings.yaml
# Python's 'or' and 'and' are one of their operands, elsewhere they are truth values
for f in '-3 or v:-3' '0 or v - 5:-7' 'v and 4:0' '3 and v:-2' 'not v:0'; do
	printf 'name: a\nobjective: min\ndomains: {d: {values: [-2, 0, 3]}}\nvariables: {v: {domain: d}}\n%s\nagents: [a]\n' \
		"constraints: {c: {type: intention, function: '${f%:*}'}}" > "$work/truth.yaml"
	row "${f%:*} as in Python" 0 "^optimum +${f#*:}(\.0*)?, " '' "$gpube" dpop -q "$work/truth.yaml"
done
plan
