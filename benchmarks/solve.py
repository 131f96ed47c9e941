#!/usr/bin/env python3
"""`gpube solve` beside each of its methods and beside toulbar2, in processor seconds; every answer is checked.

usage: benchmarks/solve.py DATA --csv RUN.csv [--gpube build/gpube] [--toulbar2 toulbar2] [--timeout 20] [--only TEXT]
                           [--peer-timeout SECONDS] [--tuned="-A -p=8 -O=-3"] [--ways auto,peer,methods] [--like RUN.csv]
                           [--share K/N] [--lock FILE] [--deadline SECONDS] [--options="--backend cpu"]
       benchmarks/solve.py DATA --csv RUN.csv[,ANOTHER.csv...] --report [--plot solved.svg]

Instances are the .wcsp, .cfn and .uai models of DATA/INDEX.tsv, DATA/fabe/INDEX.tsv and DATA/modelled/INDEX.tsv, or the files of a
folder without one. The CSV has a line for an
instance and a way: auto (what a user types), those of --method, and toulbar2's options of PEERS. What the CSV has already is not run again, so that a run can be continued. A method
gets as much time as auto took: when it has not ended by then, it is not faster. It is left out where auto took less
than 0.05 s, and where neither auto nor toulbar2 proved an answer. With --lock each command holds that lock. --options: of every gpube command. --like:
only the instances of an earlier run. --share 2/7: every seventh instance from the second on, so that seven such
runs side by side, with a CSV each, do all. toulbar2 from its sources knows better options than Debian's 1.1.1, whose are
the default of --tuned: "-A -hve -pwc -p=8 -O=-3".

--report: the sums over what both proved, losses of more than 0.2 s, the instances that auto does not prove, those where it
takes more than 1.2 times the fastest method and 0.05 s, and answers that differ. --plot draws how many instances are
proved by the time, with gnuplot; a CSV after the first one is another run of auto there, called by its file's name.

toulbar2 rounds every -ln(p) of a .uai file to 1e-7 or so: in log10 a difference up to n_functions * 1e-6 + 3e-4 is
rounding. For .wcsp and .cfn answers must be equal. Where gpube's assignment is better, re-costed here from the file,
it is "better", not an error of ours. instances.txt names answers where the index is known to be wrong.
"""
import csv
import fcntl
import gzip
import json
import lzma
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from common import options

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = {"toulbar2": [], "tuned": "-A -p=8 -O=-3".split(), "btd": ["-B=1"]}
METHODS = ("eliminate", "tree", "ascent", "pairwise", "andor", "semidefinite", "linear")
FIELDS = ["path", "way", "status", "answer", "cpu", "wall", "note"]


def run(cmd, timeout, lock):
    """(output, processor seconds, wall seconds); what takes longer than timeout is killed."""
    with tempfile.TemporaryFile("w+") as out, open(lock or os.devnull, "w") as held:
        if lock:
            fcntl.flock(held, fcntl.LOCK_EX)
        start = time.monotonic()
        p = subprocess.Popen(cmd, stdout=out, stderr=subprocess.DEVNULL)
        signal.signal(signal.SIGALRM, lambda *_: p.send_signal(signal.SIGKILL))
        signal.alarm(math.ceil(timeout))
        _, code, usage = os.wait4(p.pid, 0)
        signal.alarm(0)
        p.returncode = code
        out.seek(0)
        return out.read(), usage.ru_utime + usage.ru_stime, time.monotonic() - start


# ---- the instances and their answers


def expected(row):
    """(value or None, log10 or None) of the index, or None."""
    known, tb2 = row.get("known_optimum_or_answer") or row.get("optimum") or "", row.get("tb2_1.1.1_result") or ""
    log10 = re.search(r"opt=.*?log10=(-?[\d.]+)", tb2)
    if ".uai" in row["path"]:
        return (None, float(log10.group(1))) if log10 else None
    m = re.match(r"(-?\d+(?:\.\d+)?)\b(?! colou?rs)", known) or re.match(r"opt=(-?[\d.]+)", tb2)
    return (float(m.group(1)), None) if m else None


MODEL = re.compile(r"\.(wcsp|cfn|uai)(\.xz|\.gz)?$")


