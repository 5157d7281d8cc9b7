import Captures
import Flows
import JOSE
import JSON
import OAuth

/// An answer that gave tokens out: of the token endpoint, or in the front channel.
struct TokenGrant {
    var exchange: Int
    var parameters: Parameters
    /// Nil in the front channel.
    var request: TokenRequest?

    var accessToken: String? { parameters["access_token"] }

    /// Seconds; nil where the answer has none, or something that is no number.
    var lifetime: Int64? { parameters["expires_in"].flatMap { Int64($0) } }

    /// In order of time.
    static func all(in flow: Flow) -> [TokenGrant] {
        flow.messages.compactMap { message in
            switch message {
            case .token(let request):
                TokenGrant(
                    exchange: request.exchange,
                    parameters: request.answer.parameters,
                    request: request
                )
            case .authorizationResponse(let response):
                TokenGrant(exchange: response.exchange, parameters: response.parameters)
            default: nil
            }
        }
    }
}

/// A call of UserInfo or of an API with a token in its `Authorization` header (RFC 6750, section 2).
struct BearerCall {
    var call: EndpointCall
    var isUserInfo: Bool
    var token: Parameter
    /// The answer that gave this access token out; nil where it is none, or not in the capture.
    var grant: TokenGrant?
    /// Whether the flow is nothing but calls: the login that got the token is not in the capture.
    var isLone = false

    /// Whether it is known to be the access token that was shown: one of this login's, or of one that was not recorded.
    var isWithAccessToken: Bool { grant != nil || isLone }

    /// In order of time.
    static func all(in flow: Flow) -> [BearerCall] {
        let calls = flow.messages.compactMap { message -> (EndpointCall, Bool)? in
            switch message {
            case .userInfo(let call): (call, true)
            case .resource(let call): (call, false)
            default: nil
            }
        }
        guard !calls.isEmpty else { return [] }
        let isLone = flow.isOfCallsAlone
        let grants = Dictionary(
            TokenGrant.all(in: flow).compactMap { grant in
                grant.accessToken.flatMap { Placeholder.isOne($0) ? nil : ($0, grant) }
            }
        ) { first, _ in first }
        return calls.compactMap { call, isUserInfo in
            call.token.map {
                BearerCall(
                    call: call,
                    isUserInfo: isUserInfo,
                    token: $0,
                    grant: grants[$0.value],
                    isLone: isLone
                )
            }
        }
    }

    /// Calls that were refused for their token and not repeated with success, with what was said.
    ///
    /// Those that went well with another token, in another flow of the client's, are told only where there are no others.
    static func refused(in flow: Flow, with statuses: Set<Int> = [401]) -> [(
        call: BearerCall, refusal: BearerRefusal
    )] {
        let calls = all(in: flow)
        var later = LaterCalls(in: flow.surroundings)
        var accepted: Set<String> = []
        var refused: [(call: BearerCall, refusal: BearerRefusal)] = []
        for call in calls.reversed() {
            guard let status = call.call.answer.status else { continue }
            if status < 400 {
                later.add(call.call)
                accepted.insert(call.token.value)
            } else if !later.isRepaired(call.call) {
                let refusal = BearerRefusal(of: call.call.exchange, in: flow)
                guard
                    statuses.contains(status)
                        || isTokenRefused(call, refusal)
                            && (call.isUserInfo || !accepted.contains(call.token.value))
                else { continue }
                refused.append((call, refusal))
            }
        }
        let open = refused.filter { !flow.surroundings.isRenewed(after: $0.call.call) }
        return (open.isEmpty ? refused : open).reversed()
    }

    /// Whether the token is refused by the name for it (RFC 6750, section 3.1) with another status than 401.
    ///
    /// The JSON of an API may mean a token of its own.
    private static func isTokenRefused(_ call: BearerCall, _ refusal: BearerRefusal) -> Bool {
        guard (400..<500).contains(refusal.status) else { return false }
        let error =
            call.isUserInfo
            ? refusal.error(call.call.answer) : refusal.challenges.lazy.compactMap { $0["error"] }.first
        return error == "invalid_token"
    }

    /// The token, where it is a signed one whose claims can be read.
    var claimsToken: JSONWebToken? {
        JSONWebToken.parse(token.value).flatMap { $0.claims == nil ? nil : $0 }
    }

    /// Whether it goes to the authorization server itself.
    func isAtProvider(_ flow: Flow) -> Bool {
        isUserInfo || call.endpoint.host.map(flow.providerHosts.contains) ?? false
    }

    var address: Evidence {
        Evidence(
            place: Place(exchange: call.exchange, part: .requestURL, name: ""),
            value: Masking.shown(call.endpoint.text, of: "url")
        )
    }

    /// A claim of the access token as evidence.
    func evidence(ofClaim name: String, _ value: String, note: String? = nil) -> Evidence {
        Evidence(
            place: Place(exchange: call.exchange, part: .jwtClaims, name: name),
            value: Masking.shown(value, of: name),
            note: note
        )
    }
}

/// Why an API refuses a token, in its own words: the challenge (RFC 6750, section 3) and the start of the body.
struct BearerRefusal {
    /// What it may be about; the words are those of resource servers in the field.
    enum Reason: CaseIterable {
        case audience
        case issuer
        case expiry
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
        // Quotes in a JSON string stand behind a backslash.
        let text = (said.joined(separator: " ").prefixBytes(Self.limit) + " " + body).asciiLowercased()
            .replacing("\\", with: "")
        certificate = CertificateRefusal(in: text)
        reasons = Set(
            Reason.allCases.filter { reason in
                Self.words[reason]?.contains(where: text.containsBytes) ?? false
            }
        )
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
        .signature: [
            "signature", "signing key", "idx10500", "idx10501", "idx10503", "idx10511", "jwks",
            "remote jwk set",
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

extension String {
    /// No more than so many bytes of it.
    func prefixBytes(_ count: Int) -> String {
        utf8.count <= count ? self : String(decoding: utf8.prefix(count), as: UTF8.self)
    }
}
