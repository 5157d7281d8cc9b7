import Captures
import JOSE
import JSON
import LibCrypto
import Provider
import Synchronization
import Testing

/// A fault counts only where it made something wrong, and a fault that is only asked about changes nothing.
struct FaultOccasionTests {
    /// What a client that checks nothing was answered.
    private static func sighting(_ provider: BuiltInProvider, _ extras: Set<NaiveLogin.Extra> = []) throws
        -> (
            sighting: ProviderSighting, answers: [ProviderAnswer], exchanges: [Exchange]
        )
    {
        let discovery = FaultyProvider.issuer + "/.well-known/openid-configuration"
        let healthy = Caller(try FaultyProvider.make())
        let seen = Mutex<[ProviderAnswer]>([])
        var login = NaiveLogin(
            { request, now in
                let answer = provider.answer(to: request, at: now)
                seen.withLock { $0.append(answer) }
                return answer.response
            },
            discovery: discovery,
            client: ("shop", "shop-secret"),
            redirectURI: FaultyProvider.redirectURI,
            logoutURI: FaultyProvider.logoutURI,
            extras: extras
        )
        login.run(healthy: healthy.json(healthy.get(discovery)))
        var sighting = ProviderSighting()
        let answers = seen.withLock { $0 }
        for answer in answers { sighting.note(answer) }
        return (sighting, answers, login.exchanges)
    }

    /// Logins that differ in what they ask for.
    private static let logins: [Set<NaiveLogin.Extra>] = [
        [], [.signedResponse], [.acrValues, .maxAge], [.pushedRequest], [.registration], [.device],
        [.otherOrigin], [.wrongVerifier], [.onDevice],
    ]

    @Test(arguments: FaultCatalog.all.map(\.id)) func eachFaultActsOnItsAnswersAlone(_ id: String) throws {
        let fault = try #require(FaultCatalog.fault(id))
        for extras in Self.logins {
            let (sighting, answers, _) = try Self.sighting(try FaultyProvider.make([fault]), extras)
            for answer in answers where answer.broken.contains(id) {
                #expect(fault.kinds.contains(answer.kind), "\(answer.kind)")
            }
            // What is foreseen comes to pass, and nothing else does.
            let foreseen = try Self.sighting(try FaultyProvider.make(probes: [fault]), extras).sighting
            #expect((sighting.brokenAfter != nil) == foreseen.occasions.contains(id), "\(extras)")
        }
    }

    @Test func everyFaultFindsAnOccasionInSomeLogin() throws {
        let found = try Self.logins.reduce(into: Set<String>()) { found, extras in
            found.formUnion(
                try Self.sighting(try FaultyProvider.make(probes: FaultCatalog.all), extras).sighting
                    .occasions
            )
        }
        #expect(FaultCatalog.all.map(\.id).filter { !found.contains($0) } == [])
    }

    @Test func plainLoginHasNoOccasionForWhatItDoesNotAskFor() throws {
        let occasions = try Self.sighting(try FaultyProvider.make(probes: FaultCatalog.all)).sighting
            .occasions
        for id in [
            "jarm-invalid:exp", "acr-not-satisfied", "auth-time-stale", "par-rejected",
            "registration-rejected", "device-code-expired", "cors-blocked", "slow",
        ] {
            #expect(occasions.contains(id) == (id == "slow"), "\(id)")
        }
    }

    @Test func askingChangesNothing() throws {
        let plain = try Self.sighting(try FaultyProvider.make()).exchanges
        let asked = try Self.sighting(try FaultyProvider.make(probes: FaultCatalog.all))
        #expect(plain.map { $0.response?.status } == asked.exchanges.map { $0.response?.status })
        #expect(asked.sighting.brokenAfter == nil && !asked.sighting.occasions.isEmpty)
    }

    // MARK: - Beginning anew

