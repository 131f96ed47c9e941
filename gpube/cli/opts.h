/*
 * opts.h - the options: one row makes the field, the getopt_long entry, the
 * line of --help and of the man page, and the completion.
 *
 *   X(type, field, letter, default, lo, hi, argument, help)
 *
 * type      FLAG    int: how often it was given
 *           INT     int64_t        REAL  double
 *           SIZE    uint64_t bytes, 512M or 8G       TIME  double seconds, 90s, 5m or 1h
 *           TEXT    const char *   CHOICE  int: index of the word in 'argument'
 *           LIST    struct opt_list: the texts of all times that it was given
 * field     --field, with '-' for '_'
 * letter    short name, or 0
 * default   as it would be typed; NULL: 0 or no text
 * lo, hi    the range of a number (hi INT64_MAX: no upper end)
 * argument  what help calls the value; CHOICE: its words as a|b|c; completion
 *           offers files where FILE is in it
 *
 * Of an option that is the library's, too, (gpube/options/table.h) the row has its type and
 * OPTS_LIBRARY alone; letter, default, range, argument and help are those of its row there.
 *
 * A row that nobody reads fails tests/cli/test_opts.sh.
 */
#ifndef GPUBE_CLI_OPTS_H
#define GPUBE_CLI_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/formats.h"
#include "gpube/options/options.h"

#define OPTS_NO_END  INT64_MAX
#define OPTS_LIBRARY 0, NULL, 0, 0, NULL, NULL

#define OPTS_TALK(X)                                                                               \
	X(FLAG, verbose, 'v', NULL, 0, 0, NULL,                                                    \
		"describe on standard error what each step does and finds")                        \
	X(FLAG, quiet, 'q', NULL, 0, 0, NULL, "write neither notes nor progress to standard error")

#define OPTS_READ(X)                                                                               \
	X(CHOICE, from, OPTS_LIBRARY)                                                              \
	X(LIST, observe, 0, NULL, 0, 0, "NAME=VALUE",                                              \
		"fix a variable to a value, both by name or index, in addition to the "            \
		"evidence that is read; may be repeated")                                          \
	X(TEXT, evidence, OPTS_LIBRARY)                                                            \
	X(INT, sample, OPTS_LIBRARY)                                                               \
	X(INT, colors, OPTS_LIBRARY)                                                               \
	X(FLAG, regret, 0, NULL, 0, 0, NULL,                                                       \
		"for a game: a profile costs what its players could gain by changing "             \
		"their actions, instead of being forbidden")

/* How a model would be eliminated, and where; sums have no more. */
#define OPTS_SUMMING(X)                                                                            \
	X(CHOICE, order, OPTS_LIBRARY)                                                             \
	X(TEXT, order_file, 0, NULL, 0, 0, "FILE",                                                 \
		"read the elimination order from FILE, in which the variable eliminated "          \
		"first is the first; a .cov or .dec is a tree decomposition, whose "               \
		"order is taken")                                                                  \
	X(TIME, order_time, OPTS_LIBRARY)                                                          \
	X(INT, seed, OPTS_LIBRARY)                                                                 \
	X(CHOICE, backend, OPTS_LIBRARY)                                                           \
	X(TEXT, devices, 0, NULL, 0, 0, "LIST",                                                    \
		"the GPUs to use, as in 0,1; several share the work by the values of "             \
		"split variables")                                                                 \
	X(TIME, timeout, OPTS_LIBRARY)                                                             \
	X(SIZE, memory, OPTS_LIBRARY)                                                              \
	X(SIZE, device_memory, OPTS_LIBRARY)                                                       \
	X(INT, threads, OPTS_LIBRARY)

/* What commands on costs have in common. */
#define OPTS_ENGINE(X)                                                                             \
	OPTS_SUMMING(X)                                                                            \
	X(FLAG, no_simplify, OPTS_LIBRARY)                                                         \
	X(INT, precision, OPTS_LIBRARY)

/* Beside --output, of all that have results. */
#define OPTS_RESULT(X)                                                                             \
	X(FLAG, json, 0, NULL, 0, 0, NULL, "the same as --output json")                            \
	X(OUT, output_file, 'o', NULL, 0, 0, "FILE",                                               \
		"write the result to FILE instead of standard output")

/* Where an assignment goes that is found. */
#define OPTS_ANSWER(X)                                                                             \
	X(CHOICE, output, 0, "text", 0, 0, "text|json|sol|uai|ub",                                 \
		"form of the result: for people, one JSON object, toulbar2's .sol, the MPE "       \
		"result file of the UAI competitions, or the assignment's cost as toulbar2's .ub") \
	OPTS_RESULT(X)

