#!/usr/bin/env python3
"""The headlines of README.md and benchmarks/README.md again, on this machine: claimed, measured, and the ratio.

usage: benchmarks/headlines.py DATA [--gpube build/gpube] [--toulbar2 toulbar2] [--highs PYTHON] [--peers] [--only TEXT,TEXT…] [--without TEXT,TEXT…]
                               [--out FOLDER] [--slow] [--repeats 3] [--list] [--check]

Each row of the two pages' tables is a line here: the commands, what of them is the figure (seconds by the clock, of the
processor or as the program says them, a sum or a median of them, or a bound), what it needs (a card, cores, minutes), and what has to be in the output.
A figure is the median of --repeats runs, with least and greatest; what takes minutes runs once, and with --slow alone. A row
that this machine cannot run says what it lacks; one that no command of ours repeats says which page has its figures. What
is off by more than 1.3 is marked: OFF, or less where it is that much better than claimed. --out: a file for each row with its commands, seconds and outputs,
and headlines.csv.

--peers runs the other program of a row, too, where it is installed, once and with at most --limit seconds: toulbar2 as it is, with -A -p=8 -O=-3 and with -B=1, of
which the best that proves counts; CBC and, of the Python that --highs names, HiGHS; lrsnash. All have one core, and processor seconds are compared with ours.

--check runs nothing: every row of the pages has a line here, every claim here is in its row's text, and what plugins' pages say is what runs/ has.
"""
import concurrent.futures
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from common import options, write_rows

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = {"main": os.path.join(HERE, "..", "README.md"), "more": os.path.join(HERE, "README.md")}
OFF = 1.3


def row(page, starts, claim, how, *commands, needs=(), expect="", why="", slow=False, peer=()):
    """page: of PAGES. starts: the row's text without links. claim: (number, as the page has it) or several.
    how: clock, cpu: seconds, in sum over the commands; beside: as clock, all commands started at once; middle: the
    median of the commands', of the processor; said: seconds of a pattern in the output, which is what expect is then; lower: the bound
    that is proved; none: no command repeats it, and why says what does. expect: a pattern of every output. peer: toulbar2
    and its files; or a program, which has to be there, a command of ours that runs it, and what of its output are its seconds."""
    return {"peer": peer, "page": page, "starts": starts, "claim": claim, "how": how, "commands": commands, "needs": needs,
            "expect": expect, "why": why, "slow": slow}


def games(n, seeds=10):
    """Random games of n x n actions, made when they are asked for."""
    return [(f"{{gpube}} generate nash -n {n} --seed {s} -o {{work}}/{n}-{s}.nfg", f"{{gpube}} nash --threads 1 {{work}}/{n}-{s}.nfg")
            for s in range(1, seeds + 1)]


def auction(dist, goods, bids):
    return (f"{{gpube}} generate auction --dist {dist} --goods {goods} --bids {bids} --seed 1 -o {{work}}/{dist}.txt",
            f"{{gpube}} auction --threads 1 --timeout 60s {{work}}/{dist}.txt")


def cbc(dist):
    return ("cbc", "python3 {here}/auction_cbc.py {gpube} -t {limit} --dist %s --sizes 60x1000" % dist, r"\t(?:True|False)\t[\d.]+\t([\d.]+)(?=\t[\d.]+\t(?:True|False))")


def lrs(n):
    return ("lrsnash", "python3 {here}/nash_core.py --gpube {gpube} --seeds 1 --timeout {limit} --one-order random %d" % n, r"median [\d.]+, lrsnash ([\d.]+)")


