#!/usr/bin/env python3
"""Runs the examples of the pages and compares what they print with what the pages say.

    docs/examples.py BUILD PAGE…            a TAP line for each page, as tests/cli/test_readme.sh has it
    docs/examples.py --write BUILD PAGE…    outputs that differ are written into the pages, to be read there

Of a page these fences are examples, run in their order in a new folder that has a copy of examples/:

    console                 lines "$ COMMAND", each followed by its standard output (with -v the errors, too)
    python, code-cell       Python, in one interpreter a page; a last expression is shown as a notebook does
    c                       a program; without main() it stands in place of the line "/* here */" of the
                            first one. Compiled against libgpube.so
    text                    after python or c: what that prints
    code-block, :caption:   a file of that name

A line "..." of an output stands for any lines. Seconds, sizes of memory and what else the machine decides
are not compared. A line "% shows WORDS" after a cell of a notebook: its output has these words. A line
"% needs MODULE" before a block: it is left out where that is not installed.
"""
import ast
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# in the order in which to read them
PUBLIC = ("gpube/gpube.h formats/formats.h gpube/globals.h gpube/solver.h gpube/partial.h gpube/certify.h gpube/sums.h gpube/dpop.h "
	"gpube/games.h nash/nash.h gpube/coalitions.h csg/csg.h csg/auction.h gpube/forms.h").split()


@dataclass
class Block:
	line: int       # of its first fence, from 1
	end: int        # of its last one
	kind: str       # console, python, code-cell, c, text, …
	text: str
	options: dict   # of a directive, and "needs"


def blocks(text):
	"""The fences of a page, and "% shows" lines as blocks of their own."""
	found, needs, lines = [], None, text.split("\n")
	k = 0
	while k < len(lines):
		told = re.match(r"```(?:\{(code-block|code-cell)\} *)?([\w+-]*)\s*$", lines[k])
		comment = re.match(r"% (needs|shows) (.*)", lines[k])
		if comment and comment[1] == "needs":
			needs = comment[2]
		elif comment:
			found.append(Block(k + 1, k + 1, "shows", comment[2], {}))
		elif lines[k].startswith("```"):
			end = next(e for e in range(k + 1, len(lines)) if lines[e].rstrip() == "```")
			if told:
				body, options = lines[k + 1:end], {"needs": needs}
				while told[1] and body and re.match(r":[a-z-]+:", body[0]):
					name, value = body.pop(0)[1:].split(":", 1)
					options[name] = value.strip()
				found.append(Block(k + 1, end + 1, told[1] or told[2], "\n".join(body).strip("\n") + "\n", options))
			needs = None
			k = end
		k += 1
	return found


def same(line):
	"""A line without what the machine decides."""
	line = re.sub(r"^(gpube: )?(time|backend|memory|simulated|largest) .*", r"\1\2", line.rstrip())
	line = re.sub(r"[\d.]+ joined cells", "# joined cells", line)
	line = re.sub(r"\b[\d.]+(e[-+]?\d+)? ([KMGT]iB|bytes|m?s\b|us\b)", r"# \2", line)
	line = re.sub(r"[\d.]+(e[-+]?\d+)? a second|\b\d(\.\d+)?e-\d\d\b", "#", line)
	line = re.sub(r"(\d\.\d{9})\d+", r"\1", line)
	line = re.sub(r"\b\d+\.\d{6}\b" + (r"|\b\d+\.\d{4}\b" if line.startswith("gpube: ") else ""), "#", line)
	return re.sub(r"\s+", " ", line)


def differs(expected, printed):
	"""None if they are the same; otherwise a text."""
	pattern = "\n".join(re.escape(same(line)) if line.strip() != "..." else r"(?:.*\n)*?.*" for line in expected.rstrip().split("\n"))
	if re.fullmatch(pattern, "\n".join(map(same, printed.rstrip().split("\n")))):
		return None
	return "expected\n%s\nprinted\n%s" % (expected.rstrip(), printed.rstrip())


