import Captures
import Flows
import JOSE
import JSON
import OAuth
import Provider

/// A client that does everything right but check what it is told: it goes on until it is refused.
///
/// Keeps every exchange, so that somebody else can say what was wrong.
struct NaiveLogin {
    /// What is asked for besides a login.
    enum Extra: Hashable {
        case pushedRequest
        case registration
        case signedResponse
        case acrValues
        case maxAge
        case device
        case otherOrigin
        /// Fetches the keys again where they have not the one that a token names, and looks no further.
        case verifiedKeys
        /// Sends a verifier that is not the one of its challenge.
        case wrongVerifier
        /// Listens on this machine for the answer.
        case onDevice
    }

    static let loopbackURI = "http://127.0.0.1:51004/callback"

    let respond: (RecordedRequest, Timestamp) -> RecordedResponse
    let discovery: String
    let client: (id: String, secret: String?)
    let redirectURI: String
    let logoutURI: String
    let extras: Set<Extra>
    private(set) var exchanges: [Exchange] = []
    private var now = Timestamp(seconds: 1_790_000_000)
    private var jar: [(name: String, value: String)] = []
    private var endpoints: [String: String] = [:]

    init(
        _ respond: @escaping (RecordedRequest, Timestamp) -> RecordedResponse,
        discovery: String,
        client: (id: String, secret: String?),
        redirectURI: String,
        logoutURI: String,
        extras: Set<Extra>
    ) {
        self.respond = respond
        self.discovery = discovery
        self.client = client
        self.redirectURI = extras.contains(.onDevice) ? Self.loopbackURI : redirectURI
        self.logoutURI = logoutURI
        self.extras = extras
    }

    /// The whole way; what the metadata do not say is known from `healthy`, the document without any fault.
    mutating func run(healthy: JSONValue) {
        let document = json(get(discovery))
        for role in Endpoints.Role.allCases {
            endpoints[role.rawValue] = healthy[role.rawValue]?.string
        }
        guard document["issuer"] != nil else { return }
        if endpoints["jwks_uri"] != nil { _ = get(endpoint(.keys)) }
        if extras.contains(.registration) { return register() }
        if extras.contains(.device) { return connectDevice() }
        guard let code = authorize() else { return }
        let answer = redeem(code)
        // The browser is sent on only where there is something to go on with.
        let tokens = json(answer)
        guard let access = tokens["access_token"]?.string else { return }
        if extras.contains(.verifiedKeys) {
            now = now + .seconds(60)
            _ = get(endpoint(.keys))
            return
        }
        if endpoints["userinfo_endpoint"] != nil {
            _ = get(endpoint(.userInfo), headers: [("Authorization", "Bearer \(access)")])
        }
        if let refresh = tokens["refresh_token"]?.string {
            _ = post(
                endpoint(.token),
                [("grant_type", "refresh_token"), ("refresh_token", refresh)] + identification,
                headers: credentials
            )
        }
        if let hint = tokens["id_token"]?.string, endpoints["end_session_endpoint"] != nil {
            _ = get(
                endpoint(.endSession),
                [("id_token_hint", hint), ("post_logout_redirect_uri", logoutURI), ("state", "bye")]
            )
        }
    }

    // MARK: - Steps

    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    /// Basic credentials; nothing for a public client, which names itself in the form.
    private var credentials: [(String, String)] {
        client.secret.map { secret in
            [("Authorization", "Basic " + Base64.encode(Array("\(client.id):\(secret)".utf8)))]
        } ?? []
    }

    private var identification: [(String, String)] { client.secret == nil ? [("client_id", client.id)] : [] }

