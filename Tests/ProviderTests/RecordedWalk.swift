import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider

/// Goes the way of a recorded flow at the provider that plays it: the recorded requests in order, with a `state`, a
/// `nonce`, a code verifier of its own, and with what the provider gives out now in the place of what it gave out then.
///
/// Knows nothing of how the provider is made: it reads answers as a client and a browser do.
struct RecordedWalk {
    /// One request with both answers.
    struct Pair {
        var request: RecordedRequest
        var recorded: RecordedResponse
        var played: RecordedResponse
        var message: OAuthMessage?
    }

    let provider: RecordedProvider
    private let flow: Flow
    private var values: [(old: String, new: String)] = []
    private(set) var jar: [(name: String, value: String)]
    private var proofNonce: String?
    private var now: Timestamp
    private let key: PrivateKey
    private(set) var pairs: [Pair] = []
    private var count = 0

    /// `jar`: the cookies of the browser, which the flows of a capture share.
    init(
        _ flow: Flow,
        at provider: RecordedProvider,
        key: PrivateKey,
        jar: [(name: String, value: String)] = []
    ) {
        self.jar = jar
        self.flow = flow
        self.provider = provider
        self.key = key
        now = Timestamp(seconds: 1_790_000_000)
    }

    /// All exchanges of the flow that go to the provider.
    mutating func run() {
        renew()
        var last = flow.started
        for index in flow.exchanges {
            let exchange = flow.capture[index]
            guard let response = exchange.response, exchange.request.method != "OPTIONS",
                let url = played(exchange.request.url.text)
            else { continue }
            if case .authorizationResponse = flow.surroundings.messages[index] { continue }
            // As much time passes as then.
            now = now + max(.zero, exchange.startedAt - last)
            last = exchange.startedAt
            let request = request(exchange.request, to: url)
            let answer = provider.respond(to: request, at: now)
            learn(response, answer)
            pairs.append(
                Pair(
                    request: request,
                    recorded: response,
                    played: answer,
                    message: flow.surroundings.messages[index]
                )
            )
        }
    }

    // MARK: - Requests

    /// What the client makes up for each login.
    private mutating func renew() {
        for (number, request) in flow.authorizationRequests.enumerated() {
            if let state = request.state { bind(state, "state-\(number)-of-this-run") }
            if let nonce = request.nonce { bind(nonce, "nonce-\(number)-of-this-run") }
            guard let challenge = request.codeChallenge else { continue }
            let verifier = "verifier-\(number)-of-this-run-0123456789-0123456789"
            let isPlain = request.codeChallengeMethod == "plain"
            bind(challenge, isPlain ? verifier : CodeChallenge.s256(of: verifier))
            for token in flow.tokenRequests where token.isCodeExchange {
                guard let old = token.codeVerifier, CodeChallenge.relation(of: challenge, to: old) != nil
                else { continue }
                bind(old, verifier)
            }
        }
    }

    private mutating func bind(_ old: String, _ new: String) {
        guard !old.isEmpty, old != new, !values.contains(where: { $0.old == old }) else { return }
        values.append((old, new))
        values.sort { $0.old.utf8.count > $1.old.utf8.count }
    }

    func played(_ url: String) -> String? {
        for (old, new) in provider.mapping where url.hasPrefix(old) {
            let rest = url.dropFirst(old.count)
            if rest.isEmpty || "/?#".contains(rest[rest.startIndex]) { return new + rest }
        }
        return nil
    }

