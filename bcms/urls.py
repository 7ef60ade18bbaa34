from django.contrib.auth import views as auth
from django.urls import URLPattern, URLResolver, path

from bcms.health import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", auth.LoginView.as_view(), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("healthz", health, name="health"),
]
