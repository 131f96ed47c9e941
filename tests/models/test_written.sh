#!/bin/sh
# Files that other programs wrote, and such as people report: written/optima.txt has what they are worth.
# benchmarks/formats-read.md says what of each format is read.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
written=tests/models/written

tab=$(printf '\t')
while IFS=$tab read -r file answer writer; do
	case $file in '#'*) continue ;; esac
	row "$file, $writer: $answer" 0 "^$(echo "$answer" | sed 's/\./\\./; s/ /  */')( |,|\$)" '' "$gpube" solve -q "$written/$file"
done < $written/optima.txt
that 'each file has a row' [ "$(sed '/^#/d' $written/optima.txt | cut -f 1 | sort)" = \
	"$(cd $written && printf '%s\n' * | grep -v '^optima.txt$' | sort)" ]

# ---- what is read, and told
row 'more decimals than toulbar2 keeps' 0 '*' 'toulbar2 cuts them off' "$gpube" solve --output sol $written/users_wsame.cfn
row 'what PuLP says in a comment' 0 '*' 'pulp.mps: the comment of PuLP that it is maximised is read by no solver' \
	"$gpube" solve --output sol $written/pulp.mps
row 'a second set of right sides' 0 '*' "highs442.mps:16: 'rhs2' is a second set, after" "$gpube" solve --output sol $written/highs442.mps
row 'an upper bound below 0' 0 '*' "cupdlpx102.mps:15: column 'x' is below 0 without a lower bound" "$gpube" solve --output sol $written/cupdlpx102.mps
plan
