import Captures
import Flows
import OAuth

/// How a token request came to nothing.
extension TokenRequest {
    /// Whether the provider looked at the grant itself (code, redirect URI, verifier, refresh token) and
    /// refused it.
    ///
    /// A refusal of the client, of its attestation, of a DPoP proof or for load says nothing of the grant. A 401 is one of the client
    /// but where its words speak of the code or the verifier (MyInfo).
    var isGrantRefused: Bool {
        guard let status = answer.status, answer.isRefusal else { return false }
        if let error = answer.error?.standardName {
            return !Self.otherRefusals.contains(error) && !ClientCall.ofAttestation.contains(error)
                && status < 500 && status != 429
        }
        if status == 401 { return answer.speaksOfCode || answer.speaksOfVerifier }
        return (400..<500).contains(status) && ![404, 405, 408, 413, 415, 429].contains(status)
    }

    private static let otherRefusals: Set<String> = [
        "invalid_client", "use_dpop_nonce", "invalid_dpop_proof", "unsupported_grant_type",
        "temporarily_unavailable",
        "server_error", "slow_down", "authorization_pending", "incorrect_client_credentials", "access_denied",
        "authorization_declined",
    ]

    /// Whether the request got to the provider, for all that is known, and its answer did not come back.
    var isAnswerLost: Bool {
        answer.status == nil && answer.failure.flatMap { TransportFailure($0) } == .unanswered
    }

    /// Whether it may have got to the provider though nothing says so: time ran out.
    var mayHaveArrived: Bool {
        answer.status == nil && answer.failure.map(TransportFailure.isTimeout) ?? false
    }

    /// Whether the answer is a refusal by this name, or by one of a server's own for it.
    func isRefused(with errors: String...) -> Bool {
        answer.isRefusal
            && answer.error.map { errors.contains($0.error) || errors.contains($0.standardName) } ?? false
    }

    /// Whether the user's name or password was refused, in a server's own words without an error's name (Docker Hub).
    var isPasswordRefused: Bool {
        guard grantType == "password", answer.error == nil, let status = answer.status,
            [400, 401, 403].contains(status)
        else { return false }
        return answer.parameters.items.contains { member in
            let words = member.value.lowercased()
            return words.containsBytes("password") && !words.containsBytes("client")
                && !words.containsBytes("grant") && Self.wrongWords.contains(where: words.containsBytes)
        }
    }

    private static let wrongWords = ["incorrect", "invalid", "wrong", "not match", "n't match", "bad "]

    /// Whether a refresh was refused for its token: by the name for it, or by a general one with words that say so.
    var isRefreshTokenRefused: Bool {
        guard isRefresh else { return false }
        if isRefused(with: "invalid_grant") { return true }
        let text = answer.errorText
        let description = (answer.error?.description ?? "").lowercased()
        return isRefused(with: "invalid_request", "invalid_token")
            && (Self.refreshTokens.contains(where: text.containsBytes)
                || ["token has ", "token is "].contains(where: description.hasPrefix))
            && Self.spentWords.contains(where: text.containsBytes)
    }

    /// Whether that may be for a token that was used before: also by a server's own name, or by a bare status of the requests' own
    /// kind, for which a replaced token says the rest.
    var isReuseRefused: Bool {
        isRefreshTokenRefused || isRefused(with: Self.hydra)
            || answer.error == nil && isGrantRefused
    }

    /// Ory Hydra's name for it.
    private static let hydra = "token_inactive"

    private static let refreshTokens = ["refresh token", "refresh_token", "refreshtoken"]

    private static let spentWords = [
        "expired", "inactive", "not active", "revoked", "already used", "already been used",
    ]

    /// RFC 8693.
    var isTokenExchange: Bool { grantType == GrantType.tokenExchange }

    /// Whether it was refused for the service that the token is to be for, whatever the error is called: Keycloak says
    /// `invalid_client` of it.
    var isTargetRefused: Bool {
        isTokenExchange && answer.isRefusal && parameters.contains("audience")
            && answer.errorText.containsBytes("audience") && !isSubjectForOthers
    }

    /// Whether that is called a client which the provider does not know, as Keycloak calls it.
    var isTargetCalledClient: Bool { isTargetRefused && isRefused(with: "invalid_client") }

    /// Whether a token exchange was refused because the token that it brought is not for whoever is to take it (RFC 8693, section
    /// 2.2.2): the provider, or the client that exchanges it.
    var isSubjectForOthers: Bool {
        guard isTokenExchange, answer.isRefusal else { return false }
        let text = answer.errorText
        return Self.subjectsAudience.contains(where: text.containsBytes)
    }

    /// Whether Entra refused the token that an API showed on behalf of its user because it is not for that API.
    var isAssertionForOthers: Bool {
        guard grantType == GrantType.jwtBearer, answer.isRefusal else { return false }
        let text = answer.errorText
        return ["aadsts500131:", "assertion audience claim does not match"].contains(
            where: text.containsBytes
        )
    }

    /// In lower case: Google's security token service, Keycloak.
    private static let subjectsAudience = [
        "audience in id token", "not within the token audience", "audience of the subject",
        "subject token audience",
        "subject_token audience",
    ]

    /// Whether the user decides on another device while the client polls: what `access_denied` means there alone
    /// (RFC 8628, section 3.5; OpenID Connect CIBA, section 11).
    ///
    /// 401 is for a client that did not prove who it is (RFC 6749, section 5.2).
    ///
    /// Of one that was saved without its form the answer alone tells.
    var isDecidedElsewhere: Bool {
        guard answer.status != 401 else { return false }
        return GrantType.decoupled.contains(grantType)
            || parameters.isEmpty
                && answer.error.map { ["authorization_pending", "slow_down"].contains($0.error) } ?? false
    }
}
