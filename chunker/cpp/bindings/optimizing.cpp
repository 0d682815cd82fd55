// The best chunks of one text, counted by the encoders of bpe_engine, or by any object that counts.
#include "chunker/optimizer.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "counters.hpp"
#include "outlined.hpp"
#include "parts.hpp"
#include "pieces.hpp"
#include "without_gil.hpp"

namespace chunker::bindings {

namespace {

nb::object best_pieces(nb::handle kind, nb::object source, nb::object tokenizer, nb::object outline, const Limits& limits, nb::object context_at,
                       nb::object native) {
    PieceMaker const as_piece(kind);
    auto const bytes = utf8_if_whole(source);
    if (!bytes) return nb::none();
    Text const text(bytes->data, bytes->size);
    if (text.size() == 0) return nb::list();
    Contexts contexts;
    auto const counter = make_counter(text, source, tokenizer, contexts, true);
    Outlined outlined(source, text, outline, std::move(context_at), nb::none(), contexts, *counter, native_sketch(native));
    OutlineRows const rows = outlined.rows(outline, nb::none());
    if (rows.offsets.empty() || rows.offsets.front() != 0) throw nb::value_error("an outline's first offset is 0");
    auto const prices = make_prices(source, tokenizer, *counter);
    std::vector<Piece> pieces;
    try {
        without_gil::Scope const others_may_run(is_native(*counter) && prices->are_quick() ? bytes->size : 0);
        pieces = Optimizer(text, rows, limits, *counter, *prices, outlined).pieces();
    } catch (const TooSmall& unit) {
        throw too_small(source, unit.start, unit.end, unit.tokens, limits.most);
    }
    return list_of(pieces.size(),
                   [&](std::size_t index) { return as_piece(pieces[index], contexts.string(pieces[index].context), outlined.label(pieces[index].label)); });
}

}  // namespace

void define_optimizing(nb::module_& module) {
    module.def("best_pieces", &best_pieces, nb::arg("kind"), nb::arg("text"), nb::arg("tokenizer"), nb::arg("outline"), nb::arg("limits"),
               nb::arg("context_at").none(), nb::arg("native").none() = nb::none(),
               nb::sig("def best_pieces(kind: type[tuple[int, int, str, int, str]], text: str, tokenizer: object, outline: object, limits: Limits, "
                       "context_at: object | None, native: TextReading | None = None) -> list[tuple[int, int, str, int, str]] | None"),
               "The chunks of a text that cost least, as `Grower.grow` returns them; `native` is asked before `outline`. None for a text with halves of "
               "surrogate pairs.");
}

}  // namespace chunker::bindings
