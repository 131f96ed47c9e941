/*
 * What reading takes (formats.h): for each reader the worst files found, of up to a megabyte and at
 * limits that are allowed in earnest. A reader, and what is done with its model, holds no more than
 * a multiple of the file's bytes and the memory allowed.
 *
 * With GPUBE_TABLE=1 the seconds and bytes of all of them are printed, of files of GPUBE_BYTES.
 */
#include "tests/support/test.h"
#include "formats/common/registry.h"
#include "gpube/options/options.h"

#include <stdbool.h>
#include <time.h>
#include <zlib.h>

#include "formats/formats.h"
#include "tests/fuzz/readers.h"

#define ALLOWED_BYTES ((uint64_t)64 << 20)
#define MOST_SECONDS  2.0
#define BASE_BYTES    ((uint64_t)4 << 20)

/*
 * A file: the head, where %ld is how many times the body follows, the bodies, where each %ld is the
 * body's number from 'first' on, and the tail.
 */
struct worst {
	const char *target, *what, *head, *body, *tail;
	long first;
};

#define CORE                                                                                       \
	"<instance format='XCSP3' type='CSP'><variables><array id='x' "                            \
	"size='[9]'>0..9</array><var id='z'>0..9</var>"
#define CONSTRAINTS "</variables><constraints>"
#define CORE_END    "</constraints></instance>"
#define EFG         "EFG 2 R \"\" { \"\" \"\" } "

