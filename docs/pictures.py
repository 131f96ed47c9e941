"""The pictures of "How it works", as SVGs that take their colours from the page that they stand in."""

STYLE = """<style>
.gp { font: 14px var(--font-stack, sans-serif); fill: var(--color-foreground-primary, #111); max-width: 100%; height: auto }
.gp .box { fill: var(--color-background-secondary, #f4f5f7); stroke: var(--color-foreground-muted, #777) }
.gp .mark { fill: var(--color-background-secondary, #f4f5f7); stroke: var(--color-brand-primary, #2457c5); stroke-width: 2 }
.gp .line { fill: none; stroke: var(--color-foreground-muted, #777); stroke-width: 1.3 }
.gp .move { fill: none; stroke: var(--color-brand-primary, #2457c5); stroke-width: 1.8 }
.gp .head { fill: var(--color-brand-primary, #2457c5) }
.gp .dash { stroke-dasharray: 4 4 }
.gp .small { font-size: 12px; fill: var(--color-foreground-secondary, #555) }
.gp .loud { fill: var(--color-brand-primary, #2457c5) }
</style>"""


class Drawing:
	def __init__(self, width, height, about):
		self.width, self.height, self.about, self.parts = width, height, about, []

	def text(self, x, y, words, kind="", anchor="middle"):
		words = words.replace("&", "&amp;").replace("<", "&lt;")
		self.parts.append('<text class="%s" x="%g" y="%g" text-anchor="%s">%s</text>' % (kind, x, y, anchor, words))

	def line(self, x1, y1, x2, y2, kind="line"):
		self.parts.append('<path class="%s" d="M%g %g L%g %g"/>' % (kind, x1, y1, x2, y2))

	def arrow(self, x1, y1, x2, y2, words="", kind="move", dx=0, dy=-6, anchor="middle"):
		n = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** .5
		a, b = (x2 - x1) / n, (y2 - y1) / n
		self.line(x1, y1, x2 - 6 * a, y2 - 6 * b, kind)
		points = [(x2, y2), (x2 - 9 * a + 4 * b, y2 - 9 * b - 4 * a), (x2 - 9 * a - 4 * b, y2 - 9 * b + 4 * a)]
		self.parts.append('<path class="head" d="M%g %g L%g %g L%g %gz"/>' % sum(points, ()))
		self.text((x1 + x2) / 2 + dx, (y1 + y2) / 2 + dy, words, "small", anchor)

	def node(self, x, y, words, kind="box", r=17):
		self.parts.append('<circle class="%s" cx="%g" cy="%g" r="%g"/>' % (kind, x, y, r))
		self.text(x, y + 5, words)

	def box(self, x, y, w, h, words, kind="box", small=""):
		self.parts.append('<rect class="%s" x="%g" y="%g" width="%g" height="%g" rx="5"/>' % (kind, x, y, w, h))
		for k, line in enumerate(words.split("\n")):
			self.text(x + w / 2, y + (h - 18 * words.count("\n") - (15 if small else 0)) / 2 + 5 + 18 * k, line)
		if small:
			self.text(x + w / 2, y + h - 9, small, "small")

	def __str__(self):
		return '%s\n<svg class="gp" role="img" aria-label="%s" viewBox="0 0 %d %d" width="%d">\n%s\n</svg>\n' % (
			STYLE, self.about, self.width, self.height, self.width, "\n".join(self.parts))


def elimination():
	d = Drawing(640, 300, "A primal graph of four variables, and the buckets of an elimination of D, C, B, A")
	at = {"A": (95, 60), "B": (40, 140), "C": (150, 140), "D": (95, 220)}
	for a, b in "AB", "AC", "BD", "CD":
		d.line(*at[a], *at[b])
	d.line(*at["B"], *at["C"], "move dash")
	for name, (x, y) in at.items():
		d.node(x, y, name, "mark" if name == "D" else "box")
	d.text(95, 270, "eliminating D joins B and C", "small")
	rows = [("D", "f(B,D)  f(C,D)", "m(B,C) = min over D"), ("C", "f(A,C)  m(B,C)", "m(A,B) = min over C"),
		("B", "f(A,B)  m(A,B)", "m(A) = min over B"), ("A", "m(A)", "the optimum")]
	for k, (v, tables, message) in enumerate(rows):
		y = 14 + 68 * k
		d.box(290, y, 150, 44, tables, "mark" if k == 0 else "box")
		d.text(272, y + 27, v, "loud")
		d.arrow(365, y + 44, 365, y + 68 if k < 3 else y + 66, message, dx=10, dy=6, anchor="start")
	return d


