import Captures
import Flows
import OAuth

/// What a provider says, word for word, that is wrong with a code or refresh token.
///
/// It is no finding: what was sent and what it belongs to are compared by the rules, and where the capture has one half alone,
/// ``StatedRefusal`` tells it with the refusal.
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
        let text = Self.behindSpecification(
            Self.namingCode(of: request, in: (request.answer.error?.description ?? "").lowercased())
        )
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

    /// A text, in lower case, without the specification's own sentence where another one behind it says which reason it was (Hydra).
    static func behindSpecification(_ text: String) -> String {
        guard let begin = text.firstRange(of: "the provided authorization grant"),
            let end = text[begin.upperBound...].firstRange(of: "another client.")
        else { return text }
        let rest = text[end.upperBound...].drop(while: \.isWhitespace)
        return rest.isEmpty ? text : String(text[..<begin.lowerBound]) + rest
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

    /// Of a code of GoTrue's, which it gives out itself: what it calls its refusals by says what was compared.
    static func ofCode(in flow: Flow, _ fault: StatedGrantFault) -> TokenRequest? {
        flow.tokenRequests.last { GoTrueRequest.isExchange($0) && StatedGrantFault($0) == fault }
    }

    /// Whether the provider says that a code was used before, whatever it calls the error.
    ///
    /// Not that it may have been: "not found or already used".
    static func isCodeCalledUsed(_ request: TokenRequest) -> Bool {
        let text = namingCode(of: request, in: request.answer.errorText)
        return used.contains { words in
            guard text.containsBytes(words), let said = text.utf8.firstRange(of: Array(words.utf8)) else {
                return false
            }
            // The sentence in front may be the specification's own, which names every reason (Hydra).
            let front = text[..<said.lowerBound]
            let before = String(front[(front.ranges(of: ". ").last?.upperBound ?? front.startIndex)...])
            let behind = String(text[said.upperBound...]).prefixBytes(60)
            return ![" or ", "whether", "may have"].contains(where: before.containsBytes)
                && !["expired", "revoked", "never issued", "not found"].contains(where: behind.containsBytes)
        }
    }

    /// Whether the provider says that the redirect URI is another one than the login's, whatever it calls the error.
    ///
    /// The specification's own sentence, which names this reason among all the others (Doorkeeper, authentik, Hydra), says nothing of it.
    static func isRedirectURICalledWrong(_ request: TokenRequest) -> Bool {
        let text = behindSpecification(request.answer.errorText)
        return redirectURIs.contains(where: text.containsBytes) && !namesEveryReason(text)
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
    /// Keycloak, Apple, Hydra and others.
    private static let clients = [
        "client_id mismatch", "was not issued to", "were not issued to", "not issued to this client",
        "issued to another client", "issued to a different client", "issued for another client",
        "token client and authorized client don't match", "client id from this request does not match",
    ]
    /// Entra, Google, Dropbox and Apple, Slack, Facebook, WSO2, WeChat, OpenIddict, league/oauth2-server, which revokes a code once it
    /// has given tokens for it, and pyoidc, whose error is access_denied.
    private static let used = [
        "aadsts54005", "code was already redeemed", "code has already been used", "code_already_used",
        "authorization code has been used", "inactive authorization code", "code been used",
        "code has already been redeemed", "authorization code has been revoked",
        "access code already used",
    ]
    /// Entra, Keycloak, Okta, Auth0, Google, WSO2, ForgeRock, Hydra.
    private static let redirectURIs = [
        "aadsts500112", "aadsts50011:", "incorrect redirect_uri",
        "does not match the redirection uri used in the authorization request",
        "the redirect uri is wrong. you sent", "redirect_uri_mismatch",
        "callback url mismatch", "missing parameter, 'redirect_uri'",
        "'redirect_uri' from this request does not match",
    ]
}
