"""workspace: the files that people edit (agents, teams, playbooks, backlog, kill criteria)."""
