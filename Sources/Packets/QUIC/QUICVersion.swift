/// A version of QUIC, and what differs between them: version 1 (RFC 9000 and 9001) and 2 (RFC 9369).
struct QUICVersion: Hashable, Sendable {
    let number: UInt32
    /// The types of long headers by the two bits of their first byte.
    let types: [QUICPacket.Kind]
    /// Of the secret that the keys of Initial packets are made of.
    let salt: [UInt8]
    /// Stands before the names of keys.
    let label: String

    static let all = [
        QUICVersion(
            number: 1,
            types: [.initial, .earlyData, .handshake, .retry],
            salt: [
                0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c,
                0xad, 0xcc, 0xbb, 0x7f, 0x0a,
            ],
            label: "quic "
        ),
        QUICVersion(
            number: 0x6b33_43cf,
            types: [.retry, .initial, .earlyData, .handshake],
            salt: [
                0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d,
                0xcb, 0xf9, 0xbd, 0x2e, 0xd9,
            ],
            label: "quicv2 "
        ),
    ]

    /// Nil for another version than those that are read.
    static func of(_ number: UInt32) -> QUICVersion? { all.first { $0.number == number } }
}
