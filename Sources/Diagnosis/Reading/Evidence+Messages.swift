import Flows
import Captures
import JSON
import OAuth

extension Evidence {
    /// A parameter as evidence: its place, and its value cut where that is secret.
    init(_ parameter: Parameter, note: String? = nil) {
        self.init(
            place: parameter.place,
            value: Masking.shown(parameter.value, of: parameter.name),
            note: note
        )
    }

    /// The place of names, where one of them is missing.
    func missing(_ name: String) -> Evidence {
        var evidence = self
        evidence.place.name = name
        evidence.value = "missing"
        return evidence
    }

    /// A value that was computed, not seen.
    static func computed(_ name: String, _ value: String, in part: Place.Part, note: String? = nil)
        -> Evidence
    {
        Evidence(place: Place(exchange: nil, part: part, name: name), value: value, note: note)
    }

    /// A claim of a token that an exchange carries; `value` is nil where the token does not have it.
    static func claim(_ name: String, _ value: String?, at exchange: Int?, note: String? = nil) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .jwtClaims, name: name),
            value: value.map { Masking.shown($0, of: name) } ?? "missing",
            note: note
        )
    }
}

extension Answer {
    /// What the endpoint said: error and description, else the status.
    func evidence(note: String? = nil) -> Evidence {
        guard let error else { return statusEvidence(note: note) }
        return Evidence(place: error.place, value: Masking.shown(error.text, of: "error"), note: note)
    }

    /// The status, else why none came.
    func statusEvidence(note: String? = nil) -> Evidence {
        Evidence(place: statusPlace, value: status.map { "\($0)" } ?? failure ?? "no answer", note: note)
    }

    /// The text that describes the error, in lower case, for matching providers' wordings; of a refusal in JSON that names no error
    /// (Twitch, HubSpot), the words that it has for it.
    var errorText: String { (error?.text ?? unnamedWords ?? "").lowercased() }

    private var unnamedWords: String? {
        guard isRefusal, let json else { return nil }
        return ["message", "msg", "detail", "error_message", "description"].lazy
            .compactMap { json[$0]?.string }.first { !$0.isEmpty }
    }

    /// Whether the text names the grant that a client may not use; nil where there is none.
    var speaksOfGrant: Bool? {
        guard let text = error?.description?.lowercased(), !text.isEmpty else { return nil }
        return [
            "grant", "client_credentials", "service account", "authorization_code", "refresh_token",
            "using this method", "to exchange", "token exchange", "token-exchange",
        ].contains(where: text.containsBytes)
    }

    /// Whether the text speaks of the authorization code that was sent, and not of the redirect URI as well: whoever says so has
    /// read the request, and looked the code up.
    var speaksOfCode: Bool {
        let text = errorText
        guard !text.containsBytes("redirect") else { return false }
        return Self.codes.contains { words in
            text.ranges(of: words).contains { range in
                let behind = text[range.upperBound...]
                return !Self.otherCodes.contains { behind.hasPrefix($0) }
            }
        }
    }

    private static let codes = [
        "authorization code", "authorisation code", "auth code", "authcode", "verification code",
        "invalid code",
        "code is", "code was", "code has", "code been", "code not", "code expired", "code_already_used",
    ]
    /// What follows where a grant or the values of PKCE are spoken of.
    private static let otherCodes = [" grant", " flow", " verifier", " challenge", "_"]

    /// Whether the text speaks of the verifier that was sent, and of nothing by which a client proves itself.
    var speaksOfVerifier: Bool {
        let text = errorText
        return ["code_verifier", "code verifier"].contains(where: text.containsBytes)
            && !["client", "secret"].contains(where: text.containsBytes)
    }
}

extension Flow {
    /// What an endpoint said to a request that it refused: the error where it names one, else the status and the words that
    /// came with it.
    func evidence(of answer: Answer, note: String? = nil) -> [Evidence] {
        guard answer.error == nil, answer.isRefusal else { return [answer.evidence(note: note)] }
        let words = hidingSecrets(
            in: PageText.start(of: capture[answer.exchange].response?.body),
            of: answer.exchange
        )
        guard !words.isEmpty else { return [answer.statusEvidence(note: note)] }
        return [
            answer.statusEvidence(note: note),
            Evidence(
                place: Place(exchange: answer.exchange, part: .responseBody, name: ""),
                value: Masking.shown(words, of: "body")
            ),
        ]
    }
}

