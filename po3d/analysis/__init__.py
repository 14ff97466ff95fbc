"""Looking at results: comparing, trusting, auditing, reading runs and asking outside the twins."""
