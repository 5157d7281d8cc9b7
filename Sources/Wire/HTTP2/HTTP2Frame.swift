/// The first nine bytes of a frame (RFC 9113, section 4.1).
struct HTTP2FrameHeader: Equatable {
    /// Bytes of the payload that follows: below 2^24.
    var length: Int
    /// See ``HTTP2FrameType``; others are skipped.
    var type: UInt8
    var flags: UInt8
    /// 0 for the connection.
    var stream: UInt32

    static let size = 9

    /// `bytes`: nine at least.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        type = bytes[3]
        flags = bytes[4]
        // The highest bit is reserved and ignored.
        stream = Self.number(UnsafeBufferPointer(rebasing: bytes[5..<9])) & 0x7fff_ffff
    }

    /// Whether these bytes are `HTTP/1.` and two more, as a server says that does not speak HTTP/2: no frame is as long.
    var isAnswerOfHTTP1: Bool {
        length == 0x48_5454 && type == 0x50 && flags == 0x2f && stream >> 16 == 0x312e
    }

    /// Whether all of these bytes are of a text in ASCII: no frame of a type that is known is so.
    var isText: Bool {
        let bytes =
            [16, 8, 0].map { length >> $0 & 0xff } + [Int(flags)]
            + [24, 16, 8, 0].map { Int(stream) >> $0 & 0xff }
        return (0x20...0x7e).contains(type)
            && bytes.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
    }

    func has(_ flag: HTTP2Flag) -> Bool { flags & flag.rawValue != 0 }

    /// Up to four bytes, the highest first.
    static func number(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The frame types that say something to a listener (RFC 9113, section 6), and those that others send among them.
enum HTTP2FrameType {
    static let data: UInt8 = 0x0
    static let headers: UInt8 = 0x1
    static let priority: UInt8 = 0x2
    static let rstStream: UInt8 = 0x3
    static let settings: UInt8 = 0x4
    static let pushPromise: UInt8 = 0x5
    static let ping: UInt8 = 0x6
    static let goAway: UInt8 = 0x7
    static let windowUpdate: UInt8 = 0x8
    static let continuation: UInt8 = 0x9
    /// RFC 8336, section 2.1.
    static let origin: UInt8 = 0xc
    /// RFC 9218, section 7.1.
    static let priorityUpdate: UInt8 = 0x10
}

/// What the bits of a frame's flags mean, for the types that know them.
enum HTTP2Flag: UInt8 {
    /// On SETTINGS the same bit says ACK.
    case endStream = 0x1
    case endHeaders = 0x4
    case padded = 0x8
    case priority = 0x20

    static let acknowledges = HTTP2Flag.endStream
}

/// Why a stream or a connection was ended (RFC 9113, section 7).
enum HTTP2ErrorCode {
    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The specification's name of a code, its number where it has none.
    static func name(_ code: UInt32) -> String {
        Int(code) < names.count ? names[Int(code)] : "error \(code)"
    }
}
