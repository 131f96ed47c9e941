#!/usr/bin/env python3
"""gpube/cli/json_keys.txt against the source, and against what commands write; TAP on standard output.

    tests/check_json.py GPUBE WORK      in the root of the repository
"""
import glob
import json
import re
import subprocess
import sys

gpube, work = sys.argv[1:]
n = 0


def say(good, name, notes=()):
	global n
	n += 1
	print("%s %d - %s" % ("ok" if good else "not ok", n, name))
	for note in () if good else notes:
		print("# %s" % (note,))


def page():
	"""{command: {key: when}}; a key that several rows of a command have is there when one says so."""
	commands, here = {}, []
	for line in open("gpube/cli/json_keys.txt"):
		fields = line.rstrip("\n").split("\t")
		if not fields[0] or fields[0].startswith("#"):
			continue
		if fields[0].startswith("@ "):
			here = fields[0][2:].split()
			continue
		assert len(fields) == 4 and fields[1] and fields[2], line
		for c in here:
			keys = commands.setdefault(c, {})
			keys[fields[0]] = fields[3] and keys.get(fields[0], fields[3])
	return commands


def words(key):
	return [part.replace("[]", "") for part in key.split(".") if part not in ("N", "NAME", "VALUE")]


def in_source():
	"""Every key that a call of json.h's functions writes: a second argument, or a name that one stands for."""
	found = set()
	for path in glob.glob("gpube/cli/**/*.c", recursive=True):
		text = open(path).read()
		for second in re.findall(r"\bjson_\w+\(\s*&?\w+,\s*([^,;()]*?)[,)]", text):
			found.update(re.findall(r'"(\w+)"', second))
		for call in re.findall(r'\bjson_marginals\(([^;]*);', text):
			found.update(re.findall(r'"(\w+)"', call))
		lists = re.sub(r"\btext_times\(.*?\);", "", text, flags=re.S)  # what is in JSON, too, is a macro
		for spent in re.findall(r"\bSPENT\((.*?)\n\n|\bSPENT\((.*?)\);", lists, re.S):
			found.update(re.findall(r'"(\w+)"', "".join(spent)))
		for names in re.findall(r"\bkey = ([^;]*);", text):
			found.update(re.findall(r'"(\w+)"', names))
	rates = re.search(r"#define GPUBE_RATES\(X\)(.*?)\n\n", open("gpube/ops/rates.h").read(), re.S)
	found.update(re.findall(r"X\((\w+),", rates.group(1)))
	return found | {"cpu", "cuda"}  # info: the backends' names


def keys_of(value, prefix=""):
	"""The keys of a JSON value, as the page has them."""
	found = set()
	if isinstance(value, dict):
		for k, v in value.items():
			last = prefix.split(".")[-2] if "." in prefix else ""
			by_name = last == "names" or last.startswith("posteriors")
			k = prefix + ("NAME" if by_name else "VALUE" if last == "NAME" else "N" if k.isdigit() else k)
			found.add(k)
			found |= keys_of(v, k + ".")
	elif isinstance(value, list):
		for v in value:
			found |= keys_of(v, prefix[:-1] + "[].")
	return found


