"""The body of a request, read in one place."""

from __future__ import annotations

from flask import request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge


def read_body(problem: str | None = None) -> bytes:
    """All of it, before anything reads a form, which would empty it.

    A body that breaks off or that the server cannot take apart (chunks that are none) ends the request
    with 400 and `problem` (None: the usual words). It is no fault of ours that the log tells of at
    length, and half an answer is no answer.
    """
    try:
        body = request.get_data(cache=True)
    except RequestEntityTooLarge:
        raise
    except Exception as error:
        raise BadRequest(problem) from error
    if len(body) < (request.content_length or 0):
        raise BadRequest(problem)
    return body
