"""The baselines grid: schema x pipeline x prompting x model, planned, paid once, resumed."""
