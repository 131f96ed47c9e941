#!/bin/sh
# benchmarks/schedule.py: a replay of made-up traces takes what can be counted by hand, a fit finds the method that
# proves, and a recording has all methods and is continued. The changes that benchmarks/ablate.py measures can
# be made in the sources as they are.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
if ! command -v python3 > /dev/null; then
	skip 'schedules' 'no python3'
	plan
	exit
fi
export PYTHONDONTWRITEBYTECODE=1
schedule=benchmarks/schedule.py

# The first order takes 100 ticks, costs moved between functions 10^4. In rounds of 6, 12, 24, 48 times 10^6 ticks a tree, or an
# AND/OR search, and a method that finds nothing have half each; after two idle turns only a half of that.
head='path,way,method,class,variables,cells,domain,arity,status,ticks,seconds,points'
rows() { # PATH TREE_TICKS
	cat << END
$1,tree,order,dense,0,0,2,2,done,100,0,100:1e15
$1,tree,tree,dense,0,0,2,2,proved,$2,0,$2:7:7
$1,pairwise,pairwise,dense,0,0,2,2,open,1e9,1,
END
}
{
	echo "$head"
	rows a/short.wcsp 4e6
	rows b/long.wcsp 3e7 | sed 's/tree,tree,dense/andor,andor,dense/; s/dense/sparse/; s/1e15/1e30/'
	rows b/tree.wcsp 3e7 # after its second turn what is left is less than a round
	# it predicts its end for what is left of the third round, and takes half of that
	rows c/narrow.wcsp 1e9 | sed s/1e15/3e7/
	echo "c/narrow.wcsp,eliminate,eliminate,dense,0,0,2,2,proved,1.5e7,0,0:3e7"
	# bounds of two methods meet: the tree's from below when it has 10^6 ticks, the other's from above
	rows d/meet.wcsp 1e9 | sed 's/1e9:7:7/1e6:5:9/; s/1e9,1,$/1e9,1,2e6:3:5/'
	rows e/open.wcsp 1e9 | sed s/proved/open/
	# a class of its own, where functions have three variables; its traces may not know that
	rows f/three.wcsp 4e6 | sed 's/dense,0,0,2,2/narrow,0,0,2,3/'
} > "$work/traces.csv"
cat > "$work/shares.c" << 'END'
	[GPUBE__CLASS_SPARSE] = {0, 0, 0, 0, 0, 50, 0, 0, 50, 0, 0, 0, 0},
	[GPUBE__CLASS_DENSE] = {0, 0, 0, 0, 0, 50, 50, 0, 0, 0, 0, 0, 0},
	[GPUBE__CLASS_NARROW_TERNARY] = {0, 0, 0, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0},
END
$schedule replay "$work/traces.csv" --shares "$work/shares.c" > "$work/replayed" 2>&1

has() { # NAME PATTERN
	that "$1" sh -c "grep -Eq '$2' '$work/replayed' || { cat '$work/replayed'; false; }"
}
has 'proved in the first round, after a turn of another' '^a/short.wcsp +dense +7010100 +4000100 tree +1\.75 '
has 'rounds double, and idle turns halve a share' '^b/long.wcsp +sparse +6\.90101e\+07 +3\.00001e\+07 andor +2\.30 '
has 'a tree predicts its end' '^b/tree.wcsp +dense +3\.90101e\+07 +3\.00001e\+07 tree +1\.30 '
has 'a method that predicts its end goes to it' '^c/narrow.wcsp +dense +3\.30101e\+07 +1\.50001e\+07 eliminate +2\.20 '
has 'bounds are shared' '^d/meet.wcsp +dense +4010100 +1e\+09 tree '
has 'what nothing proves is told' '^not proved by any method alone: e/open.wcsp$'
has 'functions of three variables make a class' '^f/three.wcsp +narrow ternary +4010100 +4000100 tree +1\.00 '
has 'ratios have a mean' '^sums .*, 6 files; geometric mean of the ratios, .*: [0-9.]+$'

grep -v '^[cdef]/' "$work/traces.csv" | xz -c > "$work/two.csv.xz"
$schedule fit "$work/two.csv.xz" --pull 0.01 --shares "$work/shares.c" > "$work/replayed" 2>&1
has 'a fit gives the method that proves its share' 'CLASS_SPARSE\] = \{0, [0-9]+, 0, 0, 0, 1, 0, 0, [5-9][0-9], 0, 0, 0, 0\},$'
has 'each family is left out in turn' '^\| b \| 2 \| 1\.73 \| '

cp examples/zebra.wcsp "$work/"
printf 'path\nrandom.wcsp\nzebra.wcsp\n' > "$work/INDEX.tsv"
"$gpube" generate random -n 12 -d 4 --p1 0.9 --p2 0 --seed 3 -o "$work/random.wcsp"
$schedule record "$work" --csv "$work/recorded.csv" --gpube "$gpube" --timeout 60 --only random > "$work/replayed" 2>&1
has 'a method alone is recorded' '^random.wcsp +tree +proved '
has 'and elimination' '^random.wcsp +eliminate +proved '
cp "$work/recorded.csv" "$work/once.csv"
$schedule record "$work" --csv "$work/recorded.csv" --gpube "$gpube" --only random > "$work/replayed" 2>&1
that 'what is recorded is not run again' cmp "$work/recorded.csv" "$work/once.csv"
cp "$work/recorded.csv" "$work/replayed"
has 'bounds by ticks' '^random.wcsp,(tree|joins|andor|pairwise),[a-z]+,(dense|narrow|sparse),12,[0-9]+,4,2,proved,.*[0-9]+:[0-9]+:[0-9]+$'
$schedule replay "$work/recorded.csv" > "$work/replayed" 2>&1
has 'and replayed' '^random.wcsp +[a-z ]+ +[0-9.e+]+ +[0-9.e+]+ [a-z]+ +[0-9.]+ +[0-9.e+]+$'
that 'each ablation can be made' python3 benchmarks/ablate.py check
sed 's/#define CUTSETS/#define CUT_SETS/' benchmarks/ablate.tsv > "$work/changes.tsv"
that 'one that cannot is refused' sh -c "! python3 benchmarks/ablate.py check --changes '$work/changes.tsv' > '$work/replayed' 2>&1"
has 'and named' "^gpube/relax/search.c: .#define CUT_SETS 0.5. is there 0 times$"
plan
