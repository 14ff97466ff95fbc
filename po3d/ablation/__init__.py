"""What a module of perception or language is worth: ground truth, noise and blame in its place."""
