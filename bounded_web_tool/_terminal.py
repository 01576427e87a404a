"""A receipt as a person reads it in a terminal: the attempts over time, the results, the one-line account."""

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bounded_web_tool._core import AttemptRecord, AttemptStatus, NotUsefulReason, Outcome, Receipt

SNIPPET_LINES = 2
WIDEST_BAR = 40
NARROWEST_BAR = 8
INDENT = "  "

GOOD, MEDIOCRE, BAD, QUIET = "green", "yellow", "red", "bright_black"
STATUS_STYLES = {
    AttemptStatus.OK_USEFUL: GOOD,
    AttemptStatus.OK_NOT_USEFUL: MEDIOCRE,
    AttemptStatus.SKIPPED_NO_BUDGET: QUIET,
    AttemptStatus.SKIPPED_RESTING: QUIET,
    AttemptStatus.CANCELLED: QUIET,
}
OUTCOME_STYLES = {Outcome.USEFUL_RESULT: GOOD, Outcome.NO_USEFUL_RESULT: MEDIOCRE}
NO_HITS = {NotUsefulReason.EMPTY_RESULT_SET, NotUsefulReason.UNPARSEABLE_PAYLOAD}


def print_receipt(console: Console, receipt: Receipt) -> None:
    """Prints the waterfall, then the results, then ``receipt.explain()`` on a line of its own."""
    console.print(waterfall(receipt, console))
    console.print()
    for number, hit in enumerate(receipt.results, 1):
        _print_block(console, f"{number:2d} ", hit.title, "bold")
        # Never broken, so that it can be copied and clicked.
        console.print(Text(f"   {printable(hit.url)}", style="cyan"), soft_wrap=True)
        _print_block(console, "   ", _cut(hit.snippet, SNIPPET_LINES * max(console.width - 6, 20)), "")
    if receipt.results:
        console.print()
    console.print(Text(receipt.explain(), style=OUTCOME_STYLES.get(receipt.outcome, BAD)), soft_wrap=True)


def waterfall(receipt: Receipt, console: Console) -> Table:
    """One row an attempt, each bar where and as long as the attempt was within the elapsed time; then the budget."""
    rows = [_attempt_cells(attempt) for attempt in receipt.attempts]
    if receipt.policy_reason is not None:
        rows.append((INDENT + "refused", "", "", Text(receipt.policy_reason.value, style=BAD)))
    budget = Text(f"of {receipt.budget_ms} ms", style=QUIET)
    rows.append((INDENT + "budget", "", f"{receipt.elapsed_ms} ms", budget))
    others = sum(max(cell_len(str(row[column])) for row in rows) + 2 for column in range(4))
    bars = _bars(receipt, console, min(max(console.width - others, NARROWEST_BAR), WIDEST_BAR))

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(overflow="fold")
    for (role, transport, elapsed, what), bar in zip(rows, bars, strict=True):
        table.add_row(role, Text(transport), bar, elapsed, what)
    return table


def _attempt_cells(attempt: AttemptRecord) -> tuple[str, str, str, Text]:
    style = STATUS_STYLES.get(attempt.status, BAD)
    what = Text(attempt.status.value, style=style)
    if details := _details(attempt):
        what.append(INDENT + details, style=QUIET)
    return INDENT + attempt.role.value, printable(attempt.transport), f"{attempt.elapsed_ms} ms", what


def _bars(receipt: Receipt, console: Console, width: int) -> list[Text]:
    done, left = ("━", "─") if _can_draw(console) else ("#", "-")
    bars, passed = list[Text](), 0
    for attempt in receipt.attempts:
        start, end = _span(passed, attempt.elapsed_ms, receipt.elapsed_ms, width)
        passed += attempt.elapsed_ms
        bars.append(Text(" " * start + done * (end - start), style=STATUS_STYLES.get(attempt.status, BAD)))
    if receipt.policy_reason is not None:
        bars.append(Text())
    _, end = _span(0, receipt.elapsed_ms, receipt.budget_ms, width)
    bars.append(Text.assemble(done * end, (left * (width - end), QUIET)))
    return bars


def printable(text: str) -> str:
    """What a page wrote, without anything that steers a terminal or reorders a line."""
    return "".join(character if character.isprintable() else " " for character in text)


def _details(attempt: AttemptRecord) -> str:
    """What the status does not say already."""
    details = list[str]()
    if attempt.not_useful_reason is not None:
        details.append(attempt.not_useful_reason.value)
    if attempt.failure_detail is not None:
        details.append(attempt.failure_detail.value)
    if attempt.http_status not in (None, 200):
        details.append(f"HTTP {attempt.http_status}")
    if attempt.hit_count or (attempt.hit_count == 0 and attempt.not_useful_reason not in NO_HITS):
        details.append(f"{attempt.hit_count} hit" + "s" * (attempt.hit_count != 1))
    return ", ".join(details)


def _span(start: int, length: int, whole: int, width: int) -> tuple[int, int]:
    """The first cell of a bar and the one after its last; what took any time gets at least one cell."""
    if length == 0 or whole == 0:
        return 0, 0
    first = min(start * width // whole, width - 1)
    return first, max(first + 1, min(round((start + length) * width / whole), width))


def _print_block(console: Console, first: str, text: str, style: str) -> None:
    """Wrapped text behind an indent as wide as ``first``, without white space at the ends of lines."""
    lines = Text(printable(text), style=style).wrap(console, max(console.width - len(first), 20))
    for line in lines:
        line.rstrip()
        console.print(Text.assemble((first, QUIET), line), soft_wrap=True)
        first = " " * len(first)


def _cut(text: str, characters: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= characters else text[: characters - 2].rpartition(" ")[0] + " …"


def _can_draw(console: Console) -> bool:
    try:
        "━─".encode(console.encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
