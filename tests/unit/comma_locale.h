/* SPDX-License-Identifier: BSD-2-Clause */
/* A locale that writes 0,5, for tests of what must not depend on it. */
#ifndef TESTS_UNIT_COMMA_LOCALE_H
#define TESTS_UNIT_COMMA_LOCALE_H

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool no_locales;

/* In front of the C library's. cJSON asks it what to put in the place of a number's point before it calls strtod. One
 * that was built without ENABLE_LOCALES takes the point for granted, and so does it here. */
struct lconv *localeconv(void)
{
    static char point[] = ".";
    static struct lconv of;
    of.decimal_point = no_locales ? point : nl_langinfo(RADIXCHAR);
    return &of;
}

/* Sets a locale whose decimal separator is a comma: one that the system has, or one compiled into a temporary
 * folder from the sources that Debian's package `locales` brings. */
static int set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8",
                                        "ru_RU.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0)
            return 1;
    char folder[] = "/tmp/assay-locale-XXXXXX";
    if (!mkdtemp(folder))
        return 0;
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    int made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") &&
               strcmp(localeconv()->decimal_point, ",") == 0;
    snprintf(command, sizeof command, "rm -rf %s", folder); /* a locale in use is mapped and stays usable */
    return system(command) == 0 && made;
}

#endif
