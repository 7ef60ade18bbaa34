"""The credentials and signing secrets of calls to servers, sealed so that only the asking workers can read them."""

from django.db import models
from django.db.models.functions import Now

from servers.registry.models import Server


class CallCredentials(models.Model):
    """One header of the calls to a server, which is sent to one origin only, that of the server's URL when it was set.

    sealed holds the origin, the header's name and its value. The other fields are for display.
    """

    class Scheme(models.TextChoices):
        BASIC = "basic", "User name and password (Basic)"
        BEARER = "bearer", "Bearer token"
        HEADER = "header", "A header of your own"

    server = models.OneToOneField(Server, on_delete=models.CASCADE, related_name="call_credentials")
    scheme = models.CharField(max_length=6, choices=Scheme.choices)
    header = models.CharField(max_length=100)
    origin = models.CharField(max_length=300)
    sealed = models.BinaryField()
    since = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.get_scheme_display()} for {self.origin}"


class SigningSecret(models.Model):
    """The secret with which calls to a server are signed, sealed; its team has seen it once."""

    server = models.OneToOneField(Server, on_delete=models.CASCADE, related_name="signing_secret")
    sealed = models.BinaryField()
    since = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"Signing secret of {self.server}"
