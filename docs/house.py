"""The style of the house's comments as reStructuredText: those of public headers and Python's docstrings.

A paragraph is one. "word  what it is", two blanks at least between them, is an item, and what is indented
goes on with it. "Errors:", "Cost:" and their like begin a paragraph.
"""
import re

ITEM = re.compile(r"^([^ ](?:(?:[^ ]| (?! ))*[^ ])?)  +([^ ].*)$")
LABEL = re.compile(r"^(Errors|Cost|Source|Returns|Example|Options)( of all)?:?(?: +|$)(.*)$")


def escape(text):
	return re.sub(r"([*`|\\_])", r"\\\1", text)


def inline(text, functions):
	"""Functions that there are become links, other names with "_" or "()" become literals."""
	parts = re.split(r"(?<![\w./`])((?:[\w.]*\w)?(?:\(\)|_\w+\b(?:\(\))?)|--[a-z][a-z-]*|'[^' ][^']*')(?!\.?\w)", text)
	for k, part in enumerate(parts):
		name = part[:-2] if part.endswith("()") else part
		if k % 2 == 0:
			parts[k] = escape(part)
		elif name in functions:
			parts[k] = "\\ :c:func:`%s`\\ " % (name if part != name else "%s <%s>" % (name, name))
		elif "`" in part or "\\" in part or part == "()":
			parts[k] = escape(part)
		else:
			parts[k] = "\\ ``%s``\\ " % part.strip("'")
	return "".join(parts)


def rst(text, functions=()):
	"""The lines of a comment as lines of reStructuredText."""
	out, indent, examples = [], "", False
	for line in text.split("\n"):
		label, item = LABEL.match(line), ITEM.match(re.sub(r"^  (?=\S)", "", line))
		if line.startswith((">>>", "...")) or examples and line:
			out += [] if examples else [""]
			examples, indent = True, ""
			out.append(line)
			continue
		examples = False
		if not line.strip():
			out.append("")
			indent = ""
		elif label:
			out += ["", "**%s%s:** %s" % (label[1], label[2] or "", inline(label[3], functions))]
			indent = ""
		elif item and len(item[1]) < 60:
			if not indent:
				out.append("")
			out += [", ".join("``%s``" % w for w in item[1].split(", ")), "   " + inline(item[2], functions)]
			indent = "   "
		else:
			if not line.startswith(" ") and indent:
				out.append("")
				indent = ""
			out.append(indent + inline(line.strip(), functions))
	return out


# ---- headers


class Header:
	"""A public header: what it says in front, and its items in their order, each (kind, name, declaration, comment)."""

	def __init__(self, path):
		with open(path) as f:
			text = f.read()
		self.path, self.items, pending, declaration, macro = path, [], "", "", False
		first, text = re.match(r"/\*\n? *(.*?) *\*/\n", text, re.S)[1], text[text.index("*/\n") + 3:]
		self.about = re.sub(r"(?m)^ *\*( |$)", "", first)
		self.about = re.sub(r"^[\w.]+ - ", "", self.about)
		for token in re.findall(r"/\*.*?\*/(?=\n)|[^\n]*\n", text, re.S):
			if declaration:
				declaration += token
			elif token.startswith("/* ----"):
				self.items.append(("section", re.sub(r"[/*\s]*-+ (.*?) -+[/*\s]*$", r"\1", token), "", ""))
			elif token.startswith("/*"):
				comment = re.sub(r"(?m)^ *\*( |$)", "", token[2:-2].strip("\n")).strip()
				pending += ("\n\n" if pending else "") + comment
			elif token.startswith("#") or macro:
				told = re.match(r"#define (GPUBE_\w+) ", token)
				if told and pending and not macro:
					self.items.append(("macro", told[1], token.strip(), pending))
					pending = ""
				macro = token.rstrip().endswith("\\")
			elif token == "\n":
				if pending and not declaration and not self.follows:
					self.items.append(("text", "", "", pending))
					pending = ""
			elif token.startswith(('extern "C"', "}")):
				continue
			else:
				declaration = token
			self.follows = token.startswith("/*") and not token.startswith("/* ----")
			if declaration and declaration.rstrip().endswith((";",)) and declaration.count("{") == declaration.count("}"):
				self.items.append(self.declared(declaration.strip(), pending))
				pending = declaration = ""
		if pending:
			self.items.append(("text", "", "", pending))

	@staticmethod
	def declared(text, comment):
		text = re.sub(r"\b(GPUBE|CSG|NASH)_API ", "", text)
		told = re.match(r"(struct|enum) (\w+)( \{|;| /\*)", text)
		if told:
			return told[1], told[2], text if "{" in text else "", comment
		if text.startswith("typedef"):
			return "type", re.search(r"(\w+)\(", text)[1], text, comment
		name = re.search(r"(\w+)\(", text)
		return ("function" if name else "text"), name[1] if name else "", text, comment


def capital(text):
	"""A sentence that began behind a name; an item stays as it is."""
	return text if ITEM.match(text.split("\n")[0]) or re.match(r"\w*[_(0-9]", text) else text[:1].upper() + text[1:]


def header_page(h, functions, defined, included):
	"""A page of reStructuredText. 'defined': structs whose fields some header has."""
	about = re.sub(r"\s+", " ", h.about)
	title = "%s: %s" % (included, re.split(r"[:.] |\.$", about)[0])
	title = title if len(title) < 90 else included
	out = [title, "=" * len(title), "", ".. code-block:: c", "", "   #include <gpube/%s>" % included, ""] + rst(capital(h.about), functions) + [""]
	for kind, name, declaration, comment in h.items:
		body = rst(capital(re.sub(r"^%s\(\) - " % re.escape(name or "-"), "", comment)), functions) if comment else []
		if kind == "section":
			out += ["", name[0].upper() + name[1:], "-" * len(name), ""]
			continue
		if kind == "text":
			out += [""] + body + [""]
			continue
		if kind in ("struct", "enum") and not declaration and name in defined:
			continue
		said = re.sub(r"\s+", " ", declaration.rstrip(";"))
		said = {"struct": name, "enum": name, "macro": name, "type": said.replace("typedef ", "")}.get(kind, said)
		# Sphinx has one name space for both
		out += ["", ".. rubric:: struct " + name if kind == "struct" and name in functions else ".. c:%s:: %s" % (kind, said), ""]
		start = len(out)
		if kind in ("struct", "enum", "macro") and declaration:
			out += ["   .. code-block:: c", ""] + ["      " + line for line in declaration.expandtabs(4).split("\n")] + [""]
		out += ["   " + line if line else "" for line in body] + [""]
		if out[start - 2].startswith(".. rubric"):
			out[start:] = [line[3:] for line in out[start:]]
	return "\n".join(out)
