import Captures
import Flows
import Foundation
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// The captures of the repository, played: a client with values of its own is answered as the recorded one was.
struct RecordedProviderTests {
    // One key for all: making it takes longer than everything else.
    static let rsa = try? PrivateKey.generate(.rsa(bits: 2048))
    static let elliptic = try? PrivateKey.generate(.elliptic(.p256))
    static let base = "http://127.0.0.1:8090"

    static let all = captures { _ in true }
    /// Those of which nothing is said to have broken.
    static let healthy = captures { path in
        path.hasPrefix("captures/healthy/") || path.hasSuffix(".near-miss.har")
            || path.hasPrefix("captures/providers/") && !path.hasSuffix(".broken.har")
    }

    private static func captures(where isWanted: (String) -> Bool) -> [String] {
        let root = Fixtures.root.appending(path: "captures")
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return folders.flatMap { folder in
            let files =
                (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path))
                ?? []
            return files.filter { $0.hasSuffix(".har") }.map { "captures/\(folder)/\($0)" }
        }.filter(isWanted).sorted()
    }

    static func capture(_ path: String) throws -> Capture {
        try CaptureReader.read(bytes: try Fixtures.bytes(path), name: path)
    }

    static func provider(_ capture: Capture, _ change: (inout RecordedProviderOptions) -> Void = { _ in })
        throws
        -> RecordedProvider
    {
        var options = RecordedProviderOptions()
        options.keys = [rsa, elliptic].compactMap { $0 }
        change(&options)
        return try RecordedProvider(capture: capture, baseURL: base, options: options)
    }

    /// What a walk along all flows of a capture met.
    private static func differences(_ path: String, isAsRecorded: Bool) throws -> (
        requests: Int, differences: [String]
    ) {
        let capture = try capture(path)
        let provider = try provider(capture) { $0.isAsRecorded = isAsRecorded }
        var jar: [(name: String, value: String)] = []
        var requests = 0
        var found: [String] = []
        for flow in FlowFinder.flows(in: capture) where isAsRecorded || isAllTaken(flow) {
            var walk = RecordedWalk(flow, at: provider, key: try #require(elliptic), jar: jar)
            walk.run()
            jar = walk.jar
            requests += walk.pairs.count
            for pair in walk.pairs {
                let all = AnswerComparison.differences(
                    pair.recorded,
                    pair.played,
                    played: walk.played,
                    renewed: walk.renewed
                )
                // What a broken provider put into its tokens is not played; how it answered is.
                let seen = isAsRecorded ? all.filter(AnswerComparison.isOutcome) : all
                found += seen.map { "\(flow.id) \(pair.request.method) \(pair.request.url.path): \($0)" }
            }
        }
        return (requests, found)
    }

    /// Whether the provider refused nothing in a flow that came to a good end.
    private static func isAllTaken(_ flow: Flow) -> Bool {
        flow.ending == .success
            && flow.exchanges.allSatisfy { index in
                let exchange = flow.capture[index]
                return (exchange.response?.status ?? 502) < 400
                    && Answer(of: exchange, at: index).error == nil
                    && exchange.response?.location?.contains("error=") != true
            }
    }

    // MARK: - The outcome that a provider gives by itself

    @Test(arguments: healthy)
    func healthyCaptureIsAnsweredTheSame(_ path: String) throws {
        let (requests, differences) = try Self.differences(path, isAsRecorded: false)
        #expect(differences.isEmpty)
        // Nothing is compared where nothing is sent.
        let isGood = FlowFinder.flows(in: try Self.capture(path)).contains {
            Self.isAllTaken($0) && $0.issuer != nil
        }
        #expect(requests > 0 || !isGood)
    }

    // MARK: - The recorded outcome

    private static let recordedExceptions: [String: String] = [
        "captures/token-request/dpop-nonce-ignored.har": "the client of this test sends the nonce",
        "captures/token-request/pkce-not-enforced.har": "a wrong verifier is never taken",
        "captures/authorization-request/par-rejected.near-miss.har":
            "a proof is asked for where none was sent",
        "captures/discovery/resource-metadata-mismatch.har": "no provider is in it",
        "captures/discovery/resource-metadata-missing.har": "no provider is in it",
        "captures/transport/tls-client-rejects-recorder.har": "no provider is in it",
    ]

    @Test(arguments: all.filter { recordedExceptions[$0] == nil })
    func recordedOutcomeIsGivenAgain(_ path: String) throws {
        let (_, differences) = try Self.differences(path, isAsRecorded: true)
        #expect(differences.isEmpty)
    }

    @Test(arguments: [
        ("client_credentials", false), ("urn:ietf:params:oauth:grant-type:token-exchange", false),
        ("urn:ietf:params:oauth:grant-type:saml2-bearer", true),
    ])
    func grantThatIsNotPlayedIsTold(grant: String, isTold: Bool) throws {
        var builder = CaptureBuilder()
        builder.post(
            "https://id.example/token",
            [
                ("grant_type", grant), ("client_id", "svc"), ("client_secret", "a-secret"),
                ("subject_token", "at-5Jq2vLx7TzB4nWm8RdYc9Kq2"),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let remarks = try Self.provider(builder.capture).issuers.flatMap(\.remarks)
        #expect(remarks.contains { $0.contains(grant) && $0.contains("not played") } == isTold)
    }

    /// It is the subject of its token (RFC 9068, section 2.2).
    @Test func clientThatActsForItselfIsNoUser() throws {
        let claims: JSONObject = [
            "iss": "https://id.example", "sub": "svc", "aud": "api", "exp": 1_790_000_000,
        ]
        let token = try JSONWebToken.sign(
            claims: claims,
            header: ["kid": "key-1", "typ": "at+jwt"],
            algorithm: .es256,
            with: .privateKey(try #require(Self.elliptic))
        )
        var builder = CaptureBuilder()
        let form = [
            ("grant_type", "client_credentials"), ("client_id", "svc"), ("client_secret", "a-secret"),
        ]
        builder.post(
            "https://id.example/token",
            form,
            body: .json(#"{"access_token":"\#(token)","token_type":"Bearer"}"#)
        )
        let provider = try Self.provider(builder.capture)
        #expect(provider.issuers[0].users.map(\.name) == ["user"])
        let remarks = provider.issuers[0].remarks
        #expect(
            remarks.contains { $0.contains("nobody who signs in") }
                && !remarks.contains { $0.contains("password of") }
        )
        let caller = Caller(provider)
        let played = caller.json(caller.post(Self.base + "/token", form))["access_token"]?.string
        #expect(played.flatMap(JSONWebToken.parse)?.subject == "svc")
    }

    /// What a browser exports has nothing of the client's own calls, and the client makes them all the same.
    @Test(arguments: [nil, "secret-of-shop"] as [String?])
    func browsersHalfIsPlayedToTheEnd(secret: String?) throws {
        let capture = try Self.capture("Tests/Recordings/devtools-chromium.har")
        let provider = try Self.provider(capture) { $0.autoLogin = "" }
        let caller = Caller(provider)
        let metadata = caller.json(caller.get(Self.base + "/api/oidc/.well-known/openid-configuration"))
        #expect(metadata["token_endpoint"]?.string == Self.base + "/api/oidc/token")
        let redirectURI = try #require(provider.issuers[0].clients.first?.redirectURIs.first)
        let verifier = String(repeating: "Yx8", count: 15)
        let login = caller.get(
            Self.base + "/api/oidc/auth",
            [
                ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", redirectURI),
                ("scope", "openid"), ("state", "state-of-mine"), ("nonce", "nonce-of-mine"),
                ("code_challenge", CodeChallenge.s256(of: verifier)), ("code_challenge_method", "S256"),
            ]
        )
        let form = [
            ("grant_type", "authorization_code"), ("code", login.parameters.first("code") ?? ""),
            ("redirect_uri", redirectURI), ("code_verifier", verifier), ("client_id", "shop"),
        ]
        let proof = secret.map { [("client_secret", $0)] } ?? []
        let tokens = caller.json(caller.post(Self.base + "/api/oidc/token", form + proof))
        let token = try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.claim("nonce") == "nonce-of-mine")
        let bearer = ("Authorization", "Bearer \(tokens["access_token"]?.string ?? "")")
        let user = caller.get(Self.base + "/api/oidc/userinfo", headers: [bearer])
        #expect(caller.json(user)["sub"]?.string == token.subject)
    }

    /// Userinfo of the first recording refused a token with a bare 401; that of the second was not seen to refuse any.
    @Test(arguments: [("endpoints", false), ("devtools-chromium", true)])
    func refusalHasTheChallengeThatItWasSeenWith(recording: String, isChallenged: Bool) throws {
        let provider = try Self.provider(try Self.capture("Tests/Recordings/\(recording).har"))
        let refused = Caller(provider).get(
            Self.base + "/api/oidc/userinfo",
            headers: [("Authorization", "Bearer token-of-nobody")]
        )
        #expect(refused.status == 401)
        #expect(refused.headers.contains("www-authenticate") == isChallenged)
        // Nothing was sent, and so of no type.
        #expect(refused.headers.first("content-type") == (isChallenged ? "application/json" : nil))
    }

    /// A login that came to nothing: the 401 that a script of its page got is no page that refuses a request.
    @Test func callOfAScriptIsNoPageThatRefuses() throws {
        let provider = try Self.provider(try Self.capture("Tests/Recordings/broken-password.har"))
        let caller = Caller(provider)
        let client = try #require(provider.issuers[0].clients.first?.id)
        let metadata = caller.json(caller.get(provider.issuers[0].discovery))
        let answer = caller.get(
            try #require(metadata["authorization_endpoint"]?.string),
            [
                ("response_type", "code"), ("client_id", client),
                ("redirect_uri", "https://evil.example/cb"),
            ]
        )
        #expect(answer.status == 400 && answer.body?.text?.contains("redirect_uri") == true)
    }

    /// Whoever has no browser at hand is told of the way without pages.
    @Test(arguments: [
        ("<form method=post action=/common/login></form>", false, true),
        ("<form method=post></form>", false, true),
        ("<form method=post action=/tenant/login></form>", false, false),
        ("<script>go('/tenant/login')</script>", false, false),
        ("<form method=post action=/common/login></form>", true, false),
    ])
    func pageThatScriptsGoOnFromIsTold(page: String, signsIn: Bool, isTold: Bool) throws {
        let app = "https://shop.example/cb"
        var builder = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("redirect_uri", app),
        ])
        builder.get("https://id.example/tenant/authorize?" + query, body: .html(page))
        builder.post(
            "https://id.example/tenant/login",
            [("username", "alice"), ("password", "wonderland")],
            302,
            answer: [("Location", app + "?code=c-Kq2vLx7TzB4nWm8R&state=s-Kq2vLx7TzB4nWm8R")]
        )
        builder.post(
            "https://id.example/tenant/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let provider = try Self.provider(builder.capture) { $0.autoLogin = signsIn ? "" : nil }
        let remarks = provider.issuers.flatMap(\.remarks)
        #expect(
            remarks.contains { $0.contains("/tenant/authorize") && $0.contains("--auto-login") } == isTold
        )
    }

    @Test func captureWithoutAProviderIsRefused() throws {
        let capture = try Self.capture("captures/discovery/resource-metadata-missing.har")
        #expect(throws: ProviderError.noProvider) { try Self.provider(capture) }
    }
}
