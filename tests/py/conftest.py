"""Fixtures of the lookup tests."""

import gc
import logging

import pytest
from worlds import DOORS


@pytest.fixture(params=DOORS)
def look_up(request):
    return DOORS[request.param]


@pytest.fixture
def nothing_complains(caplog, recwarn):
    """No "never retrieved", "never awaited" or "was destroyed but it is pending"."""
    yield
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert [str(warning.message) for warning in recwarn] == []