# ---- the interpreter of a page, a process of its own


def interpret():
	"""Lines of JSON: code in; what it printed, its last expression as text and as HTML, and its error out."""
	space = {"__name__": "__main__"}
	for line in sys.stdin:
		said, told = io.StringIO(), {"text": None, "html": None, "error": None}
		with contextlib.redirect_stdout(said):
			try:
				tree = ast.parse(json.loads(line))
				last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
				exec(compile(tree, "the page", "exec"), space)
				value = eval(compile(ast.Expression(last.value), "the page", "eval"), space) if last else None
				if value is not None:
					told["text"] = repr(value)
					told["html"] = value._repr_html_() if hasattr(value, "_repr_html_") else None
			except BaseException:  # an error of the page, whatever it is
				told["error"] = traceback.format_exc()
		told["printed"] = said.getvalue()
		print(json.dumps(told), file=sys.__stdout__, flush=True)


class Page:
	"""Where the examples of a page are run."""

	def __init__(self, build, folder):
		self.build, self.folder, self.python, self.frame = os.path.abspath(build), folder, None, None
		shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"), dirs_exist_ok=True)
		self.environment = dict(os.environ, PATH=self.build + os.pathsep + os.environ["PATH"], PYTHONDONTWRITEBYTECODE="1",
			PYTHONPATH=os.path.join(ROOT, "plugins", "python"), GPUBE_LIBRARY=os.path.join(self.build, "libgpube.so"))

	def __enter__(self):
		return self

	def __exit__(self, *_):
		if self.python:
			self.python.stdin.close()
			self.python.stdout.close()
			self.python.wait()

	def run(self, command, errors):
		done = subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
			stderr=subprocess.STDOUT if errors else subprocess.PIPE, universal_newlines=True, timeout=600)
		return done.stdout, "exit %d: %s" % (done.returncode, done.stderr or done.stdout) if done.returncode else None

	def console(self, text):
		"""(what differs, the block as it should be)"""
		wrong, new = [], []
		for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
			command, _, expected = part.partition("\n")
			while command.endswith("\\"):
				more, _, expected = expected.partition("\n")
				command += "\n" + more
			printed, _ = self.run(command, errors=" -v" in command)
			why = differs(expected, printed)
			wrong += ["$ %s\n%s" % (command, why)] if why else []
			new.append("$ %s\n%s" % (command, printed if why else expected))
		return "\n".join(wrong), "".join(new).rstrip()

	def cell(self, code):
		if not self.python:
			self.python = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--interpret"], cwd=self.folder,
				env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True)
		self.python.stdin.write(json.dumps(code) + "\n")
		self.python.stdin.flush()
		return json.loads(self.python.stdout.readline())

	def program(self, text):
		"""(what it prints, why it failed)"""
		if "/* here */" in text:
			self.frame = text
		if not re.search(r"\bint main\(", text):
			text = self.frame.replace("/* here */", text.replace("\n", "\n\t").strip())
		include, library = os.path.join(self.folder, "include", "gpube"), os.path.join(self.folder, "lib")
		if not os.path.exists(include):
			os.makedirs(include)
			os.makedirs(library)
			for header in PUBLIC:
				shutil.copy(os.path.join(ROOT, header), include)
			with open(os.path.join(ROOT, "Makefile")) as f:
				soname = re.search(r"^SONAME *= *(\S+)", f.read(), re.M)[1]
			os.symlink(os.path.join(self.build, "libgpube.so"), os.path.join(library, soname))
		with open(os.path.join(self.folder, "page.c"), "w") as f:
			f.write(text)
		printed, why = self.run("%s -std=c11 -Wall -Wextra -Werror -Iinclude page.c %s/libgpube.so -lm -Wl,-rpath,%s -o page" % (
			os.environ.get("CC", "cc"), self.build, library), errors=True)
		return (printed, why) if why else self.run("./page", errors=False)


