import Captures
import TestSupport
import Wire

/// What one end of an HTTP/3 connection says on its streams, sound or not (RFC 9114, section 7; RFC 9204, section 4).
enum HTTP3Speaker {
    static func frame(_ type: Int, _ payload: [UInt8]) -> [UInt8] {
        QUICInteger.bytes(of: type) + QUICInteger.bytes(of: payload.count) + payload
    }

    static func data(_ text: String) -> [UInt8] { frame(0, Array(text.utf8)) }

    /// HEADERS whose fields all stand in it.
    static func headers(_ fields: [(String, String)]) -> [UInt8] { frame(1, section(fields)) }

    static func request(_ method: String, _ path: String, _ more: [(String, String)] = []) -> [UInt8] {
        headers(HTTP2Speaker.request(method, path) + more)
    }

    static func answer(_ status: String, _ more: [(String, String)] = []) -> [UInt8] {
        headers([(":status", status)] + more)
    }

    /// A control stream from its beginning.
    static func control(_ settings: [(Int, Int)] = []) -> [UInt8] {
        let pairs = settings.flatMap { QUICInteger.bytes(of: $0.0) + QUICInteger.bytes(of: $0.1) }
        return [0] + frame(4, pairs)
    }

    static func goAway(_ stream: Int) -> [UInt8] { frame(7, QUICInteger.bytes(of: stream)) }

    // MARK: - QPACK

    /// An integer behind the bits `first` of its byte (RFC 7541, section 5.1).
    static func integer(_ value: Int, _ first: UInt8, bits: Int) -> [UInt8] {
        let most = 1 << bits - 1
        guard value >= most else { return [first | UInt8(value)] }
        var (bytes, rest) = ([first | UInt8(most)], value - most)
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func section(_ fields: [(String, String)]) -> [UInt8] {
        [0, 0] + fields.flatMap { literal($0.0, $0.1) }
    }

    /// A field with its name and value (RFC 9204, section 4.5.6).
    static func literal(_ name: String, _ value: String) -> [UInt8] {
        integer(name.utf8.count, 0x20, bits: 3) + Array(name.utf8) + integer(value.utf8.count, 0, bits: 7)
            + Array(value.utf8)
    }

    /// An encoder stream from its beginning: the table's size, and fields to put into it.
    static func encoder(_ capacity: Int, _ fields: [(String, String)]) -> [UInt8] {
        [2] + integer(capacity, 0x20, bits: 5) + fields.flatMap { insert($0.0, $0.1) }
    }

    static func insert(_ name: String, _ value: String) -> [UInt8] {
        integer(name.utf8.count, 0x40, bits: 5) + Array(name.utf8) + integer(value.utf8.count, 0, bits: 7)
            + Array(value.utf8)
    }

    /// The beginning of a section that refers to the first `inserted` fields of the table, counted back from its end.
    ///
    /// `tableBytes`: what the other side allows.
    static func prefix(inserted: Int, tableBytes: Int) -> [UInt8] {
        integer(inserted % (2 * (tableBytes / 32)) + 1, 0, bits: 8) + [0]
    }

    /// The field of the table that is so many before the last one.
    static func indexed(_ back: Int) -> [UInt8] { integer(back, 0x80, bits: 6) }
}

/// What the ends of an HTTP/3 connection say on their streams, in an order that is the network's.
struct HTTP3Dialogue {
    struct Piece {
        var side: Side
        var stream: Int
        var bytes: [UInt8]
        var isLast = false
        /// The code with which the side gives the answer up, instead of bytes.
        var reset: Int?
        /// The code with which the client breaks its request off.
        var requestReset: Int?
    }

    /// Of the client's and the server's streams that go one way.
    static let clientControl = 2
    static let serverControl = 3
    static let clientEncoder = 6
    static let serverEncoder = 7

    var pieces: [Piece] = []
    var budget: RecordingBudget?
    /// Time from a piece to the next; a hundred times as much goes by until the recording ends.
    var pause = Duration.zero

    mutating func client(_ stream: Int, _ bytes: [UInt8], ends: Bool = false) {
        pieces.append(Piece(side: .client, stream: stream, bytes: bytes, isLast: ends))
    }

    mutating func server(_ stream: Int, _ bytes: [UInt8], ends: Bool = false) {
        pieces.append(Piece(side: .server, stream: stream, bytes: bytes, isLast: ends))
    }

    mutating func reset(_ side: Side, _ stream: Int, _ code: Int) {
        pieces.append(Piece(side: side, stream: stream, bytes: [], reset: code))
    }

    mutating func resetRequest(_ stream: Int, _ code: Int) {
        pieces.append(Piece(side: .client, stream: stream, bytes: [], requestReset: code))
    }

    /// The exchanges, what is said being handed over in pieces of so many bytes at the most.
    func exchanges(piecesOf size: Int = .max) -> [Exchange] { read(piecesOf: size).exchanges }

    /// The exchanges, and what is not known of them.
    func read(piecesOf size: Int = .max) -> (exchanges: [Exchange], losses: String?) {
        var configuration = Conversation.Configuration(scheme: "https", authority: "idp.example")
        configuration.budget = budget
        configuration.connection.alpn = "h3"
        let conversation = HTTP3Conversation(configuration)
        var now = Timestamp(seconds: 1_780_000_000)
        var found: [Exchange] = []
        for piece in pieces {
            if let code = piece.reset {
                found += conversation.reset(piece.stream, by: piece.side, code: code, at: now)
                continue
            }
            if let code = piece.requestReset {
                found += conversation.requestReset(piece.stream, code: code, at: now)
                continue
            }
            now = now + pause
            var rest = piece.bytes[...]
            repeat {
                let part = rest.prefix(size)
                rest = rest.dropFirst(part.count)
                found += conversation.received(
                    part,
                    of: piece.stream,
                    from: piece.side,
                    isLast: piece.isLast && rest.isEmpty,
                    at: now
                )
            } while !rest.isEmpty
        }
        found += conversation.abandon(at: now + pause * 100, reason: "the recording ended")
        return (found, conversation.losses)
    }
}
