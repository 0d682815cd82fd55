// The runtime of tree-sitter as one unit, which is how its authors build it, with changes that its sources leave room for: memory comes from
// chunker::syntax::Pool, the nodes are one thread's, and there are shorter ways for what is done most: to go over characters of one byte, and to take
// from a stack without branches, and to look up what the tables of a grammar say.
#include <setjmp.h>
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
// each hash.
typedef struct {
  TSStateId state;
  TSSymbol symbol;
  uint16_t value;
  bool known;
} Looked;
enum { looked_size = 4096 };

// What the parser keeps in the place of a logger. `error_cost`: of all errors before the last recovery, or, if none is under way, after it. `read`: the bytes that all
// looks for a token went over. The column that was asked for last is `column`, at `column_byte`, on the line that begins at `column_line`.
typedef struct {
  Looked looked[looked_size];
  Array(ChunkerRecovery) recoveries;
  bool is_recovering;
  unsigned error_cost;
  uint32_t first_open;
  uint64_t read, most_read;
  uint32_t column_line, column_byte, column;
  jmp_buf way_out;
  bool was_left;
} Notes;

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
#define ts_language_table_entry(...) table_entry_of(((Notes *)self->lexer.logger.payload)->looked, __VA_ARGS__)
#define ts_language_next_state(...) next_state_of(((Notes *)self->lexer.logger.payload)->looked, __VA_ARGS__)
// The parser asks for a summary of a stack where it looks for a way on after an error, before each token whether a version of its stack is active, and finishes
// each look for a token, which begins at `start_position`.
#define ts_stack_get_summary(stack, version) note_recovery(self, version, lookahead)
#define ts_stack_is_active(stack, version) (((Notes *)self->lexer.logger.payload)->is_recovering ? end_recovery(self) : (void)0, ts_stack_is_active(stack, version))
#define ts_lexer_finish(lexer, end) (ts_lexer_finish(lexer, end), note_end(self, start_position.bytes))
static StackSummary *note_recovery(TSParser *self, StackVersion version, Subtree lookahead);
static void end_recovery(TSParser *self);
static void note_end(TSParser *self, uint32_t token);
#include "parser.c"
#undef ts_stack_get_summary
#undef ts_stack_is_active

static void note_end(TSParser *self, uint32_t token) {
  Notes *notes = self->lexer.logger.payload;
  notes->read += self->lexer.current_position.bytes - token;
  if (notes->read > notes->most_read) chunker_leave(self);  // here, as all of a text may be looked through for one token, from each place where none begins
  if (ts_lexer__eof(&self->lexer.data) && token < notes->first_open) notes->first_open = token;
}

// Note how far back the parser may go with this token, as ts_parser__recover does: to the nearest state in which the token is valid, unless that costs too
// much. With other text before it that state could be anywhere: so far away as is not too much, at most.
static StackSummary *note_recovery(TSParser *self, StackVersion version, Subtree lookahead) {
  Notes *notes = self->lexer.logger.payload;
  StackSummary *summary = ts_stack_get_summary(self->stack, version);
  uint32_t position = ts_stack_position(self->stack, version).bytes;
  if (!notes->is_recovering) {
    ChunkerRecovery recovery = {position, position, UINT32_MAX};
    array_push(&notes->recoveries, recovery);
    notes->is_recovering = true;
  }
  ChunkerRecovery *recovery = array_back(&notes->recoveries);
  for (uint32_t index = 0; summary && !ts_subtree_is_error(lookahead) && index < summary->size; index++) {
    StackSummaryEntry entry = *array_get(summary, index);
    bool is_there = entry.state == ERROR_STATE || entry.position.bytes == position;
    for (StackVersion other = 0; other < ts_stack_version_count(self->stack) && !is_there; other++) {
      is_there = ts_stack_state(self->stack, other) == entry.state && ts_stack_position(self->stack, other).bytes == position;
    }
    if (is_there) continue;
    unsigned cost = ts_stack_error_cost(self->stack, version) + entry.depth * ERROR_COST_PER_SKIPPED_TREE;
    if (ts_parser__better_version_exists(self, version, false, cost)) break;
    if (!ts_language_has_actions(self->language, entry.state, ts_subtree_symbol(lookahead))) continue;
    uint32_t back = position - entry.position.bytes;
    while (back > 1 && ts_parser__better_version_exists(self, version, false, cost + back / 2 * ERROR_COST_PER_SKIPPED_CHAR)) back /= 2;
    if (position - back < recovery->first) recovery->first = position - back;
    break;
  }
  return summary;
}

