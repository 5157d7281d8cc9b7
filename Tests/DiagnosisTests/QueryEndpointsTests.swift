import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// Logins at providers whose endpoints differ by their query alone (RFC 6749, sections 3.1 and 3.2).
struct QueryEndpointsTests {
    private static let script = "https://id.harbour.example/index.php?route=oauth/"
    /// With names that are no convention.
    private static let module = "https://id.harbour.example/module.php?m=oidc&a="

    /// `address`: of the endpoints, up to their names.
    private func login(_ address: String) throws -> Recording {
        try Recording("healthy/web-code-flow").withEndpoints { address + $0 }
    }

    /// The callback refused and the token request changed.
    private func broken(_ edit: (inout Exchange) -> Void) throws -> Recording {
        try login(Self.module).editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
            if exchange.request.method == "POST", exchange.request.url.path == "/module.php" {
                edit(&exchange)
            }
        }
    }

    private static let kinds: [StepKind] = [
        .discovery, .authorizationRequest, .tokenRequest, .jwks, .userInfoRequest,
    ]

    @Test(arguments: [script, module])
    func loginIsReadAsAnyOther(address: String) throws {
        let recording = try login(address)
        let flow = try #require(recording.flows.first)
        let kinds = flow.steps.map(\.kind)
        #expect(Self.kinds.allSatisfy(kinds.contains), "\(kinds)")
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.isEmpty)
    }

    /// As frameworks of PHP and WordPress have it where the server does not rewrite addresses.
    @Test(arguments: [
        "index.php?route=.well-known/openid-configuration", "?rest_route=/.well-known/openid-configuration",
        "index.php?lang=en&route=%2F.well-known%2Foauth-authorization-server",
    ])
    func metadataBehindARouteAreRead(address: String) throws {
        let recording = try login(Self.module).editing { exchange in
            guard exchange.request.url.path.hasPrefix("/.well-known/") else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example/" + address)
        }
        let flow = try #require(recording.flows.first)
        let kinds = flow.steps.map(\.kind)
        // With names that are no convention, it is the metadata that tell what is what.
        #expect(Self.kinds.allSatisfy(kinds.contains), "\(kinds)")
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.isEmpty)
    }

    @Test(arguments: [
        "index.php?route=blog/.well-known", "search?q=.well-known/openid-configuration",
        // Of another server, through a script that fetches them.
        "?r=https://other.example/.well-known/openid-configuration",
        "?r=https%3A%2F%2Fother.example%2F.well-known%2Fopenid-configuration",
    ])
    func otherPagesAreNoMetadata(address: String) {
        #expect(!MessageRecognizer.isMetadata(RecordedURL("https://id.harbour.example/" + address)))
    }

    @Test func loginIsReadWithoutMetadata() throws {
        let recording = try login(Self.script).without {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        let kinds = try #require(recording.flows.first).steps.map(\.kind)
        #expect(Self.kinds.dropFirst().allSatisfy(kinds.contains), "\(kinds)")
    }

    /// A part of the provider's addresses was not made for one login.
    @Test func queryOfAnEndpointIsNoLink() throws {
        let recording = try Recording("healthy/web-code-flow").withEndpoints {
            "https://id.harbour.example/\($0)?p=B2C_1_signin_2"
        }
        let flow = try #require(recording.flows.first)
        #expect(!flow.links.contains { $0.name == "p" })
    }

    @Test func keySetThatCannotBeReadIsTold() throws {
        let recording = try login(Self.module).editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
            if exchange.request.url.query?.hasSuffix("a=jwks") == true {
                exchange.response = RecordedResponse(status: 404)
            }
        }
        #expect(recording.finding("jwks-unreachable")?.isPrimary == true)
    }

    @Test func keySetOfAnotherPolicyIsNotTheOneThatCannotBeRead() throws {
        var recording = try Recording("healthy/web-code-flow").withEndpoints {
            "https://id.harbour.example/\($0)?p=signin"
        }
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/jwks" })
        var other = recording.exchanges[index]
        other.request.url = RecordedURL("https://id.harbour.example/jwks?p=profile")
        other.startedAt = other.startedAt + .milliseconds(1)
        recording.exchanges[index].response = RecordedResponse(status: 404)
        recording.exchanges.insert(other, at: index + 1)
        let finding = try #require(recording.finding("jwks-unreachable"))
        #expect(finding.evidence[0].value == "https://id.harbour.example/jwks?p=signin")
    }

    @Test(arguments: [(400, "token-endpoint-error"), (200, "token-response-not-json")])
    func queryThatIsLeftOutOfTheTokenRequestIsTold(status: Int, rule: String) throws {
        let recording = try broken { exchange in
            exchange.request.url = RecordedURL("https://id.harbour.example/module.php?m=oidc")
            exchange.response = RecordedResponse(status: status, body: .html("<title>Harbour</title>Hello"))
        }
        let finding = try #require(recording.findings.first { $0.isPrimary })
        #expect(finding.rule == rule)
        #expect(finding.title == "The token request has not the query of the token endpoint")
        #expect(
            finding.evidence.suffix(2).map(\.value) == [
                "https://id.harbour.example/module.php?m=oidc", Self.module + "token",
            ]
        )
    }

    /// Of another policy no metadata may have been read.
    @Test(arguments: [400, 200]) func queryOfAnotherPolicyIsNoneThatIsLeftOut(status: Int) throws {
        let ofToken = try broken { exchange in
            exchange.request.url = RecordedURL(Self.module + "other")
            exchange.response = RecordedResponse(status: status, body: .html("<title>Harbour</title>Hello"))
        }
        #expect(ofToken.findings.contains { $0.isPrimary })
        var ofLogin = try login(Self.module)
        ofLogin.exchanges.removeSubrange(3...)
        let url = ofLogin.exchanges[2].request.url.text.replacing("a=authorize", with: "a=other")
        ofLogin.exchanges[1].response?.redirect(to: url)
        ofLogin.exchanges[2].request.url = RecordedURL(url)
        ofLogin.exchanges[2].response?.status = status
        ofLogin.exchanges[2].response?.body = .html("<title>Harbour</title>Hello")
        #expect(ofLogin.flows.count == 1)
        let findings = ofToken.findings + ofLogin.findings
        #expect(!findings.contains { $0.title.contains("has not the query") })
    }

    /// A page that asks for something is one of the sign-in, whatever its address.
    @Test(arguments: [
        ("<title>Harbour</title>Hello", true), ("<form method=post><input type=password></form>", false),
    ])
    func queryThatIsLeftOutOfTheLoginRequestIsTold(page: String, isTold: Bool) throws {
        let own = "m=oidc&a=authorize&"
        var recording = try login(Self.module)
        recording.exchanges.removeSubrange(3...)
        let asked = recording.exchanges[2].request.url.text.split(
            separator: own,
            omittingEmptySubsequences: false
        )
        #expect(asked.count == 2)
        let url = asked.joined()
        recording.exchanges[1].response?.redirect(to: url)
        recording.exchanges[2].request.url = RecordedURL(url)
        recording.exchanges[2].response?.body = .html(page)
        let finding = recording.finding("authorization-error")
        #expect((finding != nil) == isTold)
        guard isTold else { return }
        #expect(finding?.title == "The login request has not the query of the authorization endpoint")
        #expect(finding?.evidence.last?.value == Self.module + "authorize")
        #expect(finding?.isPrimary == true)
    }

    @Test func authorizationEndpointOfTheSamePathIsKnownFromTheTokenEndpoint() throws {
        let atStart = try broken { exchange in
            exchange.request.url = RecordedURL(Self.module + "authorize")
            exchange.response = RecordedResponse(status: 400, body: .html("<title>Sign in</title>"))
        }
        let title = "The token request went to the authorization endpoint"
        #expect(atStart.finding("token-endpoint-error")?.title == title)
        let right = try broken {
            $0.response = RecordedResponse(status: 400, body: .html("<title>Oh</title>"))
        }
        for recording in [right, right.without { $0.request.url.path.hasSuffix("openid-configuration") }] {
            let finding = try #require(recording.finding("token-endpoint-error"))
            #expect(finding.title != title && finding.isPrimary)
        }
    }

    /// What the metadata of one policy say is not said of another, whichever was read last.
    @Test(arguments: [false, true])
    func metadataOfPoliciesAreKeptApart(isLast: Bool) throws {
        func login(_ policy: String) throws -> Recording {
            try Recording("healthy/web-code-flow").withEndpoints {
                "https://id.harbour.example/\($0)?p=\(policy)"
            }
        }
        var recording = try login("signin")
        var other = try login("profile").exchanges[0]
        other.request.url = RecordedURL(other.request.url.text + "?p=profile")
        let text = try #require(other.response?.body?.text)
        other.response?.body = Body.json(
            text.split(separator: #""client_secret_post""#, omittingEmptySubsequences: false)
                .joined(separator: #""private_key_jwt""#)
        )
        other.startedAt = other.startedAt + .milliseconds(isLast ? 1 : -1)
        recording.exchanges.insert(other, at: isLast ? 1 : 0)
        let flow = try #require(recording.flows.first)
        let request = try #require(flow.authorizationRequests.first)
        let documents = flow.messages.compactMap { message -> MetadataDocument? in
            if case .discovery(let document) = message { document } else { nil }
        }
        #expect(documents.count == 2)
        #expect(documents.filter { $0.names(request.endpoint, as: "authorization_endpoint") }.count == 1)
        let refused = recording.answering("/token", 401, ["error": "invalid_client"])
        #expect(refused.finding("client-auth-method-unsupported") == nil)
    }
}
