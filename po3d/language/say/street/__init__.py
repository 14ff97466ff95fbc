"""Questions of streets in English."""
