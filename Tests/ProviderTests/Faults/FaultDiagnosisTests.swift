import Captures
import Diagnosis
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// Every fault is what its name says: a client that checks nothing meets it, and the diagnosis finds its rule.
struct FaultDiagnosisTests {
    private static let issuer = FaultyProvider.issuer
    private static let redirectURI = FaultyProvider.redirectURI
    private static let logoutURI = FaultyProvider.logoutURI

    /// What a client has to ask for to meet a fault.
    private static func extras(_ fault: Fault) -> Set<NaiveLogin.Extra> {
        switch fault.rule {
        case "jarm-invalid": [.signedResponse]
        case "acr-not-satisfied": [.acrValues]
        case "auth-time-stale": [.maxAge]
        case "par-rejected": [.pushedRequest]
        case "registration-rejected": [.registration]
        case "device-code-expired": [.device]
        case "cors-blocked": [.otherOrigin]
        case "pkce-not-enforced": [.wrongVerifier]
        case "loopback-port-mismatch": [.onDevice]
        case "id-token-kid-unknown" where fault.id.hasSuffix(":rotated"): [.verifiedKeys]
        case "provider-server-error" where fault.id.hasSuffix(":par"): [.pushedRequest]
        default: []
        }
    }

    private static func builtIn(_ faults: [Fault], _ extras: Set<NaiveLogin.Extra>) throws -> Capture {
        let discovery = issuer + "/.well-known/openid-configuration"
        let caller = Caller(try FaultyProvider.make())
        let broken = try FaultyProvider.make(faults)
        var login = NaiveLogin(
            { broken.respond(to: $0, at: $1) },
            discovery: discovery,
            client: ("shop", "shop-secret"),
            redirectURI: redirectURI,
            logoutURI: logoutURI,
            extras: extras
        )
        login.run(healthy: caller.json(caller.get(discovery)))
        return Capture(login.exchanges)
    }

    /// A recording of a provider that does what a fault breaks; nil where there can be none, with its reason.
    private static func recording(_ fault: Fault) -> String? {
        switch fault.id {
        // Played over http on this machine, which is no fault.
        case "discovery-endpoint-insecure": nil
        // These recordings show no page being let in, so that none is.
        case "cors-blocked": nil
        case "par-rejected", "provider-server-error:par": "authorization-request/par-rejected.near-miss"
        case "registration-rejected": "registration/registration-open.near-miss"
        case "device-code-expired": "logout-and-device/device-code-expired.near-miss"
        case "logout-redirect-not-registered": "healthy/logout"
        case "auth-time-stale": "id-token/auth-time-stale.near-miss"
        case "loopback-port-mismatch": "authorization-request/redirect-uri-insecure.near-miss"
        case "userinfo-sub-mismatch", "bearer-rejected", "insufficient-scope",
            "provider-server-error:userinfo":
            "healthy/web-code-flow"
        default: "healthy/refresh"
        }
    }

    private static func recorded(_ recording: String, _ faults: [Fault], _ extras: Set<NaiveLogin.Extra>)
        throws
        -> Capture
    {
        let capture = try RecordedProviderTests.capture("captures/\(recording).har")
        func provider(_ faults: [Fault]) throws -> RecordedProvider {
            try RecordedProviderTests.provider(capture) { options in
                options.autoLogin = ""
                options.faults = faults
            }
        }
        let caller = Caller(try provider([]))
        let broken = try provider(faults)
        let client = try #require(broken.issuers[0].clients.first)
        let discovery = broken.issuers[0].discovery
        var login = NaiveLogin(
            { broken.respond(to: $0, at: $1) },
            discovery: discovery,
            client: (client.id, client.acceptsAnySecret ? "any" : client.secret),
            redirectURI: client.redirectURIs.first ?? redirectURI,
            logoutURI: client.postLogoutRedirectURIs.first ?? logoutURI,
            // The recorded client has its own address.
            extras: extras.subtracting([.onDevice])
        )
        login.run(healthy: caller.json(caller.get(discovery)))
        return Capture(login.exchanges)
    }

    private static func findings(_ capture: Capture) -> [Finding] {
        FlowFinder.flows(in: capture).flatMap { Diagnostician.diagnose($0).findings }
    }

