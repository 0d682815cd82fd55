#include "bpe/pipeline/normalizer.hpp"

namespace bpe {

std::size_t Normalizer::run_without(const NeedlessPart& part, const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool is_first, bool at_end,
                                    std::size_t base, Normalized& out) const {
    if (part.size == 0) return run(raw, from, limit, at_start, is_first, at_end, base, out);
    std::vector<Byte> shorter(raw + from, raw + part.start);
    shorter.insert(shorter.end(), raw + part.start + part.size, raw + limit);
    std::size_t const before = out.origin.size(), first_after = part.start - base;
    std::size_t to = from + run(shorter.data(), 0, shorter.size(), at_start, is_first, at_end, base - from, out);
    if (to >= part.start) to += part.size;
    for (std::size_t index = before; index < out.origin.size(); ++index)
        for (std::uint32_t* const offset : {&out.origin[index], &out.cuts[index]})
            if (*offset >= first_after && *offset != Normalized::no_cut) *offset += static_cast<std::uint32_t>(part.size);
    return to;
}

}  // namespace bpe
