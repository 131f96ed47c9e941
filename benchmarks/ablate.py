#!/usr/bin/env python3
"""What a constant or a mechanism of the engine is worth: ticks of whole runs with it changed, file by file.

usage: benchmarks/ablate.py run DATA --csv RUN.csv --changes benchmarks/ablate.tsv [--names TEXT,TEXT] [--only TEXT,TEXT] [--files 40]
                            [--like benchmarks/runs/solve-h200/collection.csv] [--least 0.05] [--most 1.5] [--timeout 60] [--threads 1]
                            [--options="--method pairwise"] [--build DIR] [--programs base=PROGRAM,NAME=PROGRAM]
       benchmarks/ablate.py report RUN.csv
       benchmarks/ablate.py check [--changes benchmarks/ablate.tsv] [--names TEXT,TEXT]

run: copies the sources that git knows into DIR (a temporary folder), builds the program there as it is and once for each change, and
runs `gpube solve FILE --json --threads THREADS --backend cpu --memory 4G` on each file: those of modelled/, and of the collection as many as
--files says that took --least to --most processor seconds in the run that --like names, evenly. --only: the files with one of the TEXTs
in their path instead. A line of the changes is NAME, PATH, OLD and NEW, with a tab between them: OLD, which has to be in that file
once, becomes NEW; lines of one name belong together, and what begins with # is passed over. --names: these changes alone.
--programs: these instead of changes, where two commits are compared. What the CSV has already is not run again. A line of it is a change, a file, the status, the answer and the ticks of all turns, which, of one thread, are
the same on each machine (but those of the semidefinite relaxation, whose least digits LAPACK decides); seconds are of the processor.

check: whether each change can be made in the sources here. The first that cannot is named, and the exit status is 1. Nothing is
changed or built.

report: for each change the geometric mean of the ticks over those without it, 10^7 added to both, on files that both prove; their sums
in 10^9; how many files differ by 2 % or more, and the proofs lost and won. Answers that differ are named.
"""
import csv
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

from common import options
from solve import evidence_of, instances

FIELDS = ["change", "path", "status", "answer", "ticks", "cpu"]
BASE = "base"
HERE = os.path.dirname(os.path.abspath(__file__))


