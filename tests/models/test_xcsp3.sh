#!/bin/sh
# XCSP3: random instances beside brute force, wide constraints beside binomials, and short texts that ask for much.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

if ! printf '<instance format="XCSP3"/>' | "$gpube" info --from xml - > /dev/null 2>&1; then
	skip 'XCSP3' 'this build has no expat'
	plan
	exit 0
fi
if command -v python3 > /dev/null 2>&1; then
	that 'random ones' python3 tests/models/check_xcsp3.py "$gpube" 90
else
	skip 'random ones' 'no python3'
fi

# wide N DOMAIN CONSTRAINTS: x[0] to x[N-1]
wide() {
	printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[%d]"> %s </array></variables>
	<constraints>%s</constraints><objectives><minimize type="sum"> x[] </minimize></objectives></instance>\n' "$@" > "$work/x.xml"
}

# answers NAME COST COUNT
answers() {
	timeout 60 "$gpube" solve --count "$work/x.xml" > "$work/out" 2> "$work/err"
	awk -v cost="$2" -v count="$3" '$1 == "optimum" { c = $2 == cost "," || cost == $2 }
		$1 == "optima" { n = $2 == count } END { exit !(c && n) }' "$work/out"
	if [ $? = 0 ]; then ok "$1"; else
		not_ok "$1"
		sed 's/^/# /' "$work/out" "$work/err"
	fi
}

wide 40 '0 1' '<sum><list> x[] </list><condition> (ge,3) </condition></sum>'
answers 'three of 40' 3 9880
wide 40 '0 1' '<sum><list> x[] </list><condition> (in,{2,3,30}) </condition></sum>'
answers 'two, three or thirty' 2 780
wide 40 '0 1' '<count><list> x[] </list><values> 0 </values><condition> (le,38) </condition></count>'
answers 'at most 38 zeros' 2 780
wide 40 '0 1' "<clause> x[] </clause>"
that 'a clause takes single variables' [ "$("$gpube" info "$work/x.xml" 2>&1 | grep -c 'is not one variable')" = 1 ]
wide 40 '0 1' "<intension> or($(seq 0 39 | sed 's/.*/x[&]/' | paste -sd,)) </intension>"
answers 'one of 40' 1 40
wide 30 '0..2' '<regular><list> x[] </list><transitions> (a,0,a)(a,1,b)(a,2,b)(b,0,c)(c,0,a) </transitions>
	<start> a </start><final> c </final></regular>'
answers 'an automaton that ends behind a one' 1 1
wide 30 '0 1' "<extension><list> x[] </list><supports> ($(seq 0 28 | sed 's/.*/*/' | paste -sd,),1)(1,$(seq 0 28 | sed 's/.*/*/' | paste -sd,)) </supports></extension>"
answers 'short tuples of 30' 1 2
printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[3]"> 0 1 </array><array id="y" size="[3]"> 0..199 </array></variables>
	<constraints><group><extension><list> %%... </list><supports> (*,*,1..199) </supports></extension><args> x[] </args><args> y[] </args></group>
	</constraints><objectives><minimize type="sum"> x[] y[] </minimize></objectives></instance>\n' > "$work/x.xml"
answers 'tuples of a group that stand for few and for many' 2 1
wide 30 '0 1' '<nValues><list> x[] </list><condition> (eq,2) </condition></nValues>'
answers 'two values of 30' 1 30
wide 30 '0 1' '<maximum><list> x[] </list><condition> (ge,1) </condition></maximum>'
answers 'the largest of 30' 1 30

# counted TEXT COUNT: without an objective, over x[0][0] to x[2][2] of 0..2
counted() {
	printf '<instance format="XCSP3" type="%s"><variables><array id="x" size="[%s]"> %s </array></variables>
		<constraints>%s</constraints></instance>\n' "$2" "$3" "$4" "$6" > "$work/x.xml"
	answers "$1" "${7:-0}" "$5"
}
counted 'allDifferent of a matrix with <except>' CSP '2][3' 0..2 121 '<allDifferent><matrix> x[][] </matrix><except> 0 </except></allDifferent>'
counted 'allEqual of lists with <except>' CSP '3][2' 0..2 57 '<allEqual><list> x[0][0] x[0][1] </list><list> x[1][0] x[1][1] </list>
	<list> x[2][0] x[2][1] </list><except> (0,0) </except></allEqual>'
