"""The library's public headers, as far as this package uses them.

Structs and functions are written once, in C, as the headers have them; ctypes types are made
from that text. tests/test_layout.py compiles the same text against the headers: a function that
differs is a compiler's error, and sizes, offsets and constants are compared.
"""
import ctypes
import os
import re
import sys

VERSION = "0.2.0"  # of the headers that this was written for
INF = 2**63 - 1    # GPUBE_INF

STATUS = {
	0: "OK", -1: "EINVAL", -2: "ENOMEM", -3: "EPARSE", -4: "ERANGE", -5: "ELIMIT", -6: "ENODEV",
	-7: "ECUDA", -8: "EIO", -9: "ESTOP", -10: "EBUG",
}
ESTOP = -9

# Words of an option or an answer, and the constants that they stand for, by their numbers.
WORDS = {
	"GPUBE_": ["costs", "potentials", "game", "coalitions"],
	"GPUBE_ANSWER_": ["optimal", "infeasible", "incomplete"],
	"GPUBE_LOG_": ["note", "detail", "progress", "bounds"],
	"GPUBE_PSEUDOTREE_": ["auto", "min_degree", "max_degree", "min_id", "max_id", "min_name", "max_name", "best"],
	"GPUBE_FORM_": ["costs", "game", "coalitions", "auction"],
	"GPUBE_CSG_": ["auto", "lp", "conv", "dp", "idp"],
	"GPUBE_NASH_ANSWER_": ["all", "some", "incomplete"],
}
CSG_ANSWERS = ["optimal", "infeasible", "bounds", "incomplete"]
GPUBE_INT64, GPUBE_FLOAT64 = 3, 5

