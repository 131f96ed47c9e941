#!/usr/bin/env python3
"""Solves every instance of a data folder that elimination can do, checks each answer, and times it beside toulbar2.

usage: benchmarks/solve.py DATA [--gpube build/gpube] [--toulbar2 toulbar2] [--limit 8.5] [--only TEXT]
                           [--timeout 300] [--csv OUT.csv] [--peer all|missing|none] [--tuned "OPTIONS"]

DATA/INDEX.tsv names the instances and their known answers. An instance is run
when benchmarks/instances.txt lists it, or the index says that its largest
table has at most 10^LIMIT cells. Expected answers: the one instances.txt gives
(where the index is known to be wrong, with the reason), the index's own, else
the toulbar2 optimum it records, else toulbar2 is run here.

Evidence is x.uai.evid, or x.evid where the index has only that.

toulbar2 rounds every -ln(p) of a .uai file to 1e-7 or so and prints its energy
with three decimals: in log10 a difference up to n_functions * 1e-6 + 3e-4 is
rounding. For .wcsp and .cfn answers must be equal. An assignment that is better
than toulbar2's, re-costed here from the file, is "better", not an error of ours.
"""
import argparse
import csv
import gzip
import json
import lzma
import math
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TUNED = "-A -hve -pwc -p=8 -O=-3"  # 1.1.1 does not know -hve and -pwc


def run(cmd, timeout):
    start = time.monotonic()
    try:
        p = subprocess.run(cmd, capture_output=True, text=True, timeout=timeout, errors="replace")
        return p.returncode, p.stdout, p.stderr, time.monotonic() - start
    except subprocess.TimeoutExpired:
        return None, "", "timeout", time.monotonic() - start


def expected(row):
    """(value, log10 or None, where from) of the index, or None."""
    known, tb2 = row["known_optimum_or_answer"], row["tb2_1.1.1_result"]
    log10 = re.search(r"opt=.*?log10=(-?[\d.]+)", tb2)
    if row["format"] == "uai":
        return (None, float(log10.group(1)), "index: toulbar2") if log10 else None
    m = re.match(r"(-?\d+(?:\.\d+)?)\b(?! colou?rs)", known)
    if m:
        return float(m.group(1)), None, "index"
    m = re.match(r"opt=(-?[\d.]+)", tb2)
    return (float(m.group(1)), None, "index: toulbar2") if m else None


def no_solution(out):
    """Whether toulbar2 has proved that there is none: "No solution found in" is what 1.4 says when its time is over."""
    return re.search(r"No solution (in \d|found by initial propagation)", out) is not None


def evidence_of(path):
    """The evidence file beside a .uai file, or None."""
    stem = re.sub(r"\.(xz|gz)$", "", path)
    for evid in (stem + ".evid", re.sub(r"\.uai$", ".evid", stem)):
        if ".uai" in path and os.path.exists(evid):
            return evid
    return None


def read_tokens(path):
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path[-3:], open)
    with opener(path, "rt") as f:
        return f.read().split()


def log10_of(path, values):
    """log10 of a .uai file's product at an assignment: a checker of its own, from the file's text."""
    tok, at = read_tokens(path), 1
    n = int(tok[at])
    dom = [int(t) for t in tok[at + 1:at + 1 + n]]
    m = int(tok[at + 1 + n])
    at += 2 + n
    scopes = []
    for _ in range(m):
        k = int(tok[at])
        scopes.append([int(t) for t in tok[at + 1:at + 1 + k]])
        at += 1 + k
    total = 0.0
    for scope in scopes:
        cell = 0
        for v in scope:
            cell = cell * dom[v] + values[v]
        p = float(tok[at + 1 + cell])
        total += math.log10(p) if p > 0 else -math.inf
        at += 1 + int(tok[at])
    return total