counted 'a hybrid table' CSP 3 0..5 64 '<extension type="hybrid-1"><list> x[] </list><supports> (0,{1,3},≠2)(≥5,*,*)(*,1..2,≤1) </supports></extension>'
counted 'a hybrid table of columns' CSP 3 0..3 16 '<extension type="hybrid-2"><list> x[] </list><supports> (*,c0,=c0-c1)(*,﹥c0,c0+1)(3,&lt;=1, != 1) </supports></extension>'
counted 'ifThen' CSP 2 12..14 7 '<ifThen><intension>eq(x[0],13)</intension><intension>eq(x[1],14)</intension></ifThen>'
counted 'ifThenElse of a group' CSP 3 0..2 12 '<group><ifThenElse><allEqual> %0 %1 </allEqual><intension>eq(%2,2)</intension><not>
	<extension><list> %0 %1 </list><conflicts> (0,1)(1,2)(2,0) </conflicts></extension></not></ifThenElse><args> x[] </args></group>' 0
counted 'stretch' CSP 4 0..1 3 '<stretch><list> x[] </list><values> 0 1 </values><widths> 2..3 1..4 </widths><patterns> (0,1) </patterns></stretch>'
counted 'costs of tuples, of expressions and of constraints' WCSP 3 0..2 1 '<extension type="soft" defaultCost="3"><list> x[0] x[1] </list>
	<tuples cost="1"> (0,*)(1,2) </tuples><tuples cost="7"> (2,0..1) </tuples></extension><intension type="soft"> add(x[1],x[2]) </intension>
	<allDifferent violationCost="2"> x[] </allDifferent><intension> gt(x[0],0) </intension>' 3
counted 'the fewest constraints that do not hold' MAXCSP 3 0..2 27 '<intension> eq(x[0],x[1]) </intension><intension> ne(x[0],x[1]) </intension>
	<intension> eq(x[2],7) </intension>' 2

# public reports of what solvers and parsers get wrong, and models as pycsp3 2.6.1 writes them (benchmarks/formats-read.md)
# a sum of XCSP 2.1 that is too wide for a table
seq 0 29 > "$work/n"
printf '<instance><presentation format="XCSP 2.1_FRODO"/><domains><domain name="d">0 1</domain></domains><variables>%s</variables><relations>
	<relation name="r" arity="1" semantics="soft" defaultCost="0">0.5: 1</relation></relations><constraints>%s<constraint name="s" arity="30" scope="%s"
	reference="global:weightedSum"><parameters>[ %s ] <gt/> 4</parameters></constraint></constraints></instance>\n' \
	"$(sed 's|.*|<variable name="v&" domain="d"/>|' "$work/n")" "$(sed 's|.*|<constraint scope="v&" reference="r"/>|' "$work/n")" \
	"$(sed 's/.*/v&/' "$work/n" | paste -sd' ')" "$(sed 's/.*/{ 2 v& }/' "$work/n" | paste -sd' ')" > "$work/x.xml"
answers 'a wide sum of XCSP 2.1' 1.5 4060

written() { # FILE COST COUNT, as brute force and, of the first and the last, ACE 2.6 and CPMpy 1.1.1 have it
	cp "tests/instances/$1" "$work/x.xml"
	answers "$@"
}
written pycsp3_hybrid.xml 14 1
written pycsp3_except.xml 15 4
written pycsp3_tasks.xml 7 11
counted 'cosoco#82: a matrix of rows' CSP '2][2' '0 1' 2 '<allDifferent><matrix> (x[0][0],x[0][1])(x[1][0],x[1][1]) </matrix></allDifferent>'
counted 'ACE#16: a matrix that is not square' CSP '2][3' 0..2 12 '<allDifferent><matrix> x[][] </matrix></allDifferent>'
counted 'cosoco#78: a matrix and <except>' CSP '3][3' 0..2 781 '<allDifferent><matrix> x[][] </matrix><except> 0 </except></allDifferent>'
counted 'cosoco#78: expressions and <except>' CSP 3 0..3 40 '<allDifferent><list> add(x[0],1) x[1] x[2] </list><except> 1 </except></allDifferent>'
counted 'cosoco#79: lists of values below 0' CSP '3][2' -1..0 24 '<allDifferent><list> x[0][0] x[0][1] </list><list> x[1][0] x[1][1] </list>
	<list> x[2][0] x[2][1] </list></allDifferent>'
