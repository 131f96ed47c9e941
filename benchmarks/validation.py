#!/usr/bin/env python3
"""validation.py - toulbar2's validation folder: what is read, and the optimum beside toulbar2's.

usage: validation.py GPUBE FOLDER... [--toulbar2 PROGRAM] [--seconds S] > table

A FOLDER is one of validation/ of toulbar2's repository, such as default. A line of the table: file, "read" or the reason
why not, what gpube proved, the .ub beside the file, what toulbar2 found and whether it proved it.
"""
import argparse
import json
import os
import re
import subprocess

SKIP = {"ub", "lb", "py", "cmake", "txt", "order", "cov", "dec", "map", "evid", "enum", "opt", "pdf", "aux", "vars"}


def run(command, seconds):
	try:
		return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)
	except subprocess.TimeoutExpired:
		return None


def ours(gpube, path, seconds):
	done = run([gpube, "bound", "--json", "--timeout", "%ds" % seconds, path], 4 * seconds + 60)
	if done is None:
		return "timeout", "-"
	lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
	if not lines:
		return (done.stdout.strip().splitlines() or ["?"])[-1].split(": ", 1)[-1].replace(path, os.path.basename(path)), "-"
	d = json.loads(lines[-1])
	if d["status"] == "error":
		return d["message"].replace(path, os.path.basename(path)), "-"
	if d["status"] == "infeasible":
		return "read", "none"
	if d["status"] == "optimal":
		return "read", d.get("log10", d["upper_bound"])
	return "read", "[%s, %s]" % (d.get("lower_bound"), d.get("upper_bound"))


def theirs(program, path, seconds):
	done = run([program, "-timer=%d" % seconds, path], seconds + 30)
	out = done.stdout if done else ""
	if "No solution" in out and "proved" not in out.split("No solution")[0]:
		return "none"
	proved = re.findall(r"^Optimum: ([-\d.]+)", out, re.M)
	found = re.findall(r"^New solution: ([-\d.]+)", out, re.M)
	return proved[-1] if proved else "%s?" % found[-1] if found else "-"


def main():
	p = argparse.ArgumentParser()
	p.add_argument("gpube")
	p.add_argument("folder", nargs="+")
	p.add_argument("--toulbar2")
	p.add_argument("--seconds", type=int, default=20)
	a = p.parse_args()
	print("file\tread\tgpube\t.ub\ttoulbar2")
	for folder, name in ((folder, name) for folder in a.folder for name in sorted(os.listdir(folder))):
		base = re.sub(r"\.(xz|gz)$", "", name)
		if base.rsplit(".", 1)[-1] in SKIP:
			continue
		path = os.path.join(folder, name)
		bound = os.path.join(folder, base.rsplit(".", 1)[0] + ".ub")
		read, optimum = ours(a.gpube, path, a.seconds)
		ub = open(bound).read().strip() if os.path.exists(bound) else "-"
		print(name, read, optimum, ub, theirs(a.toulbar2, path, a.seconds) if a.toulbar2 else "-", sep="\t", flush=True)


if __name__ == "__main__":
	main()
