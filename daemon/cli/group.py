"""How a command is found, and what becomes of an error that it raises."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from daemon.cli.output import safe_streams, say_error
from daemon.errors import SprintdError

_log = logging.getLogger(__name__)

INTERRUPTED = 130
_UNEXPECTED = 70


class CommandTable(click.Group):
    """A group that loads a command's module only when that command is asked for.

    `commands_by_name` has the module (with `:name` where the command's name there is another) and
    the one-line help of each; a test holds the latter equal to what the command says of itself.
    """

    def __init__(
        self, *args: Any, commands_by_name: Mapping[str, tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._table = commands_by_name

    def main(self, *args: Any, **kwargs: Any) -> Any:
        safe_streams()
        return super().main(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._table:
            return None
        place, _, attribute = self._table[cmd_name][0].partition(":")
        module = _import_quickly(place)
        found: click.Command = getattr(module, attribute or cmd_name.replace("-", "_"))
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = get_close_matches(args[0], self._table, n=1) if args else []
        if args and args[0] not in self._table and near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in self._table.items()])


class Command(click.Command):
    """A command whose expected errors are one clear message with their exit code."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Also after the command's name, where people write it.
        self.params.append(
            click.Option(
                ["--workspace"],
                type=click.Path(path_type=Path),
                hidden=True,
                expose_value=False,
                callback=_take_workspace,
            )
        )

    def invoke(self, ctx: click.Context) -> Any:
        return guarded(ctx, lambda: super(Command, self).invoke(ctx))


def guarded(ctx: click.Context, act: Callable[[], Any]) -> Any:
    """What `act` returns; an error ends the program with its message and exit code."""
    as_json = bool(ctx.params.get("as_json"))
    try:
        return act()
    except SprintdError as error:
        say_error(error, as_json=as_json)
        code = error.exit_code
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
        code = INTERRUPTED
    except BrokenPipeError:
        raise  # whoever read the output has left; click ends quietly
    except OSError as error:
        say_error(_in_words(error), as_json=as_json)
        code = SprintdError.exit_code
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours: into the log, without secrets
        _log.critical("an error that nobody expected", exc_info=error)
        say_error(
            SprintdError(f"an error that nobody expected: {type(error).__name__}"), as_json=as_json
        )
        code = _UNEXPECTED
    raise click.exceptions.Exit(code)


def _import_quickly(name: str) -> ModuleType:
    """Without the garbage collector, which would look again and again at what imports leave for good."""
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()


def _in_words(error: OSError) -> SprintdError:
    place = f"{error.filename}: " if error.filename else ""
    return SprintdError(f"{place}{error.strerror or type(error).__name__}")


def _take_workspace(ctx: click.Context, _option: click.Parameter, value: Path | None) -> None:
    if value is not None:
        ctx.obj = value
