"""What can be wrong with a file itself. The readers find these; here is what each means."""

from __future__ import annotations

from pytest_qwen_mtp.rules.page import Page

_COMPOSE_REFUSES = "Compose refuses the file, so nothing in it starts."
_CONFIG = "`docker compose config` refuses the file too."

PROBLEMS: dict[str, Page] = {
    each.id: each
    for each in (
        Page(
            "alias-expansion",
            "YAML references unfold without measure",
            "Aliases of aliases unfold to more values than any deployment needs, or a value contains itself.",
            "Every reader that walks or copies the values: it runs out of time or memory.",
            "Count the aliases (*name) inside the anchors (&name) that they refer to.",
            "Write the values out, or refer to each anchor once.",
        ),
        Page(
            "duplicate-key",
            "A key is given twice in one mapping",
            "Two lines of the same mapping have the same key.",
            "Compose refuses the file; many other readers silently keep the last one.",
            _CONFIG,
            "Remove one of the two, or rename it.",
        ),
        Page(
            "empty-file",
            "The file is empty",
            "The file holds nothing, or nothing but comments.",
            "Whoever thinks that this file starts something.",
            "Open the file.",
            "Write the services, or remove the file.",
        ),
        Page(
            "include-cycle",
            "Files include or extend each other in a circle",
            "A chain of include or extends comes back to where it began.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Move what both need into a third file.",
        ),
        Page(
            "invalid-command",
            "A command string cannot be split into words",
            "A quote in a command or entrypoint string is not closed, or the value is no text and no list of texts.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Close the quote, or write the command as a list.",
        ),
        Page(
            "invalid-compose",
            "Compose refuses the file",
            "A key or value is not what the Compose specification allows there, although the YAML is valid.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Correct the value at the given place; the message says what is expected.",
        ),
        Page(
            "invalid-dockerfile",
            "A Dockerfile cannot be read",
            "The Dockerfile that a service is built from has an instruction that Docker does not know or cannot parse.",
            "The build fails, and the service does not start.",
            "`docker build` refuses the file at the same line.",
            "Correct the instruction.",
        ),
        Page(
            "invalid-env-file",
            "An environment file cannot be read",
            "A line of .env or of an env_file is no NAME=value, or a quote in it is not closed.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Write NAME=value, one a line; quote a value that holds blanks or spans lines.",
        ),
        Page(
            "invalid-interpolation",
            "A variable reference cannot be read",
            "A $ stands before what is no variable reference, such as ${} or ${A:*}, or a brace is not closed.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Correct the reference, or write $$ for a dollar sign.",
        ),
        Page(
            "invalid-profile",
            "A *.mtp.yaml has a field that its schema does not allow",
            "A field is unknown, missing, or holds another kind of value than the format has for it.",
            "The server of that file: what the field was meant to say is not checked.",
            "The message names the field; schemas/native-profile.schema.json lists what is allowed.",
            "Write the field as the message expects it. A field of your own begins with `x-`.",
        ),
        Page(
            "invalid-shell",
            "A script cannot be read",
            "The shell finds no end of a quote, a block or a here-document, or a word where none may stand.",
            "Whoever starts the script: the shell stops at that place.",
            "`bash -n FILE` names the same place.",
            "Close what is open, or take out what does not belong there.",
        ),
        Page(
            "invalid-yaml",
            "The file is no valid YAML",
            "The text breaks a rule of YAML at the given place.",
            "Every reader: nothing in the file starts.",
            _CONFIG,
            "Correct the line; often a quote, a colon or the indentation of the line above.",
        ),
        Page(
            "is-a-directory",
            "A folder stands where a file is expected",
            "The path names a folder.",
            "Docker makes a folder where the source of a volume is missing; what expects a file then fails.",
            "`ls -ld` shows a d in front.",
            "Name a file inside it, or name the folder to --mtp-profiles to search it.",
        ),
        Page(
            "missing-file",
            "A file that is needed is not there",
            "An env_file, include, extends or build file is named and does not exist, or may not be read.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Add the file, correct the path, or mark it `required: false` where it may be missing.",
        ),
        Page(
            "no-services",
            "There are no services",
            "`services` is empty or is no mapping.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Write a service, or remove the file.",
        ),
        Page(
            "not-text",
            "This is no text file",
            "The file holds NUL bytes or is no regular file: a picture, an archive, a device.",
            "Every reader.",
            "`file PATH` names what it is.",
            "Remove it from the folder, or give it its own ending.",
        ),
        Page(
            "not-utf8",
            "The file is not UTF-8",
            "A byte at the given place is not valid UTF-8; often a comment in Latin-1.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Save the file as UTF-8.",
        ),
        Page(
            "required-variable",
            "A required variable has no value",
            "The file asks for a variable with ${NAME:?message} and nothing gives it a value.",
            "Compose and shells refuse to start and print the message.",
            _CONFIG,
            "Give it a value in .env, or run the gate with --mtp-env where it is set.",
        ),
        Page(
            "tab-in-indentation",
            "A tab stands in the indentation",
            "YAML allows only blanks there.",
            "Every reader: nothing in the file starts. Editors show nothing wrong.",
            _CONFIG,
            "Replace the tab by blanks.",
        ),
        Page(
            "too-large",
            "The file is too large",
            "The file is larger than any deployment file, so it was not read.",
            "Whoever keeps data in a deployment file.",
            "`ls -l` shows the size.",
            "Move the data into a file of its own.",
        ),
        Page(
            "wrong-top-level",
            "The file does not hold a mapping",
            "A list or a single value stands where a mapping with `services` is expected.",
            _COMPOSE_REFUSES,
            _CONFIG,
            "Put the services under the key `services`.",
        ),
    )
}
"""By id. The readers use these ids as ``Problem.kind``."""