counted 'cosoco#80: a variable twice' CSP 3 0..2 9 '<allEqual> x[0] x[0..1] </allEqual>'
counted 'pycsp3#125: three lists that are equal' CSP '3][2' 0..2 9 '<allEqual><list> x[0][0] x[0][1] </list><list> x[1][0] x[1][1] </list>
	<list> x[2][0] x[2][1] </list></allEqual>'
counted 'cosoco#71: symbols' CSP '3]" type="symbolic" note="[' 'blue green red' 6 '<allDifferent> x[] </allDifferent>'
counted 'pycsp3: minimumArg without a rank' CSP 3 0..2 14 '<minimumArg><list> x[] </list><condition> (eq,2) </condition></minimumArg>'

# what is made of truths is a truth value, 0 or 1, also where its parts are integers
truths() {
	printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[3]"> -2..2 </array></variables><constraints>
	<intension> eq(x[0],-2) </intension><intension> eq(x[1],2) </intension></constraints><objectives><minimize> %s </minimize></objectives></instance>\n' "$2" > "$work/x.xml"
	answers "truth value $2" "$1" 5
}
truths 1 'or(-3,x[0])'
truths 1 'or(x[0],x[1])'
truths 1 'and(x[0],x[1],-3)'
truths 0 'and(x[0],0)'
truths 0 'xor(x[0],x[1])'
truths 1 'xor(x[0],x[1],2)'
truths 1 'iff(x[0],x[1])'
truths 1 'iff(x[0],x[1],-3)'
truths 1 'imp(x[0],x[1])'
truths 0 'imp(x[0],0)'
truths 0 'not(x[0])'
truths 2 'add(or(x[0],0),or(0,x[1]))'
truths -2 'if(x[1],x[0],7)'
truths 7 'if(not(x[1]),x[0],7)'
truths 0 'in(or(x[0],x[1]),set(-2,2))'
printf '%s\n' '<instance format="XCSP3" type="COP"><variables><array id="x" size="[5]"> 1..3 </array></variables><constraints><nValues><list> x[2] x[3] x[4] </list><condition> (gt,2) </condition></nValues><lex><list> x[4] x[4] x[4] </list><list> x[0] x[2] x[4] </list><operator> lt </operator></lex><sum><list> x[1] x[0] x[3] x[2] </list><condition> (ne,5) </condition></sum></constraints><objectives><minimize> or(-3,x[0]) </minimize></objectives></instance>' > "$work/x.xml"
answers 'or of integers beside other constraints' 1 27

# a total of many values: as a variable of many, and with factors of 0
printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[22]"> 0 1 </array><array id="y" size="[12]"> 0..99 </array>
	<var id="z"> 0..9999 </var></variables><constraints><sum><list> x[] y[] </list><coeffs> %s 0x12 </coeffs><condition> (eq,z) </condition></sum>
	<instantiation><list> y[] </list><values> 0x12 </values></instantiation></constraints>
	<objectives><maximize> z </maximize></objectives></instance>\n' "$(seq 300 321 | tr '\n' ' ')" > "$work/x.xml"
answers 'a total of thousands' 6831 1

# a part that was there before is the same hidden variable
printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[4]"> 0..150 </array></variables><constraints>
	<group><intension> lt(%%0,%%1) </intension><args> x[0] x[1] </args><args> x[1] x[2] </args><args> x[2] x[3] </args></group>
	<group><intension> ne(dist(%%0,%%1),dist(%%2,%%3)) </intension>%s</group></constraints>
	<objectives><minimize> x[3] </minimize></objectives></instance>\n' "$(for a in 01 02 03 12 13; do
	for b in 02 03 12 13 23; do [ $a -lt $b ] && echo $a $b; done; done |
	sed 's|\(.\)\(.\) \(.\)\(.\)|<args> x[\1] x[\2] x[\3] x[\4] </args>|')" > "$work/x.xml"
