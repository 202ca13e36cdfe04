"""Mesa's own NIR library: how it is built, and what it makes of the tests that `nirls testcase` writes."""
