import Captures
import Diagnosis
import Flows
import Foundation
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Replay
import TestSupport
import Testing

/// Logins recorded at one product, driven at another: the built-in provider, which has other paths and other pages.
struct OtherProviderTests {
    private static let issuer = "http://127.0.0.1:8090"

    /// Everybody is a client, and alice has a password.
    private static func provider(autoLogin: Bool) throws -> BuiltInProvider {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = true
        policy.autoLogin = autoLogin ? "alice" : nil
        return BuiltInProvider(
            ProviderConfiguration(
                issuer: issuer,
                clients: [],
                users: [
                    .init(
                        name: "alice",
                        password: "alice-password",
                        subject: "alice",
                        fullName: "Alice",
                        email: "alice@mail.example"
                    )
                ],
                keys: [.init(id: "k1", algorithm: .es256, key: try PrivateKey.generate(.elliptic(.p256)))]
            ),
            policy: policy
        )
    }

    /// Drives the flows of a capture one after the other.
    private static func replay(_ capture: Capture, autoLogin: Bool = false) async throws
        -> [(run: FlowRun, difference: FlowDifference?)]
    {
        let provider = try provider(autoLogin: autoLogin)
        let environment = FlowDriver.Environment.inMemory { provider.respond(to: $0, at: $1) }
        let discovery = RecordedRequest(
            method: "GET",
            url: RecordedURL(issuer + "/.well-known/openid-configuration")
        )
        let metadata = Answer(of: await environment.send(discovery), at: 0).json ?? [:]
        var states: [Int: RunState] = [:]
        var results: [(FlowRun, FlowDifference?)] = []
        for (index, place) in FlowOrder.places(of: FlowFinder.flows(in: capture), options: PlanOptions())
            .enumerated()
        {
            let flow = place.plan.flow
            var map = EndpointMap()
            map.add(RecordedEndpoints(of: flow), metadata: metadata, at: discovery.url.text)
            #expect(map.isOtherProvider)
            let plan = place.plan.adapted(to: map)
            let driver = FlowDriver(plan, environment, options: FlowDriver.Options(map: map))
            let run = await driver.run(from: place.predecessor.flatMap { states[$0] } ?? RunState())
            states[index] = run.state
            let comparison = ComparisonOptions(
                mapped: map.issuers.map { ($0.old, $0.new) } + map.entries.map { ($0.old, $0.new) },
                isOtherProvider: true,
                leavingOut: Set(plan.leftOut.filter { $0.reason != .recordedPage }.map(\.exchange))
            )
            let seen = FlowFinder.flows(in: Capture(run.exchanges), areOne: true).first
            results.append((run, seen.map { FlowDifference(flow, $0, options: comparison) }))
        }
        return results
    }

    private static func recording(_ name: String) throws -> Capture {
        try CaptureReader.read(path: Fixtures.root.appending(path: "Tests/Recordings/\(name).har").path)
    }

