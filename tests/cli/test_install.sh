#!/bin/sh
# make install DESTDIR=…, and what is there works: programs, library by pkg-config, man pages, completion.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
root=$work/root prefix=/opt/gpube
build=${gpube%/gpube}
at=$root$prefix

# what was built is installed as it is: nothing is made anew with other options
that 'make install' make -o all install BUILD="${build#"$PWD"/}" DESTDIR="$root" PREFIX="$prefix"
find "$root" -type f -o -type l | sed "s|^$at/||" | sort > "$work/files"
for f in bin/gpube bin/gpube-convert bin/tb2-gpube bin/daoopt-gpube lib/libgpube.a lib/libgpube.so lib/libgpube.so.1 \
	lib/libgpube.so.0.2.0 lib/pkgconfig/gpube.pc lib/cmake/gpube/gpube-config.cmake \
	share/doc/gpube/LICENSE share/doc/gpube/README.md share/doc/gpube/CHANGELOG.md share/doc/gpube/bound-certificate.md \
	share/doc/gpube/csg-certificate.md share/doc/gpube/nash-certificate.md include/gpube/gpube.h include/gpube/sums.h \
	include/gpube/partial.h include/gpube/certify.h include/gpube/solver.h include/gpube/dpop.h include/gpube/coalitions.h include/gpube/forms.h \
	include/gpube/formats.h include/gpube/globals.h share/man/man1/gpube.1 share/man/man1/gpube-convert.1 \
	share/bash-completion/completions/gpube share/bash-completion/completions/gpube-convert \
	share/man/man1/tb2-gpube.1 share/man/man1/daoopt-gpube.1 share/man/man3/gpube.3 share/man/man3/gpube_solve.3 \
	share/man/man3/gpube_equilibria.3 share/man/man5/gpube-json.5 share/doc/gpube/examples/evidence.c share/zsh/site-functions/_gpube; do
	that "$f is there" grep -qx "$f" "$work/files"
done
that 'a man page for every command' [ \
	"$(grep -c '^share/man/man1/gpube-[^m]' "$work/files")" = "$("$gpube" __commands | wc -l)" ]
that 'no file names the place where it was made' sh -c "! grep -rIl '$work' '$root'"
row 'gpube solves' 0 '^optimum +0, the proved minimum' '' "$at/bin/gpube" solve -q examples/zebra.wcsp
row 'gpube-convert converts' 0 '' 'all equal$' \
	"$at/bin/gpube-convert" --check examples/exams.cfn "$work/e.uai"
# whether toulbar2's end is told is a race
row 'tb2-gpube takes the gpube beside it' 0 '^optimum +4\.30, proved by gpube$' '*' \
	env -u GPUBE TOULBAR2=false TB2_GPUBE_DELAY=0 "$at/bin/tb2-gpube" examples/exams.cfn
if command -v man > /dev/null 2>&1; then
	row 'man finds the page' 0 'gpube convert' '' env MANPATH="$at/share/man" man gpube-convert
else
	skip 'man finds the page' 'no man'
fi

# a program that was compiled before an option was there works with the library that has it: options are
# named at run time, and their struct is nobody's but the library's
cat > "$work/options.c" << 'END'
#include <stdio.h>
#include <string.h>
#include <gpube/gpube.h>

/* Sets every option that there is to its default, as text, and counts those of a call. */
int main(void)
{
	const struct gpube_option *option;
	struct gpube_opts *o;
	char text[64];
	int n = 0;

	if (gpube_opts_new(&o, NULL))
		return 1;
	for (int k = 0; (option = gpube_option(k, NULL)); k++)
		if (option->dflt && gpube_opts_set(o, option->name, option->dflt))
			return 1;
	while (gpube_option(n, "gpube_solve"))
		n++;
	if (gpube_opts_set(o, "timeout", "2m") || gpube_opts_get(text, sizeof(text), o, "timeout") < 0)
		return 1;
	printf("%d options, timeout %s, version %d\n", n, text, gpube_version_number());
	gpube_opts_free(o);
	return 0;
}
END
sanitize=
nm "$at/lib/libgpube.a" 2> /dev/null | grep -q __asan && sanitize=-fsanitize=address,undefined
# shellcheck disable=SC2086 # no words or one
that 'a program that knows options by name alone is compiled' cc -std=c11 -Wall -Werror $sanitize -I"$at/include" "$work/options.c" \
	-L"$at/lib" -lgpube -Wl,-rpath,"$at/lib" -o "$work/options"
