"""Checks that a file is a valid OpenAPI 3.1 document and that its examples fit its schemas.

    check_openapi.py FILE

Prints every fault and exits with 1 if there is one.
"""

import json
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator


def examples(document):
    """Yields each example of a body or a parameter with where it stands and its schema."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            at = f"{method.upper()} {path}"
            for parameter in operation.get("parameters", []):
                if "example" in parameter:
                    yield f"{at} {parameter['name']}", parameter["schema"], parameter["example"]
            contents = {"request": operation.get("requestBody", {}).get("content", {})}
            for status, response in operation["responses"].items():
                contents[status] = response.get("content", {})
            for which, content in contents.items():
                for media in content.values():
                    if "example" in media:
                        yield f"{at} {which}", media["schema"], media["example"]


def faults(document):
    """Yields what is wrong with the document, one line each."""
    for error in OpenAPIV31SpecValidator(document).iter_errors():
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
    for at, schema, example in examples(document):
        # References are resolved inside the whole document.
        whole = {"components": document["components"], "allOf": [schema]}
        for error in Draft202012Validator(whole).iter_errors(example):
            yield f"{at}: {error.message[:300]}"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    if not document.get("openapi", "").startswith("3.1"):
        print(f"not OpenAPI 3.1: {document.get('openapi')}", file=sys.stderr)
        return 1
    found = list(faults(document))
    for fault in found:
        print(fault, file=sys.stderr)
    operations = sum(len(item) for item in document["paths"].values())
    print(f"{operations} operations, {sum(1 for _ in examples(document))} examples, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