    @Test func whoBeginsAnewKeepsKeysAndForgetsTokens() throws {
        let first = try FaultyProvider.make()
        let login = try Self.sighting(first).exchanges
        let fault = try #require(FaultCatalog.fault("id-token-nonce-mismatch"))
        let second = first.begunAnew(breaking: [fault], probing: [])
        let (one, other) = (Caller(first), Caller(second))
        let keys = FaultyProvider.issuer + "/jwks"
        #expect(one.json(one.get(keys)) == other.json(other.get(keys)))
        let access = try #require(
            login.lazy.compactMap { exchange -> String? in
                exchange.request.headers.first("authorization").flatMap {
                    $0.hasPrefix("Bearer ") ? $0 : nil
                }
            }.first
        )
        func userInfo(_ caller: Caller) -> Int {
            caller.get(FaultyProvider.issuer + "/userinfo", headers: [("Authorization", access)]).status
        }
        #expect(userInfo(one) == 200 && userInfo(other) == 401)
        #expect(try Self.sighting(second).sighting.brokenAfter != nil)
    }

    /// A library that finds a number of another key refuses the key for that, and not for what it shows.
    @Test func exposedNumberIsTheKeysOwn() throws {
        let provider = try FaultyProvider.make([try #require(FaultCatalog.fault("jwks-private-key-exposed"))])
        let caller = Caller(provider)
        let key = caller.json(caller.get(FaultyProvider.issuer + "/jwks"))["keys"]?.array?.first
        let numbers = try ["n", "e", "d"].map { name in
            try #require(key?[name]?.string.flatMap { Base64URL.decode($0) })
        }
        let message = Array("message".utf8)
        let signature = try PrivateKey(rsaNumbers: numbers).sign(message, .rsaPKCS1(.sha256))
        #expect(try #require(RecordedProviderTests.rsa).sign(message, .rsaPKCS1(.sha256)) == signature)
    }

    /// A client that tries every key of the provider, whatever `kid` says, lets nobody in by one of them.
    @Test func tokenThatNamesAnUnknownKeyIsSignedWithNoneOfTheProviders() throws {
        let fault = try #require(FaultCatalog.fault("id-token-kid-unknown"))
        for faults in [[], [fault]] {
            let provider = try FaultyProvider.make(faults)
            let caller = Caller(provider)
            let keys = try #require(
                JSONWebKeySet(json: caller.json(caller.get(FaultyProvider.issuer + "/jwks")))
            ).keys
            let answers = try Self.sighting(provider).exchanges.compactMap { exchange in
                exchange.response?.body?.bytes.flatMap { try? JSONParser.parse($0) }?.object
            }
            let texts = answers.compactMap { $0["id_token"]?.string }
            let text = try #require(texts.first)
            let token = try #require(JSONWebToken.parse(text))
            let outcomes = try keys.map {
                token.verify(keys: [JSONWebKey(try $0.publicKey(), id: token.keyID)]).outcome
            }
            #expect(!keys.isEmpty && outcomes.contains(.valid) == faults.isEmpty, "\(outcomes)")
        }
    }

    /// Nobody is granted what he did not ask for, and where one scope was asked for there is none to leave out.
    @Test(arguments: [("openid profile", "openid"), ("profile email", "profile"), ("profile", "profile")])
    func scopeThatIsLeftWasAskedFor(asked: String, left: String) throws {
        let fault = try #require(FaultCatalog.fault("scope-reduced"))
        let provider = try FaultyProvider.make([fault])
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", FaultyProvider.redirectURI),
            ("scope", asked), ("state", "state-of-this-login-4711"),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
        ]
        let caller = Caller(provider)
        let code = caller.get(FaultyProvider.issuer + "/authorize", query).parameters.first("code")
        let form = [
            ("grant_type", "authorization_code"), ("code", try #require(code)),
            ("redirect_uri", FaultyProvider.redirectURI),
            ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        ]
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(FaultyProvider.issuer + "/token"),
            // shop:shop-secret
            headers: HeaderFields([("Authorization", "Basic c2hvcDpzaG9wLXNlY3JldA==")]),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
        let answer = provider.answer(to: request, at: caller.now)
        #expect(caller.json(answer.response)["scope"] == .string(left))
        #expect(answer.broken.contains(fault.id) == (asked != left))
    }

    /// Keys are rotated, and not all gone: a client that looks for the named one finds others.
    @Test func keySetHasTheKeysOfBeforeUntilATokenIsOut() throws {
        func keys(_ faults: [Fault]) throws -> [JSONWebKey] {
            let caller = Caller(try FaultyProvider.make(faults))
            return try #require(
                JSONWebKeySet(json: caller.json(caller.get(FaultyProvider.issuer + "/jwks")))
            ).keys
        }
        let own = try #require(try keys([]).first)
        let rotated = try #require(FaultCatalog.fault("id-token-kid-unknown:rotated"))
        let earlier = try #require(try keys([rotated]).first)
        #expect(earlier.id != own.id && earlier.algorithm == own.algorithm && earlier.type == own.type)
        #expect(try earlier.publicKey().subjectPublicKeyInfo != own.publicKey().subjectPublicKeyInfo)
    }

    @Test func whoBeginsAnewKnowsWhoRegistered() throws {
        let first = try FaultyProvider.make()
        let form = #"{"redirect_uris":["https://new.example/callback"]}"#
        func post(_ provider: BuiltInProvider, _ path: String, _ body: String, _ type: String)
            -> RecordedResponse
        {
            provider.respond(
                to: RecordedRequest(
                    method: "POST",
                    url: RecordedURL(FaultyProvider.issuer + path),
                    headers: HeaderFields([("Content-Type", type)]),
                    body: Body(text: body, mediaType: type)
                ),
                at: Timestamp(seconds: 1_790_000_000)
            )
        }
        let registered = post(first, "/register", form, "application/json")
        let client = try JSONParser.parse(try #require(registered.body?.bytes))
        let id = try #require(client["client_id"]?.string)
        let again = first.begunAnew(breaking: [], probing: []).begunAnew(breaking: [], probing: [])
        let query =
            "response_type=code&client_id=\(id)&redirect_uri=https%3A%2F%2Fnew.example%2Fcallback&scope=openid"
            + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
        let url = RecordedURL(FaultyProvider.issuer + "/authorize?" + query)
        let now = Timestamp(seconds: 1_790_000_001)
        let answer = again.respond(to: RecordedRequest(method: "GET", url: url), at: now)
        #expect(answer.headers.first("location")?.hasPrefix("https://new.example/callback?code=") == true)
        let strangers = try FaultyProvider.make().respond(
            to: RecordedRequest(method: "GET", url: url),
            at: now
        )
        #expect(strangers.status == 400)
    }
}
