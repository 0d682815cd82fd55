// The encoders of bpe_engine, by their interface to other compiled modules.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <new>
#include <optional>
#include <utility>

#include "bpe/encoders_interface.hpp"
#include "gil.hpp"
#include "given.hpp"

namespace chunker::bindings {

// Raises what the tokenizer has to say of a text that it cannot count.
[[noreturn]] inline void raise_uncountable(nb::handle tokenizer, nb::handle text) {
    gil::Held const held;
    tokenizer.attr("count")(text);
    given::raise(PyExc_ValueError, "the tokenizer cannot count this text while it grows: %.200R", text.ptr());
}

// An encoder that is dropped with this; or none.
template <class Interface>
class Dropped {
public:
    Dropped() = default;
    explicit Dropped(Interface made) : made_(made) {}
    Dropped(Dropped&& other) noexcept : made_(std::exchange(other.made_, {})) {}
    Dropped& operator=(Dropped&& other) noexcept {
        std::swap(made_, other.made_);
        return *this;
    }
    ~Dropped() {
        if (made_.encoder) made_.drop(made_.encoder);
    }
    explicit operator bool() const { return made_.encoder != nullptr; }
    const Interface* operator->() const { return &made_; }

private:
    Interface made_{};
};

// Makes them. What is made lives no longer.
class Encoders {
public:
    // Of a tokenizer; none where it has no interface.
    static std::optional<Encoders> of(nb::handle tokenizer) {
        nb::object const make = nb::getattr(tokenizer, "_interface", nb::none());
        nb::object capsule = make.is_none() ? make : make();
        if (capsule.is_none()) return std::nullopt;
        auto const* const found = static_cast<const EncodersInterface*>(PyCapsule_GetPointer(capsule.ptr(), encoders_interface_name));
        if (!found) throw nb::python_error();
        return Encoders(std::move(capsule), found);
    }

    bool fits(const unsigned char* text, std::size_t size, std::size_t limit, std::size_t& count) const {
        return interface_->fits(interface_->engine, text, size, limit, &count);
    }
    Dropped<GrowingInterface> appending() const { return growing(interface_->appending); }
    Dropped<GrowingInterface> prepending() const { return growing(interface_->prepending); }
    // None where some of the text is in no token.
    Dropped<IntervalInterface> intervals(const unsigned char* text, std::size_t size) const {
        IntervalInterface made{};
        return interface_->intervals(interface_->engine, text, size, &made) ? Dropped(made) : Dropped<IntervalInterface>();
    }

private:
    Encoders(nb::object capsule, const EncodersInterface* found) : capsule_(std::move(capsule)), interface_(found) {}

    Dropped<GrowingInterface> growing(bool (*make)(const void*, GrowingInterface*)) const {
        GrowingInterface made{};
        if (!make(interface_->engine, &made)) throw std::bad_alloc();
        return Dropped(made);
    }

    nb::object capsule_;
    const EncodersInterface* interface_;
};

}  // namespace chunker::bindings
