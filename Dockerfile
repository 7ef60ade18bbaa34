# pg_dump and pg_restore of the version in docker-compose.yml, which Debian does not have.
FROM postgres:18-trixie AS postgres
RUN mkdir -p /client/bin /client/lib \
    && cp /usr/lib/postgresql/18/bin/pg_dump /usr/lib/postgresql/18/bin/pg_restore /client/bin/ \
    && cp --dereference /usr/lib/*-linux-gnu*/libpq.so.5 /client/lib/

FROM python:3.11-slim-trixie

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
USER bcms
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "bcms.wsgi:application", "--config", "python:bcms.web_server.configuration", \
     "--bind", "0.0.0.0:8000"]