static const struct worst files[] = {
	{"wcsp", "declared values", "x 1 2000000000 0 9\n2000000000\n", "", "", 0},
	{"wcsp", "variables", "x %ld 2 0 9\n", "2 ", "\n", 0},
	{"wcsp", "variables of many values", "x %ld 999 0 9\n", "999 ", "\n", 0},
	{"wcsp", "unary functions", "x 1 2 %ld 9\n2\n", "1 0 0 0\n", "", 0},
	{"wcsp", "filled tables", "x 2 256 %ld 99999999999\n256 256\n", "2 0 1 99999999998 0\n", "",
		0},
	{"wcsp", "expanded tables", "x 2 1000 %ld 99999999999\n1000 1000\n", "2 0 1 -1 >= 0 1\n",
		"", 0},
	{"wcsp", "expanded pairs", "x 3 300 %ld 9\n300 300 300\n", "3 0 1 2 -1 salldiff var 5\n",
		"", 0},
	{"wcsp", "problems in problems", "x 2 1000 %ld 9\n1000 1000\n",
		"2 0 1 -1 wcsp 0 1 0 0 y 2 1000 0 9 1000 1000\n", "", 0},
	{"wcsp", "one long scope", "x 1 2 0 9\n2\n", "0 0 0\n", "", 0},
	{"wcsp", "shared tables", "x 2 256 99999999 9\n256 256\n-2 0 1 0 0\n", "2 0 1 0 -1\n", "",
		0},
	{"cfn", "declared values",
		"{problem:{name:x,mustbe:<9},variables:{a:2000000000},functions:{}}", "", "", 0},
	{"cfn", "variables", "{problem:{name:x,mustbe:<9},variables:{", "2 ", "},functions:{}}", 0},
	{"cfn", "filled tables",
		"{problem:{name:x,mustbe:<9999999999},variables:{a:256,b:256},functions:{",
		"{scope:[a,b],defaultcost:9999999998,costs:[]}", "}}", 0},
	{"cfn", "expanded tables",
		"{problem:{name:x,mustbe:<9},variables:{a:1000,b:1000},functions:{",
		"{scope:[a,b],type:>=,params:{cst:0,delta:1}}", "}}", 0},
	{"cfn", "brackets", "", "{", "", 0},
	{"cfn", "unary functions", "{problem:{name:x,mustbe:<9},variables:{a:1},functions:{",
		"{scope:[a],costs:[0]}", "}}", 0},
	{"uai", "declared values", "MARKOV 1 2000000000 0\n", "", "", 0},
	{"uai", "variables", "MARKOV %ld\n", "2 ", "0\n", 0},
	{"uai", "constants", "MARKOV 0 %ld\n", "0 ", "", 0},
	{"lg", "variables", "MARKOV %ld\n", "2 ", "0\n", 0},
	{"wcnf", "declared variables", "p wcnf 2000000000 0\n", "", "", 0},
	{"wcnf", "a far literal", "h 2000000000 0\n", "", "", 0},
	{"wcnf", "rising literals", "", "1 %ld 0\n", "", 1},
	{"wcnf", "short clauses", "p wcnf 2 %ld\n", "1 1 0\n", "", 0},
	{"cnf", "declared variables", "p cnf 2000000000 1\n1 0\n", "", "", 0},
	{"cnf", "some declared variables", "p cnf 150000 1\n1 0\n", "", "", 0},
	{"cnf", "short clauses", "p cnf 2 %ld\n", "1 0\n", "", 0},
	{"cnf", "clauses of three", "p cnf 3 %ld\n", "1 2 3 0\n", "", 0},
	{"cnf", "clauses of four", "p cnf 4 %ld\n", "1 2 3 4 0\n", "", 0},
	{"cnf", "one long clause", "p cnf 150000 1\n", "%ld ", "0\n", 1},
	{"qpbo", "declared variables", "2000000000 0\n", "", "", 0},
	{"qpbo", "terms", "9 %ld\n", "1 2 3\n", "", 0},
	{"col", "declared variables", "p edge 2000000000 0\n", "", "", 0},
	{"col", "edges", "p edge 150000 0\n", "e 1 %ld\n", "", 2},
	{"erg", "declared values", "1\n2000000000\n", "", "", 0},
	{"erg", "variables", "%ld\n", "2 ", "\n", 0},
	{"xml", "a declared domain",
		"<instance><domains><domain name='d'>1..16000000</domain></domains>", "",
		"</instance>", 0},
	{"xml", "names of values", "<instance><domains><domain name='d'>1..9999</domain></domains>",
		"<variable name='v%ld' domain='d'/>", "</instance>", 0},
	{"xml", "elements in each other", "<instance>", "<a>", "", 0},
	{"xml", "expanded tables",
		"<instance><domain name='d'>0..999</domain><variable name='a' domain='d'/>"
		"<variable name='b' domain='d'/><predicate name='p'><parameters>int x int "
		"y</parameters>"
		"<expression><functional>ge(x,y)</functional></expression></predicate>",
		"<constraint name='c' scope='a b' reference='p'><parameters>a "
		"b</parameters></constraint>",
		"</instance>", 0},
	{"xml", "pairs that differ",
		"<instance><domain name='d'>0..999</domain><variable name='a' domain='d'/>"
		"<variable name='b' domain='d'/>",
		"<constraint scope='a b' reference='global:allDifferent'/>", "</instance>", 0},
	{"xml", "a relation over many domains",
		"<instance><domain name='d'>0..9</domain><domain name='e'>1..9</domain>"
		"<variable name='a' domain='d'/><variable name='b' domain='e'/>"
		"<relation name='r' arity='1' semantics='soft' "
		"defaultCost='0'>0:1|2|3|4|5|6|7</relation>",
		"<constraint scope='a' reference='r'/><constraint scope='b' reference='r'/>",
		"</instance>", 0},
	{"xml", "core: an array", CORE "<array id='y' size='[1000000000]'>0 1</array>" CONSTRAINTS,
		"", CORE_END, 0},
	{"xml", "core: variables", CORE, "<var id='v%ld'>1 3</var>", CONSTRAINTS CORE_END, 0},
	{"xml", "core: elements", CORE CONSTRAINTS, "<allEqual>z</allEqual>", CORE_END, 0},
	{"xml", "core: blocks in each other", CORE CONSTRAINTS, "<block>", CORE_END, 0},
	{"xml", "core: one variable often", CORE CONSTRAINTS "<allDifferent>", "z ",
		"</allDifferent>" CORE_END, 0},
	{"xml", "core: pairs that differ", CORE CONSTRAINTS "<allDifferent>", "x[] ",
		"</allDifferent>" CORE_END, 0},
	{"xml", "core: lists that differ", CORE CONSTRAINTS "<allDifferent>", "<list>x[]</list>",
		"</allDifferent>" CORE_END, 0},
	{"xml", "core: a group",
		CORE CONSTRAINTS "<group><intension>ne(%%0,add(%%1,1))</intension>",
		"<args>x[0] x[1]</args>", "</group>" CORE_END, 0},
	{"xml", "core: a group of texts",
		CORE CONSTRAINTS "<group><intension>or(%%...)</intension>",
		"<args>x[] x[] x[]</args>", "</group>" CORE_END, 0},
	{"xml", "core: one long expression", CORE CONSTRAINTS "<intension>or(1", ",eq(z,%ld)",
		")</intension>" CORE_END, 0},
	{"xml", "core: a set of expressions", CORE CONSTRAINTS "<intension>in(x[0],set(1",
		",add(x[1],x[2])", "))</intension>" CORE_END, 0},
	{"xml", "core: a sum", CORE CONSTRAINTS "<sum><list>", "x[] ",
		"</list><condition>(ne,7)</condition></sum>" CORE_END, 0},
	{"xml", "core: a condition of many",
		CORE CONSTRAINTS "<sum><list>x[]</list><condition>(in,{1", ",%ld",
		"})</condition></sum>" CORE_END, 0},
	{"xml", "core: tuples", CORE CONSTRAINTS "<extension><list>x[0] x[1]</list><supports>",
		"(1,2)", "</supports></extension>" CORE_END, 0},
	{"xml", "core: short tuples", CORE CONSTRAINTS "<extension><list>x[]</list><conflicts>",
		"(*,2,*,*,*,*,*,1,*)", "</conflicts></extension>" CORE_END, 0},
	{"xml", "core: an automaton", CORE CONSTRAINTS "<regular><list>x[]</list><transitions>",
		"(a%ld,1,b)(a,1,a%ld)",
		"</transitions><start>a</start><final>b</final></regular>" CORE_END, 0},
	{"xml", "core: an automaton over many",
		CORE CONSTRAINTS "<regular><transitions>(a,1,b)(a,1,a)(b,1,a)</"
				 "transitions><start>a</start><final>b</final><list>",
		"x[] ", "</list></regular>" CORE_END, 0},
	{"xml", "core: values", CORE CONSTRAINTS "<nValues><list>", "x[] ",
		"</list><condition>(ge,2)</condition></nValues>" CORE_END, 0},
	{"xml", "core: counted values", CORE CONSTRAINTS "<cardinality><list>x[]</list><values>",
		"%ld ", "</values><occurs>1</occurs></cardinality>" CORE_END, 0},
	{"xml", "core: bins", CORE CONSTRAINTS "<cumulative><origins>", "x[] ",
		"</origins><lengths>1x999999</lengths><heights>1x999999</"
		"heights><condition>(le,3)</condition></cumulative>" CORE_END,
		0},
	{"xml", "core: choices", CORE CONSTRAINTS "<element><list>", "x[] ",
		"</list><index>z</index><condition>(in,{1,3,5,7,9})</condition></element>" CORE_END,
		0},
	{"xml", "core: hybrid tuples",
		CORE CONSTRAINTS "<extension type='hybrid-2'><list>x[]</list><supports>",
		"(*,2,c0+1,*,*,&lt;=3,*,{1,3},*)", "</supports></extension>" CORE_END, 0},
	{"xml", "core: constraints of constraints", CORE CONSTRAINTS "<or>",
		"<allDifferent>x[]</allDifferent>", "</or>" CORE_END, 0},
	{"xml", "core: wide constraints of constraints", CORE CONSTRAINTS "<or>",
		"<nValues><list>x[]</list><condition>(in,2..5)</condition></nValues>",
		"</or>" CORE_END, 0},
	{"xml", "core: lists that are equal", CORE CONSTRAINTS "<allEqual>", "<list>x[]</list>",
		"<except>(1,1,1,1,1,1,1,1,1)</except></allEqual>" CORE_END, 0},
	{"xml", "core: stretches", CORE CONSTRAINTS "<stretch><list>", "x[] ",
		"</list><values>0 1 2</values><widths>1..9999 2..99999 "
		"3..99999</widths></stretch>" CORE_END,
		0},
	{"xml", "core: a round", CORE CONSTRAINTS "<circuit>", "x[] ", "</circuit>" CORE_END, 0},
	{"xml", "many parameters",
		"<instance><domain name='d'>0..1</domain><variable name='a' domain='d'/>"
		"<predicate name='p'><parameters>",
		"int x%ld ",
		"</parameters><expression><functional>ge(x0,x0)</functional></expression></"
		"predicate>"
		"<constraint scope='a' "
		"reference='p'><parameters>a</parameters></constraint></instance>",
		0},
	{"yaml", "lists in each other", "a: ", "[", "", 0},
	{"yaml", "maps in each other", "", "- ", "", 0},
	{"yaml", "keys that wait", "a: {", "? ", "", 0},
	{"yaml", "aliases", "objective: min\na: &a []\nb: [", "*a,", "]\n", 0},
	{"yaml", "anchors", "objective: min\nb: [", "&a%ld x,", "]\n", 0},
	{"yaml", "a declared domain", "objective: min\ndomains:\n  d: {values: [1 .. 16000000]}\n",
		"", "", 0},
	{"yaml", "names of values",
		"objective: min\ndomains:\n  d: {values: [1 .. 9999]}\nvariables:\n",
		"  v%ld: {domain: d}\n", "", 0},
	{"yaml", "a long domain", "objective: min\ndomains:\n  d: {values: [", "a%ld,", "]}\n", 0},
	{"yaml", "a dict",
		"objective: min\ndomains:\n  d: {values: [0 .. 99999]}\nvariables:\n"
		"  a: {domain: d}\nconstraints:\n  c: {type: intention, function: '{",
		"%ld: 1, ", "}.get(a, 0)'}\n", 0},
	{"yaml", "expanded tables",
		"objective: min\ndomains:\n  d: {values: [0 .. 999]}\nvariables:\n"
		"  a: {domain: d}\n  b: {domain: d}\nconstraints:\n",
		"  c%ld: {type: intention, function: a + b}\n", "", 0},
	{"yaml", "filled tables",
		"objective: min\ndomains:\n  d: {values: [0 .. 255]}\nvariables:\n"
		"  a: {domain: d}\n  b: {domain: d}\nconstraints:\n",
		"  c%ld: {type: extensional, variables: [a, b], default: 1, values: {2: 0 0}}\n",
		"", 0},
	{"bif", "declared values", "variable a { type discrete [ 2000000000 ] { a b }; }", "", "",
		0},
	{"bif", "variables", "", "variable %ld { type discrete[1]{a};}", "", 0},
	{"bif", "values", "variable a { type discrete [%ld] {", "%ld ", "}; }", 0},
	{"bif", "rows", "variable a { type discrete [1] {a}; } probability(a) {", "()1;", "}", 0},
	{"bif", "numbers",
		"variable a { type discrete [1] {a}; } variable b { type discrete [ 9 ] {a b c d e "
		"f g h i}; } probability(a) {table 1;} probability(b a) {",
		"(a)0 0 0 0 0 0 0 0 0;", "}", 0},
	{"bif", "a default over many rows",
		"variable a { type discrete [9] {1 2 3 4 5 6 7 8 9}; } variable b { type discrete "
		"[9] {1 2 3 4 5 6 7 8 9}; } variable c { type discrete [9] {1 2 3 4 5 6 7 8 9}; } "
		"variable d { type discrete [9] {1 2 3 4 5 6 7 8 9}; } variable e { type discrete "
		"[9] {1 2 3 4 5 6 7 8 9}; } probability(a b c d e) {default 0 0 0 0 0 0 0 0 1;}",
		"", "", 0},
	{"bif", "filled tables",
		"variable a { type discrete [9] {1 2 3 4 5 6 7 8 9}; } variable b { type discrete "
		"[9] {1 2 3 4 5 6 7 8 9}; }",
		"variable v%ld{type discrete[2]{a b};}probability(v%ld a b){default 0 1;}", "", 0},
	{"lp", "pairs of a set",
		"\\ gpube: each column is 0 or 1 in an optimum\nMinimize\n o: a\nSOS\n s: S2::\n",
		" x%ld:1\n", "End\n", 1},
	{"lp", "rows that move bounds", "Minimize\n o: a\nSubject To\n",
		" a - b >= 1\n b - a >= 1\n", "General\n a b\nEnd\n", 0},
	{"bif", "raw values",
		"variable a { type discrete [9] {(1],(2],(3],(4],(5],(6],(7],(8],(9]}; } "
		"probability(a) {table 1 0 0 0 0 0 0 0 0;} variable b { type discrete [1] {b}; } "
		"probability(b|a) {",
		"((1]) 1;", "}", 0},
	{"net", "states", "net{} node a { states = (", "%ld ", "); }", 0},
	{"net", "nodes", "net{} ", "node %ld{states=(a);}", "", 0},
	{"net", "potentials", "net{} node z{states=(a);}",
		"node a%ld{states=(a);}potential(a%ld|z){data=(1);}", "", 0},
	{"net", "brackets", "net{} node a{states=(a);}potential(a){data=", "(", "", 0},
	{"net", "fields", "net{", "a=1;", "}", 0},
	{"net", "numbers", "net{} node a{states=(a);}potential(a){data=(", "1 ", ");}", 0},
#ifdef GPUBE_HAVE_EXPAT
	{"xmlbif", "values", "<BIF><VARIABLE><NAME>a</NAME>", "<VALUE>%ld</VALUE>",
		"</VARIABLE></BIF>", 0},
	{"xmlbif", "variables", "<BIF>", "<VARIABLE><NAME>%ld</NAME><VALUE>a</VALUE></VARIABLE>",
		"</BIF>", 0},
	{"xmlbif", "text", "<BIF><PROPERTY>", "ab ", "</PROPERTY></BIF>", 0},
	{"xmlbif", "elements in each other", "<BIF>", "<a>", "", 0},
	{"xmlbif", "numbers",
		"<BIF><VARIABLE><NAME>a</NAME><VALUE>a</VALUE></VARIABLE><DEFINITION><FOR>a</"
		"FOR><TABLE>",
		"1 ", "</TABLE></DEFINITION></BIF>", 0},
	{"xmlbif", "definitions", "<BIF><VARIABLE><NAME>z</NAME><VALUE>a</VALUE></VARIABLE>",
		"<VARIABLE><NAME>%ld</NAME><VALUE>a</VALUE></VARIABLE><DEFINITION><FOR>%ld</"
		"FOR><TABLE>1</"
		"TABLE></DEFINITION>",
		"</BIF>", 0},
#endif
	{"lp", "terms of the objective", "Min\n", "+x ", "\nBin\nx\nEnd", 0},
	{"lp", "columns", "Min\n", "+x%ld ", "\nBin\nx\nEnd", 0},
	{"lp", "declared values", "Min\n x\nBounds\n x <= 2000000000\nGen\nx\nEnd", "", "", 0},
	{"lp", "products of large domains", "Min\n [", "+x*y ",
		"]/2\nBounds\nx<=1000\ny<=1000\nGen\nx y\nEnd", 0},
	{"lp", "short rows", "Min\n x\nst\n", "x=1 ", "Bin\nx\nEnd", 0},
	{"lp", "wide rows", "Min\n x\nst\n", "a+2b+3c+4d+5e+6f+7g+8h+9i+10j+11k+12l+13m=40 ",
		"Bin\na b c d e f g h i j k l m x\nEnd", 0},
	{"lp", "one row", "Min\n x0\nst\n", "+3x%ld ", "=99 Bin\nx0\nEnd", 0},
	{"mps", "rows", "NAME\nROWS\n", " L %ld\n", "ENDATA\n", 0},
	{"mps", "entries", "NAME\nROWS\n N o\n L c\nCOLUMNS\n m 'MARKER' 'INTORG'\n", " x c 1\n",
		"BOUNDS\n BV x\nENDATA\n", 0},
	{"mps", "columns", "NAME\nROWS\n N o\nCOLUMNS\n", " %ld o 1\n", "ENDATA\n", 0},
	{"lp", "columns of many values", "Min\n x\nBounds\n", "x%ld<=999 ", "Gen\nx\nEnd", 0},
	{"opb", "declared variables", "* #variable= 2000000000\n", "", "", 0},
	{"opb", "some declared variables", "* #variable= 150000\n", "", "", 0},
	{"opb", "terms of the objective", "min:", "1 x ", ";", 0},
	{"opb", "variables", "min:", "1 x%ld ", ";", 0},
	{"opb", "short constraints", "", "1 x=1;", "", 0},
	{"opb", "constraints of six variables", "", "1 a 1 b 1 c 1 d 1 e 1 f=3;", "", 0},
	{"opb", "constraints of twelve variables", "",
		"1 a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i 1 j 1 k 1 l=6;", "", 0},
	{"opb", "wide constraints", "",
		"1 a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i 1 j 1 k 1 l 1 m 1 n 1 o 1 p 1 q 1 r 1 s 1 "
		"t=9;",
		"", 0},
	{"opb", "wider constraints", "",
		"1 a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i 1 j 1 k 1 l 1 m 1 n 1 o 1 p 1 q 1 r 1 s 1 t "
		"1 aa 1 ab 1 ac 1 ad 1 ae 1 af 1 ag 1 ah 1 ai 1 aj 1 ak 1 al=19;",
		"", 0},
	{"opb", "one clause", "", "1 x%ld ", ">=1;", 1},
	{"opb", "an at-most-one", "", "1 x%ld ", "<=1;", 1},
	{"opb", "a wide sum", "", "1 x%ld ", "=99;", 1},
	{"opb", "one product", "min: 1", " x%ld", ";", 1},
	{"opb", "products in a constraint",
		"1 a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i 1 j 1 k 1 l 1 m 1 n 1 o ", "1 a o ", "=3;", 0},
	{"pre", "loci in a line", "1 1 0 0 1 ", "1 2 ", "", 0},
	{"pre", "unknown loci in a line", "1 1 0 0 1 ", "0 0 ", "", 0},
	{"pre", "families", "", "%ld 1 0 0 1 0 0\n", "", 0},
	{"pre", "individuals", "", "1 %ld 0 0 1 1 2\n", "", 1},
	{"pre", "alleles", "", "1 %ld 0 0 1 %ld 1\n", "", 1},
	{"pre", "children", "1 1 0 0 1 1 2\n1 2 0 0 2 1 2\n", "1 %ld 1 2 1 1 2\n", "", 3},
	{"pre", "generations", "1 0 0 0 1 1 2\n1 1 0 0 2 3 4\n", "1 %ld 1 0 1 0 0\n", "", 2},
	{"bep", "declared photos", "x\ny\n1000000\n", "", "", 0},
	{"bep", "declared times", "x\ny\n1\n1 0 0 1 0 2000000000 5\n0\n", "", "", 0},
	{"bep", "photos", "x\ny\n%ld\n", "%ld 0 0 1 0 9 5\n", "", 1},
	{"evid", "pairs", "%ld\n", "0 1 ", "\n", 0},
	{"order", "words", "", "0 ", "", 0},
	{"cov", "clusters", "", "%ld -1 0\n", "", 0},
	{"dec", "clusters", "", "0 1\n", "", 0},
	{"sol", "values", "", "0 ", "", 0},
	{"ub", "digits", "", "1", "", 0},
	{"result", "marginals", "MAR\n%ld ", "1 1 ", "\n", 0},
	{"result", "values", "MPE\n%ld ", "1 ", "\n", 0},
	{"efg", "a chain", EFG, "p \"\" 1 %ld \"\" { \"\" } 0 ", "t \"\" 0", 1},
	{"efg", "many strategies", EFG "c \"\" 1 \"\" { \"\" 1", " \"\" 0", "} 0", 0},
	{"efg", "nodes of chance", EFG, "c \"\" %ld \"\" { \"\" 1 \"\" 0 } 0 t \"\" 0 ", "t \"\" 0",
		1},
	{"efg", "nodes of many actions",
		EFG "p \"\" 1 1 \"\" { \"\" \"\" \"\" \"\" \"\" \"\" \"\" \"\" \"\" \"\" } 0 ",
		"p \"\" 1 1 0 ", "", 0},
	{"efg", "outcomes", EFG, "p \"\" 1 %ld \"\" { \"\" } %ld \"\" { 1/3 2/7 } ", "t \"\" 0", 1},
	{"efg", "two actions at each of many sets", EFG,
		"p \"\" 1 %ld \"\" { \"\" \"\" } 0 t \"\" 0 ", "t \"\" 0", 1},
	{"agg", "declared nodes", "#AGG\n2 200000000 200000000\n1 1\n0\n0\n", "", "", 0},
	{"agg", "declared actions", "#AGG\n2 2000000 0\n2000000 2000000\n0 1 2", "", "", 0},
	{"agg", "nodes and functions", "#AGG\n2 %ld 9\n1 1\n0\n0\n", "9 1 2 3 4 5 6 7 8 9\n", "",
		0},
	{"agg", "functions of each other", "#AGG\n2 %ld 3\n1 1\n0\n0\n", "0 ",
		"0\n1 0\n1 1\n0 0 0\n", 0},
	{"agg", "configurations", "#AGG\n2 3 0\n2 2\n0 1\n1 2\n1 0\n0\n0\n1 %ld ", "[%ld]1", "", 0},
	{"agg", "of all players",
		"#AGG\n40 8 0\n8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 "
		"8 8 8 "
		"8 8 8\n",
		"0 1 2 3 4 5 6 7\n", "", 0},
	{"nfg", "declared actions", "NFG 1 R \"\" { \"\" \"\" } { 2000000000 2 }\n", "", "", 0},
	{"lrs", "declared rows", "2000000000 2000000000\n", "1 ", "", 0},
	{"two-player", "payoffs", "", "(1,2) ", "\n", 0},
	{"gam", "players", "62\n", "1 ", "", 0},
	{"simple", "cells", "[1 1] : [1 2]\n", "[%ld 1] : [1 2]\n", "", 2},
	{"nfg", "labels", "NFG 1 R \"\" { \"\" \"\" } { {", "\"\" ", "} {\"\"} } \"\"\n", 0},
	{"proof", "candidates",
		"csg-certificate 3\nagents 3 shift 24 disposal 1\nduals 83886080 83886080 "
		"50331648\n"
		"upper 218103808 value 218103808 unit 16777216\nstructure 2 2 5\ncandidates %ld\n",
		"1 0\n", "", 0},
	{"csg", "a table of twenty agents", "csg 20 float64\n1 1\n", "", "", 0},
	{"csg", "coalitions", "csg 40 float64\n", "%ld 1\n", "", 1},
	{"cats", "declared bids", "goods 1000000\nbids 1000000\ndummy 1000000\n", "", "", 0},
	{"cats", "bids", "goods 2\nbids %ld\n", "%ld 1 0 #\n", "", 0},
};

