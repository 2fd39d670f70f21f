"""sprintd works a research backlog day and night inside a hard daily budget."""

__version__ = "0.1.0"
