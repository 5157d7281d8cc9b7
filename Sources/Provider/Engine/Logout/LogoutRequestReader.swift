import Captures
import JOSE
import JSON

/// Reads what a logout asks for, and tells why one does not count (OpenID Connect RP-Initiated Logout, sections 2 and 3).
///
/// Ends nothing: which sessions that concerns is for whoever keeps them.
struct LogoutRequestReader {
    /// What a logout asks for.
    struct Request {
        /// The `id_token_hint` as it was sent.
        var hint: String?
        /// The same where it can be read.
        var token: JSONWebToken?
        /// Where the user is to go behind it; nil where nobody asked.
        var target: String?
    }

    /// Why a logout does not count.
    struct Flaw: Error {
        /// For the user, who has a page of it.
        var page: String
        /// For whoever runs the provider.
        var words: String
    }

    private let clients: KnownClients
    private let hints: IDTokenHintCheck
    private let dialect: ProviderDialect

    init(_ clients: KnownClients, _ hints: IDTokenHintCheck, _ dialect: ProviderDialect) {
        self.clients = clients
        self.hints = hints
        self.dialect = dialect
    }

    func request(in query: QueryItems) throws(Flaw) -> Request {
        let hint = query.first("id_token_hint")
        let token = hint.flatMap(JSONWebToken.parse)
        let named = query.first("client_id").flatMap { $0.isEmpty ? nil : $0 }
        if let flaw = token.flatMap({ flaw(of: $0, from: named) }) ?? flaw(ofUnreadable: hint) { throw flaw }
        let client = clients.client(token.flatMap { holder(of: $0, named) } ?? named)
        let name = dialect.logoutTargets.first { query.first($0).map { !$0.isEmpty } ?? false }
        let target = name.flatMap { query.first($0) }
        if let target, !accepts(target, of: client) { throw flaw(ofTarget: target, client) }
        return Request(hint: hint, token: token, target: target)
    }

    /// `client`: nil for whom the request does not name.
    private func accepts(_ target: String, of client: ProviderConfiguration.Client?) -> Bool {
        if let client { return client.accepts(logoutTarget: target) }
        // Whom the hint does not name, the address may (section 2).
        return !dialect.strictness.needsLogoutClient
            && clients.configured.contains { $0.postLogoutRedirectURIs.contains(bytesOf: target) }
    }

    /// Whose an ID token is: whom the request names, else `azp`, else the first that is known (OpenID Connect Core, section 2).
    private func holder(of token: JSONWebToken, _ named: String?) -> String? {
        let audience = token.audience
        let candidates = [named, token.claim("azp")?.string].compactMap(\.self) + audience
        return candidates.first { audience.contains($0) && clients.client($0) != nil } ?? audience.first
    }

    // MARK: - Flaws

    /// Section 2: the token is one of this provider, and of the client that the request names.
    private func flaw(of token: JSONWebToken, from named: String?) -> Flaw? {
        if let named, !token.audience.isEmpty, !token.audience.contains(named) {
            return Flaw(
                page: "The id_token_hint was issued to another client than client_id names.",
                words:
                    "the id_token_hint is of \(token.audience.joined(separator: ", ")), and client_id names \(named)"
            )
        }
        // Of a recorded provider tokens may have another issuer than its metadata.
        guard dialect.strictness.needsLogoutClient, let words = hints.flaw(of: token) else { return nil }
        return Flaw(page: "The id_token_hint was not issued here.", words: words)
    }

    /// Section 2: what is no token was issued by nobody, an access token among them; nil of one that can be read.
    private func flaw(ofUnreadable hint: String?) -> Flaw? {
        guard dialect.strictness.needsLogoutClient, let hint, !hint.isEmpty, JSONWebToken.parse(hint) == nil
        else {
            return nil
        }
        return Flaw(
            page: "The id_token_hint is no ID token.",
            words: "the id_token_hint is no JWT that can be read"
        )
    }

    /// Section 3: where nobody says whose address it is, it is nobody's.
    private func flaw(ofTarget target: String, _ client: ProviderConfiguration.Client?) -> Flaw {
        guard let client else {
            return Flaw(
                page:
                    "A logout that names an address has to name its client: by id_token_hint, or client_id.",
                words: "the logout names no client that is known, by id_token_hint or client_id"
            )
        }
        return Flaw(
            page: "The post_logout_redirect_uri is not registered for this client.",
            words: "\(target) is no address of \(client.id) after a logout"
        )
    }
}
