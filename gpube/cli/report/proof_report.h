/*
 * proof_report.h - the certificate of a run of solve or bound: it is made, written, read back,
 * checked and reported.
 */
#ifndef GPUBE_CLI_PROOF_REPORT_H
#define GPUBE_CLI_PROOF_REPORT_H

#include "gpube/bound/certificate/certificate.h"
#include "gpube/options/options.h"
#include "gpube/base/base.h"
#include "gpube/cli/bounding.h"

/*
 * path         the argument of --certify; NULL: no certificate is asked for
 * notes        the steps that the run has noted (gpube__bound_noted())
 * certificate  as it was read back; is_there: there is one
 * why          why there is none, though it was asked for; or empty
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
 * proof_begin() - before the run; halves *timeout for it.
 * proof_notes() - where the run notes its steps; NULL: no certificate is asked for
 */
void proof_begin(struct proof *p, struct session *s, const char *path, double *timeout);
struct gpube_certificate *proof_notes(struct proof *p);

/*
 * proof_end() - after the run, in the time that is left: makes the certificate, or says why there
 * is none.
 * bounds  of the run on m; opts: of the run
 */
void proof_end(struct proof *p, const struct gpube_model *m, const struct gpube_solution *bounds,
	struct gpube_opts opts);
void proof_clear(struct proof *p);

/* Parts of a conclusion whose 'more' is a struct proof. */
void proof_text(struct gpube_out *out, const struct conclusion *f);
void proof_json(struct json *j, const struct conclusion *f);

/* bounds: of the run that it belongs to; NULL: there was none */
void proof_text_certified(struct gpube_out *out, const struct answer *a,
	const struct gpube_certificate *c, const struct gpube_solution *bounds);
void proof_json_certified(
	struct json *j, const struct answer *a, const struct gpube_certificate *c);

#endif
