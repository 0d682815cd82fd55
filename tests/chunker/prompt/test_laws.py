"""The law of every prompt: what it says it costs is what it costs, and never above the budget; under all tokenizers and options."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings
from prompt_items import TOKENIZERS, Case, cases, check_prompt, counter

from chunker.prompt import Prompt, PromptConfigurationError, RequiredItemsError, assemble


def assembled(case: Case, tokenizer: str) -> Prompt | RequiredItemsError:
    """The prompt, or why there is none."""
    try:
        return assemble(case.items, case.budget, tokenizer=TOKENIZERS[tokenizer](), **case.options)
    except RequiredItemsError as error:
        return error
    except PromptConfigurationError as error:
        # Sections inside of sections without a budget share with those around: the strategy does not add that up.
        if all("shares of" in line or "min_tokens of the sections" in line for line in str(error).splitlines()):
            reject()
        raise


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@settings(max_examples=25)
@given(case=cases())
def test_laws(tokenizer: str, case: Case) -> None:
    prompt = assembled(case, tokenizer)
    if isinstance(prompt, RequiredItemsError):
        assert sum(tokens for _, tokens in prompt.needed) + prompt.between > prompt.room
    else:
        check_prompt(case, prompt, counter(tokenizer))
        assert assembled(case, tokenizer) == prompt
