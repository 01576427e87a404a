"""The eight scenarios of the demo, as they are printed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = """\
1. primary succeeds
   outcome=useful_result next_action=use_result attempts=1/2 elapsed_ms=300/2000 trail=[primary:ok_useful]
   fallback fetch() calls: 0
2. 200 with an empty result set, so fall back
   outcome=useful_result next_action=use_result attempts=2/2 elapsed_ms=700/2000 trail=[primary:ok_not_useful -> fallback:ok_useful]
3. both answered, neither usable
   outcome=no_useful_result next_action=ask_user_to_narrow attempts=2/2 elapsed_ms=600/2000 trail=[primary:ok_not_useful -> fallback:ok_not_useful]
4. two 5 s providers, 2 s budget, 1.2 s cap
   outcome=transport_failed next_action=retry_later attempts=2/2 elapsed_ms=2000/2000 trail=[primary:transport_timeout -> fallback:transport_timeout]
5. fallback skipped without runway
   outcome=budget_exhausted next_action=answer_from_prior_knowledge attempts=1/2 elapsed_ms=1150/1300 trail=[primary:ok_not_useful -> fallback:skipped_no_budget]
   fallback fetch() calls: 0
6. rejected credentials
   outcome=transport_failed next_action=stop attempts=2/2 elapsed_ms=160/2000 trail=[primary:auth_failed -> fallback:auth_failed]
7. local refusal
   outcome=blocked_by_policy next_action=stop attempts=0/1 elapsed_ms=0/2000 trail=[none]
   primary fetch() calls: 0
8. the tool inside a real AutoGen AssistantAgent
"""
RECEIVED = (
    '{"outcome": "useful_result", "next_action": "use_result", "fallback_used": true, "attempts_used": 2, '
    '"elapsed_ms": 700, "budget_ms": 2000, '
)


def run_demo(*options, **keywords):
    command = [sys.executable, *options, str(ROOT / "examples/demo.py")]
    return subprocess.run(command, capture_output=True, timeout=60, **keywords)


def test_the_demo_prints_the_same_bytes_every_time():
    pytest.importorskip("autogen_agentchat")
    first, second = run_demo(), run_demo()
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == second.stdout
    printed = first.stdout.decode()
    assert printed.startswith(EXPECTED)
    *_, received = printed.splitlines()
    assert received.strip().startswith(RECEIVED)


def test_without_autogen_it_says_so_in_one_line(tmp_path):
    (tmp_path / "autogen_agentchat.py").write_text("raise ModuleNotFoundError(name='autogen_agentchat')")
    run = f"runpy.run_path({str(ROOT / 'examples/demo.py')!r}, run_name='__main__')"
    code = f"import runpy, sys; sys.path.insert(0, {str(tmp_path)!r}); {run}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stdout == EXPECTED
    assert done.stderr == "   needs autogen_agentchat: pip install 'bounded-web-tool[autogen]'\n"
