"""What schedule.py replays: traces of methods, and the rules of the schedule (gpube/bound/schedule) on them."""
import csv
import io
import lzma
import math
import os
import re

from solve import HERE

SCHEDULE = os.path.join(HERE, "..", "gpube", "bound", "schedule")

# ---- traces


def read_rows(path):
    with lzma.open(path, "rt") if path.endswith(".xz") else open(path) as f:
        return list(csv.DictReader(io.StringIO(f.read())))


def family_of(path):
    folder, _, rest = path.removeprefix("derived/").partition("/")
    return folder if rest and folder != "modelled" else re.match("[a-z]*", (rest or folder).lower())[0]


class Trace:
    def __init__(self, row):
        self.status, self.ticks, self.seconds = row["status"], float(row["ticks"]), float(row["seconds"])
        self.points = [tuple(float(x) if x else None for x in p.split(":")) for p in row["points"].split()]


# Methods of traces that were recorded under other names.
TODAY = {"patches": "pairwise", "shift": "arc", "clusters": "nested", "regions": "nested"}


class Model:
    """A file: what is known of it, and the traces of its methods."""

    def __init__(self, path):
        self.path, self.family, self.kind = path, family_of(path), ""
        self.trace, self.left, self.auto = {}, [], None

    def add(self, row):
        t, m = Trace(row), TODAY.get(row["method"], row["method"])
        self.variables, self.cells, self.domain, self.arity = int(row["variables"]), int(row["cells"]), float(row["domain"]), float(row["arity"])
        self.kind = self.kind or row["class"].replace("wide dense", "wide")
        if m == "auto":
            self.auto = t
        elif row["way"] == "auto" and m == "tree":
            self.left = t.points
        elif m in self.trace:  # order and search, once as the schedule had them, and once before a method alone
            old, short = sorted((self.trace[m], t), key=lambda t: -t.ticks)
            old.points = sorted(old.points + short.points, key=lambda p: p[0])
            self.trace[m] = old
        else:
            self.trace[m] = t

    def predicted(self, worked):
        """Ticks of elimination along the best order after so much work on orders."""
        return min((p[1] for p in self.trace["order"].points if p[0] <= worked), default=math.inf)

    def wrong(self):
        """How many times its prediction elimination takes; 1 where the limit stopped it, None where it gave way."""
        t = self.trace.get("eliminate")
        if not t or t.status == "gave way":
            return None
        return t.ticks / t.points[0][1] if t.status == "proved" and t.points else 1

    def first_order(self):
        return min(p[0] for p in self.trace["order"].points)

    def best(self):
        """(ticks, method) of the method that proves soonest."""
        ends = [(self.first_order() + t.ticks, m) for m, t in self.trace.items() if t.status == "proved" and m not in ("order", "eliminate", "deepening")]
        if self.wrong() and self.trace["eliminate"].status == "proved":
            ends += [(p[0] + self.predicted(p[0]) * self.wrong(), "eliminate") for p in self.trace["order"].points]
        return min(ends, default=(math.inf, "none"))


def read_models(path):
    models = {}
    for row in read_rows(path):
        models.setdefault(row["path"], Model(row["path"])).add(row)
    found = [m for m in models.values() if m.kind and m.trace.get("order") and m.trace["order"].points]
    for m in found:  # the class changes as orders do: the last one counts
        if m.kind == "sparse" and m.predicted(math.inf) <= ENDLESS_TICKS:
            m.kind = "narrow"
        if m.kind == "narrow" and m.arity >= TERNARY:  # of traces that were recorded before there was this class
            m.kind = "narrow ternary"
    return found


# ---- the schedule: schedule.c's rules and constants, methods.c's predictions

LEAST_WEIGHT, IDLE_TURNS, GROWTH, FIRST_ROUND = 1 / 4, 2, 2, 6e6
PATIENCE, PART, OF_ROUND, SURE, ROUGH = 4, 1 / 4, 1 / 16, 2, 1
MOST_BUDGET = 1e18
SEEDS = 12  # first orders that an order search takes at least (order.c)
ENDLESS_TICKS, TERNARY = 1e18, 2.5  # of elimination; of functions: features.c
MOST_TICKS = 1e12  # of a replay: a quarter of an hour
BEGINS_ANEW = ("mbe",)
AFTER_SHIFT = ("pairwise", "tree", "deepening", "andor", "joins", "nested", "mbe")
ON_GRAPH = ("andor", "joins", "nested", "mbe")


class Scheduled:
    def __init__(self, name, share):
        self.name, self.share, self.weight, self.credit, self.idle = name, share / 100, 1.0, 0.0, 0
        self.out, self.mark, self.at = False, 0, 0.0


