#!/usr/bin/env python3
"""gpube-mpi solve against gpube on random models, as TAP: what any number of ranks has to agree in, whatever befalls them.

--answers N      N models, by --ranks (1,2,3,5,16) of one or two threads: the verdict of AND/OR search
--kills N        N runs of 2 to 5 ranks of which one is killed at a random moment: the right answer, or a checkpoint of which
                 other ranks or threads go on to it. (A rank 0 that is killed before its first checkpoint leaves none.)
--checkpoints N  N stops of runs at random moments; each goes on with other ranks or threads until there is the right answer
                 Every checkpoint is one that a reader takes: closed and open parts of the tree add up to one.
Models of --kills and --checkpoints take a second or some. --seed begins the random numbers; --program is the folder of both.
--under WORDS runs the ranks under another program:
  check_ranks.py --answers 4 --ranks 2,3 --under "valgrind -q --error-exitcode=9 --leak-check=full --num-callers=50
      --show-leak-kinds=definite --errors-for-leak-kinds=definite --suppressions=tests/ranks/mpi.supp"
or with ThreadSanitizer, in a build with MPI=1 and the flags of make tsan:
  TSAN_OPTIONS="exitcode=9 suppressions=$PWD/tests/ranks/mpi.tsan" check_ranks.py --answers 4 --ranks 2,3 --program build-tsan
"""
import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "GPUBE_TEST_RANK": "eager"}
FORBIDDEN = 100000  # and above, as .wcsp has it
LONGEST = 300  # seconds of a run, after which it hangs


class Failure(Exception):
    """What a row prints."""


# ---- models


