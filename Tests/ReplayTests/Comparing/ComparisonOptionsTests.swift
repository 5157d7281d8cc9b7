import Captures
import Flows
import JSON
import Replay
import TestSupport
import Testing

/// What a comparison is told to take for granted.
struct ComparisonOptionsTests {
    private func recording() throws -> ComparedRecording {
        try ComparedRecording("captures/healthy/web-code-flow")
    }

    private func places(
        _ edit: (ComparedRecording) -> ComparedRecording,
        _ options: ComparisonOptions
    ) throws -> [String] {
        let recording = try recording()
        return try #require(recording.difference(from: edit(recording), options: options)).places
    }

    @Test func ignoredNameIsNotCompared() throws {
        let edit = { (recording: ComparedRecording) in
            recording.asking("ui_locales", "de", at: "/authorize").asking("display", "page", at: "/authorize")
        }
        #expect(try places(edit, ComparisonOptions()).count == 2)
        let options = ComparisonOptions(ignoring: ["ui_locales", "authorization_request.display"])
        #expect(try places(edit, options).isEmpty)
    }

    @Test func nameOfOneKindOfStepIsIgnoredThereOnly() throws {
        let edit = { (recording: ComparedRecording) in
            recording.asking("scope", "openid", at: "/authorize").editingAnswer(of: "/token") {
                $0["scope"] = "email"
            }
        }
        let options = ComparisonOptions(ignoring: ["token_request.scope"])
        #expect(try places(edit, options) == ["authorization_request scope"])
    }

    @Test func volatileNameIsComparedOnDemand() throws {
        let recording = try recording()
        let other = ComparedRecording(try AnotherDay(recording.capture).exchanges)
        let plain = try #require(recording.difference(from: other))
        #expect(plain.isSame)
        let options = ComparisonOptions(comparing: ["authorization_request.state"])
        let compared = try #require(recording.difference(from: other, options: options))
        #expect(compared.places == ["authorization_request state"])
    }

    @Test func mappedHostIsTheSameWherverItStands() throws {
        let recording = try recording()
        let moved = ComparedRecording(
            recording.exchanges.map { Self.moved($0, "https://id.harbour.example", "http://127.0.0.1:8080") }
        )
        let options = ComparisonOptions(mapped: [("https://id.harbour.example", "http://127.0.0.1:8080")])
        let mapped = try #require(recording.difference(from: moved, options: options))
        // The ID token was not made anew: its issuer is still the old one.
        #expect(mapped.places == ["token_request id_token iss"])
        let plain = try #require(recording.difference(from: moved))
        #expect(plain.headline.hasPrefix("discovery: URL: scheme http instead of https; host 127.0.0.1"))
    }

