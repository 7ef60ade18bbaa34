"""Metrics for Prometheus, for programs within the operator's own network."""

from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from bcms.metrics.requests import format_request_metrics
from bcms.metrics.site import format_site_metrics


@never_cache
@require_safe
def show_metrics(request: HttpRequest) -> HttpResponse:
    """The metrics of this host's web processes and of the site; 404 for requests from other networks."""
    if not is_from_metrics_network(request):
        raise Http404
    return HttpResponse(format_request_metrics() + format_site_metrics(), content_type=CONTENT_TYPE_LATEST)


def is_from_metrics_network(request: HttpRequest) -> bool:
    """Whether the request comes directly, through no proxy, from one of METRICS_NETWORKS."""
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    # A server that listens on IPv6 reports clients with IPv4 as ::ffff:127.0.0.1.
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in network for network in settings.METRICS_NETWORKS)
