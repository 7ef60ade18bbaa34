import pytest
from django.contrib.auth.models import Permission


@pytest.fixture
def dora(django_user_model):
    """She may create challenges, and organizes none yet."""
    user = django_user_model.objects.create_user("dora", "dora@example.org", "a-long-password")
    user.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    return user