enum { N_FILES = sizeof(files) / sizeof(*files) };

/* ---- the file -------------------------------------------------------------------------------- */

static char *make_file(const struct worst *w, size_t most, size_t *size)
{
	char *text = malloc(most + 4096), *body = malloc(most + 4096);
	size_t n = 0, head;
	long k = 0;

	assert_non_null(text);
	assert_non_null(body);
	for (; *w->body && n < most; k++)
		n += (size_t)snprintf(body + n, 4096, w->body, w->first + k, w->first + k);
	head = (size_t)snprintf(text, 4096, w->head, k);
	memcpy(text + head, body, n);
	strcpy(text + head + n, w->tail);
	*size = head + n + strlen(w->tail);
	free(body);
	return text;
}

/* ---- what is done with it ----------------------------------------------------------------------
 */

/* What comes after reading may take twice as much. */
static void bytes_within(
	const struct worst *w, const char *step, size_t size, size_t most, uint64_t times)
{
	uint64_t allowed = ALLOWED_BYTES + BASE_BYTES + times * GPUBE_READ_FACTOR * (uint64_t)size;

	if (most > allowed)
		fail_msg("%s, %s, %s: %zu bytes for a file of %zu", w->target, w->what, step, most,
			size);
}

static void plan(const struct gpube_model *m)
{
	const struct gpube_opts opts = {
		.backend = GPUBE_BACKEND_CPU, .timeout_seconds = MOST_SECONDS};
	struct gpube_solution *s;

	gpube_plan(&s, m, &opts);
	gpube_result_free(s);
}

