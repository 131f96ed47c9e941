#!/bin/sh
# Files that are written: nothing that was found is lost with them, and no command writes over what it reads.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

x=examples
cp $x/exams.cfn "$work/exams.cfn"
cp $x/sprinkler.uai "$work/s.uai"
cp $x/meetings.yaml "$work/m.yaml"
cp $x/effort.nfg "$work/e.nfg"
printf '2\n1 3 5\n' > "$work/two.csg"
"$gpube" generate auction --dist L4 --goods 4 --bids 6 -o "$work/a.txt"

# ---- the form of a result ------------------------------------------------------------------

# COMMAND OPTIONS FILE FIRST: what the result begins with
begins() {
	# shellcheck disable=SC2086
	"$gpube" $1 $2 -q -o "$work/$3" $x/exams.cfn
	that "$1 $2 -o $3" grep -Eq "^$4" "$work/$3"
}
begins solve '' form.sol '0 1 2 1 0 2$'
begins solve '' form.json '\{'
begins solve '' form.ub '4\.30$'
begins solve '' form.txt 'optimum'
begins solve '--output text' text.sol 'optimum'
begins solve '--json' json.sol '\{'
begins list '--within inf' list.sol '0 1 2 1 0 2$'
begins count '' count.json '\{'
begins solve '' form.xz.sol '0 1 2 1 0 2$'
for f in a.uai.MAR a.MAR a.uai; do
	"$gpube" infer -q -t MAR -o "$work/$f" examples/sprinkler.uai
	that "infer -o $f" [ "$(head -n 1 "$work/$f")" = MAR ]
done
"$gpube" solve -q -o "$work/a.MPE" examples/sprinkler.uai
that 'solve -o a.MPE' [ "$(head -n 1 "$work/a.MPE")" = MPE ]
"$gpube" solve -q -o "$work/form.sol.gz" $x/exams.cfn
that 'solve -o form.sol.gz' [ "$(gzip -dc "$work/form.sol.gz")" = '0 1 2 1 0 2' ]
that '-o says so in --help' sh -c "'$gpube' info --help | tr -s ' \n' ' ' | grep -q \"default text, or as FILE's name ends\""
that 'reparam, whose file is the problem, does not' sh -c "! '$gpube' reparam --help | grep -q 'name ends'"

# ---- what cannot be written ----------------------------------------------------------------

# numbers that were once past what a certificate holds
cat > "$work/large.cfn" << 'END'
{problem:{name:p,mustbe:"<4000000000000000000"},variables:{a:2,b:2},functions:{f:{scope:[a,b],
costs:[-1200000000000000000,3,4,1200000000000000000]},g:{scope:[a],costs:[-1200000000000000000,5]}}}
END
row 'a certificate of large numbers' 0 '^certified +-2400000000000000000, ' '' \
	"$gpube" bound -q --certify "$work/c" "$work/large.cfn"
row 'a folder that is not there is found out at once' 1 '' "cannot write '.*/none/c': No such file" \
	"$gpube" bound --certify "$work/none/c" "$work/exams.cfn"
row 'for csg' 1 '' "cannot write '.*/none/c': No such file" \
	"$gpube" csg --certify "$work/none/c" --generate uniform -n 24
row 'for reparam' 1 '' "cannot write '.*/none/c.cfn': No such file" \
	"$gpube" reparam -o "$work/none/c.cfn" "$work/exams.cfn"
row 'for a map' 1 '' "cannot write '.*/none/m': No such file" \
	"$gpube" convert --simplify --map "$work/none/m" "$work/exams.cfn" "$work/to.cfn"
