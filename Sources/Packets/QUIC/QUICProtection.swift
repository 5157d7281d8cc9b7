internal import LibCrypto
internal import Wire

/// Opens the packets of one direction that are protected with the keys of one secret (RFC 9001, section 5).
final class QUICProtection {
    private let cipher: MessageDecryptor
    private let vector: [UInt8]
    private let mask: HeaderProtectionMask
    private let suite: TLSCipherSuite
    private let secret: [UInt8]
    private let label: String

    /// Nil where the secret is not one of this suite's, or its cipher is not one of QUIC's.
    ///
    /// `mask`: of the keys before, which an update of the keys does not change (section 6.1).
    init?(
        _ suite: TLSCipherSuite,
        secret: [UInt8],
        _ version: QUICVersion,
        mask earlier: HeaderProtectionMask? = nil
    ) {
        guard case .aead(let algorithm, let keySize) = suite.protection,
            secret.count == (suite.digest == .sha384 ? 48 : 32)
        else { return nil }
        func key(_ name: String, _ size: Int) -> [UInt8] {
            KeyDerivation.expandLabel(secret, version.label + name, length: size, suite.digest)
        }
        vector = key("iv", MessageDecryptor.nonceSize)
        let hiding: HeaderProtectionMask.Algorithm = algorithm == .chaCha20Poly1305 ? .chaCha20 : .aes
        guard let cipher = MessageDecryptor(algorithm, key: key("key", keySize)),
            let mask = earlier ?? HeaderProtectionMask(hiding, key: key("hp", keySize))
        else { return nil }
        self.cipher = cipher
        self.mask = mask
        self.suite = suite
        self.secret = secret
        label = version.label
    }

    /// Of Initial packets, whose keys everybody can make of the connection ID that the client chose (section 5.2).
    static func initial(_ connectionID: ArraySlice<UInt8>, _ version: QUICVersion, from side: Side)
        -> QUICProtection?
    {
        let common = MessageAuthentication.hmac(Array(connectionID), key: version.salt, .sha256)
        let secret = KeyDerivation.expandLabel(
            common,
            side == .client ? "client in" : "server in",
            length: 32,
            .sha256
        )
        // TLS_AES_128_GCM_SHA256, whatever is agreed on.
        return QUICProtection(TLSCipherSuite(0x1301), secret: secret, version)
    }

    /// The keys that follow (section 6).
    func next(_ version: QUICVersion) -> QUICProtection? {
        let following = KeyDerivation.expandLabel(secret, label + "ku", length: secret.count, suite.digest)
        return QUICProtection(suite, secret: following, version, mask: mask)
    }

    /// A packet's first byte and its number, as they are below the mask.
    struct Header {
        /// Up to the end of the number.
        var bytes: [UInt8]
        var numberSize: Int
        /// The last bytes of the number.
        var number: Int

        var keyPhase: Bool { bytes[0] & 4 != 0 }
    }

    /// Nil where the packet is too short.
    func header(of packet: QUICPacket) -> Header? {
        // The number is taken to be four bytes long for where the sample is.
        let sample = packet.numberStart + 4
        guard packet.end - sample >= HeaderProtectionMask.sampleSize,
            let mask = mask.mask(of: packet.datagram[sample..<(sample + HeaderProtectionMask.sampleSize)])
        else { return nil }
        var bytes = Array(packet.datagram[packet.start..<packet.numberStart])
        bytes[0] ^= mask[0] & (packet.kind == .application ? 0x1f : 0x0f)
        let size = Int(bytes[0] & 3) + 1
        var number = 0
        for index in 0..<size {
            let byte = packet.datagram[packet.numberStart + index] ^ mask[1 + index]
            bytes.append(byte)
            number = number << 8 | Int(byte)
        }
        return Header(bytes: bytes, numberSize: size, number: number)
    }

    /// The payload; nil where the keys are others.
    ///
    /// `number`: all of it.
    func open(_ packet: QUICPacket, _ header: Header, number: Int) -> [UInt8]? {
        let start = packet.numberStart + header.numberSize
        guard packet.end - start >= cipher.tagSize else { return nil }
        var nonce = vector
        for index in 0..<8 {
            nonce[nonce.count - 1 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * index))
        }
        var isWhole = false
        let payload = [UInt8](unsafeUninitializedCapacity: packet.end - start) { output, count in
            guard let base = output.baseAddress else { return }
            isWhole = packet.datagram.withUnsafeBytes { bytes in
                header.bytes.withUnsafeBufferPointer { data in
                    cipher.open(
                        UnsafeRawBufferPointer(rebasing: bytes[start..<packet.end]),
                        nonce: nonce,
                        authenticating: data,
                        into: base
                    )
                }
            }
            count = isWhole ? packet.end - start - cipher.tagSize : 0
        }
        return isWhole ? payload : nil
    }

    /// A packet's number by its last bytes and the largest one that came before (RFC 9000, appendix A.3).
    static func number(_ truncated: Int, size: Int, largest: Int) -> Int {
        let expected = largest + 1
        let window = 1 << (8 * size)
        let candidate = expected & ~(window - 1) | truncated
        if candidate <= expected - window / 2, candidate < VariableInteger.largest + 1 - window {
            return candidate + window
        }
        return candidate > expected + window / 2 && candidate >= window ? candidate - window : candidate
    }
}
