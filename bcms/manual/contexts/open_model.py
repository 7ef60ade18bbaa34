"""Context of the manual's page about the open annotation model: its examples."""

from bcms.manual.open_model_examples import EXAMPLE_ABSTRACT, EXAMPLE_TITLE, EXAMPLES_BY_NAME
from bcms.manual.protocol_examples import format_json_example


def build_open_model_examples_context() -> dict[str, object]:
    shown: dict[str, object] = {name: format_json_example(value) for name, value in EXAMPLES_BY_NAME.items()}
    return shown | {"title": EXAMPLE_TITLE, "abstract": EXAMPLE_ABSTRACT}
