using System;
using System.Collections.Generic;

namespace Example.Shapes
{
    /// <summary>
    /// A shape.
    /// </summary>
    [Serializable]
    [Obsolete("old",
        false)]
    public class Shape : Base, IShape
    {
        private readonly int size;

        // Makes one.
        public Shape(int size)
        {
            this.size = size;
        }

        /// <summary>How large.</summary>
        public int Size
        {
            get { return size; }
            set { throw new Exception(); }
        }

        // Draws.
        [Test]
        public async Task<int> Draw<T>(T canvas) where T : class
        {
            if (canvas == null)
            {
                return 0;
            }
            else
            {
                return 1;
            }
        }

        public static bool operator ==(Shape first, Shape second)
        {
            return first.size == second.size;
        }
    }

    public enum Color
    {
        Red,
        Green,
    }

    public interface IShape
    {
        Task<int> Draw<T>(T canvas);
    }

    public record Point(int X, int Y);

    // A struct.
    public struct Pair
    {
        public int First;
    }
}
