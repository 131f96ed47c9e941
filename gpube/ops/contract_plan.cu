/*
 * contract_plan.cu - which output dims make the tile of contract_tile.cuh, by a model
 * of what the kernels spend on a joined cell. Pure host code.
 */
#include "gpube/ops/contract_plan.cuh"

#define MAX_SETS           48
#define SHARED_BYTES       (74u << 10)  /* of a block: three of them fit a multiprocessor */
#define SHARED_BIG         (110u << 10) /* the same with 8 x 8 tiles: two of them */
#define MAX_XC             32
#define MIN_STAGED_XC      16
#define MIN_STAGED_THREADS 128
#define MAX_X_TABLE        2048 /* offsets of X positions, where X has several dims */
#define MAX_SMALL_OUT      2048 /* fewer output cells: splitting the reduced cells pays more */

/*
 * What a joined cell costs, in issue slots of a thread. An add-min takes a slot of the
 * half-rate integer (or min) unit, so 2; what is not in the block's shared memory comes
 * from L2, at a twelfth of the rate of add-mins, or costs about that in instructions.
 */
#define COST_ADD_MIN 2.0
#define COST_SMALL   0.8 /* 4 x 4 tiles: more shared memory reads per add-min */
#define COST_LANES   0.8 /* along L every thread reads its own words */
#define COST_FETCH   24.0
#define COST_C       4.0  /* from memory, at full speed */
#define COST_C_AGAIN 12.0 /* from a cache */
#define COST_STAGED  6.0

typedef uint64_t dim_set; /* of canonical dims */

struct planner {
	const struct gpube__shape *s;
	const struct gpube__device *device;
	bool small_only; /* no 8 x 8 tiles */
	int n_sms;       /* to keep busy; 1 in a batch, whose other contractions do that */
	uint32_t type_bytes;
	dim_set scope[GPUBE_TILE_IN]; /* output dims of each operand */
	dim_set out;
	int64_t reads[GPUBE_TILE_IN]; /* joined cells per cell of the operand */
};

/* A choice of P, Q and L with the tile that suits it. */
struct choice {
	dim_set p, q, l;
	bool big;
	int tp, tq, nz, tl;
	int64_t np, nq, nl, no;
	enum gpube__tile_c c;
	double cost;
};

static int64_t cells_of(const struct gpube__shape *s, dim_set dims)
{
	int64_t n = 1;

	for (int d = 0; d < s->n_dims; d++)
		if (dims >> d & 1)
			n *= s->size[d];
	return n;
}

/* Offset of operand k's last cell over these dims. */
static int64_t span(const struct gpube__shape *s, const int64_t *stride, dim_set dims)
{
	int64_t n = 0;

	for (int d = 0; d < s->n_dims; d++)
		if (dims >> d & 1)
			n += (s->size[d] - 1) * stride[d];
	return n;
}

static int64_t divide_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

/* The dim in which operand k's cells are closest together. */
static int closest_dim(const struct gpube__shape *s, int k)
{
	int best = -1;

	for (int d = 0; d < s->n_dims; d++) {
		const int64_t step = s->stride[k * s->ld + d];

		if (step && (best < 0 || step < s->stride[k * s->ld + best]))
			best = d;
	}
	return best;
}

static enum gpube__tile_c class_c(
        const struct planner *p, dim_set tile_p, dim_set tile_q, dim_set lanes, int *n_c)
{
	bool staged = false;

	*n_c = 0;
	for (int k = 0; k < p->s->n_in; k++) {
		if (!(p->scope[k] & tile_p) || !(p->scope[k] & tile_q))
			continue;
		++*n_c;
		staged |= !((tile_q | lanes) >> closest_dim(p->s, k) & 1);
	}
	if (*n_c == 0)
		return TILE_C_NONE;
	return staged ? TILE_C_STAGED : *n_c == 1 ? TILE_C_ONE : TILE_C_MANY;
}

/* Threads along a dimension of n cells, each with 'each' of them, and at most 'most' threads. */
static int fit(int64_t n, int each, int most)
{
	const int64_t tiles = divide_up(n, (int64_t)each * most);

	return (int)divide_up(n, tiles * each);
}

static double least(int64_t a, int64_t b)
{
	return (double)(a < b ? a : b);
}

