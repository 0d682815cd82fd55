import Foundation
import UIKit

/// A shape.
@available(iOS 13, *)
public final class Shape: Base, Countable {
    private var items: [Int] = []

    // Makes one.
    public init(size: Int) {
        self.size = size
    }

    /// Counts.
    @discardableResult
    override func count() -> Int {
        if items.isEmpty {
            return 0
        } else {
            return items.count
        }
    }

    var area: Int {
        get {
            return size * size
        }
        set {
            size = newValue
        }
    }

    deinit {
        items.removeAll()
    }
}

struct Point {
    var x: Int
    var y: Int
}

enum Color: String {
    case red
    case green

    func other() -> Color {
        switch self {
        case .red:
            return .green
        case .green:
            return .red
        }
    }
}

protocol Countable {
    func count() -> Int
}

// More.
extension Shape {
    func twice() -> Int {
        return count() * 2
    }
}

/* Adds. */
func add(_ first: Int, _ second: Int) -> Int {
    return first + second
}
