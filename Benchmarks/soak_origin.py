"""The server of the soak: answers as the path asks for, over HTTP/1.1, HTTP/2 and WebSocket, in TLS and in clear.

/KIND/ID?bytes=N&pieces=M&pause=S&framing=length|chunked|close|sse&then=end|hold|reset&status=S: N bytes in M pieces, S seconds apart.
`hold` stops after the first half until the client is gone, `reset` breaks the connection off there.
"""
import asyncio
import base64
import hashlib
import socket
import ssl
import struct
import urllib.parse

import http2_frames as http2

FILLER = ('{"access_token":"soak","note":"' + "abcdefghijklmnopqrstuvwxyz0123456789-_" * 2000)[:65536].encode()
# How long a client that has gone may go unnoticed.
PATIENCE = 30


def part(size):
    """So many bytes of a body, in pieces that can be written one after the other."""
    while size > 0:
        yield FILLER[:size]
        size -= len(FILLER)


class Plan:
    """What a path asks for."""

    def __init__(self, target):
        url = urllib.parse.urlsplit(target)
        wanted = dict(urllib.parse.parse_qsl(url.query))
        self.kind = url.path.split("/")[1]
        self.bytes, self.pieces = int(wanted.get("bytes", 0)), int(wanted.get("pieces", 1))
        self.pause, self.status = float(wanted.get("pause", 0)), int(wanted.get("status", 200))
        self.framing, self.then = wanted.get("framing", "length"), wanted.get("then", "end")

    async def body(self):
        """The pieces of the body; of one that does not end only half."""
        whole = self.bytes if self.then == "end" else self.bytes // 2
        for number in range(self.pieces):
            if number and self.pause:
                await asyncio.sleep(self.pause)
            size = whole // self.pieces if number else whole - whole // self.pieces * (self.pieces - 1)
            if self.framing == "sse":
                yield b"data: " + FILLER[:size] + b"\n\n"
                continue
            for piece in part(size):
                yield piece


def break_off(writer):
    """A reset instead of an end."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def until_gone(reader):
    try:
        while await asyncio.wait_for(reader.read(65536), PATIENCE):
            pass
    except (OSError, asyncio.TimeoutError):
        pass


# -- HTTP/1.1

async def head_of(reader):
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = {}
    for line in lines[1:]:
        if line:
            name, value = line.split(":", 1)
            fields[name.lower()] = value.strip()
    return lines[0].split(" ", 2), fields


async def body_of(reader, fields):
    """Reads a request's body; its length."""
    size = 0
    if "chunked" in fields.get("transfer-encoding", ""):
        while True:
            length = int((await reader.readline()).split(b";")[0], 16)
            if length == 0:
                await reader.readuntil(b"\r\n")
                return size
            await reader.readexactly(length + 2)
            size += length
    left = int(fields.get("content-length", 0))
    while left:
        piece = await reader.read(min(left, 65536))
        if not piece:
            raise EOFError
        left, size = left - len(piece), size + len(piece)
    return size


async def answer_http1(reader, writer, method, target, fields):
    """Whether the connection goes on."""
    received = await body_of(reader, fields)
    plan = Plan(target)
    head = [f"HTTP/1.1 {plan.status} As-Asked", "Server: soak", f"X-Received: {received}", "Cache-Control: no-store"]
    if plan.status != 304:
        head.append("Content-Type: " + ("text/event-stream" if plan.framing == "sse" else "application/json"))
    is_chunked = plan.framing in ("chunked", "sse")
    if is_chunked:
        head.append("Transfer-Encoding: chunked")
    elif plan.framing == "close":
        head.append("Connection: close")
    elif plan.status not in (204, 304):
        head.append(f"Content-Length: {plan.bytes}")
    if plan.then == "hold" and plan.bytes == 0:
        await until_gone(reader)
        return False
    writer.write("\r\n".join([*head, "", ""]).encode())
    if method == "HEAD":
        return True
    async for piece in plan.body():
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if is_chunked else piece)
        await writer.drain()
    if plan.then == "reset":
        break_off(writer)
        return False
    if plan.then == "hold":
        await until_gone(reader)
        return False
    if is_chunked:
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    return plan.framing != "close"


async def web_socket(reader, writer, fields):
    """Says back what it hears."""
    key = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    writer.write(f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
                 .encode())
    while True:
        first, second = await reader.readexactly(2)
        mask, payload = await reader.readexactly(4), await reader.readexactly(second & 0x7f)
        payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        writer.write(bytes([first, len(payload)]) + payload)
        await writer.drain()
        if first & 0x0f == 8:
            return


async def serve_http1(reader, writer):
    while True:
        (method, target, _), fields = await head_of(reader)
        if fields.get("upgrade") == "websocket":
            return await web_socket(reader, writer, fields)
        if not await answer_http1(reader, writer, method, target, fields):
            return


# -- HTTP/2

class Served:
    """One connection."""

    def __init__(self, reader, writer):
        self.link = http2.Connection(reader, writer, self.on_frame)
        self.requests, self.tasks = {}, {}

    async def run(self):
        if await self.link.reader.readexactly(len(http2.PREFACE)) != http2.PREFACE:
            return
        self.link.begin()
        try:
            await self.link.run()
        finally:
            for task in self.tasks.values():
                task.cancel()

    async def on_frame(self, kind, flags, stream, payload):
        if kind == http2.RST_STREAM:
            self.link.done(stream)
            self.requests.pop(stream, None)
            if stream in self.tasks:
                self.tasks.pop(stream).cancel()
            return
        if kind == http2.HEADERS:
            self.requests[stream] = [dict(payload), 0]
        elif stream in self.requests:
            self.requests[stream][1] += len(payload)
            self.link.received(stream, len(payload))
        if flags & http2.END_STREAM and stream in self.requests:
            self.tasks[stream] = asyncio.create_task(self.answer(stream, *self.requests.pop(stream)))

    async def answer(self, stream, fields, received):
        try:
            plan = Plan(fields[":path"])
            if plan.then == "hold" and plan.bytes == 0:
                return
            head = [(":status", str(plan.status)), ("server", "soak"), ("x-received", str(received)), ("cache-control", "no-store"),
                    ("content-type", "application/json"), ("content-length", str(plan.bytes))]
            if fields[":method"] == "HEAD" or plan.status in (204, 304):
                return self.link.headers(stream, head[:5], ends=True)
            self.link.headers(stream, head)
            async for piece in plan.body():
                if not await self.link.data(stream, piece):
                    return
            if plan.then == "reset":
                self.link.reset(stream)
            if plan.then == "end":
                await self.link.data(stream, b"", ends=True)
                self.link.done(stream)
        except OSError:
            pass
        finally:
            self.tasks.pop(stream, None)


async def serve(reader, writer):
    session = writer.get_extra_info("ssl_object")
    try:
        if session is not None and session.selected_alpn_protocol() == "h2":
            await Served(reader, writer).run()
        else:
            await serve_http1(reader, writer)
    except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
        pass
    finally:
        writer.close()


def context(certificate, key):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    made.set_alpn_protocols(["h2", "http/1.1"])
    return made


async def start(certificate, key):
    """Listens three times on 127.0.0.1; the ports: in TLS, in TLS once more, in clear."""
    settings = context(certificate, key)
    servers = [await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls, backlog=1024, ssl_handshake_timeout=tls and 20)
               for tls in (settings, settings, None)]
    return [server.sockets[0].getsockname()[1] for server in servers]