    private mutating func request(_ recorded: RecordedRequest, to url: String) -> RecordedRequest {
        var headers = HeaderFields()
        for name in ["Content-Type", "Authorization", "Accept", "Origin"] {
            guard let value = recorded.headers.first(name) else { continue }
            headers.append(name, value.hasPrefix("Basic ") ? basic(value) : renewed(value))
        }
        takeOldCookies(recorded)
        // What the browser did not send then, it has not got now either.
        let names = Set(recorded.cookies.map(\.name))
        let sent = jar.filter {
            names.contains($0.name) || $0.name.hasPrefix("authreel") || $0.name.count > 24
        }
        if !sent.isEmpty {
            headers.append("Cookie", sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
        }
        let target = RecordedURL(renewedRequestObject(renewed(url)))
        if recorded.headers.contains("dpop") {
            headers.append("DPoP", proof(recorded.method, target, headers.first("authorization")))
        }
        var body: Body?
        if let items = FormBody.items(of: recorded.body) {
            let fields = items.items.map { item in (item.name, field(item.name, item.value)) }
            body = Body(text: FormBody.encode(fields), mediaType: FormBody.mediaType)
            if !headers.contains("content-type") { headers.append("Content-Type", FormBody.mediaType) }
        } else if let text = recorded.body?.text {
            body = Body(text: renewed(text), mediaType: recorded.body?.mediaType)
        }
        return RecordedRequest(method: recorded.method, url: target, headers: headers, body: body)
    }

    /// What the browser had before the recording began.
    private mutating func takeOldCookies(_ recorded: RecordedRequest) {
        for cookie in recorded.cookies where !jar.contains(where: { $0.name == cookie.name }) {
            let isSet = flow.capture.indices.contains { index in
                flow.capture[index].response?.setCookies.contains { $0.name == cookie.name } ?? false
            }
            if !isSet { jar.append((cookie.name, cookie.value)) }
        }
    }

    private func basic(_ header: String) -> String {
        let text = String(decoding: Base64.decode(String(header.dropFirst(6))), as: UTF8.self)
        return "Basic " + Base64.encode(Array(renewed(text).utf8))
    }

    private mutating func field(_ name: String, _ value: String) -> String {
        guard name == "client_assertion", let token = JSONWebToken.parse(value), var claims = token.claims
        else {
            return renewed(value)
        }
        count += 1
        claims["iss"] = token.issuer.map { .string(renewed($0)) }
        claims["sub"] = token.subject.map { .string(renewed($0)) }
        claims["aud"] = .string(token.audience.first.flatMap { played($0) } ?? provider.issuers[0].identifier)
        claims["iat"] = .number(JSONNumber(now.seconds))
        claims["exp"] = .number(JSONNumber(now.seconds + 60))
        claims["jti"] = .string("assertion-\(count)")
        return signed(claims, ["typ": "JWT"])
    }

    private mutating func proof(_ method: String, _ url: RecordedURL, _ authorization: String?) -> String {
        count += 1
        let jwk = JSONWebKey(key.publicKey, id: nil).json
        var claims: JSONObject = [
            "htm": .string(method), "htu": .string(url.withoutQuery), "iat": .number(JSONNumber(now.seconds)),
            "jti": .string("proof-\(count)"),
        ]
        if let proofNonce { claims["nonce"] = .string(proofNonce) }
        if let token = authorization?.split(separator: " ").last {
            claims["ath"] = .string(DPoPProof.hash(ofAccessToken: String(token)))
        }
        return signed(claims, ["typ": "dpop+jwt", "jwk": .object(jwk)])
    }

    /// A request object that says what this run says.
    private func renewedRequestObject(_ url: String) -> String {
        guard let text = RecordedURL(url).queryItems.first("request"), let token = JSONWebToken.parse(text),
            let claims = token.claims,
            let renewed = (try? JSONParser.parse(renewed(JSONWriter.text(of: .object(claims))).utf8))?.object
        else { return url }
        var own = renewed
        own["exp"] = .number(JSONNumber(now.seconds + 300))
        return url.replacingAll(text, signed(own, ["typ": "JWT"]))
    }

    private func signed(_ claims: JSONObject, _ header: JSONObject) -> String {
        let token = try? JSONWebToken.sign(
            claims: claims,
            header: header,
            algorithm: .es256,
            with: .privateKey(key)
        )
        return token ?? ""
    }

    /// A text with what was given out now, in three spellings.
    func renewed(_ text: String) -> String {
        var text = text
        for (old, new) in provider.mapping where text.contains("://") {
            text = text.replacingAll(old, new).replacingAll(
                PercentEncoding.encode(old),
                PercentEncoding.encode(new)
            )
        }
        for (old, new) in values where old.utf8.count >= 4 {
            text = text.replacingAll(old, new)
            let once = (PercentEncoding.encode(old), PercentEncoding.encode(new))
            if once.0 != old { text = text.replacingAll(once.0, once.1) }
            let twice = (PercentEncoding.encode(once.0), PercentEncoding.encode(once.1))
            if twice.0 != once.0 { text = text.replacingAll(twice.0, twice.1) }
        }
        return text
    }

    // MARK: - Answers

    private mutating func learn(_ recorded: RecordedResponse, _ played: RecordedResponse) {
        proofNonce = played.headers.first("dpop-nonce") ?? proofNonce
        for cookie in played.setCookies {
            jar.removeAll { $0.name == cookie.name }
            if !cookie.value.isEmpty, cookie.maxAge != 0 { jar.append((cookie.name, cookie.value)) }
        }
        if let old = recorded.location.map({ RecordedURL($0) }),
            let new = played.location.map({ RecordedURL($0) })
        {
            for (then, today) in [(old.queryItems, new.queryItems), (old.fragmentItems, new.fragmentItems)] {
                for item in then.items {
                    guard let value = today.first(item.name) else { continue }
                    bind(item.value, value)
                    let claims = (JSONWebToken.parse(item.value)?.claims, JSONWebToken.parse(value)?.claims)
                    guard item.name == "response", let old = claims.0, let new = claims.1 else { continue }
                    for member in old.members {
                        if let was = member.value.string, let today = new[member.name]?.string {
                            bind(was, today)
                        }
                    }
                }
            }
        }
        guard let old = recorded.body?.text, let new = played.body?.text else { return }
        if let then = (try? JSONParser.parse(old.utf8))?.object,
            let today = (try? JSONParser.parse(new.utf8))?.object
        {
            for member in then.members {
                if let value = member.value.string, let other = today[member.name]?.string {
                    bind(value, other)
                }
            }
            return
        }
        for (then, today) in zip(HTMLForm.all(in: old), HTMLForm.all(in: new)) {
            for field in then.fields where field.type == "hidden" {
                if let other = today.fields.first(where: { $0.name == field.name }) {
                    bind(field.value, other.value)
                }
            }
            for item in RecordedURL(then.action).queryItems.items {
                if let value = RecordedURL(today.action).queryItems.first(item.name) {
                    bind(item.value, value)
                }
            }
        }
    }
}

extension String {
    fileprivate func replacingAll(_ old: String, _ new: String) -> String {
        guard !old.isEmpty, contains(old) else { return self }
        return split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}
