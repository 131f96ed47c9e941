#!/bin/sh
# Every command of benchmarks/papers/README.md runs, its smallest row that is; every run that it names
# is there; and the papers' own examples come out as printed.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
page=benchmarks/papers/README.md
PATH=$(cd "$(dirname "$gpube")" && pwd):$PATH
card=$("$gpube" devices | grep -c '^gpu  *none')

# the second column, without its quotes
awk -F ' [|] ' '/^\|/ && $2 ~ /^`.*`$/ {gsub(/^`|`$/, "", $2); gsub(/\\\|/, "|", $2); print $2}' "$page" |
	sort -u > "$work/commands"
that 'there are commands' [ "$(wc -l < "$work/commands")" -gt 30 ]
while read -r command; do
	case $command in
	*--backend\ cuda*) [ "$card" = 0 ] || { skip "$command" 'no device'; continue; } ;;
	*benchmarks/*.py*) command -v python3 > /dev/null || { skip "$command" 'no python3'; continue; } ;;
	esac
	case $command in
	*DATA/*) [ -d "${GPUBE_DATA:-/nowhere}" ] || { skip "$command" 'GPUBE_DATA is not set'; continue; } ;;
	esac
	printf '%s\n' "$command" | sed "s|DATA/|$GPUBE_DATA/|g; s|build/gpube|$gpube|g" > "$work/line"
	row "$command" 0 '*' '*' sh "$work/line"
done < "$work/commands"

grep -o '(\.\./runs/[^)]*)' "$page" | tr -d '()' | sort -u > "$work/runs"
that 'runs are named' [ "$(wc -l < "$work/runs")" -gt 5 ]
while read -r run; do
	that "$run is there" test -e "benchmarks/papers/$run"
done < "$work/runs"

row 'the auction of the report' 0 '^revenue +13, the proved maximum$' '' "$gpube" auction benchmarks/papers/auction.txt
row 'its winners' 0 '^bundles +\{1,2\} \{3\}$' '' "$gpube" auction benchmarks/papers/auction.txt
for m in dp idp ip idp-ip conv lp; do
	row "figure 1 of IDP^G, by $m" 0 '^value +130, the proved maximum$' '' "$gpube" csg --method $m benchmarks/papers/four_agents.txt
done
row 'the example of GPU-SE' 0 '^equilibria +3, all' '' "$gpube" nash --method se benchmarks/papers/example.nfg
"$gpube" nash --method se benchmarks/papers/example.nfg > "$work/out"
that 'its mixed equilibrium' grep -Eq '5/8, .* 3/8|3/8, .* 5/8' "$work/out"
plan