def minibuckets():
	d = Drawing(640, 250, "A bucket of three functions, and the same divided into two mini-buckets")
	d.text(140, 20, "the bucket of X")
	d.box(30, 32, 220, 44, "f(X,A)  g(X,B)  h(X,C)")
	d.arrow(140, 76, 140, 118, "min over X", dx=8, dy=4, anchor="start")
	d.box(80, 118, 120, 40, "m(A,B,C)", small="")
	d.text(140, 180, "d·d·d cells, exact", "small")
	d.text(460, 20, "mini-buckets of at most 3 variables")
	d.box(320, 32, 140, 44, "f(X,A)  g(X,B)", "mark")
	d.box(520, 32, 90, 44, "h(X,C)", "mark")
	d.arrow(462, 48, 518, 48, "λ(X)", dy=-8)
	d.arrow(518, 62, 462, 62)
	d.arrow(390, 76, 390, 118, "min over X", dx=8, dy=4, anchor="start")
	d.arrow(565, 76, 565, 118, "min", dx=8, dy=4, anchor="start")
	d.box(340, 118, 100, 40, "m(A,B)")
	d.box(525, 118, 80, 40, "m(C)")
	d.text(475, 180, "d·d + d cells, a lower bound", "small")
	d.text(320, 222, "min (f + g + h)  ≥  min (f + g + λ)  +  min (h − λ)")
	return d


def consistency():
	d = Drawing(640, 260, "Costs of two variables before and after soft arc consistency: the constant rises from 0 to 1")

	def model(x, constant, unary, pairs, words):
		d.box(x, 20, 236, 34, "constant %d" % constant, "mark" if constant else "box")
		for k, name in enumerate("XY"):
			d.text(x + (30, 206)[k], 84, name, "loud")
			for v in range(2):
				d.node(x + (30, 206)[k], 112 + 66 * v, "ab"[v])
				d.text(x + (3, 233)[k], 117 + 66 * v, str(unary[k][v]) if unary[k][v] else "0", "")
		for (u, v), c in pairs.items():
			d.line(x + 47, 112 + 66 * u, x + 189, 112 + 66 * v)
			t = .5 if u == v else .3
			d.text(x + 47 + 142 * t, 112 + 66 * (u + (v - u) * t) - 6, str(c), "small")
		d.text(x + 118, 232, words, "small")

	model(20, 0, ((0, 1), (0, 0)), {(0, 0): 1, (0, 1): 2}, "f(a,·) costs at least 1, and so does X = b")
	d.arrow(275, 145, 360, 145, "move", dy=-9)
	model(382, 1, ((0, 0), (0, 0)), {(0, 1): 1}, "every assignment costs what it did")
	return d


def search():
	d = Drawing(640, 300, "A search tree over A, B, C beside the AND/OR tree of the same problem, where B and C do not meet")
	d.text(150, 20, "one path an assignment: 14 nodes")
	d.text(475, 20, "subproblems apart: 10 nodes")

	def tree(x, y, w, depth, at):
		name = "ABC"[depth] if depth < 3 else None
		if name:
			d.text(x, y + 5, name, "loud")
			for v in range(2):
				nx = x + (v * 2 - 1) * w / 2
				d.line(x, y + 9, nx, y + 50)
				d.parts.append('<circle class="box" cx="%g" cy="%g" r="9"/>' % (nx, y + 58))
				d.text(nx, y + 62, str(v), "small")
				if depth < 2:
					d.line(nx, y + 67, nx, y + 76)
				tree(nx, y + 85, w / 2, depth + 1, at)

	tree(150, 38, 144, 0, None)
	d.text(475, 43, "A", "loud")
	for v in range(2):
		x = 475 + (v * 2 - 1) * 80
		d.line(475, 47, x, 88)
		d.parts.append('<circle class="mark" cx="%g" cy="%g" r="9"/>' % (x, 96))
		d.text(x, 100, str(v), "small")
		for k, name in enumerate("BC"):
			cx = x + (k * 2 - 1) * 40
			d.line(x, 105, cx, 138)
			d.text(cx, 154, name, "loud")
			for value in range(2):
				nx = cx + (value * 2 - 1) * 16
				d.line(cx, 158, nx, 196)
				d.parts.append('<circle class="box" cx="%g" cy="%g" r="9"/>' % (nx, 204))
				d.text(nx, 208, str(value), "small")
	d.text(475, 245, "given A, the best B and the best C are", "small")
	d.text(475, 262, "found separately, and their costs added", "small")
	return d


