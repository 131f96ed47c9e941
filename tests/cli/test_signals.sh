#!/bin/sh
# SIGTERM ends every command in any phase: it is sent at GPUBE_SIGNALS (1) random moments to each,
# and a command that ends by itself before is as good. What is looked for is a command that does not
# look for a stop: it gets a minute, which no machine should be too slow for.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

times=${GPUBE_SIGNALS:-1}
most=${GPUBE_SIGNAL_SECONDS:-60}

awk 'BEGIN { srand(7); n = 30000; m = 60000; printf "x %d 6 %d 100000\n", n, m
	for (i = 0; i < n; i++) printf "6 "; print ""
	for (k = 0; k < m; k++) { a = int(rand() * (n - 60)); b = a + 1 + int(rand() * 50)
		printf "2 %d %d 0 3\n0 %d 5\n1 %d 7\n2 %d 9\n", a, b, rand() * 6, rand() * 6, rand() * 6 } }' > "$work/wide.wcsp"
awk 'BEGIN { srand(7); n = 60; print "p edge", n, 1; for (i = 1; i <= n; i++) for (j = 1; j < i; j++) if (rand() < 0.5) print "e", i, j }' > "$work/dense.col"
echo 'p cnf 1000000 1
1 0' > "$work/declared.cnf"
awk 'BEGIN { print "p edge 90000 1"; for (i = 2; i <= 90000; i++) print "e 1", i }' > "$work/star.col"
awk 'BEGIN { n = 100000; print "p cnf", n, 1; for (i = 1; i <= n; i++) printf "%d ", i; print 0 }' > "$work/clause.cnf"
awk 'BEGIN { printf "MARKOV %d ", 40; for (i = 0; i < 40; i++) printf "20 "; print 780; for (i = 0; i < 40; i++) for (j = 0; j < i; j++) print 2, j, i
	srand(3); for (k = 0; k < 780; k++) { print 400; for (c = 0; c < 400; c++) printf "%.3f ", 0.01 + rand(); print "" } }' > "$work/dense.uai"
awk 'BEGIN { print "objective: min\ndomains:\n  d: {values: [0 .. 999]}\nvariables:"; for (i = 0; i < 40; i++) printf "  v%d: {domain: d}\n", i
	print "constraints:"; for (i = 1; i < 40; i++) printf "  c%d: {type: intention, function: abs(v%d - v%d) + v%d %% 7}\n", i, i, i - 1, i
	print "agents: [a]" }' > "$work/expanded.yaml"

"$gpube" generate nash -n 60 --seed 1 > "$work/game.nfg"
"$gpube" generate auction --seed 1 > "$work/bids.txt"

now() {
	date +%s%N
}

# ends NAME COMMAND…: does it end soon after a signal that comes SECONDS after its start?
ends() {
	name=$1
	shift
	k=0
	while [ $k -lt "$times" ]; do
		k=$((k + 1))
		# up to two seconds, short ones more often
		after=$(awk -v seed="$(now | tail -c 7)$k" 'BEGIN { srand(seed); r = rand(); printf "%.3f", 2 * r * r }')
		"$@" > "$work/out" 2> "$work/err" < /dev/null &
		pid=$!
		sleep "$after"
		sent=$(now)
		kill -TERM $pid 2> /dev/null
		waited=0
		while kill -0 $pid 2> /dev/null && [ $waited -lt $((most * 50)) ]; do
			sleep 0.02
			waited=$((waited + 1))
		done
		if kill -0 $pid 2> /dev/null; then
			kill -KILL $pid
			wait $pid 2> /dev/null
			not_ok "$name: SIGTERM after $after s"
			return
		fi
		wait $pid
		rc=$?
		[ -z "$GPUBE_SIGNAL_TIMES" ] || echo "# $name: after $after s, exit $rc, $((($(now) - sent) / 1000000)) ms"
		if [ $rc -gt 2 ] && [ $rc -ne 143 ]; then
			not_ok "$name: exit $rc after SIGTERM"
			sed 's/^/# /' "$work/err"
			return
		fi
	done
	ok "$name"
}

for c in 'solve --backend cpu' 'bound --backend cpu' 'info' 'count --backend cpu' 'dpop --backend cpu' 'reparam --backend cpu -o /dev/null'; do
	for f in wide.wcsp dense.uai declared.cnf clause.cnf expanded.yaml; do
		ends "$c $f" "$gpube" $c "$work/$f"
	done
	case $c in
	reparam*) ;;
	*) for f in star.col dense.col; do ends "$c $f" "$gpube" $c --colors 3 "$work/$f"; done ;;
	esac
done
for m in mbe arc ascent 'ascent --regions nested' tree pairwise; do
	ends "bound --method $m" "$gpube" bound --backend cpu --method $m --no-eliminate "$work/dense.uai"
	ends "bound --method $m, wide" "$gpube" bound --backend cpu --method $m --no-eliminate "$work/wide.wcsp"
done
for f in wide.wcsp dense.uai declared.cnf expanded.yaml; do
	ends "convert $f" "$gpube" convert -q --lossy --check "$work/$f" "$work/x.cfn"
	ends "convert --simplify $f" "$gpube" convert -q --lossy --simplify "$work/$f" "$work/x.wcsp"
done
for task in PR MAR; do
	ends "infer --task $task" "$gpube" infer --backend cpu --task $task "$work/dense.uai"
done
ends daoopt "$gpube" daoopt "$work/dense.uai" "$work/x"
for m in eee ve se; do
	ends "nash --method $m" "$gpube" nash --backend cpu --method $m "$work/game.nfg"
done
ends nash "$gpube" nash --backend cpu "$work/game.nfg"
for m in conv lp dp idp; do
	ends "csg --method $m" "$gpube" csg --backend cpu --method $m --generate uniform --agents 22
done
ends auction "$gpube" auction "$work/bids.txt"
mkfifo "$work/silent"
exec 5<> "$work/silent"
for c in solve nash csg auction info; do
	ends "$c of a pipe that says nothing" sh -c 'exec "$0" '"$c"' - < "$1"' "$gpube" "$work/silent"
done
mkfifo "$work/nobody"
for c in solve bound info nash csg auction; do
	ends "$c of a named pipe that nobody writes to" "$gpube" $c "$work/nobody"
done
ends 'solve with evidence from one' "$gpube" solve --evidence "$work/nobody" examples/sprinkler.uai
ends 'convert to a named pipe that nobody reads' "$gpube" convert --to wcsp examples/exams.cfn "$work/nobody"
row 'a named pipe that nobody writes to, and a time limit' 1 '' 'out of time' "$gpube" solve --timeout 0.3 "$work/nobody"
row 'a pipe that says nothing, and a time limit' 1 '' 'out of time' "$gpube" solve --timeout 0.3 "$work/silent"
ends 'generate random' "$gpube" generate random -n 3000 -d 10 --p1 1 -o /dev/null
ends 'generate csg' "$gpube" generate csg --agents 24 -o "$work/x.csg"
ends 'generate nash' "$gpube" generate nash
ends 'devices --measure' "$gpube" devices --backend cpu
plan
