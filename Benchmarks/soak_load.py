"""The clients of the soak: well behaved ones, slow ones, and those that go away or talk nonsense at every step of a connection.

Every exchange has a number of its own in its path. Those that a client has whole are `complete`, those that it broke off, and that
the server would never have ended, are `aborted`; what should have gone well and did not is `unexpected`.
"""
import asyncio
import base64
import collections
import contextlib
import os
import random
import socket
import ssl
import struct
import time

import http2_frames as http2
from soak_origin import FILLER, break_off, head_of, part

LARGEST = 100 << 20
# Seconds that anything may take.
PATIENCE = 120


class Broken(Exception):
    """What should have gone well did not."""


class Load:
    """What all clients share: where to go, who is next, and what came of it."""

    def __init__(self, proxy, ports, authority, origin_authority, seconds, rate, seed):
        self.proxy, self.seconds, self.rate = proxy, seconds, rate
        self.secure, self.apart, self.clear = ports
        self.random = random.Random(seed)
        self.trust = ssl.create_default_context(cafile=authority)
        self.http2_trust = ssl.create_default_context(cafile=authority)
        self.trust.set_alpn_protocols(["http/1.1"])
        self.http2_trust.set_alpn_protocols(["h2"])
        self.distrust = ssl.create_default_context(cafile=origin_authority)
        self.begun = time.monotonic()
        self.number, self.given = 0, 0.0
        # Number to (kind, status, bytes of the answer).
        self.complete, self.aborted = {}, {}
        self.unexpected = []
        self.connections = collections.Counter()

    # -- pace

    @property
    def is_over(self):
        return time.monotonic() - self.begun > self.seconds

    async def turn(self):
        """Waits until one more exchange may be sent."""
        now = time.monotonic() - self.begun
        # Time that nobody used is not made up for.
        self.given = max(self.given, now - 0.5) + 1 / self.rate
        await asyncio.sleep(max(0, self.given - now))

    # -- bookkeeping

    def path(self, kind, **wanted):
        """A number that nobody has had, and the path that has it."""
        self.number += 1
        query = "&".join(f"{name}={value}" for name, value in wanted.items())
        return self.number, f"/{kind}/{self.number:08d}?{query}"

    def host(self):
        return self.random.choice(["127.0.0.1", "localhost"])

    def small(self):
        return self.random.choice([0, 1, 40, 200, 200, 700, 1500, 5000])


# -- connections

async def dial(load, buffer=None):
    client = socket.socket()
    client.setblocking(False)
    if buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", load.proxy))
    except BaseException:
        client.close()
        raise
    return client


