#!/bin/sh
# Every command of benchmarks/papers/README.md runs, its smallest row that is; every run that it names
# is there; and the papers' own examples come out as printed.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
page=benchmarks/papers/README.md
PATH=$(cd "$(dirname "$gpube")" && pwd):$PATH
card=$("$gpube" devices | grep -c '^gpu  *none')

# the first program of a pipe counts, too, where the shell can say so
shell='sh'
command -v bash > /dev/null && shell='bash -o pipefail'

# the second and the third column, without their quotes: the command, a tab, what it prints
awk -F ' [|] ' '/^\|/ && $2 ~ /^`.*`$/ {gsub(/^`|`$/, "", $2); gsub(/\\\|/, "|", $2); gsub(/^`|`$/, "", $3); print $2 "\t" $3}' "$page" |
	sort -u > "$work/commands"
that 'there are commands' [ "$(wc -l < "$work/commands")" -gt 30 ]
that 'each says what it prints' sh -c "awk -F '\t' '\$2 == \"\"' '$work/commands' | tee /dev/stderr | wc -l | grep -qx ' *0'"
that 'none ends without a solution' sh -c "! grep -i infeasible '$work/commands'"
tab=$(printf '\t')
while IFS=$tab read -r command prints; do
	case $command in
	*benchmarks/*.py*) command -v python3 > /dev/null || { skip "$command" 'no python3'; continue; } ;;
	esac
	case $command in
	*DATA/*) [ -d "${GPUBE_DATA:-/nowhere}" ] || { skip "$command" 'GPUBE_DATA is not set'; continue; } ;;
	esac
	printf '%s\n' "$command" | sed "s|DATA/|$GPUBE_DATA/|g; s|build/gpube|$gpube|g" > "$work/line"
	# without a card the processor's answer, which is the same; its baselines would take half a minute for so many agents
	[ "$card" = 0 ] || sed -i 's/--backend cuda --method i*dp /--backend cpu --method conv /; s/--backend cuda/--backend cpu/' "$work/line"
	$shell "$work/line" > "$work/out" 2> "$work/err" < /dev/null
	status=$?
	tr -s ' ' < "$work/out" > "$work/said"
	that "$command ends well" [ "$status" = 0 ]
	that "$command prints $prints" grep -qF -e "$prints" "$work/said"
done < "$work/commands"

grep -o ']([^)]*)' "$page" | sed 's/^](//; s/)$//; /^http/d' | sort -u > "$work/links"
that 'runs are named' [ "$(grep -c '^\.\./runs/' "$work/links")" -gt 5 ]
while read -r link; do
	that "$link is there" test -e "benchmarks/papers/$link"
done < "$work/links"
grep -Eo 'benchmarks/[a-z_/]+\.(py|gp)|bench_[a-z]+' "$page" | sort -u > "$work/scripts"
that 'scripts are named' [ "$(wc -l < "$work/scripts")" -gt 4 ]
while read -r name; do
	case $name in
	bench_*) that "$name is there" sh -c "ls benchmarks/$name.c*" ;;
	*) that "$name is there" test -e "$name" ;;
	esac
done < "$work/scripts"

# what a script has made of recorded figures is what it makes of them today
runs=benchmarks/runs/papers-h200
if command -v python3 > /dev/null; then
	python3 benchmarks/papers/gpube_mbe.py table $runs/mbe.csv > "$work/mbe.md"
	tail -n +2 $runs/mbe.md > "$work/recorded.md"
	that "GpuBE's tables 6 to 10 are those of mbe.csv" cmp -s "$work/mbe.md" "$work/recorded.md"
	python3 benchmarks/papers/gpube_mbe.py table $runs/mbe-paper.csv > "$work/mbe.md"
	tail -n +2 $runs/mbe-paper.md > "$work/recorded.md"
	that 'the same at the z of the paper are those of mbe-paper.csv' cmp -s "$work/mbe.md" "$work/recorded.md"
	{
		for p2 in 0 0.9; do
			printf '# p2 = %s\n\n' $p2
			python3 benchmarks/be_tables.py benchmarks/runs/tables-h200/tables-cuda.csv benchmarks/runs/tables-h200/tables-cores.csv --p2 $p2 \
				--each benchmarks/runs/tables-h200/each-cuda.csv.xz benchmarks/runs/tables-h200/each-core.csv.xz benchmarks/runs/tables-h200/each-cores.csv.xz
			echo
		done
	} > "$work/tables.md"
	that "GpuBE's tables 1 to 3 are those of their csv" cmp -s "$work/tables.md" benchmarks/runs/tables-h200/tables.md
	python3 benchmarks/papers/subsets.py > "$work/subsets.md"
	tail -n "$(wc -l < "$work/subsets.md")" $runs/subsets.md > "$work/recorded.md"
	that 'the share of wrong subsets is what is counted' cmp -s "$work/subsets.md" "$work/recorded.md"
else
	skip 'recorded tables' 'no python3'
fi
if command -v python3 > /dev/null; then
	cat > "$work/two.dzn" << 'end'
costs= [1000,100,10,1];
categories= [{16,254,30,268}];
domains= [1,1,1,1];
hardctrx= [1,3];
hardctry= [2,4];
hardctrk= [238,238];
softctrx= [1,2];
softctry= [3,3];
softctrk= [5,300];
softctrw= [1,2];
end
	python3 benchmarks/papers/instances.py celar "$work/two.dzn" > "$work/two.wcsp"
	that 'two pairs of frequencies are two variables' sh -c "head -3 $work/two.wcsp | paste -sd: | grep -qx 'celar 2 4 1 1101:4 4:2 0 1 0 16'"
	that 'costs of both of a pair are added' sh -c "grep -qx '2 2 1100' $work/two.wcsp && grep -qx '2 3 100' $work/two.wcsp"
	row 'a part is found in itself' 0 '^celar 2 4 1 1101$' '' python3 benchmarks/papers/instances.py celar "$work/two.dzn" \
		--part "$work/two.wcsp" --of "$work/two.dzn"
	printf 'three 3 3 4 100\n2 3 2\n1 0 5 1\n1 2\n2 0 1 0 1\n0 1 7\n2 2 1 4 1\n1 2 0\n0 3 0\n' > "$work/three.wcsp"
	python3 benchmarks/papers/instances.py first 2 "$work/three.wcsp" | paste -sd' ' > "$work/first"
	that 'the first variables keep their own functions' grep -qx 'three-first-2 2 3 3 100 2 3 1 0 5 1 1 2 2 0 1 0 1 0 1 7 0 3 0' "$work/first"
else
	skip 'parts of instances' 'no python3'
fi
# what a run folder says rests on files of figures beside it
for folder in benchmarks/runs/*/; do
	that "$folder has its raw file" sh -c "ls '$folder' | grep -vx README.md | grep -q ."
