"""Renderer: device, lights, materials, film."""
