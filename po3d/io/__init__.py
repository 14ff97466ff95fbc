"""Files, images, checkpoints, configuration, errors: what knows nothing of scenes."""
