import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// Chromium logs in to Apache with mod_auth_openidc against Glewlwyd; browser and back channel go through the
/// recorder.
@Suite(.serialized, .timeLimit(.minutes(6)))
struct RealLoginTests {
    @Test(.enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")))
    func browserAndBackChannelAreOneFlow() throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let shown = try Self.recordLogin(in: folder)
        try Self.check(shown)
    }

    /// Both halves in HTTP/2 are the same login as both in HTTP/1.1.
    @Test(.enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")))
    func overHTTP2ItIsTheSameFlow() throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folders = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            folders.0.remove()
            folders.1.remove()
        }
        let old = try Self.recordLogin(in: folders.0)
        let new = try Self.recordLogin(in: folders.1, overHTTP2: true)
        try Self.check(new)
        #expect(new.told == old.told)
        #expect(new.linked == old.linked)
        let exchanges = try CaptureReader.read(path: new.capture)
        for process in ["chrom", "apache"] {
            let versions = exchanges.indices.compactMap { index -> String? in
                let exchange = exchanges[index]
                guard exchange.client.process?.contains(process) == true else { return nil }
                return "\(exchange.request.httpVersion) \(exchange.connection.alpn ?? "")"
            }
            #expect(!versions.isEmpty && versions.allSatisfy { $0 == "HTTP/2 h2" }, "\(process): \(versions)")
        }
        #expect(exchanges.indices.allSatisfy { exchanges[$0].malformations.isEmpty })
    }

    private static func check(_ shown: ShownLogin) throws {
        Self.checkSteps(shown)
        Self.checkTokens(shown)
        Self.checkLinks(shown)
        try Self.checkClients(shown)

        let diagnosis = try Program.run(["diagnose", "--format", "json", shown.capture])
        #expect(diagnosis.status == 0, "\(diagnosis.output)")
        let findings =
            try JSONParser.parse(diagnosis.output.utf8)["flows"]?.array?.first?["findings"]?.array ?? []
        #expect(
            !findings.contains { ["error", "warning"].contains($0["severity"]?.string) },
            "\(diagnosis.output)"
        )
    }

    private static func recordLogin(in folder: TemporaryFolder, overHTTP2: Bool = false) throws -> ShownLogin
    {
        let state = folder.file("components")
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            upstreamCA: try RealComponents.authority(state)
        )
        let login = try RealComponents.run(
            ["login", "--state", state, "--proxy", "127.0.0.1:\(recorder.port)", "--proxy-ca"]
                + [recorder.certificate] + (overHTTP2 ? ["--http2"] : [])
        )
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        try #require(login.status == 0, "\(login.errors)\n\(recorder.messages)")
        return try ShownLogin(of: recorder.capture)
    }

    private static func checkSteps(_ shown: ShownLogin) {
        #expect(shown.flows.count == 1)
        #expect(shown.flow["outcome"] == "success")
        #expect(shown.flow["provider"] == "glewlwyd")
        #expect(shown.flow["client_id"] == "shop")
        for kind in [
            "discovery", "jwks", "authorization_request", "user_interaction", "authorization_response",
            "token_request",
            "userinfo_request", "end_session_request",
        ] {
            #expect(shown.kinds.contains(kind), "no \(kind) among \(shown.kinds)")
        }
    }

    private static func checkTokens(_ shown: ShownLogin) {
        let tokens = shown.steps.filter { $0["kind"] == "token_request" }.flatMap {
            $0["tokens"]?.array ?? []
        }
        let idToken = tokens.first { $0["name"] == "id_token" }
        #expect(idToken?["signature"] == "valid")
        #expect(
            idToken?["claims"]?["aud"] == "shop"
                || idToken?["claims"]?["aud"]?.array?.contains("shop") == true
        )
    }

    private static func checkLinks(_ shown: ShownLogin) {
        let expected = [
            ("state", ("request.query", "state"), "equal"), ("nonce", ("jwt.claims", "nonce"), "equal"),
            ("code", ("request.body", "code"), "equal"),
            ("code_verifier", ("request.query", "code_challenge"), "s256"),
        ]
        for (name, use, transform) in expected {
            #expect(
                shown.link(name, to: use, by: transform),
                "\(name) → \(use) (\(transform)) is not in \(shown.links)"
            )
        }
        #expect(
            shown.link("access_token", to: ("request.header", "Authorization"), by: "equal"),
            "\(shown.links)"
        )
        #expect(shown.link("id_token", to: ("request.query", "id_token_hint"), by: "equal"), "\(shown.links)")
    }

    /// The two halves stand side by side: each names the process that sent it.
    private static func checkClients(_ shown: ShownLogin) throws {
        func sender(of kind: String) -> String? {
            shown.steps.first { $0["kind"]?.string == kind }?["from"]?.string
        }
        let browser = try #require(sender(of: "authorization_request"))
        let backend = try #require(sender(of: "token_request"))
        #expect(browser.contains("chrom"))
        #expect(backend.contains("apache"))
    }
}
