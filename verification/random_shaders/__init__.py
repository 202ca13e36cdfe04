"""Random shaders, linked pipelines and patches as text; a number decides on everything."""