static double c_cost(const struct planner *p, const struct choice *c)
{
	double cost = 0;

	for (int k = 0; k < p->s->n_in; k++)
		if ((p->scope[k] & c->p) && (p->scope[k] & c->q))
			/* a cell that is read once comes from memory in any case */
			cost += COST_C + (c->c == TILE_C_STAGED ? COST_STAGED : 0) +
			        (p->reads[k] > 1 ? p->scope[k] & c->l || !c->l ? COST_C_AGAIN
			                                                       : COST_C_AGAIN / 4
			                         : 0);
	return cost;
}

/* Tile and cost of a choice of dims, with 8 x 8 or 4 x 4 cells a thread. */
static void tile_of(const struct planner *p, struct choice *c, bool big)
{
	const struct gpube__shape *s = p->s;
	const int each = big ? 8 : 4, room = GPUBE_TILE_THREADS;
	double lanes, useful, a = 0, b = 0, parallel;
	int64_t blocks;

	c->big = big;
	c->tl = c->nl > 1 ? GPUBE_TILE_LANES : 1;
	c->tq = fit(c->nq, each, c->nl > 1 ? 4 : big ? 16 : 32);
	c->tp = fit(c->np, each, room / (c->tl * c->tq) < 32 ? room / (c->tl * c->tq) : 32);
	c->nz = 1;
	if (c->nl == 1) {
		/* few blocks: rather more of them than full ones */
		const int64_t tiles =
		        divide_up(c->np, c->tp * each) * divide_up(c->nq, c->tq * each);
		const int64_t spread = tiles * c->no / (4 * p->n_sms);

		c->nz = room / (c->tp * c->tq);
		if (c->nz > 1 && c->nz > spread && p->n_sms > 1)
			c->nz = spread < 1 ? 1 : (int)spread;
		if (c->nz * c->tp * c->tq < 64)
			c->nz = 64 / (c->tp * c->tq);
		if (c->nz > c->no)
			c->nz = (int)c->no;
	}
	blocks = divide_up(c->np, c->tp * each) * divide_up(c->nq, c->tq * each) *
	         divide_up(c->nl, c->tl) * divide_up(c->no, c->nz);
	lanes = (double)(c->tl * c->tp * c->tq * c->nz) /
	        (32.0 * (double)divide_up(c->tl * c->tp * c->tq * c->nz, 32));
	useful = (double)c->np / (double)(divide_up(c->np, c->tp * each) * c->tp * each) *
	         (double)c->nq / (double)(divide_up(c->nq, c->tq * each) * c->tq * each) *
	         (double)c->nl / (double)(divide_up(c->nl, c->tl) * c->tl);
	parallel = (double)blocks * c->tl * c->tp * c->tq * c->nz /
	           ((double)p->n_sms * (big ? 256 : 384));
	for (int k = 0; k < s->n_in; k++) {
		if (!(p->scope[k] & c->q))
			a++;
		else if (!(p->scope[k] & c->p))
			b++;
	}
	c->cost = (COST_ADD_MIN + (big ? 0 : COST_SMALL) + (c->nl > 1 ? COST_LANES : 0)) /
	                  (lanes * useful) +
	          COST_FETCH * (a / least(c->nq, c->tq * each) + b / least(c->np, c->tp * each)) +
	          c_cost(p, c) / useful;
	/* accesses along q want whole sectors */
	if (c->nl == 1 && c->tq < 8 && c->nq < c->np * c->no)
		c->cost *= 1.0 + 0.5 * (8.0 / c->tq - 1);
	if (parallel < 1 && p->n_sms > 1)
		c->cost /= parallel > 0.05 ? parallel : 0.05;
}

/* Offsets inside a tile are 32 bits wide. */
static bool offsets_fit(const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;
	const dim_set tile = c->p | c->q | c->l;

	for (int k = 0; k < s->n_in; k++)
		if (span(s, s->stride + k * s->ld, tile) > UINT32_MAX)
			return false;
	return span(s, s->out_stride, c->p) <= UINT32_MAX &&
	       span(s, s->out_stride, c->q) <= UINT32_MAX && c->no <= INT32_MAX / 2 &&
	       c->np <= INT32_MAX && c->nq <= INT32_MAX;
}

