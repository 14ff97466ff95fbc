"""LightningModules and DataModules of the estimator and the parser."""
