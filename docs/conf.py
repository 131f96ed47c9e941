"""Sphinx's settings: 'make docs' runs it with the sources that docs/make.py has made."""
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "plugins", "python")]
import house  # noqa: E402

with open(os.path.join(here, "..", "gpube", "gpube.h")) as f:
	release = re.search(r'#define GPUBE_VERSION "(.*)"', f.read())[1]
project, author, copyright = "gpube", "the gpube authors", "2026, the gpube authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
html_theme, html_title = "furo", "gpube " + release
html_static_path = [os.path.join(here, "static")]
html_css_files = ["site.css"]
html_copy_source, html_show_copyright = False, False
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "default", "github-dark"
autodoc_member_order, autodoc_typehints = "bysource", "none"
highlight_language = "text"
smartquotes = False


def docstring(app, what, name, obj, options, lines):
	lines[:] = house.rst("\n".join(lines)) + [""]


def whole(app, error):
	"""Debian's Furo leaves two files where a web server of Debian has them, and a script that is a module, which browsers
	do not load from a disk: the button for dark pages is then dead. Other packages of Furo have neither."""
	def edit(path, old, other):
		path = os.path.join(app.outdir, "_static", path)
		if error is None and os.path.exists(path):
			with open(path) as f:
				text = f.read()
			if old in text:
				with open(other) as f:
					text = f.read() + text.replace(old, "")
				with open(path, "w") as f:
					f.write(text)

	edit("scripts/furo.js", 'import Gumshoe from "./gumshoe-patched.js";',
		os.path.join(app.outdir, "_static", "scripts", "gumshoe-patched.js"))
	edit("styles/furo.css", "@import url(/javascript/normalize.css/normalize.css);",
		"/usr/share/javascript/normalize.css/normalize.css")


def setup(app):
	app.connect("autodoc-process-docstring", docstring)
	app.connect("build-finished", whole)
