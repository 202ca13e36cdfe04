"""`nirls verify`: which pass of a log changed what a shader computes."""
