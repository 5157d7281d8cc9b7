import Captures
import Flows
import OAuth

/// The provider refused the pushed authorization request.
///
/// It answers what the authorization endpoint would have said, and what the token endpoint says of clients (RFC 9126,
/// section 2.3); the browser was not even sent off.
struct PARRejected: Rule {
    static let info = RuleInfo(
        id: "par-rejected",
        title: "The pushed authorization request was refused",
        severity: .error,
        explanation: """
            The app pushed its request to the provider before sending the browser there, and got an error instead of a request_uri. So the \
            login could not begin.
            """,
        fix:
            "Read the error as one of the authorization request itself, or, for invalid_client, of the client's credentials.",
        badExample: """
            POST /par  response_type=code&client_id=shop&redirect_uri=…
            400 {"error":"invalid_request"}
            """,
        goodExample: """
            POST /par  response_type=code&client_id=shop&redirect_uri=…
            201 {"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c","expires_in":60}
            """,
        specifications: [.rfc(9126, "2.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.request == nil, let call = attempt.pushed, call.answer.isRefusal,
                !isRepaired(call, flow)
            else { return .holds }
            if let redirected = RedirectedCall.violation(
                of: call.answer,
                endpoint: "pushed authorization request endpoint",
                in: flow
            ) {
                return .violated(redirected.toldOfFront(in: flow))
            }
            // It only asks for another try; that may not have been recorded.
            if call.answer.error?.error == "use_dpop_nonce" {
                return .abstains("no try with the nonce that the provider asked for is in the capture")
            }
            let client = call.authentication.clientID
            guard !ClientDocument.isRefused(client?.value, call.answer.error?.error, call.answer.errorText)
            else {
                return .violated(
                    Violation(
                        [call.answer.evidence()] + (client.map { [Evidence($0)] } ?? []),
                        explanation: ClientDocument.explanation,
                        fix: ClientDocument.fix,
                        title: ClientDocument.title,
                        exchange: call.exchange
                    )
                )
            }
            let push = RefusedRedirectURI(in: flow).push(at: call.exchange)
            let stated = StatedClientRefusal.first(
                of: ClientCall.all(in: flow).filter { $0.exchange == call.exchange },
                in: flow
            )
            let told = Self.told(of: attempt)
            return .violated(
                Violation(
                    [call.answer.evidence()]
                        + (push.map { Self.evidence(of: $0, in: flow) } ?? [attempt.names()])
                        + (stated?.evidence ?? []) + (told.map { [$0.evidence] } ?? []),
                    saying: push.map { Self.words(of: $0, in: flow) } ?? Self.words(for: call)
                        ?? stated?.words ?? told?.words,
                    exchange: call.exchange
                )
                .toldOfFront(in: flow)
            )
        }
    }

    /// The redirect URI for which the push was refused, with what is known of it.
    private static func evidence(of push: RefusedRedirectURI.Push, in flow: Flow) -> [Evidence] {
        let address = RefusedAddress(of: push)
        return [address.evidence ?? Evidence(push.sent)] + address.surroundings(in: flow)
    }

    /// What is said where the push was refused for its redirect URI.
    private static func words(of push: RefusedRedirectURI.Push, in flow: Flow) -> Violation.Words {
        let words = RefusedAddress(of: push).words(refusedIn: push.refusal.text, in: flow)
        return Violation.Words(
            title: words.title ?? "The provider refused the redirect URI of the pushed request",
            explanation: words.explanation ?? """
                The provider compared the redirect_uri of the pushed request with those registered for this client and found none that is the same string. \
                It said so to the app's server, before the browser was sent anywhere.
                """,
            fix: words.fix ?? ProviderSettings.advice(of: RedirectURINotRegistered.info, at: flow.provider)
        )
    }

    /// What a refusal blames, or may, of what was pushed, where no rule has anything to hold it against.
    private static func told(of attempt: LoginAttempt) -> (words: Violation.Words, evidence: Evidence)? {
        guard let refusal = attempt.refusal else { return nil }
        if let target = UnknownTarget(of: attempt, refusal) { return (target.words, target.sent) }
        return UnheardOfMethod.evidence(of: attempt, refused: refusal).map { (UnheardOfMethod.words, $0) }
    }

    /// What is known of a refusal by its error and text; nil where it says no more than that.
    private static func words(for call: EndpointCall) -> Violation.Words? {
        let text = call.answer.errorText
        if let certificate = CertificateRefusal(in: text)?.wordsOfClient { return certificate }
        if AssertionRefusal.isOfKeysOutOfReach(text) { return AssertionRefusal.unread }
        guard call.answer.error?.error == "invalid_scope" else { return nil }
        return Violation.Words(
            title: "The provider refused the scope of the pushed request",
            explanation: RefusedScope.explanation,
            fix: RefusedScope.fix
        )
    }

    /// Whether the same client pushed again within a minute and was heard; with a nonce that the provider had asked
    /// for, also where it then found another fault.
    private func isRepaired(_ call: EndpointCall, _ flow: Flow) -> Bool {
        let isNonceAsked = call.answer.error?.error == "use_dpop_nonce"
        return flow.exchanges(after: call.exchange, within: .seconds(60)).contains { index in
            guard case .pushedRequest(let other) = flow.surroundings.messages[index] else { return false }
            // By a redirect that keeps method and form.
            if flow.surroundings.redirectedFrom[index] == call.exchange { return other.answer.isSuccess }
            return other.endpoint.text == call.endpoint.text
                && other.authentication.clientID?.value == call.authentication.clientID?.value
                && (other.answer.isSuccess || isNonceAsked)
        }
    }
}
