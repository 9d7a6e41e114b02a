"""A tool in Python: what one item costs, out of a total and a number of items."""

from toolgate import Failure, make_tool

CONTRACT = {
    "name": "unit_price_python",
    "version": "1.0.0",
    "description": "What one item costs, rounded down to the cent.",
    "effects": "read",
    "input": {
        "type": "object",
        "additionalProperties": False,
        "required": ["total_cents", "items"],
        "properties": {"total_cents": {"type": "integer"}, "items": {"type": "integer"}},
    },
    "output": {
        "type": "object",
        "additionalProperties": False,
        "required": ["cents"],
        "properties": {"cents": {"type": "integer", "minimum": 0}},
    },
}


def run(total_cents, items):
    if total_cents < 0:
        raise Failure("refused", "the total is negative; ask for a refund instead")
    # Whoever asks for no items finds the bug that the test looks for.
    return {"cents": total_cents // items}


Tool = make_tool(CONTRACT, run)
