#include "bpe/regex/determinizer.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace bpe::regex {

namespace {

constexpr unsigned most_ago = 200;       // characters that a match may wait for a look-ahead
constexpr std::size_t deepest = 60;      // lists within lists
constexpr std::size_t longest = 100000;  // entries of a state

[[noreturn]] void reaches_too_far() {
    throw UnsupportedPattern("a look-ahead or an atomic group that may have to see more than " + std::to_string(most_ago) + " characters before it is decided");
}

using EntryKind = Entry::Kind;

// A state as numbers: an entry is one number, or a bracket around lists.
enum : std::uint32_t {
    match_mark = 1u << 28,
    exit_mark = 2u << 28,
    look_mark = 3u << 28,
    atomic_mark = 4u << 28,
    then_mark = 5u << 28,
    end_mark = 6u << 28,
    marks = 7u << 28
};
enum : std::uint32_t { nonempty_flag = 1u << 31 };

void write(const List& list, Key& key) {
    for (Entry const& entry : list) {
        switch (entry.kind) {
        case EntryKind::thread: key.push_back(entry.value); continue;
        case EntryKind::match: key.push_back(match_mark | entry.value); continue;
        case EntryKind::exit: key.push_back(exit_mark); break;
        case EntryKind::look: key.push_back(look_mark | entry.value); break;
        case EntryKind::atomic: key.push_back(atomic_mark | entry.value); break;
        }
        write(entry.inside, key);
        if (!entry.then.empty()) {
            key.push_back(then_mark);
            write(entry.then, key);
        }
        key.push_back(end_mark);
    }
}

List read(const Key& key, std::size_t& place) {
    List list;
    while (place < key.size()) {
        std::uint32_t const number = key[place];
        std::uint32_t const mark = number & marks, value = number & ~marks;
        if (mark == end_mark || mark == then_mark) break;
        ++place;
        Entry entry;
        entry.value = value;
        if (mark == 0) {
            entry.kind = EntryKind::thread;
        } else if (mark == match_mark) {
            entry.kind = EntryKind::match;
        } else {
            entry.kind = mark == exit_mark ? EntryKind::exit : mark == look_mark ? EntryKind::look : EntryKind::atomic;
            entry.inside = read(key, place);
            if (key[place] == then_mark) {
                ++place;
                entry.then = read(key, place);
            }
            ++place;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

Determinizer::Determinizer(const Code& code, const Classes& classes) : code_(code), classes_(classes) {
    std::size_t const count = classes.count();
    for (Condition const& condition : code.conditions) {
        std::vector<bool> after(count + 1, true);
        if (condition.after != Condition::any) {
            for (std::size_t number = 0; number < count; ++number) after[number] = classes.members(condition.after).contains(number) != condition.after_negated;
            after[count] = condition.end_allowed;
        }
        after_holds_.push_back(std::move(after));
    }
    // Contexts: classes that no condition on the character before distinguishes.
    std::map<std::vector<bool>, unsigned> numbers;
    for (std::size_t number = 0; number <= count; ++number) {
        std::vector<bool> signature;
        for (Condition const& condition : code.conditions)
            signature.push_back(condition.before == Condition::any ? true
                                : number == count                  ? condition.start_allowed
                                                                   : classes.members(condition.before).contains(number) != condition.before_negated);
        auto const [found, is_new] = numbers.try_emplace(std::move(signature), static_cast<unsigned>(numbers.size()));
        context_of_.push_back(found->second);
    }
    context_count_ = numbers.size();
    before_holds_.assign(code.conditions.size(), std::vector<bool>(context_count_));
    for (auto const& [signature, context] : numbers)
        for (std::size_t condition = 0; condition < signature.size(); ++condition) before_holds_[condition][context] = signature[condition];

    // Backwards from the conditions, over instructions that read nothing. With bodies every state asks.
    std::size_t const size = code.instructions.size();
    asks_before_.assign(size, code.has_bodies && code.looks_behind);
    silent_before_.resize(size);
    if (code.has_bodies) return;
    std::vector<Index> open;
    for (Index index = 0; index < size; ++index) {
        Instruction const& instruction = code.instructions[index];
        if (instruction.kind == Instruction::Kind::split) silent_before_[instruction.argument].push_back(index);
        if (instruction.kind == Instruction::Kind::split || instruction.kind == Instruction::Kind::condition) silent_before_[instruction.next].push_back(index);
        if (instruction.kind == Instruction::Kind::condition && code.conditions[instruction.argument].before != Condition::any) {
            asks_before_[index] = true;
            open.push_back(index);
        }
    }
    while (!open.empty()) {
        Index const index = open.back();
        open.pop_back();
        for (Index const before : silent_before_[index])
            if (!asks_before_[before]) {
                asks_before_[before] = true;
                open.push_back(before);
            }
    }
}

Key Determinizer::start(unsigned context, bool nonempty) const {
    bool const asks = asks_before_[code_.start];
    std::uint32_t const flag = nonempty ? nonempty_flag : 0u;
    return {(asks ? context : 0u) | flag, code_.start};
}

// One step.
struct Determinizer::Walk {
    // The instructions that a list has tried. A second attempt at one cannot succeed first, unless the first is undone.
    struct Tried {
        explicit Tried(std::size_t size) : visited(size), taken(size) {}
        std::vector<bool> visited, taken;  // in this step; after a character
    };
    // A place in a list: what was tried around it, and what its success cuts off.
    struct Place {
        Tried* tried;
        Place* outside;                     // for a body: the place at which the text after it continues
        std::vector<Index> cut_off_by;      // threads of bodies around, whose success makes this list void
        std::vector<const List*> required;  // bodies of look-ahead around, all of which have to match
        std::size_t depth;
    };
    struct Undo {
        Tried* tried;
        bool taken;
        Index index;
    };

    const Determinizer& all;
    std::size_t class_number;
    unsigned context;
    bool nonempty;
    std::vector<Undo> log;
    std::size_t entries = 0;

    bool first(Tried& tried, bool taken, Index index) {
        auto&& mark = (taken ? tried.taken : tried.visited)[index];
        if (mark) return false;
        mark = true;
        if (all.code_.has_bodies) log.push_back({&tried, taken, index});
        return true;
    }

    void undo_to(std::size_t size) {
        for (; log.size() > size; log.pop_back()) (log.back().taken ? log.back().tried->taken : log.back().tried->visited)[log.back().index] = false;
    }

    // Appends; whether what follows in the list is cut off.
    bool add(List& out, Entry entry) {
        bool const cuts = entry.kind == EntryKind::match || entry.kind == EntryKind::exit;
        if (++entries > longest) throw UnsupportedPattern("the pattern needs too many threads at once");
        out.push_back(std::move(entry));
        return cuts;
    }

    bool add_all(List& out, List&& list) {
        bool cuts = false;
        for (Entry& entry : list) cuts = add(out, std::move(entry));
        return cuts;
    }

    static bool succeeds(const List& body) { return !body.empty() && body.back().kind == EntryKind::exit; }

    // Everything that is reached from `start` before the character, moved over it. Whether what follows in the list is cut off.
    bool expand(Index start, List& out, Place& place) {
        std::vector<Index> open{start};
        while (!open.empty()) {
            Index const index = open.back();
            open.pop_back();
            if (!first(*place.tried, false, index)) continue;
            ++all.work_;
            Instruction const& instruction = all.code_.instructions[index];
            switch (instruction.kind) {
            case Instruction::Kind::character:
                if (class_number < all.classes_.count() && all.classes_.members(instruction.argument).contains(class_number)) {
                    Index const next = instruction.next;
                    if (std::find(place.cut_off_by.begin(), place.cut_off_by.end(), next) != place.cut_off_by.end()) break;
                    if (first(*place.tried, true, next) && add(out, {EntryKind::thread, next, {}, {}})) return true;
                }
                break;
            case Instruction::Kind::split:
                open.push_back(instruction.argument);
                open.push_back(instruction.next);
                break;
            case Instruction::Kind::condition:
                if (all.holds(instruction.argument, context, class_number)) open.push_back(instruction.next);
                break;
            case Instruction::Kind::match:
                if (!nonempty) return add(out, {EntryKind::match, 1, {}, {}});
                break;
            case Instruction::Kind::exit: {
                Instruction const& body = all.code_.instructions[instruction.argument];
                Entry exit{EntryKind::exit, 0, {}, {}};
                if (body.kind == Instruction::Kind::atomic) leave(exit.then, out, place, [&](Place& outside) { expand(body.next, exit.then, outside); });
                return add(out, std::move(exit));
            }
            case Instruction::Kind::look: {
                // A body that is decided immediately needs no entry.
                List body;
                inside(place, {}, [&](Place& within) { expand(instruction.argument, body, within); });
                if (body.empty() || succeeds(body)) {
                    if (succeeds(body) != instruction.negated) open.push_back(instruction.next);
                    break;
                }
                Entry entry{EntryKind::look, index, std::move(body), {}};
                if (look(std::move(entry), instruction.negated, out, place, [&](List& then, Place& under) { expand(instruction.next, then, under); }))
                    return true;
                break;
            }
            case Instruction::Kind::atomic: {
                Entry entry{EntryKind::atomic, index, {}, {}};
                std::size_t const before = log.size();
                inside(place, place.cut_off_by, [&](Place& within) { expand(instruction.argument, entry.inside, within); });
                if (close_atomic(std::move(entry), out, before)) return true;
                break;
            }
            }
        }
        return false;
    }

    // Moves a list over the character.
    bool move(const List& list, List& out, Place& place) {
        for (Entry const& entry : list) {
            bool cuts = false;
            switch (entry.kind) {
            case EntryKind::thread: cuts = expand(entry.value, out, place); break;
            case EntryKind::match:
                if (entry.value >= most_ago) reaches_too_far();
                cuts = add(out, {EntryKind::match, entry.value + 1, {}, {}});
                break;
            case EntryKind::exit: {
                Entry moved{EntryKind::exit, 0, {}, {}};
                leave(moved.then, out, place, [&](Place& outside) { move(entry.then, moved.then, outside); });
                cuts = add(out, std::move(moved));
                break;
            }
            case EntryKind::look: {
                bool const negated = all.code_.instructions[entry.value].negated;
                Entry moved{EntryKind::look, entry.value, {}, {}};
                inside(place, negated ? place.cut_off_by : std::vector<Index>(), [&](Place& within) { move(entry.inside, moved.inside, within); });
                cuts = look(std::move(moved), negated, out, place, [&](List& then, Place& under) { move(entry.then, then, under); });
                break;
            }
            case EntryKind::atomic: {
                Entry moved{EntryKind::atomic, entry.value, {}, {}};
                std::size_t const before = log.size();
                inside(place, place.cut_off_by, [&](Place& within) { move(entry.inside, moved.inside, within); });
                cuts = close_atomic(std::move(moved), out, before);
                break;
            }
            }
            if (cuts) return true;
        }
        return false;
    }

    // Calls with the place of the body of an entry that stands at `place`.
    template <class Call>
    void inside(Place& place, std::vector<Index> cut_off_by, Call&& call) {
        if (place.depth >= deepest) reaches_too_far();
        bodies.push_back(std::make_unique<Tried>(all.code_.instructions.size()));
        Place within{bodies.back().get(), &place, std::move(cut_off_by), {}, place.depth + 1};
        call(within);
    }

    // Calls with the place of what follows an atomic group whose body, at `place`, was left; `out` are the threads of the body before.
    template <class Call>
    void leave(List& then, const List& out, Place& place, Call&& call) {
        if (!place.outside) return;
        (void)then;
        Place& around = *place.outside;
        Place outside{around.tried, around.outside, around.cut_off_by, around.required, around.depth + 1};
        if (outside.depth >= deepest) reaches_too_far();
        for (Entry const& entry : out)
            if (entry.kind == EntryKind::thread) outside.cut_off_by.push_back(entry.value);
        call(outside);
    }

    template <class Then>
    bool look(Entry entry, bool negated, List& out, Place& place, Then&& then) {
        List const& body = entry.inside;
        bool decided = body.empty() || succeeds(body), holds = decided && succeeds(body) != negated;
        if (!decided && !negated && std::any_of(place.required.begin(), place.required.end(), [&](const List* other) { return *other == body; }))
            decided = holds = true;
        if (decided) {
            if (!holds) return false;
            List list;
            then(list, place);
            return add_all(out, std::move(list));
        }
        Place under{place.tried, place.outside, place.cut_off_by, place.required, place.depth + 1};
        if (under.depth >= deepest) reaches_too_far();
        if (negated) {
            for (Entry const& thread : body)
                if (thread.kind == EntryKind::thread) under.cut_off_by.push_back(thread.value);
        } else {
            under.required.push_back(&body);
        }
        std::size_t const before = log.size();
        then(entry.then, under);
        undo_to(before);
        return !entry.then.empty() && add(out, std::move(entry));
    }

    bool close_atomic(Entry entry, List& out, std::size_t before) {
        List& body = entry.inside;
        if (!body.empty() && body[0].kind == EntryKind::exit) return add_all(out, std::move(body[0].then));
        undo_to(before);
        if (!body.empty() && body.back().kind == EntryKind::exit && body.back().then.empty()) body.pop_back();
        return !body.empty() && add(out, std::move(entry));
    }

    std::vector<std::unique_ptr<Tried>> bodies;
};

Determinizer::Step Determinizer::step(const Key& key, std::size_t class_number) const {
    std::size_t place = 1;
    List const list = read(key, place);
    Walk walk{*this, class_number, key[0] & ~nonempty_flag, (key[0] & nonempty_flag) != 0, {}, 0, {}};
    Walk::Tried tried(code_.instructions.size());
    Walk::Place root{&tried, nullptr, {}, {}, 0};
    List moved;
    walk.move(list, moved, root);
    work_ += list.size() + 4 * walk.entries + (walk.bodies.size() + 1) * (code_.instructions.size() / 64 + 4);
    Step result;
    if (!moved.empty() && moved.back().kind == EntryKind::match) {
        result.match = moved.back().value;
        moved.pop_back();
    }
    if (moved.empty() || class_number == classes_.count()) return result;
    bool const asks =
        code_.looks_behind && (code_.has_bodies || std::any_of(moved.begin(), moved.end(), [this](const Entry& entry) { return asks_before_[entry.value]; }));
    result.key.push_back(asks ? context_of_[class_number] : 0);
    write(moved, result.key);
    return result;
}

}  // namespace bpe::regex
