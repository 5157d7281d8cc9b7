import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import Provider
import Replay
import Synchronization

/// A provider and a clock in memory, a client that records a login with them, and the way to replay it.
final class ReplayWorld: Sendable {
    static let issuer = "https://idp.example/tenant"
    static let redirectURI = "https://shop.example/cb"

    /// How the recorded client does things; the defaults are right.
    struct Client: Sendable {
        var id = "shop"
        var secret: String? = "shop-secret"
        var usesBasic = true
        var responseMode: String?
        var tokenRedirectURI = ReplayWorld.redirectURI
        var password = "wonderland"
        var makeChallenge: @Sendable (String) -> String = { CodeChallengeCoding.s256($0) }
        /// Seconds between the code and its use.
        var delay: Int64 = 0
        var redeemsTwice = false
        /// Parameters of the authorization request that are other ones; an empty value leaves one out.
        var asks: [(String, String)] = []
        /// The same of the token request.
        var redeems: [(String, String)] = []
        /// What the browser says that it takes.
        var accept = "text/html"
        var browser = "Mozilla/5.0 (X11; Linux x86_64) Test/1"
        var backend = "shop-backend/1.0"
        /// Whether the token request goes as a query by GET.
        var redeemsByGET = false
        /// Revokes the access token before it is used.
        var revokesFirst = false
        /// Makes the text of a code out of the one that came.
        var respells: @Sendable (String) -> String = { $0 }
    }

    enum CodeChallengeCoding {
        static func s256(_ verifier: String) -> String { Base64URL.encode(Digest.of(verifier.utf8)) }
        static func padded(_ verifier: String) -> String { Base64.encode(Digest.of(verifier.utf8)) }
    }

    private static let keys = [
        (try? PrivateKey.generate(.elliptic(.p256))).map {
            ProviderConfiguration.SigningKeyEntry(id: "e1", algorithm: .es256, key: $0)
        }
    ].compactMap { $0 }

    private let provider: BuiltInProvider
    private let time = Mutex(Timestamp(seconds: 1_780_000_000))
    /// Requests that the provider saw, in order.
    let asked = Mutex<[RecordedRequest]>([])
    let slept = Mutex<[Duration]>([])
    /// The error that a token request is answered with for what is in it; nil where the provider decides.
    private let refusal: @Sendable (QueryItems) -> String?

    init(
        issuer: String = ReplayWorld.issuer,
        startingAt start: Int64 = 1_780_000_000,
        refusal: @escaping @Sendable (QueryItems) -> String? = { _ in nil }
    ) {
        self.refusal = refusal
        time.withLock { $0 = Timestamp(seconds: start) }
        func client(_ id: String, _ secret: String?) -> ProviderConfiguration.Client {
            ProviderConfiguration.Client(
                id: id,
                secret: secret,
                redirectURIs: [Self.redirectURI, "com.example.app:/cb"],
                postLogoutRedirectURIs: ["https://shop.example/"],
                idTokenAlgorithm: .es256
            )
        }
        provider = BuiltInProvider(
            ProviderConfiguration(
                issuer: issuer,
                clients: [client("shop", "shop-secret"), client("app", nil)],
                users: [
                    .init(
                        name: "alice",
                        password: "wonderland",
                        subject: "248289761001",
                        fullName: "Alice",
                        email: "alice@idp.example"
                    )
                ],
                keys: Self.keys
            )
        )
    }

    var now: Timestamp { time.withLock { $0 } }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

    /// One request, answered a few milliseconds later.
    func exchange(_ request: RecordedRequest) -> Exchange {
        asked.withLock { $0.append(request) }
        let started = now
        pass(.milliseconds(4))
        let error = FormBody.items(of: request.body).flatMap { $0.contains("code") ? refusal($0) : nil }
        let response =
            error.map { Self.refused($0) } ?? provider.respond(to: request, at: now)
        pass(.milliseconds(1))
        return Exchange(startedAt: started, duration: now - started, request: request, response: response)
    }

