"""The twins: meshes, scenes, images, questions and their exact labels."""
