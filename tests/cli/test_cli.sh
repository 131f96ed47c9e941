#!/bin/sh
# The program's manners: help, mistakes in the command line, exit statuses, where things are printed.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tap.sh

# ---- help and version
row 'version' 0 '^gpube [0-9]+\.[0-9]+\.[0-9]+$' '' "$gpube" --version
row 'help' 0 '^usage: gpube COMMAND' '' "$gpube" --help
row 'help, short' 0 '^usage: gpube COMMAND' '' "$gpube" -h
row 'help as a command' 0 '^usage: gpube COMMAND' '' "$gpube" help
for c in $("$gpube" __commands); do
	row "help $c" 0 "^usage: gpube $c \[options\]" '' "$gpube" help "$c"
	row "$c --help" 0 "^usage: gpube $c \[options\]" '' "$gpube" "$c" --help
	row "$c -h after an argument" 0 "^usage: gpube $c \[options\]" '' "$gpube" "$c" x -h
done

# ---- mistakes: status 2, nothing on standard output
row 'no command' 2 '' "^gpube: expected a command, see 'gpube --help'\$" "$gpube"
row 'unknown command' 2 '' "^gpube: 'frobnicate' is not a gpube command, see 'gpube --help'\$" \
	"$gpube" frobnicate
row 'unknown command: the nearest' 2 '' '^	solve$' "$gpube" slove
row 'unknown command: what it begins' 2 '' '^	devices$' "$gpube" dev
row 'help on an unknown command' 2 '' "^gpube: 'slove' is not a gpube command" "$gpube" help slove
row 'unknown option in front of the command' 2 '' "^gpube: unknown option '--foo'" "$gpube" --foo
row 'unknown option' 2 '' "^gpube: unknown option '--ordr', did you mean '--order'\?\$" \
	"$gpube" solve --ordr x
row 'unknown option: where help is' 2 '' "^see 'gpube solve --help'\$" "$gpube" solve --ordr x
row 'unknown option like none' 2 '' "^gpube: unknown option '--xyzzy' of 'solve FILE \[EVIDENCE\]'\$" "$gpube" solve --xyzzy x
row 'unknown option with a value' 2 '' "^gpube: unknown option '--mmory', did you mean '--memory'\?\$" \
	"$gpube" solve --mmory=3 x
row 'a command whose files are arguments says so' 2 '' "^gpube: unknown option '-o' of 'convert IN OUT'\$" \
	"$gpube" convert -o a.cfn examples/exams.cfn
row 'unknown short option' 2 '' "^gpube: unknown option '-Z' of 'solve FILE \[EVIDENCE\]'\$" "$gpube" solve -Z x
row 'unknown short option in a cluster' 2 '' "^gpube: unknown option '-Z' of 'solve FILE \[EVIDENCE\]'\$" "$gpube" solve -qZ x
# ---- what other programs call an option: COMMAND WORD OPTION
while read -r command word option; do
	row "$command $word" 2 '' "^gpube: unknown option '${word%%=*}', did you mean '$option'\?\$" \
		"$gpube" "$command" "$word" x
done << 'WORDS'
solve --time-limit --timeout
solve --time-limt --timeout
solve --time_limit=5 --timeout
solve --Time-Limit --timeout
solve -timer=10 --timeout
solve -t --timeout
nash -t --timeout
csg --timelimit --timeout
convert --memory-limit --memory
bound --cpus --threads
solve -j --threads
solve -upper-bound=3 --ub
solve --warm-start --sol
solve --random-seed --seed
count --random-seed --seed
list --max-solutions --most
infer --evidence-file --evidence
infer --given --observe
info --elimination-order --order
solve --no-presolve --no-simplify
solve --input-format --from
convert --input-format --from
convert --output-format --to
solve --output-format --output
bound --proof --certify
solve --silent --quiet
solve --usage --help
auction -t --timeout
reparam --threds --threads
generate --variabels --variables
WORDS
# ---- and what is like none is not guessed
while read -r command word; do
	row "$command $word: no guess" 2 '' "^gpube: unknown option '$word' of '$command" "$gpube" "$command" "$word" x