row 'and takes what the library has' 0 '^[0-9]+ options, timeout 120, version [0-9]+$' '' "$work/options"
that 'the struct is opaque' sh -c "! grep -rlE 'struct gpube_opts \{|sizeof\(struct gpube_opts' '$at/include'"

# section 3: every exported function has a page, and what it says of it is what the header says
grep -ohE '\b(gpube|csg)_[a-z0-9_]+\(' "$at"/include/gpube/*.h | tr -d '(' | sort -u > "$work/called"
cat "$at"/include/gpube/*.h | tr '\n\t' '  ' | grep -oE '[A-Z]+_API [^;]*;' | grep -oE '[a-z0-9_]+\(' | tr -d '(' |
	grep -E '^(gpube|csg)_' | sort -u > "$work/exported"
that 'functions are found' [ "$(wc -l < "$work/exported")" -ge 80 ]
that 'each has a man page' sh -c "while read -r f; do [ -e '$at/share/man/man3/'\$f.3 ] || echo \$f; done < '$work/exported' > '$work/no'; cat '$work/no'; [ ! -s '$work/no' ]"
# a page's name is a sentence of its own, which the description does not go on with
for f in "$at"/share/man/man3/*.3; do
	awk '/^\.SH DESCRIPTION/ { text = 1; next } text && /^\.S/ { exit } text && /^[^.]/ { print; exit }' "$f" |
		grep -q '^[a-z]' && echo "${f##*/}"
done > "$work/cut"
that 'what a page is named by is whole' sh -c "cat '$work/cut'; [ ! -s '$work/cut' ]"
if command -v man > /dev/null 2>&1; then
	for f in "$at"/share/man/man1/*-gpube.1 "$at"/share/man/man1/gpube-mpi.1 "$at"/share/man/man3/gpube.3 \
		"$at"/share/man/man3/gpube_sums.3 "$at"/share/man/man3/gpube_formats.3 "$at"/share/man/man3/csg_auction.3 \
		"$at"/share/man/man3/gpube_forms.3 "$at"/share/man/man3/csg.3; do
		[ -e "$f" ] && row "${f##*/} has no warnings" 0 '*' '' man --warnings -l "$f"
	done
	row 'man finds a function' 0 'gpube_solve\(' '' env MANPATH="$at/share/man" man 3 gpube_solve
fi
row 'daoopt-gpube --help' 0 '^usage: daoopt-gpube' '' "$at/bin/daoopt-gpube" --help
row 'daoopt-gpube says what is missing' 1 '' "^daoopt-gpube: there is no program '/nowhere/daoopt' \(build https:" \
	env GPUBE="$at/bin/gpube" DAOOPT=/nowhere/daoopt "$at/bin/daoopt-gpube" examples/sprinkler.uai
for p in gpube-convert 'gpube solve'; do # by then the pipe's reader is gone
	# shellcheck disable=SC2086
	{ sleep 0.3; "$at/bin"/$p --help 2> "$work/err"; } | true
	that "$p --help | head is quiet" [ ! -s "$work/err" ]
done

complete_words() { # WORDS…: what bash offers for the last one
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		eval "$(complete -p "$1" | sed "s/.*-F \([^ ]*\) .*/\1/")"; echo "${COMPREPLY[*]}"' \
		bash "$at/share/bash-completion/completions/$1" "$@"
}
that 'completion: commands' [ "$(complete_words gpube con)" = convert ]
that 'completion: options' [ "$(complete_words gpube convert --simp)" = --simplify ]
that 'completion: gpube-convert' [ "$(complete_words gpube-convert --simp)" = --simplify ]

# ---- the library
PKG_CONFIG_PATH=$at/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
LD_LIBRARY_PATH=$at/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # where ldconfig would have found it
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH
if command -v cmake > /dev/null 2>&1; then
	mkdir "$work/cmake"
	cat > "$work/cmake/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.10)
