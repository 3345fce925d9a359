"""What stands between and behind words: blanks, comments, line ends, redirections and here-documents."""

from __future__ import annotations

import re
from dataclasses import replace

from pytest_qwen_mtp.profiles.shell.lexer import Lexer
from pytest_qwen_mtp.profiles.shell.syntax import Literal, Redirection, ShellWord

_REDIRECTION = re.compile(r"(\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<&|>&|<>|>>|>\||<(?!\()|>(?!\())")


class Layout(Lexer):
    """Reads over what separates words; a here-document's body is read when its line ends."""

    def __init__(self, text: str, position: int = 0, end: int | None = None) -> None:
        super().__init__(text, position, end)
        self._heredocs: list[tuple[Redirection, list[Redirection]]] = []

    def within(self, start: int, end: int) -> Layout:
        """A reader of the same kind for a part of the text."""
        inner = type(self)(self.text, start, end)
        inner.depth = self.depth
        return inner

    def _blanks(self) -> None:
        """Skips blanks, continued lines and a comment."""
        text = self.text
        while self.position < self.end:
            character = text[self.position]
            if character in " \t":
                self.position += 1
            elif character == "\\" and text[self.position + 1 : self.position + 2] == "\n":
                self.position += 2
            elif character == "#":
                newline = text.find("\n", self.position, self.end)
                self.position = self.end if newline == -1 else newline
            else:
                return

    def _newlines(self) -> None:
        while True:
            self._blanks()
            if self.peek() != "\n":
                return
            self._newline()

    def _newline(self) -> None:
        """Consumes a line end, and the here-documents whose bodies stand behind it."""
        self.position += 1
        waiting, self._heredocs = self._heredocs, []
        for redirection, slot in waiting:
            slot.append(replace(redirection, heredoc=self._heredoc(redirection)))

    def _heredoc(self, redirection: Redirection) -> ShellWord:
        strip = redirection.operator == "<<-"
        parts = redirection.target.parts
        quoted = any(not isinstance(part, Literal) or part.quoted for part in parts)
        delimiter = "".join(part.text for part in parts if isinstance(part, Literal))
        start = position = self.position
        while position < self.end:
            newline = self.text.find("\n", position, self.end)
            stop = self.end if newline == -1 else newline
            line = self.text[position:stop]
            if (line.lstrip("\t") if strip else line) == delimiter:
                body_end, self.position = position, min(stop + 1, self.end)
                if newline != -1:
                    self.position = stop  # the newline ends the surrounding line
                    self.position += 1
                break
            position = stop + 1
        else:
            body_end = self.position = self.end
        inner = self.within(start, body_end)
        if quoted:
            lines = self.text[start:body_end].splitlines(keepends=True)
            if not strip:
                return ShellWord((Literal("".join(lines), start, True),), start, body_end)
            literals, offset = [], start
            for line in lines:
                kept = line.lstrip("\t")
                literals.append(Literal(kept, offset + len(line) - len(kept), True))
                offset += len(line)
            return ShellWord(tuple(literals), start, body_end)
        if strip:
            while inner.peek() == "\t":
                inner.position += 1
        content = inner.read_parts(
            "", quoted=True, escapes="$`\\", single_quotes=False, double_quotes=False, strip_tabs=strip
        )
        return ShellWord(tuple(content), start, body_end)

    def _redirections(self) -> list[Redirection]:
        found: list[Redirection] = []
        while True:
            self._blanks()
            redirection = self._redirection(found)
            if not redirection:
                return found

    def _redirection(self, found: list[Redirection]) -> bool:
        """Reads one redirection into ``found``; a here-document arrives there when its line ends."""
        match = _REDIRECTION.match(self.text, self.position, self.end)
        if not match:
            return False
        start = self.position
        self.position = match.end()
        self._blanks()
        target = self.read_word()
        if target is None:
            raise self.fail(f"a word is expected after `{match.group(2)}`")
        redirection = Redirection(match.group(2), target, start, match.group(1))
        if match.group(2) in ("<<", "<<-"):
            self._heredocs.append((redirection, found))
        else:
            found.append(redirection)
        return True