STRUCTS = """
struct gpube_option {
	char *name, *type, *dflt, *argument, *help;
	int64_t least, most;
};
struct gpube_model_info {
	int kind, direction, scale;
	int32_t n_vars, n_hidden, n_functions;
	int64_t constant, top;
};
struct gpube_log {
	int level;
	char *text;
	double progress, seconds, worked;
	char *proved, *found;
	int maximise;
	double gap;
	char *by;
};
struct gpube_progress {
	double seconds;
	int64_t bound, cost;
	int scale;
	void *values;
	char *by;
};
struct gpube_plan {
	int32_t n_vars, n_functions, n_components, width;
	double joined_cells, largest_joined, largest_message, peak_bytes, n_slices, predicted_seconds;
};
struct gpube_solution {
	int answer;
	int64_t cost, bound;
	int scale, closed;
	double log_value;
	void *values;
	char *count;
	void *order;
	struct gpube_plan plan;
	int z;
	char *backend;
	double seconds_bound, seconds_cost;
	double seconds_simplify, seconds_order, seconds_eliminate, seconds_assign, seconds_count;
	double seconds_contracting, seconds_copying;
	int n_stages;
	void *stages;
	int n_steps;
	void *steps;
};
struct gpube_step {
	double seconds;
	int64_t bound, cost;
};
struct gpube_stage {
	char *name, *why;
	int round;
	double ticks, budget, seconds, seconds_cpu;
	int64_t bound_before, cost_before, bound, cost;
	int fell_back;
};
struct gpube_certified {
	int64_t bound;
	int scale;
};
struct gpube_dpop_agent {
	char *name;
	int32_t parent, depth, tree, rank, n_vars, separator, n_pseudo_parents;
	void *pseudo_parents;
	int32_t n_tables;
	uint64_t util_bytes;
	double seconds_util, seconds_value, clock;
};
struct gpube_dpop_result {
	int answer, stopped, bounded;
	int64_t bound, cost;
	int scale;
	double log_value;
	int32_t n_vars;
	void *values, *owner;
	int32_t n_agents;
	void *agents;
	int32_t n_trees, height, width, n_split, z;
	int tree;
	int64_t n_searched, tree_messages, token_messages, tree_rounds;
	uint64_t tree_bytes, largest_tree_bytes;
	double tree_seconds;
	double joined_cells, largest_cells;
	int cell_bytes;
	int64_t util_messages, value_messages;
	uint64_t total_bytes, largest_bytes;
	double simulated_seconds;
	char *backend;
	int n_workers;
	double seconds_tree, seconds_plan, seconds_run;
};
struct gpube_list {
	int64_t n;
	int32_t n_vars;
	int scale, more;
	void *costs, *values;
};
struct gpube_inference {
	int known;
	double log10_z, relative_error, log10_lower, log10_upper;
	void *marginals, *marginals_lower, *marginals_upper;
	int64_t n_values, n_removed;
	struct gpube_plan plan;
	double seconds_order, seconds_sum;
	char *backend;
	int64_t n_slices_done, n_cases;
	void *joint, *drawn;
	int64_t n_joint, n_drawn;
};
struct gpube_mmap {
	int answer;
	void *values;
	double log10_value, log10_lower, log10_upper, relative_error;
	int64_t n_values, n_removed;
	int32_t n_free, n_functions;
	struct gpube_plan plan;
	double seconds_order, seconds_sum, seconds_search;
};
struct gpube_term {
	int32_t var, value;
	int64_t coefficient;
};
struct gpube_occurrences {
	int32_t value, least, most;
};
struct gpube_state {
	int32_t state;
	int64_t cost;
};
struct gpube_transition {
	int32_t from, value, to;
	int64_t cost;
};
struct gpube_written {
	int known, negated, decimals;
	int64_t offset, top;
};
struct gpube_csg_result {
	int answer, n_parts;
	void *parts;
	double value, upper_bound, error;
	int64_t value_int, upper_int;
	int is_int, free_disposal, method, work;
	char *backend;
	double splits, seconds_splits, seconds_lp, seconds_total;
	int64_t n_scans, n_columns, n_candidates, n_nodes;
	int scale, certificate_status;
};
struct gpube_auction_result {
	int optimal;
	int64_t revenue, upper_bound;
	int scale, n_winners, n_never;
	void *winners, *never;
	int64_t n_nodes, n_pivots;
	double seconds;
};
struct gpube_nash_pure {
	int64_t n;
	int32_t n_players;
	void *actions;
};
struct gpube_nash_strategy {
	void *p;
	char *value;
};
struct gpube_nash_pair {
	int64_t x, y;
};
struct gpube_nash_profile {
	void *lo, *hi;
	int tie, index;
};
struct gpube_nash_open {
	char *states, *reason;
	void *lower, *upper;
	int64_t regions;
};
struct gpube_nash_result {
	int answer;
	int64_t n_xs, n_ys, n_pairs;
	void *xs, *ys, *pairs;
	char *reason, *method, *backend;
	int inexact, degenerate, index_sum;
	int32_t removed[2];
	int64_t n_unchecked, n_given, work;
	int64_t n_profiles, n_open;
	void *profiles, *open;
	double n_supports, n_open_supports;
	int32_t n_removed;
	double seconds;
	void *tree;
};
struct gpube_nash_set {
	int32_t player, number, n_actions;
	char *name;
	void *actions;
};
struct gpube_nash_behaviour {
	void *p, *payoffs;
};
struct gpube_nash_tree {
	int32_t n_players, n_sets;
	void *sets;
	int64_t n_profiles;
	void *profiles;
};
struct gpube_nash_subset {
	int64_t n_xs, n_ys;
	void *xs, *ys;
	int64_t component;
};
struct gpube_nash_components {
	int64_t n_components, n_subsets;
	void *subsets;
};
"""

