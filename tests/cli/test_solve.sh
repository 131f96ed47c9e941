#!/bin/sh
# solve, info, convert and generate: answers, forms of output, limits, signals.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
python=
command -v python3 > /dev/null 2>&1 && python=python3

# NAME STATUS PYTHON-EXPRESSION COMMAND…: standard output is one JSON object d, for which it is true
json() {
	tap_name=$1 tap_status=$2 tap_expression=$3
	shift 3
	if [ -z "$python" ]; then
		skip "$tap_name" 'no python3'
		return
	fi
	: > "$work/why"
	"$@" > "$work/out" 2> "$work/err"
	tap_got=$?
	case $tap_status in '*') tap_status=$tap_got ;; esac
	if [ $tap_got = "$tap_status" ] && $python -c '
import json, sys
d = json.load(open(sys.argv[1]))
rc = int(sys.argv[3])
assert isinstance(d, dict) and eval("(" + sys.argv[2] + ")")' "$work/out" "$tap_expression" $tap_got 2> "$work/why"; then
		ok "$tap_name"
	else
		not_ok "$tap_name"
		echo "# $*: exit $tap_got, expected $tap_status and $tap_expression"
		tail -n 1 "$work/why" | sed 's/^/# /'
		head -c 600 "$work/out" | sed 's/^/#   /'
		echo
	fi
}

# ---- models of our own
printf 'free 60 2 0 10\n' > "$work/free.wcsp"
yes 2 | head -n 60 | tr '\n' ' ' >> "$work/free.wcsp"
printf 'none 2 2 1 10\n2 2\n2 0 1 10 0\n' > "$work/none.wcsp"
printf '{problem: {name: "most", mustbe: ">-9.0"},\n variables: {a: 2, b: 2},\n' > "$work/most.cfn"
printf ' functions: {f: {scope: [a, b], costs: [0.5, -1.5, 3.2, 7.1]}}}\n' >> "$work/most.cfn"
printf '1 3 0\n' > "$work/dry.evid"
# a grid: its elimination fits, a search for its best order takes for ever
awk 'BEGIN { n = 18; srand(1); print "grid", n * n, 2, 2 * n * (n - 1), 100000
	for (i = 0; i < n * n; i++) printf "2 "
	for (i = 0; i < n * n; i++) {
		if (i % n < n - 1) print "\n2", i, i + 1, int(rand() * 50), "2\n0 0 3\n1 1", int(rand() * 90)
		if (i < n * (n - 1)) print "\n2", i, i + n, int(rand() * 50), "2\n0 1 7\n1 1", int(rand() * 90)
	} }' > "$work/grid.wcsp"
seq 24 -1 0 > "$work/down.order"
seq 1 24 > "$work/short.order"

# ---- answers as text
row 'zebra: the optimum' 0 '^optimum +0, the proved minimum, after ' '' "$gpube" solve $x/zebra.wcsp
row 'zebra: recomputed' 0 "^checked +the assignment's cost, recomputed from the tables of the file" '' \
	"$gpube" solve $x/zebra.wcsp
row 'zebra: times' 0 '^time +[0-9.]+ s: read [0-9.]+, simplify ' '' "$gpube" solve $x/zebra.wcsp
row 'zebra: backend' 0 '^backend +cpu, 1 thread$' '' "$gpube" solve --threads 1 $x/zebra.wcsp
row 'exams: decimals as in the file' 0 '^optimum +4\.30, the proved minimum, after ' '' \
	"$gpube" solve $x/exams.cfn
# toulbar2 says 1 of it
cat > "$work/wsame.cfn" << 'END'
{  problem: {name: MyWsame, mustbe: <2 }
   variables: {v1: [a b c] v2: [a b c] v3: [a b c] v4: [a b c]}
   functions: {
   rema : { scope [v1] costs: [0.1 1 1]}
   rema : { scope [v2] costs: [1 0.2 1]}
   rema : { scope [v3] costs: [1 1 0.3]}
   mywa : { scope: [v1 v2 v3 v4]
	     type : wsame
	     params: {
		 metric: lin
		 cost: 3.3 // will be truncated to 3
	     }
	   }
   }
}
END
row 'more decimals than the bound has: exact, and told' 0 '^optimum     1.3, the proved minimum' \
	"^gpube: .*/wsame.cfn:4: cost '0.1' has more decimals than the bound: all are kept; toulbar2 cuts them off" \
	"$gpube" solve "$work/wsame.cfn"
