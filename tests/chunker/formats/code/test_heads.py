"""The first line of a type or module that is larger than the budget stays with what stands before it: comments, attributes, annotations, wrappers."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import pytest

from chunker import CodeChunker

Strategy = Literal["grow", "optimal"]

STRATEGIES: list[Strategy] = ["grow", "optimal"]
BUDGETS = [40, 56, 80, 120]


class Case(NamedTuple):
    """`before`: what may stand before it, a line each. `head`: from the first comment up to the first line of the definition, which is the last
    of these. `member`: what is in its body, `{}` is a number. `end`: after that.
    """

    language: str
    before: str
    head: str
    member: str
    end: str = "}\n"


CASES = {
    "rust struct": Case(
        "rust",
        "const A{}: u32 = {};\n",
        "/// A counter of many things.\n/// And of others.\n#[derive(Debug)]\n#[serde(default)]\npub struct Counter {\n",
        "    pub field_{}: Vec<Option<u32>>,\n",
    ),
    "rust attribute": Case(
        "rust",
        "use a::b{};\n",
        "#[derive(\n    Debug,\n    Clone,\n)]\n// And a comment.\npub enum Kind {\n",
        "    Kind{}(Vec<Option<u32>>),\n",
    ),
    "rust impl": Case(
        "rust",
        "use a::b{};\n",
        "// What it does.\nimpl Counter {\n",
        "    fn count_{}(&self) -> u32 {{\n        self.one + self.two\n    }}\n\n",
    ),
    "rust mod": Case(
        "rust",
        "use a::b{};\n",
        "/* All of it.\n\nIn two paragraphs. */\n#[cfg(test)]\nmod tests {\n",
        "    #[test]\n    fn test_{}() {{\n        assert!(run());\n    }}\n",
    ),
    "python class": Case(
        "python",
        "a{} = {}\n",
        "# A counter.\n# Of things.\n@traced\n@dataclass(frozen=True)\nclass Counter:\n",
        "    field_{}: dict[str, int]\n",
        "",
    ),
    "python methods": Case(
        "python",
        "import a{}\n",
        "# A counter.\n@traced\nclass Counter:\n",
        "    def count_{}(self):\n        return self.one + self.two\n\n",
        "",
    ),
    "python function": Case(
        "python",
        "import a{}\n",
        "# A counter.\n@traced\ndef count(one, two):\n",
        "    print(one + two, {})\n",
        "",
    ),
    "java class": Case(
        "java",
        "import a.b.C{};\n",
        '/**\n * Counts.\n */\n@Service\n@Named("counter")\npublic final class Counter {\n',
        "    private Map<String, Integer> field{};\n",
    ),
    "java interface": Case(
        "java",
        "import a.b.C{};\n",
        '@Service\n@Named("counter")\n@Other\ninterface Counter {\n',
        "    int count{}(Map<String, Integer> these);\n",
    ),
    "c# class": Case(
        "csharp",
        "using A.B{};\n",
        '/// <summary>Counts.</summary>\n[Serializable]\n[Obsolete("no")]\npublic class Counter {\n',
        "    private Dictionary<string, int> field{};\n",
    ),
    "kotlin class": Case(
        "kotlin",
        "import a.b.C{}\n",
        '// Counts.\n@Service\n@Named("counter")\nclass Counter {\n',
        "    val field{}: Map<String, Int> = mapOf()\n",
    ),
    "swift class": Case(
        "swift",
        "import A{}\n",
        "// Counts.\n@objc\n@available(iOS 9, *)\nclass Counter {\n",
        "    var field{}: [String: Int] = [:]\n",
    ),
    "scala class": Case(
        "scala",
        "import a.b.C{}\n",
        '// Counts.\n@service\n@named("counter")\nclass Counter {\n',
        "  val field{}: Map[String, Int] = Map()\n",
    ),
    "php class": Case(
        "php",
        "<?php\n$a{} = {};\n",
        "// Counts.\n#[Service]\n#[Named('counter')]\nclass Counter {\n",
        "    private array $field{} = ['a' => 1];\n",
    ),
    "typescript class": Case(
        "typescript",
        'import a{} from "a";\n',
        '// Counts.\n@Component({\n  selector: "counter",\n})\nexport class Counter {\n',
        "  private field{}: Map<string, number>;\n",
    ),
    "typescript interface": Case(
        "typescript",
        'import a{} from "a";\n',
        "/** Counts. */\n/** And more. */\nexport interface Counter {\n",
        "  field{}: Map<string, number>;\n",
    ),
    "typescript namespace": Case(
        "typescript",
        'import a{} from "a";\n',
        "// Counts.\n// And more.\nexport namespace Counter {\n",
        "  export const field{} = new Map<string, number>();\n",
    ),
    "javascript class": Case(
        "javascript",
        'import a{} from "a";\n',
        "/** Counts. */\n@traced\nexport default class Counter {\n",
        "  count{}(one, two) {{\n    return one + two;\n  }}\n",
    ),
    "go struct": Case(
        "go",
        "var a{} = {}\n",
        "// Counter counts.\n// It does.\ntype Counter struct {\n",
        '\tField{} map[string]int `json:"field"`\n',
    ),
    "c++ class": Case(
        "cpp",
        "#include <a{}>\n",
        "// Counts.\ntemplate <class Value, class Other>\nclass Counter {\n",
        "    std::map<std::string, int> field{};\n",
        "};\n",
    ),
    "c++ namespace": Case(
        "cpp",
        "#include <a{}>\n",
        "/* Counts. */\n// And more.\nnamespace counters {\n",
        "std::map<std::string, int> field{}();\n",
    ),
    "c struct": Case(
        "c",
        "#include <a{}>\n",
        "/* Counts. */\n// And more.\nstruct counter {\n",
        "    unsigned long long field{}[20];\n",
        "};\n",
    ),
    "ruby module": Case(
        "ruby",
        "require 'a{}'\n",
        "# Counts.\n# And more.\nmodule Counter\n",
        "  FIELD{} = {{ 'a' => 1 }}\n",
        "end\n",
    ),
    "lua table": Case(
        "lua",
        "local a{} = {}\n",
        "-- Counts.\n-- And more.\nfunction count(one, two)\n",
        "  print(one + two, {})\n",
        "end\n",
    ),
    "bash function": Case(
        "bash",
        "a{}=1\n",
        "# Counts.\n# And more.\ncount() {\n",
        '  echo "$1 and $2" {}\n',
    ),
    "haskell class": Case(
        "haskell",
        "import A.B{}\n",
        "-- | Counts.\n-- And more.\nclass Counter a where\n",
        "  field{} :: Map String Int -> a -> a\n",
        "",
    ),
    "sql table": Case(
        "sql",
        "SELECT a{} FROM b;\n",
        "-- Counts.\n-- And more.\nCREATE TABLE counter (\n",
        "  field{} VARCHAR(20) NOT NULL,\n",
        "  last INT\n);\n",
    ),
    "css rule": Case(
        "css",
        "a{} {{ color: red; }}\n",
        "/* Counts. */\n/* And more. */\n@media print {\n",
        "  .field{} {{ color: red; }}\n",
    ),
}

SPARE = 4  # tokens: joins of what is before and the head cost some


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_first_line_stays_with_what_stands_before_it(case: Case, strategy: Strategy) -> None:
    judged = 0
    for budget in BUDGETS:
        for before in range(14):
            judged += _check(case, CodeChunker(case.language, budget, strategy=strategy), before, members=40)
    assert judged > 25


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize(
    "options", [{"overlap": 8}, {"context": True}, {"min_tokens": 0}, {"desired_tokens": 30}], ids=str
)
def test_with_options(case: Case, strategy: Strategy, options: dict[str, Any]) -> None:
    if strategy == "optimal" and "desired_tokens" in options:
        options = {"min_tokens": 20}
    for before in range(0, 14, 3):
        _check(case, CodeChunker(case.language, 80, strategy=strategy, **options), before, members=40)


def _check(case: Case, chunker: CodeChunker, before: int, *, members: int) -> int:
    text = "".join(case.before.format(number, number) for number in range(before))
    top = len(text)
    text += case.head
    header = text.rindex("\n", 0, -1) + 1
    text += "".join(case.member.format(number) for number in range(members)) + case.end
    chunks = chunker.chunk(text)
    head = chunker.tokenizer.count(case.head)
    if head > chunker.max_tokens - chunker.min_tokens - chunker.overlap - SPARE - 20 * bool(chunker.context):
        return 0
    whole = [chunk for chunk in chunks if chunk.span.start <= top and header < chunk.span.end]
    assert whole, (chunker.max_tokens, before, [chunk.text for chunk in chunks[:4]])
    return 1
