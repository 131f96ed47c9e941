"""Mini-bucket tables and order as daoopt takes them in: every node's heuristic against enumeration.

usage: check_mb.py [random SEED OUT.uai | check MODEL.uai PREFIX exact|bound]

'random' writes a small model with zeros, potentials above 1, evidence and a variable of one value. 'check' builds the
pseudo tree as daoopt does, and at each of its nodes, for each assignment of the node and its ancestors, sets the sum of the
tables in and over the node's bucket beside the best that the functions of the buckets below are worth.
"""
import gzip
import itertools
import math
import random
import struct
import sys


def write_random(seed, path):
    r = random.Random(seed)
    n = r.randint(5, 7)
    domains = [r.choice([2, 2, 3]) for _ in range(n)]
    domains[r.randrange(n)] = 1
    lines = ["MARKOV", str(n), " ".join(map(str, domains))]
    scopes = [r.sample(range(n), r.randint(1, 3)) for _ in range(2 * n)]
    lines += [str(len(scopes))] + [" ".join(map(str, [len(s)] + s)) for s in scopes]
    for s in scopes:
        cells = math.prod(domains[v] for v in s)
        values = [0 if r.random() < 0.08 else r.uniform(0.05, 3) for _ in range(cells)]
        lines += [str(cells), " ".join(f"{v:.4f}" for v in values)]
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    observed = r.randrange(n)
    with open(path + ".evid", "w", encoding="ascii") as f:
        f.write(f"1 {observed} {r.randrange(domains[observed])}\n")


def read_model(path):
    with open(path, encoding="ascii") as f:
        words = f.read().split()[1:]
    it = iter(words)
    domains = [int(next(it)) for _ in range(int(next(it)))]
    scopes = [[int(next(it)) for _ in range(int(next(it)))] for _ in range(int(next(it)))]
    tables = [[float(next(it)) for _ in range(int(next(it)))] for _ in scopes]
    with open(path + ".evid", encoding="ascii") as f:
        e = [int(w) for w in f.read().split()][1:]
    return domains, list(zip(scopes, tables)), dict(zip(e[::2], e[1::2]))


class Reader:
    def __init__(self, path):
        with gzip.open(path) as f:
            self.bytes = f.read()
        self.at = 0

    def get(self, form):
        v = struct.unpack_from("<" + form, self.bytes, self.at)
        self.at += struct.calcsize("<" + form)
        return v[0] if len(v) == 1 else v


def read_tables(path):
    """(upper bound, functions as (scope, values), by bucket: indices of those in it and over it)"""
    r = Reader(path)
    n, _, upper = r.get("Q"), r.get("i"), r.get("d")
    functions, at = [], [[] for _ in range(n)]
    for k in range(n):
        for _ in range(r.get("Q")):
            r.get("i")
            scope = [r.get("i") for _ in range(r.get("Q"))]
            at[k].append(len(functions))
            functions.append((scope, [r.get("d") for _ in range(r.get("Q"))]))
    for k in range(n):
        at[k] += [r.get("Q") for _ in range(r.get("Q"))]
    assert r.at == len(r.bytes), "bytes behind the tables"
    return upper, functions, at


def cell(scope, domains, values):
    c = 0
    for v in scope:
        c = c * domains[v] + values[v]
    return c


def log10(x):
    return math.log10(x) if x > 0 else -math.inf


def conditioned(domains, functions, evidence):
    """daoopt's variables and functions: without observed variables and those of one value."""
    left = [v for v in range(len(domains)) if v not in evidence and domains[v] > 1]
    index = {v: k for k, v in enumerate(left)}
    out = []
    for scope, table in functions:
        live = [v for v in scope if v in index]
        values = []
        for a in itertools.product(*(range(domains[v]) for v in live)):
            full = {v: evidence.get(v, 0) for v in scope} | dict(zip(live, a))
            values.append(log10(table[cell(scope, domains, full)]))
        if live:
            out.append(([index[v] for v in live], values))
    return [domains[v] for v in left], out, index


def pseudo_tree(n, functions, order):
    edges = [set() for _ in range(n)]
    for scope, _ in functions:
        for v in scope:
            edges[v] |= set(scope) - {v}
    position, parent = {v: p for p, v in enumerate(order)}, [-1] * n
    for v in order:
        later = edges[v]
        parent[v] = min(later, key=position.get) if later else n
        for u in later:
            edges[u] = (edges[u] | later) - {u, v}
    return parent, position


def possible(domains, functions, values):
    rest = [v for v in range(len(domains)) if v not in values]
    return any(all(t[cell(s, domains, full)] > -math.inf for s, t in functions)
               for b in itertools.product(*(range(domains[v]) for v in rest))
               for full in [values | dict(zip(rest, b))])


def check(path, prefix, exact):
    domains, functions, index = conditioned(*read_model(path))
    n = len(domains)
    with open(prefix + ".ord", encoding="ascii") as f:
        words = [int(w) for w in f.read().split()]
    order = [index[v] for v in words[1:] if v in index]
    parent, position = pseudo_tree(n, functions, order)
    upper, tables, at = read_tables(prefix + ".mb.gz")
    assert len(at) == n + 1, "buckets"
    bucket = [min(scope, key=position.get) for scope, _ in functions]
    n_checked = 0
    for node in range(n + 1):
        below = [v for v in range(n) if v != node and node in ancestors(v, parent, n)]
        above = ([] if node == n else [node]) + [v for v in (ancestors(node, parent, n) if node < n else []) if v != n]
        mine = [f for f, b in zip(functions, bucket) if b in below]
        for a in itertools.product(*(range(domains[v]) for v in above)):
            values = dict(zip(above, a))
            h = sum(tables[k][1][cell(tables[k][0], domains, values)] for k in at[node])
            best = -math.inf
            for b in itertools.product(*(range(domains[v]) for v in below)):
                values.update(zip(below, b))
                best = max(best, sum(t[cell(s, domains, values)] for s, t in mine))
            if math.isinf(h) and not possible(domains, functions, dict(zip(above, a))):
                continue  # in no solution, whatever is below
            assert h >= best - 1e-6, f"node {node} at {values}: {h}, but {best}"
            assert not exact or math.isinf(best) or h <= best + 1e-6, \
                f"node {node} at {values}: {h}, not {best}"
            n_checked += 1
        if node == n:
            assert abs(h - upper) < 1e-6, f"the root's bound is {h}, in the file {upper}"
    print("checked", n_checked)


def ancestors(v, parent, n):
    out = []
    while v != n:
        v = parent[v]
        out.append(v)
    return out


if sys.argv[1] == "random":
    write_random(int(sys.argv[2]), sys.argv[3])
else:
    check(sys.argv[2], sys.argv[3], sys.argv[4] == "exact")