static void consider(
        const struct planner *p, struct choice *best, dim_set tile_p, dim_set tile_q, dim_set lanes)
{
	struct choice c;
	int n_c;

	memset(&c, 0, sizeof(c));
	c.p = tile_p;
	c.q = tile_q;
	c.l = lanes;
	c.np = cells_of(p->s, tile_p);
	c.nq = cells_of(p->s, tile_q);
	c.nl = cells_of(p->s, lanes);
	c.no = cells_of(p->s, p->out & ~(tile_p | tile_q | lanes));
	c.c = class_c(p, tile_p, tile_q, lanes, &n_c);
	if (lanes && c.c == TILE_C_ONE)
		c.c = TILE_C_MANY;
	if (!offsets_fit(p, &c) || (lanes && c.c == TILE_C_STAGED))
		return;
	for (int big = 0; big < (p->small_only || n_c ? 1 : 2); big++) {
		tile_of(p, &c, big);
		if (best->cost < 0 || c.cost < best->cost)
			*best = c;
	}
}

/* Candidates for a side of the tile among 'dims': dims of the same operands, and runs of dims. */
static int side_sets(const struct planner *p, dim_set dims, int64_t enough, dim_set *sets)
{
	const struct gpube__shape *s = p->s;
	int n = 0;

	for (int d = s->n_out - 1; d >= 0; d--) {
		dim_set same = 0, run = 0;
		int64_t n_same = 1, n_run = 1;

		if (!(dims >> d & 1))
			continue;
		for (int e = d; e >= 0; e--) {
			bool alike = true;

			if (!(dims >> e & 1))
				continue;
			for (int k = 0; k < s->n_in; k++)
				alike &= (p->scope[k] >> e & 1) == (p->scope[k] >> d & 1);
			if (alike && (n_same == 1 || n_same * s->size[e] <= enough)) {
				same |= (dim_set)1 << e;
				n_same *= s->size[e];
			}
			if (n_run == 1 || n_run * s->size[e] <= enough) {
				run |= (dim_set)1 << e;
				n_run *= s->size[e];
			}
		}
		for (int i = 0; i < 2; i++) {
			const dim_set set = i ? run : same;
			bool known = false;

			for (int j = 0; j < n; j++)
				known |= sets[j] == set;
			if (!known && n < MAX_SETS)
				sets[n++] = set;
		}
	}
	return n;
}

static void search(const struct planner *p, struct choice *best)
{
	const struct gpube__shape *s = p->s;
	dim_set q = 0, sets[MAX_SETS], others[MAX_SETS];
	int64_t nq = 1;

	best->cost = -1;
	if (s->n_out == 0)
		consider(p, best, 0, 0, 0);
	/* the output's last dims, so that a warp writes consecutive cells */
	for (int d = s->n_out - 1; d >= 0 && (nq < 512 || d == s->n_out - 1); d--) {
		int n;

		q |= (dim_set)1 << d;
		nq *= s->size[d];
		consider(p, best, 0, q, 0);
		n = side_sets(p, p->out & ~q, 256, sets);
		if (nq >= 8 || d == 0)
			for (int i = 0; i < n; i++)
				consider(p, best, sets[i], q, 0);
		/* or along the lanes, with both sides of the tile before them */
		if (nq < 8 || nq > 4096)
			continue;
		for (int i = 0; i < n && i < 8; i++) {
			const int m = side_sets(p, p->out & ~q & ~sets[i], 64, others);

			for (int j = 0; j < m && j < 8; j++)
				consider(p, best, sets[i], others[j], q);
		}
	}
}

/* ---- the tile ----------------------------------------------------------------------- */

static void add_group(struct gpube__tile *t, const struct gpube__shape *s, const int32_t *order,
        int group, dim_set dims, int *at)
{
	t->first[group] = *at;
	t->cells[group] = 1;
	for (int d = 0; d < s->n_dims; d++) {
		if (!(dims >> d & 1))
			continue;
		t->size[*at] = (uint32_t)s->size[d];
		t->cells[group] *= (uint32_t)s->size[d];
		t->out_stride[*at] = group == GROUP_X ? s->arg_stride[d] : s->out_stride[d];
		for (int k = 0; k < s->n_in; k++)
			t->stride[k][*at] = s->stride[order[k] * s->ld + d];
		++*at;
	}
	t->n[group] = *at - t->first[group];
}

