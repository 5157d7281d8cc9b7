import Captures
import Flows
import JSON
import OAuth

/// Why an API refuses a token, in its own words: the challenge (RFC 6750, section 3) and the start of the body.
struct BearerRefusal {
    /// What it may be about; the words are those of resource servers in the field.
    enum Reason: CaseIterable {
        case audience
        case issuer
        case expiry
        /// It does not hold yet, by the clock of who refuses it.
        case beginning
        case signature
        case scope
        /// It is no JWT, and one was expected.
        case shape
    }

    let exchange: Int
    let status: Int
    let challenges: [AuthenticationChallenge]
    /// The `WWW-Authenticate` fields.
    let header: String?
    let body: String
    let reasons: Set<Reason>
    /// What it says of the client's certificate.
    let certificate: CertificateRefusal?
    /// What it says where it is Envoy's, with 403.
    let envoy: EnvoyRefusal?

    private static let limit = 4096

    init(of exchange: Int, in flow: Flow) {
        let response = flow.capture[exchange].response
        self.exchange = exchange
        status = response?.status ?? 0
        challenges = response.map { AuthenticationChallenge.all(in: $0.headers) } ?? []
        let fields = response?.headers.all("www-authenticate") ?? []
        header = fields.isEmpty ? nil : fields.joined(separator: ", ")
        body = flow.hidingSecrets(in: Self.words(of: response, exchange, flow), of: exchange)
        // Addresses in a challenge (`resource_metadata`) are no reason.
        let said = challenges.flatMap { challenge in
            ["error", "error_description"].compactMap { challenge[$0] }
        }
        let words = said.joined(separator: " ").prefixBytes(Self.limit) + " " + body
        let plain = ScriptEscape.undone(in: Array(words.utf8)).map { String(decoding: $0, as: UTF8.self) }
        // Quotes in a JSON string stand behind a backslash, or as .NET writes them (`\u0027`).
        let text = (plain ?? words).asciiLowercased().replacing("\\", with: "")
        certificate = CertificateRefusal(in: text)
        envoy = EnvoyRefusal(flow.capture[exchange])
        let named = Set(
            Reason.allCases.filter { reason in
                Self.words[reason]?.contains(where: text.containsBytes) ?? false
            }
        )
        // "Expired or not yet valid" leaves open which.
        reasons = text.containsBytes("expired") ? named.subtracting([.beginning]) : named
    }

    /// The start of the body; of a refusal that comes as a token, its claims.
    private static func words(of response: RecordedResponse?, _ exchange: Int, _ flow: Flow) -> String {
        if response?.body?.essence == "application/jwt",
            let claims = Answer(of: flow.capture[exchange], at: exchange).json
        {
            return JSONWriter.text(of: .object(claims)).prefixBytes(limit)
        }
        return response?.body?.bytes.map { String(decoding: $0.prefix(limit), as: UTF8.self) } ?? ""
    }

    /// The `error` of the challenge, else of the body.
    func error(_ answer: Answer) -> String? {
        challenges.lazy.compactMap { $0["error"] }.first ?? answer.error?.error
    }

    /// Whether it says that it could not fetch the keys to verify tokens with: Envoy and Istio, Spring.
    var missesKeys: Bool {
        let said = challenges.compactMap { $0["error_description"] }.joined(separator: " ")
        let text = (said.prefixBytes(Self.limit) + " " + body).asciiLowercased()
        return ["jwks remote fetch is failed", "retrieve remote jwk set"].contains(where: text.containsBytes)
    }

    /// Whether it says what a resource server says to a token (RFC 6750), of whatever scheme.
    var isBearerChallenge: Bool { challenges.contains { $0.scheme == "bearer" || $0.scheme == "dpop" } }

    /// What it says, without the secrets that it repeats.
    var evidence: Evidence {
        if let header {
            return Evidence(
                place: Place(exchange: exchange, part: .responseHeader, name: "WWW-Authenticate"),
                value: Masking.shown(header, of: "www-authenticate"),
                note: "answered with \(status)"
            )
        }
        guard !body.isEmpty else {
            return Evidence(
                place: Place(exchange: exchange, part: .responseStatus, name: ""),
                value: "\(status)"
            )
        }
        return Evidence(
            place: Place(exchange: exchange, part: .responseBody, name: ""),
            value: Excerpt.start(of: body),
            note: "answered with \(status)"
        )
    }

    /// In lower case.
    private static let words: [Reason: [String]] = [
        .audience: ["audience", "\"aud\"", "'aud'", "aud claim", "idx10206", "idx10208", "idx10214"],
        .issuer: ["issuer", "\"iss\"", "'iss'", "iss claim", "idx10204", "idx10205", "idx10211"],
        .expiry: [
            "expired", "\"exp\"", "'exp'", "exp claim", "lifetime", "not active", "idx10222", "idx10223",
        ],
        // Google's library, PyJWT and python-jose, golang-jwt (two), jjwt, ASP.NET (two), Spring, jsonwebtoken.
        .beginning: [
            "used too early", "not yet valid", "not valid yet", "used before issued", "issued in the future",
            "must not be accepted before", "idx10222", "token is not valid before", "jwt used before",
            "jwt not active",
        ],
        .signature: [
            "signature", "signing key", "idx10500", "idx10501", "idx10503", "idx10511", "jwks",
            "remote jwk set", "no matching key(s) found",
        ],
        .scope: ["insufficient_scope", "missing scope", "openid scope"],
        .shape: [
            "jwt malformed", "invalid compact jws", "not enough segments", "idx14100", "idx12741",
            "jwt must have 3 tokens",
            // Nimbus in Spring (two of them), jjwt, golang-jwt, go-jose, Envoy and Istio, ruby-jwt, php-jwt.
            "missing dot delimiter", "decode the jwt: malformed token", "exactly 2 period characters",
            "invalid number of segments", "compact jws format must have three parts",
            "not in the form of header.payload.signature", "not enough or too many segments",
            "wrong number of segments",
        ],
    ]
}