that 'before anything else is written' [ ! -e "$work/to.cfn" ]
if [ -c /dev/full ]; then
	row 'a full disk: the bound is told' 1 '^optimum +4\.30, the proved ' 'No space left' \
		"$gpube" bound -q --certify /dev/full "$work/exams.cfn"
	row 'in JSON, too, in one object' 1 '"lower_bound": 4\.30.*"certified_bound": null, "message": ".*No space left' \
		'No space left' "$gpube" bound -q --json --certify /dev/full "$work/exams.cfn"
	that 'one object' [ "$(wc -l < "$work/out")" = 1 ]
	row 'and that of reparam' 1 '^lower +[0-9.]+, proved' 'No space left' \
		"$gpube" reparam -q --to cfn -o /dev/full "$work/exams.cfn"
	row 'in JSON' 1 '"upper_bound": 4\.30.*"written": null, "message": ".*No space left' 'No space left' \
		"$gpube" reparam -q --json --to cfn -o /dev/full "$work/exams.cfn"
	row 'and the assignment that was to be written' 1 '*' 'No space left' \
		"$gpube" reparam -q --to cfn --write-sol "$work/best.sol" -o /dev/full "$work/exams.cfn"
	that 'is there' [ -s "$work/best.sol" ]
	row 'a full disk for a report: it is told' 1 '^optimum +4\.30, the proved' 'No space left' \
		"$gpube" solve -q -o /dev/full "$work/exams.cfn"
	printf 'csg 2 int32\n1 4\n2 5\n3 8\n' > "$work/two.txt"
	row 'a full disk for a proof of csg: the value is told' 1 '^value +9, the proved maximum' 'No space left' \
		"$gpube" csg -q -m lp --certify /dev/full "$work/two.txt"
	for c in 'solve -q examples/exams.cfn' 'help csg' --version; do
		row "a full disk, <stdout>: $c" 1 '*' "^gpube: cannot write '<stdout>': No space left on device\$" \
			sh -c "'$gpube' $c > /dev/full"
	done
	row 'a full disk for a map' 1 '' 'No space left' \
		"$gpube" convert -q --simplify --map /dev/full "$work/exams.cfn" "$work/to.cfn"
	that 'the model is there' "$gpube" solve -q "$work/to.cfn"
	row 'a full disk for the model' 1 '' 'No space left' \
		"$gpube" convert -q --simplify --to cfn --map "$work/map" "$work/exams.cfn" /dev/full
	that 'no map is left' [ ! -e "$work/map" ]
else
	skip 'a full disk' 'no /dev/full'
fi

# ---- what is read stays -----------------------------------------------------------------------

ln -s exams.cfn "$work/link.cfn"
stays() { # NAME FILE PATTERN COMMAND…
	stays_file=$2
	before=$(cksum < "$stays_file")
	name=$1 pattern=$3
	shift 3
	row "$name" 2 '' "$pattern" "$@"
	that 'it is as it was' [ "$(cksum < "$stays_file")" = "$before" ]
}
w=$work
stays 'solve' "$w/exams.cfn" 'is read: --output-file would write over it' \
	"$gpube" solve --output sol -o "$w/exams.cfn" "$w/exams.cfn"
stays 'bound' "$w/exams.cfn" 'is read: --output-file would' "$gpube" bound -o "$w/exams.cfn" "$w/exams.cfn"
stays 'bound --certify' "$w/exams.cfn" 'is read: --certify would' "$gpube" bound --certify "$w/exams.cfn" "$w/exams.cfn"
stays 'another spelling' "$w/exams.cfn" 'is read: --certify would' "$gpube" bound --certify "$w/./exams.cfn" "$w/exams.cfn"
stays 'a link' "$w/exams.cfn" 'is read: --certify would' "$gpube" bound --certify "$w/link.cfn" "$w/exams.cfn"
stays 'from a link' "$w/exams.cfn" 'is read: --certify would' "$gpube" bound --certify "$w/exams.cfn" "$w/link.cfn"
stays 'reparam' "$w/exams.cfn" 'is read: --write would' "$gpube" reparam -o "$w/exams.cfn" "$w/exams.cfn"
stays 'reparam --write-sol' "$w/exams.cfn" 'is read: --write-sol would' \
	"$gpube" reparam -o "$w/r.cfn" --write-sol "$w/exams.cfn" "$w/exams.cfn"
stays 'info --write-order' "$w/exams.cfn" 'is read: --write-order would' \
	"$gpube" info --write-order "$w/exams.cfn" "$w/exams.cfn"
stays 'convert' "$w/exams.cfn" 'is read: it would be written over' "$gpube" convert "$w/exams.cfn" "$w/exams.cfn"
stays 'convert --map' "$w/exams.cfn" 'is read: --map would' \
	"$gpube" convert --simplify --map "$w/exams.cfn" "$w/exams.cfn" "$w/to.cfn"
stays 'a map and a model' "$w/exams.cfn" 'is written already: --map would' \
	"$gpube" convert --simplify --map "$w/new.cfn" "$w/exams.cfn" "$w/new.cfn"
stays 'a certificate that is read' "$w/best.sol" 'is read: --output-file would' \
	"$gpube" bound --verify "$w/best.sol" -o "$w/best.sol" "$w/exams.cfn"
stays 'a known solution' "$w/best.sol" 'is read: --output-file would' \
	"$gpube" bound --sol "$w/best.sol" --output sol -o "$w/best.sol" "$w/exams.cfn"
