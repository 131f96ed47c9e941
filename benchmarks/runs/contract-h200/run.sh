#!/bin/sh
# What made this folder's files, in a checkout with a card.
set -e
make CUDA_ARCHS=90 check-gpu bench
grep -v '^matmul4096' benchmarks/shapes_gpu.txt > some.txt
grep '^matmul4096' benchmarks/shapes_gpu.txt > product.txt
build/benchmarks/bench_contract_gpu some.txt -r 5 -k direct > raw-direct.csv
build/benchmarks/bench_contract_gpu some.txt -r 5 -k boxes > raw-boxes.csv
build/benchmarks/bench_contract_gpu product.txt -r 5 -k boxes > raw-boxes-product.csv
grep -E '^(big\+small|d10v9|d2v28)' benchmarks/shapes_gpu.txt > strips.txt
build/benchmarks/bench_contract_gpu strips.txt -r 11 > raw-strips.csv