def is_there(module):
	return module is None or subprocess.run([sys.executable, "-c", "import " + module], stderr=subprocess.DEVNULL).returncode == 0


def check(build, path):
	"""What differs of a page, a list of texts, how many examples it has, and the page as it should be."""
	with open(path) as f:
		lines = f.read().split("\n")
	found = blocks("\n".join(lines))
	wrong, printed, n, new = [], None, 0, {}
	with tempfile.TemporaryDirectory() as folder, Page(build, folder) as page:
		for k, b in enumerate(found):
			after = found[k + 1] if k + 1 < len(found) and found[k + 1].kind == "text" else None
			why = None
			if b.options.get("caption"):
				with open(os.path.join(folder, b.options["caption"]), "w") as f:
					f.write(b.text)
			elif not is_there(b.options.get("needs")):
				printed = None
			elif b.kind == "console":
				(why, new[k]), n = page.console(b.text), n + 1
			elif b.kind in ("python", "code-cell"):
				told, n = page.cell(b.text), n + 1
				printed = told["printed"] + (told["text"] + "\n" if told["text"] is not None else "")
				why = told["error"] or (differs(after.text, printed) if after and b.kind == "python" else None)
			elif b.kind == "c":
				(printed, why), n = page.program(b.text), n + 1
				why = why or (differs(after.text, printed) if after else None)
			elif b.kind == "shows" and printed is not None and b.text not in printed:
				why = "shows no '%s':\n%s" % (b.text, printed)
			if after and why and printed is not None:
				new[k + 1] = printed.rstrip()
			if why:
				wrong.append("%s, line %d: %s" % (os.path.relpath(path, ROOT), b.line, why))
		for name in re.findall(PICTURE, "\n".join(lines)):  # pictures that a notebook draws
			if not os.path.exists(os.path.join(folder, name)):
				wrong.append("%s: no example writes %s" % (os.path.relpath(path, ROOT), name))
	for k in sorted(new, reverse=True):
		lines[found[k].line:found[k].end - 1] = new[k].split("\n")
	return wrong, n, "\n".join(lines)


PICTURE = r"!\[[^]]*\]\((\w+\.svg)\)"


def notebook(build, path, out):
	"""The text of a notebook with what its cells print and show; pictures that they write go to the folder 'out'."""
	with open(path) as f:
		text = f.read()
	lines, new, at = text.split("\n"), [], 0
	if lines[0] == "---":
		at = lines.index("---", 1) + 1
	with tempfile.TemporaryDirectory() as folder, Page(build, folder) as page:
		for b in blocks(text):
			new += lines[at:b.line - 1]
			at = b.end
			if b.kind != "code-cell":
				new += [] if b.kind == "shows" else lines[b.line - 1:b.end]
				continue
			told = page.cell(b.text)
			if told["error"]:
				raise SystemExit("%s, line %d: %s" % (path, b.line, told["error"]))
			new += ["```python"] + b.text.rstrip().split("\n") + ["```"]
			if told["printed"]:
				new += ["", "```text"] + told["printed"].rstrip().split("\n") + ["```"]
			if told["html"]:
				new += ["", "```{raw} html", told["html"], "```"]
			elif told["text"] is not None:
				new += ["", "```text"] + told["text"].split("\n") + ["```"]
		for name in re.findall(PICTURE, text):
			shutil.copy(os.path.join(folder, name), out)
	return "\n".join(new + lines[at:])


def main():
	if sys.argv[1] == "--interpret":
		return interpret()
	writes = sys.argv[1] == "--write"
	build, *pages = sys.argv[1 + writes:]
	for k, path in enumerate(pages):
		wrong, n, text = check(build, path)
		if writes:
			with open(path, "w") as f:
				f.write(text)
		print("%sok %d - %s, examples: %d" % ("not " if wrong else "", k + 1, os.path.relpath(path, ROOT), n))
		for text in wrong:
			print("# " + text.rstrip().replace("\n", "\n# "))
	print("1..%d" % len(pages))


if __name__ == "__main__":
	main()
