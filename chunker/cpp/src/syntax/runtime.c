// The runtime of tree-sitter as one unit, which is how its authors build it, with changes that its sources leave room for: memory comes from
// chunker::syntax::Pool, the nodes are one thread's, and there are shorter ways for what is done most: to go over characters of one byte, and to take
// from a stack without branches, and to look up what the tables of a grammar say.
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

// As lib.c, but for the order: the parser comes last.
#include "alloc.c"
#include "get_changed_ranges.c"
#include "language.c"
#include "lexer.c"
#include "node.c"
#include "point.c"
#include "query.c"
#include "stack.c"
#include "subtree.c"
#include "tree.c"
#include "tree_cursor.c"
#include "wasm_store.c"

// What ts_stack_pop_count does where each node has one node below: only code that can be understood in several ways, or not at all, has branches. The
// subtrees on top of the first node that has `count` of them above it, extra ones not counted, the lowest first.
static StackSliceArray pop_count(Stack *self, StackVersion version, uint32_t count) {
  StackNode *top = array_get(&self->heads, version)->node;
  StackNode *node = top;
  uint32_t links = 0;
  for (uint32_t counted = 0; counted < count; links++) {
    if (node->link_count != 1 || !node->links[0].subtree.ptr) return ts_stack_pop_count(self, version, count);
    if (!ts_subtree_extra(node->links[0].subtree)) counted++;
    node = node->links[0].node;
  }
  SubtreeArray subtrees = array_new();
  // There is to be room for the node that will be made of them, which keeps their array.
  uint32_t room = (uint32_t)(ts_subtree_alloc_size(links) / sizeof(Subtree));
  array_reserve(&subtrees, room);
  subtrees.size = links;
  for (StackNode *above = top; above != node; above = above->links[0].node) {
    subtrees.contents[--links] = above->links[0].subtree;
    ts_subtree_retain(above->links[0].subtree);
  }
  array_clear(&self->slices);
  array_clear(&self->iterators);
  ts_stack__add_slice(self, version, node, &subtrees);
  return self->slices;
}

// The entry of a grammar's tables for a state and a symbol: in most states it is searched for, some ten numbers at a time, and asked for again and again. One for
// each hash; the parser keeps them where loggers, of which it has none, keep theirs.
typedef struct {
  TSStateId state;
  TSSymbol symbol;
  uint16_t value;
  bool known;
} Looked;
enum { looked_size = 4096 };

static inline uint16_t look_up(Looked *looked, const TSLanguage *language, TSStateId state, TSSymbol symbol) {
  if (state < language->large_state_count) return ts_language_lookup(language, state, symbol);
  Looked *slot = &looked[(state * 37u + symbol) % looked_size];
  if (slot->state != state || slot->symbol != symbol || !slot->known) *slot = (Looked){state, symbol, ts_language_lookup(language, state, symbol), true};
  return slot->value;
}

// As ts_language_table_entry and ts_language_next_state.
static inline void table_entry_of(Looked *looked, const TSLanguage *language, TSStateId state, TSSymbol symbol, TableEntry *result) {
  if (symbol == ts_builtin_sym_error || symbol == ts_builtin_sym_error_repeat) {
    *result = (TableEntry){.action_count = 0};
    return;
  }
  const TSParseActionEntry *entry = &language->parse_actions[look_up(looked, language, state, symbol)];
  *result = (TableEntry){.actions = (const TSParseAction *)(entry + 1), .action_count = entry->entry.count, .is_reusable = entry->entry.reusable};
}

static inline TSStateId next_state_of(Looked *looked, const TSLanguage *language, TSStateId state, TSSymbol symbol) {
  if (symbol < language->token_count || symbol >= language->symbol_count) return ts_language_next_state(language, state, symbol);
  return look_up(looked, language, state, symbol);
}

#define ts_stack_pop_count pop_count
#define ts_language_table_entry(...) table_entry_of(self->lexer.logger.payload, __VA_ARGS__)
#define ts_language_next_state(...) next_state_of(self->lexer.logger.payload, __VA_ARGS__)
#include "parser.c"

// What ts_lexer__advance does where both the character after it and the one before are of one byte, no line ends, and the text is one piece: it
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
  parser->lexer.logger.payload = ts_calloc(looked_size, sizeof(Looked));
  return parser;
}

void chunker_delete_parser(TSParser *parser) {
  ts_free(parser->lexer.logger.payload);
  ts_parser_delete(parser);
}

// Tokens that the parser has put in may be of kinds without a node, such as the end of a statement.
static void hidden_errors(Subtree around, uint32_t position, unsigned depth, void (*report)(void *, uint32_t), void *receiver) {
  for (uint32_t index = 0; index < ts_subtree_child_count(around); index++) {
    Subtree child = ts_subtree_children(around)[index];
    if (!ts_subtree_visible(child) && ts_subtree_error_cost(child) > 0) {
      if (ts_subtree_child_count(child) > 0 && depth > 0) hidden_errors(child, position, depth - 1, report, receiver);
      else report(receiver, position + ts_subtree_padding(child).bytes);
    }
    position += ts_subtree_total_bytes(child);
  }
}

void chunker_hidden_errors(const void *node, uint32_t start, void (*report)(void *, uint32_t), void *receiver) {
  const unsigned most_depth = 100;
  Subtree around = *(const Subtree *)node;
  hidden_errors(around, start - ts_subtree_padding(around).bytes, most_depth, report, receiver);
}

uint32_t chunker_first_open(const void *root) {
  Subtree around = *(const Subtree *)root;
  uint32_t size = ts_subtree_total_bytes(around), position = 0;
  for (uint32_t index = 0; index < ts_subtree_child_count(around);) {
    Subtree child = ts_subtree_children(around)[index];
    uint32_t end = position + ts_subtree_total_bytes(child);
    if (end + ts_subtree_lookahead_bytes(child) > size) {
      around = child;
      index = 0;
    } else {
      position = end;
      index++;
    }
  }
  return position + ts_subtree_padding(around).bytes;
}
