"""The renderer: device, lights, materials, film."""
