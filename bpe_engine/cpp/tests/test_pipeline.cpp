// Pipelines of all kinds: growing texts and slices have the counts of fresh ones. That these are those of the publishers is tested from Python.
#include "bpe/thresholds.hpp"
#include "try_pipeline.hpp"

using namespace bpe;
using namespace bpe::test;

int main(int count, char** arguments) {
    repeat(count, arguments, thresholds::long_tail > 100 ? 400 : 800, try_pipeline);
    return 0;
}
