import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import TestSupport

/// The same login on another day: everything that a run makes anew is another value of the same shape, wherever and
/// however it is written; tokens are signed again with other keys, which the key sets carry; clocks have gone on.
///
/// Written without what is tested: it reads links and messages, and knows nothing of differences.
struct AnotherDay {
    let exchanges: [Exchange]
    /// How many values were replaced, so that a test can tell that there were some.
    let replacementCount: Int

    var capture: Capture { Capture(exchanges) }

    /// Whole seconds, so that headers that count seconds move alike.
    private static let distance: Int64 = 9 * 86400 + 3 * 3600 + 17 * 60 + 5

    private static let rsa = Result { try PrivateKey.generate(.rsa(bits: 2048)) }
    private static let elliptic = Result { try PrivateKey.generate(.elliptic(.p256)) }

    init(_ capture: Capture, seed: UInt64 = 7) throws {
        var builder = Builder(capture: capture, random: SeededGenerator(seed: seed))
        try builder.learn()
        replacementCount = builder.replacements.count
        exchanges = capture.indices.map { builder.moved(capture[$0]) }
    }

    private struct Builder {
        let capture: Capture
        var random: SeededGenerator
        /// By what stands in the capture.
        var replacements: [String: String] = [:]
        private var ordered: [(old: String, new: String)] = []
        private var keyNames: [String: String] = [:]

        init(capture: Capture, random: SeededGenerator) {
            self.capture = capture
            self.random = random
        }

        // MARK: - What is made anew

        mutating func learn() throws {
            let flows = FlowFinder.flows(in: capture)
            var values: Set<String> = []
            for flow in flows {
                for link in flow.links
                where !Self.constants.contains(link.name) || link.origin.place.part == .responseBody {
                    for occurrence in [link.origin] + link.uses where occurrence.value.utf8.count >= 6 {
                        values.insert(occurrence.value)
                    }
                }
                for step in flow.steps {
                    for parameter in step.parameters.items where Self.names.contains(parameter.name) {
                        values.insert(parameter.value)
                    }
                }
            }
            for index in capture.indices {
                for cookie in capture[index].response?.setCookies ?? [] { values.insert(cookie.value) }
                for parameter in Answer(of: capture[index], at: index).parameters.items
                where Self.names.contains(parameter.name) {
                    values.insert(parameter.value)
                }
            }
            learnKeys()
            let tokens = allTokens()
            for token in tokens {
                for member in token.claims?.members ?? [] where Self.names.contains(member.name) {
                    if let text = member.value.string { values.insert(text) }
                }
            }
            let texts = Set(tokens.map(\.text))
            for value in values.sorted() where value.utf8.count >= 6 && JSONWebToken.parse(value) == nil {
                replacements[value] = anew(value)
            }
            learnChallenges(flows)
            sort()
            // Access tokens before the ID tokens that carry their hashes.
            for token in tokens.filter({ !Self.carriesHash($0) }) + tokens.filter(Self.carriesHash)
            where texts.contains(token.text) {
                replacements[token.text] = try signedAnew(token)
                sort()
            }
        }

        private static let constants: Set<String> = [
            "client_id", "client_secret", "redirect_uri", "username", "user", "password", "email", "login",
            "login_hint",
        ]

        private static let names: Set<String> = [
            "state", "nonce", "code", "code_challenge", "code_verifier", "access_token", "refresh_token",
            "request_uri",
            "device_code", "user_code", "session_state", "sid", "jti", "registration_access_token",
            "client_secret_",
        ]

        private static func carriesHash(_ token: JSONWebToken) -> Bool {
            ["at_hash", "c_hash", "s_hash", "ath"].contains { token.claim($0) != nil }
        }

        private mutating func sort() {
            ordered = replacements.sorted { ($1.key.utf8.count, $1.key) < ($0.key.utf8.count, $0.key) }
                .map { ($0.key, $0.value) }
        }

        /// Each letter and digit another of its kind.
        private mutating func anew(_ value: String) -> String {
            let isHex = value.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2d
            }
            return String(
                decoding: value.utf8.map { byte -> UInt8 in
                    switch byte {
                    case 0x30...0x39: return UInt8.random(in: 0x30...0x39, using: &random)
                    case 0x41...0x5a: return UInt8.random(in: 0x41...0x5a, using: &random)
                    case 0x61...0x7a: return UInt8.random(in: 0x61...(isHex ? 0x66 : 0x7a), using: &random)
                    default: return byte
                    }
                },
                as: UTF8.self
            )
        }

        private mutating func learnChallenges(_ flows: [Flow]) {
            for flow in flows {
                let verifiers = flow.tokenRequests.compactMap(\.codeVerifier)
                for request in flow.authorizationRequests {
                    guard let challenge = request.codeChallenge else { continue }
                    for verifier in verifiers {
                        guard let new = replacements[verifier] else { continue }
                        switch CodeChallenge.relation(of: challenge, to: verifier) {
                        case .s256: replacements[challenge] = CodeChallenge.s256(of: new)
                        case .plain: replacements[challenge] = new
                        default: break
                        }
                    }
                }
            }
        }