static void solve(const struct gpube_model *m)
{
	const struct gpube_opts opts = {
		.backend = GPUBE_BACKEND_CPU, .timeout_seconds = MOST_SECONDS};
	struct gpube_solution *s;

	gpube_solve(&s, m, &opts);
	gpube_result_free(s);
}

static void bound(const struct gpube_model *m)
{
	const struct gpube_opts opts = {
		.backend = GPUBE_BACKEND_CPU, .timeout_seconds = MOST_SECONDS};
	struct gpube_solution *b;

	gpube_bound(&b, m, &opts);
	gpube_result_free(b);
}

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void measure(const struct worst *w, size_t file_bytes, bool print)
{
	static const struct {
		const char *name;
		fuzz_then *then;
	} steps[] = {{"read", NULL}, {"plan", plan}, {"solve", solve}, {"bound", bound}};
	size_t size;
	char *text = make_file(w, file_bytes, &size);

	for (int k = 0; k < 4; k++) {
		double start = seconds();
		size_t most;

		if (k > 0 && gpube__format_named(w->target) == GPUBE_FORMAT_AUTO)
			break;
		assert_int_equal(fuzz_do(w->target, (const uint8_t *)text, size, ALLOWED_BYTES,
					 steps[k].then, &most),
			0);
		if (print)
			printf("# %-8s %-30s %-5s %8zu bytes %7.3f s %12zu bytes, %8.1f a byte\n",
				w->target, w->what, steps[k].name, size, seconds() - start, most,
				(double)most / (double)size);
		bytes_within(w, steps[k].name, size, most, k == 0 ? 1 : 2);
	}
	free(text);
}