sed 's/0.2 /0.25 /; s/0.3\]/0.375]/' "$work/wsame.cfn" > "$work/more.cfn"
row 'and more of them' 0 '^optimum     1.350, the proved minimum' "cost '0.1' has more decimals" "$gpube" solve "$work/more.cfn"
that 'which is told once' [ "$(grep -c decimals "$work/err")" = 1 ]
row 'exams: names' 0 ' algebra=monday botany=tuesday ' '' "$gpube" solve $x/exams.cfn
row 'exams: one optimum' 0 '^optima +1$' '' "$gpube" solve --count $x/exams.cfn
row 'sprinkler: evidence is found' 0 '^optimum +log10 -0\.48945' '' "$gpube" solve $x/sprinkler.uai
row 'sprinkler: by names' 0 '^assignment +cloudy=yes sprinkler=off rain=yes lawn=wet$' '' "$gpube" solve -q --observe lawn=wet $x/sprinkler.bif
row 'sprinkler: other evidence' 0 '^optimum +log10 -0\.69897' '' \
	"$gpube" solve --evidence "$work/dry.evid" $x/sprinkler.uai
row 'evidence: which was read' 0 '^evidence +1 variable from examples/sprinkler.uai.evid$' '' "$gpube" solve $x/sprinkler.uai
row 'evidence: as a second argument' 0 '^evidence +1 variable from .*/dry.evid$' '' \
	"$gpube" solve $x/sprinkler.uai "$work/dry.evid"
that 'and that is what was solved' grep -q '^optimum *log10 -0\.69897' "$work/out"
for f in best.sol:--sol limit.ub:--ub old.order:--order-file net.uai.ord.elim:--order-file tree.cov.xz:--order-file; do
	row "no evidence: ${f%%:*}" 2 '' "^gpube: '${f%%:*}' is no evidence: it goes behind ${f##*:}\$" \
		"$gpube" solve examples/exams.cfn "${f%%:*}"
done
row 'two models' 2 '' "^gpube: 'examples/zebra.wcsp' is no evidence" "$gpube" solve examples/exams.cfn examples/zebra.wcsp
row 'a limit that is no number' 1 '' "^gpube: --ub: expected a number of at most 2 decimals, as the file has, or a .ub, found 'five'\$" \
	"$gpube" solve --ub five examples/exams.cfn
for size in 1G 1GB 1GiB 1gB 1024M; do
	row "--memory $size" 0 'of 1\.0 GiB|1\.0 GiB allowed' '' "$gpube" info --memory $size examples/exams.cfn
done
for size in 1Gb 1GX 1GBs 1B; do
	row "--memory $size" 2 '' "expected a size such as 512M or 8G, found '$size'\$" "$gpube" info --memory $size examples/exams.cfn
done
printf 'lorem ipsum\n' > "$work/lorem.txt"
row 'a file of no format' 1 '' "lorem.txt:1: expected a number of variables, found 'ipsum' \(read as .wcsp: no format is recognised\)\$" \
	"$gpube" solve "$work/lorem.txt"
cp "$work/lorem.txt" "$work/lorem.wcsp"
row 'and one that says it is a .wcsp' 1 '' "lorem.wcsp:1: expected a number of variables, found 'ipsum'\$" "$gpube" solve "$work/lorem.wcsp"
printf '1 3 1\n' > "$work/drama.evid"
for c in solve bound list; do
	row "$c: evidence of costs comes from its file" 0 '^evidence +1 variable from .*drama.evid$' '' \
		"$gpube" $c -q examples/exams.cfn "$work/drama.evid"
done
row 'and in JSON' 0 '"evidence_file": "[^"]*drama.evid"' '' "$gpube" solve -q --json --evidence "$work/drama.evid" examples/exams.cfn
that 'without any there is no such line' sh -c '! "$0" solve -q examples/exams.cfn | grep -q ^evidence' "$gpube"
row 'info tells evidence, too' 0 '^evidence +1 variable from examples/sprinkler.uai.evid$' '' "$gpube" info examples/sprinkler.uai
row 'in JSON' 0 '"observed": 0, "evidence_file": null' '' "$gpube" info --json --evidence none examples/sprinkler.uai
row 'evidence: twice' 2 '' '^gpube: the evidence is given twice' \
	"$gpube" solve --evidence none $x/sprinkler.uai "$work/dry.evid"