        // MARK: - Tokens

        /// Every compact token that stands anywhere in the capture.
        private func allTokens() -> [JSONWebToken] {
            var found: [String: JSONWebToken] = [:]
            for index in capture.indices {
                let exchange = capture[index]
                var texts = [exchange.request.url.text, exchange.request.body?.text ?? ""]
                texts += exchange.request.headers.fields.map(\.value)
                texts += exchange.response?.headers.fields.map(\.value) ?? []
                texts.append(exchange.response?.body?.text ?? "")
                for text in texts {
                    for word in text.utf8.split(whereSeparator: { !Self.isOfToken($0) }) {
                        let word = String(Substring(word))
                        guard word.hasPrefix("ey"), let token = JSONWebToken.parse(word) else { continue }
                        found[word] = token
                    }
                }
            }
            return found.values.sorted { $0.text < $1.text }
        }

        private static func isOfToken(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || byte == 0x2d || byte == 0x5f || byte == 0x2e
        }

        private mutating func signedAnew(_ token: JSONWebToken) throws -> String {
            guard token.form == .signed, var header = token.header, let claims = token.claims,
                token.deviations.isEmpty
            else { return token.text }
            let signed = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
            let hashes = signed.map { self.hashes(by: $0) } ?? [:]
            let moved = JSONObject(
                claims.members.map { member in
                    JSONObject.Member(name: member.name, value: changed(member.value, member.name, hashes))
                }
            )
            if let name = header["kid"]?.string, let new = keyNames[name] { header["kid"] = .string(new) }
            guard let algorithm = signed else {
                return encoded(header) + "." + encoded(moved) + "."
            }
            var rest = JSONObject(header.members.filter { $0.name != "alg" })
            // Proofs of possession carry their key.
            if rest["jwk"] != nil, let key = Self.key(for: algorithm) {
                rest["jwk"] = .object(JSONWebKey(key, id: nil).json)
            }
            guard let key = try signingKey(of: token, by: algorithm) else { return token.text }
            return try JSONWebToken.sign(claims: moved, header: rest, algorithm: algorithm, with: key)
        }

        /// What values are hashed to in tokens: those of the day before to those of this one.
        private func hashes(by algorithm: SignatureAlgorithm) -> [String: String] {
            var hashes: [String: String] = [:]
            for (old, new) in replacements {
                hashes[JSONWebToken.halfHash(of: old, algorithm: algorithm)] = JSONWebToken.halfHash(
                    of: new,
                    algorithm: algorithm
                )
                hashes[DPoPProof.hash(ofAccessToken: old)] = DPoPProof.hash(ofAccessToken: new)
            }
            return hashes
        }

        /// Nil of an algorithm for which there is none.
        private func signingKey(of token: JSONWebToken, by algorithm: SignatureAlgorithm) throws
            -> SigningKey?
        {
            switch algorithm {
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: return .privateKey(try AnotherDay.rsa.get())
            case .es256: return .privateKey(try AnotherDay.elliptic.get())
            case .hs256, .hs384, .hs512:
                let secrets = CaptureIndex(capture).knownSecrets
                let secret = token.audience.compactMap { secrets[$0] }.first ?? "nobody knows it"
                return .secret(Array((replacements[secret] ?? secret).utf8))
            default: return nil
            }
        }

        private static func key(for algorithm: SignatureAlgorithm) -> PublicKey? {
            switch algorithm.keyType {
            case "RSA": try? AnotherDay.rsa.get().publicKey
            case "EC" where algorithm == .es256: try? AnotherDay.elliptic.get().publicKey
            default: nil
            }
        }

        private func encoded(_ object: JSONObject) -> String {
            Base64URL.encode(JSONWriter.bytes(of: .object(object)))
        }

        private func changed(_ value: JSONValue, _ name: String, _ hashes: [String: String]) -> JSONValue {
            switch value {
            case .number(let number):
                guard ["exp", "iat", "nbf", "auth_time"].contains(name), let seconds = number.int,
                    // Some write 0 for what they do not know.
                    seconds > 1_000_000_000
                else { return value }
                return .number(JSONNumber(seconds + AnotherDay.distance))
            case .string(let text): return .string(hashes[text] ?? replaced(text))
            case .array(let elements): return .array(elements.map { changed($0, "", hashes) })
            case .object(let object):
                return .object(
                    JSONObject(
                        object.members.map {
                            JSONObject.Member(name: $0.name, value: changed($0.value, $0.name, hashes))
                        }
                    )
                )
            default: return value
            }
        }

        // MARK: - Keys

