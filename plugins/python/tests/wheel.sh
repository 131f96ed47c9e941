#!/bin/sh
# A wheel in fresh environments, where neither the repository nor the libraries of the system are found: it solves, infers,
# finds equilibria and runs agents, and brings the program; with numpy, arrays, too. Where nvcc is, the wheel of the CUDA
# backend, too, which is then found. Takes minutes and PyPI: make check-wheel.
# PYTHON   builds the wheels; PYTHONS: those that they are tried with, default PYTHON and what is there of the
#          oldest and the newest that the package was tried with
# NUMPY=0  without numpy; CUDA=0: without the CUDA backend
set -e
cd "$(dirname "$0")/../../.."
python=${PYTHON:-python3}
pythons=${PYTHONS:-$python $(for p in python3.8 python3.13; do "$p" -c '' 2> /dev/null && echo "$p"; done; true)} # those that run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0
that() { # WHAT COMMAND…
	what=$1
	shift
	n=$((n + 1))
	if "$@" > "$work/said" 2>&1; then
		echo "ok $n - $what"
	else
		echo "not ok $n - $what"
		sed 's/^/# /' "$work/said"
		failed=1
	fi
}

"$python" -m venv "$work/build"
that 'an sdist' sh -c "'$work/build/bin/pip' -q install build && '$work/build/bin/python' -m build --sdist -o '$work' ."
that 'a wheel of it' "$python" -m pip -q wheel --no-deps -w "$work/from" "$work"/gpube-*.tar.gz
that 'a wheel for any Python 3' sh -c "ls '$work'/from/gpube-*-py3-none-manylinux_*.whl"
cat > "$work/use.py" << 'END'
import os, sys
import gpube
from gpube import _c
here = os.path.dirname(gpube.__file__)
assert _c.lib._name.startswith(here), _c.lib._name
with open("/proc/self/maps") as f:
	used = {line.split()[-1] for line in f if ".so" in line}
site = os.path.dirname(here)
for name in "flint", "gmp", "mpfr", "ntl", "yaml", "lzma":
	at = [u for u in used if "/lib" + name in u]  # Python may have loaded a system's, too
	assert any(u.startswith(site) for u in at), (name, at)
assert any("/libflint" in u for u in used)
examples = sys.argv[1]
assert str(gpube.Model.read(examples + "/exams.cfn").solve().optimum) == "4.30"
assert gpube.Model.read(examples + "/sprinkler.uai").infer(marginals=True).marginals
assert len(gpube.Game.read(examples + "/effort.nfg").nash().equilibria) > 0
assert gpube.csg({(0,): 1, (1,): 2, (0, 1): 4}).coalitions == [(0, 1)]
assert gpube.dpop(examples + "/meetings.yaml").optimum == 3
licences = os.listdir(os.path.join(here, "licences"))
assert "gpube" in licences and len(licences) > 5, licences
assert os.path.exists(os.path.join(here, "py.typed"))
END
cat > "$work/arrays.py" << 'END'
import numpy, gpube
values = numpy.arange(2**12, dtype="i4")
assert gpube.csg(values).value == 2**12 - 1
m = gpube.Model(decimals=2)
m.add_function([m.add_variable(3)], numpy.array([0.25, 0.5, 0.05]))
assert str(m.solve().optimum) == "0.05"
END
k=0
for p in $pythons; do
	k=$((k + 1))
	venv=$work/venv$k
	"$p" -m venv "$venv"
	name=$("$p" -c 'import sys; print("Python %d.%d" % sys.version_info[:2])')
	that "$name: it is installed" "$venv/bin/pip" -q install --no-index "$work"/from/gpube-*.whl
	that "$name: it works alone" env -i "$venv/bin/python" -I "$work/use.py" "$PWD/examples"
	that "$name: it brings the program" sh -c "env -i '$venv/bin/gpube' solve -q examples/zebra.wcsp | grep '^optimum  *0, the proved minimum'"
	that "$name: python -m gpube is the program, too" sh -c "env -i '$venv/bin/python' -I -m gpube --version | grep '^gpube [0-9]'"
	that "$name: no CUDA backend is there" sh -c "env -i '$venv/bin/gpube' devices | grep 'libgpube-cuda.so is not beside'"
	[ "${NUMPY:-1}" = 0 ] && continue
	that "$name: it takes arrays" sh -c "'$venv/bin/pip' -q install numpy && env -i '$venv/bin/python' -I '$work/arrays.py'"
done

if [ "${CUDA:-1}" != 0 ] && { command -v nvcc > /dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }; then
	that 'a wheel of the CUDA backend, of the same tree' sh -c "tar xzf '$work'/gpube-*.tar.gz -C '$work' &&
		'$python' -m pip -q wheel --no-deps -w '$work/cuda' '$work'/gpube-*/plugins/python/cuda"
	that 'it is for any Python 3' sh -c "ls '$work'/cuda/gpube_cuda-*-py3-none-manylinux_*.whl"
	that 'it is installed' "$venv/bin/pip" -q install --no-index "$work"/cuda/gpube_cuda-*.whl
	# with a card or without one: it is found, and of this build
	that 'the program finds it' sh -c "! env -i '$venv/bin/gpube' devices | grep 'no CUDA backend'"
	cat > "$work/cuda.py" << 'END'
import sys
import gpube
m = gpube.Model.read(sys.argv[1] + "/exams.cfn")
try:
	assert str(m.solve(backend="cuda").optimum) == "4.30"
except gpube.Error as e:
	assert e.status == "ENODEV" and "no CUDA backend" not in e.text, e.text
END
	that 'so does the library' env -i "$venv/bin/python" -I "$work/cuda.py" "$PWD/examples"
else
	n=$((n + 1))
	echo "ok $n - the CUDA backend # SKIP no nvcc, or CUDA=0"
fi
echo "1..$n"
for w in "$work"/from/*.whl "$work"/cuda/*.whl; do
	[ ! -e "$w" ] || echo "# $(basename "$w"): $(wc -c < "$w") bytes"
done
exit $failed