row 'evidence: none found' 0 '^evidence +none found$' '' "$gpube" solve --evidence none $x/sprinkler.uai
row 'a file without a command' 2 '' 'gpube solve examples/zebra.wcsp$' "$gpube" $x/zebra.wcsp
row 'verbose: the table of turns' 0 '*' '^gpube: eliminate +[0-9.]+ +[0-9.]+ +4\.30 +4\.30  the proof$' \
	"$gpube" solve -v $x/exams.cfn
# jobs two by two apart, each of which may be left out for a cost: 10^7 cells
awk 'BEGIN {
	n = 8; d = 600
	print "wide", n, d, n * (n - 1) / 2, 1000
	for (i = 0; i < n; i++) printf "-%d ", d
	print ""
	for (i = 0; i < n; i++) for (j = i + 1; j < n; j++) print 2, i, j, -1, "sdisj", 60 + i, 70 + j, d - 1, d - 1, 21, 17
}' > "$work/wide.wcsp"
row 'wide tables are searched before costs are moved between them' 0 '*' \
	'^gpube: search +[0-9.]+ +[0-9.]+ +0 +0  the proof$' "$gpube" solve -v "$work/wide.wcsp"
row 'a maximum' 0 '^optimum +7\.1, the proved maximum, after ' '' "$gpube" solve "$work/most.cfn"
row 'infeasible is an answer' 0 '^infeasible +every assignment is forbidden \(proved\)$' '' \
	"$gpube" solve "$work/none.wcsp"
row 'as many optima as 60 bits' 0 '^optima +1152921504606846976$' '' \
	"$gpube" solve --count "$work/free.wcsp"
row 'quiet is quiet' 0 '*' '' "$gpube" solve -q $x/exams.cfn
row 'verbose: what simplification did' 0 '*' '^gpube: simplified to ' "$gpube" solve -v $x/exams.cfn
for method in auto min-fill min-size min-degree; do
	row "order $method" 0 '^optimum +0,' '' "$gpube" solve --order $method $x/zebra.wcsp
done
row 'a given order' 0 '^optimum +0,' '' "$gpube" solve --order-file "$work/down.order" $x/zebra.wcsp
row 'a short order' 1 '' 'short\.order.*variable' \
	"$gpube" solve --order-file "$work/short.order" $x/zebra.wcsp
row 'not simplified' 0 '^optimum +4\.30,' '' "$gpube" solve --no-simplify $x/exams.cfn
row 'seed and order time' 0 '^optimum +0,' '' \
	"$gpube" solve --seed 7 --order-time .05s $x/zebra.wcsp
row 'from the wrong format' 1 '' '^gpube: examples/exams.cfn:[0-9]+: ' \
	"$gpube" solve --from wcsp $x/exams.cfn
row 'standard input' 0 '^optimum +0,' '' sh -c "'$gpube' solve - < $x/zebra.wcsp"
row 'gzip by content' 0 '^optimum +0,' '' sh -c "gzip -c $x/zebra.wcsp | '$gpube' solve -"
if command -v xz > /dev/null 2>&1 && make -pn 2> /dev/null | grep -q DGPUBE_HAVE_LZMA; then
	row 'xz by content' 0 '^optimum +0,' '' sh -c "xz -c $x/zebra.wcsp | '$gpube' solve -"
else
	skip 'xz by content' 'no xz or no liblzma'
fi

# ---- JSON
json 'JSON: keys of an optimum' 0 'd["status"] == "optimal" and d["backend"] == "cpu"
	and d["seconds"] > 0 and d["lower_bound"] == d["upper_bound"] == 4.3
	and d["assignment"] == [0, 1, 2, 1, 0, 2] and "count" not in d' \
	"$gpube" solve --output json $x/exams.cfn
row 'JSON: exact decimals' 0 '"lower_bound": 4\.30, "upper_bound": 4\.30,' '' \
	"$gpube" solve --json $x/exams.cfn
json 'JSON: kernels are those of a device' 0 'd["kernels"] == []' "$gpube" solve --json --backend cpu $x/zebra.wcsp
json 'JSON: plan and times' 0 'd["plan"]["width"] > 0 and d["plan"]["joined_cells"] > 0
	and set(d["times"]) == {"read", "simplify", "order", "search", "eliminate",
	"contract", "copy", "assign", "bound", "assignment"} and d["stages"][-1]["upper"] == 0' \
	"$gpube" solve --json $x/zebra.wcsp