    private static func refused(_ error: String) -> RecordedResponse {
        RecordedResponse(
            status: 400,
            headers: HeaderFields([("Content-Type", "application/json")]),
            body: Body(text: #"{"error":"\#(error)"}"#, mediaType: "application/json")
        )
    }

    var environment: FlowDriver.Environment {
        FlowDriver.Environment(
            send: { self.exchange($0) },
            clock: { self.now },
            sleep: { duration in
                self.slept.withLock { $0.append(duration) }
                self.pass(duration)
            },
            random: { SecureRandom.bytes($0) }
        )
    }

    // MARK: - Recording

    /// A login as a capture: browser and client, from the metadata to the logout.
    func record(_ client: Client = Client()) throws -> Capture {
        var recorder = Recorder(world: self, client: client)
        try recorder.run()
        return Capture(recorder.exchanges)
    }

    private struct Recorder {
        let world: ReplayWorld
        let client: Client
        var exchanges: [Exchange] = []
        var cookies: [String] = []

        @discardableResult
        mutating func send(
            _ method: String,
            _ url: String,
            _ headers: [(String, String)],
            _ form: [(String, String)]? = nil
        )
            -> RecordedResponse
        {
            var request = RecordedRequest(
                method: method,
                url: RecordedURL(url),
                headers: HeaderFields(headers)
            )
            if let form {
                request.headers.append("Content-Type", FormBody.mediaType)
                request.body = Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
            }
            let exchange = world.exchange(request)
            exchanges.append(exchange)
            return exchange.response ?? RecordedResponse(status: 0)
        }

        mutating func browse(_ method: String, _ url: String, _ form: [(String, String)]? = nil)
            -> RecordedResponse
        {
            var headers = [("User-Agent", client.browser), ("Accept", client.accept)]
            if !cookies.isEmpty { headers.append(("Cookie", cookies.joined(separator: "; "))) }
            let response = send(method, url, headers, form)
            cookies += response.setCookies.map { "\($0.name)=\($0.value)" }
            return response
        }

        mutating func call(_ path: String, _ form: [(String, String)], bearer: String? = nil) -> JSONObject {
            var headers = [("User-Agent", client.backend), ("Accept", "application/json")]
            var form = form
            if let bearer {
                headers.append(("Authorization", "Bearer \(bearer)"))
            } else if let secret = client.secret, client.usesBasic {
                headers.append(
                    ("Authorization", "Basic " + Base64.encode(Array("\(client.id):\(secret)".utf8)))
                )
            } else {
                form.append(("client_id", client.id))
                if let secret = client.secret { form.append(("client_secret", secret)) }
            }
            if client.redeemsByGET, path == "/token" {
                let url = ReplayWorld.issuer + path + "?" + FormBody.encode(form)
                let response = send("GET", url, headers)
                return (try? JSONParser.parse(response.body?.bytes ?? []))?.object ?? JSONObject()
            }
            let response =
                bearer == nil
                ? send("POST", ReplayWorld.issuer + path, headers, form)
                : send("GET", ReplayWorld.issuer + path, headers)
            return (try? JSONParser.parse(response.body?.bytes ?? []))?.object ?? JSONObject()
        }

        private static func change(_ items: inout [(String, String)], _ changes: [(String, String)]) {
            for (name, value) in changes {
                guard let index = items.firstIndex(where: { $0.0 == name }) else {
                    items.append((name, value))
                    continue
                }
                if value.isEmpty { items.remove(at: index) } else { items[index].1 = value }
            }
        }

        mutating func run() throws {
            let issuer = ReplayWorld.issuer
            send("GET", issuer + "/.well-known/openid-configuration", [("User-Agent", "shop-backend/1.0")])
            let verifier = Base64URL.encode(SecureRandom.bytes(32))
            var query = [
                ("response_type", "code"), ("client_id", client.id),
                ("redirect_uri", ReplayWorld.redirectURI),
                ("scope", "openid profile email offline_access"),
                ("state", Base64URL.encode(SecureRandom.bytes(16))),
                ("nonce", Base64URL.encode(SecureRandom.bytes(16))),
                ("code_challenge", client.makeChallenge(verifier)), ("code_challenge_method", "S256"),
            ]
            if let mode = client.responseMode { query.append(("response_mode", mode)) }
            Self.change(&query, client.asks)
            let page = browse("GET", issuer + "/authorize?" + FormBody.encode(query))
            guard let form = HTMLForm.all(in: page.body?.text ?? "").first else { return }
            var fields = form.fields.filter { $0.type == "hidden" }.map { ($0.name, $0.value) }
            fields += [("username", "alice"), ("password", client.password), ("action", "sign-in")]
            let answer = browse("POST", issuer + "/authorize", fields)
            let items =
                answer.location.map { RecordedURL($0).queryItems }
                ?? QueryItems(
                    items: (HTMLForm.all(in: answer.body?.text ?? "").first?.fields ?? []).map {
                        QueryItems.Item(name: $0.name, value: $0.value, rawValue: $0.value)
                    }
                )
            guard let code = items.first("code") else { return }
            world.pass(.seconds(client.delay))
            var exchange = [
                ("grant_type", "authorization_code"), ("code", client.respells(code)),
                ("redirect_uri", client.tokenRedirectURI),
                ("code_verifier", verifier),
            ]
            Self.change(&exchange, client.redeems)
            let tokens = call("/token", exchange)
            if client.redeemsTwice { _ = call("/token", exchange) }
            send("GET", issuer + "/jwks", [("User-Agent", "shop-backend/1.0")])
            guard let access = tokens["access_token"]?.string, let refresh = tokens["refresh_token"]?.string
            else { return }
            if client.revokesFirst { _ = call("/revoke", [("token", access)]) }
            _ = call("/userinfo", [], bearer: access)
            let second = call("/token", [("grant_type", "refresh_token"), ("refresh_token", refresh)])
            _ = call("/revoke", [("token", second["refresh_token"]?.string ?? "")])
            let logout = [
                ("id_token_hint", tokens["id_token"]?.string ?? ""),
                ("post_logout_redirect_uri", "https://shop.example/"),
                ("state", Base64URL.encode(SecureRandom.bytes(8))),
            ]
            _ = browse("GET", issuer + "/logout?" + FormBody.encode(logout))
        }
    }

    // MARK: - Replaying

    /// Replays the (first) flow of a capture against this world.
    func replay(
        _ capture: Capture,
        map: EndpointMap = EndpointMap(),
        credentials: ReplayCredentials = ReplayCredentials(),
        options: PlanOptions = PlanOptions()
    ) async throws -> FlowRun {
        let flows = FlowFinder.flows(in: capture)
        guard let flow = flows.first else { throw Missing.flow }
        asked.withLock { $0 = [] }
        let plan = PlanBuilder(flow, siblings: flows, options: options).plan()
        return await FlowDriver(
            plan,
            environment,
            options: FlowDriver.Options(map: map, credentials: credentials, plan: options)
        ).run()
    }

    enum Missing: Error { case flow }
}
