#!/bin/sh
# man.sh - every man page into DIR/man1, man3 and man5: of commands from their option tables, of the
# library from its headers, of the scripts from what their --help says, of --json from json_keys.txt.
#
#     gpube/man.sh BUILD VERSION DIR [3]      3: those of section 3 alone, which need no program
set -e
build=$1 version=$2 dir=$3
rm -rf "$dir"
mkdir -p "$dir/man1" "$dir/man3" "$dir/man5"
while read -r page header include; do
	awk -v out="$dir/man3" -v page="$page" -v include="gpube/$include" -v version="$version" -f gpube/man3.awk "$header"
done << 'END'
gpube gpube/gpube.h gpube.h
gpube_partial gpube/partial.h partial.h
gpube_proofs gpube/certify.h certify.h
gpube_solver gpube/solver.h solver.h
gpube_agents gpube/dpop.h dpop.h
gpube_sums gpube/sums.h sums.h
gpube_coalitions gpube/coalitions.h coalitions.h
gpube_games gpube/games.h games.h
gpube_forms gpube/forms.h forms.h
gpube_formats formats/formats.h formats.h
gpube_globals gpube/globals.h globals.h
csg csg/csg.h csg.h
csg_auction csg/auction.h auction.h
gpube_equilibria nash/nash.h nash.h
END
[ "$4" = 3 ] && exit
awk -v version="$version" -f gpube/json.awk gpube/cli/json_keys.txt > "$dir/man5/gpube-json.5"
"$build/gpube" __man > "$dir/man1/gpube.1"
for c in $("$build/gpube" __commands); do
	"$build/gpube" __man "$c" > "$dir/man1/gpube-$c.1"
done

page() { # NAME SUMMARY SEE: standard input as it is
	printf '.TH %s 1 "" "gpube %s" "User Commands"\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n' \
		"$(echo "$1" | tr '[:lower:]' '[:upper:]')" "$version" "$1" "$2"
	sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"
	printf '.fi\n.SH SEE ALSO\n%s\n' "$3"
}
sh plugins/toulbar2/tb2-gpube --help |
	page tb2-gpube 'toulbar2 and gpube race for the proof of one problem' \
		'\fBgpube\-bound\fR(1), \fBgpube\-reparam\fR(1), \fBtoulbar2\fR(1)' > "$dir/man1/tb2-gpube.1"
sh plugins/daoopt/daoopt-gpube --help |
	page daoopt-gpube "daoopt's search with gpube's order and mini-bucket tables" \
		'\fBgpube\-daoopt\fR(1)' > "$dir/man1/daoopt-gpube.1"
# those whose options say so
shared=$("$build/gpube" __commands | while read -r c; do
	if "$build/gpube" help "$c" | grep -q '^Ranks, of gpube-mpi:'; then
		printf '%s ' "$c"
	fi
done)
{
	echo "usage: mpirun -n N gpube-mpi COMMAND [options] [arguments]"
	echo
	echo "gpube whose commands $(echo "$shared" | sed 's/ $//; s/ /, /g; s/\(.*\), /\1 and /') share their work among N processes."
	echo "Every rank reads the files; rank 0 reports. Other commands are for gpube."
	echo
	"$build/gpube" help dpop | sed -n '/^Ranks, of gpube-mpi:/,/^$/p'
} | page gpube-mpi 'gpube over the ranks of an MPI run' \
	"$(echo "$shared" | sed 's/\([a-z]*\) /\\fBgpube\\-\1\\fR(1), /g')\fBgpube\fR(1), \fBmpirun\fR(1)" > "$dir/man1/gpube-mpi.1"
