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
        let logins = flow.askedLogins
        let isUnsaved =
            flow.hasUnsavedTokenRequest && (logins.isEmpty || logins.contains(where: Self.hasChallenge))
        return Verdict.firstViolation(among: logins, lacking: isUnsaved ? Gap.tokenRequestBody : nil) {
            verdict(on: $0, flow)
        }.or(stated(in: flow))
    }

    private func verdict(on login: Login, _ flow: Flow) -> Verdict {
        let certain = flow.certainTokenRequests(of: login).filter { $0.codeVerifier?.isEmpty == false }
        // A login that neither sends nor is asked for one of the two has nothing to compare.
        guard let challenge = login.request.parameters.parameter("code_challenge"), !challenge.value.isEmpty
        else { return certain.isEmpty ? .holds : .abstains("the code challenge is not in the capture") }
        guard !certain.isEmpty || login.tokenRequests.isEmpty else {
            return .abstains("no verifier that is certain to belong to this login's code")
        }
        // Nobody looked at the verifier, which would be refused next.
        let isOfClient = certain.allSatisfy(Self.isClientRefused)
        return Verdict.firstViolation(among: certain) { request in
            guard
                isOfClient || request.isGrantRefused || isRefusedWithoutReason(request)
                    || flow.isGivenUp(behind: request),
                let verifier = request.parameters.parameter("code_verifier")
            else { return .holds }
            switch compare(challenge, login.request, verifier) {
            case .fits: return .holds
            case .unknownMethod: return .abstains(Gap.challengeMethod)
            case .differs(let relation):
                var violation = violation(challenge, login.request, request, verifier, relation, flow)
                if isOfClient || isRefusedWithoutReason(request) && isRefusedForAnother(request, flow) {
                    violation.severity = .warning
                }
                return .violated(violation)
            }
        }
    }

    private static func isClientRefused(_ request: TokenRequest) -> Bool {
        request.isRefused(with: "invalid_client", "incorrect_client_credentials")
    }

    /// A bare 401, as gateways give it for anything that they do not like: should it be the client that is refused, this verifier would be
    /// next.
    private func isRefusedWithoutReason(_ request: TokenRequest) -> Bool {
        request.answer.status == 401 && request.answer.error == nil && request.answer.isRefusal
    }

    /// Whether more is known of why a request was refused that comes before its verifier is looked at: what stands in front of the endpoint
    /// refused it, or there is a fault in how the client proved itself.
    private func isRefusedForAnother(_ request: TokenRequest, _ flow: Flow) -> Bool {
        guard let call = ClientCall.all(in: flow).first(where: { $0.exchange == request.exchange }) else {
            return false
        }
        return call.isRefusedForOthers || ClientFault.isShown(by: call, in: flow)
    }

    /// GoTrue's logins begin at an address of its own, with the challenge.
    private func stated(in flow: Flow) -> Violation? {
        guard let request = StatedGrantFault.ofCode(in: flow, .verifierWrong),
            let challenge = GoTrueRequest.challenge(before: request, in: flow.capture),
            let verifier = request.parameters.parameter("code_verifier")
        else { return nil }
        let relation = CodeChallenge.relation(of: challenge.value, to: verifier.value)
        guard relation != .s256, relation != .plain else { return nil }
        let variant = relation.map { PKCEVerifierVariant.made($0) } ?? .unknown
        return Violation(
            [
                Evidence(challenge), Evidence(verifier),
                request.answer.evidence(note: "in the provider's words"),
            ],
            variant: variant.name,
            explanation: variant.words.what,
            fix: variant.words.fix,
            exchange: request.exchange
        )
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
        let variant: PKCEVerifierVariant =
            relation.map { .made($0) } ?? (isMissing ? .noValue : other == nil ? .unknown : .otherFlow)
        let note = relation == .trimmed ? Self.respelling(verifier.value, challenge.value) : nil
        let sent =
            isMissing
            ? Evidence(place: verifier.place, value: verifier.value, note: "a word in the verifier's place")
            : Evidence(verifier, note: note)
        let owner = other.map { Evidence($0, note: "the login whose challenge this verifier fits") }
        return Violation(
            [
                evidence(of: challenge, of: login), sent,
                Evidence.computed(
                    "BASE64URL(SHA256(code_verifier))",
                    CodeChallenge.s256(of: verifier.value),
                    in: .requestBody,
                    note: "what the challenge has to be under S256"
                ),
                request.answer.evidence(), owner,
            ].compactMap(\.self),
            variant: variant.name,
            explanation: variant.words.what,
            fix: variant.words.fix,
            exchange: variant.isOfChallenge ? challenge.place.exchange : request.exchange
        )
    }

    private func evidence(of challenge: Parameter, of login: AuthorizationRequest) -> Evidence {
        let method = login.parameters["code_challenge_method"] ?? "not named: plain"
        return Evidence(
            place: challenge.place,
            value: Masking.shown(challenge.value, of: "code_challenge"),
            note: "\(challenge.value.unicodeScalars.count.counted("character")), method \(method)"
        )
    }

    /// The challenge of another authorization request of the file that this verifier opens, or of one that was pushed and no
    /// more.
    private func ownerOfVerifier(_ verifier: String, _ login: AuthorizationRequest, _ flow: Flow)
        -> Parameter?
    {
        let known: Set = [CodeChallenge.s256(of: verifier), verifier]
        let values = flow.surroundings.requestValues
        return values.requests(withChallenges: known).lazy.filter {
            $0.exchange != login.exchange && $0.codeChallenge != login.codeChallenge
        }
        .compactMap { $0.parameters.parameter("code_challenge") }
        .first ?? values.pushedChallenge(among: known)
    }

    /// What the verifier differs by from the one that the challenge belongs to.
    private static func respelling(_ verifier: String, _ challenge: String) -> String? {
        let endings = [("\n", "a newline"), ("\r\n", "a carriage return and newline"), ("=", "\"=\"")]
        for (ending, name) in endings where CodeChallenge.s256(of: verifier + ending) == challenge {
            return "the challenge was made with \(name) behind it"
        }
        if CodeChallenge.s256(of: verifier.replacing(0x20, by: 0x2b)) == challenge {
            return "\"+\" was sent bare and read as a space"
        }
        let unpadded = String(decoding: verifier.utf8.filter { $0 != 0x3d }, as: UTF8.self)
        if CodeChallenge.s256(of: unpadded) == challenge { return "the challenge was made without its \"=\"" }
        return nil
    }
}