    /// The app's own server is not asked in a replay: what the provider says to the browser (FedCM) is compared, and no name of the app's.
    @Test func tokenWithoutARedirectIsTheSameWithoutTheApp() throws {
        let recording = try ComparedRecording("Tests/Recordings/fedcm-chromium")
        let app = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/session" })
        let options = ComparisonOptions(leavingOut: [app])
        let difference = recording.difference(from: recording.without("/session"), options: options)
        #expect(try #require(difference).isSame)
        let refused = recording.without("/session").editing("/assert") {
            $0.response?.body = .json(#"{"error":{"code":"access_denied"}}"#)
        }
        #expect(try #require(recording.difference(from: refused, options: options)).isSame == false)
    }

    /// A mock at the recorded address knows its browsers by a cookie of its own.
    @Test(arguments: [("login_flow", false), (MockCookies.transaction, true), (MockCookies.session, true)])
    func cookieOfAMockIsNoDifference(name: String, isTheSame: Bool) throws {
        let edit = { (recording: ComparedRecording) in
            recording
                .editing("/authorize") {
                    $0.response?.headers.append("Set-Cookie", "\(name)=Kq2vLx7T; Path=/")
                }
                .editing("/sign-in") { $0.request.headers.append("Cookie", "\(name)=Kq2vLx7T") }
        }
        #expect(try places(edit, ComparisonOptions()).isEmpty == isTheSame)
    }

    /// As Google's: a name, wherever its provider is.
    @Test func scopeThatLooksLikeAnAddressIsNotMapped() throws {
        let scope = "openid https://id.harbour.example/auth/calendar"
        let recording = try recording().asking("scope", scope, at: "/authorize")
        let options = ComparisonOptions(mapped: [("https://id.harbour.example", "http://127.0.0.1:8080")])
        let difference = try #require(recording.difference(from: recording, options: options))
        #expect(!difference.places.contains("authorization_request scope"))
    }

    @Test func prefixOfAnotherHostIsNotMapped() throws {
        let edit = { (recording: ComparedRecording) in
            recording.sending("redirect_uri", "https://www.shop.example.org/callback", to: "/token")
        }
        let options = ComparisonOptions(mapped: [("https://www.shop.example", "https://www.shop.example")])
        #expect(try places(edit, options).first == "token_request redirect_uri")
    }

    @Test func appLeftOutIsComparedByWhatTheProviderSentIt() throws {
        let recording = try recording()
        let flow = try #require(recording.flow)
        let app = recording.exchanges.indices.filter {
            recording.exchanges[$0].request.url.host == "www.shop.example"
        }
        let userInfo = try #require(flow.steps.first { $0.kind == .userInfoRequest }?.exchange)
        let driven = recording.without("/callback").without("/login").without("/").without("/userinfo")
        let options = ComparisonOptions(leavingOut: Set(app + [userInfo]))
        let difference = try #require(recording.difference(from: driven, options: options))
        #expect(difference.isSame, "\(difference.headline)")
        #expect(difference.steps.contains { $0.kind == .authorizationResponse && $0.seen != nil })
        #expect(!difference.steps.contains { $0.expected == userInfo })
        // Without being told so, a step is missing.
        #expect(try #require(recording.difference(from: driven)).places.contains("userinfo_request step"))
    }

    /// A logout without parameters is one by the metadata alone.
    @Test func stepThatWasAskedForAgainAndIsNotKnownIsANote() throws {
        let recording = try recording()
        let userInfo = try #require(recording.flow?.steps.first { $0.kind == .userInfoRequest }?.exchange)
        let driven = recording.without("/userinfo")
        #expect(try #require(recording.difference(from: driven)).places.contains("userinfo_request step"))
        var options = ComparisonOptions()
        options.repeated = [userInfo]
        let difference = try #require(recording.difference(from: driven, options: options))
        #expect(!difference.places.contains("userinfo_request step"))
        #expect(difference.steps.contains { $0.expected == userInfo && $0.seen == nil })
    }

    @Test func cutStateShowsWithTheAppLeftOut() throws {
        let recording = try recording()
        let app = recording.exchanges.indices.filter {
            recording.exchanges[$0].request.url.host == "www.shop.example"
        }
        let driven = recording.asking("state", "zi42", at: "/callback").without("/callback").without("/login")
            .without("/")
        let options = ComparisonOptions(leavingOut: Set(app))
        let difference = try #require(recording.difference(from: driven, options: options))
        #expect(
            difference.headline
                == "authorization_response: state: not that of authorization_request: cut off after 4 of 22 characters"
        )
    }

    // MARK: - Another provider

    @Test(
        arguments: [
            "opaque access token", "expires_in", "no refresh token", "session cookie", "userinfo claim",
        ]
    )
    func whatProvidersMayDoAsTheyLikeIsANote(what: String) throws {
        let options = ComparisonOptions(isOtherProvider: true)
        let edit = try #require(Self.freedoms[what])
        #expect(!(try places(edit, ComparisonOptions()).isEmpty), "no difference to begin with")
        #expect(try places(edit, options).isEmpty)
    }

