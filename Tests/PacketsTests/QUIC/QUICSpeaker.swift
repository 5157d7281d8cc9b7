import Captures
import LibCrypto
@testable import Packets
import TestSupport
import Wire

/// Both ends of a QUIC connection with TLS_AES_128_GCM_SHA256 that say what a test wants them to (RFC 9000, RFC 9001).
///
/// Nobody draws keys: the secrets are invented, and a key log tells them.
struct QUICSpeaker {
    /// What a packet is, and what its keys are made of.
    enum Level: Hashable {
        case initial, earlyData, handshake
        /// With a short header, and how often the keys were renewed.
        case application(generation: Int)
    }

    static let random = [UInt8](repeating: 0x42, count: 32)

    var version = QUICVersion.all[0]
    /// That the client chose for the server's first packets; Initial packets have keys of it.
    var initialID: [UInt8] = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08]
    /// What each side calls itself.
    var clientID: [UInt8] = []
    var serverID: [UInt8] = [1, 2, 3, 4, 5]
    /// Of short headers (RFC 9287).
    var hasFixedBit = true
    private var numbers: [String: Int] = [:]

    // MARK: - Handshake

    static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [type, 0] + UInt16(body.count).bigEndianBytes + body
    }

    private static func vector(_ bytes: [UInt8]) -> [UInt8] { UInt16(bytes.count).bigEndianBytes + bytes }

    private static func names(_ protocols: [String]) -> [UInt8] {
        [0, 16] + vector(vector(protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }))
    }

    static func clientHello(_ protocols: [String] = ["h3"], server name: String = "idp.example") -> [UInt8] {
        let serverName: [UInt8] = [0, 0] + vector(vector([0] + vector(Array(name.utf8))))
        let extensions = serverName + names(protocols) + [0, 43, 0, 3, 2, 3, 4]
        return message(1, [3, 3] + random + [0, 0, 2, 0x13, 0x01, 1, 0] + vector(extensions))
    }

    static let serverHello = serverHello(resumes: false)

    /// `resumes`: with the key of a connection before (RFC 8446, section 4.2.11).
    static func serverHello(resumes: Bool, random: [UInt8] = [UInt8](repeating: 7, count: 32)) -> [UInt8] {
        let extensions: [UInt8] = [0, 43, 0, 2, 3, 4] + (resumes ? [0, 41, 0, 2, 0, 0] : [])
        return message(2, [3, 3] + random + [0, 0x13, 0x01, 0] + vector(extensions))
    }

    static func encryptedExtensions(_ name: String? = "h3", takesEarlyData: Bool = false) -> [UInt8] {
        message(8, vector((name.map { names([$0]) } ?? []) + (takesEarlyData ? [0, 42, 0, 0] : [])))
    }
    static let finished = message(20, [UInt8](repeating: 9, count: 32))

    // MARK: - Keys

    private static func secret(_ level: Level, _ side: Side) -> [UInt8] {
        let number: UInt8 =
            switch level {
            case .initial: 0
            case .earlyData: 1
            case .handshake: 2
            case .application: 3
            }
        return [UInt8](repeating: 16 * (number + 1) + (side == .client ? 0 : 1), count: 32)
    }

    /// All secrets of the connection, or those with such names.
    static func keyLog(_ wanted: (String) -> Bool = { _ in true }) -> [UInt8] {
        let labels: [(String, Level, Side)] = [
            ("CLIENT_EARLY_TRAFFIC_SECRET", .earlyData, .client),
            ("CLIENT_HANDSHAKE_TRAFFIC_SECRET", .handshake, .client),
            ("SERVER_HANDSHAKE_TRAFFIC_SECRET", .handshake, .server),
            ("CLIENT_TRAFFIC_SECRET_0", .application(generation: 0), .client),
            ("SERVER_TRAFFIC_SECRET_0", .application(generation: 0), .server),
        ]
        return labels.filter { wanted($0.0) }.flatMap { label, level, side in
            Array("\(label) \(random.hex) \(secret(level, side).hex)\n".utf8)
        }
    }

    /// Key, initialization vector and the key that hides numbers.
    private func keys(_ level: Level, _ side: Side) -> (key: [UInt8], vector: [UInt8], hiding: [UInt8]) {
        func expand(_ secret: [UInt8], _ name: String, _ size: Int) -> [UInt8] {
            KeyDerivation.expandLabel(secret, name, length: size, .sha256)
        }
        var secret = Self.secret(level, side)
        if level == .initial {
            let common = MessageAuthentication.hmac(initialID, key: version.salt, .sha256)
            secret = expand(common, side == .client ? "client in" : "server in", 32)
        }
        let hiding = expand(secret, version.label + "hp", 16)
        if case .application(let generation) = level {
            for _ in 0..<generation { secret = expand(secret, version.label + "ku", 32) }
        }
        return (expand(secret, version.label + "key", 16), expand(secret, version.label + "iv", 12), hiding)
    }

    // MARK: - Frames

    static func crypto(_ bytes: some Collection<UInt8>, at offset: Int = 0) -> [UInt8] {
        [6] + QUICInteger.bytes(of: offset) + QUICInteger.bytes(of: bytes.count) + bytes
    }

    static func stream(_ id: Int, _ bytes: some Collection<UInt8>, at offset: Int = 0, ends: Bool = false)
        -> [UInt8]
    {
        [0x0e | (ends ? 1 : 0)] + QUICInteger.bytes(of: id) + QUICInteger.bytes(of: offset)
            + QUICInteger.bytes(of: bytes.count) + bytes
    }

    /// CONNECTION_CLOSE of QUIC or, with another type, of what runs over it.
    static func close(_ code: Int, _ reason: String = "", ofApplication: Bool = false) -> [UInt8] {
        [ofApplication ? 0x1d : 0x1c] + QUICInteger.bytes(of: code) + (ofApplication ? [] : [0])
            + QUICInteger.bytes(of: reason.utf8.count) + Array(reason.utf8)
    }

    // MARK: - Packets

    /// A sealed packet with the next number of its side and level.
    mutating func packet(_ level: Level, _ side: Side, _ frames: [UInt8], number given: Int? = nil) -> [UInt8]
    {
        let space =
            switch level {
            case .initial: "\(side) initial"
            case .handshake: "\(side) handshake"
            case .earlyData, .application: "\(side) application"
            }
        let number = given ?? numbers[space, default: 0]
        numbers[space] = max(numbers[space, default: 0], number + 1)
        // Short ones are filled up, so that there are bytes to hide the number with.
        let payload = frames + [UInt8](repeating: 0, count: max(0, 4 - frames.count))
        let numberBytes = UInt16(truncatingIfNeeded: number).bigEndianBytes
        var header: [UInt8]
        let hidden: UInt8
        let destination =
            side == .client ? (level == .initial || level == .earlyData ? initialID : serverID) : clientID
        if case .application(let generation) = level {
            header = [(hasFixedBit ? 0x40 : 0) | UInt8(generation & 1) << 2 | 1] + destination
            hidden = 0x1f
        } else {
            let kind: QUICPacket.Kind =
                level == .initial ? .initial : level == .handshake ? .handshake : .earlyData
            let type = UInt8(version.types.firstIndex(of: kind) ?? 0)
            let source = side == .client ? clientID : serverID
            header =
                [0xc0 | type << 4 | 1] + version.number.bigEndianBytes + [UInt8(destination.count)]
                + destination
            header += [UInt8(source.count)] + source + (level == .initial ? [0] : [])
            let length = numberBytes.count + payload.count + 16
            header += UInt16(length | 0x4000).bigEndianBytes
            hidden = 0x0f
        }
        let start = header.count
        header += numberBytes
        let keys = keys(level, side)
        var nonce = keys.vector
        for (index, byte) in UInt64(number).bigEndianBytes.enumerated() { nonce[4 + index] ^= byte }
        guard let sealed = Cipher.sealGCM(payload, key: keys.key, nonce: nonce, authenticating: header) else {
            return []
        }
        let body = sealed.ciphertext + sealed.tag
        let sample = Array(body[(4 - numberBytes.count)..<(20 - numberBytes.count)])
        // One block in CBC behind a vector of zeros is the block in ECB.
        let zeros = [UInt8](repeating: 0, count: 16)
        let mask = Cipher.sealCBC(sample, key: keys.hiding, vector: zeros) ?? zeros
        header[0] ^= mask[0] & hidden
        for index in numberBytes.indices { header[start + index] ^= mask[1 + index] }
        return header + body
    }

    /// A client's first datagram, which is at least 1200 bytes long (RFC 9000, section 14.1).
    mutating func first(_ frames: [UInt8]) -> [UInt8] {
        packet(.initial, .client, frames + [UInt8](repeating: 0, count: max(0, 1200 - frames.count)))
    }

    /// The datagrams of a whole handshake.
    ///
    /// `resumes`: with the key of a connection before; `takesEarlyData`: what the client sent at once.
    mutating func handshake(_ name: String = "h3", resumes: Bool = false, takesEarlyData: Bool = false) -> [(
        Side, [UInt8]
    )] {
        let hello = first(Self.crypto(Self.clientHello([name])))
        let extensions = Self.encryptedExtensions(name, takesEarlyData: takesEarlyData)
        let answer =
            packet(.initial, .server, Self.crypto(Self.serverHello(resumes: resumes)))
            + packet(.handshake, .server, Self.crypto(extensions + Self.finished))
        return [
            (.client, hello), (.server, answer),
            (.client, packet(.handshake, .client, Self.crypto(Self.finished))),
        ]
    }

    mutating func application(_ side: Side, _ frames: [UInt8], generation: Int = 0, number: Int? = nil)
        -> (Side, [UInt8])
    {
        (side, packet(.application(generation: generation), side, frames, number: number))
    }
}

extension MadePacket {
    /// A UDP datagram between the ends of ``PacketBuilder``.
    static func datagram(
        _ side: Side,
        _ payload: [UInt8],
        at time: Timestamp = PacketBuilder.start,
        clientPort: UInt16 = 50_000,
        serverPort: UInt16 = 443
    ) -> MadePacket {
        let builder = PacketBuilder()
        let ports = side == .client ? [clientPort, serverPort] : [serverPort, clientPort]
        let header = ports.flatMap(\.bigEndianBytes) + UInt16(8 + payload.count).bigEndianBytes + [0, 0]
        return MadePacket(
            bytes: builder.internet(header + payload, from: side, protocolNumber: 17),
            time: time
        )
    }
}