def instances(data, only):
    rows = []
    for folder in ("", "fabe", "modelled"):
        index = os.path.join(data, folder, "INDEX.tsv")
        if not os.path.exists(index):
            continue
        with open(index, newline="") as f:
            for r in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
                if not r["path"].startswith("modelled/"):
                    r["path"] = os.path.join(folder, r["path"])
                if MODEL.search(r["path"]) and only in r["path"]:
                    rows.append(r)
    if not os.path.exists(os.path.join(data, "INDEX.tsv")):
        rows += [{"path": name} for name in sorted(os.listdir(data)) if MODEL.search(name) and only in name]
    with open(os.path.join(HERE, "instances.txt")) as f:
        corrected = dict(line.split() for line in (x.split("#")[0] for x in f) if len(line.split()) == 2)
    for r in rows:
        r["expected"], r["corrected"] = expected(r), r["path"] in corrected
        if r["path"] in corrected:
            value = float(corrected[r["path"]])
            r["expected"] = (None, value) if ".uai" in r["path"] else (value, None)
    return rows


def evidence_of(path):
    """The evidence file beside a .uai file, or None."""
    stem = re.sub(r"\.(xz|gz)$", "", path)
    for evid in (stem + ".evid", re.sub(r"\.uai$", ".evid", stem)):
        if ".uai" in path and os.path.exists(evid):
            return evid
    return None


def read_text(path):
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path[-3:], open)
    with opener(path, "rt") as f:
        return f.read()


def uai_text(path):
    """What a .uai file holds, or None."""
    return read_text(path).lstrip() if ".uai" in path else None


def log10_of(path, values):
    """log10 of a .uai file's product at an assignment: a checker of its own, from the file's text."""
    tok, at = read_text(path).split(), 1
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


# ---- the ways


def by_gpube(args, path, way, timeout):
    cmd = [args.gpube, "solve", path, "--json", "--quiet", "--timeout", "%.3fs" % timeout] + args.options.split()
    evid = evidence_of(path)
    cmd += ["--evidence", evid] if evid else []
    cmd += ["--method", way] if way != "auto" else []
    text, cpu, wall = run(cmd, timeout + 10, args.lock)
    try:
        d = json.loads(text)
    except ValueError:
        d = {"status": "killed"}
    answer, note = "", ""
    if d["status"] == "optimal":
        answer = d.get("log10", d["upper_bound"])
        if "log10" in d and abs(log10_of(path, d["assignment"]) - answer) > 1e-9 * max(1, abs(answer)):
            note = "WRONG: not what the assignment costs"
    elif d["status"] == "bounds":
        note = "%s %s" % (d["lower_bound"], d["upper_bound"])
    elif d["status"] == "error":
        note = d["message"]
    return {"status": d["status"], "answer": answer, "cpu": cpu, "wall": wall, "note": note}


def by_toulbar2(args, path, way, timeout):
    evid = evidence_of(path)
    with tempfile.TemporaryDirectory() as tmp:
        text = uai_text(path)
        # toulbar2 1.1.1 leaves out the evidence of a packed file, later ones make the rows of BAYES add up to one
        if text and (evid and path.endswith(".xz") or text.startswith("BAYES")):
            path = os.path.join(tmp, re.sub(r"\.(xz|gz)$", "", os.path.basename(path)))
            with open(path, "w") as f:
                f.write(re.sub("^BAYES", "MARKOV", text))
        cmd = [args.toulbar2, path] + ([evid] if evid else []) + PEERS[way]
        text, cpu, wall = run(cmd + ["-timer=%d" % timeout], timeout + 10, args.lock)
    m = re.search(r"Optimum: (-?[\d.]+)(?: energy: (-?[\d.e+]+))?", text)
    answer, status = "", "bounds"
    if m:
        status = "optimal"
        answer = -float(m.group(2)) / math.log(10) if m.group(2) else float(m.group(1))
    elif re.search(r"No solution (in \d|found by initial propagation)", text):  # 1.4 says "No solution found in" after a time limit
        status = "infeasible"
    return {"status": status, "answer": answer, "cpu": cpu, "wall": wall, "note": ""}


PROVED = ("optimal", "infeasible")


def differs(row, want, n_functions):
    """A word for an answer that is not the expected one, or ''."""
    if row["status"] != "optimal" or want is None:
        return ""
    got, value, log10 = float(row["answer"]), *want
    if value is not None:
        return "" if abs(got - value) <= 1e-9 * max(1, abs(value)) else "WRONG"
    if abs(got - log10) <= 1e-6 * n_functions + 3e-4:
        return ""
    return "better" if got > log10 else "WRONG"


