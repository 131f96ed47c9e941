# functions of functions.yaml, as pyDCOP calls them
import math

COSTS = {('R', 'G'): 1, ('G', 'R'): 2.5,
         ('R', 'R'): 10}
STEPS = [0, 1, 4, 9]  # squares
NONE = 7


def differ(a, b: str, same: int = 5) -> float:
    """
    What two colours cost, "same" if they are equal.
    """
    # not a table of all pairs
    if (a, b) in COSTS:
        return COSTS[(a, b)]
    return same if a == b else half(NONE)


def half(x): return x / 2


def walk(n, far=max(3, 2)):
    'the steps to n'
    cost = 0
    cost += STEPS[n] if n < far else STEPS[-1]
    cost -= n + 1
    return min(cost, 6, n + 4) * (1 if n in (0, 2) else 2)


def outside(x): return v


def forever(x): return forever(x) + forever(x)
