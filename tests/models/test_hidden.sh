#!/bin/sh
# Functions that are too wide for a table: hidden variables are in the model and in no answer.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

# wide N KEYWORD-AND-PARAMETERS: N variables of two values, each costs 1 at its value 1 but the last, which costs 9
wide() {
	awk -v n="$1" -v call="$2" 'BEGIN {
		printf "wide %d 2 %d 1000\n", n, n + 1
		for (i = 0; i < n; i++) printf "2 "
		printf "\n%d", n
		for (i = 0; i < n; i++) printf " %d", i
		printf " -1 %s\n", call
		for (i = 0; i < n; i++) printf "1 %d 0 1 1 %d\n", i, i < n - 1 ? 1 : 9
	}'
}

# answers NAME COST COUNT: of $work/x.wcsp
answers() {
	"$gpube" solve --count "$work/x.wcsp" > "$work/out" 2> "$work/err" &&
		awk -v cost="$2" -v count="$3" '$1 == "optimum" { c = $2 == cost "," || cost == $2 }
			$1 == "optima" { n = $2 == count } END { exit !(c && n) }' "$work/out"
	if [ $? = 0 ]; then ok "$1"; else
		not_ok "$1"
		sed 's/^/# /' "$work/out" "$work/err"
	fi
}

# how many of 39 cheap ones out of n: their number is a binomial coefficient
wide 40 'wsum hard 1000 == 3' > "$work/x.wcsp"
answers 'a sum of 40 variables' 3 9139
wide 40 'wsum lin 2 >= 1' > "$work/x.wcsp"
answers 'a soft sum' 1 39
wide 40 'wamong hard 1000 1 1 2 2' > "$work/x.wcsp"
answers 'a number of variables among values' 2 741
wide 40 'gcc 1 1 38 40 0' > "$work/x.wcsp"
answers 'how often a value comes' 38 39
wide 40 "wdiverse 2 $(yes 0 | head -n 40 | tr '\n' ' ')" > "$work/x.wcsp"
answers 'a distance' 2 741
wide 40 "knapsack 1000000000000 $(yes 500000000000 | head -n 40 | tr '\n' ' ')" > "$work/x.wcsp"
answers 'a knapsack of large weights' 2 741
wide 40 'sregular var 1000 3 1 0 1 2 5 0 0 0 0 1 1 1 0 1 1 1 2 2 0 2' > "$work/x.wcsp"
answers 'a regular language: at least two' 2 741
wide 40 'max 0 2 0 1 5 3 1 7' > "$work/x.wcsp"
answers 'the largest of many' 0 1
wide 40 'wsum hard 1000 == 41' > "$work/x.wcsp"
that 'no assignment is allowed' sh -c '"$1" solve "$2" | grep -q "^infeasible"' - "$gpube" "$work/x.wcsp"

wide 40 'wsum hard 1000 == 2' > "$work/x.wcsp"
"$gpube" solve --output sol "$work/x.wcsp" -o "$work/x.sol" > /dev/null 2>&1
that 'a solution has the variables of the file' [ "$(wc -w < "$work/x.sol")" = 40 ]
"$gpube" solve --json "$work/x.wcsp" > "$work/out"
that 'JSON says how many are hidden' grep -q '"variables": 40, "hidden_variables": 39' "$work/out"
that 'JSON has an assignment of the others' \
	[ "$(sed 's/.*"assignment": \[\([^]]*\)\].*/\1/' "$work/out" | tr ',' '\n' | wc -l)" = 40 ]
that 'info says how many are hidden' \
	sh -c '"$1" info "$2" | grep -q "^model  *40 and 39 hidden variables"' - "$gpube" "$work/x.wcsp"
echo "$(yes 0 | head -n 38 | tr '\n' ' ') 1 1" > "$work/y.sol"
"$gpube" bound "$work/x.wcsp" --sol "$work/y.sol" --method mbe --timeout 0.000001s > "$work/out" 2>&1
that 'a solution without them is completed' grep -q '10' "$work/out"
awk 'BEGIN { for (i = 39; i >= 0; i--) print i }' > "$work/x.order"
"$gpube" solve "$work/x.wcsp" --order-file "$work/x.order" > "$work/out" 2>&1
that 'an order without them is taken' grep -q '^optimum  *2,' "$work/out"
that 'and has a width of two' grep -q '^plan  *width [23],' "$work/out"
"$gpube" convert "$work/x.wcsp" "$work/x.cfn" --check > "$work/out" 2>&1
that '.cfn marks them' grep -q '"^wsum0_38": ' "$work/x.cfn"
"$gpube" solve --output sol "$work/x.cfn" -o "$work/y.sol" > /dev/null 2>&1
that 'and they are hidden again' [ "$(wc -w < "$work/y.sol")" = 40 ]
"$gpube" convert "$work/x.wcsp" "$work/y.wcsp" > "$work/out" 2>&1
that '.wcsp has them as others, which is said' grep -q 'cannot hide variables: 39' "$work/out"
that 'and the same optimum' sh -c '"$1" solve "$2" | grep -q "^optimum  *2,"' - "$gpube" "$work/y.wcsp"
that 'dpop leaves them out' \
	[ "$("$gpube" dpop --json "$work/x.wcsp" | sed 's/.*"assignment": \[\([^]]*\)\].*/\1/' | tr ',' '\n' | wc -l)" = 40 ]

wide 60 "knapsack 15000000000 $(awk 'BEGIN { for (i = 1; i <= 60; i++) printf "%d\n", (i * i * 104729 * 7919) % 1000000007 }' |
	tr '\n' ' ')" > "$work/x.wcsp"
"$gpube" info "$work/x.wcsp" > "$work/out" 2>&1
that 'a sum of too many values is refused by name' \
	grep -q 'knapsack over 60 variables has 1152921504606846976 tuples: .* as chains 59 hidden variables and [0-9]* cells or more: .* 4194304 of one' "$work/out"
plan
