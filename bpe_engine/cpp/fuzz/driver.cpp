// A fuzzer for compilers that bring none: <target> [-max_total_time=SECONDS] [-seed=NUMBER] [-runs=NUMBER] [-timeout=SECONDS] [FILE ...]
//
// It does not see which branches an input takes. It makes inputs out of nothing, out of fragments of text, and out of inputs made before.
// What makes a target fail is written to crash-<seed>-<run>, and `<target> crash-...` tries it again. POSIX.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Input = std::vector<std::uint8_t>;

Input present;  // what is being tried
char crash_name[64];
bool from_file = false;

// Where the process is about to die: only what a signal handler may do.
void keep_present() {
    static volatile bool kept = false;
    if (kept || from_file) return;
    kept = true;
    int const file = open(crash_name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return;
    std::size_t written = 0;
    while (written < present.size()) {
        ssize_t const more = write(file, present.data() + written, present.size() - written);
        if (more <= 0) break;
        written += static_cast<std::size_t>(more);
    }
    close(file);
    auto const say = [](const char* text) {
        if (write(2, text, std::strlen(text)) < 0) return;
    };
    say("the input is in ");
    say(crash_name);
    say("\n");
}

void on_signal(int number) {
    if (number == SIGALRM) {
        constexpr char text[] = "the target did not come back in time\n";
        if (write(2, text, sizeof text - 1) < 0) _exit(1);
    }
    keep_present();
    signal(number, SIG_DFL);
    raise(number);
}

class Inputs {
public:
    explicit Inputs(std::uint64_t seed) : random_(seed) {}

    Input next() {
        Input input;
        std::size_t const way = below(10);
        if (way < 2 || pool_.empty()) input = any_bytes(below(way == 0 ? 1000 : 64));
        else if (way < 4) input = fragments(1 + below(way == 2 ? 200 : 24));
        else input = changed(pool_[below(pool_.size())]);
        if (input.size() > 8192) input.resize(8192);
        if (pool_.size() < 2000) pool_.push_back(input);
        else pool_[below(pool_.size())] = input;
        return input;
    }

private:
    std::size_t below(std::size_t count) { return random_() % count; }

    Input any_bytes(std::size_t size) {
        Input input(size);
        for (auto& byte : input) byte = static_cast<std::uint8_t>(random_());
        return input;
    }

    Input fragments(std::size_t count) {
        Input input;
        for (; count > 0; --count) {
            std::string const& fragment = bpe::test::fragments()[below(bpe::test::fragments().size())];
            for (std::size_t times = below(8) == 0 ? below(40) : 1; times > 0; --times) input.insert(input.end(), fragment.begin(), fragment.end());
        }
        return input;
    }

    Input changed(Input input) {
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            std::size_t const first = below(input.size() + 1), size = std::min(below(16), input.size() - first);
            auto const start = input.begin() + static_cast<std::ptrdiff_t>(first);
            auto const end = start + static_cast<std::ptrdiff_t>(size);
            switch (below(6)) {
            case 0:
                if (first < input.size()) *start = static_cast<std::uint8_t>(random_());
                break;
            case 1: input.erase(start, end); break;
            case 2: {
                Input const more = below(2) ? any_bytes(below(8)) : fragments(1);
                input.insert(start, more.begin(), more.end());
                break;
            }
            case 3: {
                Input const again(start, end);
                for (std::size_t times = 1 + below(20); times > 0; --times)
                    input.insert(input.begin() + static_cast<std::ptrdiff_t>(first), again.begin(), again.end());
                break;
            }
            case 4: {
                Input const& other = pool_[below(pool_.size())];
                std::size_t const from = below(other.size() + 1);
                input.resize(first);
                input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
                break;
            }
            default:
                if (first < input.size()) *start = static_cast<std::uint8_t>(*start + (below(2) ? 1 : 255));
            }
            if (input.size() > 8192) input.resize(8192);
        }
        return input;
    }

    std::mt19937_64 random_;
    std::vector<Input> pool_;
};

}  // namespace

int main(int count, char** arguments) {
    double seconds = 0;
    std::uint64_t seed = std::random_device{}(), runs = ~std::uint64_t{0};
    unsigned timeout = 60;
    std::vector<std::string> files;
    for (int index = 1; index < count; ++index) {
        std::string const argument = arguments[index];
        auto const value = [&](const char* name) -> const char* { return argument.starts_with(name) ? argument.c_str() + std::strlen(name) : nullptr; };
        if (const char* const given = value("-max_total_time=")) seconds = std::strtod(given, nullptr);
        else if (const char* const number = value("-seed=")) seed = std::strtoull(number, nullptr, 10);
        else if (const char* const times = value("-runs=")) runs = std::strtoull(times, nullptr, 10);
        else if (const char* const limit = value("-timeout=")) timeout = static_cast<unsigned>(std::strtoul(limit, nullptr, 10));
        else if (argument.starts_with("-")) {
            std::fprintf(stderr, "%s: unknown option %s\n", arguments[0], argument.c_str());
            return 2;
        } else files.push_back(argument);
    }
    for (int const number : {SIGABRT, SIGALRM, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) {
        // A sanitizer reports these by itself, and calls back.
        if (__sanitizer_set_death_callback && number != SIGABRT && number != SIGALRM) continue;
        signal(number, on_signal);
    }
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_present);

    from_file = !files.empty();
    for (std::string const& name : files) {
        std::ifstream stream(name, std::ios::binary);
        if (!stream) {
            std::fprintf(stderr, "%s: cannot be read\n", name.c_str());
            return 2;
        }
        present.assign(std::istreambuf_iterator<char>(stream), {});
        alarm(timeout);
        LLVMFuzzerTestOneInput(present.data(), present.size());
    }
    if (from_file) return 0;

    auto const start = std::chrono::steady_clock::now();
    auto const elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    Inputs inputs(seed);
    std::uint64_t run = 0;
    for (; run < runs && (seconds <= 0 || elapsed() < seconds); ++run) {
        std::snprintf(crash_name, sizeof crash_name, "crash-%llu-%llu", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(run));
        present = inputs.next();
        alarm(timeout);
        // A copy of its own, so that a sanitizer sees a read beyond the end.
        Input const copy(present);
        LLVMFuzzerTestOneInput(copy.data(), copy.size());
    }
    alarm(0);
    std::printf("%llu inputs in %.0f s, seed %llu\n", static_cast<unsigned long long>(run), elapsed(), static_cast<unsigned long long>(seed));
    return 0;
}