row 'a ruler has a variable for each difference and each distance' 0 '^model +4 and 12 hidden variables' '' "$gpube" info "$work/x.xml"

# the largest of many with many values, as an objective and as a variable
for goal in '<minimize type="maximum"> x[] </minimize>' '<minimize> z </minimize>'; do
	printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[60]"> 0..299 </array><var id="z"> 1..299 </var></variables>
		<constraints><instantiation><list> x[1..59] </list><values> 5x59 </values></instantiation>
		<maximum><list> x[] </list><condition> (eq,z) </condition></maximum><intension> ge(x[0],3) </intension></constraints>
		<objectives>%s</objectives></instance>\n' "$goal" > "$work/x.xml"
	answers 'the largest of 60' 5 3
done
printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[60]"> 0..299 </array></variables>
	<constraints><instantiation><list> x[2..59] </list><values> 295x58 </values></instantiation>
	<minimum><list> x[] </list><condition> (gt,293) </condition></minimum></constraints>
	<objectives><minimize type="sum"> x[0] x[1] </minimize></objectives></instance>\n' > "$work/x.xml"
answers 'the smallest of 60' 588 1

# indices from below 0, and long conditions of <element>
below() {
	printf '<instance format="XCSP3" type="COP"><variables><array id="x" size="[3]" startIndex="-1"> 0..5 </array>
	<var id="i"> -3..9 </var></variables><constraints>%s</constraints>
	<objectives><minimize type="sum"> x[] </minimize></objectives></instance>\n' "$1" > "$work/x.xml"
}

below '<intension> ge(x[-1],2) </intension><intension> eq(x[1],add(x[0],1)) </intension>'
answers 'an index below 0' 3 13
below '<sum><list> x[-1..0] </list><condition> (ge,4) </condition></sum>'
answers 'a range from below 0' 4 65
below '<group><intension> ge(%0,%1) </intension><args> x[-1] 2 </args><args> x[-1..0] </args></group>'
answers 'arguments with an index below 0' 2 13
element='<element><list> x[] </list><index> i </index><condition>'
below "$element (notin,{$(seq -s, 0 2 2000)}) </condition></element>"
answers 'an element that is none of 1001' 1 3
below "$element (in,$(seq 1 2 2000 | sed 's/.*/&..&/' | paste -sd' ')) </condition></element>"
answers 'an element in one of 1000 ranges' 1 3

# domains that say the same are the same one
printf '<instance format="XCSP3" type="COP"><variables><var id="a"> 1 3 6 </var><var id="b"> 1 3 6 </var><var id="c"> 1 3 6 </var></variables>
	<constraints>%%s</constraints><objectives><maximize type="sum"> a b c </maximize></objectives></instance>\n' > "$work/three"
three() { printf "$(cat "$work/three")" "$1" > "$work/x.xml"; }
three '<precedence> c b a </precedence>'
answers 'precedence of variables with domains of their own' 10 1
three '<allDifferent> a b c </allDifferent>'
that 'whose pairs share a table' [ "$("$gpube" info "$work/x.xml" | grep -c '3 shared$')" = 1 ]

# 2 = (a + 1) b, whatever the letters of b
printf '<instance format="XCSP3" type="COP"><variables><var id="a"> 0 1 </var><var id="\303\251"> 0 1 </var></variables>
	<constraints><sum><list> add(a,1) </list><coeffs> \303\251 </coeffs><condition> (eq,2) </condition></sum></constraints>
	<objectives><minimize> a </minimize></objectives></instance>\n' > "$work/x.xml"
answers 'a factor whose name is not of ASCII' 1 1

