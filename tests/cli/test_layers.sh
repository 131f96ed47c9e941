#!/bin/sh
# The order of the rooms, and names that stand once: an #include goes to a room further down, a file's
# name, a tag that a header defines and a name that the linker sees are each of one place; and no files
# of a room call each other in a circle. What is still otherwise is listed with its reason, and a line of the list that is no longer needed fails, too.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

# Each room, and those that it may include beside itself and the public header.
cat > "$work/rooms" << 'END'
gpube.h
base
options base
ir options base
order ir options base
simplify ir options base
ops ir options base
ranks base
search base
globals ir options base
relax order simplify ops ir options base
eliminate relax order simplify ops ir options base
heuristic eliminate relax order simplify ops ir options base
infer order ops ir options base
mmap infer bound heuristic eliminate relax search order simplify ops ir options base
bound heuristic eliminate relax search order simplify ops ir options base
session bound heuristic eliminate relax search order simplify ops ir options base
deal ranks infer bound heuristic eliminate relax order simplify ops ir options base
forms order ir options base
formats forms globals order ir options base
csg forms formats globals ranks order ops ir options base
nash formats globals ranks order ops ir options base
dcop bound formats globals ranks relax order simplify ops ir options base
recognise csg forms bound heuristic eliminate relax search order simplify ops ir options base
cli recognise deal mmap bound heuristic infer eliminate relax simplify order ops ranks formats forms csg nash dcop globals ir options base
END
# INCLUDING-FILE INCLUDED-FILE: why it may against the order
cat > "$work/arrows" << 'END'
gpube/bound/certificate/certificate.c formats/io/io.h: a certificate is a file of its own, written and read nowhere else
gpube/bound/certificate/certificate_stages.c formats/io/io.h: so are its parts
gpube/bound/certificate/certificate_cycles.c formats/io/io.h: likewise
gpube/bound/checkpoint/checkpoint_file.c formats/io/io.h: so is a checkpoint
END
# names that two objects define: why they never meet
cat > "$work/twice" << 'END'
main: gpube and gpube-convert are two programs
cli_commands: the same
cli_prefix: the same
cli_program: the same
END

# NAME that is called or read in a circle of files of one room: why
cat > "$work/turns" << 'END'
cli_commands: each of two programs has a table of its commands
cli_prefix: the same
cli_program: the same
END

git ls-files > "$work/tree" 2> /dev/null || find . -type f | sed 's|^\./||' | grep -v '^build' > "$work/tree"
grep -E '^(gpube|formats|csg|nash|dcop)/.*\.(c|h|cu|cuh)$' "$work/tree" > "$work/sources"
that 'there are sources' [ "$(wc -l < "$work/sources")" -gt 200 ]

# shellcheck disable=SC2046
grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' $(cat "$work/sources") |
	sed -E 's/^([^:]*):[^"]*"([^"]*)".*/\1 \2/' > "$work/includes"
awk '
	function room(path, part, n) {
		n = split(path, part, "/")
		return part[1] != "gpube" ? part[1] : n == 2 ? "gpube.h" : part[2]
	}
	FILENAME ~ /rooms$/ { known[$1]; for (k = 2; k <= NF; k++) may[$1, $k]; next }
	FILENAME ~ /arrows$/ { sub(/:.*/, ""); allowed[$0] = 1; next }
	{
		from = room($1); to = room($2)
		if (!(from in known)) print $1 ": no such room: " from
		else if (to == from || to == "gpube.h" || (from, to) in may) next
		else if ($0 in allowed) allowed[$0] = 2
		else print $1 " includes " $2
	}
	END { for (a in allowed) if (allowed[a] == 1) print "no longer needed: " a }
' "$work/rooms" "$work/arrows" "$work/includes" > "$work/wrong"
that 'includes follow the order of the rooms' sh -c "! grep . '$work/wrong'"

# those of runs that were measured are each a folder's own
grep -E '\.(c|h|cu|cuh|sh|py)$' "$work/tree" | grep -v '^benchmarks/runs/' | sed 's|.*/||' | sort | uniq -d > "$work/wrong"
that 'every file name is there once' sh -c "! grep . '$work/wrong'"

# What a folder holds is seen at a glance, and what a file holds in one sitting.
{
	grep -E '\.(c|h|cu|cuh|sh|py)$' "$work/tree" | grep -v '^benchmarks/' | sed 's|/[^/]*$||' | sort | uniq -c |
		awk '$1 > ($2 ~ /cli$|^tests/ ? 40 : 30) { print $2 ": " $1 " files" }'
	# shellcheck disable=SC2046
	wc -l $(grep -E '\.(c|h|cu|cuh)$' "$work/tree") | awk '$1 > 700 && $2 != "total" { print $2 ": " $1 " lines" }'
} > "$work/wrong"
that 'at most 30 files in a folder (40 of the program or of tests), 700 lines in a file' sh -c "! grep . '$work/wrong'"