async def connect(load, client, host, port):
    """Asks for a tunnel; the status of the answer."""
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(client, f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = await loop.sock_recv(client, 4096)
        if not more:
            raise Broken("the proxy closed a connection that asked for a tunnel")
        answer += more
    return int(answer.split()[1])


@contextlib.asynccontextmanager
async def streams(client, tls=None, host=None):
    """Reader and writer of a connection, which ends with the block."""
    try:
        reader, writer = await asyncio.open_connection(sock=client, ssl=tls, server_hostname=tls and host, limit=1 << 17)
    except BaseException:
        client.close()
        raise
    try:
        yield reader, writer
    finally:
        writer.close()


@contextlib.asynccontextmanager
async def tunnel(load, tls=None, port=None, buffer=None):
    """A connection through a tunnel: in TLS where `tls` says who is trusted, in clear else."""
    host, port = load.host(), port or (load.secure if tls else load.clear)
    client = await dial(load, buffer)
    try:
        status = await connect(load, client, host, port)
    except BaseException:
        client.close()
        raise
    if status != 200:
        client.close()
        raise Broken(f"CONNECT was answered {status}")
    async with streams(client, tls, host) as (reader, writer):
        yield reader, writer, f"{host}:{port}"


# -- HTTP/1.1

def request(method, target, host, body=None, fields=()):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", "User-Agent: soak", "Accept: */*", *fields]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


async def answer(reader, method="GET", take=None):
    """Reads an answer to its end; its status and the length of its body. `take` is called before each piece."""
    first, fields = await head_of(reader)
    status, size = int(first[1]), 0
    if method == "HEAD" or status in (101, 204, 304):
        return status, 0
    if "chunked" in fields.get("transfer-encoding", ""):
        while True:
            length = int(await reader.readline(), 16)
            await reader.readexactly(length + 2)
            if length == 0:
                return status, size
            size += length
    left = int(fields.get("content-length", -1))
    while left:
        if take:
            await take()
        piece = await reader.read(65536 if left < 0 else min(left, 65536))
        if not piece:
            if left > 0:
                raise Broken(f"an answer broke off after {size} bytes")
            return status, size
        size += len(piece)
        left -= len(piece) if left > 0 else 0
    return status, size


async def exchange(load, reader, writer, host, kind, prefix="", method=None, sent=None, **wanted):
    """One request and its whole answer."""
    await load.turn()
    method = method or load.random.choice(["GET", "GET", "GET", "POST", "HEAD", "PUT"])
    if sent is None and method in ("POST", "PUT"):
        sent = FILLER[:load.small()]
    wanted = {"bytes": load.small(), **wanted}
    number, target = load.path(kind, **wanted)
    writer.write(request(method, prefix + target, host, sent))
    await finished(load, kind, number, wanted, method, await answer(reader, method))


async def finished(load, kind, number, wanted, method, seen):
    status, size = seen
    expected = 0 if method == "HEAD" or status in (101, 204, 304) else wanted["bytes"]
    if wanted.get("framing") == "sse":
        expected += 8 * wanted["pieces"]
    if status != wanted.get("status", 200) or size != expected:
        raise Broken(f"/{kind}/{number:08d} was answered {status} with {size} bytes, not {expected}")
    load.complete[number] = (kind, status, size)


def variety(load):
    """How answers to ordinary requests differ."""
    return load.random.choice([{}, {}, {}, {"framing": "chunked", "pieces": 3}, {"status": 304, "bytes": 0}, {"status": 404}])


async def keep_alive(load):
    async with tunnel(load, load.trust) as (reader, writer, host):
        for _ in range(load.random.randint(1, 30)):
            await exchange(load, reader, writer, host, "tls", **variety(load))


async def clear_tunnel(load):
    async with tunnel(load) as (reader, writer, host):
        for _ in range(load.random.randint(1, 10)):
            await exchange(load, reader, writer, host, "clear-tunnel", **variety(load))


async def plain(load):
    async with streams(await dial(load)) as (reader, writer):
        for _ in range(load.random.randint(1, 25)):
            host = f"{load.host()}:{load.clear}"
            await exchange(load, reader, writer, host, "plain", f"http://{host}", **variety(load))


async def closing(load):
    """The end of the connection is that of the answer."""
    async with tunnel(load, load.trust) as (reader, writer, host):
        await exchange(load, reader, writer, host, "closing", method="GET", framing="close", bytes=5000)
        if await reader.read():
            raise Broken("more behind an answer that ends with its connection")


async def pipelined(load):
    async with tunnel(load, load.trust) as (reader, writer, host):
        asked = []
        for _ in range(6):
            await load.turn()
            wanted = {"bytes": load.small()}
            number, target = load.path("pipelined", **wanted)
            asked.append((number, wanted))
            writer.write(request("GET", target, host))
        for number, wanted in asked:
            await finished(load, "pipelined", number, wanted, "GET", await answer(reader))


async def slow_reader(load):
    async with tunnel(load, load.trust, buffer=16384) as (reader, writer, host):
        wanted = {"bytes": load.random.choice([100_000, 400_000])}
        await load.turn()
        number, target = load.path("slow-reader", **wanted)
        writer.write(request("GET", target, host))

        async def rest():
            await asyncio.sleep(0.1)
        await finished(load, "slow-reader", number, wanted, "GET", await answer(reader, take=rest))


async def slow_writer(load):
    """The request comes in drops, head and body."""
    async with tunnel(load, load.trust) as (reader, writer, host):
        wanted, body = {"bytes": 300}, FILLER[:20_000]
        await load.turn()
        number, target = load.path("slow-writer", **wanted)
        whole = request("POST", target, host, body)
        edges = sorted({0, len(whole), *(load.random.randrange(len(whole)) for _ in range(10)), 5, len(whole) - len(body)})
        for begin, end in zip(edges, edges[1:]):
            writer.write(whole[begin:end])
            await writer.drain()
            await asyncio.sleep(0.05)
        await finished(load, "slow-writer", number, wanted, "POST", await answer(reader))


async def slow_server(load):
    async with tunnel(load, load.trust) as (reader, writer, host):
        await exchange(load, reader, writer, host, "slow-server", method="GET", bytes=4000, pieces=10, pause=0.1,
                       framing=load.random.choice(["length", "chunked"]))


async def events(load):
    async with tunnel(load, load.trust) as (reader, writer, host):
        await exchange(load, reader, writer, host, "events", method="GET", bytes=2000, pieces=20, pause=0.1, framing="sse")


async def web_socket(load, messages=10, pause=0.1):
    async with tunnel(load, load.trust) as (reader, writer, host):
        await load.turn()
        wanted = {"bytes": 0, "status": 101}
        number, target = load.path("web-socket", **wanted)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(request("GET", target, host, fields=[
            "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]))
        seen = await answer(reader)
        for count in range(messages + 1):
            is_last = count == messages or load.is_over
            payload = b"\x03\xe8" if is_last else b"message %d" % count
            mask = os.urandom(4)
            writer.write(bytes([0x88 if is_last else 0x81, 0x80 | len(payload)]) + mask
                         + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload)))
            await reader.readexactly(2)
            if await reader.readexactly(len(payload)) != payload:
                raise Broken("a WebSocket message came back changed")
            if is_last:
                break
            await asyncio.sleep(pause)
        await finished(load, "web-socket", number, wanted, "GET", seen)


async def refused(load):
    """A server that is not there."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        client = await dial(load)
        with contextlib.closing(client):
            if await connect(load, client, "127.0.0.1", port) != 502:
                raise Broken("a tunnel to nobody was not answered 502")
        async with streams(await dial(load)) as (reader, writer):
            await load.turn()
            number, target = load.path("refused", bytes=0)
            load.aborted[number] = "refused"
            writer.write(request("GET", f"http://127.0.0.1:{port}{target}", f"127.0.0.1:{port}"))
            status, _ = await answer(reader)
            if status != 502:
                raise Broken(f"a request to nobody was answered {status}")


async def large(load, size=None):
    """A body that is longer than what is kept, there or back."""
    size = size or load.random.randint(5 << 20, LARGEST)
    async with tunnel(load, load.trust if load.random.random() < 0.7 else None) as (reader, writer, host):
        await load.turn()
        if load.random.random() < 0.5:
            wanted = {"bytes": size}
            number, target = load.path("large-answer", **wanted)
            writer.write(request("GET", target, host))
            return await finished(load, "large-answer", number, wanted, "GET", await answer(reader))
        wanted = {"bytes": 100}
        number, target = load.path("large-request", **wanted)
        writer.write(request("PUT", target, host, fields=[f"Content-Length: {size}"]))
        for piece in part(size):
            writer.write(piece)
            await writer.drain()
        await finished(load, "large-request", number, wanted, "PUT", await answer(reader))


# -- HTTP/2

class Client:
    """A connection with many requests at a time."""

    def __init__(self, load, reader, writer, host):
        self.load, self.host, self.next = load, host, 1
        self.link = http2.Connection(reader, writer, self.on_frame)
        # Stream to [status, bytes, whether to say that they were taken, what to tell of the end].
        self.streams = {}
        self.link.begin(http2.PREFACE)
        self.task = asyncio.create_task(self.run())

    async def run(self):
        try:
            await self.link.run()
        finally:
            for state in self.streams.values():
                if not state[3].done():
                    state[3].set_exception(Broken("the connection ended"))
                    state[3].exception()

    async def on_frame(self, kind, flags, stream, payload):
        state = self.streams.get(stream)
        if kind == http2.DATA:
            self.link.received(stream, len(payload))
        if state is None:
            return
        if kind == http2.HEADERS:
            state[0] = int(dict(payload)[":status"])
        elif kind == http2.DATA:
            state[1] += len(payload)
        if kind == http2.RST_STREAM and not state[3].done():
            state[3].set_exception(Broken("the stream was reset"))
            state[3].exception()
        if state[2] is not None and state[0] is not None:
            state[2].set()
        if flags & http2.END_STREAM and kind != http2.RST_STREAM and not state[3].done():
            state[3].set_result((state[0], state[1]))

    def ask(self, method, path, has_body=False):
        """Sends a request's head; its stream."""
        stream, self.next = self.next, self.next + 2
        self.streams[stream] = [None, 0, asyncio.Event(), asyncio.get_running_loop().create_future()]
        fields = [(":method", method), (":scheme", "https"), (":authority", self.host), (":path", path), ("user-agent", "soak"),
                  ("accept", "*/*"), ("x-run", str(self.load.random.randrange(50)))]
        self.link.headers(stream, fields, ends=not has_body, split=self.load.random.random() < 0.1)
        return stream

    async def exchange(self, kind, body=None, pause=0, **wanted):
        await self.load.turn()
        method = "POST" if body is not None else self.load.random.choice(["GET", "GET", "HEAD"])
        wanted = {"bytes": self.load.small(), **wanted}
        number, path = self.load.path(kind, **wanted)
        stream = self.ask(method, path, body is not None)
        for piece in [body] if body is not None and not pause else [body[at:at + 1000] for at in range(0, len(body or b""), 1000)]:
            await self.link.data(stream, piece)
            await asyncio.sleep(pause)
        if body is not None:
            await self.link.data(stream, b"", ends=True)
        seen = await self.streams[stream][3]
        self.forget(stream)
        await finished(self.load, kind, number, wanted, method, seen)

    def forget(self, stream):
        self.streams.pop(stream, None)
        self.link.done(stream)


@contextlib.asynccontextmanager
async def http2_client(load, **how):
    async with tunnel(load, load.http2_trust, **how) as (reader, writer, host):
        if writer.get_extra_info("ssl_object").selected_alpn_protocol() != "h2":
            raise Broken("HTTP/2 was not agreed on")
        client = Client(load, reader, writer, host)
        try:
            yield client
            writer.write(http2.frame(http2.GOAWAY, 0, 0, struct.pack(">II", 0, 0)))
        finally:
            client.task.cancel()


async def multiplexed(load):
    async with http2_client(load) as client:
        async def some():
            for _ in range(load.random.randint(1, 6)):
                body = FILLER[:load.small()] if load.random.random() < 0.3 else None
                await client.exchange("http2", body, **load.random.choice([{}, {}, {"pieces": 3}, {"status": 404}]))
        await asyncio.gather(*(some() for _ in range(load.random.randint(1, 10))))


async def multiplexed_slow(load):
    """Slow in both directions, with others under way beside it."""
    async with http2_client(load) as client:
        await asyncio.gather(
            client.exchange("http2-slow", FILLER[:8000], pause=0.1), client.exchange("http2-slow", bytes=5000, pieces=10, pause=0.1),
            *(client.exchange("http2") for _ in range(5)))


async def multiplexed_large(load):
    async with http2_client(load) as client:
        await client.exchange("http2-large", b"", bytes=load.random.randint(5 << 20, 30 << 20))


async def reset_streams(load):
    """Requests that the client or the server takes back, between others that go on."""
    async with http2_client(load) as client:
        async def taken_back(then, size, by_client):
            await load.turn()
            number, path = load.path("http2-reset", bytes=size, then=then)
            load.aborted[number] = "http2-reset"
            stream = client.ask("GET", path)
            if by_client and size:
                await client.streams[stream][2].wait()
            elif by_client:
                await asyncio.sleep(0.05)
            if by_client:
                client.link.reset(stream)
            else:
                with contextlib.suppress(Broken):
                    await client.streams[stream][3]
                    raise RuntimeError("an answer that the server reset was whole")
            client.forget(stream)
        await asyncio.gather(taken_back("hold", 4000, True), taken_back("hold", 0, True), taken_back("reset", 4000, False),
                             *(client.exchange("http2") for _ in range(5)))


async def broken_multiplex(load):
    """A connection that is reset with requests under way."""
    async with http2_client(load) as client:
        for size in (0, 2000, 40_000):
            await load.turn()
            number, path = load.path("http2-gone", bytes=size, then="hold")
            load.aborted[number] = "http2-gone"
            client.ask("GET", path)
        await client.exchange("http2")
        break_off(client.link.writer)


# -- those that go away

def leave(load, writer):
    """With a reset, or just so."""
    if load.random.random() < 0.5:
        break_off(writer)


async def goes_before_anything(load):
    client = await dial(load)
    if load.random.random() < 0.5:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


async def goes_in_the_first_head(load):
    async with streams(await dial(load)) as (_, writer):
        whole = load.random.choice([b"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n", b"GET http://127.0.0.1:1/ HTTP/1.1\r\n"])
        writer.write(whole[:load.random.randrange(1, len(whole))])
        await writer.drain()
        leave(load, writer)


async def goes_after_connect(load):
    async with tunnel(load, port=load.random.choice([load.secure, load.clear])) as (_, writer, _):
        leave(load, writer)


def client_hello(host="localhost"):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname=host).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