extension Flow {
    /// A text of an answer without the secrets that the request brought, or that the answer names as such; `code` of an error is none.
    func hidingSecrets(in text: String, of exchange: Int) -> String {
        let request = capture[exchange].request
        let sent = request.queryAndFormItems.items
        var secrets = sent.filter { Masking.isSecret($0.name) }.map(\.value)
        secrets += request.headers.all("authorization").map { $0.drop { $0 != " " }.dropFirst() }.map(
            String.init
        )
        let answered = Answer(of: capture[exchange], at: exchange).json?.members.filter { member in
            guard member.name == "code", let code = member.value.string else { return true }
            return !Self.isWords(code) && !Self.isNumber(code)
        }
        for members in [answered, request.body.flatMap(Self.object)?.members] {
            secrets += members?.filter { Masking.isSecret($0.name) }.compactMap(\.value.string) ?? []
        }
        return Masking.hiding(secrets.filter { $0.utf8.count >= 6 && !MissingToken.isOne($0) }, in: text)
    }

    /// Whether a value is a name in small letters, as `code` of an error has it (`cookie_decryption_error`): what is issued has other
    /// characters, too.
    private static func isWords(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x5f } && value.utf8.contains(0x5f)
    }

    /// Whether a value is a number among those of a product's errors: `ABA-60007`.
    private static func isNumber(_ value: String) -> Bool {
        let parts = value.utf8.split(separator: 0x2d, omittingEmptySubsequences: false)
        return parts.count == 2 && (2...8).contains(parts[0].count) && (3...6).contains(parts[1].count)
            && parts[0].allSatisfy { (0x41...0x5a).contains($0) } && parts[1].allSatisfy(\.isASCIIDigit)
    }

    /// Evidence whose words are a server's own, which may repeat what was sent to it, or anything that it knows of the login.
    func hidingSecrets(in evidence: [Evidence]) -> [Evidence] {
        evidence.map { evidence in
            guard let exchange = evidence.place.exchange, evidence.value.utf8.count >= KnownSecrets.shortest
            else {
                return evidence
            }
            var evidence = evidence
            evidence.value = hidingSecrets(in: evidence.value, of: exchange)
            evidence.value = Masking.hiding(derived.value { KnownSecrets(of: self) }.all, in: evidence.value)
            return evidence
        }
    }

    private static func object(_ body: Body) -> JSONObject? {
        guard body.essence == "application/json", let bytes = body.bytes, bytes.count < 1 << 16 else {
            return nil
        }
        return (try? JSONParser.parse(bytes))?.object
    }
}

extension TokenRequest {
    /// Whether the provider looked at the grant itself (code, redirect URI, verifier, refresh token) and
    /// refused it.
    ///
    /// A refusal of the client, of its attestation, of a DPoP proof or for load says nothing of the grant. A 401 is one of the client
    /// but where its words speak of the code or the verifier (MyInfo).
    var isGrantRefused: Bool {
        guard let status = answer.status, answer.isRefusal else { return false }
        if let error = answer.error?.standardName {
            return !Self.otherRefusals.contains(error) && !ClientCall.ofAttestation.contains(error)
                && status < 500 && status != 429
        }
        if status == 401 { return answer.speaksOfCode || answer.speaksOfVerifier }
        return (400..<500).contains(status) && ![404, 405, 408, 413, 415, 429].contains(status)
    }

    private static let otherRefusals: Set<String> = [
        "invalid_client", "use_dpop_nonce", "invalid_dpop_proof", "unsupported_grant_type",
        "temporarily_unavailable",
        "server_error", "slow_down", "authorization_pending", "incorrect_client_credentials", "access_denied",
        "authorization_declined",
    ]

    /// Whether the request got to the provider, for all that is known, and its answer did not come back.
    var isAnswerLost: Bool {
        answer.status == nil && answer.failure.flatMap { TransportFailure($0) } == .unanswered
    }

    /// Whether it may have got to the provider though nothing says so: time ran out.
    var mayHaveArrived: Bool {
        answer.status == nil && answer.failure.map(TransportFailure.isTimeout) ?? false
    }

    /// Whether the answer is a refusal by this name, or by one of a server's own for it.
    func isRefused(with errors: String...) -> Bool {
        answer.isRefusal
            && answer.error.map { errors.contains($0.error) || errors.contains($0.standardName) } ?? false
    }

    /// Whether the user's name or password was refused, in a server's own words without an error's name (Docker Hub).
    var isPasswordRefused: Bool {
        guard grantType == "password", answer.error == nil, let status = answer.status,
            [400, 401, 403].contains(status)
        else { return false }
        return answer.parameters.items.contains { member in
            let words = member.value.lowercased()
            return words.containsBytes("password") && !words.containsBytes("client")
                && !words.containsBytes("grant") && Self.wrongWords.contains(where: words.containsBytes)
        }
    }

