"""What the stand-in model writes: a plan where JSON is asked for, else a report from the notes.

The report is built from the request alone, so it differs from item to item as a real one would.
"""

from __future__ import annotations

import json
import re
from typing import Any

_NOTE = re.compile(r"<<<NOTE [^\n]*\n(.*?)\n---\n(.*?)\n<<<END NOTE", re.DOTALL)


def write_reply(request: dict[str, Any]) -> str:
    """The text of the answer to one request."""
    user = request["messages"][0]["content"]
    return write_plan(user) if "output_config" in request else write_report(user)


def write_plan(user: str) -> str:
    """Assign the first two items offered to their usual agents."""
    offered = json.loads(user[user.index("{") : user.rindex("}\n\nAnswer with JSON") + 1])
    chosen = [
        {"item": one["item"], "agent": one["usual_agent"], "reason": "offered first"}
        for one in offered["eligible_items"][:2]
    ]
    return json.dumps({"assignments": chosen})


def write_report(user: str) -> str:
    """A report of some 150 words and more: an answer, what each note says, what stays open."""
    title = re.search(r"# Task (\w+): (.*)", user)
    question = re.search(r"Question: (.*)", user)
    assert title, "the request names no task"
    assert question, "the request asks no question"
    lines = [
        f"## {title[2]}",
        f"On this question the notes allow a first answer for {title[1]}, within the limits named below.",
        "### What the evidence says",
    ]
    notes = _NOTE.findall(user)
    # What an earlier finding says is known; a report that said it again would be that finding.
    said = {sentence for head, body in notes if _is_finding(head) for sentence in _stated(body)}
    for head, body in notes:
        if _is_finding(head):
            continue
        unit = re.search(r"^id: (.*)$", head, re.MULTILINE)
        assert unit, "a framed note has no id"
        new = [sentence for sentence in _sentences(body) if sentence not in said][:3]
        said.update(new)
        lines += [f"- {sentence} [{unit[1]}]" for sentence in new]
    lines += [
        "### Conclusion",
        "Taken together these statements are enough to decide on the next step of the venture.",
        "None of them contradicts another on a point that would change that decision.",
        "### Not verified",
        "- The sources above were read in the copies that the workspace holds.",
    ]
    return "\n".join(lines)


def _is_finding(head: str) -> bool:
    return head.startswith("id: finding-")


def _stated(body: str) -> list[str]:
    """The sentences of a finding's list, without the list's marks and the sources'."""
    lines = (re.sub(r"^- |\s*\[[^\]]*\]$", "", line) for line in body.splitlines())
    return [line for line in lines if len(line) > 40]


def _sentences(body: str) -> list[str]:
    prose = [line for line in body.splitlines() if line[:1].isalpha() and "Source:" not in line]
    return [
        s for line in prose for s in re.split(r"(?<=[a-z0-9)]\.) (?=[A-Z])", line) if len(s) > 40
    ]
