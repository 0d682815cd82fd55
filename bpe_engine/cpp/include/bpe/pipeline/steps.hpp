// Normalizers in a row, as a tokenizer.json lists them.
//
// Text is worked on as a list of characters that know where they come from, step by step. That is some hundred nanoseconds a character, and few need it: for
// most a table says what becomes of them, whatever stands around ("É" under BERT's steps is "e"), or that nothing does (most letters under NFC). Only what lies
// between such characters goes through the steps.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bpe/pipeline/charsmap.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/regex/program.hpp"

namespace bpe {

// Steps make a text longer than any sensible ones do.
class GrowthError : public std::runtime_error {
public:
    GrowthError(std::size_t most, std::size_t size) : std::runtime_error("the text grows too much"), most(most), size(size) {}
    std::size_t most, size;  // characters: that may be made, of so many
};

struct NormalizationStep {
    enum class Kind : std::uint8_t {
        decompose,        // NFD, or NFKD
        compose,          // NFC, or NFKC
        lower,            // each character by itself: no final sigma
        strip_accents,    // without marks
        strip,            // without white space, or `members`, at the start (`left`) and the end (`right`) of a region
        prepend,          // `content` before each region that is not empty
        prepend_unless,   // the same where it does not begin with `content`
        replace,          // `content` in place of each `pattern`, from left to right
        replace_members,  // `content` in place of each character of `members`
        surround,         // `content` before and after each character of `members`
        replace_matches,  // `content` in place of each match of `program`, from left to right
        charsmap,         // what `charsmap` has in place of a grapheme cluster of less than six bytes, or of a character
    };
    Kind kind;
    bool compatible = false;           // of decompose and compose
    bool left = false, right = false;  // of strip
    bool first_only = false;           // of prepend_unless: only where the whole text begins
    std::u32string pattern = {}, content = {};
    std::u32string members = {};                              // the first and the last of each run of characters, ascending
    std::shared_ptr<const regex::Program> program = nullptr;  // neither looks around itself nor matches nothing
    // Of replace_matches: it matches each whole run of this character alone, or of white space, of at least so many, and nothing else. 0: it may match
    // anything.
    std::size_t least_run = 0;
    char32_t run_of = 0;
    bool of_white_space = false;  // `run_of` is a space
    std::shared_ptr<const Charsmap> charsmap = nullptr;
    bool has_member(char32_t code) const;
};

class StepNormalizer final : public Normalizer {
public:
    explicit StepNormalizer(std::vector<NormalizationStep> steps);

    bool keeps(Bytes part, bool at_start, bool is_first) const override;
    Image image(char32_t code) const override;
    bool parts_known() const override { return has_table_; }
    // In a cluster an ASCII character is the first, unless one stands before it that binds.
    bool parts_before(char32_t code) const override { return has_table_ && (!by_clusters_ || (code < 128 && code != '\n')); }
    bool has_lonely() const override { return !lonely_.empty(); }
    bool drops(char32_t code) const override;
    bool acts_at_start() const override { return acts_at_start_; }
    std::shared_ptr<const Normalizer> before_nonblank() const override;
    std::uint8_t order(char32_t code) const override;
    std::u32string marks(char32_t code) const override;
    bool orders_marks() const override { return orders_marks_; }
    std::size_t most_shrunk() const override;
    const SettlingRun* settling_run(char32_t code, Side side, bool at_start) const override {
        std::call_once(runs_once_,
                       [this] { runs_ = {settling_runs(Place::between), settling_runs(Place::start), settling_runs(Place::end), stripped_marks()}; });
        if (side == Side::right && runs_.at_end.has(code)) return &runs_.at_end;
        if (side == Side::left && at_start && runs_.at_start.has(code)) return &runs_.at_start;
        for (SettlingRun const* const run : {&runs_.between, &runs_.stripped})
            if (run->has(code)) return run;
        return nullptr;
    }
    std::size_t run(const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool is_first, bool at_end, std::size_t base,
                    Normalized& out) const override;

private:
    struct Item {
        char32_t code;         // a byte that is no UTF-8 is 0x110000 and more
        std::uint32_t origin;  // offset in the raw text
        std::uint32_t cut;     // the offset at which the raw text can be cut before it; `no_cut`: nowhere
    };
    using Items = std::vector<Item>;
    static constexpr std::uint32_t no_cut = Normalized::no_cut;
    // A character before which the raw text can be cut.
    static Item item_at(char32_t code, std::size_t offset) { return {code, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset)}; }
    static bool is_cut(const Item& item) { return item.cut != no_cut; }
    enum class Ease : std::uint8_t { hard, stays, table };