FUNCTIONS = """
const char *gpube_version(void);
int gpube_opts_new(struct gpube_opts **out, struct gpube_ctx *ctx);
void gpube_opts_free(struct gpube_opts *o);
const char *gpube_opts_error(const struct gpube_opts *o);
int gpube_opts_set(struct gpube_opts *o, const char *name, const char *text);
int gpube_opts_set_int(struct gpube_opts *o, const char *name, int64_t value);
int gpube_opts_set_real(struct gpube_opts *o, const char *name, double value);
int gpube_opts_set_numbers(struct gpube_opts *o, const char *name, int32_t n, const int32_t *numbers);
int gpube_opts_set_logger(struct gpube_opts *o, gpube_log_fn *fn, void *arg);
int gpube_opts_set_progress(struct gpube_opts *o, gpube_progress_fn *fn, void *arg);
const struct gpube_option *gpube_option(int k, const char *call);
int gpube_ctx_new(struct gpube_ctx **out, const struct gpube_opts *opts);
void gpube_ctx_free(struct gpube_ctx *ctx);
const char *gpube_error(const struct gpube_ctx *ctx);
void gpube_result_free(void *result);
void gpube_ctx_stop(struct gpube_ctx *ctx);
void gpube_ctx_resume(struct gpube_ctx *ctx);
int gpube_model_new(struct gpube_model **out, struct gpube_ctx *ctx, enum gpube_kind kind);
void gpube_model_free(struct gpube_model *m);
int gpube_model_add_var(struct gpube_model *m, int32_t *var, int32_t domain, const char *name);
int gpube_model_name_values(struct gpube_model *m, int32_t var, const char *const *names);
int gpube_model_add_costs(struct gpube_model *m, int arity, const int32_t *scope, const int64_t *costs);
int gpube_model_add_potentials(struct gpube_model *m, int arity, const int32_t *scope, const double *values);
int gpube_model_add_tuples(struct gpube_model *m, int arity, const int32_t *scope, int64_t others, int64_t n, const int32_t *tuples, const int64_t *costs);
int gpube_model_add_linear(struct gpube_model *m, int32_t n_terms, const struct gpube_term *terms, enum gpube_relation relation, int64_t right, int64_t cost, int per_unit);
int gpube_model_add_all_different(struct gpube_model *m, int n, const int32_t *vars, int n_except, const int32_t *except, int64_t cost);
int gpube_model_add_gcc(struct gpube_model *m, int n, const int32_t *vars, int n_counts, const struct gpube_occurrences *counts, int64_t cost);
int gpube_model_add_among(struct gpube_model *m, int n, const int32_t *vars, int n_values, const int32_t *values, int32_t least, int32_t most, int64_t cost);
int gpube_model_add_regular(struct gpube_model *m, int n, const int32_t *vars, int32_t n_states, int n_starts, const struct gpube_state *starts, int n_ends, const struct gpube_state *ends, int64_t n_transitions, const struct gpube_transition *transitions);
int gpube_model_add_global(struct gpube_model *m, const char *keyword, int arity, const int32_t *scope, const char *parameters);
int gpube_model_add_bounded(struct gpube_model *m, int arity, const int32_t *scope, const struct gpube_model *inner, int64_t low, int64_t high);
int gpube_model_lend(struct gpube_model *m, int arity, const int32_t *scope, enum gpube_type type, const void *cells);
int gpube_model_set_top(struct gpube_model *m, int64_t top);
int gpube_model_set_direction(struct gpube_model *m, enum gpube_direction direction);
int gpube_model_set_scale(struct gpube_model *m, int decimals);
int gpube_model_observe(struct gpube_model *m, int32_t var, int32_t value);
int gpube_model_weigh(struct gpube_model *m, int32_t var, const double *weights);
int32_t gpube_model_n_vars(const struct gpube_model *m);
int gpube_model_is_hidden(const struct gpube_model *m, int32_t var);
int gpube_model_complete(int32_t *values, const struct gpube_model *m);
int32_t gpube_model_domain(const struct gpube_model *m, int32_t var);
const struct gpube_model_info *gpube_model_info(const struct gpube_model *m);
int32_t gpube_model_observed(const struct gpube_model *m, int32_t var);
const char *gpube_model_var_name(const struct gpube_model *m, int32_t var);
const char *gpube_model_value_name(const struct gpube_model *m, int32_t var, int32_t value);
int gpube_model_scope(const int32_t **scope, const struct gpube_model *m, int32_t function);
int64_t gpube_model_cells(const struct gpube_model *m, int32_t function);
int gpube_model_costs(int64_t *out, const struct gpube_model *m, int32_t function);
int gpube_model_potentials(double *out, const struct gpube_model *m, int32_t function);
int gpube_model_cost(int64_t *cost, const struct gpube_model *m, const int32_t *values);
int gpube_model_log_value(double *log_value, const struct gpube_model *m, const int32_t *values);
int gpube_solve(struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_solver_new(struct gpube_solver **out, struct gpube_ctx *ctx, const struct gpube_model *m, const struct gpube_opts *opts);
void gpube_solver_free(struct gpube_solver *s);
struct gpube_model *gpube_solver_model(struct gpube_solver *s);
int gpube_solver_change_costs(struct gpube_solver *s, int32_t function, const int64_t *costs);
int gpube_solver_change_potentials(struct gpube_solver *s, int32_t function, const double *values);
int gpube_solver_change_cost(struct gpube_solver *s, int32_t function, const int32_t *values, int64_t cost);
int gpube_solver_assume(struct gpube_solver *s, int32_t n, const int32_t *vars, const int32_t *values);
int gpube_solver_run(struct gpube_solution **out, struct gpube_solver *s, const struct gpube_opts *opts);
int gpube_count(struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_list(struct gpube_list **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_plan(struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_infer(struct gpube_inference **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_infer_compile(struct gpube_compiled **out, const struct gpube_model *m, const struct gpube_opts *opts);
void gpube_compiled_free(struct gpube_compiled *c);
int gpube_infer_observe(struct gpube_compiled *c, int32_t var, int32_t value);
int gpube_infer_weigh(struct gpube_compiled *c, int32_t var, const double *weights);
int gpube_infer_rows(double *log10_z, struct gpube_compiled *c, int64_t n, const int32_t *rows);
int gpube_infer_query(struct gpube_inference **out, struct gpube_compiled *c);
int gpube_mmap(struct gpube_mmap **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_bound(struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_dpop(struct gpube_dpop_result **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_certify(struct gpube_certified *out, struct gpube_solution **bounds, const struct gpube_model *m, const char *path, const struct gpube_opts *opts);
int gpube_verify(struct gpube_certified *out, const struct gpube_model *m, const char *path);
int gpube_reparam(struct gpube_solution **bounds, struct gpube_model **reparam, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_write_order(const struct gpube_model *m, const char *path, const int32_t *order);
int gpube_read(struct gpube_model **out, struct gpube_ctx *ctx, const char *path, const struct gpube_opts *opts);
int gpube_write(const struct gpube_model *m, const char *path, const struct gpube_opts *opts, struct gpube_written *written);
int gpube_coalitions_new_listed(struct gpube_model **out, struct gpube_ctx *ctx, int n_agents, enum gpube_type type, int64_t n, const uint64_t *coalitions, const void *values);
int gpube_csg(struct gpube_csg_result **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_auction_new(struct gpube_model **out, struct gpube_ctx *ctx, int n_goods, int n_dummies, int n_bids, const int64_t *at, const int32_t *goods, const int64_t *prices);
int64_t gpube_auction_bid_number(const struct gpube_model *m, int bid);
int gpube_auction(struct gpube_auction_result **out, const struct gpube_model *m, const struct gpube_opts *opts);
int gpube_model_as(struct gpube_model **out, const struct gpube_model *m, enum gpube_form form, const struct gpube_opts *opts);
int gpube_model_add_payoffs(struct gpube_model *m, const int64_t *num, const int64_t *den);
int gpube_model_payoff(int64_t *num, int64_t *den, const struct gpube_model *m, int32_t player, const int32_t *profile);
int gpube_nash_pure(struct gpube_nash_pure **out, const struct gpube_model *game);
int gpube_nash_exact(void);
int gpube_nash(struct gpube_nash_result **out, const struct gpube_model *game, const struct gpube_opts *opts);
int gpube_nash_components(struct gpube_nash_components **out, struct gpube_ctx *ctx, const struct gpube_nash_result *r, const struct gpube_opts *opts);
"""

