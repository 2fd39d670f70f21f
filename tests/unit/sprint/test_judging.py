"""An answer that ends the process when it is judged, and answers that were not ended in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.sprint.attempt import keep_and_judge
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, control, items
from tests.standins.messages_api import MessagesApi, changed
from tests.standins.researcher import write_reply
from tests.workspaces import claude_config, copy_sample, services_over


@pytest.mark.parametrize("ending", ["refusal", "pause_turn", "tool_use", "brand_new"])
def test_a_reply_that_was_not_ended_in_order_is_rejected(tmp_path: Path, ending: str) -> None:
    """However good its text is: the service says that this is not the whole of it."""
    with MessagesApi(reply=write_reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            plan = changed()
            api.script(plan, changed(stop_reason=ending), changed(stop_reason=ending))
            end = run_sprint(services.sprint_parts)
            assert {one.ending for one in end.ends} == {"rejected"}
            assert all("ended the reply" in one.reason for one in end.ends)


def test_an_answer_that_ends_the_process_when_judged_is_rejected_unread(tmp_path: Path) -> None:
    """After three judgings that did not come back it counts as rejected, and life goes on."""
    with services_over(copy_sample(tmp_path / "venture")) as services:
        parts, db = services.sprint_parts, services.db
        first = run_sprint(parts).ends[0].item
        (row,) = attempts.list_for_item(db, first)
        with db.immediate() as tx:  # as if the process had ended in the middle of the judging
            tx.execute("DELETE FROM finding WHERE item = ?", (first,))
            tx.execute("DELETE FROM item_state WHERE item = ?", (first,))
            tx.execute(
                "UPDATE attempt SET state = 'answered', verdict = NULL WHERE id = ?", (row.id,)
            )
        control.put(db, f"judging/{row.id}", 3, services.clock.now())
        reply = parts.metered.stored_reply(row.effect_key)
        found = attempts.find_attempt(db, row.id)
        assert reply is not None
        assert found is not None
        assert keep_and_judge(parts, found, reply).ending == "rejected"
        assert "several times" in items.find_item_state(db, first).reason
        assert control.get(db, f"judging/{row.id}") is None
