import Captures
import Flows
import JOSE
import OAuth

/// What a provider says is wrong with a code or refresh token, where the capture has nothing to hold against what was sent: the back channel alone,
/// or a second use whose first one is elsewhere.
///
/// A rule's finding needs both sides (RFC 6749, section 4.1.3; RFC 7636, section 4.6); the refusal's own says what the provider said.
struct StatedRefusal {
    let words: Violation.Words
    /// What was sent and is called wrong.
    let evidence: [Evidence]

    /// Nil of words that leave the reason open, of requests that are refused in several words, and where what they speak of is compared
    /// in the capture.
    init?(_ refused: [TokenRequest], in flow: Flow) {
        guard let request = refused.first, request.answer.isRefusal,
            refused.dropFirst().allSatisfy({ $0.answer.errorText == request.answer.errorText })
        else { return nil }
        if let grant = OtherTenantsGrant(request), OtherTenantsGrant.violation(in: flow) == nil {
            self.init(words: grant.words, evidence: [grant.evidence])
            return
        }
        let fault = StatedGrantFault(request)
        guard request.isCodeExchange else {
            if let lost = LostRefresh(before: request, in: flow) {
                self.init(words: LostRefresh.words, evidence: lost.evidence)
                return
            }
            guard request.isRefresh, fault == .otherClient, flow.refreshHistory.issuer(of: request) == nil
            else { return nil }
            self.init(Self.otherClientsToken, request.authentication.clientID)
            return
        }
        if StatedGrantFault.isCodeCalledUsed(request) {
            guard !Self.isSpent(request, in: flow) else { return nil }
            self.init(Self.usedCode, request, "code", "sent before, outside of the capture")
            return
        }
        if Self.isEncodedTwice(request), flow.authorizationResponses.isEmpty {
            self.init(Self.encodedCode, request, "code", "%XX is left once it is decoded")
            return
        }
        // GoTrue has a name for it, and delivers codes of its own.
        if fault == .codeExpired, GoTrueRequest.isExchange(request) {
            self.init(RefusedGrant.expiredCode, request, "code", nil)
            return
        }
        // What was pushed for it is the login's own request as well, and so is what GoTrue's begin with.
        guard flow.askedLogins.isEmpty, GoTrueRequest.challenge(before: request, in: flow.capture) == nil
        else { return nil }
        if StatedGrantFault.isRedirectURICalledWrong(request) {
            self.init(Self.otherRedirectURI, request, "redirect_uri", Self.unseen)
            return
        }
        switch fault {
        case .verifierMissing: self.init(Self.missingVerifier, request, "code_verifier", nil)
        case .verifierWrong: self.init(Self.wrongVerifier, request, "code_verifier", Self.unseen)
        case .otherClient: self.init(Self.otherClient, request.authentication.clientID)
        case .codeExpired: self.init(RefusedGrant.expiredCode, request, "code", Self.unseen)
        case .refreshTokenUsed, nil: return nil
        }
    }

    private init(words: Violation.Words, evidence: [Evidence]) {
        self.words = words
        self.evidence = evidence
    }

    private init(_ words: Violation.Words, _ client: Parameter?) {
        self.init(
            words: words,
            evidence: client.map { [Evidence($0, note: "the client that asks")] } ?? []
        )
    }

    private init(_ words: Violation.Words, _ request: TokenRequest, _ name: String, _ note: String?) {
        let sent = request.parameters.parameter(name).flatMap { $0.value.isEmpty ? nil : $0 }
        self.init(
            words: words,
            evidence: [sent.map { Evidence($0, note: note) } ?? request.missing(name)]
        )
    }

    /// A code that is still encoded once it is decoded, and that the provider calls malformed.
    private static func isEncodedTwice(_ request: TokenRequest) -> Bool {
        guard let code = request.code, !Placeholder.isOne(code), request.isGrantRefused else { return false }
        return PercentEncoding.decode(code) != code && request.answer.errorText.containsBytes("malformed")
    }

