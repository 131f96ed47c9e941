#!/bin/sh
# daoopt: its two files, against enumeration over the pseudo tree that daoopt builds.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
row 'what it says' 0 '^then +daoopt -f .*uai -e .*/s\.evid -o .*/s\.ord -t 0 -i 2 --match=-1 --minibucket .*/s\.mb\.gz$' '' \
	"$gpube" daoopt -q --ibound 2 --to "$work/s" $x/sprinkler.uai
that 'evidence as daoopt reads it' [ "$(cat "$work/s.evid")" = '1 3 1' ]
row 'costs are refused' 1 '' 'daoopt reads \.uai models alone' "$gpube" daoopt --to "$work/s" $x/exams.cfn
row 'no name' 2 '' 'give --to' "$gpube" daoopt $x/sprinkler.uai
printf 'MARKOV 1 2 1 1 0 2 0 0\n' > "$work/none.uai"
row 'no probability' 1 '' 'no assignment has a probability above 0' "$gpube" daoopt --to "$work/s" "$work/none.uai"
printf '#!/bin/sh\necho "$@"\n' > "$work/stub" && chmod +x "$work/stub"
row 'the version is that of gpube' 0 '^gpube [0-9]+[.]' '' env GPUBE="$gpube" plugins/daoopt/daoopt-gpube --version
row 'daoopt-gpube hands files and options over' 0 '-i 2 --match=-1 .*-e .*/t\.evid --seed 1$' '*' \
	env GPUBE="$gpube" DAOOPT="$work/stub" plugins/daoopt/daoopt-gpube -q --ibound 2 $x/sprinkler.uai -- --seed 1

if command -v python3 > /dev/null; then
	for seed in 1 3 9; do
		python3 tests/cli/check_mb.py random $seed "$work/r.uai"
		for method in mbe shift; do
			for i in 1 2 9; do
				what=bound
				[ $i = 9 ] && what=exact
				"$gpube" daoopt -q --method $method --ibound $i --to "$work/r" "$work/r.uai" \
					> "$work/said" 2>&1
				if grep -q 'probability above 0' "$work/said"; then
					skip "seed $seed, $method, i-bound $i" 'it has no solution'
					continue
				fi
				that "seed $seed, $method, i-bound $i" python3 tests/cli/check_mb.py \
					check "$work/r.uai" "$work/r" $what
			done
		done
	done
else
	skip 'tables against enumeration' 'no python3'
fi
plan
