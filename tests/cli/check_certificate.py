"""A second checker of the bounds that gpube certifies, from formats/certificate.md alone.

usage: check_certificate.py check MODEL CERTIFICATE [BOUND]
       check_certificate.py all DIRECTORY
       check_certificate.py random SEED DIRECTORY

'check' reads a .wcsp, .cfn, .uai (with .evid beside it) or the .json of tests/bound/test_certificate.c, repeats the proof in
integers of any size (sweeps over long lists in those of numpy, where there is one), and prints the bound of the file as the file has it; a BOUND that is given must be this. 'all' checks each
N.json of the directory with its N.cert. 'random' writes small models there: each kind, both directions, forbidden cells, evidence.
"""
import decimal
import fractions
import gzip
import itertools
import json
import lzma
import math
import os
import random
import re
import sys
import threading

try:
    import numpy
except ImportError:  # it is ten times as fast
    numpy = None

MOST_CELLS, MOST_ARITY = 1 << 22, 20
MOST = (1 << 63) - 1  # a number of a file
MOST_COUNT = (1 << 31) - 1
EXACT = decimal.Context(prec=1200)
DEEPEST = 5000  # variables of a path of a search
WORD = 128  # bits of a list's variables
GONE = 1 << 62  # what is possible no more costs that


class Refused(Exception):
    pass


def content(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:5] == b"\xfd7zXZ":
        data = lzma.decompress(data)
    return data.decode("ascii")


def words_of(text):
    """A certificate's words; what is no blank or line end belongs to them."""
    for word in re.split("[ \t\n\v\f\r]+", text.strip(" \t\n\v\f\r")) if text else []:
        if len(word) > 255:
            raise Refused("a word of more than 255 bytes")
        yield word


def number(word, least=-MOST, most=MOST):
    if not re.fullmatch("[+-]?[0-9]+", word):
        raise Refused(f"'{word}' is no number")
    if not least <= int(word) <= most:
        raise Refused(f"{word} is not from {least} to {most}")
    return int(word)


# ---- problems: costs to minimise, None is forbidden ------------------------------------------------


class Problem:
    def __init__(self, domains):
        self.domains = domains
        self.functions = []  # (scope, {tuple: cost}, default)
        self.constant = 0
        self.decimals = 0
        self.maximise = False
        self.observed = {}
        self.n_constants = 0  # functions that are in the constant, and not counted
        self.potentials = None  # .uai: (scope, numbers)

    def cells(self, scope):
        return math.prod(self.domains[v] for v in scope)

    def add(self, scope, costs, default=None):
        self.functions.append((tuple(scope), costs, default))

    def add_dense(self, scope, costs):
        tuples = itertools.product(*(range(self.domains[v]) for v in scope))
        self.add(scope, dict(zip(tuples, costs)))


def read_wcsp(text):
    words = iter(text.split())
    next(words)
    n, _, n_functions, top = [number(next(words), 0) for _ in range(4)]
    p = Problem([int(next(words)) for _ in range(n)])
    for _ in range(n_functions):
        scope = [number(next(words), 0, n - 1) for _ in range(number(next(words), 0, n))]
        default, n_tuples = number(next(words), 0), number(next(words), 0)
        if not scope:
            p.constant += number(next(words), 0) if n_tuples else default
            continue
        costs = {}
        for _ in range(n_tuples):
            values = tuple([number(next(words), 0, p.domains[v] - 1) for v in scope])
            cost = number(next(words), 0)
            costs[values] = None if cost >= top else cost
        p.add(scope, costs, None if default >= top else default)
    return p


def cfn_value(words):
    """The JSON that .cfn is, with words that need no quotes."""
    word = next(words)
    if word == "{":
        out = {}
        while (key := next(words)) != "}":
            if key == ",":
                continue
            assert next(words) == ":"
            out[key.strip('"')] = cfn_value(words)
        return out
    if word == "[":
        out = []
        while (word := next(words)) != "]":
            if word != ",":
                out.append(cfn_value(itertools.chain([word], words)) if word in "[{" else word.strip('"'))
        return out
    return word.strip('"')


def fits(v):
    if not -MOST < v < MOST:
        raise Refused(f"a cost of {v} units does not fit 64 bits")
    return v


def forbid_from(p, top):
    """Cells with which every total reaches the top are forbidden."""
    leasts = []
    for scope, costs, default in p.functions:
        allowed = [c for c in costs.values() if c is not None]
        if default is not None and len(costs) < p.cells(scope):
            allowed.append(default)
        if not allowed:
            return
        leasts.append(min(allowed))
    total = p.constant + sum(leasts)
    if total >= top:
        return
    for k, (scope, costs, default) in enumerate(p.functions):
        limit = top - total + leasts[k]
        p.functions[k] = (scope, {at: None if c is None or c >= limit else c for at, c in costs.items()},
                          None if default is None or default >= limit else default)


