"""Hold a budget: put as many notes as possible into a prompt of 50 tokens, the first ones first, without ever counting a note twice.

A mark remembers the state of the encoder; a note that does not fit is taken back by rolling back to the mark, in
constant time. The count is always that of the whole prompt, joins included, so the result is exact: there is no safety
margin to leave.
"""

from __future__ import annotations

from bpe_engine import Tokenizer

BUDGET = 50
NOTES = [
    "The parcel was sent on Monday.",
    "The customer has moved since; her new address is 14 Mill Lane.",
    "She has written to us three times, on the 3rd, the 9th and the 17th; each time someone else answered and changed the address.",
    "She prefers to be called.",
    "The parcel came back today.",
]


def main() -> None:
    """Fill the prompt and print it."""
    tokenizer = Tokenizer.load("o200k_base")
    prompt = tokenizer.appending_encoder()
    prompt.append("Write an answer to the customer. What we know:\n")
    for note in NOTES:
        mark = prompt.snapshot()
        prompt.append(f"- {note}\n")
        if prompt.count > BUDGET:
            print(f"left out at {prompt.count} tokens: {note[:40]}...")
            prompt.rollback(mark)
    print(prompt.text)
    print(f"{prompt.count} of {BUDGET} tokens; counted afresh: {tokenizer.count(prompt.text)}")


if __name__ == "__main__":
    main()
