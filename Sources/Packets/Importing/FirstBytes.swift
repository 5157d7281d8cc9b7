internal import LibCrypto
internal import Wire

/// What a connection speaks, by the first bytes of its client.
enum FirstBytes {
    /// Too few to tell.
    case more
    case http
    case tls
    case other

    /// Bytes by which it is known.
    static let enough = 32
    /// Those of a record of TLS by which it is known to be a hello: its head, and the kind of the first message.
    static let hello = 6

    init(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else {
            self = .more
            return
        }
        if (0x14...0x17).contains(first) {
            // A record's type and version; 0x0300...0x0304 (RFC 8446, section 5.1).
            self = bytes.count < 3 ? .more : bytes[1] == 3 && bytes[2] <= 4 ? .tls : .other
            return
        }
        // Empty lines before a request are passed over (RFC 9112, section 2.2).
        let head = bytes.prefix(Self.enough)
        let line = head.drop { $0 == 0x0d || $0 == 0x0a }
        let method = line.prefix { Self.isMethod($0) }
        if method.count == line.count {
            self = bytes.count < Self.enough ? .more : .other
        } else if method.isEmpty || line[method.endIndex] != 0x20 {
            self = .other
        } else {
            let target = line[(method.endIndex + 1)...]
            if method.elementsEqual("CONNECT".utf8) || Self.isTarget(target) || Self.isNamed(target) {
                self = .http
            } else {
                // The end of the line may say it yet.
                self = bytes.count < Self.enough && !target.contains(0x0a) ? .more : .other
            }
        }
    }

    private static let schemeSize = 5

    /// A path, `*`, or a URL of a kind that proxies are asked for (RFC 9112, section 3.2): SIP, RTSP and ICAP have others, IRC and
    /// Redis words.
    private static func isTarget(_ target: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = target.first else { return false }
        if first == 0x2f || first == 0x2a || first == 0x3f { return true }
        let scheme = String(decoding: target.prefix(schemeSize), as: UTF8.self).lowercased()
        return ["http:", "https", "ws://", "wss:/", "ftp:/"].contains(scheme)
    }

    /// Whether the line says that it is HTTP, whatever its target.
    private static func isNamed(_ target: Slice<UnsafeRawBufferPointer>) -> Bool {
        var rest = target.prefix { $0 != 0x0a }
        while let space = rest.firstIndex(of: 0x20) {
            rest = rest[(space + 1)...]
            if rest.starts(with: "HTTP/".utf8) { return true }
        }
        return false
    }

    /// Whether a record with data of TLS 1.2 or 1.3 begins here.
    static func isData(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 5 && bytes[0] == 0x17 && bytes[1] == 3 && bytes[2] == 3
            && (17...16_640).contains(bytes.field(3, as: UInt16.self))
    }

    private static let changeCipherSpec: [UInt8] = [0x14, 3, 3, 0, 1, 1]

    /// Whether a record of TLS begins here that may be the first of what is there: a hello, data, or what stands before the end of a
    /// handshake.
    static func isRecord(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isData(bytes) || bytes.starts(with: changeCipherSpec)
            || bytes.first == 0x16 && sender(of: bytes) != nil
    }

    private static let alertSize = 7

    /// The alert of TLS that a server begins with, as one does that was spoken to in clear.
    static func alert(_ bytes: UnsafeRawBufferPointer) -> TLSAlert? {
        bytes.count >= alertSize && beginsAlert(bytes) ? TLSAlert(code: bytes[6]) : nil
    }

    /// Whether it may become an ``alert(_:)``.
    static func isHalfAlert(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.count < alertSize && beginsAlert(bytes)
    }

    /// Whether what is there of its first bytes is what an alert has.
    private static func beginsAlert(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // The version may be any, of the level only two are known (RFC 8446, sections 5.1 and 6).
        let expected: [ClosedRange<UInt8>] = [0x15...0x15, 3...3, 0...255, 0...0, 2...2, 1...2]
        return zip(bytes, expected).allSatisfy { $1.contains($0) }
    }

    /// Whether a server's first words may be an answer in clear that is not there up to the end of its first line.
    static func isHalfAnswer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch bytes.first {
        case 0: areTooFewOfServer(bytes)
        case UInt8(ascii: "H"):
            areTooFewOfServer(bytes)
                || bytes.starts(with: Self.answer) && bytes.count < lineSize
                    && firstLine(of: bytes).count == bytes.count
        default: false
        }
    }

    private static let lineSize = 80

    /// The first of it that can be shown, as far as one wants to see.
    static func firstLine(of bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        bytes.prefix(lineSize).prefix { (0x20...0x7e).contains($0) }
    }

    /// Whether a server begins with the settings of HTTP/2.
    static func isSettings(_ bytes: UnsafeRawBufferPointer) -> Bool { HTTP2Settings.begin(bytes) == true }

    /// Whether a server that speaks first may have begun with a record of TLS, the settings of HTTP/2 or an answer of HTTP/1, and it takes
    /// more to tell.
    static func areTooFewOfServer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch bytes.first {
        case 0x14, 0x15, 0x16, 0x17:
            // Behind the record's head is the kind of the first message.
            bytes.count < hello && (bytes.count < 2 || bytes[1] == 3) && (bytes.count < 3 || bytes[2] <= 4)
        case 0: HTTP2Settings.begin(bytes) == nil
        case UInt8(ascii: "H"): bytes.count < Self.answer.count && Self.answer.starts(with: bytes)
        default: false
        }
    }

    private static let answer = Array("HTTP/1.".utf8)

    /// Capital letters and what stands between them in the registered methods (`M-SEARCH`, `VERSION-CONTROL`).
    private static func isMethod(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) || byte == 0x2d }

    /// Who sends what begins so: a hello of TLS, a request or an answer of HTTP; nil where it does not tell.
    static func sender(of bytes: UnsafeRawBufferPointer) -> Side? {
        switch FirstBytes(bytes) {
        case .tls:
            // The kind of the first handshake message (RFC 8446, section 4).
            guard bytes[0] == 0x16, bytes.count >= hello else { return nil }
            return bytes[5] == 1 ? .client : bytes[5] == 2 ? .server : nil
        case .http:
            // A text may begin with a word in capitals as well.
            let line = bytes.prefix { $0 != 0x0d && $0 != 0x0a }
            return line.suffix(8).starts(with: "HTTP/".utf8) ? .client : nil
        case .more, .other:
            return bytes.starts(with: Self.answer) ? .server : nil
        }
    }
}
