#include "naive.hpp"

namespace bpe::test {

std::optional<Tokens> naive_merge(const Ranks& ranks, const std::string& piece) {
    std::vector<std::string> parts;
    for (char const byte : piece) {
        parts.emplace_back(1, byte);
        if (!ranks.contains(parts.back())) return std::nullopt;
    }
    for (;;) {
        Rank lowest = no_rank;
        std::size_t where = 0;
        for (std::size_t index = 0; index + 1 < parts.size(); ++index) {
            auto const found = ranks.find(parts[index] + parts[index + 1]);
            if (found != ranks.end() && found->second < lowest) {
                lowest = found->second;
                where = index;
            }
        }
        if (lowest == no_rank) break;
        parts[where] += parts[where + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
    Tokens tokens;
    for (std::string const& part : parts) tokens.push_back(ranks.at(part));
    return tokens;
}

std::optional<Tokens> naive_piece(const Ranks& ranks, const std::string& piece) {
    if (auto const whole = ranks.find(piece); whole != ranks.end()) return Tokens{whole->second};
    return naive_merge(ranks, piece);
}

std::vector<std::string> naive_pretokens(const Scanner* scanner, const std::string& text) {
    if (text.empty()) return {};
    if (!scanner) return {text};
    std::vector<std::string> pretokens;
    auto const* const data = reinterpret_cast<const Byte*>(text.data());
    for (std::size_t place = 0; place < text.size();) {
        std::size_t const end = scanner->pretoken_end(data, place, text.size());
        pretokens.push_back(text.substr(place, end - place));
        place = end;
    }
    return pretokens;
}

std::size_t naive_character(const std::string& text, std::size_t place) {
    struct Form {
        unsigned lead_first, lead_last, second_first, second_last;
        std::size_t size;
    };
    static constexpr Form forms[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
        {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    auto const byte = [&](std::size_t offset) -> unsigned { return static_cast<unsigned char>(text[place + offset]); };
    for (Form const& form : forms) {
        if (byte(0) < form.lead_first || byte(0) > form.lead_last || text.size() - place < form.size) continue;
        if (byte(1) < form.second_first || byte(1) > form.second_last) continue;
        bool whole = true;
        for (std::size_t offset = 2; offset < form.size; ++offset) whole = whole && byte(offset) >= 0x80 && byte(offset) <= 0xBF;
        if (whole) return form.size;
    }
    return 1;
}

std::vector<std::size_t> naive_cuts(const std::string& text) {
    std::vector<std::size_t> cuts{0};
    while (cuts.back() < text.size()) cuts.push_back(cuts.back() + naive_character(text, cuts.back()));
    return cuts;
}

}  // namespace bpe::test
