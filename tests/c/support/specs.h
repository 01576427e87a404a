/* Specs and answers as C literals: written with ' for ", so that they can be read. */
#ifndef TEST_SUPPORT_SPECS_H
#define TEST_SUPPORT_SPECS_H

#include "support/check.h"

/* A copy with every ' turned into "; valid until the next call but fifteen. */
bwt_str spec_text(const char *text);

/* Compiles or fails the test. */
bwt_provider *compiled(const char *spec);
bwt_provider *compiled_with(const char *spec, bwt_provider_overrides overrides);

/* The smallest spec, cut open at the end: append further members and "}". */
#define SMALL_SPEC_HEAD                                                                                                \
    "{'name':'small','request':{'base_url':'http://127.0.0.1:1','path':'/s'},'answer':{'hits':'r','title':'t',"        \
    "'url':'u','snippet':'s'}"

#endif
