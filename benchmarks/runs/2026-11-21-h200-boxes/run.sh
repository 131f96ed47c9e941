#!/bin/sh
# What made this folder's files, in a checkout with a card: tests, figures, sanitizer.
set -e
make CUDA_ARCHS=90 check-gpu bench
build/benchmarks/bench_contract_gpu benchmarks/shapes_gpu.txt -r 5 > raw.csv
build/benchmarks/bench_contract_gpu benchmarks/shapes.txt -r 5 > raw_shapes.csv
compute-sanitizer --tool memcheck build/tests/gpu/test_contract_gpu
compute-sanitizer --tool racecheck --racecheck-report analysis build/tests/gpu/test_contract_gpu
