// Counter of steps, which tests compare instead of time. Only their build with small thresholds counts.
#pragma once

#include <cstdint>

namespace bpe {

#ifdef BPE_SMALL_THRESHOLDS
inline thread_local std::uint64_t steps = 0;
inline void count_step() { ++steps; }
#else
inline void count_step() {}
#endif

}  // namespace bpe
