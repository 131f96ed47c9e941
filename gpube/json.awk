# json.awk - gpube-json(5) from gpube/cli/json_keys.txt; -v version=0.2.0

function roff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	return text ~ /^[.']/ ? "\\&" text : text
}
BEGIN {
	FS = "\t"
	printf ".TH GPUBE\\-JSON 5 \"\" \"gpube %s\" \"File Formats\"\n", version
	print ".SH NAME\ngpube\\-json \\- what gpube commands write with \\-\\-json"
	print ".SH DESCRIPTION\nEach command writes one JSON object (RFC 8259) and a new line to standard output, or to the file of"
	print "\\fB\\-o\\fR, also where it fails; a command line that is wrong (exit status 2) has none. Below are the keys of each,"
	print "with their unit, and when they are there where that is not always. \\fBa.b\\fR is \\fBb\\fR of the object \\fBa\\fR,"
	print "\\fBa[].b\\fR that of each item of the list \\fBa\\fR; \\fBN\\fR is any number."
	print ".PP\nCosts, prices and totals are exact decimals, with as many digits as they need: a reader that takes them as"
	print "doubles rounds them past 2^53. What is not known is null. Units: s is seconds of the wall clock, log10 the"
	print "logarithm to base 10, index counts from 0, cost is that of the model's file (of potentials \\-ln of them)."
}
/^#/ || /^$/ { next }
/^@/ {
	sub(/^@ /, "", $1)
	n = split($1, commands, " ")
	printf ".SH %s\n", roff($2)
	for (k = 1; k <= n; k++)
		printf "\\fBgpube\\-%s\\fR(1)%s\n", commands[k], k < n ? "," : ""
	next
}
{
	printf ".TP\n\\fB%s\\fR (%s)\n%s", roff($1), roff($2), roff($3)
	printf $4 == "" ? "\n" : ". When: %s.\n", roff($4)
}
END { print ".SH SEE ALSO\n\\fBgpube\\fR(1), \\fBgpube\\fR(3)" }
