"""Prints the layout of every public struct and the value of every public constant, as the compiler
has them: "struct field offset size", "struct - size" of those that callers make or that stand in
arrays, and "constant value". usage: layouts.py CC"""
import os
import re
import subprocess
import sys
import tempfile

HEADERS = ["gpube/%s.h" % name for name in (
	"gpube", "partial", "certify", "solver", "dpop", "sums", "coalitions", "games", "forms", "globals")]
HEADERS += ["formats/formats.h", "csg/csg.h", "csg/auction.h", "nash/nash.h"]

# Of others the library makes each one, so that fields may follow.
MADE_BY_CALLERS = set("""gpube_plan gpube_stage gpube_step gpube_certified gpube_written gpube_heuristic_table
gpube_term gpube_occurrences gpube_state gpube_transition gpube_dpop_agent gpube_nash_strategy gpube_nash_pair
gpube_nash_subset gpube_decomposition gpube_uai_result""".split())


def main(cc):
	program = ["#include <stddef.h>", "#include <stdio.h>"]
	program += ['#include "%s"' % h for h in HEADERS] + ["int main(void)", "{"]
	found = set()
	for header in HEADERS:
		with open(header) as f:
			text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
		for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.S | re.M):
			found.add(name)
			for declaration in body.split(";")[:-1]:
				for part in declaration.split(","):
					field = re.search(r"(\w+)\s*(?:\[\w+\])?\s*$", part).group(1)
					program.append('printf("%s %s %%zu %%zu\\n", offsetof(struct %s, %s), '
						'sizeof(((struct %s *)0)->%s));' % (name, field, name, field, name, field))
			if name in MADE_BY_CALLERS:
				program.append('printf("%s - %%zu\\n", sizeof(struct %s));' % (name, name))
		for body in re.findall(r"^enum \w+ \{(.*?)\}", text, re.S | re.M):
			for part in body.split(","):
				if part.strip():
					constant = part.split("=")[0].strip()
					program.append('printf("%s %%d\\n", (int)%s);' % (constant, constant))
	assert MADE_BY_CALLERS <= found, MADE_BY_CALLERS - found
	program += ["return 0;", "}"]
	with tempfile.TemporaryDirectory() as directory:
		source, made = os.path.join(directory, "x.c"), os.path.join(directory, "x")
		with open(source, "w") as f:
			f.write("\n".join(program) + "\n")
		subprocess.run(cc.split() + ["-I", ".", source, "-o", made], check=True)
		sys.stdout.write(subprocess.run([made], stdout=subprocess.PIPE, check=True).stdout.decode())


main(sys.argv[1])