done
for svg in benchmarks/runs/*/*.svg; do
	that "$svg: its README says how it is drawn" grep -Eq "> ?${svg##*/}|\.gp|\.py" "${svg%/*}/README.md"
done
if command -v gnuplot > /dev/null; then
	for plot in figure10:networks.md supports:se.tsv kernels:kernels.md; do
		gnuplot -e "data='$runs/${plot#*:}'" "benchmarks/papers/${plot%:*}.gp" > "$work/plot.svg" 2> "$work/err"
		that "$plot is drawn of its figures" grep -q '</svg>' "$work/plot.svg"
	done
	gnuplot -e "data='$runs/coalitions.tsv'; cores='$runs/idp.tsv'; papers='benchmarks/csg_papers.csv'" benchmarks/papers/coalitions.gp > "$work/plot.svg" 2> "$work/err"
	that 'coalitions are drawn of their figures' grep -q '</svg>' "$work/plot.svg"
else
	skip 'plots' 'no gnuplot'
fi
grep '^| [a-z0-9]*\.\(md\|tsv\)' $runs/README.md > "$work/made"
that 'runs are listed' [ "$(wc -l < "$work/made")" -gt 5 ]
that 'each with its commit' [ "$(grep -Ec '[| ][0-9a-f]{7} \|$' "$work/made")" = "$(wc -l < "$work/made")" ]
for file in "$runs"/*; do
	[ "${file##*/}" = README.md ] || that "$file is listed" grep -q "${file##*/}" $runs/README.md
done

row 'the auction of the report' 0 '^revenue +13, the proved maximum$' '' "$gpube" auction benchmarks/papers/auction.txt
row 'its winners' 0 '^bundles +\{1,2\} \{3\}$' '' "$gpube" auction benchmarks/papers/auction.txt
for m in dp idp conv lp; do
	row "figure 1 of IDP^G, by $m" 0 '^value +130, the proved maximum$' '' "$gpube" csg --method $m benchmarks/papers/four_agents.txt
done
row 'the example of GPU-SE' 0 '^equilibria +3, all' '' "$gpube" nash --method se benchmarks/papers/example.nfg
"$gpube" nash --method se benchmarks/papers/example.nfg > "$work/out"
that 'its mixed equilibrium' grep -Eq '5/8, .* 3/8|3/8, .* 5/8' "$work/out"
plan
