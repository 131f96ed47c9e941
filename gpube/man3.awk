# man3.awk - a man page of section 3 from a public header: its comments and declarations, in their
# order, and a page for each function's name that leads there.
#
#     awk -v out=DIR -v page=gpube -v include=gpube/gpube.h -v version=0.2.0 -f man3.awk HEADER
function roff(s)
{
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	if (s ~ /^[.']/)
		s = "\\&" s
	return s
}
# A comment: "word  what it is" becomes an item, what is indented goes on with it.
function say(text,    n, lines, k, line, word)
{
	n = split(text, lines, "\n")
	print ".PP" > file
	for (k = 1; k <= n; k++) {
		line = lines[k]
		if (match(line, /^[^ ](([^ ]| [^ ])*[^ ])?  +[^ ]/) && RLENGTH < 60) {
			word = line
			sub(/  +.*/, "", word)
			print ".TP\n\\fB" roff(word) "\\fR" > file
			sub(/^[^ ](([^ ]| [^ ])*[^ ])?  +/, "", line)
		} else if (line ~ /^(Errors|Cost|Source|Returns|Example)[ :]/) {
			print ".PP" > file
		} else if (line == "") {
			print ".PP" > file
			continue
		}
		sub(/^ +/, "", line)
		print roff(line) > file
	}
}
function declare(text,    n, lines, k, name)
{
	name = text
	if (name ~ /_API/) {
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		if (name != page)
			print ".so man3/" page ".3" > (out "/" name ".3")
		close(out "/" name ".3")
	} else if (match(name, /^(struct|enum) [a-z_]+/)) {
		name = substr(name, 1, RLENGTH)
	} else {
		name = ""
	}
	if (name != "" && name != last)
		print ".SS " roff(name) > file
	last = name
	gsub(/[A-Z]+_API /, "", text)
	gsub(/\t/, "    ", text)
	n = split(text, lines, "\n")
	print ".PP\n.nf" > file
	for (k = 1; k <= n; k++)
		print roff(lines[k]) > file
	print ".fi" > file
}
BEGIN {
	file = out "/" page ".3"
}
# the first comment is the header's own: its first sentence is the page's name
FNR <= 2 && / - / && !named {
	what = $0
	sub(/^[ \/*]*[^ ]+ - /, "", what)
	named = naming = first = 1
	next
}
naming {
	line = $0
	sub(/^ \*\/?/, "", line)
	if (line != "")
		what = what line
	if (line != "" && line !~ /\*\/$/)
		next
	naming = 0
	if ($0 ~ /\*\/$/)
		inside = first = 0
	rest = ""
	if (match(what, /\. [A-Z]/)) {
		rest = substr(what, RSTART + 2)
		what = substr(what, 1, RSTART - 1)
	}
	sub(/\.$/, "", what)
	print ".TH " toupper(page) " 3 \"\" \"gpube " version "\" \"Library Functions\"" > file
	print ".SH NAME\n" page " \\- " roff(what) > file
	print ".SH SYNOPSIS\n.nf\n#include <" roff(include) ">\n\ncc x.c $(pkg\\-config \\-\\-cflags \\-\\-libs gpube)\n.fi" > file
	print ".SH DESCRIPTION" > file
	if (first)
		comment = rest == "" ? "" : rest "\n"
	else
		pending = rest
	next
}
# fields that structs share are shown in each
/^#define [A-Z_]+_FIELDS/ {
	shared = $2
	next
}
shared != "" {
	line = $0
	sub(/[ \t]*\\$/, "", line)
	fields[shared] = fields[shared] (fields[shared] == "" ? "" : "\n") line
	if (line == $0)
		shared = ""
	next
}
/^#define [A-Z_]+ .*[^\\]$/ && pending != "" { # a constant with a comment
	declare($0)
	say(pending)
	pending = ""
	next
}
/^#/ || /^extern "C"/ || /^\}$/ { next }
/^\/\* ---- / {
	title = $0
	gsub(/^\/\* -+ | -+ \*\/$/, "", title)
	print ".SH " toupper(roff(title)) > file
	next
}
!inside && /^\/\*/ {
	inside = 1
	comment = ""
	if ($0 == "/*")
		next
}
inside || first {
	line = $0
	if (first && line ~ /\*\//) # of the header's own comment
		first = 0
	done = line ~ /\*\/$/
	sub(/^\/\* ?/, "", line)
	sub(/ ?\*\/$/, "", line)
	sub(/^ \* ?/, "", line)
	comment = comment (comment == "" ? "" : "\n") line
	if (done) {
		if (comment !~ /^[ \n]*$/)
			pending = pending (pending == "" ? "" : "\n") comment
		inside = 0
		comment = ""
	}
	next
}
/^$/ {
	if (pending != "" && decl == "") {
		say(pending)
		pending = ""
	}
	next
}
{
	decl = decl (decl == "" ? "" : "\n") ($1 in fields ? fields[$1] : $0)
	if ($0 ~ /^[^\t ].*;/ && (decl !~ /\{/ || $0 ~ /^\}/ || decl ~ /^[^\n]*\}/) || $0 ~ /^\};/ || ($0 ~ /;$/ && decl !~ /\{/)) {
		declare(decl)
		if (pending != "")
			say(pending)
		pending = decl = ""
	}
}
END {
	if (pending != "")
		say(pending)
	print ".SH SEE ALSO\n\\fBgpube\\fR(1), \\fBgpube\\fR(3), \\fBgpube_sums\\fR(3), \\fBgpube_formats\\fR(3), " \
		"\\fBcsg\\fR(3), \\fBcsg_auction\\fR(3), \\fBgpube_equilibria\\fR(3)" > file
}