def read_run(path):
    """{instance: {way: its line}} of a CSV."""
    table = {}
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            r["cpu"], r["wall"] = float(r["cpu"]), float(r["wall"])
            table.setdefault(r["path"], {})[r["way"]] = r
    return table


def measure(args, rows):
    done = {}
    if os.path.exists(args.csv):
        with open(args.csv, newline="") as f:
            for r in csv.DictReader(f):
                done[r["path"], r["way"]] = r
    new = not done
    end = time.monotonic() + args.deadline
    ways = args.ways.split(",")
    first, step = (int(x) for x in args.share.split("/"))
    like = read_run(args.like) if args.like else None
    rows = [r for r in rows if like is None or r["path"] in like][first - 1::step]
    wanted = [w for w in ways if w == "auto"] + [w for g in ways for w in
              {"peer": tuple(PEERS), "methods": METHODS, "auto": ()}.get(g, (g,))]
    with open(args.csv, "a", newline="") as f:
        out = csv.DictWriter(f, FIELDS)
        if new:
            out.writeheader()
        for r in rows:
            path = os.path.join(args.data, r["path"])
            for way in wanted:
                limit = args.peer_timeout if args.peer_timeout and way in PEERS else args.timeout
                if (r["path"], way) in done:
                    continue
                if time.monotonic() > end:
                    return
                auto = done.get((r["path"], "auto"))
                if way in METHODS and auto:
                    proved = [d for w in ("auto", *PEERS)
                              for d in [done.get((r["path"], w))] if d and d["status"] in PROVED]
                    if not proved or float(auto["wall"]) < 0.05:
                        continue
                    limit = min(limit, float(auto["wall"]) + 0.05)
                by = by_toulbar2 if way in PEERS else by_gpube
                row = {"path": r["path"], "way": way, **by(args, path, way, limit)}
                row["note"] = " ".join(x for x in (differs(row, r["expected"], float(r.get("n_functions") or 1000)),
                                                   row["note"]) if x)
                row["cpu"], row["wall"] = "%.3f" % row["cpu"], "%.3f" % row["wall"]
                done[r["path"], way] = row
                out.writerow(row)
                f.flush()
                print("%-48s %-9s %8s s  %s %s %s" % (r["path"], way, row["cpu"], row["status"], row["answer"], row["note"]),
                      flush=True)


# ---- the report


def peer_of(d):
    """The best of toulbar2's ways, or None."""
    rows = [d[w] for w in PEERS if w in d]
    proved = [x for x in rows if x["status"] in PROVED]
    return min(proved, key=lambda x: x["cpu"]) if proved else None


def answer_check(row, d):
    """Ways of gpube that differ among themselves or from the expected answer, or from toulbar2's for the worse."""
    path, n_functions, bad = row["path"], float(row.get("n_functions") or 1000), []
    ours = [d[w] for w in ("auto",) + METHODS if w in d and d[w]["status"] == "optimal"]
    for x in ours:
        if differs(x, row["expected"], n_functions) == "WRONG" or abs(float(x["answer"]) - float(ours[0]["answer"])) > 1e-6 * max(1, abs(float(x["answer"]))):
            bad.append(x)
    peer = peer_of(d)
    if peer and ours and peer["status"] == "optimal" and not row["corrected"]:
        want = (None, float(peer["answer"])) if ".uai" in path else (float(peer["answer"]), None)
        if differs(ours[0], want, n_functions) == "WRONG":
            bad.append(ours[0])
    return ["%s by %s: %s" % (path, x["way"], x["answer"]) for x in bad]


def plot(svg, names, tables):
    """Instances proved by the time: each way of the first run, auto of the others."""
    lines = []
    for k, (name, table) in enumerate(zip(names, tables)):
        ways = ["auto"] + ([] if k else list(PEERS))
        for way in ways:
            times = sorted(max(d[way]["cpu"], 0.001) for d in table.values() if way in d and d[way]["status"] in PROVED)
            title = "toulbar2, " + {"toulbar2": "default options"}.get(way, way) if way in PEERS else "gpube solve" + (", " + name if k else "")
            lines.append((title, times))
        if not k:
            best = sorted(max(peer_of(d)["cpu"], 0.001) for d in table.values() if peer_of(d))
            lines.append(("toulbar2, best of the three", best))
    text = """set terminal svg size 860,560 font "sans,13" background "white"
set output "%s"
set logscale x
set xlabel "processor seconds of an instance"
set ylabel "instances proved within them"
set key right bottom
set grid
""" % svg
    text += "plot " + ", ".join("'-' with steps lw 2 title \"%s (%d)\"" % (t, len(x)) for t, x in lines) + "\n"
    for _, times in lines:
        text += "".join("%g %d\n" % (t, k + 1) for k, t in enumerate(times)) + "e\n"
    subprocess.run(["gnuplot"], input=text, text=True, check=True)


