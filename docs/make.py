#!/usr/bin/env python3
"""The sources of the site, into BUILD/docs-src: the pages of docs/, notebooks with their outputs, pictures, and the
reference, which is made of the headers, the Python package, what commands say of their options, and README's table.

    docs/make.py BUILD        then: sphinx-build -c docs BUILD/docs-src BUILD/docs, as 'make docs' does
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import examples
import house
import pictures

ROOT = examples.ROOT


def text_of(*path):
	with open(os.path.join(ROOT, *path)) as f:
		return f.read()


def title(text, under="="):
	return [text, under * len(text), ""]


# ---- commands


def command_page(gpube, command):
	"""What 'gpube help COMMAND' says, its options as Sphinx knows them."""
	said = subprocess.check_output([gpube, "help", command], universal_newlines=True)
	table = json.loads(subprocess.check_output([gpube, command, "--help", "--json"], universal_newlines=True))
	usage, *paragraphs = re.split(r"\n[A-Z][^\n]*:\n(?=  )", said)[0].strip().split("\n\n")
	out = title("gpube %s" % command) + ["*%s*" % house.escape(table["summary"]), "", "::", "", "   " + usage.replace("usage: ", ""), ""]
	for p in paragraphs:
		out += [house.inline(p.replace("\n", " "), ()), ""]
	out += [".. program:: gpube %s" % command, ""]
	section = None
	for row in table["options"]:
		if row["section"] != section:
			section = row["section"]
			out += title(section, "-")
		argument = row.get("choices") or row.get("argument")
		names = re.findall(r"^  (-\w), --%s(?![\w-])" % re.escape(row["name"]), said, re.M) + ["--" + row["name"]]
		out += [".. option:: " + ", ".join(n + (" " + argument if argument else "") for n in names), ""]
		about = re.search(r"\n(?:  -\w, |      )--%s\b.*?\n(?=  -|      -|\n)" % re.escape(row["name"]), said + "\n", re.S)
		told = re.search(r"\([^()]*default [^()]*\)$|\([^()]* to [^()]*\)$", re.sub(r"\s+", " ", about[0]).strip()) if about else None
		out += ["   " + house.inline(row["help"] + (" " + told[0] if told else ""), ()), ""]
	for heading, rows in re.findall(r"\n([A-Z][^\n]*):\n((?:  .*\n)+)", said.split("\nExamples:\n")[0]):
		if heading not in {row["section"] for row in table["options"]}:
			out += title(heading, "-")
			for name, what in re.findall(r"^  (\S.*?)(?:  +|\n +)(.*(?:\n {10,}.*)*)", rows, re.M):
				out += ["``%s``" % name, "   " + house.escape(re.sub(r"\s+", " ", what)), ""]
	shown = said.split("\nExamples:\n")
	if len(shown) > 1:
		out += title("Examples", "-")
		for command_line, what in re.findall(r"^  (\S.*)\n((?:      .*\n?)+)", shown[1], re.M):
			out += ["``%s``" % command_line, "   " + house.escape(re.sub(r"\s+", " ", what).strip()), ""]
	return "\n".join(out)


def environment(gpube):
	"""What gpube(1) says of the environment and of exit statuses."""
	page, out = subprocess.check_output([gpube, "__man"], universal_newlines=True).replace("\\-", "-"), [""]
	for section in "ENVIRONMENT", "EXIT STATUS":
		told = re.search(r"\.SH %s\n(.*?)\n(?=\.SH|$)" % section, page + "\n.SH", re.S)
		out += title(section.capitalize(), "-") if told else []
		for name, what in re.findall(r"\.TP\n(?:\.B )?(.*)\n((?:[^.].*\n?)+)", told[1] if told else ""):
			out += ["``%s``" % name, "   " + re.sub(r"\\f[BRI]", "", house.escape(what.replace("\n", " ")).replace("\\\\", "\\")), ""]
	return "\n".join(out)


def options_page():
	"""The options of the library's calls, from the table that gpube_option() tells."""
	from gpube import _c
	calls, rows = {}, {}
	for call in sorted(set(re.findall(r"\bgpube_\w+", text_of("tests", "api", "exported.txt")))):
		for row in _c.table(call):
			key = tuple(getattr(row, f) for f in ("name", "type", "argument", "dflt", "help"))
			calls.setdefault(key, []).append(call)
			rows[key] = row
	out = title("Options of the library") + ["""What :c:func:`gpube_opts_set` takes by name, in Python a keyword of the method, with the calls that have it. On the
		command line ``_`` is ``-``.""".replace("\n\t\t", " "), ""]
	for key in sorted(rows):
		name, kind, argument, dflt, about = (x.decode() if x else "" for x in key)
		out += ["``%s``" % name, "   %s%s%s. %s" % (kind, " " + house.escape(argument) if kind == "choice" else "",
			", default " + house.escape(dflt) if dflt else "", house.escape(about[:1].upper() + about[1:])), "",
			"   *%s*" % ", ".join(house.escape(c) for c in calls[key]), ""]
	return "\n".join(out)


