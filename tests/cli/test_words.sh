#!/bin/sh
# What reports and -v say of one thing is in the singular, and -q says nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
d=$work at=$(realpath "$gpube")

printf 'x 1 2 1 9\n2\n1 0 0 1\n0 1\n' > "$d/one.wcsp"
printf 'x 2 2 1 9\n2 2\n2 0 1 0 1\n0 0 1\n' > "$d/two.wcsp"
printf 'MARKOV\n1\n2\n1\n1 0\n2 0.5 0.5\n' > "$d/one.uai"
printf 'p cnf 1 1\n1 0\n' > "$d/one.cnf"
printf 'csg 1 int64\n1 5\n' > "$d/one.csg"
printf 'goods 1\nbids 1\ndummy 0\n\n0\t3\t0\t#\n' > "$d/one.txt"
printf 'NFG 1 R "x" { "a" "b" } { 1 1 }\n\n3 4\n' > "$d/one.nfg"

# "1 x 1 actions" is of both players; "1 is", "1 has" are of a number
plurals='(^|[ (,])(1 ([a-z]+ )*[a-z]*[^ius]s|[02-9][0-9]* (variable|function|value|component|table|cell|bucket|cluster|agent|good|bid|node|pivot|launch|scan|split|thread|part|slice))\b'
while read -r command; do
	# shellcheck disable=SC2086
	(cd "$d" && "$at" ${command%% *} -v ${command#* }) > "$work/said" 2>&1 || echo failed > "$work/said"
	grep -E -e "$plurals|^failed" "$work/said" | grep -Ev '1 x 1 actions|\b1 has\b' > "$work/plural"
	that "gpube $command -v: one thing is one" sh -c "cat '$work/plural'; [ -s '$work/said' ] && [ ! -s '$work/plural' ]"
	# shellcheck disable=SC2086
	(cd "$d" && "$at" ${command%% *} -q ${command#* }) > "$work/out" 2> "$work/said"
	that "gpube $command -q: not a word" sh -c "cat '$work/said'; [ ! -s '$work/said' ]"
done << 'END'
solve one.wcsp
solve --no-simplify --count two.wcsp
solve --no-simplify --method eliminate two.wcsp
solve one.uai
count one.wcsp
count one.cnf
infer -t MAR one.uai
infer -t MPE one.uai
bound --no-simplify --method mbe two.wcsp
bound --no-simplify --method shift two.wcsp
bound --no-simplify --method clusters two.wcsp
bound --no-simplify --method joins two.wcsp
bound --no-simplify --method regions two.wcsp
bound --no-simplify --method tree two.wcsp
bound --certify proof.txt two.wcsp
reparam two.wcsp -o shifted.wcsp
info two.wcsp
info one.csg
info one.nfg
info one.txt
convert --check one.uai two.cfn
convert --simplify --consistency sac two.wcsp three.cfn
nash --components one.nfg
nash --method ve one.nfg
nash --method se one.nfg
csg --method ip one.csg
csg --method conv one.csg
csg --method lp one.csg
auction one.txt
dpop two.wcsp
END
plan
