#!/bin/sh
# plugins/python: its own tests on the shared library that was built, the installed package, and the example.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
package=plugins/python
case ${gpube%/gpube} in
/*) library=${gpube%/gpube}/libgpube.so ;;
*) library=$PWD/${gpube%/gpube}/libgpube.so ;;
esac

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null; then
	skip 'the Python package' 'no python3 of 3.8 or later'
	plan
	exit 0
elif nm "$gpube" 2> /dev/null | grep -q -e __asan_init -e __tsan_init; then
	skip 'the Python package' 'python3 is not built with the sanitizer that the library has'
	plan
	exit 0
fi
GPUBE_LIBRARY=$library PYTHONPATH=$PWD/$package PYTHONDONTWRITEBYTECODE=1
export GPUBE_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE

for test in $(cd $package/tests && for f in test_*.py; do sed -n "s/^class \(.*\)(unittest.TestCase):/${f%.py}.\1/p" "$f"; done); do
	that "python: $test" env PYTHONPATH="$PYTHONPATH:$PYTHONPATH/tests" timeout -k 5 600 \
		python3 -m unittest "$test"
done

if python3 -c 'import pytoulbar2' 2> /dev/null; then
	mkdir "$work/drawn"
	row 'python: models that toulbar2 could misread' 0 '^ok 1 - functions: .*, 0 false claims$' '' timeout -k 5 600 \
		python3 tests/cli/check_toulbar2.py functions "$work/drawn" "${GPUBE_DRAWN:-40}"
else
	skip 'python: models that toulbar2 could misread' 'no pytoulbar2: pip install pytoulbar2'
fi

row 'the example' 0 '^optimum 4.30, proved$' '' timeout -k 5 600 python3 examples/python_example.py
while read -r name words; do
	row "the example $name" 0 "$words" '' sh -c "cd '$work' && timeout -k 5 600 python3 '$PWD/$package/examples/example_$name.py'"
	echo "example_$name.py" >> "$work/ran"
done << 'END'
again ^another \[0, 4, 1, 2\] 8$
auction ^bid 4 pays 45 for lamp and rug$
bound ^the assignment is worth it: True$
convert ^4\.30 430$
count ^92 ways$
csg ^value 9 of teams
dpop ^least cost 0 \[0, 2, 1\]$
infer ^then it has rained with 0\.3577$
info ^width [0-9]+, [0-9]+ cells joined
model ^cost 30 .*Dora
nash ^mixed by 3/7 3/7 1/7$
others ^nashpy: 
query ^rain if the lawn is wet: 0\.7079$
reparam ^bound 10\.0+ of 10\.0$
solve ^red Switzerland: 2$
END
that 'every example was run' sh -c "ls '$package/examples' | cmp - '$work/ran'"
row 'a library that is not there' 1 '' 'GPUBE_LIBRARY' env GPUBE_LIBRARY="$work/none.so" python3 -c 'import gpube'
row 'python -m gpube, where the program is not there' 1 '' 'has the Python package alone' python3 -m gpube --version
mkdir "$work/beside"
cp -r $package/gpube "$work/beside/gpube"
cp "$library" "$work/beside/gpube/"
row 'a library beside the package' 0 "^$work/beside/gpube/libgpube.so$" '' env -u GPUBE_LIBRARY PYTHONPATH="$work/beside" \
	python3 -c 'import gpube._c; print(gpube._c.lib._name)'
mkdir -p "$work/home/.local/lib" "$work/prefix/lib"
cp "$library" "$work/home/.local/lib/"
ln -s "$library" "$work/prefix/lib/libgpube.so.1"
row 'a library of make install PREFIX=~/.local' 0 "^$work/home/.local/lib/libgpube.so$" '' env -u GPUBE_LIBRARY HOME="$work/home" \
	python3 -c 'import gpube._c; print(gpube._c.lib._name)'
row 'a library of the environment' 0 "^$work/prefix/lib/libgpube.so.1$" '' env -u GPUBE_LIBRARY HOME="$work/home" \
	python3 -c "import sys; sys.prefix = '$work/prefix'; import gpube._c; print(gpube._c.lib._name)"
row 'another library' 1 '' 'is not the libgpube' env GPUBE_LIBRARY=libc.so.6 python3 -c 'import gpube'
plan
