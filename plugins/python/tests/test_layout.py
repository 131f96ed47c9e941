"""What _c.py writes of the headers, compiled against them: prototypes, layouts, constants."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from gpube import _c

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
CC = os.environ.get("CC", "cc")


def constants():
	"""{C expression: what Python takes it for}"""
	expected = {"GPUBE_" + name: k for k, name in _c.STATUS.items()}
	for prefix, words in _c.WORDS.items():
		expected.update({prefix + word.upper(): k for k, word in enumerate(words)})
	expected.update({"GPUBE_CSG_" + word.upper(): k for k, word in enumerate(_c.CSG_ANSWERS)})
	expected.update({"GPUBE_INF": _c.INF,
		"GPUBE_INT64": _c.GPUBE_INT64, "GPUBE_FLOAT64": _c.GPUBE_FLOAT64, "GPUBE_MAXIMISE": 1,
		"GPUBE_MAX_AGENTS": 40})
	for name, struct in _c.structs.items():
		expected["sizeof(struct %s)" % name] = _c.ctypes.sizeof(struct)
		for field, _ in struct._fields_:
			f = getattr(struct, field)
			expected["offsetof(struct %s, %s)" % (name, field)] = f.offset
			expected["sizeof(((struct %s *)0)->%s)" % (name, field)] = f.size
	return expected


@unittest.skipUnless(shutil.which(CC.split()[-1]), "no C compiler")
class Layout(unittest.TestCase):
	def test_headers(self):
		program = ["#include <stddef.h>", "#include <stdio.h>"]
		program += ['#include "%s"' % h for h in (
			"gpube/gpube.h", "gpube/partial.h", "gpube/certify.h", "gpube/solver.h", "gpube/dpop.h", "gpube/sums.h", "gpube/coalitions.h", "gpube/games.h", "gpube/forms.h", "formats/formats.h", "gpube/globals.h", "csg/csg.h", "csg/auction.h", "nash/nash.h")]
		program += [_c.FUNCTIONS, "int main(void)", "{", "puts(GPUBE_VERSION);"]
		expected = constants()
		program += ['printf("%%lld\\n", (long long)(%s));' % e for e in expected]
		program += ["return 0;", "}"]
		with tempfile.TemporaryDirectory() as directory:
			source, made = os.path.join(directory, "x.c"), os.path.join(directory, "x")
			with open(source, "w") as f:
				f.write("\n".join(program) + "\n")
			subprocess.run(CC.split() + ["-std=gnu11", "-Werror", "-I", ROOT, source, "-o", made],
				check=True)
			lines = subprocess.run([made], stdout=subprocess.PIPE, check=True).stdout.decode().split()
		self.assertEqual(lines[0], _c.VERSION)
		self.assertEqual(dict(zip(expected, map(int, lines[1:]))), expected)
		self.assertGreater(len(expected), 200)

	def test_all_fields(self):
		"""No struct of the headers has more fields than ours."""
		text = ""
		for h in "gpube/gpube.h", "gpube/partial.h", "gpube/certify.h", "gpube/solver.h", "gpube/dpop.h", "gpube/sums.h", "gpube/coalitions.h", "gpube/games.h", "gpube/forms.h", "formats/formats.h", "gpube/globals.h", "csg/csg.h", "csg/auction.h", "nash/nash.h":
			with open(os.path.join(ROOT, h)) as f:
				text += re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
		for name, struct in _c.structs.items():
			body = re.search(r"struct %s \{(.*?)\n\};" % name, text, re.S).group(1)
			body = re.sub(r"\(\*(\w+)\)\([^;]*;", r"\1;", body)  # pointers to functions
			there = [re.search(r"(\w+)\s*(\[\w+\])?\s*$", part).group(1)
				for line in body.split(";")[:-1] for part in line.split(",")]
			self.assertEqual(sorted(there), sorted(f for f, _ in struct._fields_), name)

	def test_version(self):
		for path in "plugins/python/pyproject.toml", "plugins/python/cuda/pyproject.toml":
			with open(os.path.join(ROOT, path)) as f:
				text = f.read()
			self.assertIn('version = "%s"' % _c.VERSION, text)
			for pin in re.findall(r'"gpube==(.*)"', text):
				self.assertEqual(pin, _c.VERSION)


if __name__ == "__main__":
	unittest.main()
