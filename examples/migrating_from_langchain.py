"""From LangChain's splitters to these: one import changes. What comes out of both is put side by side.

Run it with `python examples/migrating_from_langchain.py`; it needs `pip install "bpe-chunker[langchain]"`.
"""

from __future__ import annotations

from pathlib import Path

import langchain_text_splitters as before

from bpe_engine import Tokenizer
from chunker.integrations import langchain as after

TEXTS = {
    "a list of words": " mosques\n glaciers\n unmistakably\n sprawl\n hinges\n" * 40,
    "numbers": "".join(f"{number}, " for number in range(300)),
    "this file": Path(__file__).read_text(encoding="utf-8"),
}
SIZE = 28
TOKENIZER = Tokenizer.load("o200k_base")


def main() -> None:
    """Split each text with both, and print what is wrong with the chunks."""
    for name, text in TEXTS.items():
        print(name)
        for label, package in (("before", before), ("after", after)):
            splitter = package.RecursiveCharacterTextSplitter(
                chunk_size=SIZE, chunk_overlap=7, length_function=TOKENIZER.count, add_start_index=True
            )
            documents = splitter.create_documents([text])
            over = sum(TOKENIZER.count(document.page_content) > SIZE for document in documents)
            places = [document.metadata["start_index"] for document in documents]
            lost = sum(
                start < 0 or not text.startswith(document.page_content, start)
                for start, document in zip(places, documents, strict=True)
            )
            unordered = places != sorted(places)
            print(
                f"  {label:<6} {len(documents):>3} chunks, {over} over {SIZE} tokens, {lost} without a place, "
                f"places {'out of' if unordered else 'in'} order"
            )


if __name__ == "__main__":
    main()
