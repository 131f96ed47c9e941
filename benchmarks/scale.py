#!/usr/bin/env python3
"""How gpube-mpi solve would grow to thousands of ranks: a simulation of gpube/deal/deal_solve.c, as a table.

scale.py PIECES.csv --ranks 64,256,1024,4096  with the pieces of a tree that bench_nodes has recorded.

Assumptions:
- The tree is the recorded one: pieces, what each leaves open, their bounds and times. The incumbent is optimal when it is
  shared, so that no number of ranks visits more or fewer nodes; measured on 2 and 3 ranks, their sum is 0.9 to 1.0 times
  that of one rank.
- It is --copies times as large, as if that many stood beside each other below the root, and each node takes --slower times
  as long, for a recording is of minutes and a proof that needs so many ranks takes days. What is below is of ranks of one
  thread that are equally fast, and do nothing else.
- A letter takes --latency seconds and --bandwidth bytes a second on its way. Who reads or writes one works --letter seconds
  for it, and --byte for each byte; rank 0 looks at each rank's queue every time (--probe). It does so in the time of the
  thread that searches, on all ranks. A letter is read at most --nap seconds after it came.
- The root, --root bytes packed, is written once and sent to each; nodes are as in tree_bytes.c, 6 bytes and 4 a decision.
- Sending does not wait, and the network has no traffic jams; ranks give no signs of life but to rank 0.

Told are: elapsed seconds and how many times as fast as one rank that is; the part of their time in which ranks have no piece,
and the longest time that one waits; letters that rank 0 reads and writes, and the part of its time that they take; the most
open nodes that a rank has, and their bytes; the most that rank 0 has lent, which it keeps until they are closed.
"""
import csv
import heapq

import common

MOST_NODES, SHARES_EACH, STATE_SECONDS, STATE_RANKS, RUN_NODES = 64, 2, 0.1, 64, 64
LETTER_BYTES, NODE_BYTES, DECISION_BYTES, OPEN_BYTES = 40, 6, 4, 56  # the last: of a node in memory, whose path is shared
COLUMNS = ("ranks", "s", "times as fast", "idle", "longest wait s", "letters to rank 0", "from rank 0", "nodes lent",
           "rank 0's letters", "open a rank", "lent at once", "MiB at rank 0")


class Tree:
    def __init__(self, path):
        with open(path, newline="", encoding="ascii") as f:
            rows = list(csv.DictReader(f))
        self.below, self.top = [[] for _ in rows], []
        for i, r in enumerate(rows):
            (self.below[int(r["left_by"])] if int(r["left_by"]) >= 0 else self.top).append(i)
        self.bound = [int(r["bound"]) for r in rows]
        self.decisions = [int(r["decisions"]) for r in rows]
        self.seconds = [float(r["seconds"]) for r in rows]


class Rank:
    def __init__(self, number):
        self.number, self.open, self.working, self.at = number, [], False, None
        self.busy_seconds, self.owes, self.idle_since, self.longest = 0.0, 0.0, 0.0, 0.0
        self.asked, self.told, self.given, self.most = False, 0.0, 0, 0
        # what rank 0 knows of it
        self.known_busy, self.known_asked, self.lent = False, False, 0


