"""Proofs with something changed prove nothing that is not so.

usage: mutate_certificates.py GPUBE SEED N DIRECTORY

By the seed small models are drawn: costs and potentials, minimised and maximised, with forbidden cells, of up to four components and functions
of up to four variables. Every assignment is priced, and 'solve' and 'bound' certify a bound of each by all methods: tables, steps and cycles. Then N times one of these files is changed: most often it claims more than the optimum, and so does its limit, and in any case
numbers become others, lines and words are there twice, are gone or change places, a proof has the tables, the order or the cases of another,
and header lines are those of another. No checker, 'gpube bound --verify' and check_certificate.py, may accept a bound above the optimum.
With PYTHONPATH=plugins/python GPUBE_LIBRARY=build/libgpube.so the library's gpube_verify() is called instead of the program, which takes a fifth of the time.
Prints how many files of each form were accepted and refused; each that is accepted and should not be is kept.
"""
import collections
import ctypes
import decimal
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import check_agreement as agreement
import check_certificate as second

WAYS = [("bound", "arc"), ("bound", "ascent"), ("bound", "ascent", "--regions", "nested"), ("bound", "pairwise"), ("bound", "pairwise", "--split", "first"),
    ("bound", "andor"), ("bound", "auto"), ("bound", "auto", "--no-simplify"), ("solve", "auto"), ("solve", "tree"), ("solve", "pairwise"), ("solve", "andor"),
    ("solve", "eliminate"), ("solve", "semidefinite"), ("solve", "linear")]
HEADER = "gpube-proof form variables functions decimals cap shift bound constant blocks order limit case fixed rows".split()
N_MODELS = 12


class Proof:
    def __init__(self, model, optimum, text, large):
        self.model, self.optimum, self.text, self.large = model, optimum, text, large
        self.form = text.split("\n")[1]


def optimum_of(path):
    """The least total in units that are the problem's, with the sign of a minimisation; None: every assignment is forbidden."""
    p = second.read_problem(path)
    error = 0
    if p.potentials is not None:
        error = second.round_potentials(p, 12)
    best = None
    for values in itertools.product(*(range(d) for d in p.domains)):
        if any(values[v] != a for v, a in p.observed.items()):
            continue
        total = p.constant
        for scope, costs, default in p.functions:
            cost = costs.get(tuple([values[v] for v in scope]), default)
            if cost is None:
                break
            total += cost
        else:
            best = total if best is None else min(best, total)
    return None if best is None else (best + error, p.decimals, p.maximise)


def is_above(bound, optimum):
    """Whether what a checker prints is more than is so."""
    best, decimals, maximise = optimum
    units = bound.scaleb(decimals)
    return (-units if maximise else units) > best


def draw_pairs(r):
    """A function of each two variables, so that steps have something to do."""
    n, d = r.choice([(8, 2), (10, 2), (6, 3), (7, 3)])
    most = r.choice([9, 100, 10**9])
    lines = [f"pairs {n} {d} {n * (n - 1) // 2} {10 * n * n * most}", " ".join([str(d)] * n)]
    for pair in itertools.combinations(range(n), 2):
        lines.append(f"2 {pair[0]} {pair[1]} 0 {d * d}")
        lines += [f"{a} {b} {r.randrange(most)}" for a in range(d) for b in range(d)]
    return "wcsp", "\n".join(lines) + "\n"


def draw_parts(r):
    """Two to four components of few variables, functions of none to four of them, and costs of either sign."""
    domains, parts = [], []
    for _ in range(r.randint(2, 4)):
        parts.append([len(domains) + k for k in range(r.randint(1, 4))])
        domains += [r.choice([1, 2, 2, 3]) for _ in parts[-1]]
    decimals, sign, most = r.choice([0, 2]), r.choice("<>"), r.choice([3, 100, 10**12])

    def cost():
        return "inf" if r.random() < 0.1 else f"{decimal.Decimal(r.randint(-most, most)).scaleb(-decimals):f}"
    functions = []
    for part in parts:
        for _ in range(r.randint(0, 4)):
            scope = r.sample(part, r.randint(0 if r.random() < 0.1 else 1, len(part)))
            cells = math.prod(domains[v] for v in scope)
            functions.append("f%d: {scope: [%s] costs: [%s]}" % (len(functions), " ".join(f"v{v}" for v in scope),
                " ".join(cost() if scope else "1" for _ in range(cells))))
    return "cfn", "{problem: {name: p mustbe: \"%s%d%s\"}\nvariables: {%s}\nfunctions: {\n%s}}\n" % (sign, (1 if sign == "<" else -1) * 10**14,
        "." + "0" * decimals if decimals else "", " ".join(f"v{k}: {d}" for k, d in enumerate(domains)), "\n".join(functions))