def report(args, rows):
    files = args.csv.split(",")
    tables = [read_run(f) for f in files]
    known = {r["path"]: r for r in rows}
    table = {p: d for p, d in tables[0].items() if p in known}
    if args.plot:
        plot(args.plot, [re.sub(r"\.csv$", "", os.path.basename(f)) for f in files], tables)
    for name, other in zip(files[1:], tables[1:]):
        both = [p for p in other if p in table and all("auto" in d[p] and d[p]["auto"]["status"] in PROVED for d in (table, other))]
        print("%s: %d proved; the %d that both runs prove: %.2f processor and %.2f wall seconds there, %.2f and %.2f here\n" % (
            name, sum(d["auto"]["status"] in PROVED for d in other.values() if "auto" in d), len(both),
            sum(other[p]["auto"]["cpu"] for p in both), sum(other[p]["auto"]["wall"] for p in both),
            sum(table[p]["auto"]["cpu"] for p in both), sum(table[p]["auto"]["wall"] for p in both)))
    auto = {p: d["auto"] for p, d in table.items() if "auto" in d}
    proved = [p for p in auto if auto[p]["status"] in PROVED]
    peers = {p: peer_of(table[p]) for p in auto}
    both = [p for p in proved if peers[p]]
    default = [p for p in proved if table[p].get("toulbar2", {}).get("status") in PROVED]
    print("%d of %d instances proved, in %.2f processor seconds" % (len(proved), len(auto), sum(auto[p]["cpu"] for p in proved)))
    print("%d that toulbar2's best proves, too: solve %.2f, toulbar2 %.2f processor seconds" % (
        len(both), sum(auto[p]["cpu"] for p in both), sum(peers[p]["cpu"] for p in both)))
    print("%d that its default options prove: solve %.2f, toulbar2 %.2f" % (
        len(default), sum(auto[p]["cpu"] for p in default), sum(table[p]["toulbar2"]["cpu"] for p in default)))
    print("\nproved by toulbar2 alone:")
    for p in sorted(auto):
        if peers[p] and p not in proved:
            print("  %-50s %7.2f s (%s); solve: %s" % (p, peers[p]["cpu"], peers[p]["way"], auto[p]["note"]))
    print("\nlosses of more than 0.2 s:")
    for p in sorted(both, key=lambda p: peers[p]["cpu"] - auto[p]["cpu"]):
        if auto[p]["cpu"] > peers[p]["cpu"] + 0.2:
            print("  %-50s %7.2f s, toulbar2 %7.2f s (%s)" % (p, auto[p]["cpu"], peers[p]["cpu"], peers[p]["way"]))
    print("\nmore than 1.2 times the fastest method and 0.05 s:")
    for p in sorted(auto):
        ways = [table[p][w] for w in METHODS if w in table[p] and table[p][w]["status"] in PROVED]
        least = min(ways, key=lambda x: x["cpu"]) if ways else None
        if least and auto[p]["cpu"] > 1.2 * least["cpu"] + 0.05:
            print("  %-50s %7.2f s, %s %.2f s" % (p, auto[p]["cpu"], least["way"], least["cpu"]))
    print("\nanswers that differ:")
    bad = [line for p in table for line in answer_check(known[p], table[p])]
    print("\n".join("  " + x for x in bad) or "  none")
    return 1 if bad else 0


def main():
    ap = options(__doc__, "data", "--gpube", "--toulbar2", "--only", "--csv", "--deadline",
                 timeout=20.0, peer_timeout=0.0, tuned=" ".join(PEERS["tuned"]), ways="auto,peer,methods", lock="", share="1/1",
                 like="", options="", report=False, plot="")
    args = ap.parse_args()
    PEERS["tuned"] = args.tuned.split()
    if not args.data or not args.csv:
        ap.error("DATA and --csv are needed")
    rows = instances(args.data, args.only)
    if args.report:
        return report(args, rows)
    measure(args, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
