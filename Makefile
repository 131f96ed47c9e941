# gpube: make help lists the targets. Everything is built under $(BUILD).
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

BUILD  ?= build
CC     ?= cc
ifeq ($(origin CC),default)
CC      = cc
endif
CXX    ?= c++
ifeq ($(origin CXX),default)
CXX     = $(patsubst %clang,%clang++,$(patsubst %cc,%c++,$(patsubst %gcc,%g++,$(CC))))
endif
# the same code as with -g, which takes a fifth of the compilers' time: CFLAGS='-O2 -g' is for debuggers
CFLAGS ?= -O2
WARN   ?= -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
MANDIR  = $(PREFIX)/share/man
DOCDIR  = $(PREFIX)/share/doc/gpube
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR  = $(PREFIX)/share/zsh/site-functions
CUDA   ?= 1
NVCC   ?= nvcc
MPI    ?= 1

# make V=1 shows the commands
Q    = $(if $(filter 1,$(V)),,@)
say  = @$(if $(filter 1,$(V)),true,printf '  %-5s %s\n' $(1) $@)

# ---- what this machine offers ------------------------------------------------
# a backslash before it would reach the shell, and the preprocessor: GNU make keeps it from 4.3 on
HASH := \#
have = $(shell printf '$(1)\n' | $(CC) $(2) -x c -E - >/dev/null 2>&1 && echo yes)
LZMA   := $(call have,$(HASH)include <lzma.h>)
BZIP2  := $(call have,$(HASH)include <bzlib.h>)
ZSTD   := $(call have,$(HASH)include <zstd.h>)
FLINT  := $(call have,$(HASH)include <flint/fmpz_mat.h>)
EXPAT  := $(call have,$(HASH)include <expat.h>)
YAML   := $(call have,$(HASH)include <yaml.h>)
CADICAL := $(shell printf '$(HASH)include <cadical.hpp>\n' | $(CXX) -x c++ -E - >/dev/null 2>&1 && echo yes)
CXX_WORKS := $(shell printf 'int i;' | $(CXX) -x c++ -c -o /dev/null - 2>/dev/null && echo yes)
X86    := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),yes)
# the wrapper of the machine's MPI library knows its headers and libraries
MPICC  ?= mpicc
# it shall call our compiler, by Open MPI's name for that and by MPICH's
MPI_CC = OMPI_CC='$(CC)' MPICH_CC='$(CC)'
MPI_PATH := $(if $(filter 1,$(MPI)),$(shell command -v $(MPICC) 2>/dev/null))
NVCC_PATH := $(if $(filter 1,$(CUDA)),$(shell command -v $(NVCC) 2>/dev/null))
# native: code for the cards of this machine; all: for every card, which is what a release wants and
# what a machine without a card gets. Or a list: code for these, each good for the cards up to the next
# (80: 86 and 89, too), and PTX of the last for what comes after it.
CUDA_ARCHS ?= native
CUDA_CARDS := $(if $(NVCC_PATH),$(filter native,$(CUDA_ARCHS)),)
CUDA_CARDS := $(if $(CUDA_CARDS),$(sort $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null))))
CUDA_CODE   = $(patsubst all,75 80 90,$(patsubst native,$(or $(CUDA_CARDS),all),$(CUDA_ARCHS)))
CUDA_HOME  ?= $(if $(NVCC_PATH),$(patsubst %/bin/,%,$(dir $(realpath $(NVCC_PATH)))))
NVCCFLAGS  ?= -O3

