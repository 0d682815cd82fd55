"""Plan a conversation for a provider's cache: which turns to drop, and when, so that the bill is lowest.

cache_rules.py   prices and rules of providers, as data with date and source (providers.json)
billing.py       what each request of a conversation costs, and what the cache holds after it
context_plan.py  ContextPlan: the cheapest way through the turns to come
searching.py     the search for it, over states of which few are needed
expecting.py     the turns that are expected where nobody knows them
planned_turns.py PlannedTurns: turns, standings and bills of a conversation that does what the plan says
session_turns.py SessionTurns: the messages of a PromptSession as such turns
driving.py       PlannedConversation: a Conversation that does what the plan says
guarding.py      steps after which the plan need not cost more than those rules
simple_rules.py  rules that the plan is measured against
simulation.py    a recorded session under simple rules and under the plan
"""

from __future__ import annotations

from chunker.prompt.planning.billing import Exchange, RequestBill
from chunker.prompt.planning.cache_rules import PROVIDERS, CacheRules
from chunker.prompt.planning.context_plan import ContextPlan, Step
from chunker.prompt.planning.guarding import Course
from chunker.prompt.planning.simulation import Outcome, simulate

__all__ = ["PROVIDERS", "CacheRules", "ContextPlan", "Course", "Exchange", "Outcome", "RequestBill", "Step", "simulate"]
