# The web page of `chunker serve`, for files that are mounted read-only:
#     docker build -t chunker .
#     docker run --rm -p 127.0.0.1:8808:8808 -e CHUNKER_SERVE_TOKEN=at-least-16-characters -v "$PWD:/files:ro" chunker
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels "/source[serve,code]"

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "bpe-chunker[serve,code]" && rm -rf /wheels && useradd --system chunker
USER chunker
EXPOSE 8808
# Requests from other machines need the token (docs/serve.md).
ENTRYPOINT ["chunker", "serve", "--host", "0.0.0.0"]
CMD ["/files"]
