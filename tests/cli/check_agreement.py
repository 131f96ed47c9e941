"""Two checkers, one verdict: small certificates with something changed, and models near the ends of 64 bits.

usage: check_agreement.py GPUBE SEED N DIRECTORY

N times, by the seed: a small model is drawn, gpube certifies a bound of it by some method, and changes are made to the
certificate or the model: numbers near 2^31, 2^62, 2^63 and 2^64, words that are no numbers, members that are there twice, are
gone or change places. After each change 'gpube bound --verify' and check_certificate.py have to say the same: the same bound,
or that it is refused. Prints what they do not agree on, and how many verdicts of each kind there were.
"""
import collections
import decimal
import os
import random
import re
import subprocess
import sys
import threading

import check_certificate as second

NUMBERS = sorted({s * (2**k + d) for k in (0, 1, 7, 31, 32, 40, 60, 61, 62, 63, 64) for d in (-2, -1, 0, 1, 2) for s in (1, -1)})
WORDS = ["", "x", "1.0", "1e3", "+3", "-0", "007", "1_0", "0x1", "--1", "\u0661", "9" * 30, "0" * 250 + "1", "0" * 300 + "1", "leaf", "inf"]
METHODS = [("arc",), ("ascent",), ("ascent", "--regions", "nested"), ("pairwise",), ("pairwise", "--split", "first"), ("andor",), ("semidefinite",), ("linear",), ("auto",)]
KINDS = "number near word twice gone swap copy model".split()


def draw_near_the_end(r):
	"""A .cfn whose costs and bound lie near 2^60 to 2^63 units."""
	n, decimals = r.randint(1, 4), r.randint(0, 3)
	domains = [r.randint(1, 3) for _ in range(n)]

	def number(bits):
		v = r.choice([0, 1, 2**bits, 2**bits - 1, 2**bits - 2, r.randrange(2**bits)]) * r.choice([1, -1])
		return f"{decimal.Decimal(v).scaleb(-decimals):f}"
	functions = []
	for k in range(r.randint(1, 6)):
		scope = r.sample(range(n), r.randint(1, min(2, n)))
		cells = [number(r.choice([3, 58, 60, 61])) for _ in range(second.math.prod(domains[v] for v in scope))]
		functions.append(f"f{k}: {{scope: [{' '.join(f'v{v}' for v in scope)}] costs: [{' '.join(cells)}]}}")
	top = f"{decimal.Decimal(r.choice([-1, 1, 1]) * r.choice([2**62, 2**61, 2**60 + 5, 2**63 - 2])).scaleb(-decimals):f}"
	return "{problem: {name: p mustbe: \"%s%s\"}\nvariables: {%s}\nfunctions: {\n%s}}\n" % (
		r.choice("<>"), top, " ".join(f"v{k}: {d}" for k, d in enumerate(domains)), "\n".join(functions))


def draw_model(r):
	form = r.choice(["wcsp", "cfn", "cfn", "end", "end", "uai"])
	if form == "end":
		return "cfn", draw_near_the_end(r)
	if form == "uai":
		return form, second.random_uai(r)[0]
	return form, (second.random_wcsp if form == "wcsp" else second.random_cfn)(r)


def change(r, kind, text):
	"""The text with something changed: words and what is between them in turns."""
	parts = re.split(r"(\s+)", text.strip())
	places = range(0, len(parts), 2)
	numbers = [k for k in places if re.fullmatch(r"-?\d+", parts[k])]
	lines = text.strip().split("\n")
	if kind in ("number", "near") and numbers:
		k = r.choice(numbers)
		v = int(parts[k]) + r.choice([-2, -1, 1, 2, 2**32, -2**32]) if kind == "near" else r.choice(NUMBERS)
		before = parts[k - 4] if k >= 4 else ""
		if before == "stage" and v > 1000:
			v = 3  # so many sweeps are allowed, and take years
		parts[k] = str(v)
	elif kind == "word":
		parts[r.choice(places)] = r.choice(WORDS)
	elif kind == "copy":
		parts[r.choice(places)] = parts[r.choice(places)]
	elif kind in ("twice", "gone", "swap"):
		i, k = r.randrange(len(lines)), r.randrange(len(lines))
		if kind == "twice":
			lines.insert(k, lines[i])
		elif kind == "gone":
			del lines[i]
		else:
			lines[i], lines[k] = lines[k], lines[i]
		return "\n".join(lines) + "\n"
	return "".join(parts) + "\n"


