#include "parsing.hpp"

#include "runtime.h"

#ifdef _WIN32
#define NOMINMAX
#include <windows.h>
#else
#include <ctime>
#endif

#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>

#include "chunker/constants.hpp"

namespace chunker::syntax {

namespace {

constexpr std::uint64_t bytes_per_progress = parsing::bytes_per_progress, min_progress = parsing::min_progress;
// The most bytes of memory that a parse may hold, and the most bytes that its looks for tokens may go over. The parser may copy all that it has each time that
// it recovers from an error: 20 KB of "x => " in Java took six gigabytes. A scanner may look through the rest of the text for each token: 64 KB of "#" in Swift
// took twelve seconds. Of 30,000 files of code, none took more than 16 MB and 50 bytes for each of its own, or read more than 10 for each. The twin can limit
// neither.
constexpr std::size_t min_memory = std::size_t{1} << 25, memory_per_byte = 300;
constexpr std::uint64_t min_read = 1 << 20, read_per_byte = 100;

// Of the processor, in this thread.
double thread_seconds() {
#ifdef _WIN32
    FILETIME created, ended, kernel, user;
    GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
    auto const ticks = [](FILETIME time) { return static_cast<double>((std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime); };
    return (ticks(kernel) + ticks(user)) * 1e-7;
#else
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#endif
}

class Budget {
public:
    using Clock = std::chrono::steady_clock;

    explicit Budget(std::size_t size) : steps_(min_progress + size / bytes_per_progress) {
        double const most = parsing::seconds + parsing::seconds_per_byte * static_cast<double>(size);
        deadline_ = thread_seconds() + most;
        earliest_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(most));
    }

    // Called by the parser every hundred steps. The clock costs as much as these: not every time.
    static bool is_over(TSParseState* state) noexcept {
        auto& budget = *static_cast<Budget*>(state->payload);
        ++budget.calls_;
        return budget.spent() || (budget.calls_ % 16 == 0 && budget.late());
    }

    bool spent() const { return calls_ > steps_; }

    // Reading wall-clock time costs a tenth of reading processor time, and is never less.
    bool late() const { return Clock::now() > earliest_ && thread_seconds() > deadline_; }

private:
    std::uint64_t calls_ = 0, steps_;
    double deadline_;
    Clock::time_point earliest_;
};

const char* read_all(void* payload, std::uint32_t from, TSPoint, std::uint32_t* count) noexcept {
    auto const& source = *static_cast<const std::string_view*>(payload);
    std::size_t const start = from < source.size() ? from : source.size();
    *count = static_cast<std::uint32_t>(source.size() - start);
    return source.data() + start;
}

}  // namespace

std::unique_ptr<const Tree> parse(const TSLanguage* language, std::string_view source) {
    auto pool = std::make_unique<Pool>();
    Pool::Use const use(*pool);
    // A scanner of its own has what the parser of a grammar keeps, and gives it back.
    std::unique_ptr<TSParser, decltype(&chunker_delete_parser)> const parser(chunker_new_parser(), chunker_delete_parser);
    if (!ts_parser_set_language(parser.get(), language)) throw std::invalid_argument("a grammar of a version that the runtime does not know");
    Budget budget(source.size());
    Pool::Limit const limit(*pool, min_memory + memory_per_byte * source.size(), chunker_leave, parser.get());
    TSInput const input{&source, read_all, TSInputEncodingUTF8, nullptr};
    TSParseOptions const options{&budget, Budget::is_over};
    if (TSTree* const tree = chunker_parse(parser.get(), &input, &options, min_read + read_per_byte * source.size())) {
        std::uint32_t count = 0;
        const ChunkerRecovery* const first = chunker_recoveries(parser.get(), tree, &count);
        return std::make_unique<const Tree>(std::move(pool), tree, Doubts{{first, first + count}, chunker_first_open(parser.get())});
    }
    if (limit.is_exhausted()) throw std::bad_alloc();
    if (!chunker_was_left(parser.get()) && !budget.spent() && !budget.late()) throw std::runtime_error("the parser ended without a tree");
    return nullptr;
}

}  // namespace chunker::syntax
