internal import LibCrypto

/// What a client says in the first packets of QUIC, whose keys everybody can derive (RFC 9001, section 5.2).
///
/// Versions 1 (RFC 9000) and 2 (RFC 9369). Nothing but the ClientHello is looked for.
struct QUICInitial {
    /// Constants of a version.
    struct Version: Sendable {
        var number: UInt32
        /// The type of an Initial packet in its first byte.
        var initialType: UInt8
        var salt: [UInt8]
        /// Stands before the names of keys.
        var label: String

        static let all = [
            Version(
                number: 1,
                initialType: 0,
                salt: [
                    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c,
                    0xad, 0xcc, 0xbb, 0x7f, 0x0a,
                ],
                label: "quic "
            ),
            Version(
                number: 0x6b33_43cf,
                initialType: 1,
                salt: [
                    0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d,
                    0xcb, 0xf9, 0xbd, 0x2e, 0xd9,
                ],
                label: "quicv2 "
            ),
        ]
    }

    /// Keys of the client's Initial packets.
    struct Keys {
        let key: [UInt8]
        let vector: [UInt8]
        let headerProtection: [UInt8]

        init(_ connectionID: [UInt8], _ version: Version) {
            let initial = MessageAuthentication.hmac(connectionID, key: version.salt, .sha256)
            let client = KeyDerivation.expandLabel(initial, "client in", length: 32, .sha256)
            key = KeyDerivation.expandLabel(client, version.label + "key", length: 16, .sha256)
            vector = KeyDerivation.expandLabel(client, version.label + "iv", length: 12, .sha256)
            headerProtection = KeyDerivation.expandLabel(client, version.label + "hp", length: 16, .sha256)
        }
    }

    /// A piece of the ClientHello.
    struct Piece: Equatable {
        var offset: Int
        var bytes: [UInt8]
    }

    /// Of the server, as the client has chosen it.
    let connectionID: [UInt8]
    let pieces: [Piece]
    /// Bytes of the datagram that the packet takes; others may stand behind it.
    let size: Int

    /// Reads the packet at the beginning of a datagram, or of the rest of one; nil where it is no Initial of a client.
    init?(_ datagram: ArraySlice<UInt8>) {
        let bytes = Array(datagram)
        var reader = TLSVectorReader(bytes[...])
        guard let first = reader.integer8(), first & 0xc0 == 0xc0, let number = reader.take(4),
            let version = Version.all.first(where: {
                $0.number == number.reduce(0) { $0 << 8 | UInt32($1) }
                    && $0.initialType == UInt8(first >> 4 & 3)
            }),
            let connectionID = reader.vector8().map(Array.init), connectionID.count <= 20,
            reader.vector8() != nil, let token = reader.variableInteger(), reader.take(token) != nil,
            let length = reader.variableInteger(), let rest = reader.take(length)
        else { return nil }
        self.connectionID = connectionID
        size = rest.endIndex
        let plain = Self.open(bytes, from: rest.startIndex, to: size, Keys(connectionID, version))
        guard let plain else { return nil }
        pieces = Self.pieces(in: plain)
    }

    /// Takes the protection off (RFC 9001, sections 5.3 and 5.4); nil where the keys are others.
    private static func open(_ packet: [UInt8], from start: Int, to end: Int, _ keys: Keys) -> [UInt8]? {
        // The packet number is taken to be four bytes long for where the sample is.
        let sample = start + 4
        guard end - sample >= 16 else { return nil }
        // One block in CBC behind a vector of zeros is the block in ECB.
        let mask = Cipher.sealCBC(
            Array(packet[sample..<(sample + 16)]),
            key: keys.headerProtection,
            vector: [UInt8](repeating: 0, count: 16)
        )
        guard let mask else { return nil }
        var header = Array(packet[..<start])
        header[0] ^= mask[0] & 0x0f
        let count = Int(header[0] & 3) + 1
        var nonce = keys.vector
        for index in 0..<count {
            let byte = packet[start + index] ^ mask[1 + index]
            header.append(byte)
            nonce[nonce.count - count + index] ^= byte
        }
        let sealed = packet[(start + count)..<end]
        guard sealed.count >= 16 else { return nil }
        return Cipher.openGCM(
            Array(sealed.dropLast(16)),
            tag: Array(sealed.suffix(16)),
            key: keys.key,
            nonce: nonce,
            authenticating: header
        )
    }

    /// What is in CRYPTO frames (RFC 9000, section 19), as far as the frames are those of an Initial.
    private static func pieces(in payload: [UInt8]) -> [Piece] {
        var reader = TLSVectorReader(payload[...])
        var pieces: [Piece] = []
        while let type = reader.variableInteger() {
            switch type {
            case 0, 1: continue
            case 2, 3:
                guard reader.variableInteger() != nil, reader.variableInteger() != nil,
                    let ranges = reader.variableInteger(), reader.variableInteger() != nil
                else { return pieces }
                // Each of the ranges takes two bytes at least.
                guard ranges <= payload.count else { return pieces }
                for _ in 0..<(2 * ranges + (type == 3 ? 3 : 0)) {
                    guard reader.variableInteger() != nil else { return pieces }
                }
            case 6:
                guard let offset = reader.variableInteger(), let count = reader.variableInteger(),
                    let bytes = reader.take(count)
                else { return pieces }
                pieces.append(Piece(offset: offset, bytes: Array(bytes)))
            default: return pieces
            }
        }
        return pieces
    }
}

extension TLSVectorReader {
    /// An integer of one, two, four or eight bytes (RFC 9000, section 16).
    fileprivate mutating func variableInteger() -> Int? {
        guard let first = integer8() else { return nil }
        guard let rest = take(1 << (first >> 6) - 1) else { return nil }
        return rest.reduce(first & 0x3f) { $0 << 8 | Int($1) }
    }
}
