"""Other programs: result files, harnesses, endpoints and servers of language models."""
