// Vectors that share their memory, against vectors that do not.
#include "bpe/shared_items.hpp"

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "choices.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

using Items = SharedItems<std::uint32_t>;

bool equal(const Items& shared, const std::vector<std::uint32_t>& plain) {
    return shared.size() == plain.size() && shared.empty() == plain.empty() && std::equal(shared.begin(), shared.end(), plain.begin());
}

void against_vectors(Choices& choices) {
    std::vector<std::pair<Items, std::vector<std::uint32_t>>> all(1);
    std::uint32_t next = 0;
    for (std::size_t steps = 1 + choices.below(60); steps > 0 && choices.more(); --steps) {
        std::size_t const chosen = choices.below(all.size());
        auto& [shared, plain] = all[chosen];
        switch (choices.below(6)) {
        case 0: {
            auto copy = all[chosen];
            all.push_back(std::move(copy));
            break;
        }
        case 1:
            if (all.size() > 1) all.erase(all.begin() + static_cast<std::ptrdiff_t>(chosen));
            break;
        case 2: {
            std::size_t const size = choices.below(plain.size() + 2);
            shared.truncate(size);
            if (size < plain.size()) plain.resize(size);
            break;
        }
        case 3:
            shared.push_back(next);
            plain.push_back(next++);
            break;
        default:
            std::vector<std::uint32_t> more(choices.below(choices.one_in(8) ? 5000 : 9));
            for (std::uint32_t& item : more) item = next++;
            shared.append(more.data(), more.size());
            plain.insert(plain.end(), more.begin(), more.end());
        }
        for (auto const& [one, expected] : all) {
            CHECK(equal(one, expected));
            CHECK(one.capacity() >= one.size());
        }
    }
}

// One copy has room left of the block; the others have to leave it.
void the_first_stays() {
    Items first;
    for (std::uint32_t item = 0; item < 100; ++item) first.push_back(item);
    Items second = first, third = first;
    CHECK(second.data() == first.data() && third.data() == first.data());
    CHECK(first.capacity() > first.size());
    second.push_back(7);
    CHECK(second.data() == first.data());
    first.push_back(8);
    CHECK(second.data() != first.data() && third.data() == second.data());
    CHECK(second.back() == 7 && first.back() == 8);
    // Alone again, it may write over what others had.
    second = Items();
    const std::uint32_t* const block = third.data();
    third.push_back(9);
    CHECK(third.data() == block && third.back() == 9 && third.size() == 101);
}

void in_threads() {
    Items common;
    for (std::uint32_t item = 0; item < 1000; ++item) common.push_back(item);
    std::vector<Items> copies(4, common);
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < copies.size(); ++number)
        threads.emplace_back([&one = copies[number], number] {
            for (std::uint32_t item = 0; item < 20'000; ++item) {
                one.push_back(item * 4 + static_cast<std::uint32_t>(number));
                if (item % 1000 == 0) {
                    Items branch = one;
                    branch.push_back(0);
                    CHECK(branch.size() == one.size() + 1 && branch.back() == 0);
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t number = 0; number < copies.size(); ++number)
        for (std::uint32_t item = 0; item < 21'000; ++item) CHECK(copies[number][item] == (item < 1000 ? item : (item - 1000) * 4 + number));
}

}  // namespace

int main(int count, char** arguments) {
    the_first_stays();
    in_threads();
    repeat(count, arguments, 2000, against_vectors);
    return 0;
}