async def goes_in_the_client_hello(load):
    async with tunnel(load, port=load.secure) as (_, writer, _):
        hello = client_hello()
        writer.write(hello[:load.random.randrange(1, len(hello))])
        await writer.drain()
        leave(load, writer)


async def goes_in_the_handshake(load):
    # At a port that is for such: a client that goes at our certificate may be one that does not want it, and is let through.
    async with tunnel(load, port=load.apart) as (reader, writer, _):
        writer.write(client_hello())
        await reader.read(100)
        leave(load, writer)


async def goes_after_the_handshake(load):
    async with tunnel(load, load.random.choice([load.trust, load.http2_trust])) as (_, writer, _):
        leave(load, writer)


async def goes_within(load, reader, writer, host, prefix=""):
    """Goes in an exchange: in the head, in the request's body, before the answer, in it."""
    number, target = load.path("gone", bytes=load.random.choice([20_000, 20_000, 500_000]), then="hold")
    phase = load.random.choice(["head", "body", "before", "within"])
    if phase == "before":
        number, target = load.path("gone", bytes=0, then="hold")
    load.aborted[number] = f"gone-{phase}"
    whole = request("POST" if phase == "body" else "GET", prefix + target, host, FILLER[:30_000] if phase == "body" else None)
    if phase == "head":
        whole = whole[:load.random.randrange(len(whole) - 2)]
    elif phase == "body":
        whole = whole[:-load.random.randrange(1, 30_000)]
    writer.write(whole)
    await writer.drain()
    if phase == "within":
        await head_of(reader)
        await reader.read(load.random.choice([1, 5000]))
    elif phase != "head":
        await asyncio.sleep(load.random.choice([0, 0.05]))
    leave(load, writer)


