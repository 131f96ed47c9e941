"""gpube nash: all equilibria of a game of two, in fractions."""
from fractions import Fraction

import gpube

#        opera  boxing
hers = [[3, 0],
	[0, 2]]
his = [[2, 0],
	[0, 3]]
for e in gpube.nash(hers, his).equilibria:
	print("she %s, he %s: payoffs %s" % tuple(" ".join(map(str, row)) for row in (e.x, e.y, e.payoffs)))

dice = gpube.Game([[0, Fraction(-1, 3), 1], [Fraction(1, 3), 0, -1], [-1, 1, 0]])  # of sum zero
only, = dice.nash().equilibria
print("mixed by", *only.x)