cp tests/instances/core.xml "$work/c.xml"
"$gpube" solve -q "$work/c.xml" > "$work/plain"
that 'variables have their names' grep -q '^assignment .* x\[0\]\[1\]=0 .* y=3' "$work/plain"
for packer in gzip xz 'xz --format=lzma' bzip2 zstd; do
	case $packer in gzip) end=gz ;; xz) end=xz ;; bzip2) end=bz2 ;; zstd) end=zst ;; *) end=lzma ;; esac
	if ! command -v "${packer%% *}" > /dev/null; then
		skip "a .$end" "no ${packer%% *}"
		continue
	fi
	$packer < "$work/c.xml" > "$work/c.xml.$end"
	"$gpube" solve -q "$work/c.xml.$end" > "$work/out" 2> "$work/err"
	if grep -q 'this build has no lib' "$work/err"; then
		skip "a .$end" "$(sed 's/.*this build/this build/' "$work/err")"
		continue
	fi
	that "a .$end" grep -q '^optimum  *6' "$work/out"
	head -c -9 "$work/c.xml.$end" > "$work/cut"
	row "a .$end that ends too soon" 1 '' 'data is truncated$' "$gpube" solve --from xml "$work/cut"
	{ head -c 60 "$work/c.xml.$end"; printf 'garbage'; tail -c +68 "$work/c.xml.$end"; } > "$work/wrong"
	row "a .$end with wrong bytes" 1 '' 'data is (corrupt|truncated)$' "$gpube" solve --from xml "$work/wrong"
	# more than a window of it, and in two members
	{ printf 'p cnf 2 40001\n1 0\n'; yes '2 -1 0' | head -n 20000; } | $packer > "$work/m.cnf.$end"
	[ "$end" = lzma ] || { yes '1 -2 0' | head -n 20000 | $packer >> "$work/m.cnf.$end"
		row "two members of .$end" 0 '^optimum +0' '' "$gpube" solve -q "$work/m.cnf.$end"; }
done
if zstd --ultra --long=27 -q < "$work/c.xml" > "$work/l.xml.zst" 2> /dev/null && [ -n "$("$gpube" info "$work/c.xml.zst" 2> /dev/null)" ]; then
	printf '\050\265\057\375\000\210\001\000\000' > "$work/w.cnf.zst"
	row 'a window larger than the memory' 1 '' 'unpacking takes more than the memory allowed' "$gpube" solve --memory 64M "$work/w.cnf.zst"
else
	skip 'a window larger than the memory' 'no zstd, or no libzstd'
fi
for end in lzma bz2 zst; do
	row "no .$end is written" 1 '' 'only read' "$gpube" convert "$work/c.xml" "$work/c.wcsp.$end"
done

# what is read is what the help says
"$gpube" convert --help | tr -s '\n ' ' ' > "$work/help"
sed -n 's/^\t{"\([A-Za-z]*\)", .*},$/\1/p' formats/xcsp3/x3_constraint.c > "$work/read"
that 'the help names each constraint that is read' sh -c '
	[ "$(wc -l < "$1/read")" -ge 26 ] && while read -r name; do
		sed "s/.*and the constraints \([^;]*\);.*/, \1,/" "$1/help" | grep -q ", $name," || exit 1
	done < "$1/read"' sh "$work"
that 'and some that are not' grep -q '<spread>, <tree> and <permutation>, is refused by its name' "$work/help"

# refused NAME MESSAGE TEXT: before much is taken
refused() {
	printf '<instance format="XCSP3" type="CSP"><variables><array id="x" size="[9]"> 0..9 </array>%s</constraints></instance>\n' "$3" > "$work/x.xml"
	row "$1" 1 '' "$2" "$gpube" info --memory 64M "$work/x.xml"
}
refused 'an array of 10^9' "array 'y' of 1000000000 variables: more than the memory allowed" \
	'<array id="y" size="[1000000000]"> 0 1 </array></variables><constraints>'
refused 'a domain of 10^9' 'more than the memory allowed' '<var id="y"> 0..1000000000 </var></variables><constraints>'
refused 'a list of 10^9' 'more than the memory allowed' '</variables><constraints><sum><list> 3x1000000000 </list><condition> (le,1) </condition></sum>'
refused 'a list of elements that are no variables' 'more than the memory allowed' "<array id='y' size='[400000]'>
	<domain for='y[0]'> 0 1 </domain></array></variables><constraints><allDifferent> y[1..399999] y[1..399999] y[1..399999] </allDifferent>"
refused 'a group that repeats much' 'more than the memory allowed' "</variables><constraints><group><intension> or($(yes 'eq(x[%0],1)' |
	head -n 3000 | tr '\n' ',')1) </intension>$(yes '<args> 1 </args>' | head -n 9000 | tr '\n' ' ')</group>"
plan