def files_of(args):
    """modelled/, and an even choice of the collection."""
    paths = [r["path"] for r in instances(args.data, "")]
    if args.only:
        return [p for p in paths if any(t in p for t in args.only.split(","))]
    with open(args.like) as f:
        took = {r["path"]: float(r["now_cpu"]) for r in csv.DictReader(f) if r["now_status"] == "optimal"}
    fit = [p for p in paths if not p.startswith("modelled/") and args.least <= took.get(p, -1) <= args.most]
    n = min(args.files, len(fit))
    return [p for p in paths if p.startswith("modelled/")] + [fit[len(fit) * k // n] for k in range(n)]


def changes_of(args):
    """{name: [(path, old, new)]}"""
    found = {}
    with open(args.changes) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, path, old, new = line.rstrip("\n").split("\t")
                found.setdefault(name, []).append((path, old.replace("\\n", "\n").replace("\\t", "\t"), new.replace("\\n", "\n").replace("\\t", "\t")))
    return {k: v for k, v in found.items() if not args.names or k in args.names.split(",")}


def copy_sources(to):
    root = os.path.join(HERE, "..")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    subprocess.run(["tar", "--null", "-T", "-", "-cf", os.path.join(to, "all.tar")], cwd=root, input=names, check=True)
    subprocess.run(["tar", "-xf", "all.tar"], cwd=to, check=True)


def build(args, where):
    cmd = ["make", "CUDA=0", "MPI=0", "CC=" + args.cc, "BUILD=build", "build/gpube"]
    p = subprocess.run(cmd, cwd=where, capture_output=True, text=True)
    if p.returncode:
        sys.exit("it does not build:\n" + p.stderr[-2000:])
    return os.path.join(where, "build", "gpube")


def edited(where, edits):
    """{file: (its text, its text with the edits)}; ends the program where one cannot be made."""
    texts = {}
    for path, old, new in edits:
        full = os.path.join(where, path)
        if full not in texts:
            try:
                with open(full) as f:
                    texts[full] = (f.read(),) * 2
            except OSError as e:
                sys.exit("%s: %s" % (path, e.strerror))
        before, now = texts[full]
        if now.count(old) != 1:
            sys.exit("%s: '%s' is there %d times" % (path, old, now.count(old)))
        texts[full] = before, now.replace(old, new)
    return texts


def changed(where, edits):
    """Makes the edits; returns what takes them back."""
    texts = edited(where, edits)
    for full, (_, now) in texts.items():
        with open(full, "w") as f:
            f.write(now)
    return {full: before for full, (before, _) in texts.items()}


def check(args):
    for name, edits in changes_of(args).items():
        edited(os.path.join(HERE, ".."), edits)
        print("%s: %s" % (name, ", ".join(sorted({path for path, _, _ in edits}))))


def run_one(args, gpube, path):
    cmd = [gpube, "solve", path, "--json", "--threads", str(args.threads), "--backend", "cpu", "--memory", "4G", "--timeout", "%gs" % args.timeout]
    evid = evidence_of(path)
    cmd += (["--evidence", evid] if evid else []) + args.options.split()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(cmd, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    try:
        d = json.loads(p.stdout)
    except ValueError:
        return {"status": "error", "answer": "", "ticks": "0", "cpu": "%.3f" % cpu}
    return {"status": d["status"], "answer": d.get("upper_bound", ""), "ticks": "%.0f" % sum(s["ticks"] for s in d["stages"]), "cpu": "%.3f" % cpu}


def measure(args, gpube, name, done, out, f):
    for p in files_of(args):
        if (name, p) not in done:
            out.writerow({"change": name, "path": p, **run_one(args, gpube, os.path.join(args.data, p))})
            f.flush()


def run(args):
    done = set()
    if os.path.exists(args.csv):
        with open(args.csv) as f:
            done = {(r["change"], r["path"]) for r in csv.DictReader(f)}
    with tempfile.TemporaryDirectory() as temporary, open(args.csv, "a", newline="") as f:
        where = args.build or temporary
        out = csv.DictWriter(f, FIELDS, lineterminator="\n")
        if not done:
            out.writeheader()
        for name, program in (x.split("=", 1) for x in args.programs.split(",") if x):
            measure(args, program, name, done, out, f)
        if args.programs:
            return
        os.makedirs(where, exist_ok=True)
        copy_sources(where)
        for name, edits in [(BASE, [])] + list(changes_of(args).items()):
            if all((name, p) in done for p in files_of(args)):
                continue
            before = changed(where, edits)
            measure(args, build(args, where), name, done, out, f)
            for path, text in before.items():
                with open(path, "w") as g:
                    g.write(text)


def report(args):
    of = {}
    with open(args.data) as f:
        for r in csv.DictReader(f):
            of.setdefault(r["change"], {})[r["path"]] = r
    base = of.pop(BASE)
    proved = ("optimal", "infeasible")
    print("| change | ticks, mean | sum in 10^9 | seconds | files that differ by 2 % | lost, won |\n|---|---|---|---|---|---|")
    for name, rows in of.items():
        both = [p for p in rows if p in base and rows[p]["status"] in proved and base[p]["status"] in proved]
        pairs = [(float(base[p]["ticks"]), float(rows[p]["ticks"])) for p in both]
        mean = math.exp(sum(math.log((b + 1e7) / (a + 1e7)) for a, b in pairs) / max(1, len(pairs)))
        worse = sum(b > 1.02 * a for a, b in pairs)
        better = sum(b < a / 1.02 for a, b in pairs)
        lost = [p for p in rows if p in base and base[p]["status"] in proved and rows[p]["status"] not in proved]
        won = [p for p in rows if p in base and base[p]["status"] not in proved and rows[p]["status"] in proved]
        print("| %s | %.3f | %.2f instead of %.2f | %.1f instead of %.1f | %d worse, %d better of %d | %s |" % (
            name, mean, sum(b for a, b in pairs) / 1e9, sum(a for a, b in pairs) / 1e9, sum(float(rows[p]["cpu"]) for p in both),
            sum(float(base[p]["cpu"]) for p in both), worse, better, len(both),
            "; ".join((["lost " + ", ".join(lost)] if lost else []) + (["won " + ", ".join(won)] if won else []))))
        for p in both:
            if rows[p]["answer"] != base[p]["answer"]:
                print("DIFFERENT: %s %s: %s, %s before" % (name, p, rows[p]["answer"], base[p]["answer"]))


def main():
    verbs = {"run": run, "report": report, "check": check}
    if len(sys.argv) < 2 or sys.argv[1] not in verbs and sys.argv[1] not in ("-h", "--help"):
        sys.exit("usage: benchmarks/ablate.py run|report|check …; see --help")
    ap = options(__doc__, "data", "--only", "--csv", changes=os.path.join(HERE, "ablate.tsv"), names="", files=40, least=0.05, most=1.5, timeout=60.0, threads=1,
                 options="", build="", programs="", cc=os.environ.get("CC", "gcc"), like=os.path.join(HERE, "runs", "solve-h200", "collection.csv"))
    args = ap.parse_args(sys.argv[2:] if sys.argv[1] in verbs else sys.argv[1:])
    if sys.argv[1] != "check" and not args.data or sys.argv[1] == "run" and not args.csv:
        ap.error("a file or folder is needed, and --csv to run")
    verbs[sys.argv[1]](args)


if __name__ == "__main__":
    main()