    private static let freedoms: [String: @Sendable (ComparedRecording) -> ComparedRecording] = [
        "opaque access token": {
            $0.editingAnswer(of: "/token") {
                $0["access_token"] = .string(String(repeating: "9fK-", count: 12))
            }
            .header(
                "Authorization",
                "Bearer \(String(repeating: "9fK-", count: 12))",
                ofRequestTo: "/userinfo"
            )
            .editingAnswer(of: "/token") { $0["not_before_policy"] = 0 }
        },
        "expires_in": { $0.editingAnswer(of: "/token") { $0["expires_in"] = 3600 } },
        "no refresh token": { $0.editingAnswer(of: "/token") { $0["refresh_token"] = nil } },
        "session cookie": { $0.header("Set-Cookie", nil, ofAnswerFrom: "/authorize") },
        "userinfo claim": { $0.editingAnswer(of: "/userinfo") { $0["name"] = nil } },
    ]

    @Test func optionalClaimIsANoteAtAnotherProvider() throws {
        let edit = { (recording: ComparedRecording) in
            recording.editingToken(of: "/token", claims: { $0["email"] = "alice@shop.example" })
        }
        let signature = "token_request id_token (signature)"
        #expect(try places(edit, ComparisonOptions()) == ["token_request id_token email", signature])
        #expect(try places(edit, ComparisonOptions(isOtherProvider: true)) == [signature])
    }

    /// That of a refresh should have no nonce, and may have that of its login (OpenID Connect Core, section 12.2).
    @Test func nonceOfARefreshedIDTokenIsANoteAtAnotherProvider() throws {
        let without = try ComparedRecording("captures/healthy/refresh")
        let with = without.editingToken(of: "/token", claims: { $0["nonce"] = "nHsB6igckEjDf3FDhPowQ8" })
        let place = "refresh_request id_token nonce"
        for (one, other) in [(without, with), (with, without)] {
            #expect(one.difference(from: other)?.places.contains(place) == true)
            let elsewhere = one.difference(from: other, options: ComparisonOptions(isOtherProvider: true))
            #expect(elsewhere?.places.contains(place) == false)
        }
    }

    @Test(
        arguments: [
            ("no access token", "token_request access_token"), ("no ID token", "token_request id_token"),
            ("no nonce", "token_request id_token nonce"), ("another audience", "token_request id_token aud"),
            ("no state", "authorization_response state"), ("refusal", "token_request status"),
            ("no subject", "userinfo_request sub"),
        ]
    )
    func whatTheSpecificationsRequireIsADifference(what: String, place: String) throws {
        let edit = try #require(Self.duties[what])
        #expect(try places(edit, ComparisonOptions(isOtherProvider: true)).contains(place))
    }

    private static let duties: [String: @Sendable (ComparedRecording) -> ComparedRecording] = [
        "no access token": { $0.editingAnswer(of: "/token") { $0["access_token"] = nil } },
        "no ID token": { $0.editingAnswer(of: "/token") { $0["id_token"] = nil } },
        "no nonce": { $0.editingToken(of: "/token", claims: { $0["nonce"] = nil }) },
        "another audience": { $0.editingToken(of: "/token", claims: { $0["aud"] = "somebody-else" }) },
        "no state": { $0.asking("state", nil, at: "/callback") },
        "refusal": { $0.answering("/token", 400, ["error": "invalid_grant"]) },
        "no subject": { $0.editingAnswer(of: "/userinfo") { $0["sub"] = nil } },
    ]

    private static func moved(_ exchange: Exchange, _ old: String, _ new: String) -> Exchange {
        func replaced(_ text: String) -> String {
            text.replacing(old, with: new).replacing(
                PercentEncoding.encode(old),
                with: PercentEncoding.encode(new)
            )
        }
        var exchange = exchange
        exchange.request.url = RecordedURL(replaced(exchange.request.url.text))
        exchange.request.body = exchange.request.body.map {
            Body(text: replaced($0.text ?? ""), mediaType: $0.mediaType)
        }
        guard var response = exchange.response else { return exchange }
        response.redirectURL = replaced(response.redirectURL)
        response.headers = HeaderFields(response.headers.fields.map { ($0.name, replaced($0.value)) })
        response.body = response.body.map { Body(text: replaced($0.text ?? ""), mediaType: $0.mediaType) }
        exchange.response = response
        return exchange
    }
}