def pairwise():
	d = Drawing(640, 250, "Three regions with overlapping variables; costs move across the separators that they share")
	d.box(30, 60, 150, 60, "{A, B, C}", "mark", "min 3")
	d.box(245, 60, 150, 60, "{B, C, D}", "mark", "min 2")
	d.box(460, 60, 150, 60, "{C, D, E}", "mark", "min 4")
	for x, words in (180, "B, C"), (395, "C, D"):
		d.arrow(x + 2, 82, x + 63, 82, "λ(%s)" % words, dy=-8)
		d.arrow(x + 63, 98, x + 2, 98)
		d.text(x + 32, 118, "separator", "small")
	for x in 105, 320, 535:
		d.arrow(x, 120, x, 166)
	d.box(30, 166, 580, 36, "lower bound  3 + 2 + 4 = 9")
	d.text(320, 30, "each region has a table, or a list of its possible tuples")
	d.text(320, 228, "moving costs never changes an assignment's total, and raises the sum of the minima", "small")
	return d


def semidefinite():
	d = Drawing(640, 250, "The matrix of an assignment's products, and the multipliers that prove a bound from a matrix in its place")
	cells = ("1", ".4", ".6", ".3", ".7"), (".4", ".4", "0", ".1", ".3"), (".6", "0", ".6", ".2", ".4"), (".3", ".1", ".2", ".3", "0"), (".7", ".3", ".4", "0", ".7")
	names = "", "A=0", "A=1", "B=0", "B=1"
	for r, row in enumerate(cells):
		d.text(34, 65 + 32 * r, names[r], "small")
		d.text(78 + 40 * r, 36, names[r], "small")
		for c, x in enumerate(row):
			d.parts.append('<rect class="%s" x="%g" y="%g" width="40" height="32"/>' % ("box" if x == "0" else "mark" if r == 0 or c == 0 or r == c else "box", 58 + 40 * c, 44 + 32 * r))
			d.text(78 + 40 * c, 65 + 32 * r, x, "loud" if x == "0" else "")
	d.text(158, 228, "first row = diagonal; two values of a variable exclude each other", "small")
	d.arrow(268, 124, 350, 124, "multipliers Z")
	d.box(356, 60, 258, 44, "y'(L + Z)y", "mark", "least of each row of its tables")
	d.box(356, 134, 258, 44, "y'Zy ≤ t · (n + 1)", "mark", "t I - Z is positive semidefinite")
	d.text(485, 124, "minus", "small")
	d.text(485, 206, "a lower bound, in integers", "small")
	return d


def certificates():
	d = Drawing(640, 210, "A model goes to the solver, which writes a bound and its certificate; a checker reads model and certificate")
	d.box(20, 80, 110, 46, "model file")
	d.box(215, 20, 150, 50, "solver", small="all methods")
	d.box(440, 20, 180, 50, "certificate", "mark", "tables, or steps")
	d.box(300, 136, 180, 50, "checker", "mark", "integers, brute and short")
	d.arrow(130, 95, 213, 50)
	d.arrow(130, 112, 298, 160)
	d.arrow(365, 45, 438, 45)
	d.arrow(520, 70, 450, 134)
	d.arrow(480, 161, 548, 161)
	d.text(554, 166, "bound ≥ c", "", "start")
	return d


def all_pictures():
	return {f.__name__: str(f()) for f in (elimination, minibuckets, consistency, search, pairwise, semidefinite, certificates)}
