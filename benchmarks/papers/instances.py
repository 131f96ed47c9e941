#!/usr/bin/env python3
"""Instances of the GpuBE paper's tables 6 and 10 that are parts of others, or stored as MiniZinc data.

usage: benchmarks/papers/instances.py celar WHOLE.dzn [--part SMALL --of LARGE] > out.wcsp
       benchmarks/papers/instances.py first N FILE.wcsp > out.wcsp

celar: WHOLE.dzn is a file of celar/ in github.com/MiniZinc/minizinc-benchmarks. Each pair of frequencies that have to be 238 apart becomes
one variable, as in toulbar2's CELAR6-SUB0.wcsp: a value of the first is one of the second, too. With --part: only the variables of WHOLE
that SMALL has of LARGE, the .dzn or .wcsp file of a part and of the whole, in the same order. The parts of both scenarios have the same
variables (those of CELAR6-SUB3 in CELAR6-SUB4 are those of CELAR7-SUB3 in CELAR7-SUB4), so that CELAR7-SUB1 is what is in CELAR7-SUB4
where CELAR6-SUB1 is in CELAR6-SUB4: its optimum is the one that is printed, 142640. What a part has of a whole is found by comparing all
tables of costs. first: the first N variables with the functions of these alone. SPOT5's 404 is the first 100 of 412, 412 the first 300 of
414 and 1401 the first 488 of 1405, cell by cell; 408 is therefore taken as the first 200 of 412, 1403 as the first 665 of 1405, which
have as many functions as the paper prints, 2232 and 13616. (The scopes of 408b, where it has functions, are those of 408; its last
variable, which no other function has, has two values there and four in 412.)
"""
import argparse
import lzma
import re
import sys


def read_dzn(path):
    """The variables' domains, and the costs of each pair of variables."""
    text = open(path).read()
    field = lambda name: [int(x) for x in re.search(name + r"= \[([^\]]*)\]", text).group(1).split(",")]
    costs, of = field("costs"), field("domains")
    kinds = [[int(x) for x in kind.split(",")] for kind in re.findall(r"\{([^}]*)\}", text)]
    pair, domains = {}, []
    for x, y, k in zip(field("hardctrx"), field("hardctry"), field("hardctrk")):
        assert k == 238 and x not in pair and y not in pair
        pair[x], pair[y] = (len(domains), 0), (len(domains), 1)
        first, second = kinds[of[x - 1] - 1], set(kinds[of[y - 1] - 1])
        values = [(a, b) for a in first for b in (a - 238, a + 238) if b in second]
        assert len({a for a, _ in values}) == len(values)
        domains.append(values)
    tables = {}
    for x, y, k, w in zip(field("softctrx"), field("softctry"), field("softctrk"), field("softctrw")):
        (i, a), (j, b) = pair[x], pair[y]
        if i > j:
            (i, a), (j, b) = (j, b), (i, a)
        assert i != j
        t = tables.setdefault((i, j), [[0] * len(domains[j]) for _ in domains[i]])
        for u, p in enumerate(domains[i]):
            for v, q in enumerate(domains[j]):
                if abs(p[a] - q[b]) <= k:
                    t[u][v] += costs[w - 1]
    return [len(d) for d in domains], tables


def read_wcsp(path):
    """The same of a file in toulbar2's format; functions of the same two variables are added."""
    words = iter((lzma.open if path.endswith(".xz") else open)(path, "rt").read().split())
    next(words)
    n, _, functions, _ = (int(next(words)) for _ in range(4))
    domains, tables = [int(next(words)) for _ in range(n)], {}
    for _ in range(functions):
        scope = [int(next(words)) for _ in range(int(next(words)))]
        default, tuples = int(next(words)), int(next(words))
        values = [[int(next(words)) for _ in range(len(scope) + 1)] for _ in range(tuples)]
        if len(scope) != 2:
            continue
        i, j = sorted(scope)
        t = tables.setdefault((i, j), [[0] * domains[j] for _ in range(domains[i])])
        cells = {(v[0], v[1]) if scope == [i, j] else (v[1], v[0]): v[2] for v in values}
        for u in range(domains[i]):
            for v in range(domains[j]):
                t[u][v] += cells.get((u, v), default)
    return domains, tables


def read(path):
    return read_dzn(path) if path.endswith(".dzn") else read_wcsp(path)


def places(small, large):
    """Where the variables of 'small' are in 'large': the first way, in order, in which all tables are the same."""
    (ds, ts), (dl, tl) = small, large
    found = []

    def fits(i, k):
        return ds[i] == dl[k] and all(ts.get((a, i)) == tl.get((found[a], k)) for a in range(i))

    def search(i):
        if i == len(ds):
            return True
        for k in range(found[-1] + 1 if found else 0, len(dl)):
            if fits(i, k):
                found.append(k)
                if search(i + 1):
                    return True
                found.pop()
        return False

    if not search(0):
        sys.exit("instances.py: the small one is no part of the large one")
    return found


def celar(o):
    domains, tables = read(o.whole)
    if o.part:
        kept = places(read(o.part), read(o.of))
        tables = {(i, j): tables[kept[i], kept[j]] for j in range(len(kept)) for i in range(j) if (kept[i], kept[j]) in tables}
        domains = [domains[k] for k in kept]
    top = 1 + sum(max(map(max, t)) for t in tables.values())
    print("celar", len(domains), max(domains), len(tables), top)
    print(*domains)
    for (i, j), t in sorted(tables.items()):
        cells = [(u, v, c) for u, row in enumerate(t) for v, c in enumerate(row) if c]
        print(2, i, j, 0, len(cells))
        for c in cells:
            print(*c)


def first(o):
    with (lzma.open if o.file.endswith(".xz") else open)(o.file, "rt") as f:
        words = iter(f.read().split())
    name, n, _, functions, top = next(words), *(int(next(words)) for _ in range(4))
    domains, kept = [int(next(words)) for _ in range(n)][:o.n], []
    for _ in range(functions):
        scope = [int(next(words)) for _ in range(int(next(words)))]
        head = [len(scope), *scope, int(next(words)), int(next(words))]
        rows = [[next(words) for _ in range(len(scope) + 1)] for _ in range(head[-1])]
        if max(scope, default=0) < o.n:
            kept.append([head] + rows)
    print("%s-first-%d" % (name, o.n), o.n, max(domains), len(kept), top)
    print(*domains)
    for function in kept:
        for row in function:
            print(*row)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="do", required=True)
    c = sub.add_parser("celar")
    c.add_argument("whole")
    c.add_argument("--part")
    c.add_argument("--of")
    f = sub.add_parser("first")
    f.add_argument("n", type=int)
    f.add_argument("file")
    o = ap.parse_args()
    celar(o) if o.do == "celar" else first(o)


if __name__ == "__main__":
    main()