    // The position of a run: anywhere, or at the start or the end of a region.
    enum class Place : std::uint8_t { between, start, end };
    SettlingRun settling_runs(Place place) const;
    SettlingRun stripped_marks() const;
    std::size_t settled_spaces(Place place) const;
    // The result of a run there, for any text on its other side; nothing if it grows too much.
    std::optional<std::vector<std::u32string>> made_of_run(Place place, const std::u32string& run) const;
    bool is_in_pattern_without_space(char32_t code) const;
    // The images of 256 consecutive characters: the UTF-8 that each is normalized to.
    struct Block {
        std::string images;  // one after the other; empty for one that depends on its neighbours
        std::array<std::uint16_t, 257> ends{};
        std::array<std::uint64_t, 4> stays{};  // a bit for each character beyond ASCII
        std::string_view image(char32_t code) const {
            return {images.data() + ends[code & 0xFF], static_cast<std::size_t>(ends[(code & 0xFF) + 1] - ends[code & 0xFF])};
        }
        void add(char32_t code, const std::vector<Byte>& image);
    };
    static constexpr std::size_t block_size = 256, blocks = 0x10000 / block_size;
    const Block& block(char32_t code) const {
        Block const* const known = blocks_[code / block_size].load(std::memory_order_acquire);
        return known ? *known : keep(code, make_block(code / block_size * block_size, nullptr));
    }
    void make_table();
    // `texts`: those of each step that is a charsmap.
    std::vector<char32_t> blocks_to_look_at(const std::vector<Charsmap::Texts>& texts) const;
    // `lonely`: where lonely characters are noted, if there may be any.
    std::unique_ptr<Block> make_block(char32_t begin, std::vector<std::uint64_t>* lonely) const;
    const Block& keep(char32_t code, std::unique_ptr<Block> made) const;
    bool treats_alike(char32_t first, char32_t last) const;
    // A step that looks at more than one character of its kind, or at the end of a region, and the origin of such a character.
    struct Watched {
        std::size_t step;
        std::uint32_t origin;
    };
    // From the step `first` on.
    void apply(Items& items, bool at_start, bool is_first, bool at_end, std::vector<Watched>* watched = nullptr, std::size_t first = 0) const;
    bool can_have_table() const;
    void find_lonely(const std::vector<Charsmap::Texts>& texts);
    bool begins_alike(char32_t code) const;
    bool can_order_marks() const;
    // Whether a character leaves something that is lonely, at its end at least.
    bool is_lonely(char32_t code) const { return !lonely_.empty() && code < 0x10000 && (lonely_[code >> 6] >> (code & 63) & 1); }
    bool leaves_nonblank(Items items, std::size_t first) const;
    static void change_form(Items& items, bool compose, bool compatible);
    static void lower(Items& items);
    static void strip(Items& items, const NormalizationStep& step, bool at_start, bool at_end);
    static void prepend(Items& items, const NormalizationStep& step, bool is_first);
    static void replace(Items& items, const NormalizationStep& step, bool at_end);
    static void replace_members(Items& items, const NormalizationStep& step);
    static void put_in_place(const Items& items, std::size_t first, std::size_t last, const NormalizationStep& step, Items& changed);
    static void replace_runs(Items& items, const NormalizationStep& step);
    static void replace_matches(Items& items, const NormalizationStep& step, bool at_end);
    static void map_clusters(Items& items, const Charsmap& charsmap, bool at_start);
    Ease ease_of(char32_t code) const;
    std::size_t cut_in_dropped(const Items& items) const;
    std::size_t write_easy(const Byte* raw, std::size_t place, std::size_t limit, bool at_end, std::size_t base, Normalized& out) const;
    static void write(const Items& items, Normalized& out);

    std::vector<NormalizationStep> steps_;
    bool acts_at_start_ = false, has_table_ = false, keeps_ascii_ = false, by_clusters_ = false, only_forms_ = false, drops_marks_ = false,
         orders_marks_ = false;
    bool letter_stays_ = false;  // whether 'a', which stands between the characters that a block is made of, stays as it is
    // Of the basic plane, each made when one of its characters is met.
    mutable std::array<std::atomic<const Block*>, blocks> blocks_{};
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<const Block>> kept_;
    std::vector<std::uint64_t> lonely_;       // a bit for each character of the basic plane; empty: none is
    bool clusters_leave_nonblank_ = true;     // no cluster that stands in a charsmap leaves nothing, or something lonely
    std::array<std::int16_t, 128> single_{};  // of an ASCII character, where that is one ASCII character; else -1, or -2 where it is not known
    // Made when a text grows.
    struct SettlingRuns {
        SettlingRun between, at_start, at_end, stripped;
    };
    mutable SettlingRuns runs_;
    mutable std::once_flag runs_once_;
};

}  // namespace bpe
