# Planbook with everything that `planbook expand` and `mkdocs build` need:
#   docker build --tag planbook . && docker run --rm --user "$(id -u)" --volume "$PWD:/base" planbook check
FROM python:3.13-slim

COPY requirements-dev.txt pyproject.toml README.md LICENSE /src/
COPY generator /src/generator
# The versions that the tests ran with; pip installs what the package and its extra name, and no more.
RUN sed -E '/^ +--hash/d; s/ *\\$//' /src/requirements-dev.txt > /src/constraints.txt \
    && pip install --no-cache-dir --constraint /src/constraints.txt '/src[research]' \
    && rm -rf /src

# Not root: what the programs that it runs could reach is what its user could. Another one: `--user`.
RUN useradd --uid 1000 --user-group --no-create-home --home-dir /tmp planbook \
    && install --directory --owner=planbook --group=planbook /base
USER 1000

ENV HOME=/tmp NO_MKDOCS_2_WARNING=1
WORKDIR /base
ENTRYPOINT ["planbook"]
CMD ["--help"]
