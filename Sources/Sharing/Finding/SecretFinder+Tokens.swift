import Captures
import JOSE
import JSON

/// Tokens and keys: what they say, and what is inside of encrypted ones.
extension SecretFinder {
    func read(_ token: JSONWebToken) {
        guard found.tokens[token.text] == nil else { return }
        found.tokens[token.text] = .token
        for object in [token.header, token.claims] {
            if let object { collectKeys(.object(object), depth: 0) }
        }
        readHeader(token)
        if token.form == .signed { readClaims(token.payload) }
    }

    /// Takes note of whom a token names that a client proves itself with: a JWT under `client_assertion`, or `client_secret` as
    /// Apple has it.
    func readClient(_ token: JSONWebToken, _ name: String) {
        guard ["clientassertion", "clientsecret"].contains(SecretRoles.normalized(name)),
            let subject = token.claims?["sub"]?.string, !subject.utf8.contains(0x40)
        else { return }
        found.clientSubjects.insert(subject)
    }

    /// Claims may stand in the header as well (RFC 7519, section 5.3).
    private func readHeader(_ token: JSONWebToken) {
        let header = Base64URL.decodeLeniently(token.text.prefix { $0 != "." }).bytes
        let walker = TextWalker { [unowned self] in visit($0) }
        _ = walker.rewriting(header, as: token.headerKind)
        sweep(header)
    }

    /// Reads what is inside of encrypted tokens, and of those that are inside of them.
    func openTokens() {
        let keys = found.keys.sorted { $0.key < $1.key }.map(\.value).filter(\.holdsSecret)
        let secrets = found.clientSecrets.sorted()
        guard !keys.isEmpty || !secrets.isEmpty else { return }
        for _ in 0..<3 {
            let sealed = found.tokens.keys.filter { found.opened[$0] == nil }.sorted()
                .compactMap(JSONWebToken.parse).filter { $0.form == .encrypted }
            let opened = OpenedToken.opening(sealed, keys: keys, secrets: secrets)
            guard !opened.isEmpty else { return }
            found.opened.merge(opened) { $1 }
            for token in opened.values {
                if let inner = JSONWebToken.parse(String(decoding: token.plaintext, as: UTF8.self)) {
                    read(inner)
                } else {
                    readClaims(token.plaintext)
                }
            }
        }
    }

    func readClaims(_ payload: [UInt8]) {
        let walker = TextWalker { [unowned self] in visit($0) }
        _ = walker.rewriting(payload, as: .claims)
        sweep(payload)
    }

    /// Members of keys that only their owner knows (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1).
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "k"]

    /// Takes over the keys of a document.
    func collectKeys(_ value: JSONValue, depth: Int) {
        guard depth < 8 else { return }
        switch value {
        case .array(let elements): for element in elements { collectKeys(element, depth: depth + 1) }
        case .object(let object):
            if object["kty"]?.string != nil {
                let key = JSONWebKey(json: object)
                if let thumbprint = key.thumbprint, !(found.keys[thumbprint]?.isPrivate ?? false) {
                    found.keys[thumbprint] = key
                }
                found.wellKnown.formUnion(["n", "e", "x", "y"].compactMap { object[$0]?.string })
                found.certificates.formUnion(object["x5c"]?.array?.compactMap(\.string) ?? [])
                for name in Self.privateMembers { object[name]?.string.map { note(.privateKey, name, $0) } }
            }
            for member in object.members { collectKeys(member.value, depth: depth + 1) }
        default: return
        }
    }

    /// Tokens that stand somewhere in a text.
    func tokens(in text: [UInt8]) {
        var start = 0
        for index in 0...text.count {
            if index < text.count, Self.isTokenByte(text[index]) { continue }
            defer { start = index + 1 }
            guard index - start >= 24 else { continue }
            var run = Self.withoutWord(text[start..<index])
            if start > 0, text[start - 1] == 0x3d, run.starts(with: SlotReader.quotedToken) {
                run = run.dropFirst(2)
            }
            guard run.starts(with: "ey".utf8) || run.starts(with: "ew".utf8) else { continue }
            var dots = run.count { $0 == 0x2e }
            while dots > 2, run.last == 0x2e { (run, dots) = (run.dropLast(), dots - 1) }
            guard let token = JSONWebToken.parse(String(decoding: run, as: UTF8.self)), token.header != nil
            else { continue }
            read(token)
        }
    }

    /// Without the word that a token has in front of it, as among the protocols of a WebSocket: `Bearer.eyJ…`, `token-eyJ…`.
    static func withoutWord(_ run: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !run.starts(with: "ey".utf8), !run.starts(with: "ew".utf8),
            let start = run.firstRange(of: Array("eyJ".utf8))?.lowerBound, start > run.startIndex,
            [0x2d, 0x2e, 0x5f].contains(run[start - 1])
        else { return run }
        return run[start...]
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isBase64URLCharacter || byte == 0x2e
    }
}
