"""What schemathesis cannot know of the service, put right before a request leaves."""

import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes each good idempotency key one of its own.

    A key stands for one call. Made up, the same short keys come again with other inputs, which is
    refused with 422 (draft-ietf-httpapi-idempotency-key-header, section 2.6) as it has to be.
    """
    key = (case.headers or {}).get("Idempotency-Key")
    if key and case.meta is not None and case.meta.generation.mode.is_positive:
        case.headers["Idempotency-Key"] = f"{key[:200]}-{uuid.uuid4().hex}"
