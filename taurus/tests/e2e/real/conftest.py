"""A data set on a real system, loaded anew for each test."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import RealCheckout
from tests.e2e.real.runs import Runs
from tests.e2e.real.servers import SYSTEMS, System


@pytest.fixture(params=SYSTEMS, ids=[system.target for system in SYSTEMS])
def runs(request: pytest.FixtureRequest, real: RealCheckout) -> Runs:
    system: System = request.param
    return Runs(real, system)