def draw_spins(r):
    """A torus, or a graph of few edges, whose edges cost something where their ends are equal, or are not."""
    n = r.choice([6, 9, 12])
    pairs = {tuple(sorted((i, (i + k) % n))) for i in range(n) for k in (1, 3)} if r.random() < 0.5 else set(
        r.sample(list(itertools.combinations(range(n), 2)), 2 * n))
    most, field = r.choice([1, 1, 50, 10**9]), r.choice([0, 0, 2])
    lines = []
    for a, b in sorted(pairs):
        x, y = r.choice(["0 0", "0 1"]), r.randint(1, most)
        lines.append(f"2 {a} {b} 0 2\n{x} {y}\n{'1 1' if x == '0 0' else '1 0'} {y}")
    lines += [f"1 {r.randrange(n)} 0 1\n{r.randrange(2)} {r.randint(1, most)}" for _ in range(field)]
    return "wcsp", f"spins {n} 2 {len(lines)} {most * 10**3}\n" + " ".join(["2"] * n) + "\n" + "\n".join(lines) + "\n"


def draw_larger(gpube, path, seed):
    """A model that has several cases, and its optimum by elimination."""
    subprocess.run([gpube, "generate", "random", "-n", "16", "-d", "3", "--p1", "0.5", "--p2", "0.05", "--seed", str(seed), "-o", path], check=True)
    done = subprocess.run([gpube, "solve", "-q", "--json", "--method", "eliminate", path], stdout=subprocess.PIPE, text=True, check=True)
    return (int(json.loads(done.stdout)["upper_bound"]), 0, False)


