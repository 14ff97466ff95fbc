"""Options that a run reads are accepted; others are refused in one line."""

import pytest
from omegaconf import OmegaConf

from po3d.evaluation.options import check_read, defaults
from po3d.io.config import compose
from po3d.io.errors import InputError


def check(*overrides):
    config = compose("evaluate", overrides)
    options = OmegaConf.to_container(config, resolve=True)
    check_read(config, options, defaults(options))


@pytest.mark.parametrize("mode", ["benchmark", "general", "cascade"])
@pytest.mark.parametrize("benchmark", ["hypo3d", "superclevr"])
def test_every_choice_of_the_parser_is_read_by_po3d(benchmark, mode):
    check(f"benchmark={benchmark}", f"parser={mode}", "parser.checkpoint=x")


@pytest.mark.parametrize("option", ["parser=benchmark", "parser.checkpoint=x"])
def test_a_system_without_a_parser_refuses_the_choice_of_one(option):
    key = option.partition("=")[0]
    with pytest.raises(InputError, match=f"{key} is set, but has no effect on system=oracle"):
        check("system=oracle", option)