async def goes_in_an_exchange(load):
    way = load.random.choice(["tls", "clear", "plain"])
    await load.turn()
    if way == "plain":
        async with streams(await dial(load)) as (reader, writer):
            host = f"127.0.0.1:{load.clear}"
            if load.random.random() < 0.5:
                await exchange(load, reader, writer, host, "plain", f"http://{host}")
            return await goes_within(load, reader, writer, host, f"http://{host}")
    async with tunnel(load, load.trust if way == "tls" else None) as (reader, writer, host):
        if load.random.random() < 0.5:
            await exchange(load, reader, writer, host, "tls" if way == "tls" else "clear-tunnel")
        await goes_within(load, reader, writer, host)


async def server_breaks_off(load):
    async with tunnel(load, load.trust if load.random.random() < 0.5 else None) as (reader, writer, host):
        await load.turn()
        number, target = load.path("broken-answer", bytes=load.random.choice([2000, 100_000]), then="reset")
        load.aborted[number] = "broken-answer"
        writer.write(request("GET", target, host))
        try:
            await answer(reader)
        except (Broken, OSError, EOFError):
            return
        raise Broken("an answer that the server broke off was whole")


async def talks_nonsense(load):
    """A handshake that comes to nothing."""
    how = load.random.choice(["noise", "flipped", "version", "length", "distrust", "behind"])
    if how == "distrust":
        with contextlib.suppress(OSError):
            async with tunnel(load, load.distrust, port=load.apart):
                pass
        return
    async with tunnel(load, port=load.apart) as (reader, writer, _):
        hello = bytearray(client_hello())
        if how == "noise":
            hello = bytearray(b"\x16\x03\x01" + load.random.randbytes(300))
        elif how == "flipped":
            hello[load.random.randrange(5, len(hello))] ^= 1 << load.random.randrange(8)
        elif how == "version":
            hello[1:3] = b"\x05\x05"
        elif how == "length":
            hello[3:5] = b"\xff\xff"
        elif how == "behind":
            hello += load.random.randbytes(200)
        with contextlib.suppress(OSError, EOFError, asyncio.TimeoutError):
            writer.write(hello)
            await asyncio.wait_for(reader.read(4096), 2)


