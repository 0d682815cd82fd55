// What the tests of the native part check by.
#pragma once

#include <cstdio>
#include <cstdlib>

// Of what is tried again and again; -1 outside of that.
inline int current_round = -1;

#define CHECK(condition)                                                                                            \
    do {                                                                                                            \
        if (!(condition)) {                                                                                         \
            std::fprintf(stderr, "%s:%d: not true: %s, round %d\n", __FILE__, __LINE__, #condition, current_round); \
            std::exit(1);                                                                                           \
        }                                                                                                           \
    } while (false)
