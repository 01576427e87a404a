"""The ``bounded-web`` command. Rich and Typer come with the extra ``cli``; without them it says what to install."""

import sys


def main() -> None:
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError:
        sys.stderr.write("bounded-web needs Rich and Typer: pip install 'bounded-web-tool[cli]'\n")
        raise SystemExit(2) from None
    from bounded_web_tool._commands import app

    app(prog_name="bounded-web")


if __name__ == "__main__":
    main()
