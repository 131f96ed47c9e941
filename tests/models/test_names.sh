#!/bin/sh
# Names of variables and values: --observe of every command that takes it, beside and against .evid files, what is
# refused, and answers by name.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
x=examples/exams.cfn u=examples/sprinkler.uai

cat > "$work/rain.bif" << 'END'
network unknown { }
variable rain { type discrete [ 2 ] { no, yes }; }
variable "wet grass" { type discrete [ 2 ] { "not at all", "very" }; }
probability ( rain ) { table 0.8, 0.2; }
probability ( "wet grass" | rain ) { (no) 0.9, 0.1; (yes) 0.25, 0.75; }
END
b=$work/rain.bif
# the posterior of no is 0.8 * 0.1 = 0.08 to 0.2 * 0.6 = 0.12
sed 's/0.25, 0.75/0.4, 0.6/' "$b" > "$work/round.bif"

# ---- every command
row 'solve' 0 '^optimum +4.80, ' '' "$gpube" solve -q --observe drama=wednesday $x
row 'solve: the value is there' 0 '^ *assignment .* drama=wednesday$' '' "$gpube" solve -q --observe drama=wednesday $x
row 'solve: two, by name and by index' 0 '^evidence +2 variables from --observe$' '' \
	"$gpube" solve -q --observe drama=wednesday --observe=0=2 $x
row 'bound' 0 '^optimum +4.80, ' '' "$gpube" bound -q --observe drama=wednesday $x
row 'bound: by one method' 0 '^optimum +4.80, |^lower ' '' "$gpube" bound -q --method arc --observe drama=wednesday $x
row 'count' 0 '^solutions +162$' '' "$gpube" count -q --observe drama=tuesday $x
row 'list' 0 '^1 +4.80$' '' "$gpube" list -q --observe drama=wednesday $x
row 'dpop' 0 '^optimum +4, ' '' "$gpube" dpop -q --observe plan_north=10 examples/meetings.yaml
row 'dpop: it is told' 0 '^evidence +1 variable from --observe$' '' "$gpube" dpop -q --observe plan_north=10 examples/meetings.yaml
row 'dpop: in JSON' 0 '"observed": 1, "evidence_file": null' '' \
	"$gpube" dpop -q --json --observe plan_north=10 examples/meetings.yaml
row 'infer' 0 '^log10 Z +-1.09691' '' "$gpube" infer -q --observe 'wet grass=very' --observe rain=no --observe rain=0 \
	--evidence none "$b" --order min-fill
row 'infer: what is told' 0 '^evidence +1 observed variable, from --observe$' '' "$gpube" infer -q --observe rain=yes "$b"
row 'infer: its probability' 0 '^log10 Z +-0.69897' '' "$gpube" infer -q --observe rain=yes "$b"
row 'infer: MPE' 0 '^assignment +rain=yes wet grass=very$' '' "$gpube" infer -q -t MPE --observe 'wet grass=very' "$b"
row 'info' 0 '^evidence +1 variable from --observe$' '' "$gpube" info -q --observe drama=wednesday $x
row 'reparam' 0 '4\.8' '' "$gpube" reparam -q --observe drama=wednesday -o "$work/r.cfn" $x
row 'convert' 0 '' '' "$gpube" convert -q --observe drama=wednesday $x "$work/c.cfn"
row 'convert: it stays' 0 '^optimum +4.80, ' '' "$gpube" solve -q "$work/c.cfn"
row 'a game as a model' 0 '^assignment +Ann=low Bob=low$' '' "$gpube" solve -q --observe Ann=low examples/effort.nfg

# ---- beside evidence that is read, and against it
row 'beside a file' 0 '^evidence +2 observed variables, from examples/sprinkler.uai.evid and --observe$' '' \
	"$gpube" infer -q --observe 0=1 $u
row 'beside a file: solve' 0 '^evidence +2 variables from examples/sprinkler.uai.evid and --observe$' '' "$gpube" solve -q --observe 0=1 $u
row 'the same as the file' 0 '^evidence +1 variable from' '' "$gpube" solve -q --observe 3=1 $u
row 'against the file' 1 '' "variable 3 is observed as 1 by 'examples/sprinkler.uai.evid', and as 0 by --observe '3=0'\$" \
	"$gpube" solve -q --observe 3=0 $u