def keys_page():
	"""gpube/cli/json_keys.txt, of which gpube-json(5) is made, too."""
	out = title("Keys of --json")
	out += [re.sub(r"\s+", " ", """Each command writes one JSON object and a new line to standard output, or to the file of ``-o``, also where it
		fails; a command line that is wrong (exit status 2) has none. Costs, prices and totals are exact decimals with as many digits as they
		need: a reader that takes them as doubles rounds them past 2^53. What is not known is null. Units: *s* is seconds of the wall clock,
		*log10* a logarithm to base 10, an *index* counts from 0, a *cost* is that of the model's file (of potentials, -ln of them)."""), ""]
	for line in text_of("gpube", "cli", "json_keys.txt").split("\n"):
		if line.startswith("@"):
			commands, heading = line[2:].split("\t")
			out += title(heading, "-")
			out += [", ".join(":doc:`%s </reference/commands/%s>`" % (c, c) for c in commands.split()), ""]
		elif line and not line.startswith("#"):
			key, unit, what, when = (line.split("\t") + ["", "", ""])[:4]
			out += ["``%s`` (%s)" % (key, unit), "   %s%s" % (house.escape(what), "" if not when else ". When: %s." % house.escape(when)), ""]
	return "\n".join(out)


# ---- the library


def header_pages():
	"""{name: text}"""
	headers = [house.Header(os.path.join(ROOT, path)) for path in examples.PUBLIC]
	functions = {name for h in headers for kind, name, _, _ in h.items if kind == "function"}
	defined = {name for h in headers for kind, name, text, _ in h.items if kind in ("struct", "enum") and text}
	pages = {}
	for h in headers:
		file = os.path.basename(h.path)
		pages[file[:-2]] = house.header_page(h, functions, defined, file)
	return pages


def python_pages():
	"""{name: text}: a page for each module of the package, of what 'gpube' gives from it."""
	sys.path.insert(0, os.path.join(ROOT, "plugins", "python"))
	import gpube
	of = {}
	for name in gpube.__all__:
		of.setdefault(getattr(getattr(gpube, name), "__module__", "gpube._engine"), []).append(name)
	pages, first = {}, ["gpube._" + m for m in ("model", "results", "names", "infer", "solver", "games", "coalitions", "dpop")]
	for module, names in sorted(of.items(), key=lambda row: (first + [row[0]]).index(row[0])):
		heading = re.split(r": |\.$", sys.modules[module].__doc__.strip().split("\n")[0])
		heading = heading[0] if heading[0][0].isupper() else " - ".join(h for h in heading if h)
		out = title(heading) + [".. currentmodule:: gpube", ""]
		for name in names:
			what = getattr(gpube, name)
			kind = "class" if isinstance(what, type) else "function" if callable(what) else "data"
			out += [".. auto%s:: gpube.%s" % (kind, name)]
			out += ["   :members:", "   :inherited-members: Exception, KeyboardInterrupt, list, int"] if kind == "class" else []
			out += [""]
		pages[module.rpartition("._")[2]] = "\n".join(out)
	return pages


