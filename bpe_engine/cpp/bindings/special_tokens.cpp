// Special tokens of a vocabulary, found in a text.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bpe/pipeline/added_tokens.hpp"
#include "given.hpp"
#include "text.hpp"
#include "text_parts.hpp"

namespace bpe::bindings {

namespace {

class SpecialFinder {
public:
    // Text -> id.
    explicit SpecialFinder(nb::dict id_of) {
        std::vector<AddedToken> tokens;
        for (auto const& [text, id] : id_of) {
            Text const given(text);
            if (given.bytes().size == 0) continue;  // it is found nowhere
            tokens.push_back({{reinterpret_cast<const char*>(given.bytes().data), given.bytes().size},
                              static_cast<std::uint32_t>(given::number(id, "an id", 0, std::numeric_limits<std::uint32_t>::max()))});
        }
        wanted_.assign(tokens.size(), 1);
        finder_ = AddedTokens(tokens, false);
        for (AddedToken const& token : tokens) ids_.push_back(token.id);
    }

    // Of tokens that overlap the leftmost counts, then the longest.
    nb::list find(nb::str text) const {
        Encoded const given(text);
        SpansInCharacters spans(given.bytes());
        std::size_t const size = given.bytes().size;
        for (std::size_t place = 0; place < size && finder_.any();) {
            AddedTokens::Match const match = finder_.find(given.bytes().data, 0, place, size, true, wanted_);
            if (!match.is_found()) break;
            spans.add(match.start, match.end, ids_[match.number]);
            place = match.end;
        }
        return spans.list();
    }

private:
    AddedTokens finder_;
    AddedTokens::Wanted wanted_;
    std::vector<std::uint32_t> ids_;
};

}  // namespace

void define_special_tokens(nb::module_& module) {
    nb::class_<SpecialFinder>(module, "SpecialFinder", "Finds the special tokens of a vocabulary in a text. Immutable; threads may share it.")
        .def(nb::init<nb::dict>(), nb::arg("id_of"), nb::sig("def __init__(self, id_of: dict[str, int]) -> None"))
        .def("find", &SpecialFinder::find, nb::arg("text"), nb::sig("def find(self, text: str) -> list[tuple[int, int, int]]"),
             "(start, end, id) of each, in characters: of tokens that overlap the leftmost, then the longest.");
}

}  // namespace bpe::bindings
