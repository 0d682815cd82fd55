// A pipeline as Python has it.
#pragma once

#include <memory>
#include <vector>

#include "bpe/pipeline/pipeline.hpp"
#include "given.hpp"
#include "known_ints.hpp"
#include "text.hpp"

namespace bpe::bindings {

class PipelineEngine {
public:
    explicit PipelineEngine(std::shared_ptr<const Pipeline> pipeline) : pipeline_(std::move(pipeline)) {
        for (AddedToken const& token : pipeline_->added_tokens()) all_special_.push_back(token.special);
    }
    const std::shared_ptr<const Pipeline>& encoder() const { return pipeline_; }
    // All special tokens are wanted.
    const AddedTokens::Wanted& all_special() const { return all_special_; }
    nb::object to_list(const std::vector<std::uint32_t>& ids) const { return ints_.list(ids); }

private:
    std::shared_ptr<const Pipeline> pipeline_;
    AddedTokens::Wanted all_special_;
    mutable KnownInts ints_;
};

// The native object that `object` is. Raises TypeError for anything else.
template <class Owner>
const Owner& owner_of(nb::handle object) {
    if (!nb::isinstance<Owner>(object) || !nb::inst_ready(object)) given::raise_type("tokenizer", "a Tokenizer", object);
    return *nb::inst_ptr<Owner>(object);
}

}  // namespace bpe::bindings
