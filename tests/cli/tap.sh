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

# COMMAND…: waits until it succeeds, ten minutes at most
await() {
	for tap_i in $(seq 6000); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

said_or_over() { # PID WORDS
	if ! kill -0 "$1" 2> /dev/null; then
		return 0
	elif [ -n "$2" ]; then
		grep -Eq -e "$2" "$work/out" "$work/err" "${tap_also:-/dev/null}"
	elif [ -r "/proc/$1/status" ]; then
		grep -Eq '^SigCgt:.*[4-7c-f]...$' "/proc/$1/status" # TERM is caught
	else
		sleep 2
	fi
}

# Is there a clock that goes on at each look at it, so that how fast the machine is does not matter?
has_clock() {
	[ -e "$work/clock.so" ] || ${CC:-cc} -O2 -shared -fPIC tests/support/shim/clock.c -o "$work/clock.so" 2> /dev/null || return
	clocked 500 "$gpube" --version > /dev/null 2>&1
}

clocked() { # MICROSECONDS COMMAND…: by that clock
	tap_step=$1
	shift
	env CLOCK_STEP_US="$tap_step" LD_PRELOAD="$work/clock.so" "$@"
}

# SIGNAL WORDS COMMAND…: within a row, the signal comes once the words are printed, or stand in the file
# $tap_also, however long that takes; if there are none, once it is caught. A shell lets what it puts aside ignore INT,
# as nohup does HUP: where env cannot undo that, TERM comes instead of INT.
end_at() {
	tap_signal=$1 tap_words=$2
	shift 2
	if [ "$tap_signal" != TERM ] && env --default-signal="$tap_signal" true 2> /dev/null; then
		env --default-signal="$tap_signal" "$@" &
	else
		[ "$tap_signal" != INT ] || tap_signal=TERM
		"$@" &
	fi
	tap_pid=$!
	await said_or_over $tap_pid "$tap_words"
	kill -$tap_signal $tap_pid 2> /dev/null
	wait $tap_pid
}

# SIGNAL WORDS COMMAND…: the same of 'mpirun COMMAND…', which may end with the signal's status or the ranks'. It gets the
# signal once: at a second one, which timeout(1) sends to its group, mpirun ends before the ranks have told what they have.
# It kills them a second after their signal, too, whatever else the machine does; here after three.
end_ranks_at() {
	tap_first=$1 tap_second=$2
	shift 2
	end_at "$tap_first" "$tap_second" env OMPI_MCA_odls_base_sigkill_timeout=3 timeout --foreground 600 mpirun "$@"
	tap_ended=$?
	[ $tap_ended != 143 ] || tap_ended=1
	return $tap_ended
}

# COMMAND…: it writes into a pipe whose reader is gone; prints its status
without_reader() {
	rm -f "$work/unread"
	mkfifo "$work/unread"
	true < "$work/unread" &
	exec 4> "$work/unread"
	wait $!
	"$@" >&4
	echo $?
	exec 4>&-
}

plan() {
	echo "1..$tap_n"
}
