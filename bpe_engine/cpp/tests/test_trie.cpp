// The trie, forward and backward, against a search through all tokens.
#include "bpe/trie.hpp"

#include <algorithm>
#include <set>

#include "vocabularies.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

void against_search(Choices& choices) {
    // Any bytes, the zero among them, and any order; a token need not be made of others.
    bool const few = choices.one_in(2);
    std::set<std::string> distinct;
    for (std::size_t wanted = choices.below(choices.one_in(4) ? 600 : 20); wanted > 0; --wanted) {
        std::string token;
        for (std::size_t size = 1 + choices.below(few ? 12 : 4); size > 0; --size) token.push_back(static_cast<char>(choices.below(few ? 2 : 256)));
        distinct.insert(token);
    }
    std::vector<std::string> tokens(distinct.begin(), distinct.end());
    for (std::size_t index = tokens.size(); index > 1; --index) std::swap(tokens[index - 1], tokens[choices.below(index)]);
    std::vector<Bytes> views;
    std::vector<Rank> ranks;
    for (std::string const& token : tokens) {
        views.push_back(view(token));
        ranks.push_back(static_cast<Rank>(ranks.size() * 3 + 1));
    }
    for (auto const direction : {Trie::Direction::forward, Trie::Direction::backward}) {
        bool const forward = direction == Trie::Direction::forward;
        Trie const trie(views, ranks, direction);
        auto const starts = [&](const std::string& text, const std::string& token) { return forward ? text.starts_with(token) : text.ends_with(token); };
        auto const longest_of = [&](const std::string& text, std::size_t below) {
            Rank found = no_rank;
            std::size_t size = 0;
            for (std::size_t index = 0; index < tokens.size(); ++index)
                if (tokens[index].size() > size && tokens[index].size() < below && starts(text, tokens[index])) {
                    size = tokens[index].size();
                    found = ranks[index];
                }
            return found;
        };
        for (std::size_t index = 0; index < tokens.size(); ++index) CHECK(trie.shorter(ranks[index]) == longest_of(tokens[index], tokens[index].size()));
        for (int time = 0; time < 30; ++time) {
            std::string text = tokens.empty() || choices.one_in(3) ? std::string() : choices.of(tokens);
            for (std::size_t size = choices.below(6); size > 0; --size) text.push_back(static_cast<char>(choices.below(few ? 2 : 256)));
            if (forward) {
                Trie::Match const found = trie.longest(view(text));
                CHECK(found.token == longest_of(text, text.size() + 1));
                CHECK(found.size == (found.token == no_rank ? 0 : tokens[found.token / 3].size()));
            }
            // Every step of the walk: the token that ends there, or none; no way on where no token has it.
            Trie::Node node = trie.root_node();
            for (std::size_t size = 1; size <= text.size(); ++size) {
                std::string const part = forward ? text.substr(0, size) : text.substr(text.size() - size);
                node = trie.child(node, static_cast<Byte>(forward ? part.back() : part.front()));
                bool const goes_on = std::any_of(tokens.begin(), tokens.end(), [&](std::string const& token) { return starts(token, part); });
                CHECK((node != 0) == goes_on);
                if (!goes_on) break;
                auto const found = std::find(tokens.begin(), tokens.end(), part);
                CHECK(Trie::rank(node) == (found == tokens.end() ? no_rank : ranks[static_cast<std::size_t>(found - tokens.begin())]));
            }
        }
        CHECK(trie.memory() > 0);
    }
}

// One token a thousand bytes deep, and all single bytes.
void deep_and_wide() {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    for (std::size_t size = 2; size <= 1000; size *= 2) tokens.emplace_back(size, '\0');
    std::vector<Bytes> views;
    std::vector<Rank> ranks;
    for (std::string const& token : tokens) {
        views.push_back(view(token));
        ranks.push_back(static_cast<Rank>(ranks.size()));
    }
    Trie const trie(views, ranks, Trie::Direction::forward);
    std::string const text(5000, '\0');
    CHECK(trie.longest(view(text)).token == tokens.size() - 1 && trie.longest(view(text)).size == 512);
    for (Rank rank = 257; rank < tokens.size(); ++rank) CHECK(trie.shorter(rank) == rank - 1);
    CHECK(trie.shorter(256) == 0 && trie.shorter(0) == no_rank);
}

}  // namespace

int main(int count, char** arguments) {
    deep_and_wide();
    repeat(count, arguments, 400, against_search);
    return 0;
}
