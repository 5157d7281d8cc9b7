import Captures
import Flows
import OAuth

/// What `invalid_grant` says (RFC 6749, section 5.2) of a request whose grant is neither a code nor a refresh token, or whose
/// refusal names the reason.
enum RefusedGrant {
    /// Nil where the rule's own words fit: all kinds of reason are open.
    static func words(of refused: [TokenRequest]) -> Violation.Words? {
        let grants = Set(refused.map(\.grantType))
        guard grants.count == 1, let request = refused.first else { return nil }
        switch request.grantType {
        case "password":
            return refused.allSatisfy { $0.answer.errorText.containsBytes("account is not fully set up") }
                ? unfinished : password
        case GrantType.jwtBearer, GrantType.saml2Bearer:
            return request.parameters["requested_token_use"] == "on_behalf_of" ? onBehalf : assertion
        case GrantType.tokenExchange:
            return refused.allSatisfy(\.isSubjectForOthers) ? exchangeForOthers : exchange
        case GrantType.preAuthorizedCode: return preAuthorized
        case "client_credentials": return ownName
        case GrantType.deviceCode: return ofDevice(refused)
        default: return wordsOfLogin(refused, request)
        }
    }

    /// Of a code or a refresh token.
    private static func wordsOfLogin(_ refused: [TokenRequest], _ request: TokenRequest) -> Violation.Words? {
        guard request.isCodeExchange || request.isRefresh else { return nil }
        if request.isCodeExchange, lacksCode(request) { return withoutCode }
        if refused.allSatisfy(\.needsInteraction) { return interaction }
        if refused.allSatisfy(isCalledExpired) { return request.isRefresh ? expiredRefresh : expiredCode }
        if request.isRefresh, refused.allSatisfy(isCalledUsed) { return usedRefresh }
        return CertificateRefusal.said(in: refused.prefix(4).map(\.answer))?.words
    }

    /// What the provider's own words mean; nil where they are none that are known, and where a login would settle it.
    static func words(named request: TokenRequest, by provider: ProviderKind) -> Violation.Words? {
        guard !request.needsInteraction,
            let known = ProviderWords.meaning(of: request.answer.errorText, by: provider),
            let explanation = known.explanation,
            let fix = known.fix
        else { return nil }
        let ownTitle = request.isCodeExchange || request.isRefresh ? nil : words(of: [request])?.title
        return Violation.Words(
            title: ownTitle ?? title,
            explanation: explanation,
            fix: fix
        )
    }

    /// Of a grant whose refusal restates no more than its name.
    static let title = "The provider rejected the code or refresh token"

    /// What is said of requests that were called invalid and have no code in them; nil of others.
    static func ofMissingCode(_ refused: [TokenRequest]) -> Violation.Words? {
        let isMissing = refused.allSatisfy {
            $0.grantType == "authorization_code" && lacksCode($0) && $0.isRefused(with: "invalid_request")
        }
        return isMissing ? withoutCode : nil
    }

    /// Whether it was to exchange a code, had none, and was refused: some apps do not look whether their callback brought one.
    static func isCodeless(_ request: TokenRequest) -> Bool {
        request.grantType == "authorization_code" && lacksCode(request) && request.answer.isRefusal
    }

    private static func lacksCode(_ request: TokenRequest) -> Bool {
        request.code.map { $0.isEmpty || MissingToken.isOne($0) } ?? true
    }

    // MARK: - What the provider says

    /// By that word alone: many name it beside the other reasons.
    static func isCalledExpired(_ request: TokenRequest) -> Bool {
        let text = StatedGrantFault.behindSpecification(request.answer.errorText)
        return text.containsBytes("expired")
            && !["invalid,", "invalid or", "or invalid", "revoked", " or ", "/expired", "expired/"].contains(
                where: text.containsBytes
            )
    }

    static func isCalledUsed(_ request: TokenRequest) -> Bool {
        let text = StatedGrantFault.behindSpecification(request.answer.errorText)
        return usedWords.contains(where: text.containsBytes) && !text.containsBytes(" or ")
    }

    private static let usedWords = [
        "already been used", "already used", "already_used", "was reused", "has been used", "reuse detected",
        // Keycloak.
        "token reuse exceeded", "stale token",
    ]
}
