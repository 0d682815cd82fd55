const std = @import("std");

/// A circle by its radius.
pub const Circle = struct {
    radius: f64,

    // In square units.
    pub fn area(self: Circle) f64 {
        return std.math.pi * self.radius * self.radius;
    }

    pub fn grow(self: *Circle, by: f64) void {
        self.radius += by;
    }
};

const Shape = union(enum) {
    circle: Circle,
    square: f64,

    fn area(self: Shape) f64 {
        return switch (self) {
            .circle => |circle| circle.area(),
            .square => |side| side * side,
        };
    }
};

const Colour = enum { red, green, blue };

const Failure = error{ TooLarge, TooSmall };

fn checked(radius: f64) Failure!f64 {
    if (radius > 100) {
        return Failure.TooLarge;
    } else if (radius < 0) {
        return Failure.TooSmall;
    }
    return radius;
}

pub fn main() !void {
    const text =
        \\first line
        \\second line
    ;
    std.debug.print("{s} {d}\n", .{ text, try checked(1) });
    var circle = Circle{ .radius = 2 };
    while (circle.radius < 10) : (circle.radius += 1) {
        circle.grow(1);
    }
}

test "areas" {
    const circle = Circle{ .radius = 1 };
    try std.testing.expect(circle.area() > 3);
}

comptime {
    _ = Colour.red;
}
