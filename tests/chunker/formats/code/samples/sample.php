<?php

declare(strict_types=1);

namespace App\Shapes;

use App\Base;
use App\Color;

/**
 * A shape.
 */
#[Entity]
#[Table(
    name: 'shapes'
)]
final class Shape extends Base implements Countable
{
    use Named;

    private int $size = 0;

    // Makes one.
    public function __construct(int $size)
    {
        $this->size = $size;
    }

    /** Counts. */
    #[Pure]
    public function count(): int
    {
        if ($this->size > 3) {
            return 3;
        } else {
            return $this->size;
        }
    }
}

interface Drawable
{
    public function draw(): void;
}

trait Named
{
    public function name(): string
    {
        return static::class;
    }
}

enum Color: string
{
    case Red = 'red';
    case Green = 'green';
}

// Adds.
function add(int $first, int $second): int
{
    return $first + $second;
}

$double = function (int $value): int {
    return $value * 2;
};
?>
<html>
  <body>Hello</body>
</html>
