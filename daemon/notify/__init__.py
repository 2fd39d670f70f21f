"""notify: how a message leaves."""