stays 'dpop' "$w/m.yaml" 'is read: --output-file would' "$gpube" dpop -o "$w/m.yaml" "$w/m.yaml"
stays 'nash' "$w/e.nfg" 'is read: --output-file would' "$gpube" nash -o "$w/e.nfg" "$w/e.nfg"
stays 'csg' "$w/two.csg" 'is read: --output-file would' "$gpube" csg -o "$w/two.csg" "$w/two.csg"
stays 'csg --certify' "$w/two.csg" 'is read: --certify would' "$gpube" csg --certify "$w/two.csg" "$w/two.csg"
stays 'auction' "$w/a.txt" 'is read: --output-file would' "$gpube" auction -o "$w/a.txt" "$w/a.txt"
row 'one file twice' 2 '' 'is written already: --[a-z-]+ would write over it' \
	"$gpube" bound -o "$w/twice" --certify "$w/twice" "$w/exams.cfn"
row 'one new file, spelled twice' 2 '' 'is written already: --[a-z-]+ would write over it' \
	"$gpube" bound -o "$w/./again" --certify "$w/again" "$w/exams.cfn"
cp examples/sprinkler.uai examples/sprinkler.uai.evid "$w"
stays 'evidence that is read without being named' "$w/sprinkler.uai.evid" 'is read: --output-file would' \
	"$gpube" infer -o "$w/sprinkler.uai.evid" "$w/sprinkler.uai"
gzip -c examples/sprinkler.uai > "$w/packed.uai.gz"
gzip -c examples/sprinkler.uai.evid > "$w/packed.uai.evid.gz"
stays 'packed' "$w/packed.uai.evid.gz" 'is read: --output-file would' \
	"$gpube" solve -o "$w/packed.uai.evid.gz" "$w/packed.uai.gz"
row 'evidence that is not read may go' 0 '' '' \
	"$gpube" infer -q --evidence none -o "$w/sprinkler.uai.evid" "$w/sprinkler.uai"
row 'two files are two' 0 '' '' "$gpube" bound -q -o "$w/one" --certify "$w/two" "$w/exams.cfn"

cat > "$work/ab.cfn" << 'END'
{problem: {name: ab, mustbe: "<99"}, variables: {a: 2, b: 2}, functions: {f: {scope: [a, b], costs: [3, 1, 2, 4]}}}
END

# ---- little memory ------------------------------------------------------------------------------

# Of 400 functions: a certificate that a small dictionary does not hold. What packs it
# fits the memory, and what then reads it does.
awk 'BEGIN { srand(7); n = 60; print "little", n, 8, 400, 100000000; for (i = 0; i < n; i++) printf "8 "; print ""
	for (f = 0; f < 400; f++) { a = int(rand() * n); b = (a + 1 + int(rand() * (n - 1))) % n; print 2, a, b, 0, 64
		for (x = 0; x < 8; x++) for (y = 0; y < 8; y++) print x, y, int(rand() * 99999) } }' > "$work/little.wcsp"
if "$gpube" solve -q -o "$work/t.json.xz" "$work/ab.cfn" 2> "$work/err"; then
	for memory in 1536K 2M 4M 8M 100M; do
		row "--certify c.xz, --memory $memory" 0 '^certified +[0-9]+, a lower bound' '' \
			"$gpube" bound -q --timeout 4 --method arc --memory $memory --certify "$work/c.$memory.xz" "$work/little.wcsp"
		row "which that much memory reads" 0 '^certified +[0-9]+, a lower bound' '' \
			"$gpube" bound -q --memory $memory --verify "$work/c.$memory.xz" "$work/little.wcsp"
	done
	row 'less is refused before the run, with the reason' 1 '' \
		"cannot write '.*little.xz': to pack it takes 1.1 MiB, more than the memory allowed; .gz takes less" \
		"$gpube" bound -q --memory 1M --certify "$work/little.xz" "$work/little.wcsp"
	that 'nothing is left' [ ! -e "$work/little.xz" ]
	row '.gz takes less' 0 '^certified +[0-9]+, a lower bound' '' \
		"$gpube" bound -q --timeout 4 --method arc --memory 1M --certify "$work/little.gz" "$work/little.wcsp"
	row 'a report, too' 1 '' 'more than the memory allowed' "$gpube" solve -q --memory 64K -o "$work/r.json.xz" "$work/ab.cfn"
else
	skip 'little memory' 'no liblzma'
fi

# ---- the longest names ------------------------------------------------------------------------

