#!/usr/bin/env bash
# The tests of the plug-ins, each in environments of its own: the newest version of what it plugs into, and the oldest that is supported.
#
#     scripts/test_integrations.sh [--source] [chonkie-newest haystack-oldest ...]
#
# Spark needs a Java on the path. PostgreSQL with pgvector comes as the package pgserver; PGVECTOR_URL names another one. Qdrant is tested as a folder, and
# as a server where QDRANT_URL names one. sentences-newest brings torch, several gigabytes. INDEX_KILLS=200 kills more often.
#
# They are in FOLDER (default .venv/integrations). What is tested is the wheel in .venv/wheel, which `make test-integrations` builds first;
# with --source the tree as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
python=${PYTHON:-python3}
folder=${FOLDER:-.venv/integrations}

# pymilvus of that age imports pkg_resources, which setuptools no longer has.
declare -A packages=(
    [chonkie-newest]="chonkie"
    [chonkie-oldest]="chonkie==1.6.1"
    [duckdb-newest]="duckdb pyarrow fsspec"
    [duckdb-oldest]="duckdb==1.2.0 pyarrow==17.0.0 fsspec==2024.2.0"
    [gpt1-newest]="ftfy spacy transformers<5"
    [haystack-newest]="haystack-ai"
    [haystack-oldest]="haystack-ai==2.12.0"
    [langchain-newest]="langchain-core langchain-text-splitters transformers"
    [langchain-oldest]="langchain-core==1.0.0 langchain-text-splitters==1.0.0"
    [llamaindex-newest]="llama-index-core"
    [llamaindex-oldest]="llama-index-core==0.12.0"
    [mcp-oldest]="mcp==2.0.0 tantivy"
    [mistral-newest]="mistral-common"
    [polars-newest]="polars pyarrow pandas fsspec"
    [polars-oldest]="polars==1.9.0 pyarrow==17.0.0 fsspec==2024.2.0"
    [ray-newest]="ray[data] pyarrow fsspec transformers jinja2 tantivy"
    [ray-oldest]="ray[data]==2.50.0 pyarrow fsspec transformers jinja2 tantivy"
    [sentences-newest]="sentence-transformers model2vec tantivy"
    [serve-oldest]="starlette==1.0.0 uvicorn==0.40.0 tantivy"
    [spark-newest]="pyspark pyarrow pandas fsspec"
    [spark-oldest]="pyspark==4.0.0 pyarrow==17.0.0 pandas==2.2.0 numpy<2.3 fsspec"
    [stores-newest]="chromadb pymilvus milvus-lite lancedb qdrant-client psycopg[binary] pgvector pgserver pyarrow fsspec tantivy"
    [stores-oldest]="chromadb==1.0.0 pymilvus==2.5.0 milvus-lite==2.5.0 setuptools<81 lancedb==0.25.0 qdrant-client==1.12.0 psycopg[binary]==3.2.1 pgvector==0.3.0 pgserver==0.1.4 pyarrow==17.0.0 fsspec==2024.2.0 tantivy"
)
tools="numpy pytest hypothesis tiktoken==0.14.* tokenizers"

source_tree=no
if [ "${1:-}" = --source ]; then
    source_tree=yes
    shift
fi
if [ $# = 0 ]; then
    mapfile -t names < <(printf '%s\n' "${!packages[@]}" | sort)
    set -- "${names[@]}"
fi

# Haystack would report how it is used.
export HAYSTACK_TELEMETRY_ENABLED=False
failed=()
for name in "$@"; do
    venv=$folder/$name
    [ -e "$venv/bin/python" ] || "$python" -m venv "$venv"
    pip=("$venv/bin/python" -m pip --disable-pip-version-check --quiet)
    # shellcheck disable=SC2086  # words of a list
    "${pip[@]}" install $tools ${packages[$name]}
    options=()
    if [ $source_tree = yes ]; then
        export PYTHONPATH=$root
        "${pip[@]}" install $("$python" -c 'import tomllib; print(*(d.replace(" ", "") for d in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]))')
    else
        "${pip[@]}" install --force-reinstall --no-deps .venv/wheel/*.whl
        "${pip[@]}" install .venv/wheel/*.whl
        options+=(--installed)
    fi
    case $name in
        # An old package on today's pydantic warns of itself.
        llamaindex-oldest) options+=(-W ignore::UserWarning) ;;
        stores-oldest) options+=(-W ignore::UserWarning -W ignore::DeprecationWarning) ;;
    esac
    echo "$name: $("$venv/bin/python" -m pip list 2>/dev/null | grep -iE '^(chonkie|chromadb|duckdb|haystack-ai|lancedb|langchain-(core|text-splitters)|llama-index-core|mcp|milvus-lite|pgvector|polars|pymilvus|pyspark|qdrant-client|ray|sentence-transformers|starlette|uvicorn) ' | tr -s ' ' | tr '\n' ' ')"
    # Its folder, or its files.
    mapfile -t own < <(cd tests && find integrations -maxdepth 1 -name "${name%-*}" -o -name "test_${name%-*}*.py" | sort)
    case $name in
        ray-*) tests=(integrations/test_ray.py test_examples.py) ;;
        stores-*) tests=(integrations/stores chunker/scale) ;;
        gpt1-*) tests=(bpe_engine/test_gpt1.py) ;;
        mistral-*) tests=(bpe_engine/formats/test_tekken_format.py) ;;
        polars-*) tests=(integrations/test_imports.py integrations/test_polars.py chunker/scale/test_chunk_columns.py) ;;
        sentences-*) tests=(chunker/index/embedders/test_models.py) ;;
        haystack-* | llamaindex-*) tests=(integrations/test_imports.py integrations/test_fields_of_plugins.py "${own[@]}") ;;
        *) tests=(integrations/test_imports.py "${own[@]}") ;;
    esac
    tests+=(scripts/test_words.py)
    # From another folder, so that the source tree is not on the path by itself.
    (cd "$venv" && bin/python -P -m pytest -c "$root/pyproject.toml" --rootdir="$root" -q -p no:cacheprovider "${options[@]}" "${tests[@]/#/$root/tests/}") || failed+=("$name")
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
