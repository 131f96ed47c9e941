"""How results are shown: at most three lines, tables of HTML in notebooks, and what pandas makes of them."""
import html

MOST = 40   # rows and columns of a table in a notebook
WIDTH = 96  # of a line


def pandas():
	"""The package. Errors: ImportError"""
	try:
		import pandas
	except ImportError:
		raise ImportError("to_pandas() needs pandas: pip install pandas") from None
	return pandas


def short(items, width=WIDTH - 2):
	"""As many items as fit a line, with commas, and how many there are."""
	items, line, n = list(items), "", 0
	for n, item in enumerate(items):
		more = ", " * bool(n) + " ".join(str(item).split())
		if len(line) + len(more) > width - 14 * (n + 1 < len(items)):
			break
		line += more
	else:
		return line
	return "%s%s… %d in all" % (line, ", " * bool(n), len(items))


def pairs(named, width=WIDTH - 2):
	"""'a=1, b=2, …' of a dict, in a line."""
	return short(("%s=%s" % pair for pair in named.items()), width)


def _cell(x):
	if isinstance(x, float):
		x = "%.6g" % x
	return html.escape(str(x))


def _row(kind, cells):
	cells = list(cells)
	shown = cells if len(cells) <= MOST else cells[:MOST - 2] + ["…", cells[-1]]
	return "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (kind, _cell(c), kind) for c in shown)


def html_table(caption, head, rows):
	"""A table of HTML; every text is escaped, and of many rows the first are shown, of many columns the first
	and the last."""
	rows = list(rows)
	text = ["<table>"]
	if caption:
		text.append("<caption>%s</caption>" % _cell(caption))
	text += ["<thead>", _row("th", head), "</thead><tbody>"] + [_row("td", row) for row in rows[:MOST]]
	if len(rows) > MOST:
		text.append(_row("td", ["… %d rows in all" % len(rows)]))
	return "".join(text) + "</tbody></table>"


class Shown:
	"""What has lines (_lines(), a list of at most three) and a table (_html())."""

	def __repr__(self):
		head, *rest = [line for line in self._lines() if line]
		return "<gpube.%s%s>" % (type(self).__name__, "\n ".join([": " + head] + rest))

	def _repr_html_(self):
		return self._html()