    private static let wrongWords = ["incorrect", "invalid", "wrong", "not match", "n't match", "bad "]

    /// Whether a refresh was refused for its token: by the name for it, or by a general one with words that say so.
    var isRefreshTokenRefused: Bool {
        guard isRefresh else { return false }
        if isRefused(with: "invalid_grant") { return true }
        let text = answer.errorText
        let description = (answer.error?.description ?? "").lowercased()
        return isRefused(with: "invalid_request", "invalid_token")
            && (Self.refreshTokens.contains(where: text.containsBytes)
                || ["token has ", "token is "].contains(where: description.hasPrefix))
            && Self.spentWords.contains(where: text.containsBytes)
    }

    private static let refreshTokens = ["refresh token", "refresh_token", "refreshtoken"]

    private static let spentWords = [
        "expired", "inactive", "not active", "revoked", "already used", "already been used",
    ]

    /// RFC 8693.
    var isTokenExchange: Bool { grantType == GrantType.tokenExchange }

    /// Whether it was refused for the service that the token is to be for, whatever the error is called: Keycloak says
    /// `invalid_client` of it.
    var isTargetRefused: Bool {
        isTokenExchange && answer.isRefusal && parameters.contains("audience")
            && answer.errorText.containsBytes("audience") && !isSubjectForOthers
    }

    /// Whether that is called a client which the provider does not know, as Keycloak calls it.
    var isTargetCalledClient: Bool { isTargetRefused && isRefused(with: "invalid_client") }

    /// Whether a token exchange was refused because the token that it brought is not for whoever is to take it (RFC 8693, section
    /// 2.2.2): the provider, or the client that exchanges it.
    var isSubjectForOthers: Bool {
        guard isTokenExchange, answer.isRefusal else { return false }
        let text = answer.errorText
        return Self.subjectsAudience.contains(where: text.containsBytes)
    }

    /// Whether Entra refused the token that an API showed on behalf of its user because it is not for that API.
    var isAssertionForOthers: Bool {
        guard grantType == GrantType.jwtBearer, answer.isRefusal else { return false }
        let text = answer.errorText
        return ["aadsts500131:", "assertion audience claim does not match"].contains(
            where: text.containsBytes
        )
    }

    /// In lower case: Google's security token service, Keycloak.
    private static let subjectsAudience = [
        "audience in id token", "not within the token audience", "audience of the subject",
        "subject token audience",
        "subject_token audience",
    ]

    /// Whether the user decides on another device while the client polls: what `access_denied` means there alone
    /// (RFC 8628, section 3.5; OpenID Connect CIBA, section 11).
    ///
    /// 401 is for a client that did not prove who it is (RFC 6749, section 5.2).
    ///
    /// Of one that was saved without its form the answer alone tells.
    var isDecidedElsewhere: Bool {
        guard answer.status != 401 else { return false }
        return GrantType.decoupled.contains(grantType)
            || parameters.isEmpty
                && answer.error.map { ["authorization_pending", "slow_down"].contains($0.error) } ?? false
    }

    /// A parameter that is not among those that were sent.
    func missing(_ name: String) -> Evidence { parameters.missing(name, of: exchange) }

    /// Whether the request's parameters were saved at all.
    var isRecorded: Bool { !parameters.isEmpty }
}

extension Parameters {
    /// A parameter that is not among those of a request's body.
    func missing(_ name: String, of exchange: Int) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .requestBody, name: name),
            value: "missing",
            note: items.isEmpty ? nil : "sent: \(shownNames)"
        )
    }

    /// The names of what was sent, each once, at most 24.
    ///
    /// What is no name is masked: a body of another kind, read as a form, has values there.
    var shownNames: String {
        let names = items.filter { !$0.name.isEmpty }.eachOnce(by: \.name).prefix(24)
        return names.map { $0.hasPlainName ? $0.name : Masking.masked($0.name) }.joined(separator: ", ")
    }
}

extension Parameter {
    /// Whether its name looks like one that somebody chose: short, of letters for the most part, and not all there is.
    fileprivate var hasPlainName: Bool {
        let bytes = name.utf8
        guard bytes.count <= 40, !value.isEmpty || bytes.count <= 24 else { return false }
        let digits = bytes.count { (0x30...0x39).contains($0) }
        return digits < 3
            && bytes.allSatisfy {
                (0x30...0x3b).contains($0) || (0x41...0x5b).contains($0) || (0x61...0x7a).contains($0)
                    || [0x24, 0x2d, 0x2e, 0x5d, 0x5f].contains($0)
            }
    }
}
