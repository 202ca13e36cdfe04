"""`nirls verify`: find the passes of a log that changed the results of a shader."""
