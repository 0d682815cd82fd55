// The model of byte-pair encoding, from tokens and merges or ranks, and the matcher of where no token reaches over.
#include "bpe/models/merges.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bpe/files/tokenizer_files.hpp"
#include "bpe/pipeline/byte_matcher.hpp"
#include "bpe/pipeline/touching.hpp"
#include "pipeline_parts.hpp"

namespace bpe::bindings {

namespace {

MergeModel::Options merge_options(bool by_characters, bool ignore_merges, nb::handle unknown, bool fuse_unknown, const std::string& continuing_prefix,
                                  const std::string& end_suffix, nb::dict byte_fallback) {
    MergeModel::Options options;
    options.by_characters = by_characters;
    options.ignore_merges = ignore_merges;
    options.fuse_unknown = fuse_unknown;
    options.continuing_prefix = continuing_prefix;
    options.end_suffix = end_suffix;
    options.byte_fallback.fill(-1);
    if (PyUnicode_Check(unknown.ptr())) {
        auto const name = checked<std::string>(unknown);
        if (name != "error" && name != "drop") throw nb::value_error("unknown is an id, \"error\" or \"drop\"");
        options.unknown = name == "drop" ? MergeModel::Unknown::drop : MergeModel::Unknown::error;
    } else {
        options.unknown = MergeModel::Unknown::token;
        options.unknown_id = checked<std::uint32_t>(unknown);
    }
    for (auto const& [byte, id] : byte_fallback) {
        auto const value = checked<std::uint32_t>(byte);
        if (value > 255) throw nb::value_error("byte fallback is from bytes");
        options.byte_fallback[value] = checked<std::uint32_t>(id);
    }
    return options;
}

std::shared_ptr<MergeModel> merge_model(nb::list tokens, nb::sequence ids, nb::object merges, nb::object ranks, bool by_characters, bool ignore_merges,
                                        nb::object unknown, bool fuse_unknown, const std::string& continuing_prefix, const std::string& end_suffix,
                                        nb::dict byte_fallback) {
    auto const numbers = checked<std::vector<std::uint32_t>>(ids);
    if (numbers.size() != nb::len(tokens)) throw nb::value_error("as many ids as tokens");
    std::vector<MergeModel::Token> all;
    all.reserve(numbers.size());
    for (nb::handle token : tokens) all.push_back({bytes_of(token), numbers[all.size()]});
    MergeModel::Options const options = merge_options(by_characters, ignore_merges, unknown, fuse_unknown, continuing_prefix, end_suffix, byte_fallback);
    std::shared_ptr<MergeModel> made;
    if (!merges.is_none()) {
        std::vector<MergeModel::Merge> list;
        list.reserve(nb::len(merges));
        for (nb::handle merge : merges) {
            auto const [left, right] = checked<std::pair<std::uint32_t, std::uint32_t>>(merge);
            list.push_back({left, right});
        }
        try {
            made = std::make_shared<MergeModel>(all, list, options);
        } catch (const MergeModel::NoToken& error) {
            std::string const message = "merge " + std::to_string(error.place);
            nb::object const text = by_characters ? decoded({reinterpret_cast<const Byte*>(error.text.data()), error.text.size()}, "surrogatepass")
                                                  : nb::object(nb::bytes(error.text.data(), error.text.size()));
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("VocabularyError");
            PyErr_Format(type.ptr(), "%s makes %.80R, which is not a token", message.c_str(), text.ptr());
            throw nb::python_error();
        }
    } else {
        auto const given = checked<std::vector<std::uint32_t>>(ranks);
        if (given.size() != all.size()) throw nb::value_error("as many ranks as tokens");
        made = MergeModel::by_ranks(all, given, options);
    }
    return made;
}

// The merges of tables make tokens of theirs: whoever read them looked.
std::shared_ptr<MergeModel> merge_model_of_tables(const files::TokenTables& tables, bool by_characters, bool ignore_merges, nb::object unknown,
                                                  bool fuse_unknown, const std::string& continuing_prefix, const std::string& end_suffix,
                                                  nb::dict byte_fallback) {
    MergeModel::Options const options = merge_options(by_characters, ignore_merges, unknown, fuse_unknown, continuing_prefix, end_suffix, byte_fallback);
    std::vector<MergeModel::Token> tokens;
    tokens.reserve(tables.size());
    for (std::size_t number = 0; number < tables.size(); ++number) tokens.push_back({tables.text(number), tables.id(number)});
    if (!tables.ranks().empty()) return MergeModel::by_ranks(tokens, tables.ranks(), options);
    std::vector<MergeModel::Merge> merges;
    merges.reserve(tables.merges().size());
    for (auto const& [left, right] : tables.merges()) merges.push_back({left, right});
    try {
        return std::make_shared<MergeModel>(tokens, merges, options);
    } catch (const MergeModel::NoToken& error) {
        throw nb::value_error(("merge " + std::to_string(error.place) + " makes no token").c_str());
    }
}

}  // namespace

void define_merge_model(nb::module_& module) {
    nb::class_<MergeModel, PieceModel>(module, "MergeModel", "Byte-pair encoding of any kind.")
        .def_static("create", &merge_model, nb::arg("tokens"), nb::arg("ids"), nb::arg("merges").none(), nb::arg("ranks").none(), nb::kw_only(),
                    nb::arg("by_characters"), nb::arg("ignore_merges"), nb::arg("unknown"), nb::arg("fuse_unknown"), nb::arg("continuing_prefix"),
                    nb::arg("end_suffix"), nb::arg("byte_fallback"),
                    nb::sig("def create(tokens: list[bytes], ids: collections.abc.Sequence[int], merges: collections.abc.Sequence[tuple[int, int]] | None, "
                            "ranks: collections.abc.Sequence[int] | None, *, by_characters: bool, ignore_merges: bool, unknown: int | str, fuse_unknown: bool, "
                            "continuing_prefix: str, end_suffix: str, byte_fallback: dict[int, int]) -> MergeModel"),
                    "From tokens and their ids; and from pairs of ids that merge, the best first, or from the ranks of the tokens (4294967295: none).")
        .def_static("of_tables", &merge_model_of_tables, nb::arg("tables"), nb::kw_only(), nb::arg("by_characters"), nb::arg("ignore_merges"),
                    nb::arg("unknown"), nb::arg("fuse_unknown"), nb::arg("continuing_prefix"), nb::arg("end_suffix"), nb::arg("byte_fallback"),
                    nb::sig("def of_tables(tables: TokenTables, *, by_characters: bool, ignore_merges: bool, unknown: int | str, fuse_unknown: bool, "
                            "continuing_prefix: str, end_suffix: str, byte_fallback: dict[int, int]) -> MergeModel"),
                    "From the tokens and the merges or ranks of a file.")
        .def(
            "never_made",
            [](const MergeModel& self) {
                nb::list ids;
                for (std::uint32_t const id : self.never_made()) ids.append(id);
                return ids;
            },
            nb::sig("def never_made(self) -> list[int]"), "The ids of the tokens that merging does not make of their own bytes or characters.")
        .def(
            "touching",
            [](std::shared_ptr<MergeModel> self) -> std::optional<SharedMatcher> {
                if (!self->tells_joins()) return std::nullopt;
                return SharedMatcher{std::make_shared<const TouchMatcher>(std::move(self))};
            },
            "Finds where no token reaches over; None where that cannot be known.");
    nb::class_<SharedMatcher>(module, "Matcher", "Finds where a pre-tokenizer cuts.")
        .def_static(
            "of_expression",
            [](const std::string& source) -> std::optional<SharedMatcher> {
                auto program = regex::Program::compile(source);
                if (program->looks_behind() || program->matches_empty()) return std::nullopt;
                return SharedMatcher{std::make_shared<const ExpressionMatcher>(std::move(program))};
            },
            nb::arg("source"),
            "From a regular expression as the `regex` package has it; None where it looks behind or matches nothing, which a chain that begins anew at cuts "
            "cannot do.")
        .def_static(
            "of_bytes",
            [](nb::bytes members) {
                return SharedMatcher{std::make_shared<const ByteMatcher>(Bytes{reinterpret_cast<const Byte*>(members.c_str()), members.size()})};
            },
            nb::arg("members"), "Finds single bytes, also inside of characters.");
}

}  // namespace bpe::bindings
