"""Systems: pipelines of the domains, oracles, baselines and language models. Read `pipeline` first.
"""
