#!/usr/bin/env python3
"""What gpube convert --simplify --consistency sac and pc take away, what that costs, and what solve gains by it.

usage: benchmarks/consistency.py DATA [--gpube build/gpube] [--timeout 5] [--csv OUT.csv]

SPOT5, CELAR and random networks (gpube generate random), each with an upper bound of its optimum + 1 (the index's, else solve's own),
so that as much as can be is forbidden. A line an instance: values and pairs taken away by each, processor seconds of the conversion,
and of solve on the model that was simplified alone, by sac and by pc (-: not proved within the time).
"""
import csv
import os
import re
import subprocess
import sys
import tempfile
import json

from common import options

FILES = ("derived/spot5/54.wcsp", "derived/spot5/29.wcsp.xz", "derived/spot5/404.wcsp.xz", "derived/spot5/1502.wcsp.xz", "fabe/spot5/42b.wcsp.xz",
         "fabe/spot5/408b.wcsp.xz", "derived/spot5/42.wcsp.xz", "spot5/505.wcsp.xz", "derived/spot5/5.wcsp.xz", "derived/spot5/28.wcsp.xz",
         "derived/spot5/412.wcsp.xz", "derived/spot5/507.wcsp.xz", "celar/CELAR6-SUB0.wcsp.xz", "fabe/celar6/CELAR6-SUB1-24.wcsp.xz",
         "celar/CELAR6-SUB1.wcsp.xz", "derived/celar/CELAR6-SUB2_merged.wcsp.xz", "derived/celar/CELAR6-SUB3_merged.wcsp.xz",
         "celar/CELAR7-SUB0.wcsp.xz", "derived/celar/scen06_merged.wcsp.xz")
# known optima where the index has them in words, or they take long
KNOWN = {"5.wcsp.xz": 261, "28.wcsp.xz": 270105, "412.wcsp.xz": 32381, "507.wcsp.xz": 27390, "42.wcsp.xz": 155050,
         "505.wcsp.xz": 21253, "scen06_merged.wcsp.xz": 3389, "CELAR7-SUB0.wcsp.xz": 10310, "CELAR6-SUB3_merged.wcsp.xz": 3079}
RANDOM = [(n, d, p1, p2, seed) for n, d, p1, p2 in ((20, 8, 0.5, 0.25), (20, 8, 0.5, 0.3), (20, 8, 0.5, 0.35), (30, 6, 0.3, 0.3), (30, 6, 0.3, 0.35), (60, 5, 0.1, 0.3), (60, 5, 0.1, 0.35))
          for seed in (1, 2, 3)]


def run(words, limit):
    """Output, messages and processor seconds; None for the output past the limit."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        p = subprocess.Popen(["timeout", str(limit)] + words, stdout=out, stderr=err)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return (None if p.returncode == 124 else out.read()), err.read(), usage.ru_utime + usage.ru_stime


def solve(o, path):
    """Cost, or None, and processor seconds, or None."""
    out, _, seconds = run([o.gpube, "solve", "--json", "--timeout", "%gs" % o.timeout, path], 2 * o.timeout + 10)
    r = json.loads(out) if out else {}
    proved = r.get("status") in ("optimal", "infeasible")
    return r.get("upper_bound"), (seconds if proved else None)


def with_top(source, to, top):
    with open(source) as f:
        head, rest = f.readline().split(), f.read()
    head[4] = str(top)
    with open(to, "w") as f:
        f.write(" ".join(head) + "\n" + rest)


def look(o, name, path, work, best):
    plain, plain_top = os.path.join(work, "plain.wcsp"), os.path.join(work, "top.wcsp")
    run([o.gpube, "convert", "-q", path, plain], 60)
    if best is None:
        best, seconds = solve(o, plain)
        if seconds is None or best is None:
            best = None
    if best is None:
        return None
    with_top(plain, plain_top, int(best) + 1)
    row = [name, int(best)]
    for what in ("none", "sac", "pc"):
        to = os.path.join(work, what + ".wcsp")
        _, err, seconds = run([o.gpube, "convert", "-v", "--simplify", "--consistency", what, plain_top, to], 60)
        m = re.search(r"consistency: (\d+) of (\d+) values and (\d+) of (\d+) pairs removed, (\d+) functions", err)
        if m:
            row += ["%s of %s" % m.group(1, 2)] + (["%s of %s" % m.group(3, 4), m.group(5)] if what == "pc" else [])
        row.append("%.3f" % seconds)
        cost, seconds = solve(o, to) if os.path.exists(to) else (None, None)
        if seconds is not None and cost is not None and int(cost) != int(best):
            print("WRONG: %s by %s: %s" % (name, what, cost), file=sys.stderr)
            sys.exit(1)
        row.append("-" if seconds is None else "%.3f" % seconds)
    return row


def main():
    p = options(__doc__, "--gpube", "--csv", timeout=5.0)
    p.add_argument("data")
    o = p.parse_args()
    head = "instance optimum convert_s solve_s sac_values sac_convert_s sac_solve_s pc_values pc_pairs pc_functions pc_convert_s pc_solve_s".split()
    out = csv.writer(open(o.csv, "w", newline="") if o.csv else sys.stdout)
    out.writerow(head)
    with tempfile.TemporaryDirectory() as work:
        for f in FILES:
            path = os.path.join(o.data, f)
            row = look(o, os.path.basename(f).split(".")[0], path, work, KNOWN.get(os.path.basename(f))) if os.path.exists(path) else None
            if row:
                out.writerow(row)
        for n, d, p1, p2, seed in RANDOM:
            path = os.path.join(work, "net.wcsp")
            subprocess.run([o.gpube, "generate", "random", "-n", str(n), "-d", str(d), "--p1", str(p1), "--p2", str(p2), "--seed", str(seed), "-o", path], check=True)
            row = look(o, "random %d %d %g %g %d" % (n, d, p1, p2, seed), path, work, None)
            if row:
                out.writerow(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
