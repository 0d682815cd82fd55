"""Compare settings on a corpus: chunkers, sizes and options, by the answers that they find.

    from chunker.evaluation import evaluate, plant_questions

    documents, questions = plant_questions({"guide.md": ...})
    evaluation = evaluate(documents, questions, sizes=[128, 256, 512])
    evaluation.best().name

Needs numpy: pip install "bpe-chunker[index]".
"""

from __future__ import annotations

from chunker.errors import MissingExtraError

try:
    import numpy as _numpy  # noqa: F401, ICN001  # to tell what to install, before a module of ours fails on it
except ImportError as error:
    raise MissingExtraError("numpy", "index") from error

from chunker.evaluation.comparing import Evaluation, SettingScores, evaluate
from chunker.evaluation.html_page import page
from chunker.evaluation.metrics import Difference, Score
from chunker.evaluation.planting import plant_questions
from chunker.evaluation.questions import Question, QuestionError, load_questions
from chunker.evaluation.retrieving import Findings, MisplacedChunkError

__all__ = [
    "Difference",
    "Evaluation",
    "Findings",
    "MisplacedChunkError",
    "Question",
    "QuestionError",
    "Score",
    "SettingScores",
    "evaluate",
    "load_questions",
    "page",
    "plant_questions",
]
