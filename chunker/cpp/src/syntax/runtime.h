// What runtime.c and C++ say to one another.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TSParser;

// As ts_parser_new, for texts that are one piece and have no included ranges.
struct TSParser *chunker_new_parser(void);

// Whether two nodes, of which these are the `id`s, have the same structure, with the same sizes. False, too, where they differ in memory down to a great depth.
bool chunker_same_structure(const void *one, const void *other);

// pool.cpp. None of them returns NULL for a size that is not 0.
void *chunker_allocate(size_t size);
void *chunker_allocate_zeros(size_t count, size_t size);
void *chunker_resize(void *block, size_t size);
void chunker_release(void *block);

#ifdef __cplusplus
}
#endif
