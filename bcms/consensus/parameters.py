"""Consensus options written as text, in a query string or a form."""

import math

from annotations.results.consensus.methods import ConsensusRuleError


def split_comma_list(text: str) -> list[str]:
    """The non-empty parts between the commas, without surrounding white space."""
    return [part.strip() for part in text.split(",") if part.strip()]


def parse_server_weights(text: str) -> dict[str, float]:
    """Weights by server id, from `genedict:2,taxonspotter:0.5`; ConsensusRuleError for an invalid list."""
    pairs = [part.rpartition(":") for part in split_comma_list(text)]
    return {
        server.strip(): _parse_parameter_number("weights", weight, "genedict:2,taxonspotter:0.5")
        for server, _, weight in pairs
    }


def parse_threshold(text: str) -> float | None:
    """The number, None for an empty text; ConsensusRuleError if it is not a number."""
    return _parse_parameter_number("threshold", text, "2 or 0.5") if text else None


def _parse_parameter_number(name: str, text: str, example: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ConsensusRuleError(name, f"“{text[:20]}” is not a number. Write {name} like {example}.")
    return number