    @Test(arguments: ["native-app", "login-cleartext", "key-rotated"])
    func recordedLoginIsTheSame(_ name: String) async throws {
        for (run, difference) in try await Self.replay(try Self.recording(name)) {
            #expect(
                difference?.isSame ?? false,
                "\(difference?.first?.difference.label ?? ""): \(difference?.first?.difference.note ?? "nothing") \(run.stop.map { "\($0)" } ?? "")"
            )
            #expect(
                !run.exchanges.isEmpty && run.exchanges.allSatisfy { $0.request.url.origin == Self.issuer }
            )
        }
    }

    /// What the metadata lists is no value: the client goes on saying the word that it said.
    @Test func responseModeStaysAsAsked() async throws {
        var capture = try Self.recording("login-cleartext")
        capture = Capture(
            capture.indices.map { index in
                var exchange = capture[index]
                let url = exchange.request.url
                if url.queryItems.first("code_challenge") != nil || url.queryItems.first("nonce") != nil {
                    exchange.request.url = RecordedURL(url.text + "&response_mode=form_post")
                }
                return exchange
            }
        )
        let run = try #require(try await Self.replay(capture, autoLogin: true).first).run
        let asked = run.exchanges.compactMap { $0.request.url.queryItems.first("response_mode") }
        #expect(asked == ["form_post"])
    }

    @Test func pagesOfTheRecordedProviderAreLeftOutOfThePlan() async throws {
        let runs = try await Self.replay(try Self.recording("native-app"))
        let plan = try #require(runs.first).run.plan
        #expect(!plan.recordedPages.isEmpty)
        #expect(plan.leftOut.contains { $0.reason == .recordedPage })
        // The password went into the other provider's form.
        let forms = runs[0].run.exchanges.compactMap {
            FormBody.items(of: $0.request.body)?.first("password")
        }
        #expect(forms == ["alice-password"])
    }

    /// The login of a native app, with something else sent by the script of its sign-in page.
    private static func recording(entering json: String) throws -> Capture {
        let capture = try recording("native-app")
        return Capture(
            capture.indices.map { index in
                var exchange = capture[index]
                if exchange.request.url.path.hasSuffix("/api/auth/") {
                    exchange.request.body = Body(text: json, mediaType: "application/json")
                }
                return exchange
            }
        )
    }

    @Test func personWithoutAPasswordEndsAtTheSignInPage() async throws {
        let run = try #require(try await Self.replay(Self.recording(entering: "{}")).first).run
        #expect(run.stop == .unknownPage(url: Self.issuer + "/authorize", title: "Sign in"))
    }

    /// A page that asks once more is no unknown one: what was entered is what is wrong.
    @Test func passwordThatIsNotTakenIsSaid() async throws {
        let capture = try Self.recording(entering: #"{"username":"alice","password":"other-password"}"#)
        let run = try #require(try await Self.replay(capture).first).run
        #expect(run.stop == .secretNotTaken(url: Self.issuer + "/authorize", title: "Sign in"))
        #expect(run.stop?.description.hasPrefix("what was entered was not taken: ") == true)
        #expect(run.exchanges.count { FormBody.items(of: $0.request.body)?.first("password") != nil } == 1)
    }

    @Test func sameMetadataIsTheSameProvider() {
        var map = EndpointMap()
        let endpoints = [
            "authorization_endpoint": "https://a.example/x", "token_endpoint": "https://a.example/y",
        ]
        let metadata = JSONObject(
            endpoints.map { ($0.key, JSONValue.string($0.value)) } + [("issuer", "https://a.example")]
        )
        map.add(
            RecordedEndpoints(byRole: endpoints, issuer: "https://a.example"),
            metadata: metadata,
            at: "https://a.example/.well-known/openid-configuration"
        )
        #expect(!map.isOtherProvider)
    }

    /// Where metadata are, and a path that many products have, say nothing of a product.
    @Test(
        arguments: [
            (["authorization_endpoint": "/authorize", "token_endpoint": "/oauth/token"], true),
            (["authorization_endpoint": "/authorize", "token_endpoint": "/token"], false),
            (["authorization_endpoint": "/login", "token_endpoint": "/oauth/token"], true),
            (["registration_endpoint": "/register"], false), ([:], false),
        ]
    )
    func productIsKnownByAllItsPaths(recorded: [String: String], isOther: Bool) {
        let issuer = "https://sso.example"
        var map = EndpointMap()
        map.add(
            RecordedEndpoints(
                byRole: recorded.mapValues { issuer + $0 },
                issuer: issuer,
                discoveryURLs: [issuer + "/.well-known/openid-configuration"]
            ),
            metadata: [
                "issuer": "http://127.0.0.1:80/realms/x",
                "authorization_endpoint": "http://127.0.0.1:80/realms/x/authorize",
                "token_endpoint": "http://127.0.0.1:80/realms/x/token",
                "registration_endpoint": "http://127.0.0.1:80/realms/x/register",
            ],
            at: "http://127.0.0.1:80/.well-known/oauth-authorization-server/realms/x"
        )
        #expect(map.isOtherProvider == isOther)
        // The document is read where it is, and what the metadata do not name is nowhere at another product.
        let asked = { (path: String) in map.mapped(RecordedURL(issuer + path)).text }
        #expect(
            asked("/.well-known/openid-configuration")
                == "http://127.0.0.1:80/.well-known/oauth-authorization-server/realms/x"
        )
        let isKnown = !isOther && !recorded.isEmpty
        #expect(asked("/api") == (isKnown ? "http://127.0.0.1:80/realms/x/api" : issuer + "/api"))
    }

    private static let usual = ["issuer", "response_types_supported", "subject_types_supported"]

    /// Many have a login at `/authorize` and `/token`: what else they have tells them apart.
    @Test(
        arguments: [
            // Another version, which has more.
            (usual + ["scopes_supported"], ["jwks_uri": "/jwks", "userinfo_endpoint": "/userinfo"], false),
            (usual, ["jwks_uri": "/keys", "userinfo_endpoint": "/userinfo"], false),
            (usual, ["jwks_uri": "/keys", "userinfo_endpoint": "/me"], true),
            (["issuer", "acr_values_supported", "claims_supported", "ui_locales_supported"], [:], true),
        ] as [([String], [String: String], Bool)]
    )
    func productIsKnownByWhatItSaysOfItself(members: [String], paths: [String: String], isOther: Bool) {
        func document(_ origin: String, _ members: [String], _ paths: [String: String]) -> JSONObject {
            let login = ["authorization_endpoint": "/authorize", "token_endpoint": "/token"]
            let endpoints = login.merging(paths) { $1 }.map { ($0.key, JSONValue.string(origin + $0.value)) }
            return JSONObject(members.map { ($0, JSONValue.string(origin)) } + endpoints)
        }
        let (old, new) = ("https://sso.example", "http://127.0.0.1:80")
        let name = "/.well-known/openid-configuration"
        let read = document(old, members, paths)
        let found = document(
            new,
            Self.usual + ["grant_types_supported"],
            ["jwks_uri": "/jwks", "userinfo_endpoint": "/userinfo"]
        )
        for (address, isTold) in [(name, isOther), ("/.well-known/oauth-authorization-server", nil)] {
            var map = EndpointMap()
            map.add(
                RecordedEndpoints(
                    byRole: Dictionary(
                        uniqueKeysWithValues: read.members.compactMap { member in
                            member.name.hasSuffix("_endpoint") || member.name == "jwks_uri"
                                ? member.value.string.map { (member.name, $0) } : nil
                        }
                    ),
                    issuer: old,
                    metadata: (read, old + address)
                ),
                metadata: found,
                at: new + name
            )
            // Documents of two kinds have other members anyway.
            #expect(map.isOtherProvider == isTold ?? (isOther && !paths.isEmpty))
        }
    }

    @Test(arguments: [
        ("https://sso.example/realms/a/", ["/realms/a", "", "/realms/a"]),
        ("https://sso.example", ["", ""]),
    ])
    func metadataAreLookedForWhereTheyMayBe(issuer: String, paths: [String]) {
        let host = "https://sso.example"
        let found = MetadataAddresses.of(issuer)
        #expect(found.first == host + paths[0] + "/.well-known/openid-configuration")
        #expect(found.count == paths.count)
        #expect(found.last == host + paths[0] + "/.well-known/oauth-authorization-server")
        if paths.count == 3 {
            #expect(found[1] == host + "/.well-known/oauth-authorization-server" + paths[0])
        }
        let address = host + "/.well-known/openid-configuration?p=in"
        #expect(MetadataAddresses.of(address) == [address])
    }
}
