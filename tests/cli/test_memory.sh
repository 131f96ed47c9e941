#!/bin/sh
# What commands do where the C library has no memory: allocation number N fails, alone or with all
# after it. Each ends with exit status 1 and an error, or with the answer that it gives otherwise;
# never with a signal. Some N; all of them with GPUBE_ALL_ALLOCATIONS=1.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
# NVIDIA's runtime, which registers its kernels while it is loaded, does not look whether it gets memory
GPUBE_CUDA=none
export GPUBE_CUDA
x=examples i=tests/instances shim=$work/fail_malloc.so

if ! ${CC:-cc} -O2 -shared -fPIC tests/support/shim/fail_malloc.c -o "$shim" 2> "$work/cc"; then
	skip 'allocations that fail' 'no compiler'
	plan
	exit 0
fi
if ! FAIL_COUNT=$work/count LD_PRELOAD=$shim "$gpube" --version > /dev/null 2>&1 || [ ! -s "$work/count" ]; then
	skip 'allocations that fail' 'the program has an allocator of its own'
	plan
	exit 0
fi

# what differs from run to run
answer() { # FILE
	sed -E -e '/^(time|memory|backend|read|order|splits|method|simulated) /d' -e '/^agent /,$d' \
		-e 's/"times": \{[^}]*\}//; s/, after [0-9.]+ s//; s/"[a-z_]*(seconds|second|time|read|order|solve|lp|splits)": [0-9.e+-]+//g' \
		-e 's/[0-9.]+ (s|us|ms|KiB|MiB)\b//g' "$1"
}

# lower, upper or optimum and what it is, of text or JSON
bounds() { # FILE
	sed -n -E -e '/^\{/{s/.*"lower_bound": ([^,]*),.*/lower \1/p;}' -e '/^(lower|upper|optimum) /{s/ log10 / /;p;}' "$1"
	sed -n -E '/^\{/{s/.*"upper_bound": ([^,]*),.*/upper \1/p;}' "$1"
}

# numbers from 1 to the given one
chosen() {
	seq "$1" | awk -v n="$1" -v all="${GPUBE_ALL_ALLOCATIONS:-}" \
		'all || $1 <= 4 || $1 % (int(n / 12) + 1) == 0'
}

one() { # VARIABLE N COMMAND...: says what is wrong
	kind=$1 at=$2
	shift 2
	env "$kind=$at" LD_PRELOAD="$shim" "$@" > "$work/out" 2> "$work/err" < /dev/null
	rc=$?
	if [ $rc -eq 1 ] && sed 1q "$work/err" | grep -Eq '^gpube: .*(memory|cannot start a thread)'; then
		return
	fi
	if [ $rc -eq "$expected" ] && answer "$work/out" | cmp -s - "$work/expected"; then
		return
	fi
	# a stage without memory gives way to the next: what is found then is the optimum, or bounds of it and why
	if [ -n "$optimum" ] && { [ $rc -eq 0 ] || { [ $rc -eq 1 ] && [ -s "$work/err" ]; }; } && bounds "$work/out" | awk -v o="$optimum" '
		$1 == "lower" && $2 + 0 > o { wrong = 1 } $1 == "upper" && $2 + 0 < o { wrong = 1 }
		$1 == "optimum" && $2 + 0 != o { wrong = 1 } END { exit wrong || !NR }'; then
		return
	fi
	echo "# $kind=$at: exit $rc, $(sed 1q "$work/err")"
}

short() { # NAME COMMAND...
	name=$1
	shift
	rm -f "$work/count"
	FAIL_COUNT=$work/count LD_PRELOAD=$shim "$@" > "$work/out" 2> "$work/err" < /dev/null
	expected=$?
	answer "$work/out" > "$work/expected"
	n=$(cat "$work/count")
	: > "$work/wrong"
	for k in $(chosen "$n"); do
		one FAIL_AT "$k" "$@"
		one FAIL_FROM "$k" "$@"
	done > "$work/wrong"
	if [ "$expected" -eq 0 ] && [ "$n" -gt 0 ] && [ ! -s "$work/wrong" ]; then
		ok "$name: $n allocations"
	else
		not_ok "$name: exit $expected with memory, $n allocations"
		head -n 20 "$work/wrong"
	fi
}

"$gpube" generate csg -n 9 --dist ndcs -o "$work/n.csg.gz"
"$gpube" csg --certify "$work/proof" "$work/n.csg.gz" > /dev/null
printf 'csg 21 int32\ndefault -1\n{1,21} 9\n{2,21} 10\n{1,3} 6\n' > "$work/sparse.txt"
"$gpube" generate auction --dist regions --goods 12 --bids 30 --seed 2 -o "$work/a.txt"
"$gpube" bound -q --certify "$work/bound.proof" $x/exams.cfn > /dev/null
"$gpube" bound -q --method andor --certify "$work/tables.proof" $x/exams.cfn > /dev/null
t='--threads 1'

