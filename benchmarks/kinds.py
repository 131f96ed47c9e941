#!/usr/bin/env python3
"""Models of ten kinds that people write by hand, of sizes that take a method a tenth of a second to some seconds.

usage: benchmarks/kinds.py DATA [--seeds 11,12,13]

Writes KIND_SEED.wcsp and INDEX.tsv, so that ablate.py, solve.py and schedule.py take that folder as their DATA: nothing in
the schedule is fitted to these files. Kinds: 3D spin glasses on two tori, Potts grids, frequency assignment with
distances, warehouses, weighted MAX-3SAT, sparse MaxCSP, quadratic assignment, layered networks of functions of four
variables, dense random models.
"""
import itertools
import os
import random

from common import options

TOP = 10**7


class Wcsp:
    """A model that is being made: domains, and functions as (scope, [(values, cost)]) with default 0."""

    def __init__(self, domains):
        self.domains, self.functions = domains, []

    def add(self, scope, cost):
        """A function of a scope in ascending order; cost: of a tuple of values."""
        cells = ((k, cost(*k)) for k in itertools.product(*(range(self.domains[i]) for i in scope)))
        self.functions.append((scope, [(k, c) for k, c in cells if c]))

    def write(self, path, name):
        with open(path, "w") as f:
            f.write(f"{name} {len(self.domains)} {max(self.domains)} {len(self.functions)} {TOP}\n")
            f.write(" ".join(map(str, self.domains)) + "\n")
            for scope, tuples in self.functions:
                f.write(f"{len(scope)} {' '.join(map(str, scope))} 0 {len(tuples)}\n")
                f.writelines(f"{' '.join(map(str, k))} {c}\n" for k, c in tuples)


def spins(r, a, b, c):
    m = Wcsp([2] * (a * b * c))
    for x, y, z in itertools.product(range(a), range(b), range(c)):
        for d in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            i, j = sorted(((x * b + y) * c + z, ((x + d[0]) % a * b + (y + d[1]) % b) * c + (z + d[2]) % c))
            weight = r.choice((-1, 1)) * r.randint(1, 1000)
            m.add((i, j), lambda p, q: abs(weight) if (p == q) == (weight < 0) else 0)
    return m


def potts(r, n, k):
    m = Wcsp([k] * (n * n))
    for i in range(n * n):
        m.add((i,), lambda _: r.randint(0, 100))
    for x, y, (dx, dy) in itertools.product(range(n), range(n), ((1, 0), (0, 1))):
        if x + dx < n and y + dy < n:
            weight = r.randint(10, 80)
            m.add((x * n + y, (x + dx) * n + y + dy), lambda p, q: weight * min(2, abs(p - q)))
    return m


def frequencies(r, n, k, part):
    m = Wcsp([k] * n)
    for i, j in itertools.combinations(range(n), 2):
        if r.random() < part:
            apart, weight = r.randint(1, 3), r.randint(1, 200)
            m.add((i, j), lambda p, q: weight * max(0, apart - abs(p - q) + 1))
    return m


def warehouses(r, n, n_stores):
    m = Wcsp([2] * n + [n] * n_stores)
    for i in range(n):
        opening = r.randint(300, 900)
        m.add((i,), lambda a: opening * a)
    for s in range(n, n + n_stores):
        m.add((s,), lambda _: r.randint(10, 400))
        for i in range(n):
            m.add((i, s), lambda is_open, at: TOP if at == i and not is_open else 0)
    return m


def max3sat(r, n, n_clauses):
    m = Wcsp([2] * n)
    for _ in range(n_clauses):
        broken, weight = tuple(r.randint(0, 1) for _ in range(3)), r.randint(1, 9)
        m.add(sorted(r.sample(range(n), 3)), lambda *a: weight if a == broken else 0)
    return m


def maxcsp(r, n, k, part, tight):
    m = Wcsp([k] * n)
    for i, j in itertools.combinations(range(n), 2):
        if r.random() < part:
            m.add((i, j), lambda *_: r.randint(1, 20) if r.random() < tight else 0)
    return m


def qap(r, n):
    far = [[r.randint(1, 99) for _ in range(n)] for _ in range(n)]
    flow = [[r.randint(0, 9) for _ in range(n)] for _ in range(n)]
    m = Wcsp([n] * n)
    for i, j in itertools.combinations(range(n), 2):
        m.add((i, j), lambda p, q: TOP if p == q else flow[i][j] * far[p][q] + flow[j][i] * far[q][p])
    return m


def layers(r, n, k, back):
    m = Wcsp([k] * n)
    for i in range(3, n):
        m.add(sorted(r.sample(range(max(0, i - back), i), 3)) + [i], lambda *_: int(r.expovariate(1 / 300)))
    return m


def dense(r, n, k):
    m = Wcsp([k] * n)
    for i, j in itertools.combinations(range(n), 2):
        m.add((i, j), lambda *_: r.randint(0, 100))
    return m


KINDS = {
    "spin5x5x5": lambda r: spins(r, 5, 5, 5), "spin4x5x6": lambda r: spins(r, 4, 5, 6), "potts9x5": lambda r: potts(r, 9, 5),
    "frequencies26x14": lambda r: frequencies(r, 26, 14, 0.28), "warehouse12x40": lambda r: warehouses(r, 12, 40),
    "max3sat70c300": lambda r: max3sat(r, 70, 300), "maxcsp32x6": lambda r: maxcsp(r, 32, 6, 0.16, 0.55), "qap8": lambda r: qap(r, 8),
    "layers60x3": lambda r: layers(r, 60, 3, 14), "dense17x5": lambda r: dense(r, 17, 5),
}


def main():
    ap = options(__doc__, "data", seeds="11,12,13")
    args = ap.parse_args()
    os.makedirs(args.data, exist_ok=True)
    names = [(kind, int(seed)) for seed in args.seeds.split(",") for kind in KINDS]
    for kind, seed in names:
        KINDS[kind](random.Random(f"{kind} {seed}")).write(os.path.join(args.data, f"{kind}_{seed}.wcsp"), kind)
    with open(os.path.join(args.data, "INDEX.tsv"), "w") as f:
        f.write("path\n" + "".join(f"{kind}_{seed}.wcsp\n" for kind, seed in names))


if __name__ == "__main__":
    main()