def index(heading, about, names):
	return "\n".join(title(heading) + [about, "", ".. toctree::", "   :maxdepth: 1", ""] + ["   " + n for n in names] + [""])


# ---- README's table


def performance():
	"""The section "Results" of README; links to its pages of runs, which have their own sources, become their paths."""
	section = re.search(r"\n## Results\n(.*?)\n## ", text_of("README.md"), re.S)[1]
	section = re.sub(r"\]\((benchmarks/[^)]*)\)", lambda m: "](/%s)" % m[1].replace(".md", ""), section)
	return re.sub(r"\[([^]]*)\]\((?!/|http)[^)]*\)", r"\1", section)


def run_pages(out):
	"""The pages that README's table leads to; of their own links those that are here stay."""
	pages = set(re.findall(r"\]\((benchmarks/[\w/-]*README)\.md\)", text_of("README.md")))
	for page in pages:
		at = os.path.dirname(page)
		def link(m):
			to = os.path.normpath(os.path.join(at, m[2].split("#")[0]))
			return "[%s](/%s)" % (m[1], to[:-3]) if to.endswith(".md") and to[:-3] in pages else m[1]
		text = re.sub(r"!?\[([^]]*)\]\((?!http)([^)]*)\)", link, text_of(page + ".md"))
		write(os.path.join(out, page + ".md"), "---\norphan: true\n---\n\n" + text)


def write(path, text):
	os.makedirs(os.path.dirname(path), exist_ok=True)
	with open(path, "w") as f:
		f.write(text)


def main():
	build = os.path.abspath(sys.argv[1])
	out, gpube = os.path.join(build, "docs-src"), os.path.join(build, "gpube")
	os.environ["GPUBE_LIBRARY"] = os.path.join(build, "libgpube.so")
	shutil.rmtree(out, ignore_errors=True)
	for path in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True):
		name = os.path.relpath(path, os.path.join(ROOT, "docs"))
		folder = os.path.dirname(os.path.join(out, name))
		os.makedirs(folder, exist_ok=True)
		text = examples.notebook(build, path, folder) if name.startswith("notebooks/") else text_of("docs", name)
		write(os.path.join(out, name), text.replace("{include} ../README.md", "{include} " + os.path.relpath(os.path.join(ROOT, "README.md"), out)))
	for name, svg in pictures.all_pictures().items():
		write(os.path.join(out, "pictures", name + ".svg"), svg)
	write(os.path.join(out, "reference", "results.md"), performance())
	run_pages(out)
	commands = subprocess.check_output([gpube, "__commands"], universal_newlines=True).split()
	for c in commands:
		write(os.path.join(out, "reference", "commands", c + ".rst"), command_page(gpube, c))
	write(os.path.join(out, "reference", "keys.rst"), keys_page())
	c_pages, p_pages = header_pages(), python_pages()
	for folder, pages in ("c", c_pages), ("python", p_pages):
		for name, text in pages.items():
			write(os.path.join(out, "reference", folder, name + ".rst"), text)
	write(os.path.join(out, "reference", "commands.rst"), index("Commands", "What ``gpube help COMMAND`` says.",
		["commands/" + c for c in commands]) + environment(gpube))
	write(os.path.join(out, "reference", "options.rst"), options_page())
	write(os.path.join(out, "reference", "c.rst"), index("The C library", "The public headers, in the order in which to read them.",
		["c/" + p for p in c_pages] + ["options"]))
	write(os.path.join(out, "reference", "python.rst"), index("The Python package", "What ``import gpube`` gives, as its docstrings say.",
		["python/" + p for p in p_pages]))


if __name__ == "__main__":
	main()
