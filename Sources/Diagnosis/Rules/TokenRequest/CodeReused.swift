import Captures
import Flows
import JOSE
import JSON
import OAuth

/// An authorization code was sent to the token endpoint a second time and refused.
///
/// A code is good for one exchange (RFC 6749, section 4.1.2); on the second the provider refuses and may
/// revoke what the first one got. Exchange once, and let a reload of the callback find that it is done. A
/// repetition after no answer, an overload, a DPoP nonce or a refusal of the client's credentials is none:
/// the code was not spent, or nobody saw that it was (``TokenInvalidGrant`` tells of a lost answer). Nor is one that is
/// refused for what the first was: a code that was late already, a reason that the provider names each time, a client that tries its
/// credentials in another place (golang.org/x/oauth2 does, of each refused request).
struct CodeReused: Rule {
    static let info = RuleInfo(
        id: "code-reused",
        title: "The authorization code was sent twice",
        severity: .error,
        explanation: """
            The same code went to the token endpoint twice. The first request spent it, so the second was refused; the provider may have \
            revoked the tokens of the first one as well.
            """,
        fix: """
            Exchange each code once: on the server, not in a page that is rendered twice; and when the callback is loaded again, send the user \
            on instead of exchanging again.
            """,
        badExample: """
            POST /token  grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA…  → 200
            POST /token  grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA…  → 400 invalid_grant
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA…  → 503
            POST /token  grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA…  → 200
            """,
        specifications: [.rfc(6749, "4.1.2"), .rfc(6749, "10.5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var spent: [String: TokenRequest] = [:]
        for request in flow.tokenRequests where request.isCodeExchange {
            guard let code = request.code, !code.isEmpty else { continue }
            if let first = spent[code],
                !isSameFailure(first, request, flow) || Self.areTwoClients(first, request),
                isRefusedForItsCode(request, spentBy: first)
            {
                return .violated(violation(first, request, flow))
            }
            if spent[code] == nil, spends(request, flow) { spent[code] = request }
        }
        let isMissing = flow.tokenRequests.contains {
            $0.isCodeExchange && $0.code == nil && $0.isRefused(with: "invalid_grant")
        }
        return isMissing || flow.hasUnsavedTokenRequest
            ? .abstains("the code of a token request was not saved") : .holds
    }

    private func isRefusedForItsCode(_ request: TokenRequest, spentBy first: TokenRequest) -> Bool {
        if request.isRefused(with: "invalid_grant", "bad_verification_code", "invalid_code") { return true }
        let answer = request.answer
        if answer.error == nil, request.isGrantRefused { return true }
        guard answer.isRefusal else { return false }
        if StatedGrantFault.isCodeCalledUsed(request) { return true }
        return first.answer.isSuccess
            && (answer.speaksOfCode || answer.errorText.containsBytes(Self.forgotten))
    }

    /// What Naver says of a code that it has given tokens for, in lower case.
    private static let forgotten = "no valid data in session"

    /// Whether the provider has looked at the code.
    private func spends(_ request: TokenRequest, _ flow: Flow) -> Bool {
        guard let status = request.answer.status, !Throttling.isOne(request.answer) else { return false }
        switch request.answer.error?.error {
        // Where the refusal was saved without its words, the header tells what it may have asked for (RFC 9449, section 8).
        case nil
        where status >= 400
            && flow.capture[request.exchange].response?.headers.contains("dpop-nonce") ?? false:
            return false
        case "use_dpop_nonce", "invalid_client", "slow_down", "temporarily_unavailable", "server_error":
            return false
        case let error? where ClientCall.ofAttestation.contains(error): return false
        default: return (200..<300).contains(status) || (400..<500).contains(status)
        }
    }

    /// Whether the second request was refused for what the first was refused for, which other findings tell.
    private func isSameFailure(_ first: TokenRequest, _ second: TokenRequest, _ flow: Flow) -> Bool {
        guard first.answer.isRefusal else { return false }
        if LateCode(in: flow).age?.refused.exchange == first.exchange { return true }
        return Self.isRefusedAlike(first, second)
            && (first.authentication.methods != second.authentication.methods
                || Self.isReasonNamed(by: second, flow))
    }

    private static func isRefusedAlike(_ first: TokenRequest, _ second: TokenRequest) -> Bool {
        let (words, others) = (words(first.answer), words(second.answer))
        return first.answer.isRefusal && first.answer.status == second.answer.status && !words.isEmpty
            && words == others
    }

    /// Whether the provider says what it refuses a code for: that it was used before the first request, too.
    private static func isReasonNamed(by request: TokenRequest, _ flow: Flow) -> Bool {
        StatedGrantFault(request) != nil || StatedGrantFault.isCodeCalledUsed(request)
            || StatedGrantFault.isRedirectURICalledWrong(request) || OtherTenantsGrant(request) != nil
            || RefusedGrant.words(of: [request]) != nil
            || RefusedGrant.words(named: request, by: flow.provider) != nil
            || AccessPolicy.words(in: request.answer) != nil
    }

    /// What is the same each time: Entra puts a number and the time behind it.
    private static func words(_ answer: Answer) -> Substring {
        let text = answer.errorText
        let end = text.utf8.firstRange(of: Array("trace id".utf8))?.lowerBound
        return end.map { text[..<$0] } ?? text[...]
    }

    private func violation(_ first: TokenRequest, _ second: TokenRequest, _ flow: Flow) -> Violation {
        let elapsed = second.startedAt - first.startedAt
        var evidence: [Evidence] = []
        let areTwoClients = Self.areTwoClients(first, second)
        let time = elapsed < .seconds(60) ? "\(elapsed.wholeMilliseconds) ms" : elapsed.words
        for (request, note) in [(first, "sent first"), (second, "sent again after \(time)")] {
            if let code = request.parameters.parameter("code") { evidence.append(Evidence(code, note: note)) }
            if areTwoClients, let client = request.authentication.clientID {
                evidence.append(Evidence(client, note: "by this client"))
            }
            evidence.append(
                request.answer.isSuccess ? request.answer.statusEvidence() : request.answer.evidence()
            )
        }
        let code = second.code
        let callbacks = flow.exchanges.filter { index in
            code != nil && flow.capture[index].request.url.queryItems.first("code") == code
                && flow.surroundings.messages[index] == nil
        }
        let ahead = callbacks.first.flatMap { flow.capture[$0].request.isPrefetch ? $0 : nil }
        if let ahead { evidence.append(flow.urlEvidence(of: ahead, note: "fetched ahead by the browser")) }
        for callback in callbacks.dropFirst().prefix(2) {
            evidence.append(flow.urlEvidence(of: callback, note: "the callback was loaded again"))
        }
        return Violation(
            evidence,
            saying: Self.words(of: first, second, after: elapsed, flow)
                ?? (ahead == nil ? nil : Self.fetchedAhead),
            exchange: second.exchange
        )
    }

    /// What is to be said of how the second request came about, where the capture shows it.
    private static func words(
        of first: TokenRequest,
        _ second: TokenRequest,
        after elapsed: Duration,
        _ flow: Flow
    ) -> Violation.Words? {
        if areTwoClients(first, second) { return first.answer.isSuccess ? twoClients : twoRefused }
        guard first.answer.isSuccess else { return isRefusedAlike(first, second) ? refusedTwice : nil }
        let agents = [first, second].map { flow.capture[$0.exchange].request.userAgent }
        if let one = agents[0], let other = agents[1] {
            switch (UserAgentName.isOnDevice(one), UserAgentName.isOnDevice(other)) {
            case (true, false): return Violation.Words(explanation: appFirst, fix: twoPartiesFix)
            case (false, true): return Violation.Words(explanation: serverFirst, fix: twoPartiesFix)
            default: break
            }
        }
        // Nobody reloads a page so long after, and a code does not live so long.
        return agents[0] == agents[1] && elapsed > .seconds(600)
            ? Violation.Words(explanation: renewal, fix: renewalFix) : nil
    }

    /// Whether each of two requests names a client, and not the same one.
    private static func areTwoClients(_ first: TokenRequest, _ second: TokenRequest) -> Bool {
        guard let one = first.authentication.clientID, let other = second.authentication.clientID else {
            return false
        }
        return ![one, other].contains { $0.value.isEmpty || Placeholder.isOne($0.value) }
            && !one.value.equalsBytes(of: other.value) && !one.rawValue.equalsBytes(of: other.value)
            && !one.value.equalsBytes(of: other.rawValue)
    }

    private static let twoClients = Violation.Words(
        title: "Two clients exchange the same code",
        explanation: """
            The code went to the token endpoint twice, under two client ids: an app and its server, mostly, which both mean to have tokens. The first one \
            got them. A code is good for one exchange, and for the client alone that the login was made for.
            """,
        fix: """
            Let one of the two exchange it. Where the server is to have the tokens, have the app ask for the code alone and send it on with its code_verifier, \
            and the server exchange it under the client_id of the login; where it has to be under its own, have the app ask for a code for the server \
            (serverClientID at Google).
            """
    )

    private static let twoRefused = Violation.Words(
        title: twoClients.title,
        explanation: """
            The code went to the token endpoint twice, under two client ids: an app and its server, mostly, which both mean to have tokens. Neither got them: a code is \
            good for one exchange, by the client alone that the login was made for, and most providers drop it at the first that they refuse.
            """,
        fix: twoClients.fix
    )

    /// Which of the two was refused for what, nobody says.
    private static let refusedTwice = Violation.Words(
        explanation: """
            The same code went to the token endpoint twice, and was refused both times. Most providers drop a code at the first request that they refuse, so the second one had \
            no chance, whatever it had in it.
            """,
        fix: """
            Send each code once, also when it is refused: a new try takes a new login. What the first request was refused for is what to look for; the provider's log has it.
            """
    )

    private static let appFirst = """
        The app exchanged the code itself and had its tokens. Then it gave the code to its server, which brought it to the token endpoint \
        again: a code is good for one exchange, whoever makes it.
        """
    private static let serverFirst = """
        The app's server exchanged the code and had its tokens. Then the app itself, on the device or in the browser, brought it to the token \
        endpoint as well: a code is good for one exchange, whoever makes it.
        """
    private static let twoPartiesFix = """
        Let one of the two exchange it. Where the server is to have tokens of its own, have the app ask for the code alone and send it on \
        (AppAuth: present the authorization request without the exchange), with the code_verifier; at Google ask for a code of the \
        server's own client.
        """

    private static let renewal = """
        The code had been exchanged long before, and the client sent the same request again when it wanted new tokens. A code is good for \
        one exchange, and soon after it is good for none.
        """
    private static let renewalFix = """
        Get new tokens with grant_type=refresh_token and the refresh_token of the answer (AppAuth: performActionWithFreshTokens on the \
        stored state, not the first token request); ask for offline access in the login where none came. Without one, begin a new login, \
        which is silent mostly.
        """

    private static let fetchedAhead = Violation.Words(
        explanation: """
            A browser fetched the redirect URI ahead (prefetch), before its user went there, and the app exchanged the code for that. When the page itself was \
            loaded, the code was spent.
            """,
        fix: """
            Exchange nothing for a request that says it is one ahead (Sec-Purpose: prefetch): answer it with 503 and Cache-Control: no-store, and the browser asks anew. \
            Take login and callback addresses out of what pages have fetched ahead (speculation rules, rel=prefetch, links of frameworks that do so).
            """
    )
}