json 'JSON: turns, each with the bounds before and after' 0 'len(d["stages"]) > 1 and d["stages"][0]["why"] == "first"
	and all(s["lower_before"] == t["lower"] and s["upper_before"] == t["upper"] and s["ticks"] >= 0 and s["round"] >= 0
	and s["why"] in ("alone", "predicted", "share", "halved") for t, s in zip(d["stages"], d["stages"][1:]))
	and d["stages"][-1]["lower"] == d["stages"][-1]["upper"] == 7.1' "$gpube" solve --json "$work/most.cfn"
json 'JSON: an elimination is a turn' 0 '[s["stage"] for s in d["stages"]] == ["simplification", "eliminate"]
	and d["stages"][1]["ticks"] > 0 and d["plan"]["width"] > 0' "$gpube" solve --json --method eliminate $x/zebra.wcsp
row 'verbose: a line a turn' 0 '*' \
	'^gpube: round 0: eliminate \(alone\), [0-9.e+]+ ticks, .* s, lower 0\.00 to 4\.30, upper - to 4\.30, gap - to 0\.00, done$' \
	"$gpube" solve -v --method eliminate $x/exams.cfn
row 'elimination: better than a cutoff' 0 '^closed +nothing better than --ub exists' '' \
	"$gpube" solve --method eliminate --ub 4.30 $x/exams.cfn
row 'elimination: from a known solution' 0 '^optimum +4\.30' '' sh -c \
	"'$gpube' solve -q --output sol -o '$work/known.sol' $x/exams.cfn && '$gpube' solve --method eliminate --count --sol '$work/known.sol' $x/exams.cfn"
json 'JSON: -ln and log10 of potentials' 0 'abs(d["log10"] + 0.4894549898) < 1e-9
	and abs(d["upper_bound"] - 1.127011763) < 1e-8 and d["assignment"] == [1, 0, 1, 1]' \
	"$gpube" solve --json $x/sprinkler.uai
json 'JSON: precision' 0 'abs(d["lower_bound"] - 1.127) < 0.0025' \
	"$gpube" solve --json --precision 3 $x/sprinkler.uai
row 'JSON: precision is what is printed' 0 '"upper_bound": 1\.12[0-9],' '' \
	"$gpube" solve --json --precision 3 $x/sprinkler.uai
json 'JSON: -ln is minimised' 0 'd["direction"] == "minimise"' "$gpube" solve --json $x/sprinkler.uai
json 'JSON: a small count' 0 'd["count"] == 1' "$gpube" solve --json --count $x/exams.cfn
json 'JSON: a count past 2^53' 0 'd["count"] == str(2 ** 60)' \
	"$gpube" solve --json --count "$work/free.wcsp"
json 'JSON: infeasible' 0 'd["status"] == "infeasible" and d["lower_bound"] is None
	and d["upper_bound"] is None and d["assignment"] is None' \
	"$gpube" solve --json "$work/none.wcsp"
json 'JSON: maximum' 0 'd["direction"] == "maximise" and d["upper_bound"] == 7.1' \
	"$gpube" solve --json "$work/most.cfn"
json 'JSON: a failure' 1 'd["status"] == "error" and "none.uai" in d["message"]' \
	"$gpube" solve --json "$work/none.uai"

# ---- limits
json 'what does not fit is refused with the plan' 1 'd["status"] == "error"
	and "needs" in d["message"] and d["plan"]["largest_message"] > 0' \
	"$gpube" solve --method eliminate --json --no-simplify --memory 100 $x/zebra.wcsp
json 'what does not fit is left to the others' 0 'd["status"] == "optimal" and d["upper_bound"] == 0' \
	"$gpube" solve --json --no-simplify --memory 100 $x/zebra.wcsp
row 'what does not fit, as text' 1 '' '^gpube: elimination along this order needs ' \
	"$gpube" solve --method eliminate --no-simplify --memory 100 $x/zebra.wcsp
