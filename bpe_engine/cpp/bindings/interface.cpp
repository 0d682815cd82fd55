#include "interface.hpp"

#include <exception>
#include <memory>
#include <optional>

#include "bpe/appending.hpp"
#include "bpe/encoders_interface.hpp"
#include "bpe/interval.hpp"
#include "bpe/limits.hpp"
#include "bpe/pipeline/growing.hpp"
#include "bpe/pipeline/slices.hpp"
#include "bpe/prepending.hpp"

namespace bpe::bindings {

namespace {

std::optional<std::size_t> count_up_to(const Pipeline& pipeline, Bytes text, std::size_t limit) { return pipeline.count_up_to(text, limit); }

// Of an Encoder or a Pipeline, with its encoders.
template <class Encoder, class Appending, class Prepending, class Intervals>
class Interface {
public:
    // `self` keeps `encoder` where it is.
    static nb::object of(nb::handle self, const std::shared_ptr<const Encoder>& encoder) {
        auto made = std::make_unique<EncodersInterface>(EncodersInterface{
            &encoder,
            [](const void* engine, const unsigned char* text, std::size_t size, std::size_t limit, std::size_t* count) {
                return tries([&] {
                    auto const found = count_up_to(*encoder_of(engine), Bytes{text, size}, limit);
                    *count = found.value_or(0);
                    return found.has_value();
                });
            },
            [](const void* engine, GrowingInterface* made) { return tries([&] { return *made = growing<Appending>(encoder_of(engine)), true; }); },
            [](const void* engine, GrowingInterface* made) { return tries([&] { return *made = growing<Prepending>(encoder_of(engine)), true; }); },
            [](const void* engine, const unsigned char* text, std::size_t size, IntervalInterface* made) {
                return tries([&] { return *made = intervals(encoder_of(engine), {text, size}), true; });
            },
        });
        nb::object capsule = nb::steal(PyCapsule_New(made.get(), encoders_interface_name, [](PyObject* capsule) {
            delete static_cast<EncodersInterface*>(PyCapsule_GetPointer(capsule, encoders_interface_name));
            Py_XDECREF(static_cast<PyObject*>(PyCapsule_GetContext(capsule)));
        }));
        if (!capsule.is_valid()) throw nb::python_error();
        made.release();
        if (PyCapsule_SetContext(capsule.ptr(), self.ptr()) != 0) throw nb::python_error();
        self.inc_ref();
        return capsule;
    }

private:
    static const std::shared_ptr<const Encoder>& encoder_of(const void* engine) { return *static_cast<const std::shared_ptr<const Encoder>*>(engine); }

    // No exception crosses the interface.
    template <class Work>
    static bool tries(Work&& work) {
        try {
            return work();
        } catch (const std::exception&) {
            return false;
        }
    }

    template <class Core>
    struct Growing {
        explicit Growing(const std::shared_ptr<const Encoder>& encoder) : core(encoder) {}
        Core core;
        typename Core::State empty = core.state(), kept = empty;
    };
    static void grow(Appending& core, Bytes text) { core.append(text); }
    static void grow(Prepending& core, Bytes text) { core.prepend(text); }

    template <class Core>
    static GrowingInterface growing(const std::shared_ptr<const Encoder>& encoder) {
        using Made = Growing<Core>;
        static constexpr auto of = [](void* encoder) -> Made& { return *static_cast<Made*>(encoder); };
        return {
            new Made(encoder),
            [](void* encoder) noexcept { delete static_cast<Made*>(encoder); },
            [](void* encoder) noexcept { of(encoder).core.return_to(of(encoder).kept = of(encoder).empty); },
            [](void* encoder, const unsigned char* text, std::size_t size, std::size_t* count) {
                return tries([&] {
                    grow(of(encoder).core, {text, size});
                    *count = of(encoder).core.count();
                    return true;
                });
            },
            [](void* encoder) noexcept { of(encoder).kept = of(encoder).core.state(); },
            [](void* encoder) noexcept { of(encoder).core.return_to(of(encoder).kept); },
        };
    }

    static IntervalInterface intervals(const std::shared_ptr<const Encoder>& encoder, Bytes text) {
        return {
            new Intervals(encoder, text),
            [](void* encoder) noexcept { delete static_cast<Intervals*>(encoder); },
            [](const void* encoder, std::size_t start, std::size_t end, std::size_t* count) {
                return tries([&] { return *count = static_cast<const Intervals*>(encoder)->count(start, end), true; });
            },
            [](const void* encoder, const unsigned char* before, std::size_t size, std::size_t start, std::size_t* from, std::ptrdiff_t* shift) {
                return tries([&] {
                    auto const found = static_cast<const Intervals*>(encoder)->agreement(start, {before, size});
                    if (found) *from = found->from, *shift = found->shift;
                    return found.has_value();
                });
            },
            [](const void* encoder, std::size_t start) noexcept { return static_cast<const Intervals*>(encoder)->begins_after_line(start); },
            [](const void* encoder, std::size_t start, std::size_t tokens) noexcept { return static_cast<const Intervals*>(encoder)->reach(start, tokens); },
            [](const void* encoder, std::size_t end, std::size_t tokens) noexcept { return static_cast<const Intervals*>(encoder)->reach_back(end, tokens); },
        };
    }
};

}  // namespace

nb::object interface_of(nb::handle self, const Engine& engine) {
    return Interface<Encoder, AppendingEncoder, PrependingEncoder, IntervalEncoder>::of(self, engine.encoder());
}

nb::object interface_of(nb::handle self, const PipelineEngine& engine) {
    return Interface<Pipeline, PipelineAppendingEncoder, PipelinePrependingEncoder, PipelineIntervalEncoder>::of(self, engine.encoder());
}

}  // namespace bpe::bindings