row 'instead of the file' 0 '^evidence +1 variable from --observe$' '' "$gpube" solve -q --observe 3=0 --evidence none $u
printf '1\nrain yes\n' > "$work/seen"
row 'a file of names' 0 '^log10 Z +-0.69897' '' "$gpube" infer -q "$b" "$work/seen"
row 'against a file of names' 1 '' "variable rain is observed as yes by '.*seen', and as no by --observe 'rain=no'\$" \
	"$gpube" infer -q --observe rain=no "$b" "$work/seen"
row 'against itself' 1 '' "variable rain is observed as yes by --observe '0=1', and as no by --observe 'rain=no'\$" \
	"$gpube" infer -q --observe 0=1 --observe 'wet grass=0' --observe rain=no "$b"
printf 'MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 0.1 0 6.7\n' > "$work/two.uai"
row 'impossible together' 0 '^impossible +the evidence has probability zero' '' "$gpube" infer -q --observe 0=1 --observe 1=0 "$work/two.uai"

sed 's/no, yes/1, 0/; s/(no)/(1)/; s/(yes)/(0)/' "$b" > "$work/turned.bif"
printf '1 0 1\n' > "$work/seen"
row 'a number that is a name: told' 0 '^log10 Z +-0.09691001' "seen:1: 1 is taken for the name of value 0, not for an index\$" \
	"$gpube" infer "$work/turned.bif" "$work/seen"
row 'the same by --observe' 0 '^log10 Z +-0.09691001' '' "$gpube" infer --observe 0=1 "$work/turned.bif"

# ---- what is refused
row 'a variable' 1 '' "--observe 'drame=monday': expected a variable \(algebra, .*french\), found 'drame'\$" \
	"$gpube" solve -q --observe drame=monday $x
row 'a value' 1 '' "--observe 'drama=sunday': expected a value of variable drama \(monday, tuesday, wednesday\), found 'sunday'\$" \
	"$gpube" count -q --observe drama=sunday $x
row 'no index of a number' 1 '' "expected a value of variable plan_north \(9, 10, 11, 14\), found '1'\$" \
	"$gpube" dpop -q --observe plan_north=1 examples/meetings.yaml
row 'a model without names' 1 '' "--observe 'rain=1': expected a variable from 0 to 3, found 'rain'\$" "$gpube" infer -q --observe rain=1 $u
row 'no value' 1 '' "--observe 'drama': expected NAME=VALUE\$" "$gpube" list -q --observe drama $x
row 'in JSON, too' 1 '"status": "error", "message": "--observe .drama.: expected NAME=VALUE"' '*' "$gpube" bound -q --json --observe drama $x
row 'nothing' 2 '' 'observe: expected NAME=VALUE, found nothing' "$gpube" solve $x --observe
row 'a result' 1 '' '--observe goes with models' "$gpube" info -q --observe a=b examples/effort.nfg
printf '{problem:{name:p,mustbe:"<9"},variables:{a:2,"a=b":[c,"c=d"]},functions:{f:{scope:["a=b"],costs:[1,2]}}}' > "$work/equals.cfn"
row 'an equals sign in a name' 0 '^evidence +1 variable' '' "$gpube" solve -q --observe 'a=b=c=d' "$work/equals.cfn"
row 'the nearest option' 2 '' "did you mean '--observe'" "$gpube" solve --observed a=b $x
row 'a value instead of a file' 2 '' "'rain=yes' is no file of evidence: one value is --observe 'rain=yes'\$" "$gpube" infer -q "$b" rain=yes
that 'zsh offers it again' sh -c "'$gpube' __completion zsh | grep -q -e \"'[*]--observe=\""

