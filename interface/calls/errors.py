"""The errors that many calls have."""

from interface.calls.call import ErrorAnswer

WRONG_CONTENT_TYPE = ErrorAnswer(415, "The Content-Type is not the one this call takes, or the body is compressed.")
REST_ERRORS = (
    ErrorAnswer(400, "A parameter is missing or not valid."),
    ErrorAnswer(401, "The key is missing, unknown or blocked."),
    ErrorAnswer(500, "Unexpected error."),
)
SETTINGS_ERRORS = (
    *REST_ERRORS,
    ErrorAnswer(403, "The key's scope may not do this."),
    ErrorAnswer(413, "The request is too large."),
    WRONG_CONTENT_TYPE,
)
