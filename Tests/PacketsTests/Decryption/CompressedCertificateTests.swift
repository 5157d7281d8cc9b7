import LibCrypto
@testable import Packets
import TestSupport
import Testing
import Wire

/// Certificates that are packed (RFC 8879), in a handshake that is made here: not every libssl packs them.
struct CompressedCertificateTests {
    /// What was offered, agreed and shown, in records of TLS 1.3 that are sealed with invented secrets.
    private struct Handshake {
        static let serverSecret = [UInt8](repeating: 0x51, count: 32)
        static let clientSecret = [UInt8](repeating: 0x52, count: 32)
        static let keys = TLSKeyLog(
            "SERVER_HANDSHAKE_TRAFFIC_SECRET \(QUICSpeaker.random.hex) \(serverSecret.hex)\n"
                + "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(QUICSpeaker.random.hex) \(clientSecret.hex)\n"
        )

        /// `server` and `client`: the messages of each between EncryptedExtensions and Finished.
        static func facts(server: [UInt8], client: [UInt8]) -> TLSStreamFacts {
            var stream = TLSStream()
            var reading = TLSReading()
            let records: [(Side, [UInt8])] = [
                (.client, plain(QUICSpeaker.clientHello(["http/1.1"]))),
                (.server, plain(QUICSpeaker.serverHello)),
                (
                    .server,
                    sealed(
                        QUICSpeaker.encryptedExtensions("http/1.1") + server + QUICSpeaker.finished,
                        serverSecret
                    )
                ),
                (.client, sealed(client + QUICSpeaker.finished, clientSecret)),
            ]
            for (side, record) in records {
                record.withUnsafeBytes { stream.receive($0, from: side, keys: keys, into: &reading) }
            }
            #expect(reading.reasons.isEmpty && reading.facts.count == 1)
            return stream.facts
        }

        private static func plain(_ messages: [UInt8]) -> [UInt8] {
            [22, 3, 3] + UInt16(messages.count).bigEndianBytes + messages
        }

        /// The first record of a side, in which the content's type stands behind the content (RFC 8446, section 5.2).
        private static func sealed(_ messages: [UInt8], _ secret: [UInt8]) -> [UInt8] {
            let content = messages + [22]
            let header: [UInt8] = [23, 3, 3] + UInt16(content.count + 16).bigEndianBytes
            let key = KeyDerivation.expandLabel(secret, "key", length: 16, .sha256)
            let nonce = KeyDerivation.expandLabel(secret, "iv", length: 12, .sha256)
            guard let box = Cipher.sealGCM(content, key: key, nonce: nonce, authenticating: header) else {
                return []
            }
            return header + box.ciphertext + box.tag
        }
    }

    /// Of zlib, with a length from before, and some bytes that nobody unpacks.
    private static func packed(from size: Int) -> [UInt8] {
        let length = UInt32(size).bigEndianBytes.dropFirst()
        return QUICSpeaker.message(25, [0, 1] + length + [0, 0, 4, 0x78, 0x9c, 1, 2])
    }

    /// A CertificateRequest without extensions.
    private static func request(context: Int = 0) -> [UInt8] {
        QUICSpeaker.message(13, [UInt8(context)] + [UInt8](repeating: 7, count: context) + [0, 0])
    }

    @Test func serversCertificateIsSeen() {
        let facts = Handshake.facts(server: Self.packed(from: 900), client: [])
        #expect(facts.showsServerCertificate && !facts.wantsClientCertificate)
        #expect(!facts.showsClientCertificate)
        #expect(!Handshake.facts(server: [], client: []).showsServerCertificate)
    }

    /// An empty one has its context and the length of an empty list.
    @Test(arguments: [(0, 4, false), (0, 5, true), (0, 900, true), (32, 36, false), (32, 900, true)])
    func clientsCertificateIsSeenByItsLength(context: Int, size: Int, isShown: Bool) {
        let facts = Handshake.facts(
            server: Self.request(context: context) + Self.packed(from: 900),
            client: Self.packed(from: size)
        )
        #expect(facts.wantsClientCertificate)
        #expect(facts.showsClientCertificate == isShown)
    }

    /// Cut short it says nothing.
    @Test func messageWithoutALengthShowsNone() {
        let facts = Handshake.facts(server: Self.request(), client: QUICSpeaker.message(25, [0, 1, 0]))
        #expect(!facts.showsClientCertificate)
    }
}
