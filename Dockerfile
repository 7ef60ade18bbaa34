# The images of docker-compose.yml: `site` runs all processes of the site, `proxy` is nginx with the static files of the
# same version, `pooler` is PgBouncer.

# pg_dump and pg_restore of the version in docker-compose.yml, which Debian does not have.
FROM postgres:18-trixie AS postgres
RUN mkdir -p /client/bin /client/lib \
    && cp /usr/lib/postgresql/18/bin/pg_dump /usr/lib/postgresql/18/bin/pg_restore /client/bin/ \
    && cp --dereference /usr/lib/*-linux-gnu*/libpq.so.5 /client/lib/

FROM python:3.11-slim-trixie AS site

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
RUN useradd --create-home --uid 10001 bcms && install -d -o bcms /var/lib/bcms
# Debian's libpq5 brings the libraries that the newer one needs.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libpq5 liblz4-1 libzstd1 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=postgres /client/ /usr/local/
RUN ldconfig && pg_dump --version && pg_restore --version
WORKDIR /srv/bcms
COPY requirements.txt .
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.txt
COPY manage.py ./
COPY bcms bcms
COPY annotations annotations
COPY servers servers
COPY evaluation evaluation
COPY templates templates
COPY static static
ENV STATIC_ROOT=/srv/static
# Settings that are required, but that this command does not use.
RUN SECRET_KEY=none DATABASE_URL=postgresql://none REDIS_URL=redis://none \
    python manage.py collectstatic --no-input --verbosity 0
# No process can keep bytecode in an image that is read-only, and Python's own is not in its image: without it, each start
# and each health check of a worker would compile a thousand modules anew. A checkout may be closed to other accounts.
RUN python -m compileall -q -x '/tests?/|/lib2to3/' /usr/local/lib/python3.* . && chmod -R a+rX .
USER bcms
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "bcms.wsgi:application", "--config", "python:bcms.web_server.configuration", \
     "--bind", "0.0.0.0:8000"]

FROM nginx:1.28 AS proxy
RUN install -d -o 101 /var/cache/bodies
COPY deploy/nginx /etc/nginx/site
COPY --from=site /srv/static /srv/static
USER 101
EXPOSE 8080 8443
CMD ["nginx", "-c", "/etc/nginx/site/nginx.conf", "-g", "daemon off;"]

FROM debian:12-slim AS pooler
RUN apt-get update && apt-get install -y --no-install-recommends pgbouncer postgresql-client && \
    rm -rf /var/lib/apt/lists/*
COPY deploy/pgbouncer /etc/pgbouncer/site
USER postgres
EXPOSE 6432
CMD ["sh", "/etc/pgbouncer/site/start"]
