#!/usr/bin/env python3
"""The sum of a .uai network, by a program that shares nothing with gpube's: elimination by min-degree with
numpy, each table scaled to a greatest value of 1. Also what no sum can pass: the number of assignments times
the greatest value of every function.

usage: pr_numpy.py FILE.uai [EVIDENCE]
"""
import math
import sys

import numpy as np


def read(path, evidence):
    words = iter(open(path).read().split())
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
    domains, scopes, tables, seen = read(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    factors, of = {}, [set() for _ in domains]
    log, most = 0.0, sum(math.log10(d) for v, d in enumerate(domains) if v not in seen)

    def add(scope, table):
        nonlocal log
        greatest = table.max()
        if greatest == 0:
            print("the sum is 0")
            sys.exit()
        log += math.log10(greatest)
        key = len(factors)
        factors[key] = (scope, table / greatest)
        for v in scope:
            of[v].add(key)

    for scope, table in zip(scopes, tables):
        table = table[tuple(seen.get(v, slice(None)) for v in scope)]
        add([v for v in scope if v not in seen], table)
    most += log
    left = {v for v in range(len(domains)) if v not in seen}
    neighbours = {v: {u for k in of[v] for u in factors[k][0]} - {v} for v in left}
    heap = {}
    for v in left:
        heap.setdefault(len(neighbours[v]), set()).add(v)
    while left:
        degree = min(d for d in heap if heap[d])
        v = heap[degree].pop()
        left.remove(v)
        scope = sorted(neighbours[v]) + [v]
        product = np.ones([domains[u] for u in scope])
        for k in list(of[v]):
            inner, table = factors[k]
            order = sorted(range(len(inner)), key=lambda i: scope.index(inner[i]))
            shape = [domains[u] if u in inner else 1 for u in scope]
            product = product * table.transpose(order).reshape(shape)
            for u in inner:
                of[u].discard(k)
        add(scope[:-1], product.sum(axis=-1))
        for u in neighbours.pop(v):
            heap[len(neighbours[u])].discard(u)
            neighbours[u] = (neighbours[u] | set(scope)) - {u, v}
            heap.setdefault(len(neighbours[u]), set()).add(u)
    print(f"log10 of the sum {log:.9f}; it cannot pass {most:.3f}")


main()