# A figure in a comment or a page names the folder of the runs that it comes from.
# shellcheck disable=SC2046
grep -ohE '(benchmarks/)?runs/[a-z0-9]+-[a-z0-9-]*[a-z0-9]' $(grep -E '\.(c|h|cu|cuh|md)$' "$work/tree") | sed 's|^benchmarks/||' | sort -u |
	while read -r run; do [ -d "benchmarks/$run" ] || echo "$run"; done > "$work/wrong"
that 'runs that are named are there' sh -c "! grep . '$work/wrong'"

# So does a comment or a page that names a file, as its own folder has it or the whole tree (gpube/formats.h and
# others are where headers are installed). x stands for any name.
# shellcheck disable=SC2046
grep -ohE '(^|[^A-Za-z0-9_./-])(gpube|formats|csg|nash|dcop|tests|plugins|benchmarks|examples)/[A-Za-z0-9_./-]*\.(c|h|cu|cuh|sh|py|md)([^A-Za-z0-9_]|$)' \
	$(grep -E '\.(c|h|cu|cuh|sh|py|md)$' "$work/tree" | grep -vE '^(benchmarks/runs/|CHANGELOG)') |
	sed -E 's/^[^A-Za-z]//; s/[^A-Za-z]$//' | grep -vE '[/_]x[._]|/FOLDER/|^gpube/(formats|globals|csg|auction|nash)\.h$' | sort -u |
	while read -r file; do grep -qE "(^|/)$file\$" "$work/tree" || echo "$file"; done > "$work/wrong"
that 'files that are named are there' sh -c "! grep . '$work/wrong'"

# A tag that a header defines, or that bears the library's name, stands nowhere else.
# shellcheck disable=SC2046
grep -HE '^[[:space:]]*((typedef|static|const) )*(struct|union|enum) [A-Za-z_0-9]+( \{.*|)$' $(grep -v 'cuh$' "$work/sources") |
	sed -E 's/^([^:]*):.*(struct|union|enum) ([A-Za-z_0-9]+)( \{.*|)$/\3 \1/' | sort -u |
	awk '
		{ n[$1]++; at[$1] = at[$1] " " $2; header[$1] = header[$1] || $2 ~ /h$/ || $1 ~ /^(gpube|csg|nash|dcop)_/ }
		END { for (tag in n) if (n[tag] > 1 && header[tag]) print tag ":" at[tag] }
	' > "$work/wrong"
that 'every tag is defined once' sh -c "! grep . '$work/wrong'"

# What the linker sees of the program's objects. Those with MPI are for a program of their own, and
# the CUDA files for a library whose names nobody else sees.
objects=${gpube%/*}/obj
: > "$work/objects"
sed -n 's|\.c$|.o|p' "$work/sources" | grep -v '_mpi\.o$' | while read -r o; do
	[ ! -e "$objects/$o" ] || echo "$objects/$o" >> "$work/objects"
done
if ! command -v nm > /dev/null || [ ! -s "$work/objects" ]; then
	skip 'every external name is defined once' 'no nm or no objects'
else
	# shellcheck disable=SC2046
	nm -A --defined-only $(cat "$work/objects") 2> /dev/null | awk '
		$2 ~ /^[TDBRCV]$/ { print $3 }
		$3 ~ /^[TDBRCV]$/ { print $4 }' | grep -v '^__odr_asan' | sort | uniq -d > "$work/names"
	sed 's/:.*//' "$work/twice" | sort > "$work/allowed"
	comm -3 "$work/names" "$work/allowed" > "$work/wrong"
	that 'every external name is defined once, but for those listed' sh -c "! grep . '$work/wrong'"

	# Who takes which name from whom, in one room. tsort tells circles.
	# shellcheck disable=SC2046
	nm -A $(cat "$work/objects") 2> /dev/null | sed "s|^$objects/||" | awk '
		function room(path, part) {
			split(path, part, "/")
			return part[1] != "gpube" ? part[1] : part[1] "/" part[2]
		}
		{ sub(/\.o:.*/, "", $1) }
		$(NF - 1) ~ /^[TDBRCV]$/ { at[$NF] = $1 }
		$(NF - 1) == "U" { n++; from[n] = $1; name[n] = $NF }
		END {
			for (i = 1; i <= n; i++) {
				to = at[name[i]]
				if (to != "" && to != from[i] && room(to) == room(from[i]))
					print from[i], to, name[i]
			}
		}' > "$work/calls"
	that 'there are calls from file to file' [ "$(wc -l < "$work/calls")" -gt 500 ]
	sed 's/:.*//' "$work/turns" > "$work/turning"
	for turn in none $(cat "$work/turning"); do
		awk -v but="$turn" 'NR == FNR { if ($1 != but) skip[$1]; next }
			!($3 in skip) { print $1, $2 }' "$work/turning" "$work/calls" |
			tsort 2> "$work/circle" > "$work/sorted"
		if [ "$turn" = none ]; then
			cat "$work/circle"
		elif [ ! -s "$work/circle" ]; then
			echo "no longer needed: $turn"
		fi
	done > "$work/wrong"
	that 'no files of a room call each other in a circle, but for those listed' sh -c "! grep . '$work/wrong'"
fi
plan