    /// - Returns: the code; nil where none came.
    private mutating func authorize() -> String? {
        var request = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", redirectURI),
            ("scope", "openid profile offline_access"), ("state", "state-of-this-login-4711"),
            ("nonce", "nonce-of-this-login-4711"), ("code_challenge", CodeChallenge.s256(of: Self.verifier)),
            ("code_challenge_method", "S256"),
            ("response_mode", extras.contains(.signedResponse) ? "jwt" : "query"),
        ]
        if extras.contains(.acrValues) { request.append(("acr_values", "urn:example:strong")) }
        if extras.contains(.maxAge) { request.append(("max_age", "300")) }
        if extras.contains(.pushedRequest) {
            let pushed = json(post(endpoint(.pushedRequest), request, headers: credentials))
            guard let uri = pushed["request_uri"]?.string else { return nil }
            request = [("client_id", client.id), ("request_uri", uri)]
        }
        var answer = get(endpoint(.authorization), request)
        for _ in 0..<8 {
            guard let location = answer.location, !location.hasPrefix(redirectURI) else { break }
            answer = get(RecordedURL(location).origin == nil ? discoveryOrigin + location : location)
        }
        guard let location = answer.location else { return nil }
        let parameters = answer.parameters
        let signed = parameters.first("response").flatMap { JSONWebToken.parse($0)?.claims }
        let code = signed?["code"]?.string ?? parameters.first("code")
        let visible = location.split(separator: "#", maxSplits: 1).first.map(String.init) ?? location
        call(visible, isGood: code != nil)
        return code
    }

    private mutating func redeem(_ code: String) -> RecordedResponse {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            (
                "code_verifier",
                extras.contains(.wrongVerifier) ? String(Self.verifier.reversed()) : Self.verifier
            ),
        ]
        form += identification
        guard extras.contains(.otherOrigin) else { return post(endpoint(.token), form, headers: credentials) }
        // The page of a browser app: its calls are told by their origin and their browser.
        form =
            form.filter { $0.0 != "client_id" } + [
                ("client_id", client.id), ("client_secret", client.secret ?? ""),
            ]
        let headers = [
            ("Origin", RecordedURL(redirectURI).origin ?? ""), ("Sec-Fetch-Mode", "cors"),
            ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36"),
        ]
        _ = post(endpoint(.token), form, headers: headers)
        return RecordedResponse(status: 0)
    }

    private mutating func register() {
        let metadata = "{\"redirect_uris\":[\"\(redirectURI)\"],\"client_name\":\"shop\"}"
        _ = send("POST", endpoint(.registration), Body(text: metadata, mediaType: "application/json"))
    }

    private mutating func connectDevice() {
        let answer = json(
            post(
                endpoint(.deviceAuthorization),
                [("client_id", client.id), ("scope", "openid")],
                headers: credentials
            )
        )
        guard let code = answer["device_code"]?.string else { return }
        now = now + .seconds(10)
        _ = post(
            endpoint(.token),
            [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code)]
                + identification,
            headers: credentials
        )
    }

    // MARK: - Exchanges

    private var discoveryOrigin: String { RecordedURL(discovery).origin ?? "" }

    private func endpoint(_ role: Endpoints.Role) -> String { endpoints[role.rawValue] ?? "" }

    private mutating func get(
        _ url: String,
        _ query: [(String, String)] = [],
        headers: [(String, String)] = []
    ) -> RecordedResponse {
        send("GET", query.isEmpty ? url : url + "?" + FormBody.encode(query), nil, headers)
    }

    private mutating func post(
        _ url: String,
        _ form: [(String, String)],
        headers: [(String, String)] = []
    ) -> RecordedResponse {
        send("POST", url, Body(text: FormBody.encode(form), mediaType: FormBody.mediaType), headers)
    }

    private mutating func send(
        _ method: String,
        _ url: String,
        _ body: Body?,
        _ headers: [(String, String)] = []
    ) -> RecordedResponse {
        var fields = HeaderFields(headers)
        if let type = body?.mediaType { fields.append("Content-Type", type) }
        if !jar.isEmpty, !fields.contains("authorization") {
            fields.append("Cookie", jar.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
        }
        let request = RecordedRequest(method: method, url: RecordedURL(url), headers: fields, body: body)
        let response = respond(request, now)
        for cookie in response.setCookies {
            jar.removeAll { $0.name == cookie.name }
            jar.append((cookie.name, cookie.value))
        }
        add(request, response)
        return response
    }

    /// The client's own answer at the redirect URI.
    private mutating func call(_ url: String, isGood: Bool) {
        let request = RecordedRequest(method: "GET", url: RecordedURL(url), headers: HeaderFields())
        add(request, RecordedResponse(status: isGood ? 200 : 400, headers: HeaderFields()))
    }

    private mutating func add(_ request: RecordedRequest, _ response: RecordedResponse) {
        exchanges.append(
            Exchange(startedAt: now, duration: .milliseconds(20), request: request, response: response)
        )
        now = now + .seconds(1)
    }

    private func json(_ response: RecordedResponse) -> JSONValue {
        let bytes = response.body?.bytes ?? []
        if let value = try? JSONParser.parse(bytes) { return value }
        // A form is read as what it is.
        guard let items = FormBody.items(of: response.body) else { return .null }
        return .object(JSONObject(items.items.map { ($0.name, .string($0.value)) }))
    }
}