def small_model(draw):
    """The text of a .wcsp: one to three components, functions of one to three variables, many ties; of three one is small."""
    domains, functions, first, small = [], [], 0, draw.randrange(3) == 0
    for _ in range(draw.choice((1, 1, 1, 2, 3) if small else (1, 1, 1, 2))):
        n, most = draw.randint(1, 10) if small else draw.randint(14, 20), draw.choice((2, 3, 4, 6) if small else (4, 5, 6))
        domains += [draw.randint(max(1, most // 2), most) for _ in range(n)]
        costs, tight = draw.choice((3, 10, 1000, 1000)), draw.choice((0, 0, 0.05, 0.2, 0.4))
        for _ in range(draw.randint(n, 3 * n) if small else n * n // 2):
            scope = draw.sample(range(first, first + n), min(n, draw.choice((1, 2, 2, 2, 3) if small else (1, 2, 2, 2))))
            cells = 1
            for v in scope:
                cells *= domains[v]
            functions.append((scope, [FORBIDDEN if draw.random() < tight else draw.randrange(costs) for _ in range(cells)]))
        first += n
    lines = [f"m {len(domains)} {max(domains)} {len(functions)} {FORBIDDEN}", " ".join(map(str, domains))]
    for scope, costs in functions:
        lines.append(f"{len(scope)} {' '.join(map(str, scope))} 0 {len(costs)}")
        for i, cost in enumerate(costs):
            values = []
            for v in reversed(scope):
                i, a = divmod(i, domains[v])
                values.append(a)
            lines.append(f"{' '.join(map(str, reversed(values)))} {cost}")
    return "\n".join(lines) + "\n"


LONG_MODELS = ("-n 24 -d 6 --p1 0.7 --p2 0.1", "-n 22 -d 6 --p1 0.5 --p2 0.05", "-n 20 -d 6 --p1 0.6 --p2 0.05",
               "-n 26 -d 5 --p1 0.6 --p2 0.1", "-n 24 -d 5 --p1 0.8 --p2 0.02")


# ---- runs


class Tests:
    def __init__(self, o, folder):
        self.o, self.folder, self.n, self.failed = o, folder, 0, 0
        self.gpube, self.mpi = os.path.join(o.program, "gpube"), os.path.join(o.program, "gpube-mpi")

    def path(self, name):
        return os.path.join(self.folder, name)

    def row(self, name, do):
        self.n += 1
        try:
            said = do()
            print(f"ok {self.n} - {name}" + (f": {said}" if said else ""), flush=True)
        except Failure as e:
            self.failed += 1
            print(f"not ok {self.n} - {name}\n# " + str(e).replace("\n", "\n# "), flush=True)

    def words(self, ranks, threads, *more):
        run = [self.gpube] if ranks == 0 else ["mpirun", "-n", str(ranks), *self.o.under.split(), self.mpi]
        return [*run, "solve", "-v", "--json", "--threads", str(threads), *more]

    def start(self, words):
        out, err = open(self.path("out"), "w+"), open(self.path("err"), "w+")
        p = subprocess.Popen(words, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT},
                             start_new_session=True)
        p.out, p.err, p.shown = out, err, " ".join(words)
        return p

    def end(self, p):
        """Its answer (None: there is none) and what it said."""
        try:
            p.wait(LONGEST)
        except subprocess.TimeoutExpired as e:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            raise Failure(f"{p.shown}: it hangs\n{self.read(p.err)[-2000:]}") from e
        out, err = self.read(p.out), self.read(p.err)
        try:
            return json.loads(out), err
        except ValueError:
            return None, err

    @staticmethod
    def read(f):
        f.seek(0)
        text = f.read()
        f.close()
        return text

    def solve(self, ranks, threads, *more):
        p = self.start(self.words(ranks, threads, *more))
        answer, err = self.end(p)
        if answer is None:
            raise Failure(f"{p.shown}: no answer, status {p.returncode}\n{err[-2000:]}")
        if p.returncode != (answer["status"] == "bounds"):
            raise Failure(f"{p.shown}: {answer['status']}, status {p.returncode}\n{err[-4000:]}")
        return answer, err

    def is_verdict(self, got, right, about):
        if (got["status"], got.get("upper_bound"), got.get("lower_bound")) != right:
            raise Failure(f"{about}: {got['status']} {got.get('lower_bound')} {got.get('upper_bound')}, not {right}")

    def right(self, file):
        got, _ = self.solve(0, 1, "--method", "andor", file)
        return got["status"], got.get("upper_bound"), got.get("lower_bound")


# ---- any number of ranks


def answers(t, draw):
    lent, told = [], []
    for i in range(t.o.answers):
        file = t.path("m.wcsp")
        with open(file, "w", encoding="ascii") as f:
            f.write(small_model(draw))
        def do(file=file):
            right = t.right(file)
            for ranks in map(int, t.o.ranks.split(",")):
                method = draw.choice((["--method", "tree"], ["--method", "andor"], ["--method", "pairwise"], []))
                got, err = t.solve(ranks, draw.choice((1, 1, 2)), *method, file)
                t.is_verdict(got, right, f"{ranks} ranks, {method}")
                given = re.search(r"(\d+) nodes? lent", err)
                told.append(sum(map(int, re.findall(r"rank [1-9][0-9]*: (\d+) nodes of the shared AND", err))))
                lent.append(int(given.group(1)) if given else 0)
        t.row(f"model {i}: {t.o.ranks} ranks agree", do)
    if lent:
        print(f"# {sum(lent)} nodes lent in {sum(n > 0 for n in lent)} runs; {sum(told)} nodes of AND/OR searches on ranks other "
              f"than 0, in {sum(n > 0 for n in told)}")


# ---- a rank that is killed


def ranks_of(p):
    """The processes of mpirun's ranks, by rank."""
    found = {}
    try:
        with open(f"/proc/{p.pid}/task/{p.pid}/children", encoding="ascii") as f:
            for pid in map(int, f.read().split()):
                with open(f"/proc/{pid}/environ", "rb") as e:
                    rank = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)", e.read())
                    if rank:
                        found[int(rank.group(1))] = pid
    except OSError:
        pass
    return found


def long_model(t, draw):
    file = t.path("k.wcsp")
    subprocess.run([t.gpube, "generate", "--seed", str(draw.randrange(1 << 30)), "-o", file, *draw.choice(LONG_MODELS).split(),
                    "random"], check=True)
    start = time.monotonic()
    right = t.solve(0, 1, "--method", "tree", file)[0]
    return file, (right["status"], right["upper_bound"], right["lower_bound"]), time.monotonic() - start


def some_ranks(draw):
    """Ranks and threads; 0 ranks: gpube."""
    return draw.choice(((0, 1), (0, 3), (2, 1), (3, 1), (3, 2), (5, 1)))


def kill_one(t, draw, file, right, seconds, kept):
    ranks, method = draw.choice((2, 3, 3, 5)), draw.choice((["--method", "tree"], ["--method", "tree"], []))
    victim = draw.randrange(ranks)
    if os.path.exists(kept):
        os.unlink(kept)
    p = t.start(t.words(ranks, draw.choice((1, 2)), *method, "--checkpoint", kept, "--checkpoint-every", "0.1s", file))
    while victim not in ranks_of(p) and p.poll() is None:
        time.sleep(0.01)
    time.sleep(draw.uniform(0, 0.3 + seconds))
    pid = ranks_of(p).get(victim)
    if pid is None:
        t.end(p)
        return None # it was over
    os.kill(pid, signal.SIGKILL)
    killed = time.time()
    answer, err = t.end(p)
    about = f"{p.shown}, rank {victim}"
    took = time.time() - killed
    if answer and answer["status"] == "optimal":
        t.is_verdict(answer, right, about)
        return took, "the answer"
    if os.path.exists(kept):
        took = os.stat(kept).st_mtime - killed # mpirun ends later
    if not os.path.exists(kept):
        if victim and "search tree" in err:
            raise Failure(f"{about}: nothing was kept\n{err[-2000:]}")
        return took, "nothing yet"
    kind = "the last checkpoint of a dead rank 0" if not victim else "a checkpoint" if took > 0 else "an older checkpoint"
    ranks, threads = some_ranks(draw)
    answer, err = t.solve(ranks, threads, *method, "--resume", kept, file)
    t.is_verdict(answer, right, f"{about}, resumed by {ranks} ranks of {threads}:\n{err[-2000:]}")
    return max(took, 0), kind


def kills(t, draw):
    kept, times, ends = t.path("ck"), [], []
    while len(times) < t.o.kills:
        file, right, seconds = long_model(t, draw)
        def do(file=file, right=right, seconds=seconds):
            for _ in range(3):
                got = kill_one(t, draw, file, right, seconds, kept)
                if got:
                    times.append(got[0])
                    ends.append(got[1])
                    return f"{got[1]} after {got[0]:.2f} s"
            return "it was over"
        t.row(f"a killed rank loses nothing ({len(times)})", do)
        if t.failed > 20:
            break
    if times:
        print(f"# ended {sorted(times)[len(times) // 2]:.2f} s after the kill, the latest {max(times):.2f} s: " +
              ", ".join(f"{ends.count(e)} {e}" for e in sorted(set(ends))))


# ---- stops


def checkpoints(t, draw):
    n = 0
    while n < t.o.checkpoints and t.failed <= 20:
        file, right, seconds = long_model(t, draw)
        method, stops, resume = draw.choice((["--method", "tree"], ["--method", "tree"], [])), [], []
        def do(file=file, right=right, seconds=seconds, method=method, stops=stops, resume=resume):
            while True:
                ranks, threads = some_ranks(draw)
                kept = t.path(f"ck{len(stops)}") # nobody writes over what is read
                more = [*method, *resume, "--checkpoint", kept, *draw.choice(([], ["--checkpoint-every", "0.05s"]))]
                p = t.start(t.words(ranks, threads, *more, file))
                moment = draw.uniform(0, 0.1 + seconds / (2 if ranks < 2 else 1)) + (0.3 if ranks else 0)
                try:
                    p.wait(moment)
                except subprocess.TimeoutExpired:
                    p.send_signal(signal.SIGTERM)
                answer, err = t.end(p)
                about = f"{p.shown}, stop {len(stops)}"
                if answer and answer["status"] != "bounds":
                    t.is_verdict(answer, right, about)
                    return f"{len(stops)} stops"
                if answer and not (answer.get("lower_bound") or 0) <= right[1] <= answer.get("upper_bound", FORBIDDEN):
                    raise Failure(f"{about}: wrong bounds {answer}")
                if re.search("cannot resume|would write over", err):
                    raise Failure(f"{about}\n{err[-2000:]}")
                if os.path.exists(kept):
                    resume[:] = ["--resume", kept]
                stops.append(ranks)
                if len(stops) > 5:
                    seconds = LONGEST
        for old in range(9):
            if os.path.exists(t.path(f"ck{old}")):
                os.unlink(t.path(f"ck{old}"))
        t.row(f"stops lose nothing ({n})", do)
        n += len(stops)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in ("--answers", 0), ("--kills", 0), ("--checkpoints", 0), ("--seed", 1):
        p.add_argument(name, type=int, default=default)
    for name, default in ("--program", "build"), ("--ranks", "1,2,3,5,16"), ("--under", ""):
        p.add_argument(name, default=default)
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Tests(o, folder)
        for name, do in ("answers", answers), ("kills", kills), ("checkpoints", checkpoints):
            do(t, random.Random(f"{name} {o.seed}"))
    print(f"1..{t.n}")
    sys.exit(t.failed > 0)


main()
