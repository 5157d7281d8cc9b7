import JOSE
import JSON
import LibCrypto

/// Writes a signed or encrypted token anew: what is secret in it replaced, signed by a throw-away key where the original
/// was signed rightly, and wrongly where it was not.
struct TokenWriter {
    let standIns: StandIns

    func standIn(for token: JSONWebToken) -> String {
        let parts = token.text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard token.form == .signed, parts.count == 3 else { return resealed(token, parts) ?? noise(parts) }
        let input = [rewritten(parts[0], as: token.headerKind), rewritten(parts[1], as: .claims)]
            .joined(separator: ".")
        return input + "." + signature(of: token, parts[2], over: input)
    }

    /// As long as it was: how much of an answer came is told of one that broke off.
    func standIn(for torn: TornToken) -> String {
        var payload = rewritten(torn.encodedPayload, as: .claims)
        // One character behind whole groups of four is no byte yet.
        if torn.encodedPayload.utf8.count % 4 == 1, payload.utf8.count % 4 != 1 { payload += "A" }
        return rewritten(torn.header, as: .json) + "." + payload + standIns.shaped(torn.rest)
    }

    /// A part of a token with what its JSON holds replaced; its base64 stays in the form that it had.
    private func rewritten(_ part: String, as kind: TextKind) -> String {
        let text = Base64URL.decodeLeniently(part).bytes
        let walked = standIns.walker.rewriting(text, as: kind)
        let swept = standIns.sweeper.sweeping(walked ?? text)
        guard let other = swept ?? walked else { return part }
        return Self.encoded(other, like: part)
    }

    private func signature(of token: JSONWebToken, _ part: String, over input: String) -> String {
        guard !part.isEmpty else { return part }
        let verified = standIns.verification(of: token.text)
        guard let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)),
            let made = made(algorithm, verified, over: input)
        else { return token.isSignedInDER ? noiseInDER(part) : standIns.shaped(part) }
        return Self.encoded(verified.isDER ? ECDSASignature.der(made) : made, like: part)
    }

    /// A signature in DER that no key of the captures verifies: two numbers as long as they were.
    ///
    /// The first two bytes of each, which decide of that (X.690, section 8.3), stay.
    private func noiseInDER(_ part: String) -> String {
        var bytes = Base64URL.decodeLeniently(part).bytes
        let noise = standIns.bytes(bytes.count, for: part)
        var number = bytes[1] == 0x81 ? 3 : 2
        while number + 2 < bytes.count {
            let end = min(number + 2 + Int(bytes[number + 1]), bytes.count)
            for index in min(number + 4, end)..<end { bytes[index] = noise[index] }
            number = end
        }
        return Self.encoded(bytes, like: part)
    }

    private func made(
        _ algorithm: SignatureAlgorithm,
        _ verified: (key: JSONWebKey?, secret: String?, isDER: Bool),
        over input: String
    ) -> [UInt8]? {
        let message = Array(input.utf8)
        if let secret = verified.secret {
            return MessageAuthentication.hmac(
                message,
                key: Array(standIns.standIn(for: secret).utf8),
                algorithm.digest
            )
        }
        guard let key = verified.key else { return nil }
        if let shared = standIns.symmetricKey(for: key)?.symmetricKey {
            return MessageAuthentication.hmac(message, key: shared, algorithm.digest)
        }
        guard let scheme = algorithm.scheme, let signer = standIns.privateKey(for: key) else { return nil }
        return try? signer.sign(message, scheme)
    }

    // MARK: - Encrypted tokens

    /// What is inside written anew, and encrypted for the key that stands for the one that opened it.
    private func resealed(_ token: JSONWebToken, _ parts: [String]) -> String? {
        guard let opened = standIns.opened(token),
            let header = try? JSONParser.parse(
                Base64URL.decodeLeniently(rewritten(parts[0], as: .json)).bytes
            ),
            let members = header.object
        else { return nil }
        var key: JSONWebKey?
        if let own = opened.key {
            key =
                standIns.symmetricKey(for: own)
                ?? standIns.privateKey(for: own).map { JSONWebKey($0.publicKey, id: own.id) }
            guard key != nil else { return nil }
        }
        return JSONWebEncryption.sealed(
            plaintext(opened),
            key: key,
            secret: opened.secret.map { Array(standIns.standIn(for: $0).utf8) },
            header: members,
            random: { SecureRandom.bytes($0) }
        )
    }

    private func plaintext(_ opened: OpenedToken) -> [UInt8] {
        let text = String(decoding: opened.plaintext, as: UTF8.self)
        if let inner = JSONWebToken.parse(text) { return Array(standIns.standIn(for: inner.text).utf8) }
        let walked = standIns.walker.rewriting(opened.plaintext, as: .claims)
        return standIns.sweeper.sweeping(walked ?? opened.plaintext) ?? walked ?? opened.plaintext
    }

    /// A token that nothing here opens keeps its header, but for what is secret in it; the rest is of the same length and means nothing.
    private func noise(_ parts: [String]) -> String {
        let rest = parts.dropFirst().map { part in
            part.isEmpty
                ? part
                : Self.encoded(
                    standIns.bytes(Base64URL.decodeLeniently(part).bytes.count, for: part),
                    like: part
                )
        }
        return ([rewritten(parts[0], as: .json)] + rest).joined(separator: ".")
    }

    /// Bytes in base64url, in the alphabet of another text and with as much padding.
    static func encoded(_ bytes: [UInt8], like part: String) -> String {
        var text = Base64URL.encode(bytes)
        if part.utf8.contains(where: { $0 == 0x2b || $0 == 0x2f }) {
            text = String(
                decoding: text.utf8.map { $0 == 0x2d ? 0x2b : $0 == 0x5f ? 0x2f : $0 },
                as: UTF8.self
            )
        }
        // As much padding as there was, right or wrong.
        text += String(repeating: "=", count: part.utf8.reversed().prefix { $0 == 0x3d }.count)
        return text
    }
}
