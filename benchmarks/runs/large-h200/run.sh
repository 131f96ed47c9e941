#!/bin/sh
# run.sh OUTDIR BIN: rows of the GpuBE paper's table 2 with large tables, and large buckets alone; at most 200 s
out=$1 bin=$2 backend=${BACKEND:-cuda}
cd "$(dirname "$0")" || exit 1
mkdir -p "$out"
LD_LIBRARY_PATH=$bin:$bin/lib:${LD_LIBRARY_PATH:-}; export LD_LIBRARY_PATH
{ nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; nproc; cat /proc/loadavg; "$bin/gpube" --version; } > "$out/machine.txt" 2>&1
# row NAME LIMIT INSTANCES SECONDS ROWS: one file each; a row that is cut off keeps its instances in each-NAME.csv
row()
{
	timeout "$2" "$bin/bench_be_tables" $backend "$3" "$4" 1e16 "$5" "$out/each-$1.csv" > "$out/rows-$1.csv" 2>> "$out/errors.txt"
	echo "$1: $? after $(($(date +%s) - begin)) s" >> "$out/machine.txt"
}
begin=$(date +%s)
row d25 20 10 5 2/10/25/dfs/0,2/10/25/best/0,2/10/25/dfs/0.9
row n18 14 10 9 2/18/10/dfs/0
row d50 40 10 30 2/10/50/dfs/0
row n19 24 10 16 2/19/10/dfs/0
row n20 34 10 24 2/20/10/dfs/0
row tight 10 10 3 2/10/50/dfs/0.9,2/18/10/dfs/0.9,2/19/10/dfs/0.9,2/20/10/dfs/0.9,2/10/100/dfs/0.9
[ "$backend" = cuda ] || exit 0
# buckets alone, every result checked: by what is chosen, and by what took them before
timeout 8 "$bin/bench_wide" 25 8 3 any,boxes 63 2 > "$out/wide-25.txt" 2>&1
timeout 8 "$bin/bench_wide" 10 11 3 any,boxes 9 9 > "$out/wide-10.txt" 2>&1
timeout 8 "$bin/bench_wide" 25 7 3 any,boxes,direct 31 > "$out/wide-25-7.txt" 2>&1
timeout 8 "$bin/bench_wide" 5 14 5 any,direct > "$out/wide-5.txt" 2>&1
row d100 20 1 10 2/10/100/dfs/0
echo "all: $(($(date +%s) - begin)) s" >> "$out/machine.txt"