/* Smallest step of tile operand k in a group, INT64_MAX where it has none there. */
static int64_t least_step(const struct gpube__tile *t, int k, int group)
{
	int64_t least = INT64_MAX;

	for (int d = t->first[group]; d < t->first[group] + t->n[group]; d++)
		if (t->stride[k][d] && t->stride[k][d] < least)
			least = t->stride[k][d];
	return least;
}

/* Whether the largest of these operands lies along x. */
static bool along_x(const struct gpube__tile *t, const struct gpube__shape *s, const int32_t *order,
        int from, int n, int group)
{
	int64_t most = -1;
	bool along = false;

	for (int k = from; k < from + n; k++) {
		const int64_t cells = span(s, s->stride + order[k] * s->ld, ~(dim_set)0);
		const int64_t x = least_step(t, k, GROUP_X);

		if (cells <= most)
			continue;
		most = cells;
		along = x < least_step(t, k, group) && x < least_step(t, k, GROUP_L);
	}
	return along;
}

/* Cells of an operand that lie together along the end of a group. */
static int64_t run_of(const struct gpube__tile *t, const int64_t *stride, int group)
{
	int64_t run = 1;

	for (int d = t->first[group] + t->n[group] - 1; d >= t->first[group]; d--) {
		if (stride[d] != run)
			break;
		run *= t->size[d];
	}
	return run;
}

/* Cells along the end of a group through which an operand does not move. */
static int64_t still_of(const struct gpube__tile *t, const int64_t *stride, int group)
{
	int64_t still = 1;

	for (int d = t->first[group] + t->n[group] - 1; d >= t->first[group] && !stride[d]; d--)
		still *= t->size[d];
	return still;
}

/* The most cells <= wide that lie together along a group, aligned wherever they begin. */
static int aligned(int n_dims, const int64_t *stride, int64_t run, int wide)
{
	while (wide > 1 && run % wide)
		wide /= 2;
	for (int d = 0; d < n_dims; d++)
		while (wide > 1 && stride[d] >= run && stride[d] % wide)
			wide /= 2;
	return wide;
}

/* How many cells of a class can be fetched as one, or are one cell repeated. */
static int wide_of(struct gpube__tile *t, int from, int n, int group, uint32_t type_bytes)
{
	const int along = t->tl > 1 ? GROUP_L : group;
	int wide = 16 / (int)type_bytes;

	for (int k = from; k < from + n; k++) {
		int64_t still = still_of(t, t->stride[k], along);

		if (still == 1) {
			wide = aligned(t->first[GROUP_X] + t->n[GROUP_X], t->stride[k],
			        run_of(t, t->stride[k], along), wide);
			continue;
		}
		while (wide > 1 && still % wide)
			wide /= 2;
	}
	if (t->cells[along] % (uint32_t)wide)
		wide = 1;
	for (int k = from; k < from + n; k++)
		if (wide > 1 && still_of(t, t->stride[k], along) > 1)
			t->splat |= 1u << k;
	return wide;
}

/* The groups X, P, Q of a staged operand, from its smallest step to its largest. */
static void c_order(struct gpube__tile *t, int k)
{
	const int groups[3] = {GROUP_X, GROUP_P, GROUP_Q};
	int64_t step[3];

	for (int i = 0; i < 3; i++) {
		int at = i;

		step[i] = least_step(t, k, groups[i]);
		for (; at > 0 && step[t->c_order[k][at - 1]] > step[i]; at--)
			t->c_order[k][at] = t->c_order[k][at - 1];
		t->c_order[k][at] = (uint8_t)i;
	}
}

static void order_operands(
        struct gpube__tile_plan *plan, const struct planner *p, const struct choice *c)
{
	struct gpube__tile *t = &plan->tile;
	int at = 0;

	for (int turn = 0; turn < 3; turn++) {
		for (int k = 0; k < p->s->n_in; k++) {
			const int class_ = !(p->scope[k] & c->q)   ? 0
			                   : !(p->scope[k] & c->p) ? 1
			                                           : 2;

			if (class_ == turn)
				plan->order[at++] = k;
		}
		if (turn == 0)
			t->n_a = at;
		else if (turn == 1)
			t->n_b = at - t->n_a;
	}
}

