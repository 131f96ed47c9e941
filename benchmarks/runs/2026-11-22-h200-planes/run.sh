#!/bin/sh
# What made this folder's raw.csv, in a checkout with a card.
set -e
make CUDA_ARCHS=90 check-gpu bench
build/benchmarks/bench_contract_gpu benchmarks/shapes_gpu.txt -r 11 > raw.csv
for tool in memcheck racecheck; do
	compute-sanitizer --tool $tool build/tests/gpu/test_contract_gpu 'planes 2*'
done