ALL_CFLAGS = -std=c11 -fopenmp-simd -I. -fvisibility=hidden -fPIC -MMD -MP $(WARN) $(CFLAGS) $(EXTRA_CFLAGS)
LIBS       = -lz
ifeq ($(LZMA),yes)
ALL_CFLAGS += -DGPUBE_HAVE_LZMA
LIBS       += -llzma
endif
ifeq ($(BZIP2),yes)
ALL_CFLAGS += -DGPUBE_HAVE_BZIP2
LIBS       += -lbz2
endif
ifeq ($(ZSTD),yes)
ALL_CFLAGS += -DGPUBE_HAVE_ZSTD
LIBS       += -lzstd
endif
ifeq ($(FLINT),yes)
ALL_CFLAGS += -DGPUBE_HAVE_FLINT
LIBS       += -lflint -lgmp
endif
ifeq ($(EXPAT),yes)
ALL_CFLAGS += -DGPUBE_HAVE_EXPAT
LIBS       += -lexpat
endif
ifeq ($(YAML),yes)
ALL_CFLAGS += -DGPUBE_HAVE_YAML
LIBS       += -lyaml
endif
# libraries of C++, which only these files of ours know, and what calls them; they and that language stay inside the program
ifeq ($(CADICAL),yes)
LIBS       += -lcadical
CXX_SRC    += gpube/relax/cadical.cc
endif
ifeq ($(CXX_WORKS),yes)
LIBS       += -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic
CXX_SRC    += gpube/relax/linear/caught.cc
endif
LIBS += -lm -lpthread -ldl
ifneq ($(NVCC_PATH),)
# the runtime is static: libgpube-cuda.so is loaded on machines that have no driver, too
CUDA_LIBS = -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/targets/x86_64-linux/lib -lcudart_static -ldl -lrt -lstdc++ -lm -lpthread
CUDA_GENCODE = $(foreach a,$(CUDA_CODE),-gencode arch=compute_$(a),code=sm_$(a)) \
	-gencode arch=compute_$(lastword $(CUDA_CODE)),code=compute_$(lastword $(CUDA_CODE))
ALL_NVCCFLAGS = -std=c++17 -I. $(NVCCFLAGS) $(CUDA_GENCODE) -ccbin $(lastword $(CC)) --cudart static \
	-Xcompiler -fPIC,-fvisibility=hidden,-fno-exceptions,-fno-rtti,-Wall
endif

# ---- sources -------------------------------------------------------------------
CLI_SRC  := $(filter-out gpube/cli/convert_main.c,$(wildcard gpube/cli/*.c gpube/cli/*/*.c))
# every room but the program's (CONTRIBUTING.md has the map); what needs MPI is for gpube-mpi
NASH_SRC := $(if $(filter yes,$(FLINT)),$(filter-out nash/without_flint.c,$(wildcard nash/*.c nash/*/*.c)),\
	$(addprefix nash/,classes.c components.c pure.c result.c without_flint.c))
# linked in this order: what short calls need lies together, so that fewer of the library's pages are in memory
FIRST_SRC := formats/uai/evid.c $(wildcard $(addsuffix *.c,$(addprefix gpube/,base/ options/ ir/ ir/*/) formats/ formats/io/ formats/common/ \
	formats/games/ formats/coalitions/ csg/ csg/*/)) $(NASH_SRC)
LIB_SRC  := $(FIRST_SRC) $(filter-out gpube/cli/% %_mpi.c $(FIRST_SRC),\
	$(wildcard $(addsuffix *.c,gpube/*/ gpube/*/*/ gpube/*/*/*/ formats/*/ dcop/)))
CUDA_SRC := $(if $(NVCC_PATH),$(wildcard $(addsuffix *.cu,gpube/ops/ gpube/ops/*/ gpube/ops/*/*/)))
# gpube-convert: the same options, the formats and the simplifier; no operators, no CUDA
CONVERT_SRC := $(addprefix gpube/cli/,convert_main.c program.c errors.c cmd_convert.c simplify_map.c \
	opts.c options/opts_rows.c options/opts_nearest.c overwrites.c help.c session/session.c session/status.c session/inputs.c session/observe.c session/contents.c session/contents_check.c \
	session/json.c options/opts_json.c)
TEST_SRC := $(wildcard $(addsuffix /test_*.c,$(addprefix tests/,unit api bound sums games ops parse fuzz)))
GPU_TEST_SRC := $(wildcard tests/gpu/test_*.c)
TEST_LIB_SRC := $(wildcard $(addsuffix *.c,tests/support/ $(addprefix tests/support/,emulate/ reference/))) tests/fuzz/readers.c
BENCH_SRC := $(wildcard benchmarks/bench_*.c)
GPU_BENCH_SRC := $(if $(NVCC_PATH),$(wildcard benchmarks/bench_*.cu))

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(patsubst %.cc,$(BUILD)/obj/%.cc.o,$(patsubst %.cu,$(BUILD)/obj/%.cu.o,$(1))))
LIB   = $(BUILD)/libgpube.a
VERSION  := $(shell sed -n 's/^\#define GPUBE_VERSION "\(.*\)"/\1/p' gpube/gpube.h)
# counts the interfaces: programs of one work with no library of another
SONAME    = libgpube.so.1
SHARED    = $(BUILD)/libgpube.so
CUDA_LIB  = $(if $(NVCC_PATH),$(BUILD)/libgpube-cuda.so)
TEST_LIB = $(BUILD)/libtest.a
TESTS = $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
GPU_TESTS = $(patsubst %.c,$(BUILD)/%,$(GPU_TEST_SRC))
BENCHES = $(patsubst %.c,$(BUILD)/%,$(BENCH_SRC))
GPU_BENCHES = $(patsubst %.cu,$(BUILD)/%,$(GPU_BENCH_SRC))