class Simulation:
    """Events are (time, number, what, rank, argument); a rank's letters are work that it owes before its next piece."""

    def __init__(self, o, tree, n):
        self.o, self.tree, self.n = o, tree, n
        self.ranks = [Rank(r) for r in range(n)]
        self.events, self.count, self.now, self.left = [], 0, 0.0, 0
        self.to_hub = self.from_hub = self.n_lent = self.out = self.most_out = 0
        self.hub_seconds, self.serve_at = 0.0, -1.0

    def at(self, time, what, rank, argument=None):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, what, rank, argument))

    def letter(self, sender, to, what, nodes=(), n_bytes=0):
        o = self.o
        size = LETTER_BYTES + n_bytes + sum(NODE_BYTES + DECISION_BYTES * self.tree.decisions[i] for _, _, i in nodes)
        cost = o.letter + size * o.byte
        for rank in sender, to:
            rank.owes += cost
            if rank.number == 0:
                self.hub_seconds += cost
        self.to_hub += to.number == 0
        self.from_hub += sender.number == 0
        self.at(self.now + o.latency + size / o.bandwidth + o.nap / 2, what, to, (sender, list(nodes)))

    # ---- all

    def push(self, rank, node):
        heapq.heappush(rank.open, node)
        rank.most = max(rank.most, len(rank.open))

    def begin(self, rank):
        """The next piece, if there is one."""
        if rank.working or not rank.open:
            return
        bound, depth, i = heapq.heappop(rank.open)
        rank.working, rank.at = True, i
        rank.longest = max(rank.longest, self.now - rank.idle_since)
        seconds = self.tree.seconds[i] * self.o.slower
        rank.busy_seconds += seconds
        owed, rank.owes = rank.owes, 0.0
        self.at(self.now + owed + seconds, self.ended, rank)

    def ended(self, rank, _):
        rank.working = False
        self.left -= 1
        for i in self.tree.below[rank.at]:
            self.left += 1
            self.push(rank, (self.tree.bound[i], -self.tree.decisions[i], i))
        rank.idle_since = self.now
        if rank.number == 0:
            self.wake()
        else:
            self.report(rank)
        self.begin(rank)

    # ---- a guest

    def report(self, rank):
        if rank.asked and (len(rank.open) > 1 or (rank.open and rank.working)):
            n = min(MOST_NODES, (len(rank.open) + rank.working) // 2)
            rank.asked = False
            self.letter(rank, self.ranks[0], self.got_back, [heapq.heappop(rank.open) for _ in range(n)])
        if not rank.working and not rank.open:
            self.letter(rank, self.ranks[0], self.got_empty)
        elif self.now - rank.told > STATE_SECONDS * (1 + self.n // STATE_RANKS):
            rank.told = self.now
            self.letter(rank, self.ranks[0], self.got_state, n_bytes=16)

    def got_nodes(self, rank, letter):
        for node in letter[1]:
            self.push(rank, node)
        self.begin(rank)

    def got_want(self, rank, _):
        rank.asked = True

    # ---- rank 0

    def wake(self):
        """It serves after what has come together."""
        if self.serve_at < self.now:
            self.serve_at = self.now + max(self.o.nap / 50, self.n * self.o.probe)
            self.at(self.serve_at, self.serve, self.ranks[0])

    def got_back(self, hub, letter):
        letter[0].known_asked = False
        for node in letter[1]:
            self.push(hub, node)
        self.begin(hub)
        self.wake()

    def got_empty(self, _, letter):
        letter[0].known_busy = letter[0].known_asked = False
        self.out -= letter[0].lent
        letter[0].lent = 0
        self.wake()

    def got_state(self, *_):
        self.wake()

    def serve(self, hub, _):
        self.hub_seconds += self.n * self.o.probe
        hub.owes += self.n * self.o.probe
        idle = 0
        for rank in self.ranks[1:]:
            if rank.known_busy:
                continue
            n = min(len(hub.open), MOST_NODES, max(1, len(hub.open) // SHARES_EACH // self.n))
            if not n:
                idle += 1
                continue
            rank.known_busy, rank.known_asked = True, False
            rank.lent += n
            self.n_lent += n
            self.out += n
            self.letter(hub, rank, self.got_nodes, [heapq.heappop(hub.open) for _ in range(n)])
        self.most_out = max(self.most_out, self.out)
        if idle or not (hub.working or hub.open):
            for rank in self.ranks[1:]:
                if rank.known_busy and not rank.known_asked:
                    rank.known_asked = True
                    self.letter(hub, rank, self.got_want)

    def run(self):
        hub = self.ranks[0]
        for _ in range(self.o.copies):
            for i in self.tree.top:
                self.left += 1
                self.push(hub, (self.tree.bound[i], -self.tree.decisions[i], i))
        for rank in self.ranks[1:]:
            self.at(self.o.latency + self.o.root / self.o.bandwidth, self.got_nodes, rank, (hub, []))
        hub.owes += (self.n - 1) * (self.o.letter + self.o.root * self.o.byte)
        self.hub_seconds += hub.owes
        self.from_hub += self.n - 1
        self.begin(hub)
        self.wake()
        while self.left:
            self.now, _, what, rank, argument = heapq.heappop(self.events)
            what(rank, argument)
        alone = self.o.copies * self.o.slower * sum(self.tree.seconds)
        most = max(r.most for r in self.ranks)
        return dict(zip(COLUMNS, (self.n, f"{self.now:.2f}", f"{alone / self.now:.1f}",
                                  f"{1 - alone / self.now / self.n:.3f}", f"{max(r.longest for r in self.ranks[1:] or self.ranks):.3f}",
                                  self.to_hub, self.from_hub, self.n_lent, f"{self.hub_seconds / self.now:.3f}", most,
                                  self.most_out, f"{(hub.most + self.most_out) * OPEN_BYTES / 2**20:.2f}")))


def main():
    p = common.options(__doc__, "--csv", ranks="1,64,256,1024,4096", copies=64, slower=10.0, latency=5e-6, bandwidth=1e9,
                       letter=5e-6, byte=5e-9, probe=3e-7, nap=5e-3, root=100000)
    p.add_argument("pieces")
    o = p.parse_args()
    tree, rows = Tree(o.pieces), []
    print(f"{len(tree.seconds)} pieces of {sum(tree.seconds):.1f} s, {o.copies} copies, {o.slower:g} times as slow: "
          f"{o.copies * o.slower * sum(tree.seconds):.0f} s on one rank\n")
    print("|", " | ".join(COLUMNS), "|\n" + "|---" * len(COLUMNS) + "|")
    for n in map(int, o.ranks.split(",")):
        rows.append(Simulation(o, tree, n).run())
        print("|", " | ".join(str(x) for x in rows[-1].values()), "|", flush=True)
    if o.csv:
        common.write_rows(o.csv, rows)


main()
