import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The provider did not accept the code or refresh token.
///
/// Only restates the answer `invalid_grant` (RFC 6749, section 5.2), which stands for a dozen causes; says
/// which of them the capture excludes.
struct TokenInvalidGrant: Rule {
    static let info = RuleInfo(
        id: "token-invalid-grant",
        title: RefusedGrant.title,
        severity: .error,
        isSymptom: true,
        explanation: """
            invalid_grant stands for anything that is wrong with a code or refresh token: expired, revoked, already used, issued to another \
            client, or not fitting redirect URI or code verifier. The notes say what was checked.
            """,
        fix: """
            What a capture cannot show remains: the code or token has run out or was revoked on the server, or it was issued to another client. \
            The provider's log names the reason.
            """,
        badExample: """
            POST /token  grant_type=authorization_code&code=…
            400 {"error":"invalid_grant"}
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&code=…
            200 {"access_token":"…","token_type":"Bearer"}
            """,
        specifications: [.rfc(6749, "5.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let requests = flow.tokenRequests
        let refused = requests.filter {
            ($0.isRefused(with: "invalid_grant") || $0.isPasswordRefused)
                && !($0.isRefresh && flow.isSignedOut(before: $0.exchange))
        }
        guard let first = refused.first else { return .holds }
        if let codeless = CodelessExchange.violation(refused, flow) { return .violated(codeless) }
        let isRepaired =
            isRepaired(refused, by: requests.filter(\.answer.isSuccess))
            || refused.allSatisfy(flow.surroundings.isAnsweredByLogin)
        if var misplaced = TokenOutOfPlace.violation(refused, flow) {
            if isRepaired { misplaced.severity = .note }
            return .violated(misplaced)
        }
        let checked = refused.prefix(4).map { flow.checkedValues(of: $0) }
        let told = told(of: refused, first, flow)
        return .violated(
            Violation(
                zip(refused, checked).map { $0.answer.evidence(note: $1) } + told.evidence,
                severity: isRepaired ? .note : nil,
                explanation: told.words?.explanation
                    ?? (checked.contains { $0 != nil } ? nil : Self.unchecked),
                fix: told.words?.fix,
                title: told.words?.title,
                exchange: first.exchange
            )
        )
    }

    private static let unchecked = """
        invalid_grant stands for anything that is wrong with a code or refresh token: expired, revoked, already used, issued to another client, or not \
        fitting redirect URI or code verifier. The capture has nothing to compare with what was sent.
        """

    /// What the capture shows of why, and what is to be said of it; no words where it shows nothing.
    private func told(of refused: [TokenRequest], _ first: TokenRequest, _ flow: Flow) -> (
        evidence: [Evidence], words: Violation.Words?
    ) {
        let throttled = Throttling.evidence(of: first.answer, in: flow)
        guard throttled.isEmpty else { return (throttled, Throttling.words) }
        let replaced = refused.count == 1 ? ReplacedCode(by: first, in: flow) : nil
        let unsent = replaced?.evidence ?? unsent(insteadOf: refused, flow)
        let stated = unsent.isEmpty ? StatedRefusal(refused, in: flow) : nil
        var evidence =
            unsent + assertion(of: first, flow) + unasked(by: first, flow) + (stated?.evidence ?? [])
        var words =
            unsent.isEmpty || MissingToken.isOne(first.code ?? "")
            ? RefusedGrant.words(named: first, by: flow.provider) ?? stated?.words
                ?? RefusedGrant.words(of: refused)
            : replaced == nil ? RefusedGrant.otherCode : RefusedGrant.replacedCode
        if words == nil, let wrong = WrongRefreshToken(of: first, in: flow) {
            evidence += wrong.evidence
            words = wrong.isAltered ? RefusedGrant.alteredRefresh : RefusedGrant.otherToken
        }
        // The provider's own words come first.
        if words == nil {
            let revocations = refused.map { flow.evidence(ofRevocationBefore: $0) }
            evidence += revocations.first { !$0.isEmpty } ?? []
            if revocations.allSatisfy({ !$0.isEmpty }) { words = RefusedGrant.revokedRefresh }
        }
        if words == nil, let method = UnheardOfMethod.evidence(ofLoginBefore: first, in: flow) {
            evidence.append(method)
            words = UnheardOfMethod.wordsOfCode
        }
        if words == nil, let lost = lostTry(before: first, flow) {
            evidence += [Evidence(lost.code, note: "sent before"), lost.request.answer.statusEvidence()]
            words = RefusedGrant.lostAnswer
        }
        if words == nil, refused.allSatisfy(\.isRefresh) {
            let young = refused.compactMap { YoungRefreshToken.evidence(of: $0, in: flow) }
            evidence += young.prefix(1)
            words = young.count == refused.count ? YoungRefreshToken.words : RefusedGrant.refresh
        }
        return (evidence, words)
    }

    /// Whether each was made once more with success, later and with the same: a mistyped one-time code is typed once more.
    private func isRepaired(_ refused: [TokenRequest], by granted: [TokenRequest]) -> Bool {
        let last = Dictionary(
            granted.lazy.compactMap { request in
                (request.code ?? request.refreshToken).map { ($0, request.startedAt) }
            },
            uniquingKeysWith: max
        )
        let continued = granted.filter { $0.continuation != nil }
        return refused.allSatisfy { request in
            if let grant = request.code ?? request.refreshToken {
                return last[grant].map { $0 > request.startedAt } ?? false
            }
            return continued.contains {
                $0.startedAt > request.startedAt && $0.grantType == request.grantType
                    && [request.continuation, request.nextContinuation].contains($0.continuation)
            }
        }
    }

    /// The request that brought the same code before, in time, and whose answer was lost: the provider may have taken it.
    private func lostTry(before refused: TokenRequest, _ flow: Flow) -> (
        request: TokenRequest, code: Parameter
    )? {
        guard refused.isCodeExchange, let code = refused.code, !code.isEmpty,
            LateCode(in: flow).age == nil
        else { return nil }
        let lost = flow.tokenRequests.first {
            $0.isAnswerLost && $0.code?.equalsBytes(of: code) == true && $0.startedAt < refused.startedAt
        }
        guard let lost, let parameter = lost.parameters.parameter("code") else { return nil }
        return (lost, parameter)
    }

    /// A redirect URI of an exchange whose login named none: providers that compare the two (RFC 6749, section 4.1.3) find one.
    private func unasked(by request: TokenRequest, _ flow: Flow) -> [Evidence] {
        guard request.isCodeExchange, let sent = request.parameters.parameter("redirect_uri"),
            !sent.value.isEmpty,
            let login = flow.askedLogins.first(where: { login in
                flow.certainTokenRequests(of: login).contains { $0.exchange == request.exchange }
            }),
            !login.request.parameters.isEmpty, login.request.parameters["redirect_uri"] == nil,
            !["request", "request_uri"].contains(where: login.request.parameters.contains)
        else { return [] }
        return [Evidence(sent, note: "the login's own request named none: send it in both, or in neither")]
    }

    /// Whom an assertion in a code's place is for, and when it holds, by the clock of the answer (RFC 7523, section 3).
    private func assertion(of request: TokenRequest, _ flow: Flow) -> [Evidence] {
        guard request.grantType == GrantType.jwtBearer,
            let parameter = request.parameters.parameter("assertion"),
            let token = JSONWebToken.parse(parameter.value), token.claims != nil
        else { return [] }
        let now = flow.capture[request.exchange].response?.headers.first("date")
            .flatMap { Timestamp(httpDate: $0)?.seconds }
        func evidence(_ name: String, _ value: String, _ note: String?) -> Evidence {
            Evidence.claim(name, value, at: request.exchange, note: note)
        }
        var found: [Evidence] = []
        if !token.audience.isEmpty {
            found.append(evidence("aud", token.audience.prefix(3).joined(separator: ", "), nil))
        }
        if let start = token.issuedAt {
            let ahead = now.map { start - $0 } ?? 0
            found.append(
                evidence("iat", "\(start)", ahead > 60 ? "\(ahead) s ahead of the answer's Date" : nil)
            )
        }
        if let end = token.expiresAt {
            let over = now.map { $0 - end } ?? 0
            found.append(
                evidence("exp", "\(end)", over > 5 ? "over for \(over) s, by the answer's Date" : nil)
            )
        }
        return found
    }

    /// The code that was delivered and the other one that was sent in its place, where the flow has one login; else nothing.
    private func unsent(insteadOf refused: [TokenRequest], _ flow: Flow) -> [Evidence] {
        let delivered = flow.authorizationResponses.compactMap { $0.parameter("code") }
        guard let code = delivered.first, flow.logins.count == 1, refused.allSatisfy(\.isCodeExchange),
            !refused.contains(where: GoTrueRequest.isExchange),
            let sent = refused.first?.parameters.parameter("code"), !sent.value.isEmpty,
            !Placeholder.isOne(sent.value), !delivered.contains(where: { $0.value == sent.value }),
            !flow.tokenRequests.contains(where: { $0.code == code.value })
        else { return [] }
        return [
            Evidence(code, note: "the code that was delivered, and never sent"),
            MissingToken.isOne(sent.value)
                ? Evidence(place: sent.place, value: sent.value, note: "a word in the code's place")
                : Evidence(
                    sent,
                    note: flow.logins.first?.request.state == sent.value
                        ? "what was sent as the code is the state of this login" : "the code that was sent"
                ),
        ]
    }
}
