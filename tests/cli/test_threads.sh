#!/bin/sh
# What commands find on four threads is what they find on one, in whatever time; make tsan runs this, too, for data races.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
# threads come to a search at once: the models end before that
export GPUBE_TEST_THREADS=together
"$gpube" generate random -n 16 -d 5 --p1 0.4 --p2 0.1 --seed 4 -o "$work/random.wcsp"
"$gpube" generate grid -n 36 -d 4 --seed 2 -o "$work/grid.wcsp"
"$gpube" convert -q --lossy "$work/random.wcsp" "$work/random.uai"
"$gpube" generate csg -n 12 --seed 3 --dist ndcs -o "$work/g.csg"
"$gpube" generate nash --game coordination -n 6 -o "$work/n.nfg"

# NAME PATTERN COMMAND…: the lines of the answer that the pattern is of
same() {
	name=$1 pattern=$2
	shift 2
	"$gpube" "$@" --threads 1 2> /dev/null | grep -E "$pattern" | sed 's/, after .*//' > "$work/alone"
	"$gpube" "$@" --threads 4 > "$work/together" 2> "$work/err"
	end=$?
	grep -E "$pattern" "$work/together" | sed 's/, after .*//' > "$work/lines"
	grep -E 'ThreadSanitizer|data race' -A 12 "$work/err" | sed 's/^/# /'
	that "$name" sh -c "[ $end = 0 ] && [ -s '$work/alone' ] && cmp '$work/alone' '$work/lines'"
}

same 'solve' '^optimum ' solve -q "$work/random.wcsp"
same 'solve by elimination' '^(optimum|assignment) ' solve -q --method eliminate "$work/random.wcsp"
same 'solve --count' '^(optimum|optima) ' solve -q --count "$work/random.wcsp"
same 'solve in slices' '^optimum ' solve -q --method eliminate --no-simplify --order min-fill --memory 30K "$work/random.wcsp"
for method in auto mbe arc ascent 'ascent --regions nested' tree; do
	"$gpube" bound -q --method $method --timeout 60s --threads 4 "$work/random.wcsp" > "$work/out" 2> "$work/err"
	end=$?
	grep -E 'ThreadSanitizer|data race' -A 12 "$work/err" | sed 's/^/# /'
	that "bound --method $method" sh -c "[ $end = 0 ] && grep -Eq '^(optimum|lower) ' '$work/out'"
done
"$gpube" reparam -q --check --threads 4 --timeout 2s -o "$work/r.cfn" "$work/grid.wcsp" > "$work/out" 2> "$work/err"
that 'reparam' test $? = 0
for method in auto lp conv dp idp; do
	same "csg --method $method" '^(value|structure) ' csg -q --method $method "$work/g.csg"
done
same 'csg: a generated game' '^(value|structure) ' csg -q --method conv --generate uniform -n 14
same 'nash' '^(equilibria|[0-9]+ )' nash -q "$work/n.nfg"
for method in eee ve se; do
	same "nash --method $method" '^equilibria ' nash -q --method $method "$work/n.nfg"
done
same 'dpop' '^optimum ' dpop -q --agent-threads 2 "$work/random.wcsp"
same 'dpop --z' '^bounds ' dpop -q --z 3 "$work/random.wcsp"
for task in PR MAR; do
	same "infer --task $task" '^(log10|marginals|  +[0-9]+: )' infer -q --task $task "$work/random.uai"
done
plan