# what a tenth of the memory is enough for, in slices
"$gpube" generate random -n 14 -d 6 --p1 0.5 --p2 0 --seed 5 -o "$work/wide.wcsp"
whole=$("$gpube" solve --json --no-simplify --backend cpu --order min-fill "$work/wide.wcsp" | sed -n 's/.*"upper_bound": \([0-9]*\).*/\1/p')
json 'slices: the same optimum in little memory' 0 'd["status"] == "optimal" and d["plan"]["slices"] > 5
	and d["plan"]["peak_bytes"] <= 300e3 and d["upper_bound"] == '"${whole:-0}" \
	"$gpube" solve --method eliminate --json --no-simplify --backend cpu --order min-fill --memory 300K "$work/wide.wcsp"
row 'slices: refused' 1 '' '^gpube: elimination along this order needs ' \
	"$gpube" solve --method eliminate --no-slices --no-simplify --backend cpu --order min-fill --memory 300K "$work/wide.wcsp"
row 'slices, as text' 0 '^plan .*, in [0-9]+ slices$' '^gpube: plan: [0-9]+ slices by [0-9]+ variables on the cpu, ' \
	"$gpube" solve --method eliminate -v --no-simplify --backend cpu --order min-fill --memory 300K "$work/wide.wcsp"
row 'slices: info' 0 '^memory .*: it fits in [0-9]+ slices$' '' \
	"$gpube" info --no-simplify --backend cpu --order min-fill --memory 300K "$work/wide.wcsp"
# slices of minutes in all; bounds may prove the optimum before, on a machine that is fast enough
"$gpube" generate random -n 22 -d 9 --p1 0.45 --p2 0 --seed 2 -o "$work/slices.wcsp"
json 'slices: a timeout' '*' 'd["plan"]["slices"] > 1 and (0 < d["lower_bound"] < d["upper_bound"]
	if rc == 1 and d["status"] == "bounds" else
	rc == 0 and d["status"] == "optimal" and d["lower_bound"] == d["upper_bound"])' \
	"$gpube" solve --method eliminate --json --backend cpu --order min-fill --memory 1G --timeout 1s "$work/slices.wcsp"
# Tables past any memory, which are never made, and a search past any time (30 variables take it a second).
# Any order will do for them, even that of a machine which has hardly begun to search.
"$gpube" generate random -n 100 -d 6 --p1 0.4 --p2 0 --seed 3 -o "$work/hard.wcsp"
long='--backend cpu --memory 8000000000G --order-time 1h'
# 6^60 cells and more along any order: what greedy finds is told, and no search begins
json 'hopeless: refused along the greedy order' 1 'd["status"] == "error" and d["plan"]["largest_message"] == float("'"$("$gpube" info --order min-fill --json "$work/hard.wcsp" | sed -n 's/.*"largest_message": \([^,]*\),.*/\1/p')"'")' \
	"$gpube" solve --method eliminate --backend cpu --memory 1M --json "$work/hard.wcsp"
json 'timeout: bounds, and an assignment that costs the upper one' 1 'd["status"] == "bounds"
	and 0 < d["lower_bound"] < d["upper_bound"] and len(d["assignment"]) == d["variables"]' \
	"$gpube" solve --json $long --timeout 0.2s "$work/hard.wcsp"
row 'timeout, as text' 1 '^incomplete .*no optimum is proved' 'gpube: out of time$' \
	"$gpube" solve $long --timeout 0.2s "$work/hard.wcsp"
that 'timeout: both bounds and the assignment' grep -Eqz \
	'lower +[0-9]+, proved, after [0-9].*upper +[0-9]+, of an assignment, after [0-9].*assignment +[0-9]' \
	"$work/out"
row 'timeout: the assignment as .sol' 1 '^[0-9]( [0-9])+$' 'out of time' \
	"$gpube" solve --output sol $long --timeout 0.2s "$work/hard.wcsp"
row 'timeout: the bounds meet' 0 '^optimum +0, the proved ' '*' \
	"$gpube" solve --timeout 0.000001s $x/zebra.wcsp
row 'timeout: they meet, but the optima are not counted' 1 '^optima +not counted' 'out of time' \
	"$gpube" solve --count --timeout 0.000001s $x/zebra.wcsp
json 'timeout: the same as JSON' 1 'd["status"] == "optimal" and d["upper_bound"] == 0 and d["count"] is None' \
	"$gpube" solve --json --count --timeout 0.000001s $x/zebra.wcsp
json 'timeout: potentials, whose bounds meet' 0 'd["status"] == "optimal" and d["lower_bound"] == d["upper_bound"] and d["log10"] < 0' \
	"$gpube" solve --json --timeout 0.000001s $x/sprinkler.uai