static void worst_file(void **state)
{
	const char *bytes = getenv("GPUBE_BYTES");

	measure(*state, bytes ? (size_t)atol(bytes) : 60000, getenv("GPUBE_TABLE") != NULL);
}

/* As gzip packs it: at most 'most' bytes into 'to'. */
static size_t pack(uint8_t *to, size_t most, const char *text, size_t size)
{
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)text, .avail_in = (uInt)size};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = to;
	z.avail_out = (uInt)most;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return (size_t)z.total_out;
}

/*
 * A few bytes that unpack to many: what they ask for goes by the few, variables too, and what is
 * not asked for grows with the many.
 */
static void packed_file(void **state)
{
	enum { FEW_BYTES = 200000, MANY_BYTES = 6000000, GROWS = 80 };
	const struct worst *w = *state;
	const bool asked = strncmp(w->what, "variables", 9) == 0;
	size_t size, most, n, grown;
	char *text = make_file(w, asked ? MANY_BYTES : FEW_BYTES, &size);
	uint8_t *packed = malloc(size + BASE_BYTES);

	assert_non_null(packed);
	n = pack(packed, size + BASE_BYTES, text, size);
	assert_int_equal(fuzz_do(w->target, packed, n, ALLOWED_BYTES, NULL, &most), 0);
	if (getenv("GPUBE_TABLE"))
		printf("# %-8s %-30s gzip  %8zu bytes of %zu %12zu bytes, %8.1f a byte\n",
			w->target, w->what, n, size, most, (double)most / (double)size);
	grown = asked ? 0 : GROWS * size;
	bytes_within(w, "read packed", n, most > grown ? most - grown : 0, 1);
	free(packed);
	free(text);
}