def read_cfn(text):
    words = iter(re.findall(r'"[^"]*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.sub(r"(#|//).*", "", text)))
    top = cfn_value(words)
    bound = top["problem"]["mustbe"]
    specs = top["variables"]
    names, domains, values = [] if isinstance(specs, list) else list(specs), [], []
    for spec in specs if isinstance(specs, list) else specs.values():
        values.append(spec if isinstance(spec, list) else None)
        domains.append(len(spec) if isinstance(spec, list) else int(spec))
    p = Problem(domains)
    p.maximise = bound[0] == ">"
    used = [bound[1:]]
    raw = []
    functions = top["functions"]
    for f in functions if isinstance(functions, list) else functions.values():
        scope = [names.index(v) if v in names else int(v) for v in f["scope"]]
        costs = f["costs"]
        default = f.get("defaultcost")
        if default is None:
            used += costs
        else:
            used += [default] + costs[len(scope)::len(scope) + 1]
        raw.append((scope, default, costs))
    p.decimals = max(len(w.partition(".")[2]) for w in used)
    sign = -1 if p.maximise else 1

    def units(word):
        return sign * fits(int(decimal.Decimal(word).scaleb(p.decimals, decimal.Context(prec=300))))

    def cost(word):
        return None if word == "inf" else units(word)

    def value(var, word):
        return values[var].index(word) if values[var] and word in values[var] else number(word, 0, domains[var] - 1)

    for scope, default, costs in raw:
        if not scope:
            c = cost(costs[0] if costs else default)
            p.constant += c or 0
            if c is None:  # a function that forbids everything
                p.add_dense(scope, [c])
        elif default is None:
            p.add_dense(scope, [cost(w) for w in costs])
        else:
            step = len(scope) + 1
            p.add(scope, {tuple(value(v, w) for v, w in zip(scope, costs[k:k + step - 1])): cost(costs[k + step - 1])
                          for k in range(0, len(costs), step)}, cost(default))
    if used[0].lstrip("+-") not in ("inf", ""):
        forbid_from(p, units(used[0]))
    return p


def potential(word):
    """In 53 bits, which a float below 2^-1022 has not: exactly."""
    v = float(word)
    if not 0 <= v < math.inf:
        raise Refused(f"'{word}' is no potential")
    if v == 0 and decimal.Decimal(word):
        raise Refused(f"'{word}' is too small for a double")
    if v == 0 or v >= sys.float_info.min:
        return decimal.Decimal(v)
    larger = float(fractions.Fraction(decimal.Decimal(word)) * 2**64)
    return EXACT.divide(decimal.Decimal(larger), decimal.Decimal(2**64))


def read_uai(text, path):
    words = iter(text.split())
    next(words)
    p = Problem([int(next(words)) for _ in range(int(next(words)))])
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    p.potentials = [(s, [potential(next(words)) for _ in range(int(next(words)))]) for s in scopes]
    if os.path.exists(path + ".evid"):
        evidence = [int(w) for w in content(path + ".evid").split()]
        p.observed = dict(zip(evidence[1::2], evidence[2::2]))
    return p


def read_json(text):
    """Costs as they are stored: sign and decimals are said beside them, null is forbidden."""
    top = json.loads(text)
    p = Problem(top["domains"])
    p.maximise, p.decimals = top["maximise"], top["decimals"]
    sign = -1 if p.maximise else 1
    p.constant = sign * top["constant"]
    for f in top["functions"]:
        p.add_dense(f["scope"], [None if c is None else sign * c for c in f["costs"]])
    return p


def read_problem(path):
    text = content(path)
    name = re.sub(r"\.(gz|xz)$", "", path)
    if name.endswith(".wcsp"):
        return read_wcsp(text)
    if name.endswith(".cfn"):
        return read_cfn(text)
    return read_uai(text, path) if name.endswith(".uai") else read_json(text)


def round_potentials(p, decimals):
    """Costs of the numbers, and what the total of all may be off by."""
    context = decimal.Context(prec=60, rounding=decimal.ROUND_HALF_UP)
    known = {}

    def cost(number):
        if number not in known:
            ln = context.ln(number) if number else None
            known[number] = None if ln is None else -int(ln.scaleb(decimals, context).to_integral_value(decimal.ROUND_HALF_UP))
        return known[number]

    p.decimals = decimals
    most = 0
    for scope, numbers in p.potentials:
        costs = [cost(number) for number in numbers]
        most += max([abs(c) for c in costs if c is not None], default=0) + 1
        p.add_dense(scope, costs)
    if most >= 1 << 62:
        raise Refused(f"with {decimals} decimals totals pass 2^62")
    n = len(p.potentials)
    return (n * 2049 + 4095) // 4096


# ---- the check ---------------------------------------------------------------------------------------


def read_stages(words, c, member, n_stages):
    """Each stage: its lists, as (variables, how many of them leave), and sweeps."""
    stages = []
    for _ in range(n_stages):
        n_lists, n_sweeps = member("stage", 0, MOST_COUNT - 1), number(next(words), 0, MOST_COUNT - 1)
        lists = []
        for _ in range(n_lists):
            arity = member("list", 1, WORD)
            n_leaving = number(next(words), 0, arity)
            scope = [number(next(words), 0, len(c["domains"]) - 1) for _ in range(arity)]
            if len(set(scope)) < arity:
                raise Refused("a list has a variable twice")
            if sum(max(1, (c["domains"][v] - 1).bit_length()) for v in scope) > WORD:
                raise Refused("a list has too many variables")
            lists.append((scope, n_leaving))
        stages.append((lists, n_sweeps))
    return stages


def read_cases(words, c, member):
    """In the order of the file: stages, and what is split, as [(variable, value)]; []: a leaf."""
    cases, still_to_come = [], 1
    while still_to_come:
        n_stages = member("case", 0, MOST_COUNT - 1)
        stages, split = read_stages(words, c, member, n_stages), []
        kind = next(words)
        if kind == "split":
            for _ in range(number(next(words), 1, WORD)):
                v = number(next(words), 0, len(c["domains"]) - 1)
                if v in [u for u, _ in split]:
                    raise Refused("a split has a variable twice")
                split.append((v, number(next(words), 0, c["domains"][v] - 1)))
        elif kind != "leaf":
            raise Refused("a case is neither split nor leaf")
        cases.append((stages, split))
        still_to_come += 1 if split else -1
    return cases


def read_cycles(words, c, member):
    """Rows as (edges, how many of them are not all cut), and cases in the order of the file: steps, and what is split, or None."""
    if c["shift"] < 1:
        raise Refused("the shift of cycles is at least 1")
    c["limit"] = member("limit")
    c["fixed"] = number(next(words), 0, len(c["domains"]) - 1) if member("fixed", 0, 1) else None
    c["rows"], c["nodes"], still_to_come = [], [], 1
    for _ in range(member("rows", 0, MOST_COUNT - 1)):
        n = member("row", 1, MOST_COUNT - 1)
        n_odd = number(next(words), 1, n)
        if n_odd % 2 == 0:
            raise Refused("an odd set is even")
        c["rows"].append(([number(next(words), 0, MOST_COUNT - 1) for _ in range(n)], n_odd))
    while still_to_come:
        steps, edge = [], None
        for _ in range(member("case", 0, MOST_COUNT - 1)):
            n = member("prices", 0, MOST_COUNT - 1)
            steps.append([(number(next(words), 0, len(c["rows"]) - 1), number(next(words), 0)) for _ in range(n)])
        kind = next(words)
        if kind == "split":
            edge = number(next(words), 0, MOST_COUNT - 1)
        elif kind != "leaf":
            raise Refused("a case is neither split nor leaf")
        c["nodes"].append((steps, edge))
        still_to_come += -1 if edge is None else 1


def read_table(words, c, arity):
    n = len(c["domains"])
    scope = [number(next(words), 0, n - 1) for _ in range(arity)]
    if scope != sorted(set(scope)):
        raise Refused("a scope is not in order")
    cells = math.prod(c["domains"][v] for v in scope)
    if cells > MOST_CELLS:
        raise Refused("a table is too large")
    return scope, [number(next(words)) for _ in range(cells)]


def read_tables(words, c, member):
    c["constant"], c["blocks"] = member("constant"), []
    for _ in range(member("blocks", 0, MOST_COUNT - 2)):
        n_tables = member("block", 0, MOST_COUNT - 2)
        c["blocks"].append([read_table(words, c, member("table", 0, MOST_ARITY)) for _ in range(n_tables)])
    if next(words) != "order":
        raise Refused("'order' is missing")
    c["order"] = [number(next(words), 0, len(c["domains"]) - 1) for _ in c["domains"]]
    if len(set(c["order"])) < len(c["order"]):
        raise Refused("the order has a variable twice")


def read_certificate(path):
    words = words_of(content(path))

    def member(name, least=-MOST, most=MOST):
        if (word := next(words)) != name:
            raise Refused("it is of before gpube-proof 1" if word == "gpube-certificate" else f"'{name}' is missing")
        return number(next(words), least, most)

    c = {}
    member("gpube-proof", 1, 1)
    if next(words) != "form" or (form := next(words)) not in ("tables", "steps", "cycles"):
        raise Refused("it has no form")
    c["domains"] = [number(next(words), 1, MOST_COUNT) for _ in range(member("variables", 0, MOST_COUNT - 1))]
    for name, *limits in (("functions", 0, MOST_COUNT), ("decimals", 0, 18), ("cap", 0, MOST - 1), ("shift", 0, 40), ("bound",)):
        c[name] = member(name, *limits)
    if form == "tables":
        read_tables(words, c, member)
    elif form == "cycles":
        read_cycles(words, c, member)
    else:
        c["limit"] = member("limit")
        c["cases"] = read_cases(words, c, member)
    if next(words, None) is not None:
        raise Refused("something follows the proof")
    return c


def add_polynomial(total, domains, scope, cells, factor):
    """Coefficients of the values that are no variable's first."""
    cells = list(cells)
    stride = 1
    for v in reversed(scope):
        d = domains[v]
        for at in range(len(cells)):
            x = at // stride % d
            if x:
                cells[at] -= cells[at - x * stride]
        stride *= d
    for values, coefficient in zip(itertools.product(*(range(domains[v]) for v in scope)), cells):
        if coefficient:
            key = tuple((v, a) for v, a in zip(scope, values) if a)
            total[key] = total.get(key, 0) + factor * coefficient


def relaxed(p, cap):
    """The relaxed problem: a constant, and functions as (ascending scope, what each cell costs above the least)."""
    constant, functions = p.constant, []
    for scope, costs, default in p.functions:
        cells = p.cells(scope)
        allowed = [c for c in costs.values() if c is not None]
        if default is not None and len(costs) < cells:
            allowed.append(default)
        least = min(allowed, default=0)
        constant += least
        if cells > MOST_CELLS or len(scope) > MOST_ARITY:
            continue
        order = sorted(range(len(scope)), key=lambda k: scope[k])
        ascending = [scope[k] for k in order]
        table = []
        for values in itertools.product(*(range(p.domains[v]) for v in ascending)):
            given = [0] * len(scope)
            for k, a in zip(order, values):
                given[k] = a
            cost = costs.get(tuple(given), default)
            table.append(cap if cost is None else min(cost - least, cap))
        if scope:
            functions.append((ascending, table))
        else:
            constant += table[0]
    functions += [([v], [0 if x == a else cap for x in range(p.domains[v])]) for v, a in sorted(p.observed.items())]
    return constant, functions


class Search:
    """What a block's tables add up to at least above their least cells, minimised along an order."""

    def __init__(self, c, block):
        self.domains = c["domains"]
        rank = {v: k for k, v in enumerate(c["order"])}
        variables = sorted({v for scope, _ in block for v in scope}, key=rank.get)
        self.tables = {v: [] for v in variables}  # of the variable that comes first: cells, its step, the others' steps
        above = {v: set() for v in variables}  # the later variables on which it and what is below it depend
        for scope, cells in block:
            if not scope:
                continue
            least = min(cells)
            steps, step = [], 1
            for v in reversed(scope):
                steps.append((v, step))
                step *= self.domains[v]
            first = min(scope, key=rank.get)
            self.tables[first].append(([cell - least for cell in cells], dict(steps)[first], [(v, s) for v, s in steps if v != first]))
            above[first].update(v for v in scope if v != first)
        self.children = {v: [] for v in variables}
        self.roots = []
        for v in variables:
            if above[v]:
                parent = min(above[v], key=rank.get)
                self.children[parent].insert(0, v)
                above[parent] |= above[v] - {parent}
            else:
                self.roots.insert(0, v)
        self.context = {v: sorted(above[v]) for v in variables}
        # what comes up again with the same context is kept: not where that has all that its parent's has
        self.keeps = {v: False for v in variables}
        self.value, self.known, depth = {}, {}, dict.fromkeys(variables, 0)
        for v in reversed(variables):
            if depth[v] >= DEEPEST:
                raise Refused("the order makes too long a path")
            for child in self.children[v]:
                depth[child] = depth[v] + 1
                self.keeps[child] = bool(self.children[child]) and len(above[child]) <= len(above[v])

    def sum_of(self, variables, cost, need):
        """The least of their totals and the cost, if it is below need; otherwise a number that it is not below."""
        for v in variables:
            if cost >= need:
                break
            cost += self.least(v, need - cost)
        return cost

    def least(self, var, need):
        value = self.value
        if self.keeps[var]:
            key = (var, *[value[v] for v in self.context[var]])
            known, exact = self.known.get(key, (0, False))
            if exact or known >= need:
                return known
        row = [0] * self.domains[var]
        for cells, step, others in self.tables[var]:
            at = sum(value[v] * s for v, s in others)
            row = [cost + cell for cost, cell in zip(row, cells[at:at + step * len(row):step])]
        best = None
        for cost, a in sorted(zip(row, range(len(row)))):
            most = need if best is None else min(best, need)
            if cost < most:
                value[var] = a
                cost = self.sum_of(self.children[var], cost, most)
            best = cost if best is None else min(best, cost)
        if self.keeps[var]:
            self.known[key] = (best, best < need)
        return best


def least_of_tables(c, need):
    """What all tables add up to at least, if it is below need; otherwise a number that it is not below."""
    total = sum(min(cells) for block in c["blocks"] for _, cells in block)
    need, above = min(need - total, GONE), 0
    for block in c["blocks"]:
        if above < need and len(block) > 1:
            search = Search(c, block)
            above = min(GONE, above + search.sum_of(search.roots, 0, need - above))
    return total + above


# ---- lists ---------------------------------------------------------------------------------------------


def vector(numbers):
    return numpy.array(list(numbers), dtype=numpy.int64) if numpy else list(numbers)


def smallest(numbers):
    if numpy:
        return int(numbers.min()) if len(numbers) else GONE
    return min(numbers, default=GONE)


def forced(costs, cells, n):
    """The least cost of each cell; GONE where there is none."""
    if numpy:
        out = numpy.full(n, GONE, dtype=numpy.int64)
        numpy.minimum.at(out, cells, costs)
        return out
    out = [GONE] * n
    for cost, cell in zip(costs, cells):
        if cost < out[cell]:
            out[cell] = cost
    return out


def added(a, b, missing):
    """Sums; GONE where a part is GONE, or the sum is not below what is missing. 'b' may be below 0."""
    if numpy:
        return numpy.where((a < GONE) & (b < GONE) & (a + b < missing), a + b, GONE)
    return [x + y if x < GONE and y < GONE and x + y < missing else GONE for x, y in zip(a, b)]


def at(numbers, cells):
    return numbers[cells] if numpy else [numbers[cell] for cell in cells]


class List:
    """Assignments of its variables that are still possible, and what each costs."""

    def __init__(self, scope, keys, costs):
        self.scope, self.keys, self.costs = scope, keys, vector(costs)

    def keep(self, most):
        """Entries that cost less; those of all that is known of entries, too."""
        if numpy:
            kept = numpy.flatnonzero(self.costs < most)
        else:
            kept = [i for i, cost in enumerate(self.costs) if cost < most]
        if len(kept) < len(self.keys):
            self.keys = [self.keys[i] for i in kept]
            self.costs = at(self.costs, kept)
        return kept


class Separator:
    def __init__(self, scope, members):
        self.scope, self.members = scope, members  # numbers of lists
        self.own, self.cells = None, []

    def number(self, lists):
        known = {}
        for j in self.members:
            places = [lists[j].scope.index(v) for v in self.scope]
            numbers = [known.setdefault(tuple([key[k] for k in places]), len(known)) for key in lists[j].keys]
            self.cells.append(numpy.array(numbers, dtype=numpy.int64) if numpy else numbers)
        self.own = vector([0] * len(known))


class Stages:
    def __init__(self, c, constant, functions):
        self.domains = c["domains"]
        self.constant, self.n_sweeps, self.separators = 0, 0, []
        self.target = ((c["limit"] - constant - 1) << c["shift"]) + 1
        self.lists = []
        for scope, table in functions:
            cells = [(key, cost << c["shift"]) for key, cost in
                     zip(itertools.product(*(range(self.domains[v]) for v in scope)), table)]
            cells = [(key, cost) for key, cost in cells if cost < self.target]
            self.lists.append(List(scope, [key for key, _ in cells], [cost for _, cost in cells]))
        self.fixed = {}

    def copy(self):
        """Of lists without separators."""
        other = object.__new__(Stages)
        other.__dict__.update(self.__dict__)
        other.fixed = dict(self.fixed)
        other.lists = [List(a.scope, a.keys, list(map(int, a.costs))) for a in self.lists]
        return other

    def missing(self):
        return self.target - self.constant

    def unite(self):
        """Costs of the separators go to the first list that has each."""
        for b in self.separators:
            first = self.lists[b.members[0]]
            first.costs = added(first.costs, at(b.own, b.cells[0]), GONE)
        self.separators = []
        for a in self.lists:
            a.keep(self.missing())

    def narrow(self):
        """Values with which all lists cost as much as is missing go, and variables that have one value left."""
        missing, sums = self.missing(), {}
        for a in self.lists:
            costs = list(map(int, a.costs))
            for k, v in enumerate(a.scope):
                least = {}
                for key, cost in zip(a.keys, costs):
                    least[key[k]] = min(cost, least.get(key[k], GONE))
                row = sums.setdefault(v, [0] * self.domains[v])
                for x in range(self.domains[v]):
                    row[x] += least.get(x, missing)
        left = {v: {x for x, cost in enumerate(row) if cost < missing} for v, row in sums.items()}
        if not all(left.values()):
            self.constant = self.target
        self.fixed.update((v, min(values)) for v, values in left.items() if len(values) == 1)
        lists, self.lists = self.lists, []
        for a in lists:
            kept = [i for i, key in enumerate(a.keys) if all(x in left[v] for v, x in zip(a.scope, key))]
            places = [k for k, v in enumerate(a.scope) if v not in self.fixed]
            b = List([a.scope[k] for k in places], [tuple([a.keys[i][k] for k in places]) for i in kept],
                     [int(a.costs[i]) for i in kept])
            if not kept:
                self.constant = self.target
            elif places:
                self.lists.append(b)
            else:
                self.constant += min(int(b.costs[0]), self.missing())

    def keep(self, split, has_all):
        """What is left where all of these variables have their values, or where not all have."""
        other = any(v in self.fixed and self.fixed[v] != x for v, x in split)
        split = [(v, x) for v, x in split if v not in self.fixed]
        if other if has_all else not other and not split:
            self.constant = self.target
        for a in [] if other else self.lists:
            looks = [(a.scope.index(v), x) for v, x in split if v in a.scope]
            if not looks or (not has_all and len(looks) < len(split)):
                continue
            kept = [i for i, key in enumerate(a.keys) if all(key[k] == x for k, x in looks) == has_all]
            a.keys = [a.keys[i] for i in kept]
            a.costs = vector([int(a.costs[i]) for i in kept])
        if not all(a.keys for a in self.lists):
            self.constant = self.target

    def join(self, scope, old, taken):
        """Assignments that all old lists within say are possible; they cost what no new list has taken."""
        missing = self.missing()
        entries, there = [((), 0, 0)], set()
        while len(there) < len(scope):
            # the next variables at once that an old list has, and no others: one by one their values would be many
            rest = scope[len(there):]
            next_ones = [x for x in old if 1 < len(x[0]) <= len(rest) and x[0] == set(rest[:len(x[0])])]
            if next_ones:
                variables, known_as, costs = max(next_ones, key=lambda x: len(x[0]))
                new = rest[:len(variables)]
                values = [tuple([key[known_as.index(v)] for v in new]) for key in costs]
            else:
                new = rest[:1]
                values = [(x,) for x in range(self.domains[new[0]])]
            there.update(new)
            within = [k for k, (variables, _, _) in enumerate(old) if variables <= there and variables & set(new)]
            within.sort(key=lambda k: -len(old[k][0]))
            looks = [([scope.index(u) for u in old[k][1]], old[k][2], 0 if taken[k] else 1) for k in within]
            more = []
            for key, total, own in entries:
                for x in values:
                    longer, sum_of_all, mine = key + x, total, own
                    for places, costs, counts in looks:
                        cost = costs.get(tuple([longer[k] for k in places]))
                        if cost is None or sum_of_all + cost >= missing:
                            break
                        sum_of_all += cost
                        mine += counts * cost
                    else:
                        more.append((longer, sum_of_all, mine))
            entries = more
        return List(scope, [key for key, _, _ in entries], [own for _, _, own in entries])

    def make_lists(self, new):
        new = [([v for v in scope if v not in self.fixed], sum(v not in self.fixed for v in scope[len(scope) - n:]))
               for scope, n in new]
        old = [(set(a.scope), a.scope, dict(zip(a.keys, map(int, a.costs)))) for a in self.lists]
        taken = [False] * len(old)
        lists = []
        for scope, _ in new:
            lists.append(self.join(scope, old, taken))
            for k, (variables, _, _) in enumerate(old):
                taken[k] |= variables <= set(scope)
        lists += [a for a, gone in zip(self.lists, taken) if not gone]
        for k, (scope, n_leaving) in enumerate(new):
            leaving = set(scope[len(scope) - n_leaving:])
            if any(leaving & set(a.scope) for a in lists[:k] + lists[k + 1:] if leaving):
                raise Refused("a variable leaves a list, and is in another")
        for a, (scope, n_leaving) in zip(lists, new):
            if n_leaving:
                least = {}
                for key, cost in zip(a.keys, map(int, a.costs)):
                    key = key[:len(scope) - n_leaving]
                    least[key] = min(cost, least.get(key, GONE))
                a.__init__(scope[:len(scope) - n_leaving], list(least), least.values())
        self.lists = lists
        for a in lists:
            least = smallest(a.costs)
            self.constant += min(least, self.missing())
            if self.missing() <= 0:
                return
            a.costs = a.costs - least if numpy else [cost - least for cost in a.costs]
            a.keep(self.missing())

    def separate(self):
        sets = [frozenset(a.scope) for a in self.lists]
        found = {x & y for x, y in itertools.combinations(set(sets), 2)}
        found |= {x for x in sets if sets.count(x) > 1}
        found = {x for x in found if len(x) > 1}
        classes = {}
        for v in range(len(self.domains)):
            classes.setdefault(tuple([j for j, x in enumerate(sets) if v in x]), []).append(v)
        found |= {frozenset(variables) for lists, variables in classes.items() if len(lists) > 1}
        for x in sorted(found, key=lambda x: (max(x), -len(x), sorted(x))):
            self.separators.append(Separator(sorted(x), [j for j, y in enumerate(sets) if x <= y]))
            self.separators[-1].number(self.lists)
        self.first, self.last = {}, {}
        for k, b in enumerate(self.separators):
            for j in b.members:
                self.first.setdefault(j, k)
                self.last[j] = k

    def ask(self, k, back):
        b = self.separators[k]
        takes = [self.first[j] < k if back else self.last[j] > k for j in b.members]
        others = [self.last[j] > k if back else self.first[j] < k for j in b.members]
        out, parts = sum(takes), max(sum(takes), sum(others))
        parts_of, total = [], b.own
        for j, cells in zip(b.members, b.cells):
            parts_of.append(forced(self.lists[j].costs, cells, len(b.own)))
            total = added(total, parts_of[-1], self.missing())
        rise = smallest(total)
        if rise >= self.missing():
            self.constant = self.target
            return
        self.constant += rise
        missing = self.missing()
        if numpy:
            left = numpy.where(total < GONE, total - rise, GONE)
            alive = left < missing
            part = numpy.where(alive, left // parts if parts else 0, GONE)
            b.own = numpy.where(alive, left - part * out, GONE)
            nothing = numpy.where(alive, 0, GONE)
            mores = [numpy.where(alive, (part if t else nothing) - m, GONE) for t, m in zip(takes, parts_of)]
        else:
            left = [x - rise if x - rise < missing else GONE for x in total]
            part = [x if x == GONE else x // parts if parts else 0 for x in left]
            b.own = [x if x == GONE else x - s * out for x, s in zip(left, part)]
            mores = [[GONE if s == GONE else (s if t else 0) - x for s, x in zip(part, m)] for t, m in zip(takes, parts_of)]
        for j, cells, more in zip(b.members, b.cells, mores):
            self.lists[j].costs = added(self.lists[j].costs, at(more, cells), missing)

    def sweep(self):
        back = self.n_sweeps % 2 == 1
        self.n_sweeps += 1
        for i in range(len(self.separators)):
            self.ask(len(self.separators) - 1 - i if back else i, back)
            if self.missing() <= 0:
                return
        cells_of = {}
        for b in self.separators:
            for e, j in enumerate(b.members):
                cells_of.setdefault(j, []).append((b, e))
        for j, a in enumerate(self.lists):
            n = len(a.keys)
            kept = a.keep(self.missing())
            if len(kept) < n:
                for b, e in cells_of.get(j, []):
                    b.cells[e] = at(b.cells[e], kept)

    def go_through(self, stages):
        for new, n_sweeps in stages:
            if self.missing() <= 0:
                break
            self.unite()
            self.narrow()
            if self.missing() > 0:
                self.make_lists(new)
            if self.missing() > 0 and n_sweeps:
                self.separate()
            for _ in range(n_sweeps):
                if self.missing() > 0:
                    self.sweep()


def least_case(c, root, unit):
    """What every total is above the constant, at least, in the worst leaf; or the limit, where all below it are impossible."""
    least, waiting = root.target, [root]
    for stages, split in c["cases"]:
        here = waiting.pop()
        if here.missing() > 0:
            here.go_through(stages)
        if not split:
            least = min(least, here.constant)
            continue
        if here.missing() <= 0:  # so is all that is below
            waiting += [here, here]
            continue
        here.unite()
        other = here.copy()
        other.keep(split, False)
        here.keep(split, True)
        waiting += [other, here]
    return least if least < root.target else root.target - 1 + unit


def check_sums(p, c):
    total, unit = {(): c["constant"]}, 1 << c["shift"]
    for block in c["blocks"]:
        for scope, cells in block:
            add_polynomial(total, p.domains, scope, cells, 1)
    constant, functions = relaxed(p, c["cap"])
    add_polynomial(total, p.domains, [], [constant], -unit)
    for scope, cells in functions:
        add_polynomial(total, p.domains, scope, cells, -unit)
    if any(total.values()):
        raise Refused("the tables do not add up to the problem")


def prove_by_steps(p, c):
    constant, functions = relaxed(p, c["cap"])
    unit = 1 << c["shift"]
    if c["limit"] <= constant:
        return min(constant, c["bound"]) << c["shift"]
    if (c["limit"] - constant) * unit > 1 << 61:
        raise Refused("the limit is too far above the constant")
    return min(constant * unit + least_case(c, Stages(c, constant, functions), unit), c["bound"] * unit)


class Graph:
    """Cuts of it cost what the relaxed problem does, or less; costs are in units of 2^-S, edges 0: open, 1: whole, 2: cut."""

    def __init__(self, p, c):
        self.c, self.n, self.unit = c, len(p.domains), 1 << c["shift"]
        self.constant, functions = relaxed(p, c["cap"])
        above, all_there = 0, True
        ends, twice, alone, pairs = [(i, self.n) for i in range(self.n)], [0] * self.n, [0] * self.n, {}
        for scope, costs in functions:
            if len(scope) > 2 or any(p.domains[v] > 2 for v in scope):
                all_there = False
                continue
            size = [p.domains[v] for v in scope]

            def cell(x, y):
                return costs[min(x, size[0] - 1) * size[-1] + min(y, size[-1] - 1)] if len(size) > 1 else costs[min(x, size[0] - 1)]

            above += cell(0, 0)
            own = [cell(1, 0) - cell(0, 0), cell(0, 1) - cell(0, 0)]
            differ = cell(0, 1) + cell(1, 0) - cell(0, 0) - cell(1, 1) if len(scope) > 1 else 0
            for v, cost in zip(scope, own):
                alone[v] += cost
                twice[v] += 2 * cost - differ
            if len(scope) > 1:
                pairs[tuple(scope)] = pairs.get(tuple(scope), 0) + differ
        self.ends = ends + sorted(pairs)
        self.weight = [w * self.unit // 2 for w in twice + [pairs[s] for s in sorted(pairs)]]
        self.step = math.gcd(*alone, *pairs.values()) or 1 if all_there else 1
        self.above = above
        below = c["limit"] - 1 - self.constant
        self.target = (below - (below - above) % self.step) * self.unit + 1

    def check_file(self):
        for edges, _ in self.c["rows"]:
            if len(set(edges)) < len(edges) or max(edges) >= len(self.ends):
                raise Refused("a row has an edge twice, or one that is not there")
            odd = set()
            for e in edges:
                odd ^= set(self.ends[e])
            if odd:
                raise Refused("a row is no closed walk")
        if any(edge is not None and edge >= len(self.ends) for _, edge in self.c["nodes"]):
            raise Refused("an edge that is split is not there")
        if self.c["fixed"] is not None and (any(self.weight[:self.n]) or min(self.c["domains"]) < 2):
            raise Refused("a variable cannot be fixed")

    def propagate(self, edges):
        """What fixed edges say of open ones; False: they exclude each other."""
        around = [[] for _ in range(self.n + 1)]
        for e, (a, b) in enumerate(self.ends):
            if edges[e]:
                around[a].append((b, edges[e] == 2))
                around[b].append((a, edges[e] == 2))
        side = [None] * (self.n + 1)
        for root in range(self.n + 1):
            if side[root]:
                continue
            side[root], waiting = (root, False), [root]
            while waiting:
                a = waiting.pop()
                for b, differs in around[a]:
                    if side[b] is None:
                        side[b] = root, side[a][1] ^ differs
                        waiting.append(b)
                    elif side[b][1] != side[a][1] ^ differs:
                        return False
        for e, (a, b) in enumerate(self.ends):
            if not edges[e] and side[a][0] == side[b][0]:
                edges[e] = 1 + (side[a][1] != side[b][1])
        return True

    def take_step(self, edges, prices):
        """The bound; edges are fixed that it excludes otherwise."""
        bound, reduced = self.above * self.unit, list(self.weight)
        for r, price in prices:
            row, n_odd = self.c["rows"][r]
            bound -= price * (n_odd - 1)
            for k, e in enumerate(row):
                reduced[e] += price if k < n_odd else -price
        bound += sum(r for r, is_ in zip(reduced, edges) if is_ == 2 or (not is_ and r < 0))
        for e, r in enumerate(reduced):
            if bound < self.target and not edges[e] and bound + abs(r) >= self.target:
                edges[e] = 2 if r < 0 else 1
        return bound

    def least(self):
        least = self.target
        waiting = [(0, [1 if i < self.n and (self.c["domains"][i] < 2 or i == self.c["fixed"]) else 0 for i in range(len(self.ends))])]
        for steps, edge in self.c["nodes"]:
            best, edges = waiting.pop()
            proved = best >= self.target or not self.propagate(edges)
            for prices in steps:
                if not proved:
                    best = max(best, self.take_step(edges, prices))
                    proved = best >= self.target or not self.propagate(edges)
            if edge is None:
                least = least if proved else min(least, best)
                continue
            for kind in (2, 1):
                child = list(edges)
                child[edge] = kind
                waiting.append((self.target if proved or edges[edge] == 3 - kind else best, child))
        whole = -(-least // self.unit)
        return (whole + (self.above - whole) % self.step) * self.unit


def prove_by_cycles(p, c):
    g = Graph(p, c)
    g.check_file()
    return min(g.constant * g.unit + g.least(), c["bound"] * g.unit)


def check(model, certificate):
    p = read_problem(model)
    c = read_certificate(certificate)
    if p.potentials is not None and not 1 <= c["decimals"] <= 12:
        raise Refused("potentials have 1 to 12 decimals")
    error = round_potentials(p, c["decimals"]) if p.potentials is not None else 0
    if c["domains"] != p.domains or c["functions"] != len(p.functions) or c["decimals"] != p.decimals:
        raise Refused("it is of another problem")
    # as much as is claimed
    if "cases" in c:
        proved = prove_by_steps(p, c)
    elif "nodes" in c:
        proved = prove_by_cycles(p, c)
    else:
        check_sums(p, c)
        claimed = c["bound"] << c["shift"]
        proved = min(c["constant"] + least_of_tables(c, claimed - (1 << c["shift"]) + 1 - c["constant"]), claimed)
    proved = -(-proved >> c["shift"])
    if proved != c["bound"]:
        raise Refused(f"it proves {proved}, not {c['bound']}")
    proved -= error
    return decimal.Decimal(-proved if p.maximise else proved).scaleb(-p.decimals)


# ---- models -------------------------------------------------------------------------------------------


def draw_scopes(r, n):
    return [r.sample(range(n), r.randint(1, min(3, n))) for _ in range(r.randint(n, 2 * n))]


def random_wcsp(r):
    n = r.randint(3, 7)
    d = [r.randint(1, 4) for _ in range(n)]
    top = r.choice([30, 1000, 10**12])
    scopes = draw_scopes(r, n)
    lines = [f"p {n} {max(d)} {len(scopes) + 1} {top}", " ".join(map(str, d))]
    for s in scopes:
        tuples = [t for t in itertools.product(*(range(d[v]) for v in s)) if r.random() < 0.7]
        lines.append(" ".join(map(str, [len(s)] + s + [r.choice([0, 3, top]), len(tuples)])))
        lines += [" ".join(map(str, t + (top if r.random() < 0.1 else r.randint(0, top // 3),))) for t in tuples]
    lines.append("0 5 0")
    return "\n".join(lines) + "\n"


def random_cfn(r):
    n = r.randint(3, 7)
    d = [r.randint(1, 4) for _ in range(n)]
    decimals = r.randint(0, 6)

    def number():
        return "inf" if r.random() < 0.05 else f"{r.uniform(-9, 9):.{decimals}f}"

    functions = []
    for k, s in enumerate(draw_scopes(r, n)):
        cells = ",".join(number() for _ in range(math.prod(d[v] for v in s)))
        functions.append("f%d: {scope: [%s], costs: [%s]}" % (k, ",".join(f"x{v}" for v in s), cells))
    return '{problem: {name: "r", mustbe: "%s999"},\nvariables: {%s},\nfunctions: {%s}}\n' % (
        r.choice(["<", ">-"]), ", ".join(f"x{i}: {d[i]}" for i in range(n)), ",\n".join(functions))


def random_uai(r):
    n = r.randint(3, 7)
    d = [r.randint(1, 3) for _ in range(n)]
    scopes = draw_scopes(r, n)
    small = r.random() < 0.3

    def potential_text():
        if small and r.random() < 0.1:  # a double has few of its bits
            return f"{r.uniform(1, 9):.{r.randint(0, 12)}f}e-{r.randint(305, 323)}"
        return f"{r.uniform(0.001, 2):.5f}"

    lines = ["MARKOV", str(n), " ".join(map(str, d)), str(len(scopes))]
    lines += [" ".join(map(str, [len(s)] + s)) for s in scopes]
    for s in scopes:
        cells = math.prod(d[v] for v in s)
        lines += [str(cells), " ".join("0" if r.random() < 0.05 else potential_text() for _ in range(cells))]
    observed = r.randrange(n)
    return "\n".join(lines) + "\n", f"1 {observed} {r.randrange(d[observed])}\n"


def write_random(seed, directory):
    r = random.Random(seed)

    def put(name, text):
        with open(os.path.join(directory, name), "w", encoding="ascii") as f:
            f.write(text)

    put(f"{seed}.wcsp", random_wcsp(r))
    put(f"{seed}.cfn", random_cfn(r))
    text, evidence = random_uai(r)
    put(f"{seed}.uai", text)
    if seed % 2:
        put(f"{seed}.uai.evid", evidence)


def main(args):
    if args[0] == "random":
        write_random(int(args[1]), args[2])
        return 0
    if args[0] == "all":
        names = [n for n in os.listdir(args[1]) if n.endswith(".json")]
        for name in names:
            path = os.path.join(args[1], name)
            check(path, path[:-4] + "cert")
        print(f"{len(names)} certificates")
        return 0
    try:
        bound = check(args[1], args[2])
    except Refused as e:
        print(f"refused: {e}")
        return 1
    except (StopIteration, ValueError) as e:
        print(f"refused: it is cut off, or has a word that is no number ({e})")
        return 1
    print(f"{bound:f}")
    if len(args) > 3 and decimal.Decimal(args[3]) != bound:
        print(f"gpube said {args[3]}")
        return 1
    return 0


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    threading.stack_size(1 << 29)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(main(sys.argv[1:])))
    thread.start()
    thread.join()
    sys.exit(ended[0] if ended else 1)