mkdir "$work/long"
most=$(getconf NAME_MAX "$work/long" 2> /dev/null || echo 255)
letters=$(printf '%0300d' 0 | tr 0 n)
# a name of so many bytes with an ending
long() { # BYTES ENDING
	printf '%.*s%s' "$(($1 - ${#2}))" "$letters" "$2"
}
# writes NAME ENDING COMMAND…: the file that F% in the command stands for, of each length up to the longest
writes() {
	long_name=$1 long_end=$2
	shift 2
	for long_n in $((most - 14)) $((most - 4)) $((most - 3)) $((most - 1)) "$most"; do
		long_file=$work/long/$(long "$long_n" "$long_end")
		sh -c "$(printf '%s' "$*" | sed "s|F%|'$long_file'|g")" > "$work/out" 2> "$work/err" < /dev/null
		[ $? = 0 ] && [ -s "$long_file" ] && [ "$(find "$work/long" -type f | wc -l)" = 1 ] || break
		# and over the file that is there
		sh -c "$(printf '%s' "$*" | sed "s|F%|'$long_file'|g")" > "$work/out" 2> "$work/err" < /dev/null
		[ $? = 0 ] && [ "$(find "$work/long" -type f | wc -l)" = 1 ] || break
		rm "$long_file"
	done
	that "$long_name of up to $most bytes, also over what is there" [ "$long_n" = "$most" ] && [ ! -e "$long_file" ]
	rm -f "$work"/long/* "$work"/long/.g*
	row "$long_name of more" 1 '*' "cannot write '.*': File name too long" \
		sh -c "$(printf '%s' "$*" | sed "s|F%|'$work/long/$(long $((most + 1)) "$long_end")'|g")"
	that 'leaves nothing' [ "$(find "$work/long" -type f | wc -l)" = 0 ]
}
printf 'csg 2 int32\n1 4\n2 5\n3 8\n' > "$work/two.txt"
writes 'a report' .txt "$gpube" solve -q -o F% "$work/ab.cfn"
writes 'a report in JSON' .json "$gpube" solve -q -o F% "$work/ab.cfn"
writes 'a packed one' .json.xz "$gpube" solve -q -o F% "$work/ab.cfn"
writes 'a solution' .sol "$gpube" bound -q -o F% "$work/ab.cfn"
writes 'a certificate' .cert.gz "$gpube" bound -q --certify F% -o "$work/report" "$work/ab.cfn"
writes 'a proof of csg' .proof "$gpube" csg -q -m lp --certify F% -o "$work/report" "$work/two.txt"
writes 'a plot' .svg "$gpube" solve -q --plot F% -o "$work/report" "$work/ab.cfn"
writes 'a picture of a game' .svg "$gpube" nash -q --svg F% -o "$work/report" "$work/e.nfg"
writes 'an order' .order "$gpube" info -q --write-order F% -o "$work/report" "$work/ab.cfn"
writes 'a decomposition' .cov "$gpube" info -q --write-order F% -o "$work/report" "$work/ab.cfn"
writes 'a map' .map "$gpube" convert -q --simplify --map F% "$work/ab.cfn" "$work/to.cfn"
for end in wcsp cfn uai LG wcnf.gz lp mps; do
	writes "a .$end" ".$end" "$gpube" convert -q "$work/ab.cfn" F%
done
writes 'one that is checked' .cfn "$gpube" convert -q --check "$work/ab.cfn" F%
writes 'an equivalent problem' .cfn "$gpube" reparam -q -o F% "$work/ab.cfn"
writes 'its assignment' .sol "$gpube" reparam -q --to cfn -o "$work/to.cfn" --write-sol F% "$work/ab.cfn"
writes 'what is generated' .txt "$gpube" generate auction --dist L4 --goods 4 --bids 6 -o F%
writes 'a game' .nfg "$gpube" nash -q --convert F% "$work/e.nfg"
writes 'messages of agents' .json "$gpube" dpop -q --json -o F% "$work/ab.cfn"
# what is read may be called so, though nothing beside it can; and evidence needs its file
x=$work/long/$(long "$most" .uai)
cp examples/sprinkler.uai "$x"
row 'a model of the longest name' 0 '^evidence +none' '' "$gpube" solve -q "$x"
rm "$x"
row 'what has no place for its evidence' 1 '' "cannot write '.*\.evid': File name too long" \
	"$gpube" convert -q examples/sprinkler.uai "$x"
that 'is not written' [ "$(find "$work/long" -type f | wc -l)" = 0 ]
plan
