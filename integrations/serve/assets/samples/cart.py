"""A shopping cart with prices in cents."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Article:
    """An article of the shop."""

    name: str
    cents: int
    taxed: bool = True


@dataclass
class Cart:
    """The articles that somebody wants to buy.

    >>> cart = Cart()
    >>> cart.add(Article("tea", 450), 2)
    >>> cart.total()
    963
    """

    amounts: dict[Article, int] = field(default_factory=dict)

    def add(self, article: Article, amount: int = 1) -> None:
        """Put an article into the cart.

        Raises:
            ValueError: The amount is less than one.
        """
        if amount < 1:
            raise ValueError(f"the amount of {article.name} must be at least 1, got {amount}")
        self.amounts[article] = self.amounts.get(article, 0) + amount

    def remove(self, article: Article) -> None:
        """Take all of an article out of the cart."""
        self.amounts.pop(article, None)

    def total(self, percent: int = 7) -> int:
        """The price of all articles with the tax, in cents."""
        price = 0
        for article, amount in self.amounts.items():
            price += amount * with_tax(article.cents, percent if article.taxed else 0)
        return price


def with_tax(cents: int, percent: int) -> int:
    """A price with its tax, rounded down to whole cents.

    >>> with_tax(450, 7)
    481
    """
    return cents * (100 + percent) // 100


def receipt(cart: Cart) -> str:
    """The receipt, a line for each article."""
    lines = [f"{amount} x {article.name:<12} {article.cents / 100:>8.2f}" for article, amount in cart.amounts.items()]
    return "\n".join([*lines, f"{'total':<16} {cart.total() / 100:>8.2f}"])
