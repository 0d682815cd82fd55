#include "check.hpp"

namespace bpe::test {

std::uint64_t& current_seed() {
    static std::uint64_t seed = 0;
    return seed;
}

void stop() {
    if (current_seed() != 0) std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(current_seed()));
    std::abort();
}

const std::vector<std::string>& fragments() {
    static const std::vector<std::string> all = {
        "a",
        "A",
        "z",
        "Z",
        "l",
        "L",
        "s",
        "S",
        "t",
        "v",
        "e",
        "r",
        "d",
        "m",
        " ",
        " ",
        "\n",
        "\r",
        "\t",
        "\v",
        "\x1c",
        "\xc2\x85",
        "\xc2\xa0",
        "\xe3\x80\x80",
        "\xe2\x80\xa8",
        "'",
        "'",
        "\xe2\x80\x99",
        "\"",
        "/",
        ".",
        ",",
        "!",
        "(",
        "{",
        "0",
        "1",
        "9",
        "\xc2\xb2",
        "\xe2\x85\xa7",
        "\xd9\xa3",
        "\xf0\x9d\x9f\x99",
        "\xc3\xa9",
        "\xc3\x9f",
        "\xc5\xbf",
        "\xc7\x85",
        "\xca\xb0",
        "\xce\xa3",
        "\xcf\x82",
        "\xd0\xa8",
        "\xd0\xb8",
        "\xe4\xb8\xad",
        "\xe4\xba\x9a",
        "\xe3\x81\xb2",
        "\xed\x95\x9c",
        "\xe0\xa4\xa8",
        "\xe0\xa4\xae",
        "\xe0\xa5\x8d",
        "\xcc\x81",
        "\xf0\x9f\x98\x80",
        "\xe2\x82\xac",
        "\xf0\x90\xb5\x8a",
        "\xff",
        "\x80",
        "\xe4\xb8",
        "\xf0\x9f",
        "\xed\xa0\x80",
        "\xc0\x80",
        "'s",
        "'S",
        "'\xc5\xbf",
        "'ll",
        "'LL",
        "'re",
        "'vE",
        "'d",
        "  ",
        "    ",
        "\n\n",
        "\r\n",
        " \n",
        "\n ",
        "\n  ",
        "\t\t",
        "1234",
        "12345678",
        "HTTPResponse",
        "camelCase",
        "can't",
        "IT'S",
        "////",
        "!\n\n",
        "!/\n",
        " !",
        " a",
        " A",
        " 1",
        " '",
        "the ",
        "return ",
        "\xe7\x8c\xab"
        "A",
        "abc\xe4\xb8\xad"
        "DEF",
        std::string("\0x", 2),
    };
    return all;
}

std::string random_text(std::mt19937_64& random, std::size_t most) {
    std::string text;
    std::size_t const count = random() % (most + 1);
    for (std::size_t index = 0; index < count; ++index) {
        std::string const& fragment = fragments()[random() % fragments().size()];
        std::size_t const times = random() % 8 == 0 ? 1 + random() % 20 : 1;
        for (std::size_t time = 0; time < times; ++time) text += fragment;
    }
    return text;
}

}  // namespace bpe::test