json 'SIGINT ends with what is known' 1 'd["status"] == "bounds" and d["upper_bound"] > 0' \
	end_at INT ': simplified to' "$gpube" solve -v --json $long "$work/hard.wcsp"
json 'SIGTERM, too' 1 'd["status"] == "bounds" and d["lower_bound"] > 0' \
	end_at TERM ': simplified to' "$gpube" solve -v --json $long "$work/hard.wcsp"
# what was kept goes on: the bounds are no worse, and the end is the optimum
row 'a checkpoint at SIGTERM' 1 '^incomplete' "checkpoint written to '.*/hard.ck': [0-9]+ open nodes, " \
	end_at TERM ': simplified to' "$gpube" solve -v --checkpoint "$work/hard.ck" $long "$work/hard.wcsp"
json 'a checkpoint is resumed' 1 'd["status"] == "bounds" and d["upper_bound"] > 0' \
	"$gpube" solve --json --resume "$work/hard.ck" $long --timeout 0.2s "$work/hard.wcsp"
cp "$work/hard.ck" "$work/own.ck"
row 'a run goes on in its own checkpoint' 1 '^incomplete' "checkpoint written to '.*/own.ck': [0-9]+ open nodes, " \
	end_at TERM ': class ' "$gpube" solve -v --checkpoint "$work/own.ck" --resume "$work/own.ck" $long "$work/hard.wcsp"
that 'which is replaced' sh -c "! cmp -s '$work/hard.ck' '$work/own.ck'"
json 'and goes on again' 1 'd["status"] == "bounds" and d["upper_bound"] > 0' \
	end_at TERM ': class ' "$gpube" solve -v --json --checkpoint "$work/own.ck" --resume "$work/own.ck" $long "$work/hard.wcsp"
# it is not replaced by a part of what it has: while it is taken, nothing is written
row 'a run that writes at once' 1 '^incomplete' 'checkpoint written to ' end_at TERM 'checkpoint written to ' \
	"$gpube" solve -v --checkpoint "$work/own.ck" --resume "$work/own.ck" --checkpoint-every 0.000000001s $long "$work/hard.wcsp"
that 'begins after it has taken the file' sh -c "grep -E ': class |checkpoint written' '$work/err' | head -n 1 | grep -q ': class '"
cp "$work/own.ck" "$work/kept.ck"
row 'of another model it stays as it was' 1 '' "cannot resume from '.*': it is of another model" \
	"$gpube" solve --checkpoint "$work/own.ck" --resume "$work/own.ck" "$work/wide.wcsp"
that 'to the byte' cmp "$work/kept.ck" "$work/own.ck"
row 'a checkpoint of another model' 1 '' "cannot resume from '.*': it is of another model" \
	"$gpube" solve --resume "$work/hard.ck" "$work/wide.wcsp"
row 'no checkpoint' 1 '' "cannot resume from '.*': it is no checkpoint" "$gpube" solve --resume "$work/wide.wcsp" "$work/hard.wcsp"
row 'no certificate of a run that is resumed' 2 '' 'writes no certificate' \
	"$gpube" solve --resume "$work/hard.ck" --certify "$work/c" "$work/hard.wcsp"
row 'no checkpoint of an elimination' 1 '' 'leaves nothing to resume' \
	"$gpube" solve --method eliminate --checkpoint "$work/ck" "$work/hard.wcsp"
row 'a checkpoint that cannot be written' 1 '' 'cannot write' "$gpube" solve --checkpoint "$work/no/ck" "$work/hard.wcsp"

# timeout signals the process and then its group, so that two signals come at once
if command -v timeout > /dev/null 2>&1; then
	row 'two signals at once are one' 1 '^incomplete|^$' 'stopped' \
		timeout --preserve-status -s TERM 1 "$gpube" solve $long "$work/hard.wcsp"
else
	skip 'two signals at once' 'no timeout program'
fi

# A second signal kills, also while a pipe is read that never ends. What comes within half a second is
# taken for the same wish, so that it comes again until the program is gone. A first signal that came
# before the reading began has ended it by itself.
mkfifo "$work/pipe"
"$gpube" solve "$work/pipe" > /dev/null 2> "$work/err" &
pid=$!
exec 3> "$work/pipe" # opened at both ends: signals are caught by now
sleep 1
while kill -TERM $pid 2> /dev/null; do
	sleep 0.1
