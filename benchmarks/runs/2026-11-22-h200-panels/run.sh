#!/bin/sh
# What made this folder's files, in a checkout with a card.
set -e
make CUDA_ARCHS=90 check-gpu bench
bench=build/benchmarks/bench_contract_gpu
grep -E '^(d10v9|d44v4|d100v4|ternary|lanes) ' benchmarks/shapes_gpu.txt > big.txt
grep -E '^(matmul|d44v3|ternary) ' benchmarks/shapes.txt > small.txt
$bench benchmarks/shapes_gpu.txt -r 5 > raw.csv
$bench benchmarks/shapes.txt -r 5 > raw_shapes.csv
$bench big.txt -r 5 -k panels > raw_panels.csv
$bench small.txt -r 5 -i -k panels > raw_shapes_panels.csv
for tool in memcheck racecheck; do
	compute-sanitizer --tool $tool build/tests/gpu/test_contract_gpu 'panels 2*'
done
