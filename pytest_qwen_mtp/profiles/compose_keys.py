"""The keys that Compose knows; any other makes it refuse the file (compose-go 2.16, schema/compose-spec.json)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_qwen_mtp.profiles.compose_session import Session
from pytest_qwen_mtp.profiles.compose_values import Entry, Mapping
from pytest_qwen_mtp.profiles.excerpt import excerpt

TOP_LEVEL = frozenset(("configs", "include", "models", "name", "networks", "secrets", "services", "version", "volumes"))
SERVICE = frozenset(
    """
    annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent command configs container_name
    cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset credential_spec
    depends_on deploy develop device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint env_file
    environment expose extends external_links extra_hosts gpus group_add healthcheck hostname image init ipc isolation
    label_file labels links logging mac_address mem_limit mem_reservation mem_swappiness memswap_limit models
    network_mode networks oom_kill_disable oom_score_adj pid pids_limit platform ports post_start pre_start pre_stop
    privileged profiles provider pull_policy pull_refresh_after read_only restart runtime scale secrets security_opt
    shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits use_api_socket user
    userns_mode uts volumes volumes_from working_dir
    """.split()  # noqa: SIM905
)
_SERVICE_NAME = re.compile(r"[a-zA-Z0-9._-]+")


def check_keys(mapping: Mapping, known: frozenset[str], what: str, session: Session) -> None:
    """Notes every key of ``mapping`` that is neither known nor begins with ``x-``. ``what`` names the mapping."""
    for name, entry in mapping.entries.items():
        if name not in known and not name.startswith("x-"):
            _note(name, entry, known, what, session)


def check_service_name(name: str, entry: Entry, session: Session) -> None:
    """Notes a name that Compose allows no service to have."""
    if not _SERVICE_NAME.fullmatch(name):
        message = f"`{excerpt(name)}` is no name for a service; letters, digits, `.`, `_` and `-` are"
        session.refuse(entry.place, message)


def _note(name: str, entry: Entry, known: Iterable[str], what: str, session: Session) -> None:
    from difflib import get_close_matches

    near = get_close_matches(name[:40], known, n=1)
    fix = f"Did you mean `{near[0]}`?" if near else "Remove it, or begin it with `x-`."
    session.refuse(entry.place, f"`{excerpt(name)}` is no key that Compose knows {what}", fix)