    /// What a fault breaks besides, and the diagnosis names first.
    private static let companions: [String: Set<String>] = [
        "loopback-port-mismatch": ["redirect-target-differs"],
        // The same token, seen for itself.
        "refresh-subject-changed:iss": ["id-token-issuer-mismatch"],
        "refresh-subject-changed:aud": ["id-token-audience-mismatch"],
    ]

    // MARK: - One at a time

    @Test(arguments: FaultCatalog.all.filter { $0.rule != nil }.map(\.id))
    func builtInProviderIsDiagnosedByItsFault(_ id: String)
        throws
    {
        let fault = try #require(FaultCatalog.fault(id))
        let found = Self.findings(try Self.builtIn([fault], Self.extras(fault)))
        #expect(found.contains { $0.rule == fault.rule }, "\(id): \(found.map(\.rule))")
        // No provider of these has the method that is asked for: what the fault says tells it from that.
        if fault.rule == "acr-not-satisfied" {
            #expect(found.contains { $0.evidence.contains { $0.value == "0" } })
        }
        // A correct client has to stop here, however far this one went.
        let isError = found.contains { $0.rule == fault.rule && $0.severity == .error }
        #expect(
            isError || !fault.mustBeRejected
                || fault.rule == "id-token-kid-unknown"
        )
        // What is no part of the fault did not break.
        let known = Self.companions[id] ?? []
        let others = found.filter {
            $0.rule != fault.rule && $0.severity == .error && !known.contains($0.rule)
        }.map(\.rule)
        #expect(
            others.isEmpty || found.contains { $0.isPrimary && $0.rule == fault.rule },
            "\(id): \(others)"
        )
    }

    @Test(arguments: FaultCatalog.all.filter { $0.rule != nil }.map(\.id))
    func recordedProviderIsDiagnosedByItsFault(_ id: String)
        throws
    {
        let fault = try #require(FaultCatalog.fault(id))
        guard let recording = Self.recording(fault) else { return }
        let healthy = Self.findings(try Self.recorded(recording, [], Self.extras(fault)))
        #expect(!healthy.contains { $0.rule == fault.rule } || fault.rule == "acr-not-satisfied")
        let found = Self.findings(try Self.recorded(recording, [fault], Self.extras(fault)))
        #expect(found.contains { $0.rule == fault.rule }, "\(id): \(found.map(\.rule))")
    }

    @Test(
        arguments: [
            [], [.signedResponse], [.acrValues, .maxAge], [.pushedRequest], [.registration], [.otherOrigin],
            [.verifiedKeys],
        ] as [Set<NaiveLogin.Extra>]
    )
    func withoutAFaultNothingIsFound(_ extras: Set<NaiveLogin.Extra>) throws {
        let rules = Set(FaultCatalog.all.compactMap(\.rule))
        let found = Self.findings(try Self.builtIn([], extras)).map(\.rule)
        #expect(found.filter { rules.contains($0) && $0 != "acr-not-satisfied" } == [])
    }

    /// A token of another time is as good for as long as ever.
    @Test(arguments: ["id-token-expired", "id-token-not-yet-valid"])
    func aTokenOfAnotherTimeHasItsLifetime(_ id: String) throws {
        func lifetime(_ faults: [Fault]) throws -> Int64 {
            let flows = FlowFinder.flows(in: try Self.builtIn(faults, []))
            let token = try #require(flows.lazy.flatMap(\.idTokens).first).token.token
            let end = try #require(token.claims?["exp"]?.int)
            return end - (try #require(token.claims?["iat"]?.int))
        }
        let fault = try #require(FaultCatalog.fault(id))
        #expect(try lifetime([fault]) == lifetime([]))
    }

    // MARK: - Several at once

    @Test func severalFaultsAreAllMet() throws {
        let ids = [
            "issuer-param-mismatch", "id-token-nonce-mismatch", "id-token-expired", "userinfo-sub-mismatch",
        ]
        let found = Self.findings(try Self.builtIn(ids.compactMap(FaultCatalog.fault), [])).map(\.rule)
        #expect(Set(ids).subtracting(found) == [])
    }
}
