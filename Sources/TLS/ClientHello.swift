internal import LibCrypto

/// What a client says first in TLS, as far as it decides where to go (RFC 8446, section 4.1.2).
package struct ClientHello: Sendable, Hashable {
    /// The host of the server name extension (RFC 6066, section 3), as sent; nil where there is none.
    package var serverName: String?
    /// The protocols offered (RFC 7301), in order; empty where the extension is missing.
    package var alpn: [String]
    /// Whether a server has to show a certificate with an RSA key: of what is offered nothing goes with one on an elliptic curve.
    ///
    /// Old clients are so, and those that a policy keeps to RSA.
    package var wantsRSA: Bool

    package init(serverName: String? = nil, alpn: [String] = [], wantsRSA: Bool = false) {
        self.serverName = serverName
        self.alpn = alpn
        self.wantsRSA = wantsRSA
    }
}

/// Finds the ClientHello at the start of a client's bytes, however they are split into segments and TLS
/// records.
///
/// Incremental: each byte is looked at once. Holds the message itself only, which is bounded; the bytes stay
/// with the caller, who gives them to whatever speaks TLS.
package struct ClientHelloPeek: Sendable {
    /// What the bytes until now are.
    package enum Result: Sendable, Hashable {
        case needsMoreBytes
        case found(ClientHello)
        /// Known at the first byte that no TLS connection begins with.
        case notTLS
    }

    /// Largest ClientHello that is read: 64 KiB.
    ///
    /// Those with post-quantum key shares have 2 KB.
    package static let maximumLength = 65_536

    private var recordHeader: [UInt8] = []
    private var leftInRecord = 0
    private var message: [UInt8] = []
    private var result = Result.needsMoreBytes

    package init() {}

    /// Takes the next bytes; once there is a result it stays.
    package mutating func received(_ bytes: some Collection<UInt8>) -> Result {
        guard result == .needsMoreBytes else { return result }
        var rest = bytes[...]
        while !rest.isEmpty, result == .needsMoreBytes {
            if leftInRecord == 0 {
                guard let byte = rest.popFirst() else { break }
                recordHeader.append(byte)
                checkRecordHeader()
            } else {
                let part = rest.prefix(leftInRecord)
                message.append(contentsOf: part)
                leftInRecord -= part.count
                rest = rest.dropFirst(part.count)
                checkMessage()
            }
        }
        return result
    }

    /// Type, version and length, each judged as soon as it is there.
    private mutating func checkRecordHeader() {
        switch recordHeader.count {
        case 1: if recordHeader[0] != 22 { result = .notTLS }
        case 2: if recordHeader[1] != 3 { result = .notTLS }
        case 5:
            leftInRecord = Int(recordHeader[3]) << 8 | Int(recordHeader[4])
            recordHeader = []
            // A record holds 2^14 bytes at most; an empty one of this type is forbidden (section 5.1).
            if leftInRecord == 0 || leftInRecord > 16_384 { result = .notTLS }
        default: break
        }
    }

    private mutating func checkMessage() {
        guard let type = message.first else { return }
        guard type == 1 else { return result = .notTLS }
        guard message.count >= 4 else { return }
        let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
        guard length <= Self.maximumLength else { return result = .notTLS }
        guard message.count >= 4 + length else { return }
        result = .found(ClientHello(body: message[4..<(4 + length)]))
        message = []
    }
}

extension ClientHello {
    /// Reads the body of the message; what cannot be read is left out, whoever speaks TLS will say what is
    /// wrong with it.
    init(body: ArraySlice<UInt8>) {
        self.init()
        var reader = TLSVectorReader(body)
        guard reader.take(2 + 32) != nil, reader.vector8() != nil, let suites = reader.vector16(),
            reader.vector8() != nil
        else { return }
        wantsRSA = !TLSVectorReader.numbers(suites).contains(where: Self.goesWithElliptic)
        guard let extensions = reader.vector16() else { return }
        TLSVectorReader.forEachExtension(extensions) { type, data in
            switch type {
            case 0: serverName = serverName ?? TLSVectorReader.serverName(data)
            case 13:
                var signatures = TLSVectorReader(data)
                guard let schemes = signatures.vector16() else { return }
                wantsRSA = wantsRSA || !TLSVectorReader.numbers(schemes).contains { $0 & 0xff == 3 }
            case 16: if alpn.isEmpty { alpn = TLSVectorReader.protocolNames(data) }
            default: return
            }
        }
    }

    /// Whether a cipher suite of the registry is one of TLS 1.3, or has ECDSA in its name.
    private static func goesWithElliptic(_ suite: Int) -> Bool {
        switch suite {
        case 0x1301...0x1305, 0xc006...0xc00a, 0xc023...0xc024, 0xc02b...0xc02c, 0xc048...0xc049,
            0xc05c...0xc05d,
            0xc072...0xc073, 0xc086...0xc087, 0xc0ac...0xc0af, 0xcca9:
            true
        default: false
        }
    }
}
