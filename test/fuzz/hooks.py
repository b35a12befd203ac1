"""What Schemathesis cannot know of the sandbox: a format of its own, and that a form has no types."""

import json

import schemathesis
from hypothesis import strategies as st

template = st.fixed_dictionaries(
    {
        "templateName": st.text(min_size=1, max_size=20),
        "templateLanguage": st.sampled_from(["pt_BR", "en"]),
        "templateParameters": st.lists(st.text(max_size=10), max_size=3),
    }
)

schemathesis.openapi.format("template-json", template.map(json.dumps))


@schemathesis.hook
def filter_case(context, case):
    """In a form all is text or bytes: a value of a wrong type is one of the right type on the wire, and no wrong call."""
    if case.media_type != "multipart/form-data":
        return True
    is_negative = case.meta is not None and case.meta.generation.mode.is_negative
    return not is_negative and not has_unwritable_name(case.body)


def has_unwritable_name(body):
    """The header of a part cannot hold control characters; only names that the document does not declare have any."""
    return isinstance(body, dict) and any(ord(char) < 32 or ord(char) == 127 for name in body for char in name)
