#!/bin/sh
# What reports and -v say of one thing is in the singular, in the field's words, -q says nothing, and gpube-json(5) has
# every key that a command writes with --json, and no other.
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
	cat "$work/said" >> "$work/talk"
	grep -E -e "$plurals|^failed" "$work/said" | grep -Ev '1 x 1 actions|\b1 has\b|1 byte as' > "$work/plural"
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
bound --no-simplify --method arc two.wcsp
bound --no-simplify --method ascent two.wcsp
bound --no-simplify --method ascent --regions nested two.wcsp
bound --no-simplify --method tree two.wcsp
bound --no-simplify --method pairwise two.wcsp
bound --no-simplify --method andor two.wcsp
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
csg --method idp one.csg
csg --method conv one.csg
csg --method lp one.csg
auction one.txt
dpop two.wcsp
END

# ---- words that the field does not have: phrases, for "shift" of bits, "looks for" or "--shift" are its own
private='shifts|shifted (model|problem|tables)|costs are shifted|patch(es)?|tree of few names|guess(es|ed)?|gives? way|gave way'
private="$private|glances?|looks? closely|looked at|hears? of|parts of (it|the model)|(a|the) share of (the|some) (model|values|variable)"
private="$private|excludes? or says?|may change places|values? (are|is) dead|cases: [0-9]+ split"
sh gpube/man.sh "$(dirname "$gpube")" 0 "$work/man" > "$work/said" 2>&1
that 'the pages are made' [ -s "$work/man/man1/gpube-solve.1" ]
cat "$work"/man/man?/* > "$work/pages"
for c in $("$gpube" __commands); do
	"$gpube" "$c" --help
done > "$work/help"
cat README.md docs/*.md docs/notebooks/*.md > "$work/site"
for text in talk help pages site; do
	tr '\n' ' ' < "$work/$text" | tr -s ' ' | sed 's,examples/shifts[.]c,,g' | grep -owiE -e "$private" > "$work/private"
	that "no private word in: $text" sh -c "cat '$work/private'; [ -s '$work/$text' ] && [ ! -s '$work/private' ]"
done

# ---- variables of the environment that libraries and program read (HOME: in words; hooks of tests, a rank's place: MPI)
"$gpube" __man > "$work/gpube.1"
for name in $(find gpube formats csg nash dcop -name '*.c' -exec grep -oh 'getenv("[A-Z_]*")' {} + | tr -dc 'A-Z_\n' | sort -u); do
	case $name in HOME | GPUBE_TEST_RANK | GPUBE_TEST_THREADS) ;; *) that "$name is in gpube(1)" grep -q "^[.]B $name\$" "$work/gpube.1" ;; esac
done

# ---- the keys of --json
awk -v version=0 -f gpube/json.awk gpube/cli/json_keys.txt > "$work/gpube-json.5"
if command -v man > /dev/null 2>&1; then
	row 'the page has no warnings' 0 '*' '' man --warnings -l "$work/gpube-json.5"
fi
that 'the page has a heading for each block' [ "$(grep -c '^[.]SH' "$work/gpube-json.5")" = "$(($(grep -c '^@' gpube/cli/json_keys.txt) + 3))" ]
printf 'x 1 1 1 5\n1\n1 0 9 0\n' > "$work/none.wcsp"
printf 'NFG 1 R "x" { "a" "b" } { 2 2 }\n\n1 0 0 1 0 1 1 0\n' > "$work/none.nfg"
printf 'csg 3 int32\n1 1\n2 2\n3 4\n4 1\n5 2\n6 2\n7 5\n' > "$work/x.csg"
printf 'goods 3\nbids 3\ndummy 0\n\n0\t3.5\t0\t1\t#\n1\t2\t2\t#\n2\t1\t1\t2\t#\n' > "$work/a.txt"
echo '2 0 1' > "$work/query"
printf 'PR\n-1.5\n' > "$work/r.PR"
printf 'MPE\n2 0 1\n' > "$work/r.MPE"
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 7))' 2> /dev/null; then
	python3 tests/check_json.py "$gpube" "$work" > "$work/said" 2>&1
	that 'it ran to its end' sh -c "tail -n 1 '$work/said' | grep -q '^1[.][.]' || { cat '$work/said'; false; }"
	while IFS= read -r line; do
		case $line in
		'ok '*) ok "${line#ok * - }" ;;
		'not ok '*) not_ok "${line#not ok * - }" ;;
		'#'*) echo "$line" ;;
		esac
	done < "$work/said"
else
	skip 'the keys' 'no python3 of 3.7 or later'
fi
plan