/* The proof of a bound. */
#define OPTS_CERTIFY(X)                                                                            \
	X(OUT, certify, 0, NULL, 0, 0, "FILE",                                                     \
		"also write a bound with its proof to FILE, read it back and check it, "           \
		"in at most as much time again")

#define OPTS_SOLVE(X)                                                                              \
	OPTS_ANSWER(X)                                                                             \
	OPTS_CERTIFY(X)                                                                            \
	X(FLAG, count, OPTS_LIBRARY)                                                               \
	X(OUT, plot, 0, NULL, 0, 0, "FILE",                                                        \
		"draw the bounds over time as an SVG, also when the run is stopped")               \
	X(FLAG, no_slices, OPTS_LIBRARY)                                                           \
	X(OUT, checkpoint, OPTS_LIBRARY)                                                           \
	X(TIME, checkpoint_every, OPTS_LIBRARY)                                                    \
	X(TEXT, resume, OPTS_LIBRARY)

#define OPTS_COUNT(X)                                                                              \
	X(FLAG, optima, 0, NULL, 0, 0, NULL,                                                       \
		"count the optimal assignments, as 'gpube solve --count' does, instead "           \
		"of all that are allowed")                                                         \
	X(TEXT, ub, 0, NULL, 0, 0, "COST",                                                         \
		"allow only assignments whose cost is better than COST; of a .cnf or "             \
		".col 1 allows what violates nothing")                                             \
	X(CHOICE, output, 0, "text", 0, 0, "text|json",                                            \
		"form of the result: for people, or one JSON object")                              \
	OPTS_RESULT(X)

#define OPTS_LIST(X)                                                                               \
	X(INT, most, OPTS_LIBRARY)                                                                 \
	X(INT, distance, OPTS_LIBRARY)                                                             \
	X(TEXT, within, 0, "0", 0, 0, "COST",                                                      \
		"list also assignments that cost up to COST more than the optimum (of a "          \
		"maximum: less); inf: all assignments")                                            \
	X(TEXT, ub, 0, NULL, 0, 0, "COST",                                                         \
		"allow only assignments whose cost is better than COST")                           \
	X(CHOICE, output, 0, "text", 0, 0, "text|json|sol",                                        \
		"form of the result: for people, one JSON object, or toulbar2's .sol, a line an "  \
		"assignment")                                                                      \
	OPTS_RESULT(X)

#define OPTS_INFER(X)                                                                              \
	X(CHOICE, task, 't', "PR", 0, 0, "PR|MAR|MMAP|MPE",                                        \
		"PR: the partition function; MAR: also all marginals; MMAP: marginal "             \
		"MAP; MPE: the most probable explanation")                                         \
	X(TEXT, query, 0, NULL, 0, 0, "NAMES|FILE",                                                \
		"the variables, as in A,B, whose joint distribution is wanted or, with "           \
		"--task MMAP, whose values are maximised; or a FILE with their number "            \
		"and the variables, for MMAP by default the .query beside the model")              \
	X(LIST, soft, 0, NULL, 0, 0, "NAME=W,W",                                                   \
		"soft evidence: for each value of the variable, in order, the "                    \
		"likelihood of what was observed, up to a common factor; may be "                  \
		"repeated")                                                                        \
	X(INT, draw, OPTS_LIBRARY)                                                                 \
	X(TEXT, rows, 0, NULL, 0, 0, "FILE",                                                       \
		"answer for each row of evidence in FILE: a .csv whose first line names "          \
		"variables, or a .evid of several samples")                                        \
	X(OUT, plot, 0, NULL, 0, 0, "FILE", "with --task MAR: draw the marginals as bars, an SVG") \
	X(FLAG, estimate, 0, NULL, 0, 0, NULL,                                                     \
		"if only bounds of the sum are known, also report an estimate between "            \
		"them")                                                                            \
	X(CHOICE, output, 0, "text", 0, 0, "text|json|uai|csv",                                    \
		"form of the result: for people, one JSON object, the result file of the UAI "     \
		"competitions, or comma-separated values")                                         \
	OPTS_RESULT(X)

/* What the commands that compute bounds have in common. */
#define OPTS_BOUNDING(X)                                                                           \
	X(CHOICE, method, OPTS_LIBRARY)                                                            \
	X(CHOICE, regions, OPTS_LIBRARY)                                                           \
	X(TEXT, ub, 0, NULL, 0, 0, "COST|FILE",                                                    \
		"a cutoff, such as the cost of a known solution: search only for what "            \
		"is better than COST; FILE is toulbar2's .ub")                                     \
	X(TEXT, sol, 0, NULL, 0, 0, "FILE",                                                        \
		"a known assignment to begin with: toulbar2's .sol or an MPE result "              \
		"file")