// If one understanding of all that was before is left, and not because of where the text ends, which may have been seen only by a version that is no more, in an
// open quote.
static void end_recovery(TSParser *self) {
  const unsigned deepest = 64;  // as each token asks: a thousand brackets after an error took nine times as long to parse
  Notes *notes = self->lexer.logger.payload;
  Stack *stack = self->stack;
  if (notes->first_open != UINT32_MAX || ts_stack_version_count(stack) > 1 || !ts_stack_is_active(stack, 0) || ts_stack_state(stack, 0) == ERROR_STATE) return;
  const StackNode *node = array_get(&stack->heads, 0)->node;
  for (unsigned depth = 0; depth < deepest && node->link_count == 1; depth++) node = node->links[0].node;
  if (node->link_count > 0) return;
  notes->is_recovering = false;
  array_back(&notes->recoveries)->end = ts_stack_position(stack, 0).bytes;
  unsigned error_cost = ts_stack_error_cost(stack, 0);
  if (error_cost == notes->error_cost) (void)array_pop(&notes->recoveries);  // what had an error is no more
  notes->error_cost = error_cost;
}

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

// What ts_lexer__get_column does, for a text that is one piece: it reads each line again up to each place of which the column is asked for. This goes on from the place before.
static uint32_t column_from_before(TSLexer *data) {
  Lexer *self = (Lexer *)data;
  if (self->column_data.valid || !self->chunk) return ts_lexer__get_column(data);
  Notes *notes = self->logger.payload;
  uint32_t end = self->current_position.bytes, line = end - self->current_position.extent.column;
  if (notes->column_line != line || notes->column_byte < line || notes->column_byte > end) {
    notes->column_line = notes->column_byte = line;
    notes->column = 0;
  }
  const uint8_t *text = (const uint8_t *)self->chunk - self->chunk_start;
  while (notes->column_byte < end) {
    int32_t character;
    uint32_t size = ts_decode_utf8(text + notes->column_byte, self->chunk_start + self->chunk_size - notes->column_byte, &character);
    notes->column += notes->column_byte > 0 || character != BYTE_ORDER_MARK;
    notes->column_byte += character == TS_DECODE_ERROR ? 1 : size;
  }
  self->did_get_column = true;
  ts_lexer__set_column_data(self, notes->column);
  return notes->column;
}

TSParser *chunker_new_parser(void) {
  TSParser *parser = ts_parser_new();
  parser->lexer.data.advance = advance_over_ascii;
  parser->lexer.data.get_column = column_from_before;
  Notes *notes = parser->lexer.logger.payload = ts_calloc(1, sizeof(Notes));
  notes->first_open = UINT32_MAX;
  return parser;
}

const ChunkerRecovery *chunker_recoveries(const TSParser *parser, const TSTree *tree, uint32_t *count) {
  const Notes *notes = parser->lexer.logger.payload;
  bool was_in_vain = notes->is_recovering && ts_subtree_error_cost(tree->root) == notes->error_cost;
  *count = notes->recoveries.size - was_in_vain;
  return notes->recoveries.contents;
}

uint32_t chunker_first_open(const TSParser *parser) { return ((const Notes *)parser->lexer.logger.payload)->first_open; }

// Nothing between the two frames is but the runtime's own: neither a grammar nor what reads the text asks for memory of ours.
TSTree *chunker_parse(TSParser *parser, const TSInput *input, const TSParseOptions *options, uint64_t most_read) {
  Notes *notes = parser->lexer.logger.payload;
  notes->most_read = most_read;
  if (setjmp(notes->way_out)) return NULL;
  return ts_parser_parse_with_options(parser, NULL, *input, *options);
}

bool chunker_was_left(const TSParser *parser) { return ((const Notes *)parser->lexer.logger.payload)->was_left; }

void chunker_leave(TSParser *parser) {
  Notes *notes = parser->lexer.logger.payload;
  notes->was_left = true;
  longjmp(notes->way_out, 1);
}

void chunker_delete_parser(TSParser *parser) {
  Notes *notes = parser->lexer.logger.payload;
  if (notes->was_left) {
    ts_parser__external_scanner_destroy(parser);  // its memory is the grammar's
    return;
  }
  array_delete(&notes->recoveries);
  ts_free(notes);
  ts_parser_delete(parser);
}

const char *chunker_scanner_state(const void *root, uint32_t byte, size_t *length) {
  Subtree around = *(const Subtree *)root, last = NULL_SUBTREE;
  uint32_t position = 0;
  for (uint32_t index = 0; index < ts_subtree_child_count(around);) {
    Subtree child = ts_subtree_children(around)[index];
    uint32_t end = position + ts_subtree_total_bytes(child);
    if (end > byte) {
      around = child;
      index = 0;
    } else {
      if (ts_subtree_has_external_tokens(child)) last = child;
      position = end;
      index++;
    }
  }
  *length = 0;
  if (!last.ptr) return "";
  const ExternalScannerState *state = ts_subtree_external_scanner_state(ts_subtree_last_external_token(last));
  *length = state->length;
  return ts_external_scanner_state_data(state);
}
