"""Systems: pipelines of all domains, oracles, baselines, language models. Read `pipeline` first."""
