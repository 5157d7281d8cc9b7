import JSON
import LibCrypto
@testable import Packets
import TestSupport
import Testing

/// The first packets of QUIC connections, by the vectors of RFC 9001 and 9369 (appendices A of both).
struct QUICInitialTests {
    private struct Vector {
        var version: QUICInitial.Version
        var packet: [UInt8]
        var keys: [String]
    }

    private let connectionID: [UInt8]
    private let hello: [UInt8]
    private let vectors: [Vector]

    init() throws {
        let vector = try Vectors.named("rfc9001-a.2")
        connectionID = [UInt8](hex: try #require(vector["connection_id"]?.string))
        hello = [UInt8](hex: try #require(vector["client_hello"]?.string))
        vectors = try (vector["packets"]?.array ?? []).map { packet in
            let number = try #require(UInt32(packet["version"]?.string ?? "", radix: 16))
            return Vector(
                version: try #require(QUICInitial.Version.all.first { $0.number == number }),
                packet: [UInt8](hex: try #require(packet["packet"]?.string)),
                keys: ["key", "iv", "hp"].map { packet[$0]?.string ?? "" }
            )
        }
        #expect(vectors.count == 2)
    }

    @Test func keysAreThoseOfTheSpecifications() {
        for vector in vectors {
            let keys = QUICInitial.Keys(connectionID, vector.version)
            #expect([keys.key.hex, keys.vector.hex, keys.headerProtection.hex] == vector.keys)
        }
    }

    @Test func clientHelloIsRead() throws {
        for vector in vectors {
            let packet = try #require(QUICInitial(vector.packet[...]))
            #expect(packet.connectionID == connectionID && packet.size == 1200)
            #expect(packet.pieces == [QUICInitial.Piece(offset: 0, bytes: hello)])
            var names = QUICServerNames()
            #expect(names.name(in: vector.packet[...]) == "example.com")
            // Sent again it is no other connection.
            #expect(names.name(in: vector.packet[...]) == nil)
        }
    }

    @Test func whatWasChangedOrCutIsNotRead() {
        for vector in vectors {
            for index in stride(from: 0, to: vector.packet.count, by: 7) {
                var changed = vector.packet
                changed[index] ^= 0x10
                #expect(QUICInitial(changed[...]) == nil, "\(index)")
                #expect(QUICInitial(vector.packet[..<index]) == nil)
            }
        }
    }

    /// Post-quantum key shares do not fit into one packet; Chromium mixes up the pieces as well.
    @Test func helloMayComeInPieces() throws {
        for vector in vectors {
            for size in [20, 50, 100, 200] {
                var pieces = stride(from: 0, to: hello.count, by: size).map {
                    QUICInitial.Piece(offset: $0, bytes: Array(hello[$0..<min(hello.count, $0 + size)]))
                }
                pieces.reverse()
                pieces.insert(pieces[0], at: 0)
                var names = QUICServerNames()
                let datagrams = pieces.enumerated().map { sealed([$1], number: $0, vector.version) }
                let found = datagrams.map { names.name(in: $0[...]) }
                #expect(found.dropLast().allSatisfy { $0 == nil } && found.last == "example.com")
                // Several packets in one datagram.
                var others = QUICServerNames()
                #expect(others.name(in: datagrams.flatMap(\.self)[...]) == "example.com")
            }
            // An acknowledgement, and a PING, before it.
            let before: [UInt8] = [1, 2, 0x40, 9, 0, 1, 0, 0, 0, 3, 5, 0, 0, 0, 1, 2, 3]
            let packet = sealed(
                [QUICInitial.Piece(offset: 0, bytes: hello)],
                before,
                number: 7,
                vector.version
            )
            var names = QUICServerNames()
            #expect(names.name(in: packet[...]) == "example.com")
        }
    }

    @Test func serverIsToldOfByItsName() throws {
        let packets = vectors.flatMap { vector in
            [vector.packet, vector.packet].map { payload in
                let datagram: [UInt8] =
                    [0x11, 0x11, 0x01, 0xbb] + UInt16(8 + payload.count).bigEndianBytes + [0, 0]
                return MadePacket(
                    bytes: PacketBuilder.version4([10, 0, 0, 1], [10, 0, 0, 2], 17, datagram + payload),
                    time: PacketBuilder.start
                )
            }
        }
        #expect(
            StreamLog.decoded(packets).losses.map(\.description) == [
                "packet 1: 4 packets begin QUIC connections to 10.0.0.2:443 (example.com), which are not read: HTTP/3;"
                    + " where UDP port 443 is blocked, clients use HTTP/2"
            ]
        )
    }

    /// An Initial packet as a client makes it.
    private func sealed(
        _ pieces: [QUICInitial.Piece],
        _ frames: [UInt8] = [],
        number: Int,
        _ version: QUICInitial.Version
    ) -> [UInt8] {
        func integer(_ value: Int) -> [UInt8] { UInt16(value | 0x4000).bigEndianBytes }
        var payload = frames
        for piece in pieces {
            payload += [6] + integer(piece.offset) + integer(piece.bytes.count) + piece.bytes
        }
        payload += [UInt8](repeating: 0, count: max(0, 60 - payload.count))
        var header = [0xc0 | version.initialType << 4] + version.number.bigEndianBytes
        header += [UInt8(connectionID.count)] + connectionID + [0, 0] + integer(1 + payload.count + 16)
        let start = header.count
        header.append(UInt8(number))
        let keys = QUICInitial.Keys(connectionID, version)
        var nonce = keys.vector
        nonce[11] ^= UInt8(number)
        guard
            let (ciphertext, tag) = Cipher.sealGCM(
                payload,
                key: keys.key,
                nonce: nonce,
                authenticating: header
            )
        else { return [] }
        let sample = Array((ciphertext + tag)[3..<19])
        let zeros = [UInt8](repeating: 0, count: 16)
        let mask = Cipher.sealCBC(sample, key: keys.headerProtection, vector: zeros) ?? zeros
        header[0] ^= mask[0] & 0x0f
        header[start] ^= mask[1]
        return header + ciphertext + tag
    }
}
