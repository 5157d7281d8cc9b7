import Captures

/// Where heads begin and end, in the bytes as they come.
extension HTTP1Decoder {
    mutating func head(
        _ direction: inout Direction,
        _ side: Side,
        _ input: UnsafeBufferPointer<UInt8>,
        _ index: inout Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        if direction.pending.isEmpty {
            // Empty lines before a start line are passed over (RFC 9112, section 2.2).
            while index < input.count, input[index] == 0x0d || input[index] == 0x0a { index += 1 }
            guard index < input.count else { return }
            guard isPlausibleStart(input[index], side) else {
                let other =
                    side == .server
                    ? Self.otherProtocol(input[index...], isFirst: direction.offset + index == 0) : nil
                return lose(
                    other ?? "not HTTP",
                    at: direction.offset + index,
                    side,
                    of: nil,
                    time,
                    &sink
                )
            }
            if let end = Self.endOfHead(input, from: index, scanFrom: index) {
                let start = index
                index = end
                let head = UnsafeBufferPointer(rebasing: input[start..<end])
                return message(head, at: direction.offset + start, &direction, side, time, &sink)
            }
        }
        collect(&direction, side, input, &index, time, &sink)
    }

    /// Keeps the bytes of a head that does not come at once until its end is there.
    private mutating func collect(
        _ direction: inout Direction,
        _ side: Side,
        _ input: UnsafeBufferPointer<UInt8>,
        _ index: inout Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let before = direction.pending.count
        guard sink.mayHold(input.count - index) else {
            return lose(LossReason.noRoom, at: direction.offset + index, side, of: nil, time, &sink)
        }
        direction.pending.append(contentsOf: input[index...])
        let end = direction.pending.withUnsafeBufferPointer {
            Self.endOfHead($0, from: 0, scanFrom: max(0, direction.searched - 3))
        }
        guard let end else {
            direction.searched = direction.pending.count
            index = input.count
            if direction.pending.count > headLimit.bytes {
                lose(
                    headLimit.words,
                    at: direction.offset + index - direction.pending.count,
                    side,
                    of: nil,
                    time,
                    &sink
                )
            }
            return
        }
        let start = direction.offset + index - before
        index += end - before
        let pending = direction.pending
        _ = sink.mayHold(-pending.count)
        direction.pending = []
        direction.searched = 0
        pending[..<end].withUnsafeBufferPointer { message($0, at: start, &direction, side, time, &sink) }
    }

    /// Index behind the empty line that ends a head; nil while it is not there.
    private static func endOfHead(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, scanFrom: Int) -> Int?
    {
        var index = scanFrom
        while index < bytes.count {
            guard let feed = ByteSearch.index(of: 0x0a, in: bytes, index..<bytes.count) else { return nil }
            var next = feed + 1
            if next < bytes.count, bytes[next] == 0x0d { next += 1 }
            if next < bytes.count, bytes[next] == 0x0a { return next + 1 }
            index = feed + 1
        }
        return nil
    }

    /// What a record with an alert of TLS begins with (RFC 8446, section 5.1).
    private static let alert: UInt8 = 0x15

    /// What a server says that was asked in another protocol than its own; nil where it is none that is known.
    ///
    /// `isFirst`: whether it has said nothing before.
    private static func otherProtocol(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, isFirst: Bool) -> String? {
        if bytes.first == alert {
            return "not HTTP but an alert of TLS: \(AnswerLoss.serverSpeaksTLS)"
        }
        return isFirst && HTTP2Settings.begin(bytes) == true
            ? "not HTTP/1 but the settings of HTTP/2: the server speaks HTTP/2 on this port" : nil
    }

    private func isPlausibleStart(_ byte: UInt8, _ side: Side) -> Bool {
        side == .server ? byte | 0x20 == 0x68 : byte.isTokenCharacter
    }

    private mutating func message(
        _ bytes: UnsafeBufferPointer<UInt8>,
        at offset: Int,
        _ direction: inout Direction,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard let head = HeadParser.parse(bytes, isRequest: side == .client) else {
            return lose("not HTTP", at: offset, side, of: nil, time, &sink)
        }
        if side == .client {
            request(head, size: bytes.count, at: offset, &direction, time, &sink)
        } else {
            response(head, size: bytes.count, at: offset, &direction, time, &sink)
        }
    }
}
