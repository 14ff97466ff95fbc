"""Files, images, checkpoints, configuration, errors: modules that do not depend on scenes."""
