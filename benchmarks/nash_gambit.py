#!/usr/bin/env python3
"""gpube nash beside pygambit: random games of two players, and games that Gambit has.

usage: nash_gambit.py random [--gpube PROGRAM] [--first SEED] [--seeds N] [--rational] N...
       nash_gambit.py catalogue [--gpube PROGRAM] [--seconds N] [--csv FILE] [--only TEXT] DIRECTORY

random     processor seconds of one core beside enummixed_solve: a line a game (actions, seed, equilibria, gpube, those of
           pygambit, its seconds) and medians for each size. In doubles (without --rational) pygambit may find another number.
catalogue  every .nfg, .efg, .agg and .bagg below DIRECTORY, such as the repository gambitproject/gambit: how many equilibria gpube
           finds within N seconds, whether these are all, what one is found by, how many pure ones there are, beside how many
           pygambit finds by its solvers in as much processor time ("-": refused, ">": not within the time; without pygambit
           nothing). enummixed counts extreme equilibria of strategies, gpube those of the sequence form where there is a tree;
           gpube --normal-form, where it is another number, is beside it.
"""
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from common import options, write_rows

try:
    import pygambit
except ImportError:
    pygambit = None


def ours(gpube, *arguments):
    """The result, {"error": …} if there is none, and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run([gpube, "nash", "-q", "--threads", "1", "--json", *arguments], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, universal_newlines=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(p.stdout) if p.stdout else {}
    if not result or result.get("status") == "error":
        result = {"error": result.get("error") or p.stderr.strip()}
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(read, path, solve, seconds):
    """How many equilibria a solver finds in a process of its own, as a text, and processor seconds."""
    receive, send = os.pipe()
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 2))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            # enummixed tells some of them several times
            os.write(send, b"%d" % len({str(e) for e in solve(read(path)).equilibria}))
        except BaseException:
            os.write(send, b"-")
        finally:
            os._exit(0)
    os.close(send)
    text = os.read(receive, 20).decode()
    os.close(receive)
    used = os.wait4(child, 0)[2]
    return text or ">", used.ru_utime + used.ru_stime


def solvers(n):
    """By name, those for games of so many players."""
    nash = pygambit.nash
    if n > 2:
        return {"pure": nash.enumpure_solve, "enumpoly": nash.enumpoly_solve}
    return {"pure": nash.enumpure_solve, "enummixed": lambda g: nash.enummixed_solve(g, rational=True),
            "lcp": lambda g: nash.lcp_solve(g, rational=True), "lp": lambda g: nash.lp_solve(g, rational=True)}


def found(result):
    if "error" in result:
        return "refused"
    return "%d%s" % (result.get("n_equilibria", 0), "" if result.get("all") else " or more")


def one_game(o, path):
    limit = "--timeout", "%d" % o.seconds
    result, seconds = ours(o.gpube, *limit, path)
    one, one_seconds = ours(o.gpube, *limit, "--one", path)
    pure = ours(o.gpube, *limit, "--pure", path)[0].get("n_equilibria", "-")
    row = {"game": os.path.relpath(path, o.directory), "players": "", "all": found(result), "method": result.get("method", ""),
           "seconds": "%.2f" % seconds, "open": result.get("open_supports", ""), "one": one.get("method", "refused"),
           "one_seconds": "%.2f" % one_seconds, "pure": pure, "strategies": "", "gambit_pure": "", "gambit_mixed": "",
           "gambit_lcp": "", "gambit_lp": "", "why": result.get("error", "")}
    if row["method"] == "sequence-eee":
        row["strategies"] = found(ours(o.gpube, *limit, "--normal-form", path)[0])
    if pygambit:
        read = getattr(pygambit, "read_" + path.rsplit(".", 1)[1])
        try:
            row["players"] = len(read(path).players)
        except Exception:
            return row
        for name, solve in solvers(row["players"]).items():
            column = "gambit_" + {"enummixed": "mixed", "enumpoly": "mixed"}.get(name, name)
            row[column], _ = theirs(read, path, solve, o.seconds)
    return row


def catalogue(o):
    paths = sorted(os.path.join(top, name) for top, _, names in os.walk(o.directory) for name in names
                   if name.rsplit(".", 1)[-1] in ("nfg", "efg", "agg", "bagg") and o.only in os.path.join(top, name))
    rows = []
    for path in paths:
        rows.append(one_game(o, path))
        print(",".join(str(x) for x in rows[-1].values()), flush=True)
        if o.csv:
            write_rows(o.csv, rows)
    differ = [r["game"] for r in rows if r["players"] == 2 and r["gambit_mixed"].isdigit()
              and (r["strategies"] or r["all"]).isdigit() and (r["strategies"] or r["all"]) != r["gambit_mixed"]]
    print("# %d games: all equilibria of %d, more or less of %d, refused %d" % (
        len(rows), sum(r["all"].isdigit() for r in rows), sum("or" in r["all"] for r in rows),
        sum(r["all"] == "refused" for r in rows)))
    print("# another number than enummixed: %s" % (" ".join(differ) or "none"))
    print("# other pure ones: %s" % (" ".join(r["game"] for r in rows if r["gambit_pure"].isdigit() and r["pure"] != "-"
                                              and int(r["gambit_pure"]) != r["pure"]) or "none"))


def random(o):
    print("# pygambit %s, %s" % (pygambit.__version__, "rationals" if o.rational else "doubles"))
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "game.nfg")
        for n in o.sizes:
            rows = []
            for seed in range(o.first, o.first + o.seeds):
                subprocess.run([o.gpube, "generate", "nash", "-n", str(n), "--seed", str(seed), "-o", path], check=True)
                result, seconds = ours(o.gpube, path)
                game, start = pygambit.read_nfg(path), time.process_time()
                other = len(pygambit.nash.enummixed_solve(game, rational=o.rational).equilibria)
                rows.append((seconds, time.process_time() - start))
                print("%d,%d,%d,%.3f,%d,%.3f" % (n, seed, result["n_equilibria"], seconds, other, rows[-1][1]), flush=True)
            print("# %d: median %.3f, pygambit %.3f" % (n, *(statistics.median(r[k] for r in rows) for k in (0, 1))), flush=True)


def main():
    what = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if what == "random":
        random(options(__doc__, "--gpube", "--seeds", "sizes", first=1, rational=False).parse_args())
    else:
        p = options(__doc__, "--gpube", "--csv", "--only", seconds=20)
        p.add_argument("directory")
        catalogue(p.parse_args())


if __name__ == "__main__":
    main()
