// Readers of tokenizer files: of files as they are written, and of damaged ones.
#include "try_files.hpp"

using namespace bpe::test;

int main(int count, char** arguments) {
    for (std::string const data : {"", "{", "{}", "{\"model\":{\"vocab\":{\"\":0},\"merges\":[]}}", "= 0\n", "\x0A", "\x0A\x00", "YQ== 4294967295"})
        try_file(data);
    repeat(count, arguments, 20'000, [](Choices& choices) { try_file(random_file(choices)); });
    return 0;
}
