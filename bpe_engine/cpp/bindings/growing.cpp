// The appending and the prepending encoder, as classes of the module.
#include "growing.hpp"

#include "growing_moves.hpp"
#include "references.hpp"

namespace bpe::bindings {

namespace {

template <class Core>
nb::class_<Growing<Core>> define(nb::module_& module, const char* name, const char* grow, const char* signature, const char* doc, const char* grow_doc) {
    using Bound = Growing<Core>;
    nb::class_<Bound> bound(module, name, nb::type_slots(references::shown<Bound>), doc);
    if constexpr (std::is_same_v<typename Bound::Owner, Engine>)
        bound.def("__init__", [](Bound* self, nb::object tokenizer) { new (self) Bound(tokenizer, tokenizer); }, nb::arg("tokenizer"));
    else
        bound.def(
            "__init__", [](Bound* self, nb::object tokenizer, nb::object engine) { new (self) Bound(tokenizer, engine); }, nb::arg("tokenizer"),
            nb::arg("engine"), nb::sig("def __init__(self, tokenizer: object, engine: Pipeline) -> None"));
    bound.def(grow, &Bound::grow, nb::lock_self(), nb::arg("text").none(), nb::sig(signature), grow_doc)
        .def_prop_ro("count", &Bound::count, nb::lock_self(), "The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time.")
        .def_prop_ro("fewest", &Bound::fewest, nb::lock_self(), "A lower bound for the count of this text and of whatever it may grow to.")
        .def_prop_ro("text", &Bound::text, nb::lock_self(), nb::sig("def text(self) -> str"),
                     "The text as the tokenizer sees it; bytes that are not UTF-8 show as U+FFFD. Linear time.")
        .def_prop_ro("data", &Bound::data, nb::lock_self(), "The text as bytes, exactly. Linear time.")
        .def("tokens", &Bound::tokens, nb::lock_self(), nb::sig("def tokens(self) -> list[int]"),
             "The token ids of the text, as a list: equal to `tokenizer.encode(encoder.data)`. Linear time.")
        .def("snapshot", &Bound::snapshot, nb::lock_self(),
             "A mark of the text as it is now. Constant time, and some 100 bytes until a rollback goes back before it.")
        .def("rollback", &Bound::rollback, nb::lock_self(), nb::arg("mark").none(), nb::sig("def rollback(self, mark: Mark) -> None"),
             "Return to the text as it was when the mark was taken. The mark stays good, the ones taken after it do not.")
        .def("__reduce__", &Bound::reduce, nb::lock_self(), nb::sig("def __reduce__(self) -> tuple[object, ...]"));
    return bound;
}

// Tokens as such, ids that grow, other texts.
template <class Core>
void define_ids(nb::class_<Growing<Core>>& bound) {
    using Bound = Growing<Core>;
    // A second signature, for an argument with a default takes a tenth of the time of a short append.
    bound
        .def("append", &Bound::append, nb::lock_self(), nb::arg("text").none(), nb::arg("allowed_special").none(),
             nb::sig("def append(self, text: str | bytes, allowed_special: object) -> None"), "The same, with special tokens found in `text` alone.")
        .def("append_token", &Bound::append_token, nb::lock_self(), nb::arg("id").none(), nb::sig("def append_token(self, id: int) -> None"),
             "Add a token as such: nothing merges over its ends.")
        .def("ids", &Bound::ids, nb::lock_self(), nb::sig("def ids(self) -> memoryview"), "The token ids of the text, as unsigned 32-bit integers.")
        .def("changes", &Bound::changes, nb::lock_self(), nb::sig("def changes(self) -> tuple[int, memoryview]"),
             "From which id on something has changed since the last call, and the ids from there on.")
        .def("move_to", &Bound::move_to, nb::lock_self(), nb::arg("text").none(), nb::arg("allowed_special") = nb::tuple(),
             nb::sig("def move_to(self, text: str | bytes, allowed_special: object = ()) -> None"), "Go to another text by the longest common prefix.")
        .def("common_prefix", &Bound::common_with, nb::lock_self(), nb::arg("text").none(),
             nb::sig("def common_prefix(self, text: str | bytes) -> tuple[int, int]"), "Bytes and characters that this text and another both begin with.")
        .def("common_prefix_of", &Bound::common_with_parts, nb::lock_self(), nb::arg("parts").none(),
             nb::sig("def common_prefix_of(self, parts: typing.Iterable[str]) -> tuple[int, int, str]"),
             "Bytes and characters that this text and the joined parts both begin with, and the rest of the other text.")
        .def("text_before", &Bound::text_before, nb::lock_self(), nb::arg("length").none(), nb::arg("characters").none(),
             nb::sig("def text_before(self, length: int, characters: int) -> str"), "The last `characters` characters of the first `length` bytes.")
        .def("replace_tail", &Bound::replace_tail, nb::lock_self(), nb::arg("length").none(), nb::arg("parts").none(),
             nb::sig("def replace_tail(self, length: int, parts: object) -> None"), "Keep the first `length` bytes, and go on with texts and tokens as such.")
        .def("fork", &Bound::fork, nb::lock_self(), nb::sig("def fork(self) -> typing.Self"), "An independent encoder over the same text, without marks.")
        .def("_put_token", &Bound::put_token, nb::lock_self(), nb::arg("id").none(), nb::arg("written").none(),
             nb::sig("def _put_token(self, id: int, written: bytes) -> None"), "Add a token as such that is written in another way.");
}

template <class Core>
void define_fitting(nb::class_<Growing<Core>>& bound) {
    bound.def("append_fitting", &Growing<Core>::grow_fitting, nb::lock_self(), nb::arg("text").none(), nb::arg("cuts").none(), nb::arg("limit").none(),
              nb::arg("slack").none() = 0,
              nb::sig("def append_fitting(self, text: str, cuts: collections.abc.Sequence[int], limit: int, slack: int = 0) -> tuple[list[int], bool]"),
              "Add text[cuts[0]:cuts[1]], text[cuts[1]:cuts[2]] and so on, up to the last cut at which the count is at most `limit`.");
}

}  // namespace

void define_growing(nb::module_& module) {
    nb::class_<Mark>(module, "Mark", "A place that `rollback` can return to.");
    auto appending =
        define<AppendingEncoder>(module, "AppendingEncoder", "append", "def append(self, text: str | bytes) -> None",
                                 "A text that grows to the right, and its count.", "Add `text` at the end. Amortized time proportional to its length.");
    define<PrependingEncoder>(module, "PrependingEncoder", "prepend", "def prepend(self, text: str | bytes) -> None",
                              "A text that grows to the left, and its count.", "Add `text` at the start. Amortized time proportional to its length.");
    auto pipeline_appending =
        define<PipelineAppendingEncoder>(module, "PipelineAppendingEncoder", "append", "def append(self, text: str | bytes) -> None",
                                         "A text that grows to the right, and its count.", "Add `text` at the end. Amortized time proportional to its length.");
    define<PipelinePrependingEncoder>(module, "PipelinePrependingEncoder", "prepend", "def prepend(self, text: str | bytes) -> None",
                                      "A text that grows to the left, and its count.", "Add `text` at the start. Amortized time proportional to its length.");
    define_ids(appending);
    define_ids(pipeline_appending);
    define_fitting(appending);
    define_fitting(pipeline_appending);
}

}  // namespace bpe::bindings
