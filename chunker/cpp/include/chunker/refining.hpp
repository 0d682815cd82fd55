// Boundaries finer than an outline, as `refine` of chunker/formats/refining.py finds them: level by level down to characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chunker/characters.hpp"
#include "chunker/constants.hpp"

namespace chunker {

// The numbers of the levels, from the coarsest to the finest, are those of their labels.
enum class Level : std::uint8_t { sentence, word, grapheme, character };
inline constexpr std::int64_t strength_of[] = {strength::sentence, strength::word, strength::grapheme, strength::character};
inline constexpr std::size_t levels = 4;

struct Refined {
    Level level = Level::character;
    std::vector<std::size_t> offsets;  // none where nothing finer exists
    // Of sentences: none that ends here or before has another one inside, if it is refined alone. 0 if that is not known.
    std::size_t whole_up_to = 0;

    std::int64_t strength() const { return strength_of[static_cast<std::size_t>(level)]; }
};

// The boundaries strictly inside text[start:end] of the next level below `strength` that has any, but not below `least`.
Refined refine(const Text& text, std::size_t start, std::size_t end, std::int64_t strength, std::int64_t least = 0);

}  // namespace chunker