# ---- answers by name
row 'JSON: solve' 0 '"assignment": \[0,1,2,1,0,2\], "names": \{"algebra": "monday", .*"french": "wednesday"\}' '' "$gpube" solve -q --json $x
row 'JSON: count' 0 '"names": \{"algebra": "' '' "$gpube" count -q --json $x
row 'JSON: every one that is listed' 0 '"cost": 4.30, "assignment": \[.*\], "names": \{.*"cost": 4.80, "assignment": \[.*\], "names": \{.*"french": "tuesday"\}' '' \
	"$gpube" list -q --json --within 0.5 $x
row 'JSON: dpop' 0 '"assignment": \[3,3,2,2\], "names": \{"plan_north": "14", "plan_south": "14", "budget_south": "11", "budget_west": "11"\}' '' \
	"$gpube" dpop -q --json examples/meetings.yaml
row 'JSON: bound' 0 '"names": \{"algebra": "' '' "$gpube" bound -q --json $x
row 'JSON: MPE' 0 '"names": \{"rain": "no", "wet grass": "not at all"\}' '' "$gpube" infer -q --json -t MPE "$b"
echo '1 1' > "$work/query"
row 'JSON: MMAP' 0 '"query": \[1\], "assignment": \[0\], "names": \{"wet grass": "not at all"\}' '' \
	"$gpube" infer -q --json -t MMAP --query "$work/query" "$b"
printf '2\nrain "wet grass"\n' > "$work/query"
row 'a query by names' 0 '"query": \[0,1\], ' '' "$gpube" infer -q --json -t MMAP --query "$work/query" "$b"
printf '2\nrain\n 0\n' > "$work/query"
row 'a query by names: twice' 1 '' 'query:3: variable rain is asked for twice$' "$gpube" infer -q -t MMAP --query "$work/query" "$b"
printf '2 rain\nwet' > "$work/query"
row 'a query by names: another' 1 '' "query:2: expected a variable \(rain, wet grass\), found 'wet'\$" \
	"$gpube" infer -q -t MMAP --query "$work/query" "$b"
printf '2 rain' > "$work/query"
row 'a query by names: cut' 1 '' 'query:1: expected a variable, found the end of the file' "$gpube" infer -q -t MMAP --query "$work/query" "$b"
row 'JSON: posteriors' 0 '"marginals": \[\[0.4[0-9]*,0.6\],\[0,1\]\], "posteriors": \{"rain": \{"no": 0.4[0-9]*, "yes": 0.6\}, "wet grass": \{"not at all": 0, "very": 1\}\}' '' \
	"$gpube" infer -q --json -t MAR --observe 'wet grass=very' "$work/round.bif"
row 'JSON: bounds of them' 1 '"marginals_lower": .*"posteriors_lower": \{"burglary": \{"no": .*"posteriors_upper": \{"burglary": \{"no": ' '' \
	"$gpube" infer -q --json -t MAR --memory 20 tests/instances/alarm.bif
row 'text: posteriors' 0 '^marginals +rain=no 0.4$' '' "$gpube" infer -q -t MAR --observe 1=1 "$work/round.bif"
row 'text: a line each' 0 '^ +wet grass=very 1$' '' "$gpube" infer -q -t MAR --observe 1=1 "$work/round.bif"
row 'text: bounds of them' 1 '^ +burglary=no [0-9.]+[.][.][0-9.]+$' '' "$gpube" infer -q -t MAR --memory 20 tests/instances/alarm.bif
row 'no names, no key' 0 '"assignment": \[[0-9,]*\], "closed"' '' "$gpube" solve -q --json examples/zebra.wcsp
row 'no names, no posteriors' 0 '"marginals": [^{]*, "plan"' '' "$gpube" infer -q -t MAR --json $u
row 'no names: a line a variable' 0 '^marginals +0: 0.424200278 0.575799722$' '' "$gpube" infer -q -t MAR $u
# players of one name: the second is told by its index, which --observe takes, and so are values
cat > "$work/twins.nfg" << 'END'
NFG 1 R "twins" { "Ann" "Ann" }
{ { "up" "up" "down" } { "left" "right" } }
""
1 1 0 0 0 0  0 0 0 0 2 2
END
row 'one name twice' 0 '"assignment": \[2,1\], "names": \{"Ann": "down", "1": "right"\}' '' \
	"$gpube" solve -q --json --observe 1=right "$work/twins.nfg"