optimum=0
short 'solve .wcsp' "$gpube" solve -q $t $x/zebra.wcsp
short 'bound by mini-buckets' "$gpube" bound -q --method mbe --z 3 $t $x/zebra.wcsp
short 'solve .wcnf' "$gpube" solve -q $t $i/modern.wcnf
optimum=4.30
short 'solve --json .cfn' "$gpube" solve -q --json $t $x/exams.cfn
optimum=-0.48945499
short 'solve .uai' "$gpube" solve -q $t $x/sprinkler.uai
optimum=
short 'count' "$gpube" count -q $t --order min-fill $x/zebra.wcsp
optimum=4.30
short 'list' "$gpube" list -q --within 1 $t --order min-fill $x/exams.cfn
optimum=
short 'infer' "$gpube" infer -q $t --order min-fill $x/sprinkler.uai
echo '2 1 2' > "$work/two.query"
short 'marginal MAP' "$gpube" infer -q $t --task MMAP --query "$work/two.query" --evidence none $x/sprinkler.uai
short 'evidence by name' "$gpube" count -q --observe drama=tuesday --observe 0=1 $x/exams.cfn
short 'marginals' "$gpube" infer -q $t --order min-fill --task MAR --evidence none $x/sprinkler.uai
short 'a joint distribution' "$gpube" infer -q $t --query rain,lawn --soft cloudy=0.2,0.9 $x/sprinkler.bif
short 'what is drawn' "$gpube" infer -q $t --draw 5 --output csv $x/sprinkler.bif
printf 'rain,lawn\nyes,wet\n,\n' > "$work/rows.csv"
short 'rows' "$gpube" infer -q $t --rows "$work/rows.csv" --task MAR --output csv $x/sprinkler.bif
printf '2\n1 1 0\n1 1 1\n' > "$work/rows.evid"
short 'rows of samples' "$gpube" infer -q $t --rows "$work/rows.evid" $x/sprinkler.bif
optimum=4.30
short 'solve --count' "$gpube" solve -q --count $t $x/exams.cfn
short 'bound' "$gpube" bound -q --method ascent --regions nested $t $x/exams.cfn
short 'reparam' "$gpube" reparam -q $t $x/exams.cfn -o "$work/out.cfn"
optimum=
short 'bound --verify' "$gpube" bound -q --verify "$work/bound.proof" $x/exams.cfn
short 'bound --verify, tables' "$gpube" bound -q --verify "$work/tables.proof" $x/exams.cfn
short 'csg' "$gpube" csg -q $t "$work/n.csg.gz"
short 'csg --certify' "$gpube" csg -q $t --certify /dev/null "$work/n.csg.gz"
short 'csg --verify' "$gpube" csg -q $t --verify "$work/proof" "$work/n.csg.gz"
short 'csg of listed coalitions' "$gpube" csg -q $t "$work/sparse.txt"
short 'csg --output table' "$gpube" csg -q $t --output table "$work/n.csg.gz"
short 'auction' "$gpube" auction -q $t "$work/a.txt"
short 'auction --output table' "$gpube" auction -q $t --output table "$work/a.txt"
short 'dpop' "$gpube" dpop -q $t $x/exams.cfn
short 'convert' "$gpube" convert -q --to wcsp $x/exams.cfn -
short 'convert --consistency pc' "$gpube" convert -q --simplify --consistency pc --to wcsp $x/exams.cfn -
short 'convert --consistency sac' "$gpube" convert -q --simplify --consistency sac --to wcsp $x/zebra.wcsp -
short 'info' "$gpube" info -q $t $x/zebra.wcsp
short 'generate' "$gpube" generate grid -n 9 -d 3
short 'generate csg' "$gpube" generate csg -n 6
short 'generate nash' "$gpube" generate nash -n 4
short 'generate auction' "$gpube" generate auction --dist L3 --goods 10 --bids 20
short 'daoopt' "$gpube" daoopt -q $x/sprinkler.uai --to "$work/tables"
short 'help' "$gpube" help solve

if "$gpube" solve -q $i/sums.xml > /dev/null 2>&1; then
	optimum=0
	short 'solve .xml' "$gpube" solve -q $t $i/sums.xml
else
	skip 'solve .xml' 'built without expat'
fi
if "$gpube" solve -q $x/meetings.yaml > /dev/null 2>&1; then
	optimum=3
	short 'solve .yaml' "$gpube" solve -q $t $x/meetings.yaml
else
	skip 'solve .yaml' 'built without libyaml'
fi
optimum=
"$gpube" generate nash -n 7 -o "$work/r.nfg"
"$gpube" generate nash -n 5 -o "$work/s.nfg"
printf 'NFG 1 R "" { "a" "b" } { 3 3 }\n1e30 1e28 0 2 1/7 3 0 1 1e29 1e30 3 0 1 1/13 5/11 0 1e31 1e27\n' > "$work/long.nfg"
if "$gpube" nash "$work/r.nfg" > /dev/null 2>&1; then
	short 'nash' "$gpube" nash -q $t "$work/r.nfg"
	short 'nash of integers past a word' "$gpube" nash -q $t "$work/long.nfg"
	short 'nash of a degenerate game' "$gpube" nash -q $t --components $x/effort.nfg
	short 'nash on two threads' "$gpube" nash -q --threads 2 $x/effort.nfg
	short 'nash by vertices' "$gpube" nash -q --method ve $t "$work/r.nfg"
	short 'nash by branch and bound' "$gpube" nash -q --method eee $t "$work/r.nfg"
	short 'nash by supports' "$gpube" nash -q --method se $t "$work/s.nfg"
	short 'nash --one' "$gpube" nash -q --one $t "$work/r.nfg"
	short 'nash --stream' "$gpube" nash -q --stream --output gambit $t "$work/r.nfg"
	short 'convert .nfg' "$gpube" convert -q "$work/r.nfg" "$work/r.txt"
else
	skip 'nash' 'built without FLINT'
fi
plan
