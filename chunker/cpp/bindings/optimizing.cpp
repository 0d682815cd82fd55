// The best chunks of one text, counted by the encoders of bpe_engine, or by any object that counts.
#include "chunker/optimizer.hpp"

#include <memory>
#include <utility>

#include "counters.hpp"
#include "outlined.hpp"
#include "parts.hpp"
#include "pieces.hpp"

namespace chunker::bindings {

namespace {

nb::object best_pieces(nb::handle kind, nb::object source, nb::object tokenizer, nb::object outline, const Limits& limits, nb::object context_at) {
    PieceMaker const as_piece(kind);
    auto const bytes = utf8_if_whole(source);
    if (!bytes) return nb::none();
    Text const text(bytes->data, bytes->size);
    nb::list made;
    if (text.size() == 0) return made;
    Contexts contexts;
    auto const counter = make_counter(text, source, tokenizer, contexts, true);
    Outlined outlined(source, text, outline, std::move(context_at), nb::none(), contexts, *counter, nullptr);
    OutlineRows const rows = outlined.rows(outline, nb::none());
    if (rows.offsets.empty() || rows.offsets.front() != 0) throw nb::value_error("an outline's first offset is 0");
    auto const prices = make_prices(source, tokenizer, *counter);
    try {
        for (Piece const& piece : Optimizer(text, rows, limits, *counter, *prices, outlined).pieces())
            made.append(as_piece(piece, contexts.string(piece.context), outlined.label(piece.label)));
    } catch (const TooSmall& unit) {
        throw too_small(source, unit.start, unit.end, unit.tokens, limits.most);
    }
    return made;
}

}  // namespace

void define_optimizing(nb::module_& module) {
    module.def("best_pieces", &best_pieces, nb::arg("kind"), nb::arg("text"), nb::arg("tokenizer"), nb::arg("outline"), nb::arg("limits"),
               nb::arg("context_at").none(),
               nb::sig("def best_pieces(kind: type[tuple[int, int, str, int, str]], text: str, tokenizer: object, outline: object, limits: Limits, "
                       "context_at: object | None) -> list[tuple[int, int, str, int, str]] | None"),
               "The chunks of a text that cost least, as `Grower.grow` returns them. None for a text with halves of surrogate pairs.");
}

}  // namespace chunker::bindings
