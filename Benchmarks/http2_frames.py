"""Just enough HTTP/2 (RFC 9113) and HPACK (RFC 7541) for the two ends of a load test; both are ours, so no string is Huffman coded."""
import asyncio
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 0x1, 0x1, 0x4, 0x8, 0x20
CANCEL = 8
# What a stream may send before it hears of more.
WINDOW = 1 << 20
LARGEST_FRAME = 16384

STATIC = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"), (":scheme", "http"),
    (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
    (":status", "404"), (":status", "500"), ("accept-charset", ""), ("accept-encoding", "gzip, deflate"), ("accept-language", ""),
    ("accept-ranges", ""), ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
    ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""),
    ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
    ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
    ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
    ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
    ("via", ""), ("www-authenticate", ""),
]


class HeaderTable:
    """The dynamic table of one direction, in step at both ends; encodes or decodes, never both."""

    def __init__(self, size=4096):
        self.size, self.entries = size, []

    def add(self, field):
        self.entries.insert(0, field)
        while sum(len(name) + len(value) + 32 for name, value in self.entries) > self.size:
            self.entries.pop()

    def at(self, index):
        return STATIC[index - 1] if index <= len(STATIC) else self.entries[index - len(STATIC) - 1]

    def encode(self, fields):
        out = bytearray()
        for field in fields:
            name, value = field
            if field in STATIC:
                out += integer(STATIC.index(field) + 1, 7, 0x80)
            elif field in self.entries:
                out += integer(self.entries.index(field) + len(STATIC) + 1, 7, 0x80)
            elif name == ":path":
                # Each another one: not worth a place in the table.
                out += integer(4, 4, 0x00) + text(value)
            else:
                out += b"\x40" + text(name) + text(value)
                self.add(field)
        return bytes(out)

    def decode(self, block):
        fields, at = [], 0
        while at < len(block):
            first = block[at]
            if first & 0x80:
                index, at = read_integer(block, at, 7)
                fields.append(self.at(index))
            elif first & 0x40:
                field, at = self._literal(block, at, 6)
                self.add(field)
                fields.append(field)
            elif first & 0x20:
                self.size, at = read_integer(block, at, 5)
            else:
                field, at = self._literal(block, at, 4)
                fields.append(field)
        return fields

    def _literal(self, block, at, bits):
        index, at = read_integer(block, at, bits)
        if index:
            name = self.at(index)[0]
        else:
            name, at = read_text(block, at)
        value, at = read_text(block, at)
        return (name, value), at


def integer(value, bits, first):
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    out, value = bytearray([first | limit]), value - limit
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value):
    return integer(len(value), 7, 0) + value.encode()


def read_integer(block, at, bits):
    limit = (1 << bits) - 1
    value, at = block[at] & limit, at + 1
    if value < limit:
        return value, at
    shift = 0
    while True:
        byte, at = block[at], at + 1
        value += (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def read_text(block, at):
    if block[at] & 0x80:
        raise ValueError("a Huffman coded string")
    length, at = read_integer(block, at, 7)
    return block[at:at + length].decode(), at + length


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Connection:
    """One end of a connection: keeps windows and header tables, hands what concerns a stream to `on_frame(kind, flags, stream, payload)`.

    Header blocks come whole, as lists of fields, and as kind HEADERS."""

    def __init__(self, reader, writer, on_frame):
        self.reader, self.writer, self.on_frame = reader, writer, on_frame
        self.sending, self.receiving = HeaderTable(), HeaderTable()
        # What may be sent: on the connection, and on each stream.
        self.window, self.windows = 65535, {}
        self.initial = 65535
        self.moved = asyncio.Condition()
        self.is_over = False

    def begin(self, preface=b""):
        settings = struct.pack(">HI", 4, WINDOW)
        self.writer.write(preface + frame(SETTINGS, 0, 0, settings) + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 24)))

    async def run(self):
        """Reads until the other end is gone."""
        block = None
        try:
            while True:
                head = await self.reader.readexactly(9)
                length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                stream = int.from_bytes(head[5:], "big") & 0x7fffffff
                payload = await self.reader.readexactly(length)
                if kind == SETTINGS and not flags & ACK:
                    await self._settings(payload)
                elif kind == PING and not flags & ACK:
                    self.writer.write(frame(PING, ACK, 0, payload))
                elif kind == WINDOW_UPDATE:
                    await self._open(stream, int.from_bytes(payload, "big"))
                elif kind in (HEADERS, CONTINUATION):
                    block = (flags, payload) if kind == HEADERS else (block[0], block[1] + payload)
                    if flags & END_HEADERS:
                        await self.on_frame(HEADERS, block[0], stream, self.receiving.decode(block[1]))
                elif kind == DATA:
                    await self.on_frame(DATA, flags, stream, payload)
                elif kind == RST_STREAM:
                    await self.on_frame(RST_STREAM, flags, stream, payload)
                elif kind == GOAWAY:
                    return
        except (OSError, EOFError):
            return
        finally:
            self.is_over = True
            async with self.moved:
                self.moved.notify_all()

    async def _settings(self, payload):
        for at in range(0, len(payload), 6):
            name, value = struct.unpack(">HI", payload[at:at + 6])
            if name == 4:
                async with self.moved:
                    for stream in self.windows:
                        self.windows[stream] += value - self.initial
                    self.initial = value
                    self.moved.notify_all()
        self.writer.write(frame(SETTINGS, ACK, 0))

    async def _open(self, stream, more):
        async with self.moved:
            if stream == 0:
                self.window += more
            elif stream in self.windows:
                self.windows[stream] += more
            self.moved.notify_all()

    def headers(self, stream, fields, ends=False, split=False):
        """Sends a header block, in two frames where `split`."""
        self.windows.setdefault(stream, self.initial)
        block, end = self.sending.encode(fields), END_STREAM if ends else 0
        if split and len(block) > 8:
            self.writer.write(frame(HEADERS, end, stream, block[:8]) + frame(CONTINUATION, END_HEADERS, stream, block[8:]))
        else:
            self.writer.write(frame(HEADERS, END_HEADERS | end, stream, block))

    async def data(self, stream, payload, ends=False):
        """Sends a part of a body as the other end allows it; False where it is no longer wanted."""
        at = 0
        while at < len(payload):
            async with self.moved:
                await self.moved.wait_for(
                    lambda: self.is_over or stream not in self.windows or min(self.window, self.windows[stream]) > 0)
                if self.is_over or stream not in self.windows:
                    return False
                size = min(self.window, self.windows[stream], LARGEST_FRAME, len(payload) - at)
                self.window -= size
                self.windows[stream] -= size
            at += size
            self.writer.write(frame(DATA, END_STREAM if ends and at == len(payload) else 0, stream, payload[at - size:at]))
            await self.writer.drain()
        if ends and not payload:
            self.writer.write(frame(DATA, END_STREAM, stream))
        return True

    def received(self, stream, size):
        """Lets the other end send as much again."""
        if size:
            more = struct.pack(">I", size)
            self.writer.write(frame(WINDOW_UPDATE, 0, 0, more) + frame(WINDOW_UPDATE, 0, stream, more))

    def reset(self, stream):
        self.windows.pop(stream, None)
        self.writer.write(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))

    def done(self, stream):
        self.windows.pop(stream, None)
