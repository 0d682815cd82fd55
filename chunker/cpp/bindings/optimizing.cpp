// The best chunks of one text, counted by the encoders of bpe_engine, or by any object that counts.
#include "chunker/optimizer.hpp"

#include <utility>

#include "chunking.hpp"
#include "parts.hpp"
#include "references.hpp"

namespace chunker::bindings {

namespace {

class Optimizing final : public Chunking {
public:
    Optimizing(nb::object source, nb::object tokenizer, nb::object outline, const Limits& limits, nb::object context_at)
        : Chunking(std::move(source), std::move(tokenizer), std::move(outline), limits, std::move(context_at), true), rows_(outlined_.rows()), limits_(limits) {
        if (text_.size() > 0 && (rows_.offsets.empty() || rows_.offsets.front() != 0)) throw nb::value_error("an outline's first offset is 0");
    }

private:
    // All of them at once, and then no more.
    void make(std::size_t, std::size_t) override {
        if (std::exchange(is_done_, true) || text_.size() == 0) return;
        auto const prices = make_prices(source_, tokenizer_, *counter_);
        for (Piece const& piece : Optimizer(text_, rows_, limits_, *counter_, *prices, outlined_).pieces()) ready_.push_back(piece);
    }

    OutlineRows rows_;
    Limits limits_;
    bool is_done_ = false;
};

}  // namespace

void define_optimizing(nb::module_& module) {
    nb::class_<Optimizing, Chunking>(module, "Optimizer", nb::type_slots(references::shown<Optimizing>), "Makes the chunks of one text that cost least, once.")
        .def(nb::init<nb::object, nb::object, nb::object, const Limits&, nb::object>(), nb::arg("text"), nb::arg("tokenizer"), nb::arg("outline"),
             nb::arg("limits"), nb::arg("context_at").none(),
             nb::sig("def __init__(self, text: str, tokenizer: object, outline: object, limits: Limits, context_at: object | None) -> None"),
             "See Grower. The first offset of an outline has to be 0.");
}

}  // namespace chunker::bindings
