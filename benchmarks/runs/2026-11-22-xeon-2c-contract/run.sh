#!/bin/sh
# run.sh BENCH_CONTRACT OUT: one family at a time, each a few seconds; in the tree's root
set -e
bench=$1 out=$2
for family in matmul big+many d2v24 d44v3 ternary batch; do
	"$bench" -t 0.08 -r $family -c "$out/$family.csv" benchmarks/shapes.txt
done