def draw_proofs(r, gpube, directory):
    proofs, n_models = [], 0
    while n_models < N_MODELS:
        form, text = [agreement.draw_model, draw_pairs, draw_parts, draw_spins][n_models % 4](r)
        path = os.path.join(directory, f"{n_models}.{form}")
        agreement.put(path, text)
        large = n_models % 6 == 5
        if large:
            optimum = draw_larger(gpube, path, r.randrange(1000))
        else:
            optimum = optimum_of(path)
        if optimum is None:
            continue
        n_models += 1
        for command, *method in WAYS:
            certificate = os.path.join(directory, "made.cert")
            done = subprocess.run([gpube, command, "-q", "--backend", "cpu", "--timeout", "5", "--seed", "1", "--method", *method, "--certify",
                certificate, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
            if done.returncode == 0:
                with open(certificate, encoding="ascii") as f:
                    proofs.append(Proof(path, optimum, f.read(), large))
                os.remove(certificate)
    return proofs


def line_of(text, word):
    return re.search(f"^{word}( .*)?$", text, re.M)


def put_line(text, word, line):
    m = line_of(text, word)
    return text[:m.start()] + line + text[m.end():] if m else text


def claim_more(r, proof, text):
    """One unit more than the optimum, or some; what the file leaves out of its limit, too."""
    best, decimals, _ = proof.optimum
    m = line_of(text, "decimals")
    mine = int(m[1]) if m else decimals
    units = best if mine == decimals else best * 10**mine // 10**decimals
    claim = units + r.choice([1, 1, 1, 2, 10, 1000, 10**6])
    text = put_line(text, "bound", f"bound {claim}")
    limit = line_of(text, "limit")
    if limit and r.random() < 0.9:
        text = put_line(text, "limit", f"limit {max(claim, int(limit[1]))}")
    return text


def splice(r, text, other):
    """The end of another proof of the same model, or a header line of any."""
    if r.random() < 0.5:
        word = r.choice(HEADER)
        m = line_of(other.text, word)
        return put_line(text, word, m[0]) if m else text
    a, b = text.split("\n"), other.text.split("\n")
    return "\n".join(a[:r.randrange(len(a))] + b[r.randrange(len(b)):])


def raise_table(r, text):
    """Costs of a table, and perhaps the constant, by as much as is claimed too much."""
    lines = text.split("\n")
    tables = [k for k, line in enumerate(lines) if line.startswith("table ")]
    by = r.choice([1, 1 << r.randrange(20), -1])
    if r.random() < 0.5 or not tables:
        m = line_of(text, "constant")
        return put_line(text, "constant", f"constant {int(m[1]) + by}") if m else text
    k = r.choice(tables) + 1
    lines[k] = " ".join(str(int(w) + by) for w in lines[k].split())
    return "\n".join(lines)


def scale_tables(r, text):
    """All numbers of the tables times two, and one shift more, but for one number perhaps."""
    lines = text.split("\n")
    numbers = [k + 1 for k, line in enumerate(lines) if line.startswith("table ")] + [k for k, line in enumerate(lines) if line.startswith("constant ")]
    left_out = r.choice(numbers + [-1])
    for k in numbers:
        if k != left_out:
            lines[k] = " ".join(w if w == "constant" else str(2 * int(w)) for w in lines[k].split())
    m = line_of(text, "shift")
    return put_line("\n".join(lines), "shift", f"shift {int(m[1]) + 1}")


def mutate(r, proof, proofs):
    text = proof.text
    if r.random() < 0.8:
        text = claim_more(r, proof, text)
    for _ in range(r.choice([0, 1, 1, 1, 2, 3])):
        kind = r.choice(["number", "near", "near", "near", "word", "twice", "gone", "swap", "copy", "copy", "splice", "table", "table", "scale"])
        try:
            if kind == "splice":
                text = splice(r, text, r.choice([p for p in proofs if p.model == proof.model]))
            elif kind == "table":
                text = raise_table(r, text)
            elif kind == "scale" and proof.form == "form tables":
                text = scale_tables(r, text)
            else:
                text = agreement.change(r, kind, text)
        except (ValueError, IndexError, TypeError):  # it is no proof any more
            pass
    # so many sweeps are allowed, and take years
    return re.sub(r"^(stage \d+) \d{4,}$", r"\1 7", text, flags=re.M)


class Library:
    """The same checker as that of 'gpube bound --verify', without a process for each file."""

    def __init__(self):
        import gpube
        self.gpube, self.context, self.models = gpube, gpube.Context(threads=1), {}

    def verdict(self, model, certificate):
        c, lib = self.gpube._c.structs["gpube_certified"](), self.gpube._c.lib
        if model not in self.models:
            self.models[model] = self.gpube.Model.read(model, context=self.context)
        status = lib.gpube_verify(ctypes.byref(c), self.models[model]._address, os.fsencode(certificate))
        text = lib.gpube_error(self.context._address).decode("utf-8", "replace")
        if status and self.gpube._c.STATUS[status] not in ("EINVAL", "EPARSE", "ELIMIT", "ERANGE"):
            return f"{self.gpube._c.STATUS[status]}: {text}", ""
        return (None if status else decimal.Decimal(c.bound).scaleb(-c.scale)), text


def main(gpube, seed, n, directory):
    r, seen, wrong = random.Random(int(seed)), collections.Counter(), 0
    proofs = draw_proofs(r, gpube, directory)
    certificate = os.path.join(directory, "mutated.cert")
    forms = sorted({p.form for p in proofs})
    library = Library() if "GPUBE_LIBRARY" in os.environ else None
    for k in range(int(n)):
        form = r.choice(forms)
        proof = r.choice([p for p in proofs if p.form == form])
        agreement.put(certificate, mutate(r, proof, proofs))
        verdicts = [("gpube", library.verdict(proof.model, certificate) if library else agreement.first_verdict(gpube, proof.model, certificate))]
        if not proof.large or k % 16 == 0:  # it takes a second for these
            verdicts.append(("the second", agreement.second_verdict(proof.model, certificate)))
        for who, (bound, _) in verdicts:
            if isinstance(bound, str):
                wrong += 1
                print(f"# {who}: {bound}")
            elif bound is not None and is_above(bound, proof.optimum):
                wrong += 1
                print(f"# {who} accepts {bound} of {proof.model}, where {proof.optimum} is the optimum")
                os.system(f"cp '{certificate}' '{directory}/wrong{wrong}.cert'; cut -c1-200 '{certificate}' | sed 's/^/#   /'")
            seen[f"{form[5:]} {'accepted' if bound is not None else 'refused'}"] += 1
    print(f"{len(proofs)} proofs of {N_MODELS} models: " + ", ".join(f"{count} of {what}" for what, count in sorted(seen.items())))
    return wrong > 0


if __name__ == "__main__":
    agreement.run_deep(main)
