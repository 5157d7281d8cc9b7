import Captures
import Flows
import OAuth

/// The token endpoint answers with success, and with something that is no JSON object.
///
/// A form where JSON is expected is GitHub's default; a page comes from something that stands before the token
/// endpoint.
struct TokenResponseNotJSON: Rule {
    static let info = RuleInfo(
        id: "token-response-not-json",
        title: "The token response is not JSON",
        severity: .errorWhenRefused,
        explanation:
            "The token endpoint answered with success, but the body is no JSON object, so a client finds no tokens in it.",
        fix: """
            Look at the body: a page means that a proxy, a login page or a wrong path answered instead of the token endpoint. GitHub answers with \
            a form unless the request has Accept: application/json.
            """,
        badExample: """
            POST /token
            200 OK, Content-Type: text/html
            <!doctype html><title>Sign in</title>…
            """,
        goodExample: """
            POST /token
            200 OK, Content-Type: application/json
            {"access_token":"…","token_type":"Bearer"}
            """,
        specifications: [.rfc(6749, "5.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        // What was made up for, and what is another's matter to read: told of where nothing is worse.
        var repaired: Violation?
        var mislabelled: Violation?
        lazy var grants = Grants(flow)
        for request in flow.tokenRequests {
            guard let status = request.answer.status, (200..<300).contains(status) else { continue }
            if let unreadable = UnreadableAnswer(inSpiteOf: request.answer, in: flow.capture)
                ?? UnreadableAnswer(undecoded: request.answer, in: flow.capture),
                !isRead(request, flow)
            {
                return .violated(
                    Violation(
                        unreadable.evidence,
                        explanation: unreadable.explanation,
                        fix: unreadable.fix,
                        title: unreadable.title,
                        exchange: request.exchange
                    )
                )
            }
            guard request.answer.isBodyWhole || isEmpty(request, flow) else {
                reason = Gap.tokenResponse
                continue
            }
            let type = flow.capture[request.exchange].response?.headers.first("content-type")
            if request.answer.json == nil {
                // An error in a form is told of as an error.
                guard request.answer.error == nil else { continue }
                let isRepaired = grants.isAny(behind: request)
                if isRepaired, repaired != nil { continue }
                let found =
                    flow.takenToAuthorizationEndpoint(request) ?? flow.misplacedByQuery(request)
                    ?? violation(request, type, isRepaired: isRepaired, flow).toldOfFront(in: flow)
                guard isRepaired else { return .violated(found) }
                repaired = found
                continue
            }
            if let type, !type.lowercased().containsBytes("json"), mislabelled == nil {
                mislabelled = mislabelling(request, type)
            }
        }
        if let noted = repaired ?? mislabelled { return .violated(noted) }
        return reason.map { .abstains($0) } ?? .holds
    }

    /// Where the same was last asked for and answered with tokens: one that tries on may have got a page many times before.
    private struct Grants {
        private var last: [[String?]: Int] = [:]
        private let position: [Int]

        init(_ flow: Flow) {
            position = flow.surroundings.position
            for request in flow.tokenRequests
            where request.answer.json != nil && request.answer.parameters.contains("access_token") {
                let asked = Self.asked(by: request)
                last[asked] = max(last[asked] ?? 0, position[request.exchange])
            }
        }

        func isAny(behind request: TokenRequest) -> Bool {
            last[Self.asked(by: request)].map { $0 > position[request.exchange] } ?? false
        }

        private static func asked(by request: TokenRequest) -> [String?] {
            [request.grantType, request.code, request.refreshToken]
        }
    }

    /// Whether the recorder counted no byte of the body, on the wire or behind it, and the app refused its callback: one that lost a body
    /// knows how long it was, or does not.
    private func isEmpty(_ request: TokenRequest, _ flow: Flow) -> Bool {
        guard let code = request.code, let body = flow.capture[request.exchange].response?.body,
            !body.hasBytes, !body.isTruncated, body.size == 0, body.wireSize == 0
        else { return false }
        return RejectedCallback.all(in: flow).contains { $0.response.code == code }
    }

    /// Whether the client made something of the answer: it used it, or asked for the keys of the token in it.
    private func isRead(_ request: TokenRequest, _ flow: Flow) -> Bool {
        if flow.wentOn(after: request, callback: callback(of: request, flow)) { return true }
        let asked = flow.capture[request.exchange]
        let agent = asked.request.userAgent
        return flow.keySets.contains { document in
            let call = flow.capture[document.exchange]
            return call.startedAt >= asked.endedAt && call.request.userAgent == agent
        }
    }

    /// The callback whose answer shows what became of a token request; of a refresh there is none.
    private func callback(of request: TokenRequest, _ flow: Flow) -> Int? {
        guard !request.isRefresh else { return nil }
        let login = flow.askedLogins.first { $0.tokenRequests.contains { $0.exchange == request.exchange } }
        return login?.response?.callback
    }

    private func mislabelling(_ request: TokenRequest, _ type: String) -> Violation {
        Violation(
            [self.type(type, of: request, note: "the body is JSON")],
            severity: .note,
            explanation:
                "The token response is JSON, but its Content-Type says otherwise; strict clients refuse it.",
            fix: "Have the token endpoint say Content-Type: application/json."
        )
    }

    private func violation(_ request: TokenRequest, _ type: String?, isRepaired: Bool, _ flow: Flow)
        -> Violation
    {
        let body = flow.capture[request.exchange].response?.body?.bytes ?? []
        let causes = UnreadableAnswer.causes(of: body)
        let isForm = request.answer.parameters.contains("access_token")
        let evidence = [
            self.type(type ?? "none", of: request, note: nil),
            Evidence(
                place: Place(exchange: request.exchange, part: .responseBody, name: ""),
                value: body.isEmpty
                    ? "empty" : Masking.shown(Excerpt.start(of: body, 120), of: "body"),
                note: isForm ? "a form" : nil
            ),
        ]
        let wentOn =
            flow.wentOn(after: request, callback: callback(of: request, flow))
            && !isFollowedByEmptyHeader(request, flow)
        let isGitHub = flow.provider == .github && isForm
        let isAccepted = wentOn || isForm && flow.ending == .success
        return Violation(
            evidence,
            severity: isRepaired ? .note : isAccepted ? (isGitHub ? .note : .warning) : nil,
            explanation: isAccepted && isForm
                ? """
                The token endpoint answered with a form in place of a JSON object. This client reads it, or asks for it by not saying Accept: \
                application/json; others find no tokens in it.
                """ : causes?.explanation,
            fix: causes?.fix
        )
    }

    /// Whether the client went on and had nothing to call with: a header for its token, without one.
    private func isFollowedByEmptyHeader(_ request: TokenRequest, _ flow: Flow) -> Bool {
        let asked = flow.capture[request.exchange]
        return flow.exchanges.contains { index in
            let call = flow.capture[index]
            return call.startedAt >= asked.endedAt && call.request.userAgent == asked.request.userAgent
                && BearerToken.unread(in: call.request, exchange: index)?.misspelling == .tokenless
        }
    }

    private func type(_ type: String, of request: TokenRequest, note: String?) -> Evidence {
        Evidence(
            place: Place(exchange: request.exchange, part: .responseHeader, name: "Content-Type"),
            value: Masking.shown(type, of: "content-type"),
            note: note
        )
    }
}
