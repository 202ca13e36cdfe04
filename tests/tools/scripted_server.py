"""The beginning of a server script for tests of clients: it receives and sends messages."""

from __future__ import annotations

MESSAGES = """
import json, sys
def receive():
    length = int(sys.stdin.buffer.readline().split()[1])
    while sys.stdin.buffer.readline().strip():
        pass
    return json.loads(sys.stdin.buffer.read(length))
def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    sys.stdout.buffer.flush()
"""
