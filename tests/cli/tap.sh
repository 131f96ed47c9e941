# shellcheck shell=sh disable=SC2034
# tap.sh - what the scripts of this directory share: rows that run a command
# and check its exit status, standard output and standard error. Sourced.
gpube=${GPUBE:-build/gpube}
[ -x "$gpube" ] || { echo "Bail out! $gpube is not there"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tap_n=0

ok() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $*"
}

not_ok() {
	tap_n=$((tap_n + 1))
	echo "not ok $tap_n - $*"
}

skip() { # NAME WHY
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# NAME COMMAND…: passes if the command does
that() {
	tap_name=$1
	shift
	if "$@" > "$work/that" 2>&1; then
		ok "$tap_name"
	else
		not_ok "$tap_name"
		sed 's/^/# /' "$work/that"
	fi
}

# An output against an extended regular expression: '' is no output at all, '*' anything.
matches() { # FILE PATTERN
	case $2 in
	'') [ ! -s "$1" ] ;;
	'*') true ;;
	*) grep -Eq -e "$2" "$1" ;;
	esac
}

# NAME STATUS STDOUT STDERR COMMAND…
row() {
	tap_name=$1 tap_status=$2 tap_out=$3 tap_err=$4
	shift 4
	"$@" > "$work/out" 2> "$work/err" < /dev/null
	tap_got=$?
	if [ "$tap_got" = "$tap_status" ] && matches "$work/out" "$tap_out" &&
		matches "$work/err" "$tap_err"; then
		ok "$tap_name"
	else
		not_ok "$tap_name"
		echo "# $*: exit $tap_got, expected $tap_status"
		echo "# stdout, expected '$tap_out':"
		sed 's/^/#   /' "$work/out" | head -n 20
		echo "# stderr, expected '$tap_err':"
		sed 's/^/#   /' "$work/err" | head -n 20
	fi
}

plan() {
	echo "1..$tap_n"
}
