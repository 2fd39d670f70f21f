"""python -m daemon"""

from __future__ import annotations

from daemon.cli import main

if __name__ == "__main__":
    main(prog_name="sprintd")