project(x C)
find_package(gpube 0.2 REQUIRED)
add_executable(optimum optimum.c)
target_link_libraries(optimum gpube::gpube)
END
	cp examples/optimum.c "$work/cmake/"
	# the installed tree, where DESTDIR has put it
	mkdir -p "$work/moved"
	for f in gpube-config.cmake gpube-config-version.cmake; do
		sed "s|$prefix|$at|g" "$at/lib/cmake/gpube/$f" > "$work/moved/$f"
	done
	that 'CMake finds it' sh -c "cmake -S '$work/cmake' -B '$work/cmake/b' -Dgpube_DIR='$work/moved' && cmake --build '$work/cmake/b'"
	row 'and links it' 0 '^optimum 430 / 10\^2$' '' "$work/cmake/b/optimum" examples/exams.cfn
	that 'CMake refuses a newer version' sh -c "! sed 's/gpube 0.2 /gpube 0.3 /' '$work/cmake/CMakeLists.txt' > '$work/cmake/new' ||
		{ mkdir '$work/cmake/n'; cp '$work/cmake/new' '$work/cmake/n/CMakeLists.txt'; cp examples/optimum.c '$work/cmake/n/';
		! cmake -S '$work/cmake/n' -B '$work/cmake/n/b' -Dgpube_DIR='$work/moved'; }"
else
	skip 'CMake finds it' 'no cmake'