## all: build all that this machine can: programs, libraries, the CUDA backend (the default)
all: note $(BUILD)/gpube $(BUILD)/gpube-convert $(LIB) $(SHARED) $(if $(MPI_PATH),$(BUILD)/gpube-mpi) $(CUDA_LIB)

## cuda: build the CUDA backend alone, libgpube-cuda.so (CUDA_ARCHS=native, all, or '80 90')
cuda: $(CUDA_LIB)
	@test -n "$(NVCC_PATH)" || { echo "make cuda: no $(NVCC) (apt-get install nvidia-cuda-toolkit, or NVIDIA's own)"; exit 1; }

note:
	@test "$(LZMA)" = yes || echo "note: liblzma not found, .xz files cannot be read (apt-get install liblzma-dev)"
	@test "$(BZIP2)$(ZSTD)" = yesyes || echo "note: libbz2 or libzstd not found, .bz2 or .zst files cannot be read (apt-get install libbz2-dev libzstd-dev)"
	@test "$(FLINT)" = yes || echo "note: FLINT not found, 'gpube nash' finds no equilibria (apt-get install libflint-dev)"
	@test "$(EXPAT)" = yes || echo "note: expat not found, XCSP, XCSP3 and FRODO .xml files cannot be read (apt-get install libexpat1-dev)"
	@test "$(YAML)" = yes || echo "note: libyaml not found, pyDCOP .yaml files cannot be read (apt-get install libyaml-dev)"
	@test "$(CADICAL)" = yes || echo "note: CaDiCaL not found, models of hard costs alone are left to the other methods (apt-get install libcadical-dev g++)"
	@test -n "$(MPI_PATH)" || echo "note: building without MPI, there is no gpube-mpi (apt-get install libopenmpi-dev)"
	@test -n "$(NVCC_PATH)" || echo "note: building for the CPU only (no nvcc, or CUDA=0)"
	@test -z "$(NVCC_PATH)" -o "$(CUDA_ARCHS)" != native -o -n "$(CUDA_CARDS)" || \
		echo "note: no card here, so the CUDA backend is built for all (CUDA_ARCHS=90: for one kind, in a third of the time)"

# ISA-specific kernels: the file name says which flags it needs; on other
# machines the files are empty.
ifeq ($(X86),yes)
$(BUILD)/obj/%_avx2.o: ISA = -mavx2 -mfma -mbmi2
$(BUILD)/obj/%_avx512.o: ISA = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mbmi2 -mprefer-vector-width=512
# compilers that do not know it leave the file empty
$(BUILD)/obj/%_avx512fp16.o: ISA = -mavx512f -mavx512bw -mavx512dq -mavx512vl $(if $(call have,,-mavx512fp16),-mavx512fp16)
# the order of the instructions is worth a tenth: see benchmarks/bench_csg
$(BUILD)/obj/gpube/ops/subset/subset_avx512.o: private TUNE = -mtune=icelake-server
$(BUILD)/obj/gpube/ops/subset/subset_avx512fp16.o: private TUNE = -mtune=icelake-server
endif

$(BUILD)/obj/%.o: %.c $(BUILD)/obj/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(ISA) $(TUNE) $(ABI_FLAG) -c $< -o $@

$(BUILD)/obj/cxx: force
	@mkdir -p $(@D)
	@echo '$(CADICAL) $(CXX_WORKS)' | cmp -s - $@ || echo '$(CADICAL) $(CXX_WORKS)' > $@
$(call obj,gpube/relax/sat.c gpube/relax/linear/clp.c): $(BUILD)/obj/cxx
$(call obj,gpube/relax/sat.c): private TUNE = $(if $(filter yes,$(CADICAL)),-DGPUBE_HAVE_CADICAL)
$(call obj,gpube/relax/linear/clp.c): private TUNE = -fexceptions $(if $(filter yes,$(CXX_WORKS)),-DGPUBE_HAVE_CXX)

