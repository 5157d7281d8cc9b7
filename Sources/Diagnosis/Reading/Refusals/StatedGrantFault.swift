import Captures
import Flows
import OAuth

/// What a provider says, word for word, that is wrong with a code or refresh token.
///
/// For a capture that has one half of a login alone, with nothing to compare: where both are there the comparison decides.
enum StatedGrantFault {
    case verifierMissing
    case verifierWrong
    case codeExpired
    /// The grant was issued to another client.
    case otherClient
    case refreshTokenUsed

    /// Nil where the grant was not refused, or in words that leave it open.
    init?(_ request: TokenRequest) {
        guard request.answer.isRefusal, request.isCodeExchange || request.isRefresh else { return nil }
        let text = Self.namingCode(of: request, in: (request.answer.error?.description ?? "").lowercased())
        func says(_ words: [String]) -> Bool { words.contains(where: text.containsBytes) }
        guard !Self.namesEveryReason(text) else { return nil }
        // Curity calls a verifier that is wrong an invalid request.
        if request.isCodeExchange, request.isRefused(with: "invalid_grant", "invalid_request"),
            says(Self.verifiers), !says(["not enabled", "not supported", "ignored"])
        {
            let isSent = request.codeVerifier.map { !$0.isEmpty } ?? false
            if !isSent, request.isRecorded, says(Self.absent) {
                self = .verifierMissing
                return
            }
            if isSent, says(Self.wrong) {
                self = .verifierWrong
                return
            }
        }
        guard request.isRefused(with: "invalid_grant") else { return nil }
        if says(Self.clients), !says([" or "]) {
            self = .otherClient
        } else if request.isCodeExchange,
            says(["aadsts70008"]) || request.answer.error?.error == "flow_state_expired"
                || Self.isOfCode(text) && RefusedGrant.isCalledExpired(request)
        {
            self = .codeExpired
        } else if request.isRefresh, RefusedGrant.isCalledUsed(request) {
            self = .refreshTokenUsed
        } else {
            return nil
        }
    }

    /// Whether a text, in lower case, is the specification's own sentence: it names every reason there is, and so none.
    ///
    /// LinkedIn's has the redirect URI beside the verifier.
    static func namesEveryReason(_ text: String) -> Bool {
        reasons.filter(text.containsBytes).count >= 3
            || text.containsBytes("redirect") && text.containsBytes("verifier") && text.containsBytes(" or ")
    }

    /// A text, in lower case, with the word for it where it quotes the code that was sent.
    ///
    /// pyop has no word beside it: `4f0a… has expired`.
    static func namingCode(of request: TokenRequest, in text: String) -> String {
        guard let code = request.code?.lowercased(), code.utf8.count >= shortestCode, text.containsBytes(code)
        else { return text }
        return text.replacing(code, with: "code")
    }

    /// Shorter ones may be a word of the text by chance.
    private static let shortestCode = 16

    /// Whether it is the code that a text speaks of, and not a password or a certificate.
    private static func isOfCode(_ text: String) -> Bool {
        text.containsBytes("code")
            && !["password", "certificate", "license", "licence", "account", "secret"].contains(
                where: text.containsBytes
            )
    }

    /// Of a code, where the login that it comes from is not in the capture.
    static func ofCode(in flow: Flow, _ fault: StatedGrantFault) -> TokenRequest? {
        let isLoginSeen = !flow.authorizationRequests.isEmpty
        let isOfVerifier = fault == .verifierWrong || fault == .verifierMissing
        let compared = !isLoginSeen && isOfVerifier ? compared(in: flow) : []
        return flow.tokenRequests.last { request in
            request.isCodeExchange && (!isLoginSeen || GoTrueRequest.isExchange(request))
                && StatedGrantFault(request) == fault && !compared.contains(request.exchange)
        }
    }

    /// The token requests of logins whose challenge stands in what was pushed: their verifiers are held against that.
    private static func compared(in flow: Flow) -> Set<Int> {
        let pushed = flow.redemptions.filter {
            $0.login.request.parameters["code_challenge"]?.isEmpty == false
        }
        return Set(pushed.map(\.request.exchange))
    }

    // MARK: - Words, in lower case

    private static let reasons = ["invalid", "expired", "revoked", "match", "another client"]

    private static let verifiers = [
        "pkce verif", "pkce valid", "pkce code verifier", "code verifier", "code_verifier",
        "code challenge did", "code challenge does", "code_challenge does", "aadsts501481", "aadsts50148:",
        // Authlib, idpyoidc.
        "code challenge failed", "pkce check",
    ]
    private static let absent = [
        "missing", "not specified", "required", "not provided", "not present", "empty",
    ]
    private static let wrong = [
        "fail", "mismatch", "not match", "n't match", "invalid", "incorrect", "wrong", "aadsts501481",
        // pyop, with the challenge that it has behind it.
        "unexpected code verifier:",
    ]
    /// Keycloak, Apple and others.
    private static let clients = [
        "client_id mismatch", "was not issued to", "were not issued to", "not issued to this client",
        "issued to another client", "issued to a different client", "issued for another client",
        "token client and authorized client don't match",
    ]
}
