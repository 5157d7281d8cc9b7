import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Replay

/// The application of the demo: a backend that signs people in by the code flow and keeps a session.
///
/// Its back channel goes through `send`, that is, through the recording proxy, as a real backend's would.
actor DemoRelyingParty {
    /// How it makes its code challenge.
    enum ChallengeCoding: Sendable {
        /// As RFC 7636 wants it.
        case base64url
        /// The classical slip: the standard library's Base64, with `+`, `/` and padding.
        case standardBase64
    }

    private struct Login: Sendable {
        var state: String
        var nonce: String
        var verifier: String
    }

    private struct Tokens: Sendable {
        var access: String
        var refresh: String?
        var id: String
        var name: String
    }

    static let clientID = "demo-shop"
    static let clientSecret = "demo-secret-not-for-production"

    private let issuer: String
    private let origin: String
    private let coding: ChallengeCoding
    private let send: UserAgent.Send
    private var metadata = JSONObject()
    private var keys: [JSONWebKey] = []
    private var logins: [String: Login] = [:]
    private var sessions: [String: Tokens] = [:]

    /// `origin`: of this application, without a final slash.
    init(issuer: String, origin: String, coding: ChallengeCoding, send: @escaping UserAgent.Send) {
        self.issuer = issuer
        self.origin = origin
        self.coding = coding
        self.send = send
    }

    var redirectURI: String { origin + "/callback" }

    func respond(to request: RecordedRequest) async -> RecordedResponse {
        do {
            switch request.url.path {
            case "/login": return try await login()
            case "/callback": return try await callback(request)
            case "/me": return try await me(request)
            case "/logout": return try await logout(request)
            case "/": return page(200, "Demo shop", "<a href=\"/login\">Sign in</a>")
            default: return page(404, "Not here", "There is nothing at this address.")
            }
        } catch {
            return page(502, "Sign-in failed", "The provider did not answer as expected: \(error)")
        }
    }

    // MARK: - Pages

    private func login() async throws -> RecordedResponse {
        if metadata.isEmpty { metadata = try await json(get(issuer + "/.well-known/openid-configuration")) }
        let verifier = verifier()
        let login = Login(state: random(), nonce: random(), verifier: verifier)
        let browser = random()
        logins[browser] = login
        let hash = Digest.of(verifier.utf8)
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", Self.clientID), ("redirect_uri", redirectURI),
            ("scope", "openid profile email offline_access"), ("state", login.state), ("nonce", login.nonce),
            ("code_challenge", coding == .base64url ? Base64URL.encode(hash) : Base64.encode(hash)),
            ("code_challenge_method", "S256"),
        ])
        return redirect(
            to: (metadata["authorization_endpoint"]?.string ?? "") + "?" + query,
            cookie: "login=\(browser)"
        )
    }

    /// A verifier whose hash differs in the two alphabets: of four hashes one has neither `+` nor `/`, and
    /// would show only the padding.
    private func verifier() -> String {
        while true {
            let verifier = Base64URL.encode(SecureRandom.bytes(32))
            if Base64.encode(Digest.of(verifier.utf8)).utf8.contains(where: { $0 == 0x2b || $0 == 0x2f }) {
                return verifier
            }
        }
    }

    private func callback(_ request: RecordedRequest) async throws -> RecordedResponse {
        let query = request.url.queryItems
        guard let browser = request.cookie("login"), let login = logins.removeValue(forKey: browser),
            query.first("state") == login.state
        else {
            return page(400, "Sign-in failed", "This answer belongs to no sign-in that was begun here.")
        }
        if let error = query.first("error") {
            return page(403, "Sign-in failed", "The provider said \(error).")
        }
        let answer = try await json(
            post(
                "token_endpoint",
                [
                    ("grant_type", "authorization_code"), ("code", query.first("code") ?? ""),
                    ("redirect_uri", redirectURI),
                    ("code_verifier", login.verifier),
                ]
            )
        )
        if let error = answer["error"]?.string {
            return page(502, "Sign-in failed", "The token endpoint said \(error).")
        }
        guard let idToken = answer["id_token"]?.string, let access = answer["access_token"]?.string else {
            return page(502, "Sign-in failed", "The answer of the token endpoint lacks tokens.")
        }
        guard try await isGood(idToken, nonce: login.nonce) else {
            return page(502, "Sign-in failed", "The ID token is not good.")
        }
        let user = try await json(get(metadata["userinfo_endpoint"]?.string ?? "", bearer: access))
        let session = random()
        sessions[session] = Tokens(
            access: access,
            refresh: answer["refresh_token"]?.string,
            id: idToken,
            name: user["name"]?.string ?? "somebody"
        )
        return redirect(to: "/me", cookie: "session=\(session)")
    }

    private func me(_ request: RecordedRequest) async throws -> RecordedResponse {
        guard let id = request.cookie("session"), var tokens = sessions[id] else {
            return redirect(to: "/login")
        }
        if request.url.queryItems.contains("refresh"), let refresh = tokens.refresh {
            let answer = try await json(
                post("token_endpoint", [("grant_type", "refresh_token"), ("refresh_token", refresh)])
            )
            tokens.access = answer["access_token"]?.string ?? tokens.access
            tokens.refresh = answer["refresh_token"]?.string ?? refresh
            sessions[id] = tokens
        }
        return page(200, "Demo shop", "Welcome, \(tokens.name).")
    }

    private func logout(_ request: RecordedRequest) async throws -> RecordedResponse {
        guard let id = request.cookie("session"), let tokens = sessions.removeValue(forKey: id) else {
            return redirect(to: "/")
        }
        let query = FormBody.encode([
            ("id_token_hint", tokens.id), ("post_logout_redirect_uri", origin + "/"), ("state", random()),
        ])
        return redirect(to: (metadata["end_session_endpoint"]?.string ?? "") + "?" + query)
    }

    private func isGood(_ text: String, nonce: String) async throws -> Bool {
        if keys.isEmpty {
            let document = try await json(get(metadata["jwks_uri"]?.string ?? ""))
            keys = JSONWebKeySet(json: .object(document))?.keys ?? []
        }
        guard let token = JSONWebToken.parse(text), token.verify(keys: keys).outcome == .valid else {
            return false
        }
        return token.issuer == issuer && token.audience == [Self.clientID]
            && token.claim("nonce")?.string == nonce
    }

    // MARK: - The back channel

    private func get(_ url: String, bearer: String? = nil) -> RecordedRequest {
        var headers = HeaderFields([("User-Agent", "demo-shop-backend/1.0"), ("Accept", "application/json")])
        if let bearer { headers.append("Authorization", "Bearer \(bearer)") }
        return RecordedRequest(method: "GET", url: RecordedURL(url), headers: headers)
    }

    private func post(_ endpoint: String, _ items: [(String, String)]) -> RecordedRequest {
        let credentials = Base64.encode(Array("\(Self.clientID):\(Self.clientSecret)".utf8))
        return RecordedRequest(
            method: "POST",
            url: RecordedURL(metadata[endpoint]?.string ?? ""),
            headers: HeaderFields([
                ("User-Agent", "demo-shop-backend/1.0"), ("Accept", "application/json"),
                ("Authorization", "Basic \(credentials)"),
                ("Content-Type", FormBody.mediaType),
            ]),
            body: Body(text: FormBody.encode(items), mediaType: FormBody.mediaType)
        )
    }

    private func json(_ request: RecordedRequest) async throws -> JSONObject {
        let response = try await send(request)
        return try JSONParser.parse(response.body?.bytes ?? []).object ?? JSONObject()
    }

    // MARK: -

    private func random() -> String { Base64URL.encode(SecureRandom.bytes(16)) }

    private func redirect(to location: String, cookie: String? = nil) -> RecordedResponse {
        var headers = HeaderFields([("Location", location), ("Cache-Control", "no-store")])
        if let cookie { headers.append("Set-Cookie", "\(cookie); Path=/; HttpOnly; Secure; SameSite=Lax") }
        return RecordedResponse(status: 302, headers: headers)
    }

    private func page(_ status: Int, _ title: String, _ text: String) -> RecordedResponse {
        let html =
            "<!doctype html><html lang=\"en\"><title>\(title)</title><h1>\(title)</h1><p>\(text)</p></html>"
        return RecordedResponse(
            status: status,
            headers: HeaderFields([("Content-Type", "text/html; charset=utf-8")]),
            body: Body(text: html, mediaType: "text/html")
        )
    }
}