#define OPTS_RANKS(X)                                                                              \
	X(TIME, receive_timeout, 0, "60s", 0, OPTS_NO_END, "TIME",                                 \
		"end the run if a rank gives no sign of life for this long")                       \
	X(SIZE, piece, 0, "1G", 1, 2147483647, "SIZE",                                             \
		"send larger tables in pieces of this size")                                       \
	X(FLAG, compress, 0, NULL, 0, 0, NULL, "compress pieces where that makes them smaller")

#define OPTS_BOUND(X)                                                                              \
	X(INT, z, OPTS_LIBRARY)                                                                    \
	X(INT, ibound, 0, "0", 0, 999999, "N",                                                     \
		"the i-bound, the most variables of a message: the same as --z N+1; 0: "           \
		"not given")                                                                       \
	X(CHOICE, partition, OPTS_LIBRARY)                                                         \
	X(FLAG, no_match, OPTS_LIBRARY)                                                            \
	X(CHOICE, split, OPTS_LIBRARY)                                                             \
	X(FLAG, no_eliminate, OPTS_LIBRARY)                                                        \
	OPTS_CERTIFY(X)                                                                            \
	X(TEXT, verify, 0, NULL, 0, 0, "FILE", "only check the proof in FILE")                     \
	OPTS_ANSWER(X)

#define OPTS_DAOOPT(X)                                                                             \
	X(TEXT, to, 0, NULL, 0, 0, "PREFIX", "what the names of the files begin with")             \
	X(INT, ibound, 'i', "0", 0, 999999, "N",                                                   \
		"most variables of a message; 0: the largest that takes a few seconds and a "      \
		"quarter of the memory")                                                           \
	X(CHOICE, method, 0, "shift", 0, 0, "mbe|shift",                                           \
		"mini-buckets alone, or after cost shifting on their join graph, for --timeout "   \
		"at most")                                                                         \
	X(FLAG, no_match, 0, NULL, 0, 0, NULL,                                                     \
		"with --method mbe: without cost shifting between the mini-buckets of a bucket")

#define OPTS_REPARAM(X)                                                                            \
	X(OUT, write, 'o', NULL, 0, 0, "FILE",                                                     \
		"write the equivalent problem to FILE: .cfn or .wcsp, also .gz or .xz")            \
	X(CHOICE, to, 0, "auto", 0, 0, "auto|wcsp|cfn", "its format; auto goes by its name")       \
	X(INT, max_arity, OPTS_LIBRARY)                                                            \
	X(INT, max_tables, OPTS_LIBRARY)                                                           \
	X(REAL, max_cells, OPTS_LIBRARY)                                                           \
	X(INT, decimals, 0, "-1", -1, 12, "N",                                                     \
		"most decimals that costs may have beyond those of FILE; more give a better "      \
		"bound; -1: 6, in a .wcsp, which has integers, 0")                                 \
	X(FLAG, shift, 0, NULL, 0, 0, NULL,                                                        \
		".wcsp: add a constant to totals that are negative or too large; report it")       \
	X(FLAG, prune, OPTS_LIBRARY)                                                               \
	X(FLAG, check, 0, NULL, 0, 0, NULL,                                                        \
		"read the problem back and compare costs of assignments: all if they are few, "    \
		"otherwise some thousands at random")                                              \
	X(OUT, write_sol, 0, NULL, 0, 0, "FILE", "write the best assignment found, a .sol")        \
	X(OUT, write_order, 0, NULL, 0, 0, "FILE",                                                 \
		"write an elimination order of the equivalent problem, a .order, or its "          \
		"tree decomposition, a .cov or .dec")                                              \
	X(CHOICE, output, 0, "text", 0, 0, "text|json", "form of the report")                      \
	X(FLAG, json, 0, NULL, 0, 0, NULL, "the same as --output json")

#define OPTS_INFO(X)                                                                               \
	X(CHOICE, dot, 0, "none", 0, 0, "none|graph|pseudotree|buckets|decomposition",             \
		"write a picture instead, in the language of Graphviz: variables and functions, "  \
		"the pseudo-tree of DPOP, or the buckets or clusters of the elimination")          \
	X(OUT, svg, 0, NULL, 0, 0, "FILE",                                                         \
		"draw the picture of --dot, by default the graph, with Graphviz as an "            \
		"SVG, and show the report as well")                                                \
	X(OUT, write_order, 0, NULL, 0, 0, "FILE",                                                 \
		"also write the elimination order that is found, of the model as it was read "     \
		"(--no-simplify goes with it), a .order; as .cov or .dec its tree decomposition")  \
	X(FLAG, names, 0, NULL, 0, 0, NULL,                                                        \
		"also list the names of the variables and their values, as --observe "             \
		"takes them")                                                                      \
	X(CHOICE, output, 0, "text", 0, 0, "text|json", "form of the result")                      \
	OPTS_RESULT(X)

