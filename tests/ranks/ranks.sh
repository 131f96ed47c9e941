# ranks.sh - for tests of gpube-mpi, after tap.sh: $mpi, ranks N COMMAND OPTION…, same FILE.
# Where there is no gpube-mpi, or no mpirun, the rest of the test is skipped.
mpi=${gpube%/*}/gpube-mpi
if ! [ -x "$mpi" ] || ! command -v mpirun > /dev/null; then
	skip 'ranks' 'there is no gpube-mpi or no mpirun'
	plan
	exit
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=1

ranks() { # N COMMAND OPTION…
	n=$1 command=$2
	shift 2
	timeout -k 1 600 mpirun -n "$n" "$mpi" "$command" -q --threads 1 "$@"
}

# what must not depend on the ranks
same() {
	sed -E 's/"seconds": [0-9.]+, //; s/"(simulated_seconds|splits_per_second)".*//' "$1"
}

# An error that all of three ranks have: one message, and one object if --json is there.
told_once() { # STATUS MESSAGE COMMAND OPTION…
	once_status=$1 once_message=$2
	shift 2
	ranks 3 "$@" > "$work/out" 2> "$work/err" < /dev/null
	once_got=$?
	that "told once: $*" test $once_got -eq "$once_status" -a "$(grep -c '^gpube: ' "$work/err")" = 1 \
		-a "$(grep -c "$once_message" "$work/err")" = 1
	case " $* " in *' --json '*) that 'in one object' test "$(grep -c '"status": "error"' "$work/out")" = 1 ;; esac
}

ranks_that_fail() { # COMMAND FILE; COMMAND with its options
	# shellcheck disable=SC2086
	row 'a stopped rank ends the run' 1 '' 'rank 1 has given no sign of life for 1 s: it is dead or stopped' \
		env GPUBE_TEST_RANK='stop 1' timeout 600 mpirun -n 2 "$mpi" $1 -q --receive-timeout 1s "$2"
	# shellcheck disable=SC2086
	GPUBE_TEST_RANK='die 1' timeout 600 mpirun -n 2 "$mpi" $1 -q "$2" > "$work/out" 2> "$work/err"
	died=$?
	that 'a killed rank ends the run' test $died -ne 0 -a $died -ne 124
	that 'and is named' grep -Eiq 'rank 1.*(signal|dead|lost)' "$work/err"
}
