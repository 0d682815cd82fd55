package org.example

import kotlin.math.max
import kotlin.math.min

/**
 * A shape.
 */
@Serializable
@Deprecated(
    "old"
)
data class Shape(val name: String, val size: Int) : Base(), Countable {
    private val items = mutableListOf<Int>()

    // Counts.
    @JvmStatic
    override fun count(): Int {
        return if (size > 3) {
            3
        } else {
            size
        }
    }

    init {
        require(size >= 0)
    }

    companion object {
        // Makes one.
        fun of(name: String): Shape {
            return Shape(name, 0)
        }
    }
}

interface Countable {
    fun count(): Int
}

enum class Color {
    RED,
    GREEN;

    fun other(): Color {
        return if (this == RED) GREEN else RED
    }
}

// The only one.
object Registry {
    fun clear() {
        items.clear()
    }
}

// An extension.
fun String.twice(): String {
    return when (length) {
        0 -> ""
        else -> this + this
    }
}

typealias Handler = (Int) -> Unit