$(BUILD)/obj/%.cc.o: %.cc $(BUILD)/obj/flags
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) -std=c++11 -I. -fvisibility=hidden -fPIC -MMD -MP -Wall -Wextra $(CFLAGS) $(EXTRA_CFLAGS) -c $< -o $@

$(BUILD)/obj/%.cu.o: %.cu $(BUILD)/obj/flags-cuda
	@mkdir -p $(@D)
	$(call say,NVCC)
	$(Q)$(NVCC) $(ALL_NVCCFLAGS) $(ABI_FLAG) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(BUILD)/obj/flags-cuda: force
	@mkdir -p $(@D)
	@echo '$(NVCC) $(ALL_NVCCFLAGS)' | cmp -s - $@ || echo '$(NVCC) $(ALL_NVCCFLAGS)' > $@

# Rebuilds everything when the compiler or the flags change.
$(BUILD)/obj/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' > $@

$(LIB): $(call obj,$(LIB_SRC) $(CXX_SRC))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(SHARED): $(call obj,$(LIB_SRC) $(CXX_SRC))
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,--exclude-libs,libcadical.a:libstdc++.a -Wl,-soname,$(SONAME) $^ $(LIBS) -o $@

# The CUDA files, and of the archive what they call. Its names stay its own: the program has them, too.
$(BUILD)/libgpube-cuda.so: $(call obj,$(CUDA_SRC)) $(LIB)
	$(call say,LD)
	$(Q)echo '{ global: gpube_cuda_backend; local: *; };' > $@.names
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -Wl,--gc-sections -Wl,--as-needed -Wl,--version-script=$@.names \
		$^ $(CUDA_LIBS) -o $@

# What both sides of libgpube-cuda.so are compiled with, as one number (gpube/ops/device/backend.h).
ABI_HEADERS := $(sort $(wildcard $(addsuffix *.h,gpube/ gpube/base/ gpube/options/ gpube/ir/ gpube/ir/*/ gpube/ops/ gpube/ops/*/ gpube/ops/*/*/)))
ABI         := $(firstword $(shell cat $(ABI_HEADERS) | cksum))
BACKEND_OBJ  = $(addprefix $(BUILD)/obj/gpube/ops/device/,backend_load.o backend_cuda.cu.o)
$(BUILD)/obj/abi: force
	@mkdir -p $(@D)
	@echo '$(ABI)' | cmp -s - $@ || echo '$(ABI)' > $@
$(BACKEND_OBJ): $(BUILD)/obj/abi
$(BACKEND_OBJ): private ABI_FLAG = -DGPUBE_CUDA_ABI=$(ABI)u

$(BUILD)/gpube: $(call obj,$(CLI_SRC)) $(LIB)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/gpube-convert: $(call obj,$(CONVERT_SRC)) $(LIB)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--gc-sections -Wl,--as-needed $^ -lz $(if $(filter yes,$(LZMA)),-llzma) $(if $(filter yes,$(BZIP2)),-lbz2) $(if $(filter yes,$(ZSTD)),-lzstd) \
		$(if $(filter yes,$(EXPAT)),-lexpat) $(if $(filter yes,$(YAML)),-lyaml) -lm -lpthread -o $@