    /// Whether another request of the capture may have spent the code: one that was refused in the same words found it spent, too.
    private static func isSpent(_ request: TokenRequest, in flow: Flow) -> Bool {
        flow.tokenRequests.contains {
            $0.isCodeExchange && $0.code == request.code && $0.answer.errorText != request.answer.errorText
        }
    }

    // MARK: - Words

    private static let unseen = "the login's own request is not in the capture"

    private static let encodedCode = Violation.Words(
        title: "The provider calls the code malformed, and it is still encoded",
        explanation: """
            The code has percent signs of an encoding left once the form is decoded, and the provider does not know it as it stands. How it was delivered is not in the capture; \
            codes with "/" (Google's) come encoded in the address, and are encoded once more where nobody decoded them.
            """,
        fix: """
            Decode the callback's query once, with a URL parser, and let the HTTP library encode the form once.
            """
    )

    private static let usedCode = Violation.Words(
        title: "The provider says that the code was used before",
        explanation: """
            A code is good for one request (RFC 6749, section 4.1.2), and the provider says that this one was redeemed already. The capture has no request \
            that spent it, so who was first was not recorded: another process, instance or device of the app, or the same one before the recording.
            """,
        fix: """
            Have one party exchange the code, once: see that a reload of the callback, a second worker or a page that is rendered twice does not send it again, and record \
            all of the app's traffic to see who was first.
            """
    )

    private static let otherRedirectURI = Violation.Words(
        title: "The provider says that the token request's redirect URI is not the login's",
        explanation: """
            The redirect_uri of the token request has to be the very string of the authorization request (RFC 6749, section 4.1.3), and the provider says that it is not. The login's \
            own request is not in the capture to compare the two.
            """,
        fix: """
            Compare what was sent with the redirect_uri in the address of the sign-in page, character by character: scheme, port, trailing slash, encoding. Record the browser's half \
            as well, and authreel shows where the two part.
            """
    )

    private static let wrongVerifier = Violation.Words(
        title: "The provider says that the code verifier is wrong",
        explanation: """
            The provider computed the challenge from the code_verifier that was sent and found another one than the login brought (RFC 7636, section 4.6). The login, with its \
            code_challenge, is not in the capture, so how the two differ is not to be seen.
            """,
        fix: """
            Record the browser's half as well: authreel then says by which step the challenge was made wrong, or whose verifier was sent. Until then see that verifiers are kept by \
            login (by state), not by session or user, and that the challenge is BASE64URL(SHA256(verifier)) without padding.
            """
    )

    private static let missingVerifier = Violation.Words(
        title: "The provider misses the code verifier",
        explanation: """
            The provider says that the login was begun with a code_challenge, or had to be, and the token request has no code_verifier (RFC 7636, section 4.5). The login's own \
            request is not in the capture.
            """,
        fix: """
            Keep the verifier from the request to the exchange (cookie, session, back end) and send it. The party that made the challenge has to make the token request, or hand the \
            verifier on with the code.
            """
    )

    private static let otherClient = Violation.Words(
        title: "The provider says that the code belongs to another client",
        explanation: """
            A code is good for the client that it was issued to (RFC 6749, section 4.1.3), and the provider says that this is another one. The login's own request is not in the capture \
            to compare the two.
            """,
        fix: """
            Compare the client_id of the token request with the one in the address of the sign-in page: both have to come from one setting. An app and its back end that are \
            registered apart cannot exchange each other's codes.
            """
    )

    private static let otherClientsToken = Violation.Words(
        title: "The provider says that the refresh token belongs to another client",
        explanation: """
            A refresh token is good for the client that it was issued to (RFC 6749, section 6), and the provider says that this is another one. The login that it came of is \
            not in the capture to compare the two.
            """,
        fix: """
            Compare the client_id of the refresh with that of the login: a token that one app or environment stored is of no use to another one. Begin a new login where the client was \
            changed.
            """
    )
}
