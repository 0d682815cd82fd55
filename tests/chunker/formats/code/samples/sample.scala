package org.example

import scala.collection.mutable
import scala.math.{max, min}

/** A shape. */
@deprecated("old", "1.0")
case class Shape(name: String, size: Int) extends Base with Countable {
  private val items = mutable.Buffer[Int]()

  // Counts.
  @tailrec
  override def count(limit: Int): Int = {
    if (size > limit) {
      limit
    } else {
      size
    }
  }
}

object Shape {
  val Limit = 3

  // Makes one.
  def of(name: String): Shape = {
    new Shape(name, 0)
  }
}

trait Countable {
  def count(limit: Int): Int

  def twice: Int = {
    count(3) match {
      case 0 =>
        0
      case other =>
        other * 2
    }
  }
}

/* States. */
enum Color {
  case Red, Green
}