/* Reduced cells at a time: as many as the shared memory holds, in equal parts. */
static bool set_chunk(struct gpube__tile_plan *plan, const struct planner *p)
{
	struct gpube__tile *t = &plan->tile;
	struct gpube__tile_layout l;
	const int list_a = t->tile_p * t->tl * t->nz, list_b = t->tile_q * t->tl * t->nz;

	/* rows that threads along x write to begin in different banks */
	t->pitch_a = (list_a + 3) / 4 * 4;
	if (t->a_along_x)
		t->pitch_a = (list_a + 31) / 32 * 32 + 4;
	t->pitch_b = (list_b + 3) / 4 * 4;
	if (t->b_along_x)
		t->pitch_b = (list_b + 31) / 32 * 32 + 4;
	t->pitch_c = plan->c == TILE_C_STAGED ? (t->nz * t->tile_p * t->tile_q) | 1 : 0;
	for (int most = MAX_XC; most > 0; most /= 2) {
		const int64_t chunks = divide_up(t->cells[GROUP_X], most);

		t->xc = (int32_t)divide_up(t->cells[GROUP_X], chunks);
		gpube__tile_layout(&l, t, p->type_bytes);
		if (l.end <= (plan->big ? SHARED_BIG : SHARED_BYTES))
			break;
		t->xc = 0;
	}
	plan->shared_bytes = l.end;
	return t->xc > 0 && l.end <= p->device->shared_bytes;
}

static bool make_tile(
        struct gpube__tile_plan *plan, const struct planner *p, const struct choice *c)
{
	const struct gpube__shape *s = p->s;
	struct gpube__tile *t = &plan->tile;
	const dim_set tile = c->p | c->q | c->l;
	const int each = c->big ? 8 : 4;
	uint64_t tiles;
	int at = 0;

	plan->big = c->big;
	plan->lanes = c->l != 0;
	plan->c = c->c;
	t->n_in = s->n_in;
	order_operands(plan, p, c);
	add_group(t, s, plan->order, GROUP_O, p->out & ~tile, &at);
	add_group(t, s, plan->order, GROUP_P, c->p, &at);
	add_group(t, s, plan->order, GROUP_Q, c->q, &at);
	add_group(t, s, plan->order, GROUP_L, c->l, &at);
	add_group(t, s, plan->order, GROUP_X, (((dim_set)1 << s->n_dims) - 1) & ~p->out, &at);
	for (int d = 0; d < at; d++) {
		int shift = 1;

		while ((uint64_t)1 << shift < t->size[d])
			shift++;
		t->shift[d] = (uint32_t)shift - 1;
		t->reciprocal[d] = (uint32_t)(((uint64_t)1 << (31 + shift)) / t->size[d] + 1);
	}
	t->x_table = t->n[GROUP_X] > 1 ? (int32_t)t->cells[GROUP_X] : 1;
	if ((int64_t)t->x_table * t->n_in > MAX_X_TABLE)
		return false;
	t->tp = c->tp;
	t->tq = c->tq;
	t->nz = c->nz;
	t->tl = c->tl;
	t->tile_p = c->tp * each;
	t->tile_q = c->tq * each;
	t->p_tiles = (uint32_t)divide_up(c->np, t->tile_p);
	t->q_tiles = (uint32_t)divide_up(c->nq, t->tile_q);
	t->l_tiles = (uint32_t)divide_up(c->nl, t->tl);
	t->o_tiles = (uint32_t)divide_up(c->no, t->nz);
	t->a_along_x = along_x(t, s, plan->order, 0, t->n_a, GROUP_P);
	t->b_along_x = along_x(t, s, plan->order, t->n_a, t->n_b, GROUP_Q);
	t->a_wide = t->a_along_x ? 1 : wide_of(t, 0, t->n_a, GROUP_P, p->type_bytes);
	t->b_wide = t->b_along_x ? 1 : wide_of(t, t->n_a, t->n_b, GROUP_Q, p->type_bytes);
	t->out_wide = 1;
	if (t->cells[GROUP_Q] % 4 == 0)
		t->out_wide = aligned(t->first[GROUP_X], t->out_stride,
		        run_of(t, t->out_stride, GROUP_Q), 16 / (int)p->type_bytes);
	for (int k = t->n_a + t->n_b; k < t->n_in; k++)
		c_order(t, k);
	if (!set_chunk(plan, p))
		return false;
	/* a block loops over O where there are more tiles than a few waves of blocks */
	tiles = (uint64_t)t->p_tiles * t->q_tiles * t->l_tiles;
	t->o_blocks = t->o_tiles;
	if (tiles * t->o_tiles > 12ull * (uint64_t)p->device->n_sms) {
		const uint64_t wanted = divide_up(12 * p->device->n_sms, (int64_t)tiles);

		t->o_blocks = (uint32_t)(wanted < t->o_tiles ? wanted : t->o_tiles);
	}
	if (tiles * t->o_blocks > INT32_MAX)
		return false;
	plan->blocks = (uint32_t)(tiles * t->o_blocks);
	plan->threads = (uint32_t)(t->tl * t->tp * t->tq * t->nz);
	/* where staging is most of the work, threads without cells take part in it */
	if (plan->c == TILE_C_STAGED && plan->threads < MIN_STAGED_THREADS)
		plan->threads = MIN_STAGED_THREADS;
	return true;
}