RUNS = """
solve examples/exams.cfn
solve --count examples/sprinkler.uai
solve --method tree examples/zebra.wcsp
solve --memory 1 --no-slices --method eliminate examples/zebra.wcsp
solve WORK/none.wcsp
solve WORK/none.nfg
count examples/zebra.wcsp
count --optima examples/exams.cfn
list --within 1 examples/exams.cfn
infer examples/sprinkler.uai
infer -t MAR examples/sprinkler.uai
infer -t MPE examples/sprinkler.uai
infer -t MPE tests/instances/alarm.bif
infer -t MAR tests/instances/alarm.bif
infer -t MAR --memory 20 tests/instances/alarm.bif
infer -t MMAP --query WORK/query examples/sprinkler.uai
bound examples/exams.cfn
bound --method mbe --z 2 examples/sprinkler.uai
bound --certify WORK/proof examples/exams.cfn
bound --verify WORK/proof examples/exams.cfn
bound --certify WORK/proof2 examples/sprinkler.uai
bound --sol WORK/exams.sol examples/exams.cfn
convert examples/exams.cfn WORK/converted.wcsp
convert examples/sprinkler.uai WORK/converted.cfn
convert examples/exams.cfn WORK/converted.lp
convert --toulbar2 WORK/far.wcsp WORK/refused.wcsp
convert WORK/wide.cfn WORK/converted2.wcsp
reparam --check -o WORK/shifted.cfn examples/exams.cfn
reparam -o WORK/shifted2.cfn examples/sprinkler.uai
dpop examples/meetings.yaml
dpop examples/exams.cfn
csg --generate uniform -n 8
csg --method idp --generate uniform -n 8
csg --certify WORK/structure WORK/x.csg
csg --verify WORK/structure WORK/x.csg
auction WORK/a.txt
auction WORK/x.csg
nash examples/effort.nfg
nash --components examples/effort.nfg
nash --one examples/effort.nfg
info examples/exams.cfn
info examples/sprinkler.uai
info --names examples/exams.cfn
info --names examples/sprinkler.uai
info examples/effort.nfg
info WORK/x.csg
info WORK/a.txt
info WORK/r.PR
info WORK/r.MPE
devices
solve WORK/no
count WORK/no
list WORK/no
infer WORK/no
bound WORK/no
reparam -o WORK/x.cfn WORK/no
dpop WORK/no
csg WORK/no
auction WORK/no
nash WORK/no
info WORK/no
convert WORK/no WORK/converted.wcsp
"""


def main():
	commands = page()
	ours = {w for keys in commands.values() for k in keys for w in words(k)}
	source = in_source()
	say(len(source) > 150, "keys are found in the source", [len(source)])
	say(not source - ours, "the page has every key of the source", sorted(source - ours))
	say(not ours - source, "every key of the page is in the source", sorted(ours - source))
	with_json = {c for c in subprocess.run([gpube, "__commands"], stdout=subprocess.PIPE, check=True).stdout.decode().split()
		if b" --json" in subprocess.run([gpube, "help", c], stdout=subprocess.PIPE, check=True).stdout}
	say(with_json == set(commands), "the page has every command that takes --json", sorted(with_json ^ set(commands)))
	with open(work + "/exams.sol", "w") as f:
		f.write("0 0 0 0 0 0\n")
	with open(work + "/far.wcsp", "w") as f:
		f.write("far 1 2 1 9223372036854775807\n2\n1 0 0 1\n1 9007199254740993\n")
	with open(work + "/wide.cfn", "w") as f:  # a function that is a chain over hidden variables
		names = " ".join("v%d" % k for k in range(30))
		f.write('{problem: {name: wide, mustbe: "<9"}, variables: {%s}, functions: {k: {scope: [%s], type: knapsack, '
			'params: {capacity: 9 weights: [%s]}}}}' % (" ".join("v%d: 2" % k for k in range(30)), names, "1 " * 30))
	ran = set()
	for line in RUNS.strip().split("\n"):
		command, *rest = line.replace("WORK", work).split()
		ran.add(command)
		done = subprocess.run([gpube, command, "--json"] + rest, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
			stdin=subprocess.DEVNULL)
		try:
			value = json.loads(done.stdout.decode())
		except ValueError:
			say(False, line + ": one JSON object", [done.returncode, done.stdout[:200]])
			continue
		if command == "info":  # a game has its model's keys in an object
			value.update(value.pop("model", {}))
		written, keys = keys_of(value), commands[command]
		missing = sorted(written - set(keys))
		say(not missing, line + ": its keys are in the page", missing)
		if value.get("status") == "error":
			say({"status", "message", "seconds"} <= written, line + ": what an error has", sorted(written))
			continue
		if value.get("status") == "verified":  # an object of its own
			continue
		# of an object that is null, or a list that is empty, there are no members
		absent = [k for k, when in keys.items() if not when and k not in written and not any(
			k.startswith(outer) and empty(value, outer) for outer in prefixes(k))]
		say(not absent, line + ": what is always there is", absent)
	say(ran == with_json, "each of them was run", sorted(with_json - ran))
	print("1..%d" % n)


def prefixes(key):
	parts = key.split(".")
	return [".".join(parts[:k]) for k in range(1, len(parts))]


def empty(value, path):
	for part in path.replace("[]", "").split("."):
		value = value.get(part) if isinstance(value, dict) else None
		if isinstance(value, list):
			return not value
	return not value


main()