def change_model(r, form, text):
	"""A cost that is another one, far out perhaps."""
	numbers = [m for m in re.finditer(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])", text)]
	numbers = [m for m in numbers if m.start() > len(text) // 2] if form != "cfn" else [m for m in numbers if "." in m[0]]
	if not numbers:
		return text
	m = r.choice(numbers)
	new = str(r.choice(NUMBERS))
	if form == "cfn":
		new += "." + m[0].partition(".")[2]
	if form == "uai":
		new = r.choice(["1e400", "1e-400", "-1", "nan", "inf", "1e308", "0", "0.5"])
	return text[:m.start()] + new + text[m.end():]


def first_verdict(gpube, model, certificate):
	done = subprocess.run([gpube, "bound", "-q", "--verify", certificate, model], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
		text=True, timeout=300)
	if done.returncode not in (0, 1):
		return f"exit {done.returncode}: {done.stderr}", ""
	found = re.match(r"certified +(\S+),", done.stdout)
	return (decimal.Decimal(found[1]) if done.returncode == 0 else None), done.stderr.strip()


def second_verdict(model, certificate):
	try:
		return second.check(model, certificate), ""
	except second.Refused as e:
		return None, str(e)
	except (StopIteration, ValueError, KeyError, IndexError, AssertionError, decimal.DecimalException) as e:
		return None, repr(e)


def put(path, text):
	with open(path, "w", encoding="utf-8") as f:
		f.write(text)


def main(gpube, seed, n, directory):
	r, seen, wrong = random.Random(int(seed)), collections.Counter(), 0
	for _ in range(int(n)):
		form, model = draw_model(r)
		path, certificate = os.path.join(directory, f"m.{form}"), os.path.join(directory, "m.cert")
		put(path, model)
		done = subprocess.run([gpube, "bound", "-q", "--timeout", "5", "--seed", "1", "--method", *r.choice(METHODS), "--certify", certificate, path],
			stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
		if done.returncode or not os.path.exists(certificate):
			seen["not certified"] += 1
			continue
		with open(certificate, encoding="ascii") as f:
			proof = f.read()
		os.remove(certificate)
		for kind in ["as it is"] + KINDS:
			put(path, change_model(r, form, model) if kind == "model" else model)
			put(certificate, proof if kind in ("model", "as it is") else change(r, kind, proof))
			a, b = first_verdict(gpube, path, certificate), second_verdict(path, certificate)
			if a[0] != b[0]:
				wrong += 1
				print(f"# {kind}: {a} and {b}")
				os.system(f"cat '{path}' '{certificate}' | cut -c1-200 | sed 's/^/#   /'")
			seen["accepted" if a[0] is not None else "refused"] += 1
			if kind == "as it is" and a[0] is None:
				print(f"# what gpube has written is refused: {a}, {b}")
				wrong += 1
		os.remove(certificate)
	print(", ".join(f"{count} {what}" for what, count in sorted(seen.items())))
	return wrong > 0


def run_deep(program):
	"""Ends with what program(*arguments) returns, which may call itself as deep as the second checker does."""
	sys.setrecursionlimit(100000)
	threading.stack_size(1 << 29)
	ended = []
	thread = threading.Thread(target=lambda: ended.append(program(*sys.argv[1:])))
	thread.start()
	thread.join()
	sys.exit(ended[0] if ended else 1)


if __name__ == "__main__":
	run_deep(main)
