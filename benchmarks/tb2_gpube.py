#!/usr/bin/env python3
"""Wall time to proof: tb2-gpube beside toulbar2 alone, on instances of benchmarks/bounds.txt.

usage: benchmarks/tb2_gpube.py DATA [--gpube build/gpube] [--toulbar2 toulbar2] [--limit 60] [--only TEXT,TEXT]
                               [--part K/N] [--csv OUT.csv]

toulbar2 runs with three sets of options, on its one core, one after the other; tb2-gpube races toulbar2 with
gpube on all cores (TB2_GPUBE_CORES, or taskset). toulbar2 gets a .uai as costs, as tb2-gpube gives it to its own,
because it takes variables of one value wrongly in a .uai. What reaches the limit counts as the limit. Beside wall
seconds stand the processor seconds of all programs that took part. Every proved optimum is compared with the
known one and with the others', and the exit code is 1 if one differs.
"""
import argparse
import csv
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

from bounds import HERE, find

OPTIONS = ("", "-A -p=8 -O=-3", "-B=1 -O=-3")
WRAPPER = os.path.join(HERE, "..", "plugins", "toulbar2", "tb2-gpube")


def processor_seconds():
    """Of the children that have ended, and of theirs."""
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def timed(cmd, limit, env=None):
    """(stdout, seconds, ended): a program, which is asked to end at the limit."""
    start = time.monotonic()
    p = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", env=env)
    try:
        out, _ = p.communicate(timeout=limit)
        return out, time.monotonic() - start, True
    except subprocess.TimeoutExpired:
        p.terminate()
        try:
            out, _ = p.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            p.kill()
            out, _ = p.communicate()
        return out, float(limit), False


def alone(args, path, options):
    """(seconds, optimum or None)"""
    out, seconds, ended = timed([args.toulbar2, path, *shlex.split(options)], args.limit)
    m = re.search(r"^Optimum: (-?[\d.]+)", out, re.M) if ended else None
    return (seconds, float(m.group(1))) if m else (float(args.limit), None)


def together(args, path):
    """(seconds, optimum or None, who, processor seconds)"""
    before = processor_seconds()
    env = dict(os.environ, GPUBE=os.path.abspath(args.gpube), TOULBAR2=args.toulbar2)
    out, seconds, ended = timed([WRAPPER, path], args.limit, env)
    m = re.search(r"^optimum +(-?[\d.]+), proved by (.*)", out, re.M) if ended else None
    used = processor_seconds() - before
    return (seconds, float(m.group(1)), m.group(2), used) if m else (float(args.limit), None, "-", used)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data")
    p.add_argument("--gpube", default="build/gpube")
    p.add_argument("--toulbar2", default="toulbar2")
    p.add_argument("--limit", type=float, default=60)
    p.add_argument("--only", default="")
    p.add_argument("--part", default="1/1", help="every N-th instance, from the K-th on")
    p.add_argument("--csv")
    args = p.parse_args()
    part, parts = (int(x) for x in args.part.split("/"))
    with open(os.path.join(HERE, "bounds.txt"), encoding="utf-8") as f:
        lines = [x for x in f if not x.startswith("#") and any(t in x for t in args.only.split(","))]
    wrong, rows = 0, []
    print(f"{'instance':34} " + " ".join(f"{o or 'default':>14}" for o in OPTIONS) + "   tb2-gpube  processor  best/ours  by")
    for line in lines[part - 1::parts]:
        name, optimum = line.split("\t")[:2]
        path = find(args.data, name)
        with tempfile.TemporaryDirectory() as folder:
            costs = path
            if ".uai" in name:
                costs = os.path.join(folder, "costs.cfn")
                subprocess.run([args.gpube, "convert", "-q", path, costs], check=True)
            peers = [alone(args, costs, o) for o in OPTIONS]
        seconds, found, who, used = together(args, path)
        answers = [x for x in [found, *(o for _, o in peers)] if x is not None]
        if optimum != "-" and ".uai" not in name:
            answers.append(float(optimum))
        differ = answers and max(answers) - min(answers) > (1e-9 * abs(max(answers)) if ".uai" in name else 0)
        wrong += bool(differ)
        best = min(s for s, _ in peers)
        show = lambda s, o: f"{s:.2f}" if o is not None else f"> {s:.0f}"
        print(f"{os.path.basename(name)[:34]:34} " + " ".join(f"{show(*x):>14}" for x in peers) +
              f" {show(seconds, found):>11} {used:10.2f} {best / seconds:10.2f}  {who}{'  DIFFERENT' if differ else ''}", flush=True)
        rows.append([name, optimum, *(show(*x) for x in peers), show(seconds, found), f"{used:.2f}", who])
        rows[-1].append("DIFFERENT" if differ else "")
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            w.writerow(["instance", "optimum", *(o or "default" for o in OPTIONS), "tb2-gpube", "processor", "by", "words"])
            w.writerows(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