# -- all together

# How often each begins, of a thousand connections.
KINDS = {
    keep_alive: 300, multiplexed: 140, plain: 150, clear_tunnel: 50, closing: 40, pipelined: 30, slow_reader: 20, slow_writer: 30,
    slow_server: 20, events: 10, web_socket: 10, refused: 15, multiplexed_slow: 10, reset_streams: 15, broken_multiplex: 10,
    goes_before_anything: 20, goes_in_the_first_head: 15, goes_after_connect: 15, goes_in_the_client_hello: 15,
    goes_in_the_handshake: 5, goes_after_the_handshake: 15, goes_in_an_exchange: 40, server_breaks_off: 15, talks_nonsense: 10,
}
AT_A_TIME = 100
# Connections that stay for as long as the load does, and send something now and then.
LASTING = 4


async def lasting(load):
    async with tunnel(load, load.trust) as (reader, writer, host):
        while not load.is_over:
            await exchange(load, reader, writer, host, "tls")
            await asyncio.sleep(load.random.random())


async def lasting_multiplex(load):
    async with http2_client(load) as client:
        while not load.is_over:
            await asyncio.gather(*(client.exchange("http2") for _ in range(load.random.randint(1, 4))))
            await asyncio.sleep(load.random.random())


async def lasting_web_socket(load):
    await web_socket(load, messages=1 << 30, pause=1)