printf '{problem:{name:p,mustbe:"<9"},variables:[2,3],functions:{f:{scope:[0,1],costs:[1,2,0,4,5,6]}}}' > "$work/bare.cfn"
row 'a file without names' 0 '"assignment": \[0,2\], "closed"' '' "$gpube" solve -q --json "$work/bare.cfn"

row 'info --names' 0 '^names +rain: no, yes$' '' "$gpube" info -q --names "$b"
row 'info --names: of the last' 0 '^ +wet grass: not at all, very$' '' "$gpube" info -q --names "$b"
row 'info --names: values without names' 0 '^names +x\[0\]\[0\]: 0 to 1$' '' "$gpube" info -q --names tests/instances/core.xml
row 'info --names: in JSON' 0 '"names": \{"rain": \["no","yes"\], "wet grass": \["not at all","very"\]\}' '' \
	"$gpube" info -q --names --json "$b"
row 'info --names: none' 0 '^names +none' '' "$gpube" info -q --names $u
row 'info --names: a game' 0 '^names +Ann: low, middle, high, ' '' "$gpube" info -q --names examples/effort.nfg

# ---- names on their way through other formats
row 'a .cfn: what it cannot name' 0 '' "2 names? of variables? cannot|1 name of variables cannot be written: 'wet grass' becomes 'wet_grass'\$" \
	"$gpube" convert "$b" "$work/b.cfn"
row 'a .cfn: values, too' 0 '^assignment +rain=no wet_grass=not_at_all$' '' "$gpube" solve -q "$work/b.cfn"
row 'a .cfn: numbers' 0 '' '' "$gpube" convert -q examples/meetings.yaml "$work/m.cfn"
row 'a .cfn: numbers behind a letter' 0 '^assignment +plan_north=v14 plan_south=v14 budget_south=v11 budget_west=v11$' '' \
	"$gpube" solve -q "$work/m.cfn"
printf '{problem:{name:s,mustbe:"<9"},variables:{a:[p,q,r],b:3,"^h":3,c:[k,l]},functions:{f:{scope:[a],costs:[9,1,2]},g:{scope:[a,b],costs:[0,0,0,1,2,9,3,1,9]},h:{scope:[b,c],costs:[1,2,3,1,0,0]},i:{scope:[b],costs:[9,0,0]},j:{scope:[a,c,"^h"],costs:[1,2,3,4,1,3,2,3,1,4,2,1,3,2,1,2,1,2]}}}' > "$work/s.cfn"
row 'simplified' 0 '' '' "$gpube" convert -q --simplify --map "$work/map" "$work/s.cfn" "$work/t.cfn"
that 'simplified: names and values of what is left' sh -c "tr -d ' \n' < '$work/t.cfn' | grep -F '\"variables\":{\"a\":[\"q\",\"r\"],\"x1\":3,\"c\":[\"k\",\"l\"]}'"
printf '{problem:{name:s,mustbe:"<9"},variables:{a:3,b:[u,v,w],c:[k,l]},functions:{f:{scope:[a],costs:[9,1,2]},g:{scope:[a,b],costs:[0,0,0,1,2,9,3,1,9]},h:{scope:[b,c],costs:[1,2,3,1,0,0]}}}' > "$work/s.cfn"
row 'simplified: values without names' 0 '' '' "$gpube" convert -q --simplify "$work/s.cfn" "$work/t.cfn"
that 'simplified: they are told by their indices' sh -c "tr -d ' \n' < '$work/t.cfn' | grep -F '\"variables\":{\"a\":[\"v1\",\"v2\"],\"b\":[\"u\",\"v\"],'"
row 'simplified: all that is left of exams' 0 '' '' "$gpube" convert -q --simplify $x "$work/u.cfn"
row 'simplified: its answer' 0 '^assignment +algebra=monday botany=tuesday chemistry=wednesday drama=tuesday$' '' "$gpube" solve -q "$work/u.cfn"
plan
