#!/bin/sh
# Formats that are known and not read are refused by their name, whatever a command expects; and
# words that such a file may begin with are no reason to refuse a model.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

# unread NAME TEXT WHAT [COMMAND…]: by 'info', or by each COMMAND
unread() {
	name=$1 what=$3
	printf "$2" > "$work/$name"
	shift 3
	for c in ${*:-info}; do
		row "$c $name" 1 '' "'.*$name' is .*$what.*, which is not read" "$gpube" "$c" "$work/$name"
	done
}

unread x.cp '# problem name\n4_QUEENS\n' 'cp2wcsp'
unread noext 'max: 3x + 2y;\n' 'linear program'
unread x.mzn 'var 1..3: x;\n' MiniZinc
unread x.smt2 '(set-logic QF_LIA)\n' SMT-LIB info nash
unread noname_oobn 'class Zone\n{\n  inputs = ();\n' 'Bayesian network of Hugin'
unread x.dsl 'net a\n{\n node b\n {\n' 'Bayesian network of GeNIe'
unread x '<?xml version="1.0"?>\n<!-- a -->\n<smile version="1.0" id="a">\n' GeNIe
unread x.dsc 'belief network "unknown"\nnode A {\n' 'Bayesian network of Microsoft'
unread x.dne '// ~->[DNET-1]->~\n\nbnet a {\n' 'Bayesian network of Netica'
unread noname_elv '// Bayesian Network\n// Elvira format\n\nbnet  "" {\n' Elvira
unread x.pgmx '<?xml version="1.0"?>\n<ProbModelXML formatVersion="0.2.0">\n' OpenMarkov
unread noname_fg '# a\n2\n\n2\n4 1 \n2 2 \n3\n0 0.5\n' libDAI
unread x.fg '1\n\n2\n0 1\n2 2\n' libDAI
unread x.gr 'c a\np tw 3 2\n1 2\n' PACE
unread x.td 's td 1 2 2\n' '.cov is read'
unread x.dot 'digraph g {\n}\n' graph
unread x.hgr '2 3\n1 2\n2 3\n' hypergraph
unread x.zip 'PK\003\004\024' 'a zip archive'
unread x.wcsp.lz4 '\004\042\115\030' 'packed by lz4' info solve
row 'and what to do' 1 '' "is packed by lz4, which is not read: unpack it first" "$gpube" solve "$work/x.wcsp.lz4"
unread x.pdf '%%PDF-1.4\n' PDF

# a .wcsp begins with its name, which is any word
for word in max graph net class EFG network BZh9 BZhao; do
	printf '%s 1 2 0 9\n2\n' $word > "$work/model"
	row "a model whose name is $word" 0 '^model ' '' "$gpube" info "$work/model"
done
row 'on standard input' 1 '' "'<stdin>' is .*PACE's .gr.*, which is not read" \
	sh -c "printf 'p tw 3 2\\n' | '$gpube' solve -"
plan
