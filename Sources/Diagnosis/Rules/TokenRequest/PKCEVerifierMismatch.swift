import Captures
import Flows
import OAuth

/// The code verifier does not belong to the code challenge of its login.
///
/// With S256 the challenge is BASE64URL(SHA256(ASCII(verifier))), 43 characters without padding (RFC 7636,
/// section 4.2). The finding names the way of making it that would give the challenge that was sent: so one
/// knows which line of code is wrong.
struct PKCEVerifierMismatch: Rule {
    static let info = RuleInfo(
        id: "pkce-verifier-mismatch",
        title: "The code verifier does not belong to the code challenge",
        severity: .error,
        explanation: """
            The provider computed the challenge from the code_verifier of the token request, compared it with the code_challenge of the login, \
            and found another value; so it refused the code.
            """,
        fix: """
            Make the challenge as BASE64URL(SHA256(verifier)): the 32 raw bytes of the digest in the URL alphabet without padding, and send \
            the very verifier that it was made from.
            """,
        badExample: """
            code_verifier   dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
            code_challenge  13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3   (hexadecimal)
            """,
        goodExample: """
            code_verifier   dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
            code_challenge  E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
            """,
        specifications: [.rfc(7636, "4.1"), .rfc(7636, "4.2"), .rfc(7636, "4.6")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        if flow.hasUnsavedTokenRequest,
            flow.askedLogins.isEmpty || flow.askedLogins.contains(where: Self.hasChallenge)
        {
            reason = Gap.tokenRequestBody
        }
        for login in flow.askedLogins {
            let certain = flow.certainTokenRequests(of: login).filter { $0.codeVerifier?.isEmpty == false }
            // A login that neither sends nor is asked for one of the two has nothing to compare.
            if certain.isEmpty, !login.tokenRequests.isEmpty, Self.hasChallenge(login) {
                reason = "no verifier that is certain to belong to this login's code"
            }
            guard let challenge = login.request.parameters.parameter("code_challenge"),
                !challenge.value.isEmpty
            else {
                if !certain.isEmpty { reason = "the code challenge is not in the capture" }
                continue
            }
            for request in certain where request.isGrantRefused || flow.isGivenUp(behind: request) {
                guard let verifier = request.parameters.parameter("code_verifier") else { continue }
                switch compare(challenge, login.request, verifier) {
                case .fits: continue
                case .unknownMethod: reason = Gap.challengeMethod
                case .differs(let relation):
                    return .violated(violation(challenge, login.request, request, verifier, relation, flow))
                }
            }
        }
        if let request = StatedGrantFault.ofCode(in: flow, .verifierWrong),
            let verifier = request.parameters.parameter("code_verifier")
        {
            return .violated(
                Violation(
                    [
                        GoTrueRequest.challenge(before: request, in: flow.capture).map { Evidence($0) },
                        Evidence(
                            verifier,
                            note: GoTrueRequest.isExchange(request)
                                ? nil : "the login, with its code_challenge, is not in the capture"
                        ),
                        request.answer.evidence(note: "in the provider's words"),
                    ].compactMap(\.self),
                    variant: "unknown",
                    exchange: request.exchange
                )
            )
        }
        return reason.map { .abstains($0) } ?? .holds
    }

    private static func hasChallenge(_ login: Login) -> Bool {
        login.request.parameters["code_challenge"]?.isEmpty == false
    }

    // MARK: - Comparing

    private enum Comparison {
        case fits
        case unknownMethod
        case differs(ChallengeRelation?)
    }

    private func compare(_ challenge: Parameter, _ request: AuthorizationRequest, _ verifier: Parameter)
        -> Comparison
    {
        let relation = CodeChallenge.relation(of: challenge.value, to: verifier.value)
        let named = request.parameters["code_challenge_method"].flatMap { $0.isEmpty ? nil : $0 }
        switch named {
        case "S256": return relation == .s256 ? .fits : .differs(relation)
        case "plain": return relation == .plain ? .fits : .differs(relation)
        // Hashed without a word: the method is what is missing, and that is another rule's.
        case nil: return relation == .plain || relation == .s256 ? .fits : .differs(relation)
        case let other?:
            // A name in the wrong case is read by few, as S256 by those who do.
            return other.lowercased() == "s256"
                ? (relation == .s256 ? .fits : .differs(relation)) : .unknownMethod
        }
    }

    private func violation(
        _ challenge: Parameter,
        _ login: AuthorizationRequest,
        _ request: TokenRequest,
        _ verifier: Parameter,
        _ relation: ChallengeRelation?,
        _ flow: Flow
    ) -> Violation {
        let other = relation == nil ? ownerOfVerifier(verifier.value, login, flow) : nil
        let isMissing = relation == nil && MissingToken.isOne(verifier.value)
        let variant =
            relation.map(Self.variant) ?? (isMissing ? "no-value" : other == nil ? "unknown" : "other-flow")
        let method = login.parameters.parameter("code_challenge_method")
        var evidence = [
            Evidence(
                place: challenge.place,
                value: Masking.shown(challenge.value, of: "code_challenge"),
                note:
                    "\(challenge.value.unicodeScalars.count) characters, method \(method?.value ?? "not named: plain")"
            ),
            isMissing
                ? Evidence(
                    place: verifier.place,
                    value: verifier.value,
                    note: "a word in the verifier's place"
                )
                : Evidence(
                    verifier,
                    note: relation == .trimmed ? Self.respelling(verifier.value, challenge.value) : nil
                ),
            Evidence.computed(
                "BASE64URL(SHA256(code_verifier))",
                CodeChallenge.s256(of: verifier.value),
                in: .requestBody,
                note: "what the challenge has to be under S256"
            ),
            request.answer.evidence(),
        ]
        if let other {
            evidence.append(Evidence(other, note: "the login whose challenge this verifier fits"))
        }
        let words = Self.words(for: variant)
        return Violation(
            evidence,
            variant: variant,
            explanation: words.what,
            fix: words.fix,
            // The wrong value of the pair: a challenge that is no hash was wrong from the start, another
            // login's verifier only here.
            exchange: other == nil && !["trimmed", "quoted", "no-value", "unknown"].contains(variant)
                ? challenge.place.exchange : request.exchange
        )
    }

    /// The challenge of another authorization request of the file that this verifier opens.
    private func ownerOfVerifier(_ verifier: String, _ login: AuthorizationRequest, _ flow: Flow)
        -> Parameter?
    {
        let known: Set = [CodeChallenge.s256(of: verifier), verifier]
        return flow.surroundings.requestValues.requests(withChallenges: known).lazy.filter {
            $0.exchange != login.exchange && $0.codeChallenge != login.codeChallenge
        }
        .compactMap { $0.parameters.parameter("code_challenge") }
        .first
    }

    // MARK: - Words

    private static func variant(_ relation: ChallengeRelation) -> String {
        switch relation {
        case .plain: "plain-as-s256"
        case .s256: "s256-as-plain"
        default: relation.rawValue
        }
    }

    /// What the verifier differs by from the one that the challenge belongs to.
    private static func respelling(_ verifier: String, _ challenge: String) -> String? {
        let endings = [("\n", "a newline"), ("\r\n", "a carriage return and newline"), ("=", "\"=\"")]
        for (ending, name) in endings where CodeChallenge.s256(of: verifier + ending) == challenge {
            return "the challenge was made with \(name) behind it"
        }
        let spaces = String(decoding: verifier.utf8.map { $0 == 0x20 ? 0x2b : $0 }, as: UTF8.self)
        if CodeChallenge.s256(of: spaces) == challenge { return "\"+\" was sent bare and read as a space" }
        let unpadded = String(decoding: verifier.utf8.filter { $0 != 0x3d }, as: UTF8.self)
        if CodeChallenge.s256(of: unpadded) == challenge { return "the challenge was made without its \"=\"" }
        return nil
    }

    private static func words(for variant: String) -> (what: String, fix: String?) {
        switch variant {
        case "padded":
            (
                "The challenge is the right hash with \"=\" at its end; base64url is used without padding here.",
                "Take the \"=\" off the challenge."
            )
        case "base64":
            (
                "The challenge is the right hash in standard Base64; with \"+\", \"/\" or \"=\" it is not base64url.",
                "Encode the 32 bytes of the digest with the URL alphabet (- and _) and without padding."
            )
        case "base64-slash-as-dash":
            (
                "The challenge is standard Base64 with the two characters replaced the wrong way: \"+\" has to become \"-\" and \"/\" has to become \"_\".",
                "Use a base64url function instead of replacing characters by hand."
            )
        case "hex":
            (
                "The challenge is the digest in hexadecimal.",
                "Encode the 32 raw bytes of the digest with base64url, without padding."
            )
        case "hex-base64url":
            (
                "The challenge is base64url of the digest's hexadecimal text, not of its bytes.",
                "Ask the hash function for bytes instead of text, and encode those."
            )
        case "double-hash": ("The challenge is the hash of a hash.", "Hash the verifier once.")
        case "plain-as-s256":
            (
                "The challenge is the verifier itself, but the method says S256.",
                "Send BASE64URL(SHA256(verifier)) as the challenge; keep the method."
            )
        case "s256-as-plain":
            ("The challenge is a hash, but the method says plain.", "Send code_challenge_method=S256.")
        case "truncated":
            (
                "Of challenge and right hash one is the beginning of the other: it was cut off, or something was added.",
                "Send all 43 characters; look at column widths and URL limits where the value is kept."
            )
        case "trimmed":
            (
                "The challenge belongs to another spelling of this verifier: white space around it, or characters that were encoded once too often or "
                    + "too seldom.",
                "Use 43 characters of A-Z, a-z, 0-9, - and _ as the verifier, and send them as they are."
            )
        case "decoded-verifier":
            (
                "The challenge is the hash of the bytes that the verifier stands for in base64url, not of the verifier's characters.",
                "Hash the verifier as it is sent, ASCII(code_verifier)."
            )
        case "utf16":
            (
                "The challenge is the hash of the verifier in UTF-16; the specification wants its ASCII bytes.",
                "Turn the verifier into bytes as ASCII or UTF-8 before it is hashed (.NET: Encoding.ASCII, not Encoding.Unicode)."
            )
        case "sha1", "sha512":
            (
                "The challenge is a hash of the verifier by \(variant == "sha1" ? "SHA-1" : "SHA-512"); S256 is SHA-256.",
                "Hash the verifier with SHA-256."
            )
        case "letter-case":
            (
                "The challenge is the right hash but for upper and lower case, which base64url tells apart.",
                "Send the challenge as it was encoded; look for what changes the case of the URL or its parameters."
            )
        case "quoted":
            (
                "The verifier was sent in quotes, and the challenge belongs to what stands between them.",
                "Parse the stored value (JSON.parse) before it is sent, or store the text without JSON.stringify."
            )
        case "no-value":
            (
                "In the verifier's place stands a word for nothing: the app had no verifier when it made this request.",
                "Keep the verifier where the callback finds it: the same origin, storage and window that began the login."
            )
        case "other-flow":
            (
                "The verifier is the one of another login: the app started two and kept only one verifier, or mixed them up.",
                "Keep one verifier per login, found by its state."
            )
        default:
            (
                "The verifier does not hash to the challenge in any of the ways that are tried here; which of the two is wrong the capture does not show. "
                    + "Mostly the verifier was made anew, or belongs to a login outside of this capture.",
                "Make the verifier once per login, keep it until the exchange, and find it by the state."
            )
        }
    }
}
