#!/bin/sh
# Bounds by the ascent on regions: run.sh GPUBE DATA OUT; a log an instance, and raw.csv of what improved when.
gpube=$1 data=$2 out=$3
mkdir -p "$out"
go() {
	name=$(basename "$1" .wcsp.xz)
	timeout $(($2 + 20)) "$gpube" bound --backend cuda --timeout "$2s" -v "$data/$1" >"$out/$name.out" 2>"$out/$name.err"
	head -1 "$out/$name.out"
}
go celar/scen06.wcsp.xz 60
go celar/CELAR6-SUB1.wcsp.xz 15
go derived/celar/CELAR6-SUB2_merged.wcsp.xz 12
go derived/celar/CELAR6-SUB3_merged.wcsp.xz 12
go derived/celar/CELAR7-SUB4_merged.wcsp.xz 12
echo instance,seconds,lower,upper,by >"$out/raw.csv"
for f in "$out"/*.err; do
	sed -n "s|^gpube: \([0-9.]*\) s: lower bound \([0-9]*\), upper bound \([0-9]*\) (\(.*\))|$(basename "$f" .err),\1,\2,\3,\4|p" "$f"
done >>"$out/raw.csv"
