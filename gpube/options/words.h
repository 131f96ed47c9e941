/*
 * words.h - the words of options that are choices, and the numbers that stand for them inside: each
 * list of words has its enum's order.
 */
#ifndef GPUBE_OPTIONS_WORDS_H
#define GPUBE_OPTIONS_WORDS_H

#define GPUBE__WORDS_ORDER "auto|min-fill|min-size|min-degree"
enum gpube_order_method {
	GPUBE_ORDER_AUTO, /* all of the below, restarts, local improvement */
	GPUBE_ORDER_MIN_FILL,
	GPUBE_ORDER_MIN_SIZE, /* smallest product of the domains of the new clique */
	GPUBE_ORDER_MIN_DEGREE,
	GPUBE_ORDER_GIVEN, /* an array, and no word */
};

/* How an optimum is proved, or a bound of it. */
#define GPUBE__WORDS_METHOD "auto|mbe|arc|ascent|tree|pairwise|andor|eliminate|semidefinite|linear"
enum gpube_bound_method {
	GPUBE_BOUND_AUTO,   /* whatever proves it first: all of the below, in turn */
	GPUBE_BOUND_MBE,    /* mini-buckets */
	GPUBE_BOUND_ARC,    /* soft arc consistency: costs move between functions (CPU) */
	GPUBE_BOUND_ASCENT, /* dual ascent on a region graph, see gpube_ascent_regions */
	GPUBE_BOUND_TREE,   /* depth-first branch and bound on soft arc consistency (CPU) */
	/* best-first branch and bound on pairwise-consistent subproblems (CPU) */
	GPUBE_BOUND_PAIRWISE,
	/* AND/OR search on a join graph's tables that keeps what it learns of subproblems (CPU) */
	GPUBE_BOUND_ANDOR,
	/* bucket elimination of the whole, in slices where it does not fit */
	GPUBE_BOUND_ELIMINATE,
	/* branch and bound on a semidefinite relaxation, of functions of two variables (CPU) */
	GPUBE_BOUND_SEMIDEFINITE,
	/* branch and bound on linear programs (CPU) */
	GPUBE_BOUND_LINEAR,
};

/* What the regions of an ascent are. */
#define GPUBE__WORDS_REGIONS "auto|joins|nested"
enum gpube_ascent_regions {
	GPUBE_REGIONS_AUTO,  /* JOINS, today */
	GPUBE_REGIONS_JOINS, /* the mini-buckets of a join graph, which grow */
	/* quads over triples over pairs, and splitting; functions of two variables, for a card */
	GPUBE_REGIONS_NESTED,
};

#define GPUBE__WORDS_BACKEND "auto|cpu|cuda"

/* When to branch on what the ascent on nested regions leaves open. */
#define GPUBE__WORDS_SPLIT "auto|never|first"
enum gpube_split {
	GPUBE_SPLIT_AUTO, /* when the ascent is slow */
	GPUBE_SPLIT_NEVER,
	GPUBE_SPLIT_FIRST, /* at once */
};

/* How the functions of a bucket are split into mini-buckets. */
#define GPUBE__WORDS_PARTITION "scope|first|merge"
enum gpube_partition {
	GPUBE_PARTITION_SCOPE, /* largest scope first, each where the joined scope grows least */
	GPUBE_PARTITION_FIRST, /* each where it first fits, in the order of the functions */
	GPUBE_PARTITION_MERGE, /* all apart, then the two smallest that fit become one, and again */
};

#define GPUBE__WORDS_HEURISTIC "mbe|shift|costs"
enum gpube_heuristic_method {
	GPUBE_HEURISTIC_MBE,   /* mini-buckets, with moment matching unless no_match */
	GPUBE_HEURISTIC_SHIFT, /* after cost shifting on their join graph */
	GPUBE_HEURISTIC_COSTS, /* no tables: what the assigned functions cost */
};