CARD, CORES16, PROVED = ("card",), ("cores16",), "the proved (minimum|maximum)"
SOLVED = r"time .*solve ([0-9.]+)"  # the device is open
ROWS = [
    row("main", "scen06,", "13.5 s", "clock", "{gpube} solve -q scen06.wcsp", needs=("card", "cores16"), expect="3389, " + PROVED),
    row("main", "CELAR7-SUB4,", "4.5 s", "clock", "{gpube} solve -q CELAR7-SUB4.wcsp", needs=CORES16, expect=PROVED),
    row("main", "eight instances", "35 s", "none", why="benchmarks/tb2_gpube.py DATA --limit 400, with a card and toulbar2 1.4: runs/tb2-gpube-h200"),
    row("more", "scen07,", "342543", "lower", "{gpube} solve -q --timeout 60s scen07.wcsp", needs=("card", "cores16"), slow=True),
    row("main", "SPOT5 507, 414 and 509", "38, 56 and 68 s", "beside", "{gpube} bound -q --method pairwise --threads 4 507.wcsp",
        "{gpube} bound -q --method pairwise --threads 4 414.wcsp", "{gpube} bound -q --method pairwise --threads 4 509.wcsp",
        needs=CORES16, slow=True),
    row("main", "323 instances", "57 s", "none", why="benchmarks/solve.py DATA --csv RUN.csv, then --report, on quiet cores: runs/solve-h200"),
    row("main", "BN_75", "0.86 s", "cpu", "{gpube} solve -q uai2014/BN_75.uai", expect=PROVED, peer=("toulbar2", "uai2014/BN_75.uai")),
    row("main", "eleven grids", "0.1 to 1.2 s", "cpu", *["{gpube} solve -q --timeout 20s " + g for g in (
        "grid20x20.f5.wrap.uai", "grid20x20.f10.wrap.uai", "grid20x20.f15.wrap.uai", "grid40x40.f2.uai", "grid40x40.f2.wrap.uai", "grid40x40.f5.uai",
        "grid40x40.f5.wrap.uai", "grid40x40.f10.uai", "grid40x40.f10.wrap.uai", "grid40x40.f15.wrap.uai")]),
    row("main", "SPOT5 404 as .uai", "0.06 s", "cpu", "{gpube} solve -q spot5/uai/404.wcsp.uai", peer=("toulbar2", "spot5/uai/404.wcsp.uai")),
    row("more", "scale-free networks", "0.1 to 2.8 s", "none", why="bench_be_tables, networks of the paper's width: runs/large-h200/run.sh"),
    row("main", "all marginals", "0.23 s", "none", why="benchmarks/infer_peers.py TASKS, beside pyAgrum and pgmpy: runs/infer-2c"),
    row("main", "coalition structures", "0.27 s", "said", "{gpube} csg --generate uniform -n 28 --method conv --backend cuda", needs=CARD, expect=SOLVED),
    row("main", "combinatorial auction", "0.32 s", "cpu", auction("arbitrary", 60, 1000), expect=PROVED, peer=cbc("arbitrary")),
    row("main", "equilibria", "0.02 s", "middle", *games(18), expect="all extreme equilibria", peer=lrs(18)),
    row("more", "CELAR6-SUB1,", "1.1 s", "cpu", "{gpube} solve -q CELAR6-SUB1.wcsp", expect=PROVED, peer=("toulbar2", "CELAR6-SUB1.wcsp")),
    row("more", "SPOT5 408b and 42b", "0.5 s", "cpu", "{gpube} solve -q 408b.wcsp", "{gpube} solve -q 42b.wcsp", expect=PROVED, peer=("toulbar2", "408b.wcsp", "42b.wcsp")),
    row("more", "SPOT5 505", "2.9 s", "cpu", "{gpube} bound -q --timeout 120s 505.wcsp", needs=("cores2",), slow=True),
    row("more", "log-2 to log-5, logistics.b", "0.06 to 0.09 s", "none", why="models that are no part of the data: runs/hard-2c"),
    row("more", "grid20x20.f2", "0.06 s", "cpu", "{gpube} solve -q grid20x20.f2.uai", peer=("toulbar2", "grid20x20.f2.uai")),
    row("more", "spot5/404", "0.01 s", "cpu", "{gpube} solve -q spot5/404.wcsp", expect=PROVED, peer=("toulbar2", "spot5/404.wcsp")),
    row("more", "linkage/pedigree1", "0.014 s", "cpu", "{gpube} solve -q linkage/pedigree1.uai", peer=("toulbar2", "linkage/pedigree1.uai")),
    row("more", "dbn/rbm_22", "0.32 s", "cpu", "{gpube} solve -q rbm_22.uai", peer=("toulbar2", "rbm_22.uai")),
    row("more", "spot5/29", "0.021 s", "cpu", "{gpube} solve -q spot5/29.wcsp", expect=PROVED, peer=("toulbar2", "spot5/29.wcsp")),
    row("more", "iscas89/c432", "0.016 s", "cpu", "{gpube} solve -q c432.wcsp", peer=("toulbar2", "c432.wcsp")),
    row("more", "319 of 397 instances", "56 s", "none", why="benchmarks/solve.py DATA --csv RUN.csv, then --report: runs/solve-2c"),
    row("more", "65 models", "0.35 to 0.74 s", "none", why="benchmarks/device.sh BUILD DATA OUT large, with a card: runs/large-h200"),
    row("more", "CELAR6-SUB2, bound", "0.54 s", "clock", "{gpube} bound -q CELAR6-SUB2.wcsp", needs=CARD, expect=PROVED, peer=("toulbar2", "CELAR6-SUB2.wcsp")),
    row("more", "CELAR6-SUB3", "2.5 s", "clock", "{gpube} solve -q CELAR6-SUB3.wcsp", needs=CORES16, expect=PROVED, peer=("toulbar2", "CELAR6-SUB3.wcsp")),
    row("more", "CELAR7-SUB4, bound", "42.2 s", "cpu", "{gpube} bound -q --threads 2 CELAR7-SUB4.wcsp", needs=("cores2",), slow=True),
    row("more", "SPOT5 42, bound", "58.6 s", "cpu", "{gpube} bound -q --threads 2 --timeout 10m spot5/42.wcsp", needs=("cores2",), slow=True, expect=PROVED),
    row("more", "queen5_5_4, tb2-gpube", "0.9 s", "none", why="benchmarks/tb2_gpube.py, with a card: runs/tb2-gpube-h200"),
    row("more", "pedigree19, pedigree40", "2.1 to 2.3 s", "none", why="benchmarks/tb2_gpube.py, with a card: runs/tb2-gpube-h200"),
    row("more", "pdb1fmj, tb2-gpube", "2.4 s", "none", why="benchmarks/tb2_gpube.py, with a card: runs/tb2-gpube-h200"),
    row("more", "le450_5a_3,", "0.96 s", "cpu", "{gpube} bound -q --method mbe --z 11 --order min-fill --backend cpu le450_5a_3.wcsp", expect=r"lower +(5[89]|[6-9]\d)"),
    row("more", "GEOM40_4,", "0.010 s", "cpu", "{gpube} bound -q --method mbe --z 6 --order min-fill --backend cpu GEOM40_4.wcsp", expect="optimum +3,"),
    row("more", "networks of the GpuBE paper", "45 to 3780 times less", "none", why="benchmarks/device.sh BUILD DATA OUT tables: runs/tables-h200, runs/families-h200"),
    row("more", "coalition structures of 34 agents", "53 s", "none", why="four cards: runs/csg-h200"),
    row("more", "coalition structures of 27 agents", "0.09 s", "said", "{gpube} csg --generate uniform -n 27 --method conv --backend cuda", needs=CARD, expect=SOLVED),
    row("more", "ten distributions of 28 agents", "0.7 to 2.4 s", "none", why="benchmarks/csg_methods.py build/gpube CSV: runs/csg-2c"),
    row("more", "auction L7,", "0.35 s", "cpu", auction("L7", 60, 1000), expect=PROVED, peer=cbc("L7")),
    row("more", "auction L3,", "not in 40 s", "none", why="an auction that is not proved: runs/auctions-2c"),
    row("more", "equilibria of random 20 x 20", "0.04 s", "middle", *games(20), expect="all extreme equilibria", peer=lrs(20)),
    row("more", "equilibria of random 32 x 32", "0.55 s", "none", why="benchmarks/nash_h200.sh, with a card: runs/nash-h200"),
    row("more", "DPOP, random network", "0.001 s", "none", why="simulated seconds: build/benchmarks/bench_dpop, runs/dpop-h200"),
    row("more", "reading a .cfn of 200 MB", "0.76 s", "none", why="benchmarks/reading.py DATA: runs/formats-2c"),
]


