"""Units with the base unit they convert to."""

from decimal import Decimal

MEASURES: dict[str, tuple[str, Decimal, Decimal]] = {
    "km": ("m", Decimal(1000), Decimal(0)),
    "m": ("m", Decimal(1), Decimal(0)),
    "cm": ("m", Decimal("0.01"), Decimal(0)),
    "mm": ("m", Decimal("0.001"), Decimal(0)),
    "mile": ("m", Decimal("1609.344"), Decimal(0)),
    "nmi": ("m", Decimal(1852), Decimal(0)),
    "foot": ("m", Decimal("0.3048"), Decimal(0)),
    "yard": ("m", Decimal("0.9144"), Decimal(0)),
    "inch": ("m", Decimal("0.0254"), Decimal(0)),
    "km2": ("m2", Decimal(1_000_000), Decimal(0)),
    "m2": ("m2", Decimal(1), Decimal(0)),
    "ha": ("m2", Decimal(10_000), Decimal(0)),
    "acre": ("m2", Decimal("4046.8564224"), Decimal(0)),
    "kg": ("g", Decimal(1000), Decimal(0)),
    "g": ("g", Decimal(1), Decimal(0)),
    "t": ("g", Decimal(1_000_000), Decimal(0)),
    "lb": ("g", Decimal("453.59237"), Decimal(0)),
    "km/h": ("m/s", Decimal(1000) / Decimal(3600), Decimal(0)),
    "mph": ("m/s", Decimal("0.44704"), Decimal(0)),
    "°C": ("°C", Decimal(1), Decimal(0)),
    "°F": ("°C", Decimal(5) / Decimal(9), Decimal(-160) / Decimal(9)),
    "s": ("s", Decimal(1), Decimal(0)),
    "min": ("s", Decimal(60), Decimal(0)),
    "h": ("s", Decimal(3600), Decimal(0)),
    "d": ("s", Decimal(86_400), Decimal(0)),
    "wk": ("s", Decimal(604_800), Decimal(0)),
    "mo": ("s", Decimal(2629746), Decimal(0)),
    "yr": ("s", Decimal(31556952), Decimal(0)),
}
"""By unit as the lexicons name it: base unit, factor, offset; value = amount * factor + offset."""