#define OPTS_CONVERT(X)                                                                            \
	X(CHOICE, to, OPTS_LIBRARY)                                                                \
	X(FLAG, shift, OPTS_LIBRARY)                                                               \
	X(INT, precision, 0, "0", 0, 12, "N",                                                      \
		"decimals to which -ln of a potential is rounded where it becomes a cost; 0: as "  \
		"many as the output holds")                                                        \
	X(FLAG, lossy, OPTS_LIBRARY)                                                               \
	X(FLAG, check, OPTS_LIBRARY)                                                               \
	X(FLAG, simplify, 0, NULL, 0, 0, NULL,                                                     \
		"write the simplified model; --map tells how its assignments become those of IN")  \
	X(CHOICE, consistency, 0, "none", 0, 0, "none|sac|pc",                                     \
		"with --simplify: remove values (sac) and pairs of values (pc) that singleton "    \
		"arc or path consistency proves to be in no solution below the upper bound")       \
	X(OUT, map, 0, NULL, 0, 0, "FILE",                                                         \
		"with --simplify: write to FILE what each variable of IN has become")              \
	X(FLAG, toulbar2, 0, NULL, 0, 0, NULL,                                                     \
		".wcsp, .cfn: write only what every version of toulbar2 reads correctly, such "    \
		"as costs up to 2^53, and otherwise fail with the reason")                         \
	X(FLAG, json, 0, NULL, 0, 0, NULL,                                                         \
		"report on standard output what was written, and how totals of a .wcsp or .cfn "   \
		"become those of the model")                                                       \
	X(SIZE, memory, 0, NULL, 0, OPTS_NO_END, "SIZE",                                           \
		"most memory for what a short file may declare, such as large domains; 0: half "   \
		"of what is free")

#define OPTS_GENERATE(X)                                                                           \
	X(INT, variables, 'n', "20", 1, INT32_MAX, "N",                                            \
		"number of variables; csg: of agents; nash: of actions of each player")            \
	X(INT, domain, 'd', "5", 1, INT32_MAX, "N", "number of values of each variable")           \
	X(REAL, p1, 0, "0.3", 0, 1, "X", "random: edges, as a part of all possible ones")          \
	X(INT, rows, 0, "0", 0, INT32_MAX, "N",                                                    \
		"grid: rows, a divisor of --variables; 0: about as many as columns; nash: "        \
		"actions of player 1; 0: as --variables")                                          \
	X(INT, columns, 0, "0", 0, INT32_MAX, "N", "nash: actions of player 2; 0: as --variables") \
	X(INT, links, 0, "2", 1, INT32_MAX, "N", "scale-free: edges of each new node")             \
	X(REAL, p2, 0, "0.3", 0, 1, "X",                                                           \
		"forbidden tuples, as a part of all tuples of a function")                         \
	X(TEXT, game, 0, "random", 0, 0, "CLASS",                                                  \
		"nash: class of the game: random, covariant, zero-sum, win-lose, duplicated, "     \
		"coordination, dispersion, minimum-effort, grab-the-dollar, travelers-dilemma, "   \
		"cyclic-polytope")                                                                 \
	X(INT, range, 0, "100", 1, 1000000000, "N",                                                \
		"nash: payoffs are integers from -N to N; covariant: standard deviation N")        \
	X(REAL, covariance, 0, "0.5", -1, 1, "X", "covariant: correlation of both payoffs")        \
	X(INT, int_payoffs, 0, "0", 0, 1000000000, "N",                                            \
		"nash: draw reals, and round N times each to an integer, as GAMUT's "              \
		"-int_payoffs does with 10000; 0: draw integers")                                  \
	X(TEXT, parameters, 0, NULL, 0, 0, "LIST",                                                 \
		"nash: a,b,c of minimum-effort; high,middle,low of grab-the-dollar; the reward "   \
		"of travelers-dilemma; by default drawn from the seed")                            \
	X(TEXT, dist, 0, NULL, 0, 0, "DIST",                                                       \
		"csg: distribution of the values, as for 'gpube csg --generate' (default "         \
		"uniform); auction: of the bids (default regions)")                                \
	X(INT, goods, 0, "60", 2, 1000, "N", "auction: number of goods")                           \
	X(INT, bids, 0, "1000", 1, 1000000, "N", "auction: number of bids")                        \
	X(CHOICE, type, 0, "int32", 0, 0, "int16|int32|int64|float32|float64",                     \
		"csg: type of the values; integers are 1000 times the value, int16 10 times")      \
	X(INT, max_cost, 0, "100", 0, INT32_MAX, "N",                                              \
		"costs of allowed tuples are drawn from 0 to N")                                   \
	X(INT, seed, 0, "0", 0, OPTS_NO_END, "N", "seed of the random numbers")                    \
	X(OUT, output_file, 'o', NULL, 0, 0, "FILE",                                               \
		"write to FILE instead of standard output; a name in .gz or .xz is compressed")    \
	X(CHOICE, to, 0, "auto", 0, 0, "auto|" GPUBE_FORMATS_WRITTEN,                              \
		"format, nfg, gam, lrs, two-player and simple those of games; auto goes by the "   \
		"name of FILE, .wcsp on standard output, .nfg for nash")

