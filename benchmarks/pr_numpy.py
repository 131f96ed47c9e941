#!/usr/bin/env python3
"""The sum of a .uai network, by a program that shares nothing with gpube's: elimination by min-degree with
numpy, each table scaled to a greatest value of 1. Also what no sum can pass: the number of assignments times
the greatest value of every function. With --order FILE (of 'gpube info --write-order', any list of all variables) along
that order; with --marginal V variable V is left, and its distribution is told.

usage: pr_numpy.py FILE.uai [EVIDENCE] [--order FILE] [--marginal V]
"""
import argparse
import lzma
import math
import sys

import numpy as np


def read(path, evidence):
    words = iter((lzma.open if path.endswith(".xz") else open)(path, "rt").read().split())
    next(words)
    domains = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = [np.array([float(next(words)) for _ in range(int(next(words)))]).reshape([domains[v] for v in scope])
              for scope in scopes]
    seen = [int(w) for w in open(evidence).read().split()] if evidence else [0]
    if len(seen) > 1 + 2 * seen[0]:  # after a line with the number of samples
        seen = seen[1:]
    return domains, scopes, tables, dict(zip(seen[1::2], seen[2::2]))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file")
    p.add_argument("evidence", nargs="?")
    p.add_argument("--order")
    p.add_argument("--marginal", type=int)
    o = p.parse_args()
    domains, scopes, tables, seen = read(o.file, o.evidence)
    seen.update((v, 0) for v, d in enumerate(domains) if d == 1)  # a table has 64 axes at most
    factors, of, n_made = {}, [set() for _ in domains], 0
    log, most = 0.0, sum(math.log10(d) for v, d in enumerate(domains) if v not in seen)

    def add(scope, table):
        nonlocal log, n_made
        greatest = table.max()
        if greatest == 0:
            print("the sum is 0")
            sys.exit()
        log += math.log10(greatest)
        key = n_made
        n_made += 1
        table /= greatest
        factors[key] = (scope, table)
        for v in scope:
            of[v].add(key)

    for scope, table in zip(scopes, tables):
        table = np.array(table[tuple(seen.get(v, slice(None)) for v in scope)])
        add([v for v in scope if v not in seen], table)
    most += log
    left = {v for v in range(len(domains)) if v not in seen and v != o.marginal}
    given = [int(w) for w in open(o.order).read().split()] if o.order else []
    given = iter(v for v in given[len(given) - len(domains):] if v in left)
    neighbours = {v: {u for k in of[v] for u in factors[k][0]} - {v} for v in left}
    heap = {}
    if o.marginal is not None:
        neighbours[o.marginal] = {u for k in of[o.marginal] for u in factors[k][0]} - {o.marginal}
    for v in left:
        heap.setdefault(len(neighbours[v]), set()).add(v)
    while left:
        v = next(given) if o.order else heap[min(d for d in heap if heap[d])].pop()
        left.remove(v)
        scope = sorted(neighbours[v])
        inputs = []
        for k in list(of[v]):
            inner, table = factors.pop(k)
            order = sorted(range(len(inner)), key=lambda i: (inner[i] != v, inner[i]))
            shape = [domains[u] if u in inner else 1 for u in scope]
            inputs.append(table.transpose(order).reshape([domains[v]] + shape))
            for u in inner:
                of[u].discard(k)
        inputs.sort(key=lambda table: table.size)
        total = np.zeros([domains[u] for u in scope])
        for x in range(domains[v]):  # one value at a time: memory for two tables of the message's size
            product = np.ones([1] * len(scope))
            for table in inputs:
                product = product * table[x]
            total += product
        inputs = product = table = None
        add(scope, total)
        for u in neighbours.pop(v):
            if u in left:
                heap.setdefault(len(neighbours[u]), set()).discard(u)
            neighbours[u] = (neighbours[u] | set(scope)) - {u, v}
            if u in left:
                heap.setdefault(len(neighbours[u]), set()).add(u)
    if o.marginal is not None:
        weights = np.ones(domains[o.marginal])
        for k in of[o.marginal]:
            weights = weights * factors[k][1]
        log += math.log10(weights.sum())
        print("marginal", *(f"{w:.9f}" for w in weights / weights.sum()))
    print(f"log10 of the sum {log:.9f}; it cannot pass {most:.3f}")


main()
