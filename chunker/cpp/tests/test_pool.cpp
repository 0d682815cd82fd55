// A pool gives memory that nobody else has, and what was written stays.
#include "syntax/pool.hpp"

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "syntax/runtime.h"

namespace {

struct Block {
    unsigned char* memory;
    std::size_t size;
    unsigned char mark;
};

bool holds(const Block& block) {
    return std::all_of(block.memory, block.memory + block.size, [&](unsigned char byte) { return byte == block.mark; });
}

std::size_t random_size(std::mt19937& random) { return random() % 20 ? random() % 300 : random() % 5000; }

// Takes, resizes and gives back; some are left to the pool.
bool try_blocks(unsigned seed, bool keep) {
    std::mt19937 random(seed);
    std::vector<Block> blocks;
    for (int step = 0; step < 20'000; ++step) {
        unsigned const choice = random() % 8;
        if (blocks.empty() || choice < 4) {
            std::size_t const size = random_size(random);
            bool const zeros = choice == 0;
            auto* const memory = static_cast<unsigned char*>(zeros ? chunker_allocate_zeros(1, size) : chunker_allocate(size));
            if (reinterpret_cast<std::uintptr_t>(memory) % alignof(void*) != 0) return false;
            Block block{memory, size, 0};
            if (zeros && !holds(block)) return false;
            block.mark = static_cast<unsigned char>(random());
            std::memset(memory, block.mark, size);
            blocks.push_back(block);
            continue;
        }
        Block& block = blocks[random() % blocks.size()];
        if (!holds(block)) return false;
        if (choice < 6) {
            std::size_t const size = random_size(random);
            block.memory = static_cast<unsigned char*>(chunker_resize(block.memory, size));
            block.size = std::min(block.size, size);
            if (!holds(block)) return false;
            block.size = size;
            std::memset(block.memory, block.mark, size);
        } else {
            chunker_release(block.memory);
            block = blocks.back();
            blocks.pop_back();
        }
    }
    bool const good = std::all_of(blocks.begin(), blocks.end(), holds);
    if (!keep)
        for (const Block& block : blocks) chunker_release(block.memory);
    return good;
}

bool try_pool(unsigned seed) {
    chunker::syntax::Pool pool;
    chunker::syntax::Pool::Use const use(pool);
    if (!try_blocks(seed, true)) return false;
    chunker::syntax::Pool inner;
    chunker::syntax::Pool::Use const inner_use(inner);
    return try_blocks(seed + 1, seed % 2 == 0);
}

std::jmp_buf way_out;

void leave(TSParser*) { std::longjmp(way_out, 1); }

// A pool that has reached its limit is left, in every way in which it could grow, and holds no more than it may; what it gave back is room again.
bool try_limit() {
    constexpr std::size_t most = 1'000'000;
    chunker::syntax::Pool pool;
    chunker::syntax::Pool::Use const use(pool);
    chunker::syntax::Pool::Limit const limit(pool, most, leave, nullptr);
    for (int round = 0; round < 3; ++round) chunker_release(chunker_allocate(most * 6 / 10));
    static std::size_t taken;
    static void* block;
    taken = 0;
    if (!setjmp(way_out))
        while (true) {
            chunker_allocate(50'000);
            taken += 50'000;
        }
    if (taken != most) return false;
    if (!setjmp(way_out)) {
        chunker_allocate(16);
        return false;
    }
    chunker::syntax::Pool small;
    chunker::syntax::Pool::Use const use_small(small);
    chunker::syntax::Pool::Limit const small_limit(small, most, leave, nullptr);
    taken = 0;
    if (!setjmp(way_out))
        while (true) {
            chunker_allocate(64);
            taken += 64;
        }
    if (taken < most / 3 || taken > most) return false;
    block = chunker_allocate(2000);
    if (!setjmp(way_out)) {
        chunker_resize(block, most);
        return false;
    }
    std::memset(block, 1, 2000);
    return !limit.is_exhausted() && !small_limit.is_exhausted();
}

// A pool that can get no memory is left, too.
bool try_exhaustion() {
    chunker::syntax::Pool pool;
    chunker::syntax::Pool::Use const use(pool);
    chunker::syntax::Pool::Limit const limit(pool, SIZE_MAX, leave, nullptr);
    if (!setjmp(way_out)) {
        chunker_allocate_zeros(SIZE_MAX, 16);
        return false;
    }
    return limit.is_exhausted();
}

}  // namespace

int main() {
    if (!try_limit() || !try_exhaustion()) return 3;
    chunker_release(nullptr);
    for (unsigned seed = 0; seed < 20; ++seed)
        if (!try_blocks(seed, false) || !try_pool(seed)) {
            std::fprintf(stderr, "seed %u\n", seed);
            return 1;
        }
    bool good[4] = {};
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < 4; ++number)
        threads.emplace_back([&good, number] {
            good[number] = true;
            for (unsigned round = 0; round < 5; ++round) good[number] = try_pool(100 * number + round) && good[number];
        });
    for (std::thread& thread : threads) thread.join();
    return std::all_of(good, good + 4, [](bool one) { return one; }) ? 0 : 2;
}