done
wait $pid
end=$?
that 'a second signal kills' test $end = 143 -o $end = 1 -a "$(cat "$work/err")" = 'gpube: stopped'
exec 3>&-

# ---- the ecosystem's formats, and files
row '.sol' 0 '^0 1 2 1 0 2$' '' "$gpube" solve --output sol $x/exams.cfn
row 'UAI result: the task' 0 '^MPE$' '' "$gpube" solve --output uai $x/sprinkler.uai
row 'UAI result: the assignment' 0 '^4 1 0 1 1$' '' "$gpube" solve --output uai $x/sprinkler.uai
row '.sol of an infeasible problem' 0 '' 'no assignment to write' \
	"$gpube" solve --output sol "$work/none.wcsp"
echo old > "$work/result"
row 'a result in a file' 0 '' '' "$gpube" solve --output sol -o "$work/result" $x/exams.cfn
that 'the file holds it' grep -qx '0 1 2 1 0 2' "$work/result"
row 'JSON in a file' 0 '' '' "$gpube" solve --json -o "$work/r.json" $x/exams.cfn
that 'the file holds it' grep -q '^{"status": "optimal"' "$work/r.json"
that 'nothing temporary is left' sh -c "! ls -A '$work' | grep -E 'tmp|result.+'"

# ---- info
row 'info: sizes' 0 '^model +6 variables, 16 functions, costs to add, minimise$' '' \
	"$gpube" info $x/exams.cfn
row 'info: domains' 0 '^domains +3 \(6\)$' '' "$gpube" info $x/exams.cfn
row 'info: arities' 0 '^arities +1 \(3\), 2 \(12\), 3 \(1\)$' '' "$gpube" info $x/exams.cfn
row 'info: memory' 0 '^memory .*: it fits$' '' "$gpube" info $x/zebra.wcsp
row 'info: memory that does not do' 0 '^memory .*: it does not fit$' '' \
	"$gpube" info --no-simplify --memory 100 $x/zebra.wcsp
json 'info: JSON' 0 'd["variables"] == 25 and d["domains"] == {"5": 25} and d["plan"]["width"] > 0
	and d["fits"] and d["estimated_seconds"]["cuda"] is None and d["bytes"] > 0' \
	"$gpube" info --json $x/zebra.wcsp
json 'info: JSON of an infeasible model' 0 'd["status"] == "infeasible"' \
	"$gpube" info --json "$work/none.wcsp"
row 'info: in a file' 0 '' '' "$gpube" info -o "$work/info" $x/zebra.wcsp
that 'the file holds it' grep -q '^model ' "$work/info"

# ---- convert
for to in cfn wcsp cfn.gz; do
	row "convert to .$to" 0 '' '*' "$gpube" convert $x/exams.cfn "$work/e.$to"
	row "the optimum of the .$to" 0 '^optimum +(4\.30?|430?)[, ]' '' "$gpube" solve "$work/e.$to"
done
row 'convert .uai' 0 '' '' "$gpube" convert --evidence none $x/sprinkler.uai "$work/s.uai"
row 'the optimum of the .uai' 0 '^optimum +log10 -0\.48945' '' "$gpube" solve "$work/s.uai"
row 'convert to standard output' 0 '' '' \
	sh -c "'$gpube' convert --to wcsp $x/zebra.wcsp - | '$gpube' solve --output sol - > /dev/null"
row 'convert to a name that says nothing' 1 '' "^gpube: .*'$work/x'" \
	"$gpube" convert $x/zebra.wcsp "$work/x"

# ---- generate
for kind in random scale-free grid; do
	"$gpube" generate $kind --seed 3 > "$work/$kind.wcsp"
	row "generate $kind: solved" 0 '^(optimum|infeasible) ' '' "$gpube" solve "$work/$kind.wcsp"
	that "generate $kind: the same again" \
		sh -c "'$gpube' generate $kind --seed 3 | cmp - '$work/$kind.wcsp'"
	that "generate $kind: another seed, another network" \
		sh -c "! '$gpube' generate $kind --seed 4 | cmp -s - '$work/$kind.wcsp'"
done
row 'generate: sizes' 0 '^model +30 variables, 130 functions, ' '' \
	sh -c "'$gpube' generate random -n 30 -d 3 | '$gpube' info -"
