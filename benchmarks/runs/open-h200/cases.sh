#!/bin/bash
# 509 or 414 of SPOT5 by cases: is there anything below UB? Photographs of 1000 are taken or not, in a fixed order; a case that lists
# do not close in some seconds becomes two. In the folder OUT: cases.sh GPUBE DATA OUT [509|414] [UB] [SECONDS] [CORES]
set -u
GPUBE=$1 DATA=$2 OUT=$3 F=${4:-509} UB=${5:-36447} T=${6:-240} N=${7:-16} FIRST=5 SEC=30
W=$(mktemp -d); mkdir -p "$OUT" "$W/todo"; xz -dc "$DATA/$F.wcsp.xz" > "$W/f.wcsp"
case $F in
509) V=(201 199 214 202 200 215 211 212 209 207 208 225 226 232 233 273 319 230 231 274 294 321 228 229 305 291 292 304 238 298 227 287 240 289 301 280 282 288 300 281 242 279 247 248 290 266 265 121 122 123 124 125 130 131 132) ;;
414) V=(201 214 199 202 215 200 211 212 209 207 208 225 226 232 233 230 231 228 229 280 331 227 241 281 304 333 335 316 243 301 302 309 315 297 248 249 299 298 311 246 247 312 287 289 245 288 254 255 286 300 273 272 121 122 123 124 125 130 131 132) ;;
esac
read -r name n d m ub < <(head -1 "$W/f.wcsp")
case_file() { # CASE of bits, FILE: bit 1: not taken (value 0), 0: taken
	local i k=${#1}
	{ echo "$name $n $d $((m + k)) $ub"; tail -n +2 "$W/f.wcsp" | sed -e '$a\'
	for ((i = 0; i < k; i++)); do v=${V[i]}
		if [ "${1:i:1}" = 1 ]; then echo "1 $v $ub 1"; echo "0 0"; else echo "1 $v 0 1"; echo "0 $ub"; fi
	done; } > "$2"
}
take() { # the deepest case, or nothing
	exec 8> "$W/lock"; flock 8; local c; c=$(ls "$W/todo" | awk '{print length($0), $0}' | sort -rn | head -1 | cut -d' ' -f2)
	[ -n "$c" ] && rm "$W/todo/$c" && : > "$W/busy.$c"; echo "$c"; exec 8>&-
}
worker() {
	local c s
	while [ $SECONDS -lt $end ]; do
		c=$(take)
		if [ -z "$c" ]; then [ -z "$(ls "$W" | grep busy)" ] && [ -z "$(ls "$W/todo")" ] && return; sleep 0.1; continue; fi
		case_file "${c#c}" "$W/$1.wcsp"; s=$((SEC + ${#c} - FIRST)); [ $((SECONDS + s)) -gt $end ] && s=$((end - SECONDS))
		[ $s -lt 1 ] && s=1
		timeout $((s + 20)) "$GPUBE" bound --method patches --split never --threads 1 --timeout ${s}s --memory 4G --ub $UB "$W/$1.wcsp" > "$W/$1.out" 2> /dev/null
		if grep -q -E "^(optimum|infeasible)" "$W/$1.out" || [ "$(awk '/^lower/ {gsub(",", "", $2); print $2 + 0}' "$W/$1.out")" -ge $UB ] 2> /dev/null; then echo "$SECONDS closed $c $(head -1 "$W/$1.out")" >> "$OUT/$F.log"
		else echo "$SECONDS open $c $(grep -E '^lower' "$W/$1.out" | head -1)" >> "$OUT/$F.log"; if [ ${#c} -le ${#V[@]} ]; then : > "$W/todo/${c}0"; : > "$W/todo/${c}1"; else : > "$W/undecided.$c"; fi; fi
		rm -f "$W/busy.$c"
	done
}
SECONDS=0; end=$T; : > "$OUT/$F.log"
for ((i = 0; i < 1 << FIRST; i++)); do b=; for ((j = 0; j < FIRST; j++)); do b=$b$((i >> j & 1)); done; : > "$W/todo/c$b"; done
for ((k = 0; k < N; k++)); do worker $k & done
while sleep 10; [ -n "$(jobs -rp)" ]; do echo "-- $SECONDS s: closed $(grep -c closed "$OUT/$F.log"), split $(grep -c open "$OUT/$F.log"), left $(ls "$W/todo" | wc -l)"; done
echo "== $SECONDS s: closed $(grep -c closed "$OUT/$F.log"), split $(grep -c open "$OUT/$F.log"), left $(ls "$W/todo" | wc -l) $(ls "$W" | grep busy | wc -l)"
[ -z "$(ls "$W/todo" "$W" | grep -E "^c[01]|busy|undecided")" ] && echo "$F: all cases are closed after $SECONDS s; with an assignment below $UB:" || echo "$F: not proved"
awk '{d[length($3)-1" "$2]++} END {for (k in d) print k, d[k]}' "$OUT/$F.log" | sort -n
grep optimum "$OUT/$F.log"; grep open "$OUT/$F.log" | tail -20; sort -n "$OUT/$F.log" | tail -3; rm -rf "$W"
