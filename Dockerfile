FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
RUN useradd --create-home --uid 10001 bcms && install -d -o bcms /var/lib/bcms
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
