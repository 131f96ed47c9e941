#!/usr/bin/env python3
"""solve beside HiGHS, which gets the same model as an integer program with cliques: what a program of that kind does with photographs.

usage: benchmarks/cliques.py FILE.wcsp... [--gpube build/gpube] [--timeout 60] [--threads 1]

Of each model whose functions of several variables forbid, or cost nothing, each value becomes a Boolean variable. Pairs that exclude each
other are covered by cliques, greedily; a forbidden triple (x, y, z) becomes x + y + Z <= 2, where Z has all third values that exclude
each other. A line a file: the linear program's bound and seconds, then both programs' bounds, assignments and seconds by the clock.
HiGHS is PyPI's highspy, whose gap is set to 0; its bounds are right up to its tolerances.
"""
import itertools
import json
import subprocess
import time

import highspy
import numpy

from common import options


def read(path):
    words = open(path).read().split()
    n, n_functions, top = int(words[1]), int(words[3]), int(words[4])
    domains, at, functions = [int(w) for w in words[5:5 + n]], 5 + n, []
    for _ in range(n_functions):
        arity = int(words[at])
        scope = [int(w) for w in words[at + 1:at + 1 + arity]]
        default, n_tuples = int(words[at + arity + 1]), int(words[at + arity + 2])
        at += arity + 3
        table = {}
        for _ in range(n_tuples):
            table[tuple(int(w) for w in words[at:at + arity])] = int(words[at + arity])
            at += arity + 1
        functions.append((scope, default, table))
    return domains, functions, top


def program(path):
    """Costs, a constant and rows (columns, least, most)."""
    domains, functions, top = read(path)
    first = [0, *itertools.accumulate(domains)]
    costs, constant = [0] * first[-1], 0
    excludes, triples = [set() for _ in costs], []
    for i, domain in enumerate(domains):
        for x, y in itertools.permutations(range(first[i], first[i] + domain), 2):
            excludes[x].add(y)
    for scope, default, table in functions:
        for values in itertools.product(*(range(domains[i]) for i in scope)):
            cost = table.get(values, default)
            columns = [first[i] + a for i, a in zip(scope, values)]
            if not columns:
                constant += cost
            elif len(columns) == 1:
                costs[columns[0]] += min(cost, top)
            elif cost and (cost < top or len(columns) > 3):
                raise ValueError("%s: a function of several variables has costs, or is of more than three" % path)
            elif cost and len(columns) == 2:
                excludes[columns[0]].add(columns[1])
                excludes[columns[1]].add(columns[0])
            elif cost:
                triples.append(columns)
    rows = [(list(range(first[i], first[i + 1])), 1, 1) for i in range(len(domains))]
    covered = set()
    for x, y in sorted(((x, y) for x in range(len(costs)) for y in excludes[x] if x < y), key=lambda p: -len(excludes[p[0]] & excludes[p[1]])):
        if (x, y) in covered:
            continue
        clique, left = [x, y], excludes[x] & excludes[y]
        while left:
            clique.append(max(left, key=lambda z: len(excludes[z] & left)))
            left &= excludes[clique[-1]]
        rows.append((clique, 0, 1))
        covered.update(itertools.combinations(sorted(clique), 2))
    thirds = {}
    for triple in triples:
        for k in range(3):
            thirds.setdefault(tuple(sorted(triple[:k] + triple[k + 1:])), set()).add(triple[k])
    for pair, left in thirds.items():
        while left:
            clique = []
            for z in sorted(left, key=lambda z: -len(excludes[z])):
                if all(z in excludes[c] for c in clique):
                    clique.append(z)
            rows.append(([*pair, *clique], 0, 2))
            left -= set(clique)
    return costs, constant, rows


def by_highs(path, seconds, threads):
    costs, constant, rows = program(path)
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("threads", threads)
    h.setOptionValue("mip_rel_gap", 0.0)
    h.setOptionValue("mip_abs_gap", 0.999)
    for x, cost in enumerate(costs):
        h.addVar(0, 1)
        h.changeColCost(x, float(cost))
    for columns, least, most in rows:
        h.addRow(least, most, len(columns), numpy.array(columns, dtype=numpy.int32), numpy.ones(len(columns)))
    start = time.time()
    h.run()
    relaxed, after = h.getInfo().objective_function_value + constant, time.time() - start
    for x in range(len(costs)):
        h.changeColIntegrality(x, highspy.HighsVarType.kInteger)
    h.setOptionValue("time_limit", float(seconds))
    start = time.time()
    h.run()
    info = h.getInfo()
    return relaxed, after, info.mip_dual_bound + constant, info.objective_function_value + constant, time.time() - start


def by_gpube(gpube, path, seconds, threads):
    start = time.time()
    out = subprocess.run([gpube, "solve", "-q", "--json", "--seed", "1", "--backend", "cpu", "--threads", str(threads), "--timeout", "%ds" % seconds, path],
        capture_output=True, text=True)
    answer = json.loads(out.stdout)
    return answer["lower_bound"], answer["upper_bound"], time.time() - start


def main():
    parser = options(__doc__, gpube="build/gpube", timeout=60, threads=1)
    parser.add_argument("files", nargs="+")
    o = parser.parse_args()
    for path in o.files:
        relaxed, after, low, high, seconds = by_highs(path, o.timeout, o.threads)
        own = by_gpube(o.gpube, path, o.timeout, o.threads)
        print("%s: relaxation %.1f after %.2f s; HiGHS [%.0f, %.0f] after %.1f s; gpube [%s, %s] after %.1f s" % (
            path.split("/")[-1], relaxed, after, low, high, seconds, own[0], own[1], own[2]), flush=True)


if __name__ == "__main__":
    main()
