"""The commands, one module each: the arguments, and what is done with them.

What a command needs is imported when it runs, so that help is quick.
"""