#define OPTS_NASH(X)                                                                               \
	X(CHOICE, method, 0, "auto", 0, 0, GPUBE__WORDS_NASH,                                      \
		"how all equilibria are found: eee, branch and bound on "                          \
		"complementarity; ve, vertices of both polytopes; se, supports of equal "          \
		"size; auto: the one that is predicted best, or the first to finish")              \
	X(INT, support_size, OPTS_LIBRARY)                                                         \
	X(CHOICE, backend, 0, "auto", 0, 0, "auto|cpu|cuda",                                       \
		"where methods se and eee scan supports and walk faces; auto: on the "             \
		"CPU, and large games continue on a GPU once it is open")                          \
	X(FLAG, one, OPTS_LIBRARY)                                                                 \
	X(FLAG, all_labels, OPTS_LIBRARY)                                                          \
	X(FLAG, pure, OPTS_LIBRARY)                                                                \
	X(INT, max, OPTS_LIBRARY)                                                                  \
	X(INT, digits, OPTS_LIBRARY)                                                               \
	X(FLAG, components, 0, NULL, 0, 0, NULL,                                                   \
		"also find the maximal Nash subsets and the connected components")                 \
	X(OUT, svg, 0, NULL, 0, 0, "FILE",                                                         \
		"draw the equilibria as an SVG: with two actions for each player the "             \
		"best responses and where they meet, otherwise the components as graphs "          \
		"of strategies")                                                                   \
	X(OUT, certify, 0, NULL, 0, 0, "FILE",                                                     \
		"write a proof of all equilibria to FILE, of games of more than two "              \
		"players; nash-certificate.md in share/doc/gpube describes it")                    \
	X(FLAG, stream, 0, NULL, 0, 0, NULL,                                                       \
		"write each equilibrium as soon as it has been checked, in no "                    \
		"particular order, and store none, for games with millions of them; "              \
		"with --output gambit")                                                            \
	X(FLAG, keep_dominated, OPTS_LIBRARY)                                                      \
	X(FLAG, normal_form, OPTS_LIBRARY)                                                         \
	X(TIME, timeout, 0, NULL, 0, OPTS_NO_END, "TIME",                                          \
		"stop after this time with what was found; 0: never")                              \
	X(INT, threads, OPTS_LIBRARY)                                                              \
	X(CHOICE, from, OPTS_LIBRARY)                                                              \
	X(CHOICE, output, 0, "text", 0, 0, "text|json|gambit|lrs",                                 \
		"form of the result: for people, one JSON object, Gambit's NE lines, or the "      \
		"blocks of lrsnash")                                                               \
	OPTS_RESULT(X)                                                                             \
	X(OUT, convert, 0, NULL, 0, 0, "FILE",                                                     \
		"write the game to FILE instead of solving it: as .nfg or .gam if its "            \
		"name ends so, otherwise as input for lrsnash")

