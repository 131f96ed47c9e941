#!/usr/bin/env python3
"""Log-likelihoods of rows of evidence: all by one compiled model, and one by one.

usage: benchmarks/infer_rows.py NETWORK… [--rows 1000] [--alone 200] [--hidden 0.5] [--seed 1] [--csv FILE]

Rows are drawn from each network, and of every row a share of the values is hidden. Seconds are the processor's,
of gpube's Python package on one thread: 'compiled' of log_likelihood(), preparing included; 'alone' of an infer()
a row, of the first --alone ones, for all; then of whole commands likewise, one with --rows and one a row (a tenth of
--alone). A model of costs (.cfn) stands for the potentials of which they are -ln. Answers are compared.
"""
import csv
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

from common import options, write_rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plugins", "python"))
import gpube


def seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def read(path):
    m = gpube.Model.read(path, evidence="", context=gpube.Context(threads=1))
    if m.kind == "potentials":
        return m
    to = gpube.Model("potentials", context=m.context)
    for v in m:
        to.add_variable(v.values, v.name)
    for k in range(m.n_functions):
        scope, costs = m.function(k)
        to.add_function(scope, [0.0 if c == gpube.INF else math.exp(-float(c)) for c in costs])
    return to


def alone(m, rows):
    z = []
    for row in rows:
        for name, value in row.items():
            m.observe(name, value)
        z.append(m.infer().log10_z * math.log(10))
        for name in row:
            m.observe(name, None)
    return z


def commands(o, m, rows, folder):
    """Seconds a row of one command for all, and of one a row; and the first's answers."""
    network, table = os.path.join(folder, "m.uai"), os.path.join(folder, "rows.csv")
    m.write(network)
    with open(table, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(range(len(m)))
        w.writerows([row.get(v, "") for v in range(len(m))] for row in rows)
    start = seconds()
    out = subprocess.run([o.gpube, "infer", "-q", "--threads", "1", "--output", "csv", "--rows", table, network], check=True,
                         stdout=subprocess.PIPE, universal_newlines=True).stdout.split()[1:]
    all_of = (seconds() - start) / len(rows)
    some = rows[:max(o.alone // 10, 1)]
    start = seconds()
    for row in some:
        with open(network + ".evid", "w") as f:
            f.write("%d %s\n" % (len(row), " ".join("%d %d" % pair for pair in row.items())))
        subprocess.run([o.gpube, "infer", "-q", "--threads", "1", network], check=True, stdout=subprocess.DEVNULL)
    return all_of, (seconds() - start) / len(some), [float(x) * math.log(10) for x in out]


def measure(o, path):
    m, r = read(path), random.Random(o.seed)
    drawn = m.sample(o.rows, seed=o.seed)
    rows = [{v: x for v, x in enumerate(a) if r.random() >= o.hidden} for a in drawn]
    start = seconds()
    z = m.log_likelihood(rows)
    compiled = (seconds() - start) / o.rows
    start = seconds()
    one_by_one = alone(m, rows[:o.alone])
    single = (seconds() - start) / len(one_by_one)
    with tempfile.TemporaryDirectory() as folder:
        command, command_alone, told = commands(o, m, rows, folder)
    off = max(abs(a - b) / max(1, abs(b)) for a, b in list(zip(z, one_by_one)) + list(zip(told, z)))
    row = {"network": os.path.basename(path), "variables": len(m), "rows": o.rows, "compiled_us": "%.1f" % (1e6 * compiled),
           "alone_us": "%.1f" % (1e6 * single), "times": "%.1f" % (single / compiled), "command_us": "%.1f" % (1e6 * command),
           "command_alone_us": "%.1f" % (1e6 * command_alone), "command_times": "%.1f" % (command_alone / command), "largest_difference": "%.1e" % off}
    print(" ".join("%s %s" % pair for pair in row.items()), flush=True)
    return row


def main():
    p = options(__doc__, "--gpube", "--csv", rows=1000, alone=200, hidden=0.5, seed=1)
    p.add_argument("networks", nargs="+")
    o = p.parse_args()
    rows = [measure(o, path) for path in o.networks]
    if o.csv:
        write_rows(o.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
