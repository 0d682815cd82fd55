// The interface between runtime.c and C++.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TSInput;
struct TSParseOptions;
struct TSParser;
struct TSTree;

// In bytes: from an error up to where the parser was certain again: one understanding of the text was left, whatever follows; UINT32_MAX if it never was.
// `first`: as far back as it tried to leave out what it had understood.
typedef struct {
  uint32_t first, start, end;
} ChunkerRecovery;

// As ts_parser_new and ts_parser_delete, for texts that are one piece and have no included ranges.
struct TSParser *chunker_new_parser(void);
void chunker_delete_parser(struct TSParser *parser);

// As ts_parser_parse_with_options, without an older tree. It ends where the parser goes over more than `most_read` bytes, each time that it does, to tell its tokens, and by
// `chunker_leave`, called from inside of an allocation. It returns NULL then: the parser is good for nothing but to be deleted, and what it had made is left to the pool.
struct TSTree *chunker_parse(struct TSParser *parser, const struct TSInput *input, const struct TSParseOptions *options, uint64_t most_read);
bool chunker_was_left(const struct TSParser *parser);
void chunker_leave(struct TSParser *parser);

// How the parser recovered from the errors of its tree.
const ChunkerRecovery *chunker_recoveries(const struct TSParser *parser, const struct TSTree *tree, uint32_t *count);

// The byte after which the parser has looked at the end of the text to tell a token: with more text it may be another, as the slash of a comment that nothing
// closes.
uint32_t chunker_first_open(const struct TSParser *parser);

// The state of the scanner that a grammar brings, after the last of its tokens that ends at or before this byte. `root` is the `id` of the root.
const char *chunker_scanner_state(const void *root, uint32_t byte, size_t *length);

// pool.cpp. None of them returns NULL for a size that is not 0.
void *chunker_allocate(size_t size);
void *chunker_allocate_zeros(size_t count, size_t size);
void *chunker_resize(void *block, size_t size);
void chunker_release(void *block);

#ifdef __cplusplus
}
#endif
