"""What the stand-in Messages API accepts: as strict as the real one about a request's shape."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

API_VERSION = "2026-10-21"
MAX_OUTPUT_TOKENS = 128_000
EFFORTS = ("low", "medium", "high", "xhigh", "max")
REMOVED = ("temperature", "top_p", "top_k")
KNOWN = frozenset(
    (
        "max_tokens",
        "messages",
        "model",
        "cache_control",
        "container",
        "diagnostics",
        "inference_geo",
        "metadata",
        "output_config",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
        "system",
        "thinking",
        "tool_choice",
        "tools",
        "user_profile_id",
        "workspace_id",
    )
)


@dataclass(frozen=True)
class Complaint:
    """Why a request is refused."""

    status: int
    kind: str
    message: str


def header_complaint(headers: Mapping[str, str], api_key: str) -> Complaint | None:
    """What is wrong with the headers, or None; names are looked up in lower case."""
    if headers.get("authorization") != f"Bearer {api_key}":
        return Complaint(401, "authentication_error", "invalid bearer token")
    if headers.get("anthropic-version") != API_VERSION:
        return Complaint(400, "invalid_request_error", f"anthropic-version: want {API_VERSION}")
    if headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return Complaint(400, "invalid_request_error", "content-type: want application/json")
    return None


def body_complaint(
    body: Any, models: Collection[str], *, tools_allowed: bool = False
) -> Complaint | None:
    """What is wrong with the body, or None."""
    if not isinstance(body, dict):
        return _invalid("body: want an object")
    for message in _faults(body, tools_allowed=tools_allowed):
        return _invalid(message)
    if body["model"] not in models:
        return Complaint(404, "not_found_error", f"model: {body['model']}")
    return None


def _invalid(message: str) -> Complaint:
    return Complaint(400, "invalid_request_error", message)


def _faults(body: dict[str, Any], *, tools_allowed: bool) -> Iterator[str]:
    missing = [field for field in ("model", "max_tokens", "messages") if field not in body]
    if missing:
        yield f"{missing[0]}: Field required"
        return
    for field in body:
        if field in REMOVED:
            yield f"{field}: no longer supported"
        elif field not in KNOWN:
            yield f"{field}: Extra inputs are not permitted"
    if not isinstance(body["model"], str) or not body["model"]:
        yield "model: want a string"
    yield from _max_tokens_faults(body["max_tokens"])
    yield from _message_faults(body["messages"])
    if "system" in body:
        yield from _content_faults(body["system"], "system")
    yield from _mode_faults(body, tools_allowed=tools_allowed)
    yield from _output_config_faults(body.get("output_config", {}))


def _mode_faults(body: dict[str, Any], *, tools_allowed: bool) -> Iterator[str]:
    planning = "format" in (body.get("output_config") or {})  # agents answer in prose
    if body.get("tools") and not (tools_allowed or planning):
        yield "tools: this caller is not allowed any"
    if (body.get("tool_choice") or {}).get("type", "auto") not in ("auto", "none"):
        yield "tool_choice: forcing a tool is not supported by this model"
    if (body.get("thinking") or {}).get("type", "adaptive") in ("disabled", "enabled"):
        yield "thinking: neither a budget nor disabled is supported by this model"
    if body.get("stream"):
        yield "stream: the stand-in answers in one piece only"


def _max_tokens_faults(value: Any) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    elif value > MAX_OUTPUT_TOKENS:
        yield f"max_tokens: {value} > {MAX_OUTPUT_TOKENS}, the maximum for this model"


def _message_faults(messages: Any) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    for index, message in enumerate(messages):
        wanted = ("user", "assistant")[index % 2]
        if not isinstance(message, dict) or set(message) != {"role", "content"}:
            yield f"messages.{index}: want role and content"
            return
        if message["role"] != wanted:
            yield f"messages.{index}.role: roles must alternate and start with user"
        yield from _content_faults(message["content"], f"messages.{index}.content")
        asked = _ids(messages[index - 1], "tool_use", "id") if index else []
        if wanted == "user" and asked != _ids(message, "tool_result", "tool_use_id"):
            yield f"messages.{index}: each tool_use needs its tool_result in the next message"
    if messages[-1]["role"] != "user":
        yield "messages: this model does not support assistant message prefill"


def _content_faults(content: Any, where: str) -> Iterator[str]:
    if isinstance(content, str):
        if not content.strip() and where != "system":
            yield f"{where}: text must not be empty"
        return
    if not isinstance(content, list) or not content:
        yield f"{where}: want a string or a list of blocks"
        return
    for index, block in enumerate(content):
        if not isinstance(block, dict) or not _is_whole(block):
            yield f"{where}.{index}: want a text block, or one of tools or of thinking"


def _is_whole(block: dict[str, Any]) -> bool:
    match block.get("type"):
        case "text":
            return bool(block.get("text"))
        case "tool_use":
            return isinstance(block.get("input"), dict) and bool(block.get("id"))
        case "tool_result":
            return isinstance(block.get("content"), str) and bool(block.get("tool_use_id"))
        case "thinking":
            return bool(block.get("signature"))
    return False


def _ids(message: Any, kind: str, key: str) -> list[str]:
    content = message["content"] if isinstance(message["content"], list) else []
    return [block[key] for block in content if block.get("type") == kind]


def _output_config_faults(config: Any) -> Iterator[str]:
    if not isinstance(config, dict) or set(config) - {"effort", "format"}:
        yield "output_config: want effort and format only"
        return
    if config.get("effort", "low") not in EFFORTS:
        yield f"output_config.effort: want one of {', '.join(EFFORTS)}"
    if "format" in config:
        form = config["format"]
        if not isinstance(form, dict) or set(form) != {"type", "schema"}:
            yield "output_config.format: want type and schema"
        elif form["type"] != "json_schema":
            yield "output_config.format.type: want json_schema"
        else:
            yield from _schema_faults(form["schema"], "output_config.format.schema")


def _schema_faults(schema: Any, where: str) -> Iterator[str]:
    if not isinstance(schema, dict):
        yield f"{where}: want an object"
        return
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{where}: additionalProperties must be explicitly set to false"
        for name, part in schema.get("properties", {}).items():
            yield from _schema_faults(part, f"{where}.properties.{name}")
    if "items" in schema:
        yield from _schema_faults(schema["items"], f"{where}.items")
    for index, part in enumerate(schema.get("anyOf", ())):
        yield from _schema_faults(part, f"{where}.anyOf.{index}")
