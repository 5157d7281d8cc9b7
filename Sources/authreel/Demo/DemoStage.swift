import Captures
import LibCrypto
import Provider
import Proxy
import Replay
import TLS

/// Everything that the demo starts: a provider and an application over TLS, the real recording proxy, and
/// somebody who logs in.
///
/// All of it on loopback, on ports that the system picks, with authorities of its own that nothing else
/// trusts. The provider is the same one for all logins, and so is the application's address: what differs is how a login
/// is made.
struct DemoStage {
    private let identities: Identities
    /// Of the provider.
    private let issuer: String
    /// Of the application.
    private let origin: String
    /// The application that plays at the moment.
    private let application: Late<DemoRelyingParty>

    /// Starts provider and application, and stops them when `body` is done; gives what that gives.
    static func open<Result>(_ body: (DemoStage) async throws -> Result) async throws -> Result {
        let identities = try Identities(now: SystemClock.now)
        // Provider and application know each other's address before either answers.
        let providerBox = Late<BuiltInProvider>()
        let provider = try await LocalServer.start(tls: try identities.server(.address([127, 0, 0, 1]))) {
            request in
            providerBox.value?.respond(to: request, at: SystemClock.now)
                ?? RecordedResponse(status: 503)
        }
        let applicationBox = Late<DemoRelyingParty>()
        let application = try await LocalServer.start(tls: try identities.server(.host("localhost"))) {
            request in
            await applicationBox.value?.respond(to: request) ?? RecordedResponse(status: 503)
        }
        let stage = DemoStage(
            identities: identities,
            issuer: "https://127.0.0.1:\(provider.port)",
            origin: "https://localhost:\(application.port)",
            application: applicationBox
        )
        return try await ending(
            with: {
                await application.stop()
                await provider.stop()
            }
        ) {
            providerBox.set(
                BuiltInProvider(try configuration(issuer: stage.issuer, origin: stage.origin))
            )
            return try await body(stage)
        }
    }

    /// Records one login into a file, from the sign-in page to the logout.
    ///
    /// `coding`: how the application makes its code challenge.
    /// `path`: the capture; made anew.
    func record(_ coding: DemoRelyingParty.ChallengeCoding, into path: String) async throws {
        let (recorder, _) = try CertificateAuthority.make(now: SystemClock.now)
        let recording = try Recording(
            to: try CaptureWriter(path: path, version: Authreel.version),
            configuration: ProxyConfiguration(port: 0, upstreamTrust: [identities.authority]),
            authority: recorder,
            notify: { _ in }
        )
        let port = try await recording.start().port
        let trust = try TLSContext.client(
            .init(trustsSystemRoots: false, furtherRoots: [recorder.certificate])
        )
        let sender = HTTPSender(.init(proxy: ("127.0.0.1", port), tls: trust))
        try await ending(
            with: {
                await sender.stop()
                await recording.stop()
            }
        ) {
            try await logIn(coding, sender)
        }
        if let missing = recording.missing { throw OutputFile.unfinished(path, missing.reason) }
    }

    private func logIn(_ coding: DemoRelyingParty.ChallengeCoding, _ sender: HTTPSender) async throws {
        let send: UserAgent.Send = { try await sender.send($0) }
        application.set(DemoRelyingParty(issuer: issuer, origin: origin, coding: coding, send: send))
        let browser = UserAgent(
            name: "Mozilla/5.0 (authreel demo browser)",
            clock: { SystemClock.now },
            send: send
        )
        try await Self.walk(browser, origin)
    }

    /// Signs in, looks at the account with refreshed tokens, signs out.
    ///
    /// A login that breaks ends where it breaks.
    private static func walk(_ browser: UserAgent, _ origin: String) async throws {
        let signIn = try await browser.open(RecordedURL(origin + "/login"))
        let account = try await browser.submit(
            signIn,
            filling: ["username": "alice", "password": "wonderland", "action": "sign-in"]
        )
        guard account.response.status == 200 else { return }
        _ = try await browser.open(RecordedURL(origin + "/me?refresh=1"))
        _ = try await browser.open(RecordedURL(origin + "/logout"))
    }

    private static func configuration(issuer: String, origin: String) throws -> ProviderConfiguration {
        ProviderConfiguration(
            issuer: issuer,
            clients: [
                .init(
                    id: DemoRelyingParty.clientID,
                    secret: DemoRelyingParty.clientSecret,
                    redirectURIs: [origin + "/callback"],
                    postLogoutRedirectURIs: [origin + "/"]
                )
            ],
            users: [
                .init(
                    name: "alice",
                    password: "wonderland",
                    subject: "248289761001",
                    fullName: "Alice Liddell",
                    email: "alice@mail.example"
                )
            ],
            keys: try ProviderConfiguration.SigningKeyEntry.made()
        )
    }

    /// Makes server contexts with certificates of the stage's own authority.
    private struct Identities {
        let authority: Certificate
        private let issuer: CertificateIssuer
        private let key: PrivateKey
        private let validity: CertificateIssuer.Validity

        init(now: Timestamp) throws {
            let (authority, authorityKey) = try CertificateAuthority.make(now: now)
            self.authority = authority.certificate
            issuer = try CertificateIssuer(certificate: authority.certificate, key: authorityKey)
            key = try PrivateKey.generate(.elliptic(.p256))
            validity = .init(notBefore: now.seconds - 3600, notAfter: now.seconds + 86_400)
        }

        func server(_ name: CertificateIssuer.Name) throws -> TLSContext {
            try TLSContext.server(
                chain: [try issuer.leaf(for: name, key: key, validity: validity), authority],
                key: key
            )
        }
    }
}