done << 'WORDS'
solve --frobnicate
solve --x
solve --abc
convert --time-limit
devices --time-limit
nash --upper-bound
solve -Z
generate --timeout
WORDS
row 'a letter with a value' 2 '' "^gpube: unknown option '-v=1' of" "$gpube" solve -v=1 x
row 'a letter in a cluster' 2 '' "^gpube: unknown option '-t', did you mean '--timeout'\?\$" "$gpube" solve -qt 5 x
# ---- words of an option are taken in any case
row 'a task in small letters' 0 '^marginals ' '' "$gpube" infer -q --task mar examples/sprinkler.uai
row 'and in mixed ones' 0 '^assignment ' '' "$gpube" infer -q -t Mpe examples/sprinkler.uai
row 'a method in capitals' 0 '^optimum ' '' "$gpube" solve -q --method TREE examples/exams.cfn
row 'a format in capitals' 0 '^optimum ' '' "$gpube" solve -q --from CFN examples/exams.cfn
that 'no option has a word twice but for case' sh -c "'$gpube' __completion bash | sed -n \"s/.*words='\\([^']*\\)'.*/\\1/p\" |
	tr '[:upper:]' '[:lower:]' | awk '{ split(\"\", seen); for (i = 1; i <= NF; i++) if (seen[\$i]++) exit 1; n += NF > 1 } END { if (!n) exit 1 }'"
row 'ambiguous option' 2 '' "^gpube: option '--or' is ambiguous: --order, --order-file, --order-time\$" \
	"$gpube" solve --or x
row 'flag with a value' 2 '' '^gpube: --count takes no value$' "$gpube" solve --count=3 x
row 'help with a value' 2 '' '^gpube: --help takes no value$' "$gpube" solve --help=3
row 'option without its value' 2 '' '^gpube: --threads: expected 1 to 1024, found nothing$' \
	"$gpube" solve --threads
row 'short option without its value' 2 '' '^gpube: --output-file: expected FILE, found nothing$' \
	"$gpube" solve -o
row 'too few arguments' 2 '' '^gpube: solve: expected FILE \[EVIDENCE\]$' "$gpube" solve
row 'too many arguments' 2 '' "^gpube: solve: unexpected argument 'c'\$" "$gpube" solve a b c
row 'arguments where there are none' 2 '' "^gpube: devices: unexpected argument 'x'\$" \
	"$gpube" devices x
row 'order twice' 2 '' '^gpube: --order and --order-file exclude each other$' \
	"$gpube" solve --order min-fill --order-file x y
row 'convert to standard output without a format' 2 '' '^gpube: convert: standard output has no name' \
	"$gpube" convert examples/exams.cfn -

# ---- values out of their range: OPTION VALUE EXPECTED
while IFS='|' read -r option value expected; do
	row "--$option $value" 2 '' "^gpube: --$option: expected $expected, found '$value'\$" \
		"$gpube" solve "--$option=$value" x
done << 'VALUES'
threads|0|1 to 1024
threads|1025|1 to 1024
threads|-1|1 to 1024
threads|two|1 to 1024
threads|2x|1 to 1024
threads| 2|1 to 1024
threads||1 to 1024
threads|99999999999999999999|1 to 1024
precision|13|0 to 12
precision|-1|0 to 12
seed|-1|a whole number >= 0
seed|9223372036854775808|a whole number >= 0
seed|1.5|a whole number >= 0
memory|8Q|a size such as 512M or 8G
memory|-8G|a size such as 512M or 8G
memory|8GBs|a size such as 512M or 8G
memory|9e30|a size such as 512M or 8G
memory|inf|a size such as 512M or 8G
memory||a size such as 512M or 8G
timeout|soon|a time such as 90, 90s, 5m or 1h
timeout|-1|a time such as 90, 90s, 5m or 1h
timeout|nan|a time such as 90, 90s, 5m or 1h
timeout|0x10|a time such as 90, 90s, 5m or 1h
timeout|1d|a time such as 90, 90s, 5m or 1h
order-time|1ms|a time such as 90, 90s, 5m or 1h
output|xml|text.json.sol.uai.ub
output||text.json.sol.uai.ub
output|TEXTS|text.json.sol.uai.ub
order|fill|auto.min-fill.min-size.min-degree
from|none|auto.wcsp.cfn.uai.*
backend|gpu|auto.cpu.cuda
VALUES