row 'generate: domains' 0 '^domains +7 \(12\)$' '' \
	sh -c "'$gpube' generate grid -n 12 -d 7 | '$gpube' info -"
row 'generate: rows' 0 '^model +12 variables, 16 functions' '' \
	sh -c "'$gpube' generate grid -n 12 --rows 2 | '$gpube' info -"
row 'generate: all tuples forbidden' 0 '^infeasible' '' \
	sh -c "'$gpube' generate grid -n 9 --p2 1 | '$gpube' solve -"
row 'generate: nothing costs anything' 0 '^optimum +0,' '' \
	sh -c "'$gpube' generate grid -n 9 --p2 0 --max-cost 0 | '$gpube' solve -"
row 'generate: format by name, compressed' 0 '' '' "$gpube" generate grid -o "$work/g.cfn.gz"
row 'generate: the file is read' 0 '^(optimum|infeasible) ' '' "$gpube" solve "$work/g.cfn.gz"
row 'generate: an unknown kind' 2 '' "^gpube: generate: expected random, scale-free, grid, csg, auction or nash, found 'tree'" \
	"$gpube" generate tree
row 'generate: rows that do not divide' 1 '' '^gpube: ' "$gpube" generate grid -n 12 --rows 5
row 'generate: too few edges' 1 '' '^gpube: ' "$gpube" generate random -n 50 --p1 0.01

# ---- devices
json 'devices: JSON' 0 'd["cpu"]["threads"] >= 1 and d["gpu"] is None' "$gpube" devices --json
row 'devices that are none' 1 '' "^gpube: --devices: expected 1 to 8 indices as 0,1, found '0,x'\$" \
	"$gpube" solve --devices 0,x examples/zebra.wcsp
row 'more devices than are taken' 1 '' "^gpube: --devices: expected 1 to 8 indices" \
	"$gpube" solve --devices 0,1,2,3,4,5,6,7,8 examples/zebra.wcsp
for c in solve info bound list; do
	row "$c: a device that is not there" 1 '' '^gpube: device 9 of --devices: no ' "$gpube" $c -q --devices 9 examples/zebra.wcsp
done
row 'infer: a device that is not there' 1 '' '^gpube: device 9 of --devices: no ' \
	"$gpube" infer -q --devices 9 --device-memory 1G examples/sprinkler.uai
row 'with the other options of a device' 1 '' '^gpube: device 900 of --devices: no ' \
	env CUDA_VISIBLE_DEVICES= "$gpube" solve -q --devices 900,0 examples/zebra.wcsp
row 'and in JSON' 1 '"device 9 of --devices: no ' '*' "$gpube" solve --json --devices 9 examples/zebra.wcsp
row 'a device that is not there and not wanted' 0 '^backend +cpu' '' \
	"$gpube" solve -q --backend cpu --devices 9 examples/zebra.wcsp
export XDG_CACHE_HOME="$work/cache"
json 'devices: nothing measured' 0 'd["rates"] is None' "$gpube" devices --json
json 'devices: measured' 0 'd["rates"]["core"]["copy"] > 1e8 and d["rates"]["cores"]["add_min_int32"] > 1e8' \
	"$gpube" devices --measure --json
json 'devices: what was measured is kept' 0 'd["rates"]["cores"]["launch"] > 0' "$gpube" devices --json
that 'devices: and nothing beside it' [ "$(ls "$work/cache/gpube")" = rates ]
row 'solve -v: what ran where' 0 '*' '^gpube: [0-9]+ buckets? on the cpu: .* s, [0-9]+ % of its (copy bandwidth|rate of add-mins)$' \
	"$gpube" solve -v examples/zebra.wcsp
sed 's/^core copy .*/core copy fast/' "$work/cache/gpube/rates" > "$work/rates"
cp "$work/rates" "$work/cache/gpube/rates"
row 'rates that cannot be read are left out' 0 '^optimum +0,' "^gpube: '.*/gpube/rates' is left out: line 4: " \
	"$gpube" solve examples/zebra.wcsp
sed 's/^core name .*/core name Another/; s/fast/5/' "$work/rates" > "$work/cache/gpube/rates"
json 'rates of another machine are left out' 0 'd["rates"] is None' "$gpube" devices --json
row 'devices: nowhere to keep it' 1 '' '^gpube: no folder to keep the rates in' \
	env -u HOME XDG_CACHE_HOME=here "$gpube" devices --measure
plan
