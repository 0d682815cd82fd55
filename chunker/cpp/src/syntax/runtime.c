// The runtime of tree-sitter as one unit, which is how its authors build it, with three changes that its sources leave room for: memory comes from
// chunker::syntax::Pool, the nodes are one thread's, and there is a shorter way over the characters of which source code is made.
#include <stddef.h>

#include "runtime.h"

#define ts_malloc chunker_allocate
#define ts_calloc chunker_allocate_zeros
#define ts_realloc chunker_resize
#define ts_free chunker_release

// A tree and its parser are used by one thread at a time, and references to a node are counted several times a token. Nobody else counts.
#include "atomic.h"
static inline uint32_t count_up(volatile uint32_t *count) { return ++*(uint32_t *)count; }
static inline uint32_t count_down(volatile uint32_t *count) { return --*(uint32_t *)count; }
#define atomic_inc count_up
#define atomic_dec count_down

#include "lib.c"

// What ts_lexer__advance does where both the character behind it and the one before are of one byte, no line ends, and the text is one piece: it
// comes to the same, and a fifth of a parse is spent there.
static void advance_over_ascii(TSLexer *data, bool skip) {
  Lexer *self = (Lexer *)data;
  uint32_t next = self->current_position.bytes + 1 - self->chunk_start;
  if (!self->chunk || self->lookahead_size != 1 || data->lookahead == '\n' || next >= self->chunk_size || (self->chunk[next] & 0x80)) {
    ts_lexer__advance(data, skip);
    return;
  }
  self->column_data.value += self->column_data.valid;
  self->current_position.bytes++;
  self->current_position.extent.column++;
  if (skip) self->token_start_position = self->current_position;
  data->lookahead = self->chunk[next];
}

TSParser *chunker_new_parser(void) {
  TSParser *parser = ts_parser_new();
  parser->lexer.data.advance = advance_over_ascii;
  return parser;
}