#define OPTS_CSG(X)                                                                                \
	X(CHOICE, output, 0, "text", 0, 0, "text|json|table",                                      \
		"form of the result: for people, one JSON object, or what each coalition is "      \
		"worth")                                                                           \
	OPTS_RESULT(X)                                                                             \
	X(OUT, plot, 0, NULL, 0, 0, "FILE",                                                        \
		"draw the coalitions, their agents and their values as an SVG")                    \
	X(CHOICE, method, 'm', "auto", 0, 0, "auto|lp|conv|dp|idp", "how the optimum is found")    \
	X(CHOICE, backend, 0, "auto", 0, 0, "auto|cpu|cuda",                                       \
		"where conv, dp and idp work; auto decides by predicted time")                     \
	X(FLAG, free_disposal, 0, NULL, 0, 0, NULL,                                                \
		"agents may stay out of the structure, at no value")                               \
	X(OUT, certify, 0, NULL, 0, 0, "FILE",                                                     \
		"write a proof of the optimum to FILE, after checking it in another "              \
		"way; by method lp")                                                               \
	X(TEXT, verify, 0, NULL, 0, 0, "FILE", "only check the proof in FILE")                     \
	X(TEXT, generate, 0, NULL, 0, 0, "DIST",                                                   \
		"solve a random game instead of a file: uniform, normal, modified-uniform, "       \
		"modified-normal, exponential, beta, gamma, agent-uniform, agent-normal, ndcs, "   \
		"threshold, voting, hump or near-ties")                                            \
	X(INT, agents, 'n', "20", 1, 40, "N", "agents of the random game")                         \
	X(CHOICE, type, 0, "int32", 0, 0, "int16|int32|int64|float32|float64",                     \
		"type of its values; integers are 1000 times the value, int16 10 times")           \
	X(INT, seed, 0, "0", 0, OPTS_NO_END, "N", "seed of the random game")                       \
	X(TIME, timeout, 0, NULL, 0, OPTS_NO_END, "TIME",                                          \
		"stop after this time with the best that is known; 0: never")                      \
	X(SIZE, memory, 0, NULL, 0, OPTS_NO_END, "SIZE",                                           \
		"most memory for tables; 0: what is free")                                         \
	X(SIZE, device_memory, 0, NULL, 0, OPTS_NO_END, "SIZE",                                    \
		"most memory of a GPU for tables, what conv has more streams through it; "         \
		"0: what is free")                                                                 \
	X(INT, threads, OPTS_LIBRARY)

#define OPTS_AUCTION(X)                                                                            \
	X(CHOICE, output, 0, "text", 0, 0, "text|json|table",                                      \
		"form of the result: for people, one JSON object, or what each winner pays for "   \
		"which goods")                                                                     \
	OPTS_RESULT(X)                                                                             \
	X(FLAG, sell_all, 0, NULL, 0, 0, NULL, "complete auctions: every good has to be sold")     \
	X(CHOICE, backend, 0, "auto", 0, 0, "auto|cpu|cuda",                                       \
		"complete auctions: where bundles are split; auto decides by predicted time")      \
	X(TIME, timeout, 0, NULL, 0, OPTS_NO_END, "TIME",                                          \
		"stop after this time with the best that is known; 0: never")                      \
	X(INT, threads, OPTS_LIBRARY)

#define OPTS_DPOP(X)                                                                               \
	X(INT, z, 0, "0", 0, 1000000, "N",                                                         \
		"ADPOP: most variables of a joined mini-bucket; 0: no limit, which is "            \
		"DPOP")                                                                            \
	X(CHOICE, partition, 0, "scope", 0, 0, "scope|first",                                      \
		"how an agent splits its bucket: largest scope first, each where the joined "      \
		"scope grows least, or each where it first fits")                                  \
	X(FLAG, no_match, 0, NULL, 0, 0, NULL,                                                     \
		"do not move costs between the mini-buckets of an agent (moment "                  \
		"matching)")                                                                       \
	X(CHOICE, tree, 0, "auto", 0, 0,                                                           \
		"auto|min-degree|max-degree|min-id|max-id|min-name|max-name|best",                 \
		"which neighbour the depth-first search visits next; best: the tree of "           \
		"smallest induced width of all these rules, all roots and random "                 \
		"searches; auto: best")                                                            \
	X(FLAG, distributed_dfs, 0, NULL, 0, 0, NULL,                                              \
		"agents build the pseudo-tree by messages; --tree auto is then max-degree")        \
	X(TEXT, root, 0, NULL, 0, 0, "AGENT",                                                      \
		"the root of its tree, by name or index; without: the agent that --tree puts "     \
		"first")                                                                           \
	X(INT, tries, 0, "200", 0, 1000000000, "N", "random searches of --tree best")              \
	X(INT, seed, 0, "0", 0, OPTS_NO_END, "N", "seed of these")                                 \
	X(TEXT, agents, 0, NULL, 0, 0, "FILE",                                                     \
		"which agent owns which variable, instead of what the model says: pairs "          \
		"VARIABLE AGENT, comments begin with '#', and a variable that is not "             \
		"named is its own agent; none: every variable is an agent")                        \
	X(CHOICE, backend, 0, "auto", 0, 0, "auto|cpu|cuda",                                       \
		"where agents join and eliminate; auto decides by predicted time and memory")      \
	X(INT, threads, 0, NULL, 1, 1024, "N",                                                     \
		"agents that work at the same time, times --agent-threads; by default one for "    \
		"each core")                                                                       \
	X(INT, agent_threads, 0, "1", 1, 1024, "N", "cores that each agent has")                   \
	X(TIME, latency, 0, NULL, 0, OPTS_NO_END, "TIME", "of a message, in simulated time")       \
	X(INT, precision, 0, "0", 0, 12, "N",                                                      \
		"decimals to which -ln of a .uai potential is rounded; 0: as many as are safe")    \
	X(TIME, timeout, 0, NULL, 0, OPTS_NO_END, "TIME", "stop after this time; 0: never")        \
	X(SIZE, memory, 0, NULL, 0, OPTS_NO_END, "SIZE",                                           \
		"most memory for tables; 0: what is free")                                         \
	X(CHOICE, output, 0, "text", 0, 0, "text|json|sol",                                        \
		"form of the result: for people, one JSON object, or toulbar2's .sol")             \
	OPTS_RESULT(X)

