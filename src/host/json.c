/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/json.h"

#include <stdbool.h>
#include <string.h>

/* What is refused at text[i], or NULL: a NUL, at which a parser's string would end, so that two names could be one, and
 * what cJSON takes though JSON forbids it. `quoted`: within a string. */
static const char *forbidden(const char *text, size_t size, size_t i, bool quoted)
{
    static const char digits[] = "0123456789", hexadecimal[] = "0123456789abcdefABCDEF";
    const char c = text[i], before = i ? text[i - 1] : ' ', next = i + 1 < size ? text[i + 1] : ' ';
    const bool power = i > 1 && before == '-' && strchr("eE", text[i - 2]);
    if (!c || (quoted && size - i >= 6 && !memcmp(text + i, "\\u0000", 6)))
        return "a character of the number 0";
    if ((unsigned char)c < ' ' && (quoted || !strchr("\t\n\r", c)))
        return "a control character, which JSON forbids";
    for (size_t k = i + 2; quoted && c == '\\' && next == 'u' && k < i + 6; k++)
        if (k >= size || !strchr(hexadecimal, text[k]))
            return "an escape of fewer than four digits, which JSON forbids";
    if (!quoted && c == '0' && strchr(digits, next) && !power && !strchr("0123456789.eE+", before))
        return "a number that begins with 0, which JSON forbids";
    return !quoted && c == '.' && !(strchr(digits, before) && strchr(digits, next))
               ? "a number without a digit on each side of its point, which JSON forbids" : NULL;
}

/* A comma ends each value of a list or an object but the last one, and a bracket begins it. *wrong: what is refused. */
static size_t count_values(const char *text, size_t size, const char **wrong)
{
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (!*wrong && ((unsigned char)c < ' ' || c == '\\' || c == '0' || c == '.')) /* others are allowed */
            *wrong = forbidden(text, size, i, quoted);
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            i += c == '\\';
        else
            values += c == ',' || c == '[' || c == '{';
    }
    return values;
}

int json_bounded(const char *path, const char *text, size_t size, struct assay_error *e)
{
    const char *wrong = NULL;
    const size_t values = count_values(text, size, &wrong);
    size_t start = 0;
    while (start < size && text[start] && strchr("\xEF\xBB\xBF \t\n\r", text[start]))
        start++;
    if (wrong && start < size && strchr("{[", text[start])) /* any other file is no JSON, as its parser says */
        return assay_fail(e, ASSAY_EINPUT, "%s: has %s", path, wrong);
    if (values > JSON_VALUES_MOST)
        return assay_fail(e, ASSAY_EINPUT, "%s: has more than %d values", path, JSON_VALUES_MOST);
    return values > JSON_VALUES_SMALL && values > size / JSON_BYTES_A_VALUE
        ? assay_fail(e, ASSAY_EINPUT, "%s: has more than one value for every %d bytes", path, JSON_BYTES_A_VALUE)
        : ASSAY_OK;
}
