#!/bin/sh
# gpube convert, of every kind of file to every format: what is written can be read again, and all else is an error that
# says why and leaves no file.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

cp examples/zebra.wcsp "$work/model.wcsp"
cp examples/sprinkler.uai "$work/potentials.uai"
printf 'x 2 2 2 9\n2 2\n2 0 1 1 0\n2 0 1 2 1\n1 1 0\n' > "$work/players.wcsp"
printf 'x 2 2 1 9\n2 2\n2 0 1 5 2\n1 1 1\n0 1 3\n' > "$work/agents.wcsp"
cp examples/effort.nfg "$work/game.nfg"
printf 'csg 2 int32\n1 5\n2 4\n3 8\n' > "$work/coalitions.txt"
printf 'goods 3\nbids 2\n1 2.5 0 1 #\n2 2 1 #\n' > "$work/auction.txt"
printf 'MPE\n2 0 1\n' > "$work/mpe.MPE"
printf 'PR\n-2.25\n' > "$work/pr.PR"
echo 4 > "$work/bound.ub"

written='wcsp cfn uai lg wcnf cnf lp mps'
all="$written qpbo col erg yaml xml bif xmlbif net opb bep pre nfg gam csg txt dat PR MAR MPE MMAP sol ub order ord cov evid query"

# goes IN TO: can it be written?
goes() {
	case $1:$2 in
	agents.wcsp:cnf | players.wcsp:cnf | auction.txt:cnf | coalitions.txt:cnf) return 1 ;; # costs differ
	potentials.uai:cnf) return 1 ;;
	potentials.uai:bif | potentials.uai:xmlbif) return 0 ;; # of a Bayesian network
	mpe.MPE:txt | mpe.MPE:dat | mpe.MPE:MPE | mpe.MPE:sol) return 0 ;;
	pr.PR:txt | pr.PR:dat | pr.PR:PR) return 0 ;;
	mpe.* | pr.* | bound.*) return 1 ;;
	game.nfg:nfg | game.nfg:gam | players.wcsp:nfg | players.wcsp:gam) return 0 ;;
	game.nfg:txt | game.nfg:dat | coalitions.txt:txt | coalitions.txt:dat) return 0 ;;
	auction.txt:txt | auction.txt:dat) return 0 ;;
	coalitions.txt:csg | agents.wcsp:csg) return 0 ;;
	esac
	case " $written " in *" $2 "*) return 0 ;; esac
	return 1
}

# by NAME TO [OPTION...]: as 'goes' says, and the file can be read by who reads its kind
by() {
	file=$1 to=$2 out=$3
	shift 3
	rm -f "$work"/out*
	if goes "$file" "$to"; then
		that "$file as .$to $*" "$gpube" convert -q "$@" "$work/$file" "$out"
		that "which can be read" "$gpube" info "$out"
		return
	fi
	"$gpube" convert -q "$@" "$work/$file" "$out" > "$work/said" 2>&1
	that "$file is no .$to $*: exit 1" [ $? -eq 1 ]
	that 'with a reason' grep -q '^gpube: ' "$work/said"
	that 'and no file' sh -c "! ls '$work'/out* 2> /dev/null | grep ."
}

for file in model.wcsp potentials.uai players.wcsp agents.wcsp game.nfg coalitions.txt auction.txt mpe.MPE pr.PR bound.ub; do
	for to in $all; do
		by "$file" "$to" "$work/out.$to"
	done
	for to in $written; do
		by "$file" "$to" "$work/out" --to "$to"
	done
	for to in nfg gam csg txt dat PR MPE sol; do
		if goes "$file" "$to"; then
			by "$file" "$to" "$work/out.$to" --check
		fi
	done
done

# a model as a game is that game
"$gpube" convert -q "$work/players.wcsp" "$work/p.nfg"
that 'a model as .nfg has the same equilibria' sh -c "'$gpube' nash --output gambit '$work/players.wcsp' > '$work/a' &&
	'$gpube' nash --output gambit '$work/p.nfg' | cmp - '$work/a' && [ -s '$work/a' ]"
"$gpube" convert -q "$work/agents.wcsp" "$work/a.csg"
that 'a model as .csg has the same value' sh -c "'$gpube' csg -q '$work/a.csg' | grep -q '^value  *4,'"
row 'a model as .nfg and --shift' 1 '' "^gpube: --shift goes with models, and '.*p.nfg' is to be none$" \
	"$gpube" convert --shift "$work/players.wcsp" "$work/p.nfg"
printf 'csg 21 float32\ndefault 1\n1 -0\n2 1e-20\n' > "$work/list.txt"
row 'a list of coalitions is checked' 0 '' 'list2.txt.gz: read back and compared: 21 agents, .* all equal$' "$gpube" convert --check "$work/list.txt" "$work/list2.txt.gz"
printf '{"problem":{"name":"x","mustbe":">-9.00"},"variables":{"a":2,"b":2},"functions":{"f":{"scope":["a","b"],"costs":[0,1.25,2,4]}}}' > "$work/two.cfn"
row 'decimals as .csg are integers' 0 '' 'values are in units of 10.-2$' "$gpube" convert --check "$work/two.cfn" "$work/two.csg"
that 'and a model again has the decimals' sh -c \
	"printf 'csg 2 int16\n1 200\n2 125\n3 400\n' > '$work/two.txt' && '$gpube' convert '$work/two.txt' '$work/two2.csg' && cmp '$work/two.csg' '$work/two2.csg'"
row 'a pipe is read once' 0 '^optimum +0,' '' \
	sh -c "mkfifo '$work/pipe' && { cat examples/zebra.wcsp > '$work/pipe' & } && '$gpube' solve -q '$work/pipe'"
plan
