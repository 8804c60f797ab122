"""JSON in which decimals stand digit by digit, as files of lines hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal


def exact_json(value: object) -> str:
    """Return *value* as JSON on one line, decimals digit by digit."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(str(key))}: {exact_json(part)}' for key, part in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(exact_json, value))}]"
    return decimal_text(value) if isinstance(value, Decimal) else json.dumps(value)


def decimal_text(value: Decimal) -> str:
    """Return *value* digit by digit, without an exponent or zeros at its end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
