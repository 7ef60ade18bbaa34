"""What an organizer does to set up the challenge “own” from a file, in order."""

import re

from django.core.files.uploadedfile import SimpleUploadedFile

UPLOAD = "/challenges/own/corpus-file/"
SET_UP = "/challenges/own/corpus-file/set-up/"
FILE = """12|t|BRCA1 causes cancer.
12|a|In mice.
12\t0\t5\tBRCA1\tGene\t672
12\t13\t19\tcancer\tDisease\tMESH:D009369
12\tGDA\t672\tMESH:D009369

13|t|No names.
13|a|

"""


def upload(client, content=FILE, name="Genes.train.txt", purpose="open", address=UPLOAD):
    sent = SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())
    return client.post(address, {"file": sent, "purpose": purpose})


def read_words(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def list_form_values(response):
    """What the page would send if its button is pressed at once."""
    form = response.context["form"]
    values = {bound.html_name: bound.value() for each in (form, *form.phases) for bound in each}
    return {name: value for name, value in values.items() if value not in (None, False)}


def confirm(client, **changes):
    return client.post(SET_UP, list_form_values(client.get(SET_UP)) | {"sort": "training"} | changes)
