#!/usr/bin/env bash
# Open instances by `gpube solve` on one card and 16 cores: scen07 first, with a certificate of its bound beside it, then SPOT5's and two grids at once,
# two threads each, and beside them four networks, one after another with one thread. What is proved is proved again by another method in the time that is left.
#
#     LIMIT=420 ALONE=80 open.sh GPUBE DATA OUT
#
# Everything ends after LIMIT seconds; scen07 is alone for ALONE of them. DATA has the files in folders of any name.
set -u
gpube=$1 data=$2 out=$3 limit=${LIMIT:-420} alone=${ALONE:-80}
mkdir -p "$out"
end=$((SECONDS + limit - 10))
left() { echo $((end - SECONDS)); }
path() { find "$data" -name "$1" | sort | head -n 1; }
again() { # NAME: the optimum, an upper bound below which another method is to find nothing, and that method
	python3 - "$out/$1.json" << 'P'
import json, sys
try: d = json.load(open(sys.argv[1]))
except ValueError: sys.exit()
if d["status"] != "optimal": sys.exit()
by = [s["stage"] for s in d["stages"]][-1] if d["stages"] else ""
print(d["upper_bound"], "sweep" if "tree" in by or "along" in by else "tree")
P
}
one() { # FILE THREADS
	local name=${1%.xz} file best method ub=
	name=${name%.*} file=$(path "$1")
	[ "$(left)" -gt 5 ] || return
	timeout -s TERM "$(left)" "$gpube" solve "$file" --timeout "$(left)s" --threads "$2" --json > "$out/$name.json" 2> "$out/$name.err"
	read -r best method < <(again "$name") || return
	[ "$(left)" -gt 10 ] || return
	case $1 in *.wcsp*) ub="--ub $best" ;; esac # (a .uai has none)
	# shellcheck disable=SC2086
	timeout -s TERM "$(left)" "$gpube" bound "$file" $ub --method "$method" --timeout "$(left)s" --threads "$2" --json > "$out/$name.again.json" 2> "$out/$name.again.err"
}
one scen07.wcsp.xz 8 &
timeout -s KILL $((limit - 5)) "$gpube" bound "$(path scen07.wcsp.xz)" --certify "$out/scen07.cert.gz" --timeout "$((limit / 4 - 10))s" --threads 2 --json \
	> "$out/scen07.certify.json" 2> "$out/scen07.certify.err" &
sleep "$alone"
for f in 28 412 414 507 509 1401 1405; do one $f.wcsp.xz 2 & done
for f in grid40x40.f10 grid40x40.f10.wrap; do one $f.uai.xz 2 & done
for f in BN_69 BN_71 BN_74 BN_75; do one $f.uai.xz 1; done &
wait
python3 - "$out" << 'P'
import glob, json, os, sys
print("instance,status,lower,upper,seconds,stage of the bound,backend")
for p in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
    name = os.path.basename(p)[:-5]
    if name.endswith(".certify"): continue
    try: d = json.load(open(p))
    except ValueError: print(name + ",no answer"); continue
    by, at = "", None
    for s in d.get("stages", []):
        if s["lower"] != at: by, at = s["stage"], s["lower"]
    print(name, d["status"], d.get("lower_bound"), d.get("upper_bound"), "%.1f" % d["seconds"], by, d.get("backend"), sep=",")
P