fi
if command -v pkg-config > /dev/null 2>&1; then
	that 'pkg-config: version' [ "gpube $(pkg-config --modversion gpube)" = "$("$gpube" --version)" ]
	# shellcheck disable=SC2046,SC2086
	that 'an example is compiled with the installed library alone' ${CC:-cc} -Wall -Wextra -Werror \
		examples/optimum.c $sanitize $(pkg-config --cflags --libs gpube) -o "$work/optimum"
	that 'it uses the shared library' sh -c "readelf -d '$work/optimum' | grep -q 'NEEDED.*libgpube.so.1'"
	row 'it finds the optimum' 0 '^optimum 430 / 10\^2$' '' "$work/optimum" examples/exams.cfn
	# shellcheck disable=SC2046,SC2086
	that 'the same with the archive' ${CC:-cc} examples/optimum.c $sanitize $(pkg-config --cflags gpube) \
		"$at/lib/libgpube.a" $(pkg-config --static --libs-only-l gpube | sed 's/-lgpube //') -o "$work/static"
	row 'it finds it, too' 0 '^optimum 430 / 10\^2$' '' "$work/static" examples/exams.cfn
	row 'it says what fails' 1 '' "^cannot open 'x': No such file" "$work/optimum" x
	# as its first lines say
	for f in optimum evidence queries shifts again distributed; do
		line=$(sed -n 's/^ \*     cc //p' "$at/share/doc/gpube/examples/$f.c")
		that "$f.c is compiled as it says" sh -c "
			cd '$at/share/doc/gpube/examples' && ${CC:-cc} -std=c11 -Wall -Wextra -Werror $sanitize ${line% -o *} -o '$work/$f'"
	done
	row 'agents: the optimum' 0 '^optimum 430 / 10\^2$' '' "$work/distributed" examples/exams.cfn
	row 'agents: their tree' 0 '^  +[a-z]+: 1 variables, [0-9] pseudo-parents$' '' "$work/distributed" examples/exams.cfn
	row 'a solver: another answer, and one with a day that is fixed' 0 '^4 2 0 3 cost 15$' '' "$work/again"
	row 'a model by calls: the best two answers' 0 '^cost 30: 3 1 0 3 2 1 0$' '' "$work/shifts"
	printf '%-12s probability %s: burglar=%s quake=%s alarm=%s call=%s\n' nothing 0.92077 0 0 0 0 call 0.04846 0 0 0 1 \
		alarm 0.00829 1 0 1 1 quake 0.00535 0 1 1 1 > "$work/explained"
	that 'it solves again as evidence changes' sh -c "'$work/evidence' | diff - '$work/explained'"
	row 'what a network says: a joint distribution' 0 '^and a dark sky 0.00000 0.77030 0.11301 0.11670$' '' \
		"$work/queries" examples/sprinkler.bif
	row 'rows' 0 '^rows           log10 -0.74473 -0.33904$' '' "$work/queries" examples/sprinkler.bif
	row 'and what is drawn' 0 '^drawn          0.7[01] of them with rain$' '' "$work/queries" examples/sprinkler.bif
	if command -v python3 > /dev/null 2>&1 && [ -z "$sanitize" ]; then
		that 'so does the one in Python' sh -c "GPUBE_LIBRARY='$at/lib/libgpube.so' PYTHONPATH=plugins/python \
			python3 examples/evidence.py | diff - '$work/explained'"
	else
		skip 'so does the one in Python' 'no python3, or sanitizers'
	fi
	cp -r plugins/example "$work/example" && printf 'none 2 2 1 10\n2 2\n2 0 1 10 0\n' > "$work/none.wcsp"
	printf '{problem: {name: "most", mustbe: ">-9.0"},\n variables: {a: 2, b: 2},\n' > "$work/most.cfn"
	printf ' functions: {f: {scope: [a, b], costs: [0.5, -1.5, 3.2, 7.1]}}}\n' >> "$work/most.cfn"
	that 'plugins/example is built with the installed library' make -s -C "$work/example" \
		CFLAGS="-O1 -Wall -Wextra -Werror $sanitize"
	for b in none mbe shift; do
		row "bnb -b $b: exams" 0 '^optimum +430 / 10\^2$' '*' "$work/example/bnb" -b $b -i 2 examples/exams.cfn
		row "bnb -b $b: zebra" 0 '^optimum +0 / 10\^0$' '*' "$work/example/bnb" -b $b -t 60 examples/zebra.wcsp
		row "bnb -b $b: a maximum" 0 '^optimum +71 / 10\^1$' '*' "$work/example/bnb" -b $b "$work/most.cfn"
		row "bnb -b $b: infeasible" 0 '^infeasible' '' "$work/example/bnb" -b $b "$work/none.wcsp"
	done
	row 'bnb: the assignment' 0 '^assignment  0 1 2 1 0 2$' '*' "$work/example/bnb" examples/exams.cfn
	row 'bnb: from a first assignment' 0 '^optimum +430 ' '*' "$work/example/bnb" -s 5 examples/exams.cfn
	row 'bnb: nothing better' 0 '^infeasible' '' "$work/example/bnb" -u 430 examples/exams.cfn
	row 'bnb: --help' 0 '^usage: bnb' '' "$work/example/bnb" --help
	row 'bnb: usage' 2 '' '^usage: bnb' "$work/example/bnb" -b some examples/exams.cfn
	row 'bnb: no file' 1 '' '^bnb: cannot open' "$work/example/bnb" x
	if command -v c++ > /dev/null 2>&1; then
		for h in gpube formats globals certify dpop nash csg auction coalitions games forms; do
			echo "#include <gpube/$h.h>"
		done > "$work/all.cc"
		# shellcheck disable=SC2046
		that 'the headers are C++, too' c++ -Wall -Wextra -Werror -fsyntax-only \
			$(pkg-config --cflags gpube) "$work/all.cc"
	else
		skip 'the headers are C++, too' 'no C++ compiler'
	fi
else
	skip 'the library' 'no pkg-config'
fi
# demo: the program alone, whatever else could be built here; its objects are those of a later make
make -n BUILD="$work/b" demo > "$work/demo" 2>&1
that 'demo links gpube' grep -q -- "-o $work/b/gpube\$" "$work/demo"
that 'and makes neither CUDA, MPI nor gpube-convert' sh -c "! grep -v '^test' '$work/demo' | grep -E 'nvcc|[.]cu[.]o|mpicc|convert_main|cudart'"
that 'libraries go where LIBDIR says' sh -c "make -o all install BUILD='${build#"$PWD"/}' DESTDIR='$work/other' PREFIX=/usr LIBDIR=/usr/lib64 > '$work/made' 2>&1 &&
	[ -e '$work/other/usr/lib64/libgpube.so.1' ] && [ ! -e '$work/other/usr/lib' ] &&
	grep -qx 'libdir=/usr/lib64' '$work/other/usr/lib64/pkgconfig/gpube.pc'"
# ---- and away again
that 'make uninstall' make uninstall BUILD="${build#"$PWD"/}" DESTDIR="$root" PREFIX="$prefix"
that 'nothing is left' [ -z "$(find "$root" -mindepth 1)" ]
plan