# ---- the pages ---------------------------------------------------------------------------------


def page_rows(path):
    """The rows of a page's table of results, without links and stars: (what, figures)."""
    rows, inside = [], False
    for line in open(path):
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if line.startswith("| what |") and "gpube" in cells[1]:
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside and not line.startswith("|---"):
            plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", c).replace("**", "").replace("`", "") for c in cells]
            rows.append((plain[0], plain[1]))
    return rows


def check():
    """What is wrong between pages and rows, a line each."""
    wrong = []
    for page, path in PAGES.items():
        left = [r for r in ROWS if r["page"] == page]
        for what, figures in page_rows(path):
            mine = next((r for r in left if what.startswith(r["starts"])), None)
            if not mine:
                wrong.append(f"{page}: no line for '{what}'")
                continue
            left.remove(mine)
            if mine["claim"] not in figures:
                wrong.append(f"{page}: '{what}' has '{figures}', claimed here: '{mine['claim']}'")
        wrong += [f"{page}: no row begins with '{r['starts']}'" for r in left]
    return wrong + plugins()


def plugins():
    """What the plugins' pages say otherwise than the main page and runs/."""
    of = lambda *path: open(os.path.join(HERE, *path)).read()
    measured = set(of("runs", "python-2c", "calls.md").split("\n") + of("runs", "python-2c", "quick_starts.md").split("\n"))
    wrong = [f"plugins/python: not in runs/python-2c: {line}" for line in of("..", "plugins", "python", "README.md").split("\n") if line.startswith("| ") and line not in measured]
    eight = next(r["claim"] for r in ROWS if r["starts"] == "eight instances")
    if f"740 s in sum, take it {eight} on two cores and an H200" not in of("..", "plugins", "toulbar2", "README.md"):
        wrong.append(f"plugins/toulbar2: the eight instances do not take {eight}")
    return wrong


# ---- running -----------------------------------------------------------------------------------


def lacks(r, gpube):
    """What this machine has not, or ''."""
    if "card" in r["needs"]:
        devices = subprocess.run([gpube, "devices", "--json"], capture_output=True, text=True).stdout
        if '"gpu": null' in devices or not devices:
            return "no card"
    for need in r["needs"]:
        if need.startswith("cores") and (os.cpu_count() or 1) < int(need[5:]):
            return f"fewer than {need[5:]} cores"
    return ""


def find(name, files):
    """A data file by the end of its path, packed or not."""
    stem, end = os.path.splitext(name)
    found = [f for f in files if re.search(r"(^|/)" + re.escape(stem) + "(_merged)?" + re.escape(end) + r"(\.xz|\.gz|\.bz2|\.zst)?$", f)]
    return min(found, key=lambda f: (len(f), f)) if found else None


def expand(command, opts, files, work):
    """The command's words; None: a data file is missing."""
    words = []
    for word in shlex.split(command.format(gpube=opts.gpube, work=work)):
        if re.search(r"\.(wcsp|uai|erg|cfn)$", word) and not word.startswith(work):
            word = find(word, files)
            if not word:
                return None
        words.append(word)
    return words


def one(r, opts, files, work, log):
    """(the figure of one run of the row, processor seconds), or a text: why there is none."""
    if r["how"] == "beside" and len(r["commands"]) > 1:
        with concurrent.futures.ThreadPoolExecutor(len(r["commands"])) as pool:
            before, runs = used(), list(pool.map(lambda c: one({**r, "commands": (c,)}, opts, files, work, log), r["commands"]))
        return next((x for x in runs if isinstance(x, str)), (sum(x[0] for x in runs if not isinstance(x, str)), used() - before))
    figures, processor = [], 0.0
    for group in r["commands"]:
        group = (group,) if isinstance(group, str) else group
        for k, command in enumerate(group):
            words = expand(command, opts, files, work)
            if words is None:
                return "a file of it is not in the data"
            before, start = used(), time.monotonic()
            p = subprocess.run(words, capture_output=True, text=True)
            seconds, cpu = time.monotonic() - start, used() - before
            if k < len(group) - 1:
                continue
            processor += cpu
            log.write(f"$ {command}\n{p.stdout}{p.stderr}{seconds:.3f} s by the clock, {cpu:.3f} s of the processor, exit {p.returncode}\n")
            said = re.search(r["expect"], p.stdout) if r["expect"] else None
            if r["expect"] and not said:
                return f"expected '{r['expect']}', found '{p.stdout.splitlines()[0] if p.stdout else p.stderr[:80]}'"
            if r["how"] == "lower":
                m = re.search(r"^lower +(\S+?),", p.stdout, re.M) or re.search(r"^optimum +(\S+?),", p.stdout, re.M)
                if not m:
                    return "no bound"
                figures.append(float(m.group(1)))
            else:
                figures.append(float(said.group(1)) if r["how"] == "said" else cpu if r["how"] in ("cpu", "middle") else seconds)
    return statistics.median(figures) if r["how"] == "middle" else sum(figures), processor


TB2 = ((), ("-A", "-p=8", "-O=-3"), ("-B=1",))


def used():
    """Processor seconds of all commands that have ended."""
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def timed(words, limit):
    """(output, processor seconds), None for the output where the time was over."""
    before = used()
    try:
        p = subprocess.run(["timeout", str(limit), *words], capture_output=True, text=True, timeout=limit + 20)
        out = p.stdout if p.returncode != 124 else None
    except subprocess.TimeoutExpired:
        out = None
    return out, used() - before


def peer_of(r, opts, files, work, log):
    """The other program's processor seconds, or why there are none."""
    if not r["peer"] or not opts.peers:
        return ""
    program = opts.toulbar2 if r["peer"][0] == "toulbar2" else r["peer"][0]
    if not shutil.which(program):
        return f"no {program}"
    if r["peer"][0] != "toulbar2":
        command = r["peer"][1] + (" --highs " + opts.highs if opts.highs and r["peer"][0] == "cbc" else "")
        out = subprocess.run(shlex.split(command.format(gpube=opts.gpube, here=HERE, limit=opts.limit)), capture_output=True, text=True).stdout
        log.write(f"$ {command}\n{out}")
        found = re.findall(r["peer"][2], out)
        return f"{program} {', highs '.join(found)}" if found else f"{program}: none"
    version, total = "", 0.0
    for name in r["peer"][1:]:
        path, best = find(name, files), None
        evidence = re.sub(r"\.(xz|gz)$", "", path) + ".evid"
        for options_of in TB2:
            out, cpu = timed([program, path, *([evidence] if os.path.exists(evidence) else []), *options_of], opts.limit)
            log.write(f"$ {program} {path} {' '.join(options_of)}: {cpu:.3f} s of the processor\n{(out or 'not within the limit')[-400:]}\n")
            said = re.search(r"version : (\S+)", out or "")
            version = said.group(1) if said else version
            if out and re.search(r"^Optimum: |No solution", out, re.M):
                best = min(best or cpu, cpu)
        if best is None:
            return f"toulbar2 {version}: not in {opts.limit} s"
        total += best
    return f"toulbar2 {version} {total:.3f}"


def most_claimed(r):
    """The claim as one number: the sum of what is listed, the greater end of a range times its commands."""
    numbers = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", r["claim"])]
    return max(numbers) * len(r["commands"]) if " to " in r["claim"] else sum(numbers)


def measure(r, opts, files, work):
    result = {"page": r["page"], "row": r["starts"].rstrip(","), "claimed": r["claim"], "measured": "", "least": "", "greatest": "",
              "processor": "", "ratio": "", "peer": "", "note": r["why"] or lacks(r, opts.gpube)}
    if not result["note"] and r["slow"] and not opts.slow:
        result["note"] = "takes minutes: --slow"
    if result["note"]:
        return result
    log = open(os.path.join(opts.out, re.sub(r"\W+", "-", r["starts"]).strip("-") + ".txt"), "w") if opts.out else open(os.devnull, "w")
    with log:
        runs = []
        for _ in range(1 if r["slow"] else opts.repeats):
            figure = one(r, opts, files, work, log)
            if isinstance(figure, str):
                result["note"] = figure
                return result
            runs.append(figure)
        result["peer"] = peer_of(r, opts, files, work, log)
    processor = statistics.median(p for _, p in runs)
    runs = [f for f, _ in runs]
    middle, claimed = statistics.median(runs), most_claimed(r)
    ratio = claimed / middle if r["how"] == "lower" else middle / claimed
    result.update(measured=f"{middle:.3f}", least=f"{min(runs):.3f}", greatest=f"{max(runs):.3f}", processor=f"{processor:.3f}", ratio=f"{ratio:.2f}",
                  note="OFF" if ratio > OFF or (r["how"] == "lower" and ratio > 1) else "less" if ratio < 1 / OFF else "")
    return result


def main():
    opts = options(__doc__, "data", "--gpube", "--only", "--toulbar2", out="", without="", highs="", peers=False, limit=60, slow=False, repeats=3, list=False, check=False).parse_args()
    wrong = check()
    if opts.check or wrong:
        print("\n".join(wrong) or f"{len(ROWS)} rows, as the pages have them")
        return 1 if wrong else 0
    if opts.list:
        for r in ROWS:
            print(f"{r['starts']} ({r['claim']})", *(r["commands"] or [r["why"]]), sep="\n    ")
        return 0
    if not opts.data:
        print("headlines.py: expected DATA", file=sys.stderr)
        return 1
    files = [os.path.join(d, f) for d, _, names in os.walk(opts.data) for f in names]
    if opts.out:
        os.makedirs(opts.out, exist_ok=True)
    if os.getloadavg()[0] > 0.5:
        print(f"load {os.getloadavg()[0]:.1f}: others share this machine, and seconds by the clock mean little", file=sys.stderr)
    print(f"{'row':44} {'claimed':>18} {'measured':>9} {'least':>9} {'greatest':>9} {'processor':>9} {'ratio':>6}  peer")
    work, done = tempfile.mkdtemp(), []
    try:
        for r in ROWS:
            if not any(t in r["starts"] for t in opts.only.split(",")) or any(t and t in r["starts"] for t in opts.without.split(",")):
                continue
            d = measure(r, opts, files, work)
            done.append(d)
            print(f"{d['row'][:44]:44} {d['claimed']:>18} {d['measured']:>9} {d['least']:>9} {d['greatest']:>9} {d['processor']:>9} {d['ratio']:>6}  {d['note']:4}  {d['peer']}", flush=True)
    finally:
        shutil.rmtree(work)
    if opts.out and done:
        write_rows(os.path.join(opts.out, "headlines.csv"), done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