        /// Keys of every set get another name and other numbers; proofs of possession are of another key.
        private mutating func learnKeys() {
            for index in capture.indices {
                guard let keys = Answer(of: capture[index], at: index).json?["keys"]?.array else { continue }
                for key in keys {
                    if let name = key["kid"]?.string { keyNames[name] = anew(name) }
                }
            }
            for token in allTokens() {
                guard let key = (token.header?["jwk"]?.object).map(JSONWebKey.init(json:)),
                    let thumbprint = key.thumbprint,
                    let new = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)).flatMap(Self.key)
                else { continue }
                replacements[thumbprint] = JSONWebKey(new, id: nil).thumbprint
            }
        }

        /// A key set with the keys that tokens are signed with now.
        private func moved(_ keys: [JSONValue]) -> JSONValue {
            .array(
                keys.map { key in
                    guard var object = key.object else { return key }
                    let name = object["kid"]?.string
                    if let name { object["kid"] = .string(keyNames[name] ?? name) }
                    let algorithm = object["alg"]?.string.flatMap(SignatureAlgorithm.init(rawValue:))
                    let new: JSONWebKey?
                    switch object["kty"]?.string {
                    case "RSA":
                        new = (try? AnotherDay.rsa.get()).map {
                            JSONWebKey($0.publicKey, id: nil, algorithm: algorithm)
                        }
                    case "EC" where object["crv"]?.string == "P-256":
                        new = (try? AnotherDay.elliptic.get()).map {
                            JSONWebKey($0.publicKey, id: nil, algorithm: algorithm)
                        }
                    default: new = nil
                    }
                    for member in ["n", "e", "x", "y"] where object[member] != nil {
                        if let value = new?.json[member] { object[member] = value }
                    }
                    return .object(object)
                }
            )
        }

        // MARK: - An exchange

        func moved(_ exchange: Exchange) -> Exchange {
            var moved = exchange
            moved.startedAt = exchange.startedAt + .seconds(AnotherDay.distance)
            moved.request.url = RecordedURL(replaced(exchange.request.url.text))
            moved.request.headers = self.moved(exchange.request.headers)
            moved.request.listedCookies = exchange.request.listedCookies.map {
                HeaderFields.Field(name: replaced($0.name), value: replaced($0.value))
            }
            moved.request.body = exchange.request.body.map(self.moved)
            guard let response = exchange.response else { return moved }
            moved.response?.headers = self.moved(response.headers)
            moved.response?.redirectURL = replaced(response.redirectURL)
            moved.response?.body = response.body.map(self.moved)
            moved.response?.listedCookies = response.listedCookies.map { cookie in
                var cookie = cookie
                cookie.name = replaced(cookie.name)
                cookie.value = replaced(cookie.value)
                return cookie
            }
            return moved
        }

        private func moved(_ headers: HeaderFields) -> HeaderFields {
            HeaderFields(
                headers.fields.map { field in
                    let name = field.name.lowercased()
                    if ["date", "expires", "last-modified"].contains(name),
                        let time = Timestamp(httpDate: field.value)
                    {
                        return (field.name, (time + .seconds(AnotherDay.distance)).httpDate)
                    }
                    return (field.name, replaced(field.value))
                }
            )
        }

        private func moved(_ body: Body) -> Body {
            var moved = body
            if case .parameters(let fields) = body.content {
                moved.content = .parameters(
                    fields.map { HeaderFields.Field(name: $0.name, value: replaced($0.value)) }
                )
                return moved
            }
            guard let bytes = body.bytes, let text = String(validating: bytes, as: UTF8.self) else {
                return body
            }
            var new = replaced(text)
            if let object = (try? JSONParser.parse(bytes))?.object, let keys = object["keys"]?.array {
                var set = object
                set["keys"] = self.moved(keys)
                new = JSONWriter.text(of: .object(set))
            }
            moved.content = .bytes(Array(new.utf8))
            moved.size = new.utf8.count
            return moved
        }

        /// In each of the ways in which URLs, forms and pages write it.
        private func replaced(_ text: String) -> String {
            guard text.utf8.count >= 6 else { return text }
            var text = text
            for (old, new) in ordered where old != new {
                var (from, to) = (old, new)
                for _ in 0..<3 {
                    if text.contains(from) { text = text.replacing(from, with: to) }
                    let lower = Self.lowerEscapes(PercentEncoding.encode(from))
                    if lower != from, text.contains(lower) {
                        text = text.replacing(lower, with: Self.lowerEscapes(PercentEncoding.encode(to)))
                    }
                    guard PercentEncoding.encode(from) != from else { break }
                    (from, to) = (PercentEncoding.encode(from), PercentEncoding.encode(to))
                }
            }
            return text
        }

        private static func lowerEscapes(_ text: String) -> String {
            var output = ""
            var rest = 0
            for character in text {
                if character == "%" { rest = 3 }
                output += rest > 0 ? character.lowercased() : String(character)
                rest -= rest > 0 ? 1 : 0
            }
            return output
        }
    }
}
