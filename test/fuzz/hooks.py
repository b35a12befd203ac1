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
    is_form = case.media_type == "multipart/form-data"
    return not (is_form and case.meta is not None and case.meta.generation.mode.is_negative)