_PLAIN = {
	"int": ctypes.c_int, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64,
	"uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "double": ctypes.c_double,
}
structs = {}  # name without "struct" -> ctypes.Structure


def _type(text):
	"""The ctypes type of a C type: every pointer but a text is an address."""
	text = text.replace("const ", "").strip()
	if text.endswith("*"):
		return ctypes.c_char_p if text.replace(" ", "") == "char*" else ctypes.c_void_p
	if text.startswith("enum "):
		return ctypes.c_int
	if text.startswith("struct "):
		return structs[text.split()[1]]
	return None if text == "void" else _PLAIN[text]


def _declarator(base, text):
	"""(name, type) of '*name', 'name[2]' or 'name', whose type begins with 'base'."""
	stars, name, count = re.fullmatch(r"\s*(\**)(\w+)(?:\[(\d+)\])?", text).groups()
	kind = _type(base + stars)
	return name, kind * int(count) if count else kind


def _make_structs():
	for name, body in re.findall(r"struct (\w+) \{(.*?)\n\};", STRUCTS, re.S):
		fields = []
		for base, names in re.findall(r"\s*((?:struct )?\w+) ([^;]*);", body):
			fields += [_declarator(base, text) for text in names.split(",")]
		structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields})


def prototypes():
	"""(name, result type, argument types) of every function above."""
	for result, name, arguments in re.findall(r"(.*?)(\w+)\((.*)\);", FUNCTIONS):
		types = []
		if arguments != "void":
			types = [_type(re.sub(r"\w+$", "", a.strip())) for a in arguments.split(",")]
		yield name, _type(result), types


