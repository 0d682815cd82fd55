package org.example;

import java.util.List;
import java.util.Map;

/**
 * A stack.
 */
@Deprecated
@SuppressWarnings({
    "unchecked"
})
public class Sample<T> extends Base implements Iterable<T> {

    private static final int LIMIT = 3;

    // What it holds.
    private List<T> items;

    static {
        System.loadLibrary("sample");
    }

    /** Makes one. */
    public Sample(List<T> items) {
        this.items = items;
    }

    // Puts on top.
    @Override
    public void push(T item) throws Exception {
        if (item == null) {
            throw new IllegalArgumentException();
        } else {
            items.add(item);
        }
    }

    /* Says what. */
    public enum Kind {
        SMALL,
        LARGE;

        public Kind other() {
            return this == SMALL ? LARGE : SMALL;
        }
    }

    interface Visitor {
        void visit(Sample<?> sample);

        default void visitAll(List<Sample<?>> all) {
            for (Sample<?> one : all) {
                visit(one);
            }
        }
    }

    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException();
            }
        }
    }
}

// Marks.
@interface Marker {
    String value() default "";
}
