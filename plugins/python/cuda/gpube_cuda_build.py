"""The build backend of gpube-cuda: libgpube-cuda.so, by nvcc, in a package of its own. See ../gpube_build.py, whose
GPUBE_BUILD and MAKEFLAGS hold here, too; MAKEFLAGS="CUDA_ARCHS=90" compiles for one kind of card."""
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import gpube_build  # noqa: E402
from gpube_build import get_requires_for_build_wheel  # noqa: E402,F401

# where NVIDIA's packages and Debian's have their terms
TERMS = ("/usr/local/cuda*/EULA.txt", "/usr/local/cuda*/dist-info/nvidia_cuda_runtime*/licenses/License.txt",
	"/usr/share/doc/nvidia-cuda-toolkit/copyright")


def _stage(directory, build):
	to = os.path.join(directory, "cuda")
	package = os.path.join(to, "gpube_cuda")
	os.makedirs(os.path.join(package, "licences"))
	for name in "pyproject.toml", "README.md":
		shutil.copy(os.path.join(HERE, name), to)
	shutil.copy(os.path.join(os.path.dirname(HERE), "setup.py"), to)
	library, = gpube_build.make(build, ["libgpube-cuda.so"])
	shutil.copy(library, package)
	subprocess.run(["strip", "--strip-unneeded", os.path.join(package, "libgpube-cuda.so")], check=True)
	shutil.copy(os.path.join(gpube_build.ROOT, "LICENSE"), os.path.join(package, "licences", "gpube"))
	terms = [path for pattern in TERMS for path in sorted(glob.glob(pattern))]
	if terms:
		shutil.copy(terms[0], os.path.join(package, "licences", "cuda"))
	else:
		print("gpube-cuda: no licence text of CUDA is found", file=sys.stderr)
	with open(os.path.join(package, "__init__.py"), "w") as f:
		f.write('"""The CUDA backend of gpube, which finds it beside itself; there is nothing to import."""\n')
	return to


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
	return gpube_build.build_wheel(wheel_directory, config_settings, stage=_stage)


def build_sdist(sdist_directory, config_settings=None):
	raise RuntimeError("gpube-cuda is built from a clone of gpube or from its sdist, which has plugins/python/cuda")
