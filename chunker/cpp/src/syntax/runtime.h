// The interface between runtime.c and C++.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TSParser;

// As ts_parser_new and ts_parser_delete, for texts that are one piece and have no included ranges.
struct TSParser *chunker_new_parser(void);
void chunker_delete_parser(struct TSParser *parser);

// Report the bytes at which there are errors in a node, of which `node` is the `id` and `start` the first byte, but in none of its children.
void chunker_hidden_errors(const void *node, uint32_t start, void (*report)(void *, uint32_t), void *receiver);

// The byte at which the first token begins whose scanner has looked at the end of the text: with more text it may be another, as the slash of a comment that
// nothing closes. `root` is the `id` of the root.
uint32_t chunker_first_open(const void *root);

// pool.cpp. None of them returns NULL for a size that is not 0.
void *chunker_allocate(size_t size);
void *chunker_allocate_zeros(size_t count, size_t size);
void *chunker_resize(void *block, size_t size);
void chunker_release(void *block);

#ifdef __cplusplus
}
#endif
