internal import Wire

/// What the frames of a packet say that is of interest (RFC 9000, section 19).
enum QUICFrame {
    case crypto(offset: Int, ArraySlice<UInt8>)
    case stream(Int, offset: Int, ArraySlice<UInt8>, isLast: Bool)
    /// The sender breaks its direction of a stream off (RESET_STREAM).
    case reset(stream: Int, code: Int)
    /// The sender wants no more of a stream (STOP_SENDING).
    case stop(stream: Int, code: Int)
    case connectionID(ArraySlice<UInt8>)
    case close(QUICClose)
}

/// Why a side closed a connection (RFC 9000, section 19.19).
struct QUICClose {
    let code: Int
    /// Whether the code is the application's.
    let isOfApplication: Bool
    let reason: ArraySlice<UInt8>

    /// The TLS alert that it stands for (RFC 9001, section 4.8).
    var alert: UInt8? { !isOfApplication && 0x100...0x1ff ~= code ? UInt8(code & 0xff) : nil }

    /// Whether the server takes no connections (CONNECTION_REFUSED).
    var isRefusal: Bool { !isOfApplication && code == 2 }

    private static let names = [
        "NO_ERROR", "INTERNAL_ERROR", "CONNECTION_REFUSED", "FLOW_CONTROL_ERROR", "STREAM_LIMIT_ERROR",
        "STREAM_STATE_ERROR", "FINAL_SIZE_ERROR", "FRAME_ENCODING_ERROR", "TRANSPORT_PARAMETER_ERROR",
        "CONNECTION_ID_LIMIT_ERROR", "PROTOCOL_VIOLATION", "INVALID_TOKEN", "APPLICATION_ERROR",
        "CRYPTO_BUFFER_EXCEEDED", "KEY_UPDATE_ERROR", "AEAD_LIMIT_REACHED", "NO_VIABLE_PATH",
    ]

    /// The specification's name of the code, and what the sender says besides.
    var words: String {
        let name =
            isOfApplication
            ? HTTP3ErrorCode.name(code)
            : Self.names.indices.contains(code) ? Self.names[code] : "error 0x\(String(code, radix: 16))"
        let text = String(decoding: reason.prefix(200).filter { (0x20...0x7e).contains($0) }, as: UTF8.self)
        return text.isEmpty ? name : "\(name): \(text)"
    }
}

/// Reads the frames of a packet one after the other.
struct QUICFrameReader {
    private var rest: ArraySlice<UInt8>

    init(_ payload: [UInt8]) { rest = payload[...] }

    /// The next one of interest; nil at the end, and where a frame is unknown or cannot be.
    mutating func next() -> QUICFrame? {
        while let type = VariableInteger.take(&rest) {
            switch type {
            // PADDING, PING, HANDSHAKE_DONE, IMMEDIATE_ACK.
            case 0x00, 0x01, 0x1e, 0x1f: continue
            case 0x02, 0x03: guard passAcknowledgement(counts: type == 3) else { return nil }
            case 0x04:
                guard let id = integer(), let code = integer(), pass(1) else { return nil }
                return .reset(stream: id, code: code)
            // RESET_STREAM_AT (draft-ietf-quic-reliable-stream-reset): what stands before the break was mostly sent before.
            case 0x24:
                guard let id = integer(), let code = integer(), pass(2) else { return nil }
                return .reset(stream: id, code: code)
            case 0x05:
                guard let id = integer(), let code = integer() else { return nil }
                return .stop(stream: id, code: code)
            case 0x06:
                guard let offset = integer(), let data = data() else { return nil }
                return .crypto(offset: offset, data)
            // NEW_TOKEN, and DATAGRAM with a length (RFC 9221).
            case 0x07, 0x31: guard data() != nil else { return nil }
            case 0x08...0x0f: return stream(type)
            // What a side may send, and would like to.
            case 0x10, 0x12, 0x13, 0x14, 0x16, 0x17, 0x19: guard pass(1) else { return nil }
            case 0x11, 0x15: guard pass(2) else { return nil }
            case 0x18:
                guard pass(2), let size = bytes(1)?.first, 1...UInt8(QUICPacket.longestID) ~= size,
                    let id = bytes(Int(size)), bytes(16) != nil
                else { return nil }
                return .connectionID(id)
            // PATH_CHALLENGE, PATH_RESPONSE.
            case 0x1a, 0x1b: guard bytes(8) != nil else { return nil }
            case 0x1c, 0x1d:
                guard let code = integer(), type == 0x1d || pass(1), let reason = data() else { return nil }
                return .close(QUICClose(code: code, isOfApplication: type == 0x1d, reason: reason))
            // DATAGRAM to the packet's end.
            case 0x30: return nil
            // ACK_FREQUENCY.
            case 0xaf: guard pass(4) else { return nil }
            default: return nil
            }
        }
        return nil
    }

    private mutating func stream(_ type: Int) -> QUICFrame? {
        guard let id = integer(), let offset = type & 4 == 0 ? 0 : integer() else { return nil }
        let content: ArraySlice<UInt8>
        if type & 2 == 0 {
            content = rest
            rest = []
        } else {
            guard let data = data() else { return nil }
            content = data
        }
        return .stream(id, offset: offset, content, isLast: type & 1 != 0)
    }

    private mutating func passAcknowledgement(counts: Bool) -> Bool {
        guard pass(2), let ranges = integer(), ranges <= rest.count else { return false }
        return pass(1 + 2 * ranges + (counts ? 3 : 0))
    }

    private mutating func integer() -> Int? { VariableInteger.take(&rest) }

    private mutating func pass(_ integers: Int) -> Bool {
        for _ in 0..<integers where integer() == nil { return false }
        return true
    }

    private mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Bytes behind their length.
    private mutating func data() -> ArraySlice<UInt8>? { integer().flatMap { bytes($0) } }
}