/* Those of enum gpube_pseudotree, which dpop.h has. */
#define GPUBE__WORDS_PSEUDOTREE "auto|min-degree|max-degree|min-id|max-id|min-name|max-name|best"

/* enum gpube_csg_method of csg.h */
#define GPUBE__WORDS_CSG "auto|lp|conv|dp|idp"

/* In the order of csg/distributions.c and csg/auction/auction_draw.c. */
#define GPUBE__WORDS_COALITIONS                                                                    \
	"uniform|normal|modified-uniform|modified-normal|exponential|beta|"                        \
	"gamma|agent-uniform|agent-normal|ndcs|threshold|voting|hump|near-ties"
#define GPUBE__WORDS_AUCTIONS "L1|L2|L3|L4|L5|L6|L7|L8|scheduling|regions|arbitrary|paths|matching"

/* enum gpube_nash_method of nash.h */
#define GPUBE__WORDS_NASH "auto|eee|ve|se"

#define GPUBE__WORDS_TASK "pr|mar"
enum gpube_infer_task {
	/* the sum over all assignments: a partition function, or the evidence's probability */
	GPUBE_INFER_PR,
	GPUBE_INFER_MAR, /* that, and the distribution of every variable */
};

/*
 * The formats of models; those that are written, too, come first. GPUBE_FORMATS_WRITTEN and
 * GPUBE_FORMATS_READ (formats.h) are their names.
 */
enum gpube_format {
	GPUBE_FORMAT_AUTO, /* by content when reading, by name when writing */
	GPUBE_FORMAT_WCSP,
	GPUBE_FORMAT_CFN,
	GPUBE_FORMAT_UAI,
	GPUBE_FORMAT_LG,
	GPUBE_FORMAT_WCNF,
	GPUBE_FORMAT_CNF,
	GPUBE_FORMAT_LP,  /* integer programs are read; a model becomes one over other variables */
	GPUBE_FORMAT_MPS, /* the same */
	GPUBE_FORMAT_BIF, /* this and XMLBIF: of Bayesian networks alone */
	GPUBE_FORMAT_XMLBIF,
	GPUBE_FORMAT_CSG,        /* what coalitions are worth: binary, or as .txt a text */
	GPUBE_FORMAT_CATS,       /* auctions */
	GPUBE_FORMAT_NFG,        /* Gambit's, payoff and outcome version; GAMUT's GambitOutput */
	GPUBE_FORMAT_GAM,        /* GAMUT's GTOutput, GameTracer's .gam */
	GPUBE_FORMAT_LRS,        /* input of lrsnash */
	GPUBE_FORMAT_TWO_PLAYER, /* GAMUT's TwoPlayerOutput */
	GPUBE_FORMAT_SIMPLE,     /* GAMUT's SimpleOutput */
	GPUBE_FORMAT_QPBO,
	GPUBE_FORMAT_COL,
	GPUBE_FORMAT_ERG,
	GPUBE_FORMAT_YAML,
	GPUBE_FORMAT_XML,
	GPUBE_FORMAT_NET,
	GPUBE_FORMAT_OPB,
	GPUBE_FORMAT_BEP,
	GPUBE_FORMAT_PRE,
	GPUBE_FORMAT_EFG, /* Gambit's games in extensive form */
	GPUBE_FORMAT_AGG, /* Gambit's games by their action graph, Bayesian ones, too */
	GPUBE_N_FORMATS,
};
#define GPUBE_FORMATS_OF_GAMES "nfg|gam|lrs|two-player|simple"
#define GPUBE_FORMATS_WRITTEN                                                                      \
	"wcsp|cfn|uai|lg|wcnf|cnf|lp|mps|bif|xmlbif|csg|cats|" GPUBE_FORMATS_OF_GAMES
#define GPUBE_FORMATS_READ GPUBE_FORMATS_WRITTEN "|qpbo|col|erg|yaml|xml|net|opb|bep|pre|efg|agg"

#endif