async def run(load):
    """Clients one after another and beside each other until the time is over; returns when all are through."""
    room, under_way = asyncio.Semaphore(AT_A_TIME), set()

    async def one(kind, *arguments):
        load.connections[kind.__name__] += 1
        try:
            await asyncio.wait_for(kind(load, *arguments), PATIENCE + load.seconds * kind.__name__.startswith("lasting"))
        except Exception as problem:
            # A client that breaks off may hear of it first.
            if not kind.__name__.startswith(("goes", "talks")):
                load.unexpected.append(f"{kind.__name__}: {type(problem).__name__} {problem}")

    async def one_of_many(kind):
        async with room:
            await one(kind)

    async def large_ones():
        """One after another; the first are as large as they get."""
        number = 0
        while not load.is_over:
            await one(large if number % 4 else multiplexed_large) if number > 1 else await one(large, LARGEST)
            number += 1
            await asyncio.sleep(min(30, load.seconds / 5))

    def begin(work):
        task = asyncio.create_task(work)
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    begin(large_ones())
    for kind in (lasting, lasting_multiplex, lasting_web_socket):
        for _ in range(LASTING):
            begin(one(kind))
    kinds, weights = list(KINDS), list(KINDS.values())
    # Each kind once, so that a short load has them all.
    queue = list(KINDS)
    while not load.is_over:
        begin(one_of_many(queue.pop() if queue else load.random.choices(kinds, weights)[0]))
        while room.locked() and not load.is_over:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.002)
    while under_way:
        await asyncio.wait(under_way)