#define OPTS_DEVICES(X)                                                                            \
	X(FLAG, measure, 0, NULL, 0, 0, NULL,                                                      \
		"measure what the processor and every GPU do in a second, and keep it for the "    \
		"choice of --backend auto")                                                        \
	X(CHOICE, output, 0, "text", 0, 0, "text|json", "form of the result")                      \
	X(FLAG, json, 0, NULL, 0, 0, NULL, "the same as --output json")

/* More options than any command has. */
enum { OPTS_MAX = 64 };

/* OUT: a text that names a file which is written; see cli_overwrites(). */
enum opt_type {
	OPT_FLAG,
	OPT_INT,
	OPT_REAL,
	OPT_SIZE,
	OPT_TIME,
	OPT_TEXT,
	OPT_OUT,
	OPT_LIST,
	OPT_CHOICE
};

/* Texts of the command line, in their order; the list lies behind the command's struct. */
struct opt_list {
	const char **texts;
	int n;
};

typedef int opt_c_FLAG;
typedef int64_t opt_c_INT;
typedef double opt_c_REAL;
typedef uint64_t opt_c_SIZE;
typedef double opt_c_TIME;
typedef const char *opt_c_TEXT;
typedef const char *opt_c_OUT;
typedef struct opt_list opt_c_LIST;
typedef int opt_c_CHOICE;

#define OPT_FIELD(type, field, ...) opt_c_##type field;

struct opts_talk {
	OPTS_TALK(OPT_FIELD)
};

struct opts_read {
	OPTS_READ(OPT_FIELD)
};

struct opts_engine {
	OPTS_ENGINE(OPT_FIELD)
};

struct opts_bounding {
	OPTS_BOUNDING(OPT_FIELD)
};

struct opts_ranks {
	OPTS_RANKS(OPT_FIELD)
};