static void every_reader(void **state)
{
	(void)state;
	for (int t = 0; fuzz_target(t); t++) {
		int k = 0;

		while (k < N_FILES && strcmp(files[k].target, fuzz_target(t)) != 0)
			k++;
		if (k == N_FILES)
			fail_msg("no file for the reader of %s", fuzz_target(t));
	}
}

int main(void)
{
	static struct CMUnitTest tests[2 * N_FILES + 1];
	static char names[2 * N_FILES][80];

	for (int k = 0; k < N_FILES; k++) {
		snprintf(names[k], sizeof(names[k]), "%s: %s", files[k].target, files[k].what);
		tests[k] = (struct CMUnitTest){.name = names[k],
			.test_func = worst_file,
			.initial_state = (void *)&files[k]};
	}
	for (int k = 0; k < N_FILES; k++) {
		snprintf(names[N_FILES + k], sizeof(names[0]), "packed %s: %s", files[k].target,
			files[k].what);
		tests[N_FILES + 1 + k] = (struct CMUnitTest){.name = names[N_FILES + k],
			.test_func = packed_file,
			.initial_state = (void *)&files[k]};
	}
	tests[N_FILES] = (struct CMUnitTest){.name = "every reader", .test_func = every_reader};
	return _cmocka_run_group_tests("limits", tests, 2 * N_FILES + 1, NULL, NULL);
}
