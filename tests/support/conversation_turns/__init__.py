"""Random conversations over the chat templates of `trl` and of our own, beside `transformers` and `tokenizers`, which encode everything anew.

cd .venv && PYTHONPATH=../tests/support bin/python -P -m conversation_turns --turns 100000
"""
