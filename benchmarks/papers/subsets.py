#!/usr/bin/env python3
"""Subsets that are made in vain, as figure 2 of the auction report has them, counted exactly; Markdown.

The report makes the subset (~C + i) & C for i = 1, 2, … of each coalition C, and leaves out those of more than |C|/2 agents. It does
not print how far i runs; to 2^(|C|-1), as many as there are splits, the shares come nearest to its 18 to 8 %. But then some splits are
made more than once and others never, which 'splits made' shows; only with i to C, where half is of wrong cardinality, none is missed.
Ours number the subsets of C without one of its agents, so that each split is made once and none is left out (dp); idp makes them likewise, and
then fetches no values of those whose parts are larger than n - |C|."""
from math import comb


def report(n, last):
    """Shares: of wrong cardinality among what is made, of splits that are made among all."""
    made = wrong = seen = splits = 0
    for c in range(3, 1 << n):
        k = c.bit_count() if hasattr(c, "bit_count") else bin(c).count("1")
        if k < 2:
            continue
        least, out = ~c & ((1 << n) - 1), set()
        for i in range(1, last(c, k) + 1):
            y = (least + i) & c
            if not y:
                continue
            made += 1
            if 2 * bin(y).count("1") > k:
                wrong += 1
            else:
                out.add(min(y, c ^ y))
        seen += len(out)
        splits += (1 << (k - 1)) - 1
    return 100 * wrong / made, 100 * seen / splits


def idp(n):
    """Share of the splits that idp makes and does not look at."""
    made = vain = 0
    for k in range(2, n):
        most = min(n - k, k - 1)
        if 2 * most < k:
            continue  # this size is not split at all
        refused = sum(comb(k - 1, j) for j in range(1, k) if j > most or k - j > most)
        made += comb(n, k) * ((1 << (k - 1)) - 1)
        vain += comb(n, k) * refused
    return 100 * vain / (made + (1 << (n - 1)) - 1)


print("| agents | the report's subsets, to 2^(size - 1): of wrong cardinality | splits made | to C / 2 | splits made | ours, dp | splits made | ours, idp: made and not fetched |\n|" + "---|" * 8)
for n in (4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 20, 24, 28):
    a = report(n, lambda c, k: 1 << (k - 1)) if n <= 12 else None
    b = report(n, lambda c, k: c // 2) if n <= 12 else None
    print("| %d | %s | %s | 0 %% | 100 %% | %.1f %% |" % (n, "%.1f %% | %.1f %%" % a if a else " | ", "%.1f %% | %.1f %%" % b if b else " | ", idp(n)), flush=True)