# ---- values that are taken: the command line is right, the file is not there
while read -r option; do
	row "$option" 1 '' "^gpube: cannot open '$work/none'" "$gpube" solve "$option" "$work/none"
done << 'VALUES'
--threads=1
--threads=1024
--memory=8G
--memory=512m
--memory=1.5G
--memory=0
--timeout=90
--timeout=.5s
--timeout=5m
--timeout=1h
--seed=9223372036854775807
--order=min-size
--backend=cpu
-v
-qv
VALUES
row 'options after the file' 1 '' '^gpube: cannot open' "$gpube" solve "$work/none" --threads 1 -q
row 'nothing is an option after --' 1 '' "^gpube: cannot open '--count'" "$gpube" solve -- --count

# ---- failures: status 1, said on standard error; JSON has them on standard output, too
row 'no such file' 1 '' "^gpube: cannot open '$work/none': No such file or directory\$" \
	"$gpube" solve "$work/none"
row 'a directory' 1 '' "^gpube: cannot " "$gpube" solve "$work"
row 'JSON: status error' 1 '^\{"status": "error", "message": "cannot open ' '^gpube: cannot open ' \
	"$gpube" solve --json "$work/none"
row 'JSON: a name that needs escapes' 1 'a\\"b\\\\c\\ufffd\\u0001' '^gpube: cannot open ' \
	"$gpube" info --output json "$(printf 'a"b\\c\377\001')"
row 'CUDA is asked for and not there' 1 '' '^gpube: .*CUDA' env CUDA_VISIBLE_DEVICES= "$gpube" solve --backend cuda examples/zebra.wcsp
row 'CUDA, JSON' 1 '"status": "error".*CUDA' '^gpube: .*CUDA' \
	env CUDA_VISIBLE_DEVICES= "$gpube" solve --backend cuda --json examples/zebra.wcsp
row 'bound: CUDA is asked for and not there' 1 '' '^gpube: .*CUDA' \
	env CUDA_VISIBLE_DEVICES= "$gpube" bound --backend cuda examples/zebra.wcsp
row 'bound: no CUDA, and nothing to read either' 1 '' "^gpube: cannot open '$work/none'" \
	env CUDA_VISIBLE_DEVICES= "$gpube" bound --backend cuda "$work/none"
row 'info: whether there is a device' 0 '^time .*cuda' '' sh -c "CUDA_VISIBLE_DEVICES= '$gpube' info examples/zebra.wcsp | sed 's/CUDA/cuda/'"
row 'info: of the CPU alone' 0 '^time +cpu: [a-z0-9. ]* s$' '' "$gpube" info --backend cpu examples/zebra.wcsp
row 'an output that cannot be, before anything is read' 1 '' "^gpube: cannot write '$work/no/dir'" \
	"$gpube" solve -o "$work/no/dir" "$work/none"

if [ -w /dev/full ]; then
	row 'full disk: help' 1 '' '^gpube: cannot write' sh -c "'$gpube' --help > /dev/full"
	row 'full disk: devices' 1 '' '^gpube: cannot write' sh -c "'$gpube' devices > /dev/full"
	row 'full disk: solve' 1 '' '^gpube: cannot write' \
		sh -c "'$gpube' solve examples/zebra.wcsp > /dev/full"
else
	skip 'full disk' 'no /dev/full'
fi
row 'closed pipe' 0 '^1$' '^gpube: cannot write' \
	without_reader "$gpube" devices

# ---- devices
row 'devices' 0 '^threads +[0-9]+ of [0-9]+ cores$' '' "$gpube" devices
row 'devices: no GPU in this build' 0 '^gpu +' '' "$gpube" devices
plan
