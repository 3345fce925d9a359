"""The image is named by a tag that moves."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_qwen_mtp.findings import Finding, Reason, Severity
from pytest_qwen_mtp.profiles.model import ServeProfile
from pytest_qwen_mtp.rules.model import Examples, Rule

DOC = """\
What it is
  The image is named by a tag that moves (latest, nightly, main, a bare variant, or no tag at all), so that the same
  file starts another release after the next pull.

Whom it hits
  Every restart after a pull. Whether an MTP problem is in the image cannot be told from the file, and a problem can
  come back without any change in the repository.

How to see it
  `docker image inspect` gives the digest that runs now; the file does not.

What to change
  Name a release (vllm/vllm-openai:v0.32.0), or add a digest (@sha256:…).
"""


def find(profile: ServeProfile) -> Iterator[Finding]:
    """At most one finding, at the image."""
    from pytest_qwen_mtp.profiles.image import read_image

    word = profile.base or profile.image
    if word is None or not word.text or word.unresolved:
        return
    if profile.version is not None and profile.version_evidence.place is not None:
        return  # the files name the release, in the tag or by what they install
    image = read_image(word)
    if image.moving:
        tag = f"the tag {image.tag!r} moves" if image.tag else "no tag means latest"
        yield RULE.finding(
            profile,
            word.place,
            "the same file starts another release after the next pull",
            why=(Reason(f"{word.text}: {tag}", place=word.place),),
            fix="name a release, or add a digest (@sha256:…)",
        )


RULE = Rule(
    id="version-unpinned",
    severity=Severity.MEDIUM,
    check="profile",
    title="The image is named by a tag that moves",
    doc=DOC,
    examples=Examples(
        bad=(
            "services: {qwen: {image: 'vllm/vllm-openai:latest', command: [--model, Qwen/Qwen3.6-27B]}}\n",
            "services: {qwen: {image: vllm/vllm-openai, command: [--model, Qwen/Qwen3.6-27B]}}\n",
        ),
        good=(
            "services: {qwen: {image: 'vllm/vllm-openai:v0.32.0', command: [--model, Qwen/Qwen3.6-27B]}}\n",
            "services: {qwen: {image: 'vllm/vllm-openai@sha256:" + "0d" * 32 + "',"
            " command: [--model, Qwen/Qwen3.6-27B]}}\n",
        ),
    ),
    of_profile=find,
)
