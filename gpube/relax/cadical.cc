/* cadical.cc - see cadical.h. In C++, since what CaDiCaL throws without memory must not pass C. */
#include "gpube/relax/cadical.h"

#include <cadical.hpp>
#include <new>

namespace
{

class Stopper : public CaDiCaL::Terminator
{
      public:
	bool (*stop)(void *) = nullptr;
	void *arg = nullptr;

	bool terminate() override
	{
		return stop && stop(arg);
	}
};

} // namespace

struct gpube_cadical {
	CaDiCaL::Solver *solver;
	Stopper stopper;
	bool failed;
};

struct gpube_cadical *gpube__cadical_new(void)
{
	try {
		struct gpube_cadical *c = new (std::nothrow) gpube_cadical();

		if (!c)
			return nullptr;
		c->solver = new (std::nothrow) CaDiCaL::Solver;
		if (!c->solver) {
			delete c;
			return nullptr;
		}
		c->solver->set("quiet", 1);
		c->solver->connect_terminator(&c->stopper);
		return c;
	} catch (...) {
		return nullptr;
	}
}

void gpube__cadical_free(struct gpube_cadical *c)
{
	if (!c)
		return;
	if (!c->failed)
		delete c->solver;
	delete c;
}

const char *gpube__cadical_version(void)
{
	return CaDiCaL::Solver::version();
}

bool gpube__cadical_add(struct gpube_cadical *c, const int32_t *literals, int32_t n)
{
	try {
		for (int32_t k = 0; k < n; k++)
			c->solver->add(literals[k]);
		c->solver->add(0);
		return true;
	} catch (...) {
		c->failed = true;
		return false;
	}
}

int gpube__cadical_solve(struct gpube_cadical *c, bool (*stop)(void *), void *arg)
{
	try {
		c->stopper.stop = stop;
		c->stopper.arg = arg;
		return c->solver->solve();
	} catch (...) {
		c->failed = true;
		return -1;
	}
}

bool gpube__cadical_holds(struct gpube_cadical *c, int32_t variable)
{
	return c->solver->val(variable) > 0;
}
