/* io_xml.c - streams of XML, by expat. See io.h. */
#include "formats/io/io.h"

#ifndef GPUBE_HAVE_EXPAT

int gpube__in_xml(struct gpube_in *in, void *reader, gpube__xml_begin *begin, gpube__xml_end *end,
	gpube__xml_text *text)
{
	(void)reader, (void)begin, (void)end, (void)text;
	return in->status = gpube__fail(in->ctx, GPUBE_EIO,
		       "cannot read '%s': it is XML, and this build has no expat", in->path);
}

int64_t gpube__in_xml_line(const struct gpube_in *in)
{
	return in->line;
}

#else

#include <expat.h>

int64_t gpube__in_xml_line(const struct gpube_in *in)
{
	return (int64_t)XML_GetCurrentLineNumber(in->xml) + in->xml_from - 1;
}

/* They come before the first element, and the rest of the text that expat has is passed over. */
static void refuse_entity(void *reader, const char *name, int is_parameter, const char *value,
	int n, const char *base, const char *system, const char *public, const char *notation)
{
	struct gpube_in *in = *(struct gpube_in **)reader;

	(void)is_parameter, (void)value, (void)n, (void)base;
	(void)system, (void)public, (void)notation;
	in->line = gpube__in_xml_line(in);
	gpube__in_error(in, "entity '%.40s': entities that a file declares are not read", name);
	XML_StopParser(in->xml, XML_FALSE);
}

static int parse(struct gpube_in *in)
{
	bool more;

	do {
		size_t n;
		enum XML_Status s;

		more = gpube__in_fill(in);
		if (in->status)
			return in->status;
		n = (size_t)(in->end - in->p);
		n = n < 1 << 16 ? n : 1 << 16;
		s = XML_Parse(in->xml, in->p, (int)n, !more);
		if (in->status)
			return in->status;
		in->p += n;
		if (s != XML_STATUS_OK) {
			in->line = gpube__in_xml_line(in);
			if (XML_GetErrorCode(in->xml) == XML_ERROR_NO_MEMORY)
				return in->status =
					       gpube__fail(in->ctx, GPUBE_ENOMEM, "out of memory");
			return gpube__in_error(
				in, "not XML: %s", XML_ErrorString(XML_GetErrorCode(in->xml)));
		}
	} while (more);
	return GPUBE_OK;
}

int gpube__in_xml(struct gpube_in *in, void *reader, gpube__xml_begin *begin, gpube__xml_end *end,
	gpube__xml_text *text)
{
	int status;

	gpube__in_at_end(in); /* past blanks in front of its head, which XML does not allow */
	in->xml_from = in->line;
	in->xml = XML_ParserCreate(NULL);
	if (!in->xml)
		return in->status = gpube__fail(in->ctx, GPUBE_ENOMEM, "out of memory");
	XML_SetUserData(in->xml, reader);
	XML_SetElementHandler(in->xml, begin, end);
	XML_SetCharacterDataHandler(in->xml, text);
	XML_SetEntityDeclHandler(in->xml, refuse_entity);
	status = parse(in);
	XML_ParserFree(in->xml);
	in->xml = NULL;
	return status;
}

#endif
