/*
 * proof_report.h - the proof of what solve and bound have proved: a certificate that is made,
 * written, read back and checked, and what is said of it.
 */
#ifndef GPUBE_CLI_PROOF_REPORT_H
#define GPUBE_CLI_PROOF_REPORT_H

#include "gpube/bound/certificate/certificate.h"
#include "gpube/base/base.h"
#include "gpube/cli/bounding.h"

/*
 * path         that --certify names; NULL: nothing is done
 * notes        what the run noted of itself (gpube__bound_noted())
 * certificate  as it was read back; is_there: it is one
 * why          there is none, though it was asked for; or empty
 */
struct proof {
	struct session *session;
	const char *path;
	double start, timeout;
	struct gpube_certificate notes, certificate;
	bool is_there;
	char why[sizeof(((struct gpube_ctx *)0)->error)];
};

/*
 * proof_begin() - before the run, which has half of *timeout.
 * proof_notes() - where the run is to note what it does; NULL: no proof is asked for
 */
void proof_begin(struct proof *p, struct session *s, const char *path, double *timeout);
struct gpube_certificate *proof_notes(struct proof *p);

/*
 * proof_end() - after the run, in the time that is left: the certificate, or after a message why
 * there is none.
 * bounds  that are known of m; opts: of the run
 */
void proof_end(struct proof *p, const struct gpube_model *m, const struct gpube_solution *bounds,
	struct gpube_bound_opts opts);
void proof_clear(struct proof *p);

/* Of a conclusion whose 'more' is a struct proof. */
void proof_text(struct gpube_out *out, const struct conclusion *f);
void proof_json(struct json *j, const struct conclusion *f);

/* bounds: of the run that it is of; NULL: there was none */
void proof_text_certified(struct gpube_out *out, const struct answer *a,
	const struct gpube_certificate *c, const struct gpube_solution *bounds);
void proof_json_certified(
	struct json *j, const struct answer *a, const struct gpube_certificate *c);

#endif
