"""A static reader of shell scripts: what would bash start, with nothing executed.

``syntax`` names the parts of a script, ``lexer`` reads words and ``parser`` commands, ``expand`` gives words their
fields, ``conditions`` and ``arithmetic`` decide, ``builtins`` and ``interpreter`` follow the script, and ``branches``
tries what else it could start.
"""
