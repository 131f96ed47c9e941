#!/usr/bin/env bash
# SPOT5's open instances on 12 cores, all at once: `solve` for 412, an AND/OR search and patches for 507, patches for the others.
#
#     spot5.sh GPUBE FOLDER SECONDS OUT
#
# FOLDER has them as .wcsp.xz. OUT gets what -v tells of each; a row of each goes to standard output.
gpube=$1 folder=$2 seconds=$3 out=$4
mkdir -p "$out"
one() { # NAME LABEL THREADS COMMAND...
	local name=$1 label=$2 threads=$3 begin=$EPOCHREALTIME
	shift 3
	timeout $((seconds + 15)) "$gpube" "$@" "$folder/$name.wcsp.xz" --threads "$threads" --timeout "${seconds}s" --memory 12G -v > "$out/$name.$label.out" 2> "$out/$name.$label.err"
	awk -v n="$name" -v l="$label" -v t="$threads" -v s="$begin" -v e="$EPOCHREALTIME" '
		$1 == "optimum" { w = "optimal"; lo = up = $2 }
		$1 == "lower" { w = "bounds"; lo = $2 }
		$1 == "upper" { up = $2 }
		END { gsub(",", "", lo); gsub(",", "", up); printf "%s,%s,%s,%s,%s,%s,%.1f\n", n, l, t, w, lo, up, e - s }' "$out/$name.$label.out"
}
echo instance,method,threads,status,lower,upper,seconds
one 412 solve 2 solve &
one 507 andor 4 bound --method andor &
one 507 patches 2 bound --method patches &
for f in 414 509 28 1401 1405; do one $f patches 1 bound --method patches & done
wait
