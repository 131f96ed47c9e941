#!/bin/sh
# Which method works when, and what it brings: with one thread, on the CPU and with a given memory the turns of a run
# are the same on every machine, for they are scheduled by counted work. traces.txt has those of some small models;
# GPUBE_TRACES=write writes it anew, where a change was meant.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
golden=tests/models/traces.txt
export GPUBE_LAPACK=none GPUBE_CLP=none # the least of floating point differs by machine, and what it leads to

trace() { # FILE OPTIONS…: round, method, why, and what is open after each turn
	"$gpube" solve -v --threads 1 --backend cpu --memory 1G "$@" 2>&1 > "$work/result" |
		sed -n '/: \(semidefinite\|linear\) (/d; s/^gpube: round \([0-9]*\): \([a-z]*\) (\([a-z]*\)), .* gap .* to \([^,]*\)\(, [a-z]*\)*$/\1 \2 \3 \4\5/p'
	sed -n 's/^\(optimum\|infeasible\) *\([^ ,]*\).*/\1 \2/p' "$work/result"
}

# NAME COMMAND…: of 'gpube generate'
make_one() {
	name=$1
	shift
	"$gpube" generate "$@" -o "$work/$name"
}
for seed in 1 2 3 4 5 6; do
	make_one "few$seed.wcsp" random -n $((24 + 2 * seed)) -d 3 --p1 0.5 --p2 0.1 --seed $seed
	make_one "many$seed.wcsp" random -n $((13 + seed)) -d 8 --p1 0.6 --p2 0 --seed $seed
	make_one "sparse$seed.wcsp" random -n $((50 + 5 * seed)) -d 4 --p1 0.07 --p2 0.2 --seed $seed
done
for seed in 1 2 3; do
	make_one "grid$seed.wcsp" grid -n 121 -d $((3 + seed)) --rows 11 --seed $seed
	make_one "free$seed.wcsp" scale-free -n $((40 + 10 * seed)) -d 4 --links 3 --seed $seed
done

: > "$work/traces"
for f in examples/*.wcsp examples/*.cfn examples/*.uai tests/instances/*.wcnf tests/instances/*.opb \
	tests/instances/*.qpbo "$work"/*.wcsp; do
	echo "== ${f##*/}" >> "$work/traces"
	trace "$f" >> "$work/traces"
done
if [ "${GPUBE_TRACES:-}" = write ]; then
	cp "$work/traces" "$golden"
fi
that 'there are as many models as are wanted' [ "$(grep -c '^==' "$golden")" -ge 34 ]
that 'all are solved' [ "$(grep -c '^==' "$golden")" = "$(grep -Ec '^(optimum|infeasible) ' "$work/traces")" ]
grep '^==' "$golden" | while read -r _ name; do
	of() {
		awk -v name="== $name" '/^==/ { on = $0 == name } on' "$1"
	}
	of "$golden" > "$work/wanted"
	of "$work/traces" > "$work/found"
	cmp -s "$work/wanted" "$work/found" || { echo "$name"; diff "$work/wanted" "$work/found" | head -n 6; }
done > "$work/differ"
that 'every turn is as it was' sh -c "cat '$work/differ'; [ ! -s '$work/differ' ]"
trace "$work/random2.wcsp" > "$work/first"
trace "$work/random2.wcsp" > "$work/second"
that 'a run can be repeated' cmp "$work/first" "$work/second"
plan
