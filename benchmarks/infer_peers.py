#!/usr/bin/env python3
"""All marginals by gpube infer, pyAgrum and pgmpy on networks that these end.

usage: benchmarks/infer_peers.py TASKS [--gpube build/gpube] [--only TEXT] [--csv FILE] [--seconds 60]

TASKS as of infer.py; pyAgrum and pgmpy are those of the Python that runs this. Each tool has one process a network, and so many
seconds of wall time. Their seconds are the processor's, from the model in memory to all marginals: pyAgrum by Shafer-Shenoy
propagation over the Markov network, pgmpy by variable elimination, variable by variable. Ours are those of the whole process. The difference is
the largest of a marginal to ours.
"""
import json
import os
import resource
import subprocess
import sys
import time

from common import options, write_rows

NETWORKS = ("Grids_12 Grids_11 CSP_12 Promedus_24 Promedus_26 Promedus_30 Promedus_33 Promedus_32 Pedigree_11 Pedigree_12 Pedigree_13 "
            "Segmentation_11 Segmentation_12 Segmentation_14 Promedus_22 Promedus_13").split()


def read(model, evidence):
    import lzma
    with lzma.open(model, "rt") as f:
        t = f.read().split()
    n, at = int(t[1]), 2
    domains = [int(v) for v in t[at:at + n]]
    at += n
    scopes = []
    count = int(t[at])
    at += 1
    for _ in range(count):
        k = int(t[at])
        scopes.append([int(v) for v in t[at + 1:at + 1 + k]])
        at += k + 1
    tables = []
    for _ in range(count):
        k = int(t[at])
        tables.append([float(v) for v in t[at + 1:at + 1 + k]])
        at += k + 1
    seen = {}
    if os.path.exists(evidence):
        e = [int(v) for v in open(evidence).read().split()]
        pairs = e[1:] if len(e) == 1 + 2 * e[0] else e[2:]
        seen = dict(zip(pairs[::2], pairs[1::2]))
    return domains, scopes, tables, seen


def by_pyagrum(domains, scopes, tables, seen):
    import numpy
    import pyagrum as gum
    m = gum.MarkovRandomField()
    for i, d in enumerate(domains):
        m.add(gum.LabelizedVariable("v%d" % i, "", d))
    joined = {}
    for s, t in zip(scopes, tables):
        shape = numpy.array(t).reshape([domains[i] for i in s])
        shape = numpy.transpose(shape, numpy.argsort(s)) if s else shape
        key = tuple(sorted(s))
        joined[key] = joined[key] * shape if key in joined else shape
    for s, t in joined.items():
        if not s:
            continue
        f = m.addFactor(["v%d" % i for i in s])
        f.fillWith(list(t.flatten(order="F")))
    start = time.process_time()
    ie = gum.ShaferShenoyMRFInference(m)
    ie.setEvidence({"v%d" % i: v for i, v in seen.items()})
    ie.makeInference()
    out = [[float(v) for v in ie.posterior("v%d" % i).toarray()] for i in range(len(domains))]
    return time.process_time() - start, out


def by_pgmpy(domains, scopes, tables, seen):
    import logging
    logging.disable(logging.CRITICAL)
    import numpy
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteMarkovNetwork
    m = DiscreteMarkovNetwork()
    m.add_nodes_from(["v%d" % i for i in range(len(domains))])
    for s, t in zip(scopes, tables):
        names = ["v%d" % i for i in s]
        m.add_edges_from([(a, b) for k, a in enumerate(names) for b in names[k + 1:]])
        if s:
            m.add_factors(DiscreteFactor(names, [domains[i] for i in s], numpy.array(t)))
    start = time.process_time()
    ve = VariableElimination(m)
    out = []
    for i, d in enumerate(domains):
        if i in seen:
            out.append([float(a == seen[i]) for a in range(d)])
            continue
        f = ve.query(["v%d" % i], evidence={"v%d" % k: v for k, v in seen.items()}, show_progress=False)
        all_values = sum(float(v) for v in f.values)  # not always normalised
        out.append([float(v) / all_values for v in f.values])
    return time.process_time() - start, out


def one(tool, model, evidence):
    seconds, out = {"pyagrum": by_pyagrum, "pgmpy": by_pgmpy}[tool](*read(model, evidence))
    json.dump([seconds, out], sys.stdout)


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        return one(*sys.argv[2:])
    o = options(__doc__, "data", "--gpube", "--only", "--csv", seconds=60.0).parse_args()
    rows = []
    for name in NETWORKS:
        case, model = os.path.join(o.data, "MAR", name + ".uai"), os.path.join(o.data, "models", name + ".uai.xz")
        if o.only not in name or not os.path.exists(model):
            continue
        evidence = case + ".evid"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = json.loads(subprocess.run([o.gpube, "infer", "-q", "-t", "MAR", "--json", "--evidence", evidence if os.path.exists(evidence) else "none",
                                          model], capture_output=True, text=True).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        row = {"network": name, "variables": ours["variables"],
               "gpube_s": "%.3f" % (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)}
        for tool in ("pyagrum", "pgmpy"):
            row[tool + "_s"] = row[tool + "_difference"] = ""
            try:
                p = subprocess.run([sys.executable, __file__, "--one", tool, model, evidence], capture_output=True, text=True, timeout=o.seconds)
                seconds, theirs = json.loads(p.stdout)
                row[tool + "_s"] = "%.3f" % seconds
                row[tool + "_difference"] = "%.1e" % max(abs(a - b) for x, y in zip(ours["marginals"], theirs) for a, b in zip(x, y))
            except subprocess.TimeoutExpired:
                row[tool + "_s"] = "over %g" % o.seconds
            except (json.JSONDecodeError, KeyError):
                row[tool + "_s"] = (p.stderr.strip().splitlines() or ["no answer"])[-1][:60].replace(",", ";")
        rows.append(row)
        print(*row.values(), flush=True)
    if o.csv:
        write_rows(o.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
