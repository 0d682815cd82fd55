// Workspaces that threads take and put back: a single thread gets the same warm workspace each time, and two threads never share one.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace bpe {

template <class Workspace>
class Shelf {
public:
    using Make = std::function<std::unique_ptr<Workspace>()>;
    // A template, whose constraint is not checked before it is called: a class may have a shelf of a type that is still incomplete.
    template <class Made = Workspace>
        requires std::default_initializable<Made>
    Shelf() : Shelf([] { return std::make_unique<Made>(); }) {}
    explicit Shelf(Make make) : make_(std::move(make)) {}

    // A workspace for the time of a scope.
    class Lease {
    public:
        explicit Lease(const Shelf& shelf) : shelf_(shelf), workspace_(shelf.take()) {}
        ~Lease() { shelf_.put_back(workspace_); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        Workspace& operator*() const { return *workspace_; }
        Workspace* operator->() const { return workspace_; }

    private:
        const Shelf& shelf_;
        Workspace* workspace_;
    };

private:
    Workspace* take() const {
        if (Workspace* const found = at_hand_.exchange(nullptr, std::memory_order_acquire)) return found;
        std::lock_guard const lock(mutex_);
        if (!shelf_.empty()) {
            Workspace* const found = shelf_.back();
            shelf_.pop_back();
            return found;
        }
        // Reserve room first, because `put_back` must not throw.
        shelf_.reserve(all_.size() + 1);
        all_.push_back(make_());
        return all_.back().get();
    }

    void put_back(Workspace* workspace) const {
        Workspace* nobody = nullptr;
        if (at_hand_.compare_exchange_strong(nobody, workspace, std::memory_order_release)) return;
        std::lock_guard const lock(mutex_);
        shelf_.push_back(workspace);
    }

    Make make_;
    mutable std::atomic<Workspace*> at_hand_{nullptr};
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Workspace>> all_;
    mutable std::vector<Workspace*> shelf_;
};

}  // namespace bpe
