/* SPDX-License-Identifier: BSD-2-Clause */
/* assay run REQUEST.json: a request says what is compared and how; options say what becomes of the scores. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "run/fields.h"

static int score(struct cli *c, struct assay_request *asked, struct assay_error *e)
{
    cli_take_asked(c, asked);
    if (c->q.compare == COMPARE_PICTURES)
        return cli_image(c, e);
    TRY(request_check_options(&c->q, c->q.first, e));
    TRY(c->q.encodes > 1 ? ladder_check(c, e) : ASSAY_OK);
    return cli_score(c, e);
}

/* `argument`: the path of the request, and the options behind it. */
static int run(struct assay_request *asked, int arguments, char **argument, struct assay_error *e)
{
    char **line = NULL;
    if (asked->encode[0].compare == COMPARE_PICTURES && asked->encodes > 1)
        return assay_fail(e, ASSAY_EUSAGE, "%s: assay run compares one picture with another one, and there are %u "
                          "encodes", argument[0], asked->encodes);
    struct cli *c = malloc(sizeof *c);
    int rc = c ? cli_parse_asked(c, &asked->encode[0], arguments - 1, argument + 1, &line, e)
               : assay_fail_memory(e, "the command line");
    if (!rc && (c->compares || c->q.encodes != asked->encodes))
        rc = assay_fail(e, ASSAY_EUSAGE, "assay run takes what is compared, and how, from the request; its options say "
                        "what becomes of the scores (assay run --help)");
    if (!rc) {
        c->part = argument;
        c->parts = 1;
        rc = score(c, asked, e);
    }
    free(line);
    free(c);
    return rc;
}

int cli_run_request(int argc, char **argv, struct assay_error *e)
{
    assay_request *request = NULL;
    struct assay_error why = {0};
    size_t size;
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
            cli_help("run", stdout);
            return ASSAY_OK;
        }
    if (!argc || argv[0][0] == '-')
        return assay_fail(e, ASSAY_EUSAGE, "a request is needed first: assay run REQUEST.json (assay run --help)");
    char *text = file_read(argv[0], &size, e);
    if (!text)
        return e->code;
    int rc = assay_request_parse(&request, text, size, why.text, sizeof why.text);
    free(text);
    rc = rc ? rc : asked_take(request, true, &why);
    rc = rc ? assay_fail(e, rc, "%s: %s", argv[0], why.text) : run(request, argc, argv, e);
    assay_request_close(&request);
    return rc;
}
