#!/bin/sh
# A wheel in a fresh environment, where neither the repository nor the libraries of the system are found: it solves, infers,
# finds equilibria and runs agents, and brings the program. Takes minutes and PyPI: make check-wheel.
set -e
cd "$(dirname "$0")/../../.."
python=${PYTHON:-python3}
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
"$python" -m venv "$work/venv"
that 'it is installed' "$work/venv/bin/pip" -q install --no-index "$work"/from/gpube-*.whl
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
that 'it works alone' env -i "$work/venv/bin/python" -I "$work/use.py" "$PWD/examples"
that 'it brings the program' sh -c "env -i '$work/venv/bin/gpube' solve -q examples/zebra.wcsp | grep '^optimum  *0, the proved minimum'"
echo "1..$n"
ls -l "$work"/from/*.whl | awk '{ print "# " $5 " bytes" }'
exit $failed
