#!/bin/sh
# libgpube-cuda.so: found, missing, broken, of another build; and what the programs and libraries need and export.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh
build=${gpube%/gpube}
unset GPUBE_CUDA

# a program without the library beside it
mkdir -p "$work/alone/bin" "$work/alone/lib"
cp "$gpube" "$work/alone/bin/gpube"
alone=$work/alone/bin/gpube
row 'none: it solves' 0 '^optimum +0,' '*' "$alone" solve -q examples/zebra.wcsp
row 'none: devices says so' 0 '^gpu +none: no CUDA backend: libgpube-cuda.so is not beside' '' "$alone" devices
row 'none: --backend cuda is an error, said once' 1 '' \
	"^gpube: no CUDA backend: libgpube-cuda.so is not beside the program nor in ../lib .*\)$" \
	"$alone" solve --backend cuda examples/zebra.wcsp
row 'none: the same with JSON' 1 '"no CUDA backend: ' '*' "$alone" solve --json --backend cuda examples/zebra.wcsp
row 'GPUBE_CUDA=none' 1 '' 'GPUBE_CUDA=none asks for no CUDA backend$' \
	env GPUBE_CUDA=none "$alone" solve --backend cuda examples/zebra.wcsp
row 'GPUBE_CUDA names nothing' 0 '^gpu +none: no CUDA backend: /nowhere/x.so: cannot open' '' \
	env GPUBE_CUDA=/nowhere/x.so "$alone" devices

# one that is not a library, and those of other builds, beside the program and in ../lib
echo 'not a library' > "$work/alone/lib/libgpube-cuda.so"
row 'no library: devices says so' 0 '^gpu +none: no CUDA backend: .*/libgpube-cuda.so: (file too short|invalid ELF header)' '' \
	"$alone" devices
row 'no library: it solves' 0 '^optimum +0,' '*' "$alone" solve -q examples/zebra.wcsp
cat > "$work/other.c" << 'C'
#include <stdint.h>
struct backend { uint32_t abi; const char *version; };
const struct backend *gpube_cuda_backend(void);
const struct backend *gpube_cuda_backend(void)
{
	static const struct backend b = {1, "0.0.7"};
	return &b;
}
C
if ${CC:-cc} -shared -fPIC "$work/other.c" -o "$work/alone/lib/libgpube-cuda.so" 2> /dev/null; then
	row 'another ABI: devices says so' 0 \
		"^gpu +none: .*'.*/libgpube-cuda.so' is of another build than this program \(gpube 0.0.7, ABI 00000001; expected gpube " \
		'' "$alone" devices
	row 'another ABI: it solves' 0 '^optimum +0,' '*' "$alone" solve -q examples/zebra.wcsp
	row 'another ABI: --backend cuda is an error' 1 '' "^gpube: no CUDA backend: '.*ABI [0-9a-f]{8}\)$" \
		"$alone" solve --backend cuda examples/zebra.wcsp
	cp "$work/alone/lib/libgpube-cuda.so" "$work/alone/bin/"
	mkdir -p "$work/site/gpube/bin" "$work/site/gpube_cuda"
	cp "$gpube" "$work/site/gpube/bin/"
	cp "$work/alone/lib/libgpube-cuda.so" "$work/site/gpube_cuda/"
	row "in Python's package gpube_cuda" 0 "^gpu +none: .*'.*/gpube_cuda/libgpube-cuda.so' is of another build" '' \
		"$work/site/gpube/bin/gpube" devices
	row 'beside the program comes first' 0 "'.*/bin/libgpube-cuda.so' is of another build" '' "$alone" devices
else
	skip 'another ABI' 'no C compiler'
fi

if [ -e "$build/libgpube-cuda.so" ]; then
	# with a card or without one: the library itself is fine
	that 'its own library fits' sh -c "! '$gpube' devices | grep -q 'no CUDA backend'"
	row 'it is found beside the program' 0 '^gpu ' '' "$gpube" devices
	that 'it exports its entry alone' [ "$(nm -D --defined-only "$build/libgpube-cuda.so" | awk '$2 ~ /[A-Z]/ {print $3}')" = gpube_cuda_backend ]
else
	skip 'its own library' 'built without CUDA'
fi
for f in gpube libgpube.so; do
	that "$f needs neither CUDA nor libstdc++" sh -c "! readelf -d '$build/$f' | grep NEEDED | grep -qiE 'cuda|stdc'"
	that "$f has no CUDA runtime in it" sh -c "! nm '$build/$f' | grep -qE ' [TtDd] (cuda|__cuda)'"
done
that 'libgpube.so exports gpube_ names alone' sh -c \
	"! nm -D --defined-only '$build/libgpube.so' | awk '{print \$3}' | grep -vE '^gpube_[a-z]'"
# what a program may call, a line each: a function that goes, or comes, is one on purpose
nm -D --defined-only "$build/libgpube.so" | awk '{print $3}' | LC_ALL=C sort > "$work/exported"
that 'libgpube.so exports what tests/api/exported.txt lists' diff tests/api/exported.txt "$work/exported"
that 'libgpube.so has a SONAME' sh -c "readelf -d '$build/libgpube.so' | grep -q 'SONAME.*\[libgpube.so.[0-9]*\]'"
plan