struct opts_solve {
	OPTS_SOLVE(OPT_FIELD)
	struct opts_bounding bounding;
	struct opts_engine engine;
	struct opts_ranks ranks;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_count {
	OPTS_COUNT(OPT_FIELD)
	struct opts_engine engine;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_list {
	OPTS_LIST(OPT_FIELD)
	struct opts_engine engine;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_infer {
	OPTS_INFER(OPT_FIELD)
	struct opts_engine engine; /* by OPTS_SUMMING */
	struct opts_ranks ranks;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_bound {
	OPTS_BOUND(OPT_FIELD)
	struct opts_bounding bounding;
	struct opts_engine engine;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_reparam {
	OPTS_REPARAM(OPT_FIELD)
	struct opts_bounding bounding;
	struct opts_engine engine;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_daoopt {
	OPTS_DAOOPT(OPT_FIELD)
	struct opts_engine engine;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_info {
	OPTS_INFO(OPT_FIELD)
	struct opts_engine engine;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_convert {
	OPTS_CONVERT(OPT_FIELD)
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_generate {
	OPTS_GENERATE(OPT_FIELD)
};

struct opts_nash {
	OPTS_NASH(OPT_FIELD)
	struct opts_ranks ranks;
	struct opts_talk talk;
};

struct opts_csg {
	OPTS_CSG(OPT_FIELD)
	struct opts_ranks ranks;
	struct opts_talk talk;
};

struct opts_auction {
	OPTS_AUCTION(OPT_FIELD)
	struct opts_talk talk;
};

struct opts_dpop {
	OPTS_DPOP(OPT_FIELD)
	struct opts_ranks ranks;
	struct opts_read read;
	struct opts_talk talk;
};

struct opts_devices {
	OPTS_DEVICES(OPT_FIELD)
};

struct opt_row {
	enum opt_type type;
	const char *field;
	size_t at; /* offset in the struct of its group */
	char letter;
	const char *dflt;
	int64_t lo, hi;
	const char *argument, *help;
};

/* Rows under one heading; 'at' is where their struct lies in the command's. */
struct opt_group {
	const char *heading;
	const struct opt_row *rows;
	int n_rows;
	size_t at;
};

/*
 * A file that makes rows defines OPTS_STRUCT as the struct they live in, then
 * writes static const struct opt_row rows[] = {OPTS_…(OPT_ROW)};
 */
#define OPT_ROW(type, field, ...) {OPT_##type, #field, offsetof(OPTS_STRUCT, field), __VA_ARGS__},
#define OPT_GROUP(heading, rows, at)                                                               \
	{                                                                                          \
		heading, rows, OPT_N(rows), at                                                     \
	}

/* The groups that commands share, as 'at' of the command's struct. */
#define OPT_GROUP_SHARED(heading, which, n, at)                                                    \
	{                                                                                          \
		heading, opt_rows_##which, n, at                                                   \
	}
#define OPT_GROUP_TALK(at)     OPT_GROUP_SHARED("Messages", talk, OPT_N_TALK, at)
#define OPT_GROUP_READ(at)     OPT_GROUP_SHARED("Reading", read, OPT_N_READ, at)
#define OPT_GROUP_ENGINE(at)   OPT_GROUP_SHARED("Elimination", engine, OPT_N_ENGINE, at)
#define OPT_GROUP_BOUNDING(at) OPT_GROUP_SHARED("Bounds", bounding, OPT_N_BOUNDING, at)
#define OPT_GROUP_RANKS(at)    OPT_GROUP_SHARED("Ranks, of gpube-mpi", ranks, OPT_N_RANKS, at)

#define OPT_N(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

#define OPT_COUNT(...) +1
enum {
	OPT_N_TALK = OPTS_TALK(OPT_COUNT),
	OPT_N_READ = OPTS_READ(OPT_COUNT),
	OPT_N_ENGINE = OPTS_ENGINE(OPT_COUNT),
	OPT_N_BOUNDING = OPTS_BOUNDING(OPT_COUNT),
	OPT_N_RANKS = OPTS_RANKS(OPT_COUNT)
};

extern const struct opt_row opt_rows_talk[OPT_N_TALK];
extern const struct opt_row opt_rows_read[OPT_N_READ];
extern const struct opt_row opt_rows_engine[OPT_N_ENGINE];
extern const struct opt_row opt_rows_bounding[OPT_N_BOUNDING];
extern const struct opt_row opt_rows_ranks[OPT_N_RANKS];

struct command;

/* Option k of a command, until it is asked for again; group: out, or NULL. NULL past the last. */
const struct opt_row *opts_row(const struct command *c, int k, const struct opt_group **group);
/*
 * opts_library() - what the command line says of options of the library: of each row that one of
 * the calls has an option of that name, kind and words for. Others keep what they are in *to.
 * opts   the struct that the rows are of
 * calls  GPUBE__ON_…, of gpube/options/table.h
 */
void opts_library(
	struct gpube_opts *to, int calls, const struct opt_row *rows, int n_rows, const void *opts);
/* The same by its field's name, "output_file". */
const struct opt_row *opts_find(
	const struct command *c, const char *field, const struct opt_group **group);

/* "order-file" of "order_file"; a static buffer, good until the next call. */
const char *opts_name(const struct opt_row *row);

enum { OPTS_BAD = -1, OPTS_HELP = -2 };

/*
 * opts_parse() - fills 'opts' (opts_room() bytes) with defaults, then from argv.
 * argv  argv[0] is the command's name; options may stand after arguments
 * Returns the index in argv of the first argument, OPTS_HELP, or OPTS_BAD after
 * a message on standard error.
 */
int opts_parse(const struct command *c, void *opts, int argc, char **argv);
/* The command's struct, and what its lists may take. */
size_t opts_room(const struct command *c, int argc);

/*
 * opts_nearest() - the command's option that an unknown word (without its dashes, up to an '=') was
 * meant for: one that is spelt nearly so, or what other programs call so.
 * like  out: its name, without dashes
 * Returns false if none is near.
 */
bool opts_nearest(char like[64], const struct command *c, const char *word);

#endif