class Replay:
    """One run of the schedule on a model; shares: {method: hundredths}, in the order of a round."""

    def __init__(self, model, shares):
        self.m, self.of = model, [Scheduled(name, share) for name, share in shares.items()]
        self.lower, self.upper, self.mark, self.proved, self.shifted, self.climbs = -math.inf, math.inf, 0, False, False, False
        self.order = next(s for s in self.of if s.name == "order")
        self.total = self.order.at = model.first_order()
        self.budget = FIRST_ROUND

    def gap(self):
        return self.upper - self.lower

    def fit(self, s):
        """(predicted ticks to its end, least ticks of a turn); 0: it is not for this"""
        m, name = self.m, s.name
        if name == "arc":
            return (0 if self.shifted else 1e4 + 30 * m.cells), 0
        if name == "eliminate":
            end = m.predicted(self.order.at)
            return (end if end < math.inf else 0), 0
        if name not in m.trace or name in AFTER_SHIFT and not self.shifted:
            return 0, 0
        if name == "order":
            return (0 if m.trace[name].status == "done" and s.at >= m.trace[name].ticks else math.inf), SEEDS * m.first_order()
        begun = self.climbs if name in ON_GRAPH else s.at > 0
        least = {"sat": 20, "search": 0}.get(name, 10) * m.cells * (m.domain if name in ON_GRAPH else 1)
        least = (0 if begun else least) + (1e4 * m.variables if name == "mbe" else 0)
        return (self.tree_left(s.at) if name == "tree" and begun else math.inf), least

    def tree_left(self, at):
        seen = [p for p in self.m.left if p[0] <= at]
        t = self.m.trace["tree"]
        if seen and seen[-1] is not self.m.left[-1]:
            return math.inf if seen[-1][1] is None else max(seen[-1][1], 1.0)
        return t.ticks - at if t.status == "proved" else math.inf

    def hear(self, lower, upper):
        if lower is not None and lower > self.lower:
            self.lower, self.mark = lower, self.mark + 1
        if upper is not None and upper < self.upper:
            self.upper, self.mark = upper, self.mark + 1
        self.proved |= self.lower >= self.upper

    def step(self, s, ticks):
        """One step: (ticks that it took, whether it has no more to say now)"""
        t, begin = self.m.trace.get(s.name), 0.0 if s.name in BEGINS_ANEW else s.at
        if s.name == "eliminate":
            end = self.m.predicted(self.order.at) * (self.m.wrong() or math.inf)
            self.proved |= end <= ticks
            return min(ticks, end), end <= ticks
        if s.name == "arc":
            self.shifted, ticks = True, t.ticks if t else 1e4 + 30 * self.m.cells
            t = t or Trace({"status": "done", "ticks": ticks, "seconds": 0, "points": ""})
        self.climbs |= s.name in ON_GRAPH
        s.at = begin + ticks
        if s.name != "order":
            for at, lower, upper in t.points:
                if at <= s.at and (at > begin or not begin):
                    self.hear(lower, upper)
                    if self.proved:
                        return at - begin, False
        if t.status in ("open", "left") or t.ticks > s.at:
            return ticks, False
        self.proved |= t.status == "proved"
        if t.status == "gave way":
            s.mark = -1
        return max(0.0, t.ticks - begin), True

    def nearest_end(self, own):
        return min((e for e in (self.fit(s)[0] for s in self.of if s is not own and not s.out) if e > 0), default=math.inf)

    def turn(self, s, ticks):
        """Ticks that it took, and whether it brought much."""
        gap, mark, end = self.gap(), self.mark, self.nearest_end(s)
        used, done = self.step(s, ticks)
        self.total += used
        after = self.nearest_end(s)
        nearer = after < end < math.inf
        much = gap < math.inf and self.gap() <= gap / 2 or nearer and after <= end / 2
        if nearer or self.mark != mark:
            s.idle, s.weight = 0, 1.0
        else:
            s.idle += 1
            if s.idle >= IDLE_TURNS:
                s.idle, s.weight = 0, max(LEAST_WEIGHT, s.weight / 2)
        if done:
            s.out, s.mark = True, self.mark if s.mark >= 0 else -1
        return used, much

    def comes_back(self, s):
        if s.out and s.mark >= 0 and s.mark != self.mark:
            s.out = False
        return not s.out

    def next_to_end(self, left):
        """(ticks, ticks that it may take at most, who), or None as the last"""
        ends = [(self.fit(s)[0], (ROUGH if s.name == "tree" else SURE) * left, s) for s in self.of if self.comes_back(s)]
        return min((e for e in ends if 0 < e[0] <= e[1]), key=lambda e: e[0], default=(0, 0, None))

    def let_end(self, left):
        used = 1
        while not self.proved and used > 0:
            end, reach, s = self.next_to_end(left)
            if not s:
                break
            used = self.turn(s, max(PART * end, OF_ROUND * reach) if s.name == "tree" else min(PATIENCE * end, reach))[0]
            left -= used
        return left

    def share(self, s, left):
        ticks = s.credit
        while True:
            used, much = self.turn(s, ticks)
            if s.credit > 0:
                s.credit -= used
            if s.out or self.proved or not much or self.next_to_end(left)[2]:
                break

    def round(self):
        left = self.let_end(self.budget)
        for s in self.of:
            if self.proved or not self.comes_back(s):
                continue
            end, least = self.fit(s)
            if not end or not s.share:
                continue
            s.credit += self.budget * s.share * s.weight
            if s.credit > 0 and s.credit >= least:
                self.share(s, left)
                if not self.proved:
                    left = self.let_end(left)

    def run(self):
        """Ticks until all is proved, or INFINITY."""
        while not self.proved and self.total < MOST_TICKS and self.budget < MOST_BUDGET:
            self.round()
            self.budget *= GROWTH
        return self.total if self.proved else math.inf


def read_shares(path):
    """{class: {method: hundredths}}, in the words of -v."""
    with open(os.path.join(SCHEDULE, "methods.h")) as f:
        methods = re.findall(r"\bX\(([a-z]+)\)", f.read().split("enum gpube__method_at")[0])
    with open(path) as f:
        rows = re.findall(r"\[GPUBE__CLASS_(\w+)\] = \{([\d, ]+)\}", f.read())
    return {kind.lower().replace("_", " "): dict(zip(methods, map(int, row.split(",")))) for kind, row in rows}
