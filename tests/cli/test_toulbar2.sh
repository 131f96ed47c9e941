#!/bin/sh
# The same optimum from gpube and from toulbar2, on seeded networks and the
# shipped examples, as they are and after writing them in every format.
. "$(dirname "$0")/tap.sh"

# The optimum of a file according to gpube: a number, or "infeasible".
ours() { # FILE
	"$gpube" solve --json "$1" 2> /dev/null |
		sed -n 's/.*"status": "infeasible".*/infeasible/p; s/.*"upper_bound": \(-\{0,1\}[0-9.]*\).*/\1/p'
}

# The same according to toulbar2; for .uai the energy, which it prints with three decimals.
theirs() { # FILE
	case $1 in
	*.uai) set -- "$1" 's/^Optimum: .* energy: \(-\{0,1\}[0-9.]*\).*/\1/p' ;;
	*) set -- "$1" 's/^Optimum: \(-\{0,1\}[0-9.]*\).*/\1/p' ;;
	esac
	if [ -e "$1.evid" ]; then
		toulbar2 "$1" "$1.evid"
	else
		toulbar2 "$1"
	fi 2> /dev/null | sed -n "/^No solution/s/.*/infeasible/p; $2"
}

equal() { # A B TOLERANCE
	if [ -z "$1" ] || [ -z "$2" ]; then
		return 1
	fi
	[ "$1" = "$2" ] && return 0
	case $1$2 in *infeasible*) return 1 ;; esac
	awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b <= t && b - a <= t) }'
}

compare() { # NAME FILE TOLERANCE
	a=$(ours "$2") b=$(theirs "$2")
	if equal "$a" "$b" "$3"; then
		ok "$1: $a"
	else
		not_ok "$1: gpube says '$a', toulbar2 '$b'"
	fi
}

# All three formats of one file. A .wcsp holds integers: its unit is the smallest decimal.
every_format() { # NAME FILE
	original=$(ours "$2")
	for f in wcsp cfn uai; do
		if ! "$gpube" convert "$2" "$work/w.$f" > "$work/said" 2>&1; then
			not_ok "$1 as .$f: $(cat "$work/said")"
			continue
		fi
		tolerance=0
		[ $f = uai ] && tolerance=0.001
		compare "$1 as .$f, toulbar2" "$work/w.$f" $tolerance
		again=$(ours "$work/w.$f")
		if [ $f = wcsp ] && [ "$again" != infeasible ]; then
			decimals=$(printf %s "$original" | sed -n 's/.*\.//p')
			again=$(awk -v v="$again" -v n="${#decimals}" 'BEGIN { printf "%.*f", n, v / 10 ^ n }')
		fi
		if equal "$original" "$again" 0.000001; then
			ok "$1 as .$f, read back: $again"
		else
			not_ok "$1 as .$f, read back: '$original' became '$again'"
		fi
		rm -f "$work/w.$f" "$work/w.$f.evid"
	done
}

if ! command -v toulbar2 > /dev/null; then
	skip "the same optima as toulbar2" "toulbar2 is not installed"
	echo "1..1"
	exit 0
fi
for file in examples/zebra.wcsp examples/exams.cfn examples/sprinkler.uai; do
	tolerance=0
	case $file in *.uai) tolerance=0.001 ;; esac
	compare "$file" "$file" $tolerance
	every_format "$file" "$file"
done
for kind in random scale-free grid; do
	for seed in 1 2 3; do
		for p2 in 0.2 0.6; do
			name="$kind, seed $seed, tightness $p2"
			"$gpube" generate $kind -n 12 -d 4 --p1 0.35 --p2 $p2 --seed $seed \
				--max-cost 20 -o "$work/n.cfn"
			compare "$name" "$work/n.cfn" 0
			every_format "$name" "$work/n.cfn"
		done
	done
done
echo "1..$tap_n"