# The same program with ranks: what the archive has of x_single.o is left out, for x_mpi.o
# is there already (gpube/ranks/world.h says why this is a program of its own).
$(BUILD)/obj/%_mpi.o: %_mpi.c $(BUILD)/obj/flags
	@mkdir -p $(@D)
	$(call say,MPICC)
	$(Q)$(MPI_CC) $(MPICC) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/gpube-mpi: $(call obj,$(CLI_SRC) gpube/ranks/world_mpi.c) $(LIB)
	$(call say,LD)
	$(Q)$(MPI_CC) $(MPICC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# an archive: a benchmark takes what it needs of it, and none of it that needs cmocka
$(TEST_LIB): $(call obj,$(TEST_LIB_SRC))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(TESTS) $(GPU_TESTS): $(BUILD)/%: $(BUILD)/obj/%.o $(TEST_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lcmocka $(LIBS) -o $@

$(BENCHES): $(BUILD)/%: $(BUILD)/obj/%.o $(TEST_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# these time kernels themselves: the CUDA files are linked, and backend.o and backend_load.o are then left in the archive
$(GPU_BENCHES): $(BUILD)/%: $(BUILD)/obj/%.cu.o $(call obj,$(CUDA_SRC)) $(TEST_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(CUDA_LIBS) $(LIBS) -o $@

# The program alone, with as many compilers at a time as there are cores if nobody said how many.
## demo: build the program for the CPU alone, in parallel, then solve a shipped example
demo:
	+$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) CUDA=0 note $(BUILD)/gpube
	$(BUILD)/gpube solve examples/zebra.wcsp

# as many at a time as make -j says, and half as many more: they wait for a third of their time
TEST_JOBS = $(shell echo $$(($(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),1) * 3 / 2)))

## check: build and run every test (-j2: three at a time); ends with "N passed, N failed"
check: all $(TESTS) $(GPU_TESTS)
	@JOBS=$(TEST_JOBS) tests/run.sh $(BUILD) $(TESTS) $(GPU_TESTS) $(wildcard tests/*/test_*.sh)

## check-gpu: the tests of the CUDA backend alone; without a device they fail
check-gpu: all $(GPU_TESTS)
	@GPUBE_REQUIRE_GPU=1 tests/run.sh $(BUILD) $(GPU_TESTS)

## sanitize-gpu: these under memcheck and racecheck of compute-sanitizer, each in 16 processes
sanitize-gpu: all $(GPU_TESTS)
	tests/sanitize.sh $(BUILD) memcheck 16 $(GPU_TESTS)
	tests/sanitize.sh $(BUILD) racecheck 16 $(GPU_TESTS)

## check-large: tests that take gigabytes of memory, and 100,000 random sequences of calls
API_RANDOM = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/api/test_api_random*.c))
check-large: all $(API_RANDOM)
	@GPUBE_LARGE=1 GPUBE_API_RUNS=100000 tests/run.sh $(BUILD) tests/cli/test_large.sh $(API_RANDOM)

# without MPI, whose libraries leak
## asan: the same under AddressSanitizer and UBSan, in build-asan
asan:
	$(MAKE) BUILD=build-asan CUDA=0 MPI=0 CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all' check

# what works on several threads, and commands that do
TSAN_TESTS = $(addprefix build-tsan/tests/,$(addprefix unit/test_,frontier parallel race opening solve heuristic be be_split slices dpop) \
	sums/test_infer sums/test_infer_devices api/test_solver_threads api/test_shared_models $(addprefix bound/test_,andor bound bound_first dfs_threads joingraph sharing) games/test_csg_conv $(addprefix ops/test_,contract subset sum support))
## tsan: threaded tests and commands under ThreadSanitizer, in build-tsan
tsan:
	$(MAKE) BUILD=build-tsan CUDA=0 MPI=0 CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=thread' \
		build-tsan/gpube build-tsan/gpube-convert $(TSAN_TESTS)
	GPUBE_TEST_THREADS=together JOBS=$(TEST_JOBS) tests/run.sh build-tsan $(TSAN_TESTS) tests/cli/test_threads.sh

## lto: link everything once with the types of all files compared, in build-lto
lto:
	$(MAKE) BUILD=build-lto CUDA=0 MPI=0 CFLAGS='-O0 -flto=auto' build-lto/whole.so
$(BUILD)/whole.so: $(call obj,$(LIB_SRC) $(CLI_SRC))
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wlto-type-mismatch -Werror $^ $(LIBS) -o $@

## fuzz: a fuzzer per reader in build-fuzz (needs clang), FUZZ_RUNS inputs each (FUZZ_READERS="wcsp cfn": these alone)
FUZZ_RUNS ?= 1000000
FUZZ_CC   ?= clang
fuzz:
	$(MAKE) BUILD=build-fuzz CUDA=0 CC='$(FUZZ_CC)' FLINT= \
		CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' build-fuzz/fuzz
	tests/fuzz/fuzz.sh build-fuzz $(FUZZ_RUNS) $(FUZZ_READERS)

# contract takes minutes to compile so: tests/fuzz/no_contract.c stands for it
READERS_SRC := $(wildcard gpube/base/*.c gpube/options/*.c gpube/ir/*.c gpube/ir/*/*.c gpube/globals/*.c gpube/order/elimination.c gpube/ops/ops_cpu.c gpube/ops/scratch.c gpube/ops/kept.c \
	gpube/ops/subset/*.c formats/*.c formats/*/*.c gpube/forms/*.c csg/*.c csg/*/*.c gpube/ranks/world_single.c gpube/ranks/test_hook.c gpube/ranks/parcel.c)
$(BUILD)/libreaders.a: $(call obj,$(READERS_SRC))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/fuzz: $(call obj,$(addprefix tests/fuzz/,fuzz.c readers.c no_contract.c)) $(BUILD)/libreaders.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@

## bench: build the benchmark programs (benchmarks/README.md says how to run them)
bench: all $(BENCHES) $(GPU_BENCHES)

## install: programs, library, headers, pkg-config file, man pages, examples, completion under PREFIX, libraries in LIBDIR (DESTDIR honoured)
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/gpube $(DESTDIR)$(PREFIX)/include/gpube
	install -m 755 $(BUILD)/gpube $(BUILD)/gpube-convert plugins/toulbar2/tb2-gpube \
		plugins/daoopt/daoopt-gpube $(DESTDIR)$(PREFIX)/bin/
	$(if $(MPI_PATH),install -m 755 $(BUILD)/gpube-mpi $(DESTDIR)$(PREFIX)/bin/gpube-mpi)
	install -m 644 $(LIB) $(DESTDIR)$(LIBDIR)/libgpube.a
	install -m 755 $(SHARED) $(DESTDIR)$(LIBDIR)/libgpube.so.$(VERSION)
	ln -sf libgpube.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libgpube.so
	[ ! -e $(BUILD)/libgpube-cuda.so ] || install -m 755 $(BUILD)/libgpube-cuda.so $(DESTDIR)$(LIBDIR)/
	install -m 644 gpube/gpube.h gpube/partial.h gpube/certify.h gpube/solver.h gpube/dpop.h gpube/sums.h gpube/coalitions.h gpube/games.h gpube/forms.h formats/formats.h gpube/globals.h nash/nash.h csg/csg.h csg/auction.h \
		$(DESTDIR)$(PREFIX)/include/gpube/
	for f in pkgconfig/gpube.pc cmake/gpube/gpube-config.cmake cmake/gpube/gpube-config-version.cmake; do \
		sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@LIBS@|$(strip $(LIBS))|' -e 's|@VERSION@|$(VERSION)|' \
			-e 's|@SONAME@|$(SONAME)|' plugins/build/$${f##*/}.in > $(DESTDIR)$(LIBDIR)/$$f; done
	gpube/man.sh $(BUILD) $(VERSION) $(BUILD)/man
	install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man3 $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) \
		$(DESTDIR)$(DOCDIR)/examples
	install -m 644 $(if $(MPI_PATH),$(BUILD)/man/man1/gpube-mpi.1) $(BUILD)/man/man1/[!g]*.1 $(BUILD)/man/man1/gpube.1 \
		$(foreach c,$(shell sed -n 's/^	&cmd_\(.*\),/\1/p' gpube/cli/main.c),$(BUILD)/man/man1/gpube-$(c).1) $(DESTDIR)$(MANDIR)/man1/
	install -m 644 $(BUILD)/man/man3/* $(DESTDIR)$(MANDIR)/man3/
	install -m 644 $(BUILD)/man/man5/* $(DESTDIR)$(MANDIR)/man5/
	install -m 644 examples/* $(DESTDIR)$(DOCDIR)/examples/
	install -m 644 README.md CHANGELOG.md LICENSE $(DESTDIR)$(DOCDIR)/
	install -m 644 formats/certificate.md $(DESTDIR)$(DOCDIR)/bound-certificate.md
	install -m 644 csg/certificate.md $(DESTDIR)$(DOCDIR)/csg-certificate.md
	install -m 644 nash/players/certificate.md $(DESTDIR)$(DOCDIR)/nash-certificate.md
	$(BUILD)/gpube __completion bash > $(DESTDIR)$(BASHDIR)/gpube
	ln -sf gpube $(DESTDIR)$(BASHDIR)/gpube-convert
	$(BUILD)/gpube __completion zsh > $(DESTDIR)$(ZSHDIR)/_gpube
	$(if $(DESTDIR),,-ldconfig 2>/dev/null) # so that libgpube.so is found; takes root

## uninstall: remove what install put there (the same PREFIX and DESTDIR)
uninstall:
	cd $(DESTDIR)$(PREFIX) && rm -f $(addprefix bin/,gpube gpube-convert gpube-mpi tb2-gpube daoopt-gpube)
	cd $(DESTDIR)$(LIBDIR) && rm -rf libgpube.a libgpube.so libgpube.so.* libgpube-cuda.so pkgconfig/gpube.pc cmake/gpube
	gpube/man.sh $(BUILD) $(VERSION) $(BUILD)/man 3
	cd $(DESTDIR)$(MANDIR) && rm -f man1/gpube.1 man1/gpube-*.1 man1/tb2-gpube.1 man1/daoopt-gpube.1 man5/gpube-json.5 \
		$$(ls $(abspath $(BUILD))/man/man3 | sed 's|^|man3/|')
	rm -f $(DESTDIR)$(ZSHDIR)/_gpube $(DESTDIR)$(BASHDIR)/gpube $(DESTDIR)$(BASHDIR)/gpube-convert
	rm -rf $(DESTDIR)$(PREFIX)/include/gpube $(DESTDIR)$(DOCDIR)
	$(if $(DESTDIR),find $(DESTDIR) -mindepth 1 -depth -type d -empty -delete)

## format: reformat the sources with clang-format 14 (others break lines at other places)
CLANG_FORMAT ?= $(firstword $(shell command -v clang-format-14) clang-format)
format:
	git ls-files '*.c' '*.h' '*.cc' '*.cu' '*.cuh' | xargs $(CLANG_FORMAT) -i

## check-wheel: build a Python wheel from an sdist and try it in a fresh environment (takes PyPI and minutes)
check-wheel:
	sh plugins/python/tests/wheel.sh

# that of the packages, which need not be the first one of the PATH
DOCS_PYTHON := $(firstword $(foreach p,python3 /usr/bin/python3,$(if $(filter docs,$(MAKECMDGOALS)),$(shell $(p) -c 'import furo, myst_parser, sphinx' 2>/dev/null && echo $(p)))))
## docs: the site, build/docs/index.html (apt-get install python3-sphinx python3-myst-parser furo)
docs: $(BUILD)/gpube $(SHARED)
	@test -n "$(DOCS_PYTHON)" || { echo "make docs: no Sphinx with MyST and Furo (apt-get install python3-sphinx python3-myst-parser furo)"; exit 1; }
	$(Q)$(DOCS_PYTHON) docs/make.py $(BUILD)
	$(Q)GPUBE_LIBRARY=$(abspath $(SHARED)) $(DOCS_PYTHON) -m sphinx -W --keep-going -q -b html -c docs $(BUILD)/docs-src $(BUILD)/docs
	@echo "$(BUILD)/docs/index.html"

## tidy: clang-tidy over the sources, zero warnings
tidy:
	@mkdir -p $(BUILD)/include/gpube && cp formats/formats.h $(BUILD)/include/gpube # as examples/ have it
	@git ls-files '*.c' | grep -v '^tests/' | xargs -n 1 -P 2 -I{} clang-tidy --quiet --warnings-as-errors='*' {} -- -std=c11 -I. -I$(BUILD)/include $(addprefix -I,$(if $(MPI_PATH),$(shell $(MPICC) --showme:incdirs 2>/dev/null))) $(if $(filter yes,$(LZMA)),-DGPUBE_HAVE_LZMA) $(if $(filter yes,$(BZIP2)),-DGPUBE_HAVE_BZIP2) $(if $(filter yes,$(ZSTD)),-DGPUBE_HAVE_ZSTD) $(if $(filter yes,$(FLINT)),-DGPUBE_HAVE_FLINT) $(if $(filter yes,$(EXPAT)),-DGPUBE_HAVE_EXPAT) $(if $(filter yes,$(YAML)),-DGPUBE_HAVE_YAML) $(if $(filter yes,$(CADICAL)),-DGPUBE_HAVE_CADICAL)

## clean: remove what was built
clean:
	rm -rf $(BUILD) build-asan build-tsan build-lto build-fuzz

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1\t/p' $(firstword $(MAKEFILE_LIST)) | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

force:
.PHONY: all cuda uninstall note demo check check-gpu sanitize-gpu check-large asan tsan lto fuzz bench install format tidy check-wheel docs clean help force
.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