static uint32_t bytes_of(enum gpube_type type)
{
	return type == GPUBE_INT32 || type == GPUBE_FLOAT32 ? 4 : 8;
}

bool gpube__tile_plan(struct gpube__tile_plan *plan, const struct gpube__device *d,
        const struct gpube_contraction *c, const struct gpube__shape *s, bool in_batch)
{
	struct planner p;
	struct choice best;
	const int64_t joined = s->n_out_cells * s->n_reduced;

	if (c->semiring > GPUBE_MAX_PLUS || s->n_in == 0 || s->n_in > GPUBE_TILE_IN ||
	        s->n_dims > GPUBE_TILE_DIMS || s->n_reduced > INT32_MAX)
		return false;
	if (s->n_out_cells < MAX_SMALL_OUT && s->n_reduced >= 1024)
		return false;
	for (int i = 0; i < s->n_dims; i++)
		if (s->size[i] > INT32_MAX)
			return false;
	memset(&p, 0, sizeof(p));
	p.s = s;
	p.device = d;
	p.n_sms = in_batch ? 1 : d->n_sms;
	p.type_bytes = bytes_of(c->type);
	p.small_only = p.type_bytes > 4 || c->out_arg;
	p.out = ((dim_set)1 << s->n_out) - 1;
	for (int k = 0; k < s->n_in; k++) {
		dim_set all = 0;

		for (int i = 0; i < s->n_dims; i++)
			if (s->stride[k * s->ld + i])
				all |= (dim_set)1 << i;
		p.scope[k] = all & p.out;
		p.reads[k] = joined / cells_of(s, all);
	}
	search(&p, &best);
	if (best.cost < 0)
		return false;
	for (;;) {
		memset(plan, 0, offsetof(struct gpube__tile_plan, order));
		plan->tile.cut = c->cut;
		plan->tile.threshold = c->threshold;
		plan->tile.arg_bytes = c->arg_bytes;
		plan->tile.sign = c->semiring == GPUBE_MAX_PLUS ? -1 : 1;
		if (!make_tile(plan, &p, &best))
			return false;
		/* cells along x are fetched in runs of xc: short ones waste most of a sector */
		if (best.c != TILE_C_STAGED || plan->tile.xc >= MIN_STAGED_XC ||
		        plan->tile.xc == (int32_t)plan->tile.cells[GROUP_X] ||
		        best.tp * best.nz == 1)
			return true;
		if (best.nz > 1)
			best.nz = (best.nz + 1) / 2;
		else
			best.tp = (best.tp + 1) / 2;
	}
}

void gpube__tile_io(struct gpube__tile_io *io, const struct gpube__tile_plan *p,
        const struct gpube_contraction *c)
{
	for (int k = 0; k < p->tile.n_in; k++)
		io->in[k] = c->in[p->order[k]].values;
	io->out = c->out;
	io->out_arg = c->out_arg;
}