def toulbar2(args, path, options):
    """(optimum or None, log10 or None, seconds, proved)."""
    evid = evidence_of(path)
    with tempfile.TemporaryDirectory() as tmp:
        if evid and path.endswith(".xz"):  # toulbar2 1.1.1 leaves out the evidence of a packed file
            unpacked = os.path.join(tmp, os.path.basename(path)[:-3])
            with lzma.open(path) as packed, open(unpacked, "wb") as f:
                f.write(packed.read())
            path = unpacked
        cmd = [args.toulbar2, path] + ([evid] if evid else []) + options + ["-timer=%d" % args.peer_timeout]
        _, out, _, seconds = run(cmd, args.peer_timeout + 60)
    m = re.search(r"Optimum: (-?[\d.]+)(?: energy: (-?[\d.e+]+))?", out)
    if not m:
        return None, None, seconds, no_solution(out)
    energy = m.group(2)
    return float(m.group(1)), -float(energy) / math.log(10) if energy else None, seconds, True


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data")
    ap.add_argument("--gpube", default="build/gpube")
    ap.add_argument("--toulbar2", default="toulbar2")
    ap.add_argument("--limit", type=float, default=8.5)
    ap.add_argument("--only", default="")
    ap.add_argument("--timeout", type=float, default=300)
    ap.add_argument("--peer-timeout", type=int, default=60)
    ap.add_argument("--csv")
    ap.add_argument("--tuned", default=TUNED, help="toulbar2's second set of options (default: %(default)s)")
    ap.add_argument("--peer", choices=("all", "missing", "none"), default="all",
                    help="time toulbar2 on all, or ask it only where no answer is known, or not at all")
    args = ap.parse_args()

    with open(os.path.join(HERE, "instances.txt")) as f:
        lines = [line.split("#")[0].split() for line in f]
    listed = {line[0]: line[1:] for line in lines if line}
    with open(os.path.join(args.data, "INDEX.tsv"), newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    for p in listed:
        if not any(r["path"] == p for r in rows):
            sys.exit("instances.txt: '%s' is not in the index" % p)
    chosen = [r for r in rows if r["format"] in ("wcsp", "cfn", "uai") and args.only in r["path"]
              and (r["path"] in listed
                   or (r["log10_largest_table"] and float(r["log10_largest_table"]) <= args.limit))]

    out = csv.writer(open(args.csv, "w", newline="")) if args.csv else None
    head = ["path", "verdict", "status", "answer", "expected", "from", "seconds", "order_s", "eliminate_s", "width",
            "log10_joined", "tb2_s", "tb2_tuned_s"]
    if out:
        out.writerow(head)
    counts = {}
    for r in chosen:
        path = os.path.join(args.data, r["path"])
        evid = evidence_of(path)
        code, text, err, seconds = run([args.gpube, "solve", path, "--output", "json"]
                                       + (["--evidence", evid] if evid else []), args.timeout)
        try:
            ans = json.loads(text)
        except ValueError:
            ans = {"status": "timeout" if code is None else "exit %s" % code, "message": err.strip()}
        peer = [None, None]
        want = expected(r)
        if listed.get(r["path"]):
            value = float(listed[r["path"]][0])
            want = (None, value, "instances.txt") if r["format"] == "uai" else (value, None, "instances.txt")
        if args.peer == "all" or (args.peer == "missing" and want is None):
            for k, options in enumerate(([], args.tuned.split())):
                if args.peer == "missing" and want is not None:
                    break
                value, log10, t, proved = toulbar2(args, path, options)
                peer[k] = t if proved else None
                if want is None and proved and (value is not None):
                    want = (value, log10, "toulbar2 here")
        verdict, got = "FAILED", ""
        if ans["status"] == "optimal":
            if want is None:
                verdict, got = "unchecked", ans.get("log10", ans["upper_bound"])
            elif want[1] is not None:
                got = ans["log10"]
                slack = 1e-6 * float(r["n_functions"] or 1000) + 3e-4
                recosted = log10_of(path, ans["assignment"])
                if abs(recosted - got) > 1e-9 * max(1, abs(got)):
                    verdict = "WRONG"
                elif abs(got - want[1]) <= slack:
                    verdict = "ok"
                else:
                    verdict = "better" if got > want[1] else "WRONG"
            else:
                got = float(ans["upper_bound"])
                verdict = "ok" if abs(got - want[0]) <= 1e-9 * max(1, abs(want[0])) else "WRONG"
        elif ans["status"] == "infeasible":
            verdict = "ok" if "no solution" in r["tb2_1.1.1_result"] else "unchecked"
        counts[verdict] = counts.get(verdict, 0) + 1
        plan = ans.get("plan", {})
        joined = plan.get("joined_cells")
        row = [r["path"], verdict, ans["status"], got, (want[1] if want[1] is not None else want[0]) if want else "",
               want[2] if want else "", "%.3f" % seconds, ans.get("times", {}).get("order", ""),
               ans.get("times", {}).get("eliminate", ""), plan.get("width", ""),
               "%.2f" % math.log10(joined) if joined else "",
               *("%.3f" % t if t is not None else "" for t in peer)]
        if out:
            out.writerow(row)
        print("%-9s %-52s %8.2f s  %s%s" % (verdict, r["path"], seconds, got,
                                           "" if verdict in ("ok", "unchecked") else "  want %s; %s" % (want, ans.get("message", ""))),
              flush=True)
    print(", ".join("%d %s" % (n, v) for v, n in sorted(counts.items())))
    return 1 if counts.get("WRONG") or counts.get("FAILED") else 0


if __name__ == "__main__":
    sys.exit(main())