def candidates():
	"""Where the library may be, the first one first."""
	if os.environ.get("GPUBE_LIBRARY"):
		yield os.environ["GPUBE_LIBRARY"]
		return
	here = os.path.dirname(os.path.abspath(__file__))
	names = "libgpube.so.1", "libgpube.so"  # with a SONAME in front: of this version
	yield from filter(os.path.exists, (os.path.join(here, n) for n in names))
	# where 'make install' has put it with PREFIX the environment that Python runs in, or the user's own
	for prefix in sys.prefix, os.path.join(os.path.expanduser("~"), ".local"):
		yield from filter(os.path.exists, (os.path.join(prefix, "lib", n) for n in names))
	yield from names  # as the linker finds them
	import ctypes.util  # which imports much
	found = ctypes.util.find_library("gpube")
	if found:
		yield found
	yield from (os.path.join("/usr/local/lib", n) for n in names)


def _load():
	said = []
	for path in candidates():
		try:
			library = ctypes.CDLL(path)
		except OSError as e:
			said.append("%s: %s" % (path, e))
			continue
		try:
			for name, result, arguments in prototypes():
				f = getattr(library, name)
				f.restype, f.argtypes = result, arguments
		except AttributeError as e:
			raise ImportError("%s is not the libgpube %s that this package is for: %s" %
				(path, VERSION, e)) from None
		return library
	raise ImportError("libgpube.so is not there: run 'make install' in gpube's repository, or set "
		"GPUBE_LIBRARY to its path (%s)" % "; ".join(said))


_make_structs()
lib = _load()

PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def table(call):
	"""The options that a call of the library takes, as they are in its table."""
	rows, k = [], 0
	while True:
		address = lib.gpube_option(k, call.encode())
		if not address:
			return rows
		rows.append(at(address, "gpube_option"))
		k += 1


def at(address, name):
	"""The struct that lies at an address."""
	return structs[name].from_address(address)


def array(address, kind, n):
	"""A list of the n numbers that lie at an address; None of NULL."""
	return None if not address else (kind * n).from_address(address)[:]
