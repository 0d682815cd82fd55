#include <string>
#include <vector>

namespace shapes {

// A shape.
class Shape : public Base {
public:
    // Makes one.
    explicit Shape(int size) : size_(size) {
        check();
    }

    virtual ~Shape() {
        release();
    }

    /// Compares.
    bool operator==(const Shape& other) const {
        return size_ == other.size_;
    }

private:
    int size_;
};

/**
 * The larger one.
 */
template <typename T>
[[nodiscard]]
const T& larger(const T& first, const T& second) {
    return first < second ? second : first;
}

// A pair.
template <
    typename First,
    typename Second>
struct Pair {
    First first;
    Second second;
};

enum class Color : int {
    Red,
    Green,
};

}  // namespace shapes

// Defined outside.
int shapes::Shape::area() const {
    try {
        return compute();
    } catch (const std::exception& error) {
        return 0;
    }
}

extern "C" {
// For C.
int shape_area(void* shape) {
    return static_cast<Shape*>(shape)->area();
}
}
