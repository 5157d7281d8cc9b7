import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// Several issuers, and issuers of several hosts, on one port.
struct PlayedIssuersTests {
    private let base = RecordedProviderTests.base

    @Test func issuerOfManyHostsIsOneOrigin() throws {
        let capture = try RecordedProviderTests.capture("captures/providers/google.har")
        let provider = try RecordedProviderTests.provider(capture)
        #expect(provider.issuers.map(\.identifier) == [base])
        let metadata = Caller(provider).json(Caller(provider).get(provider.issuers[0].discovery))
        #expect(metadata["authorization_endpoint"]?.string == base + "/o/oauth2/v2/auth")
        #expect(metadata["token_endpoint"]?.string == base + "/oauth2.googleapis.com/token")
        #expect(metadata["jwks_uri"]?.string == base + "/www.googleapis.com/oauth2/v3/certs")
        #expect(Caller(provider).get(base + "/www.googleapis.com/oauth2/v3/certs").status == 200)
    }

    @Test func capturesAreIssuersOfTheirOwn() throws {
        let captures = try ["wso2", "forgerock", "curity"].map {
            try RecordedProviderTests.capture("captures/providers/\($0).har")
        }
        let provider = try RecordedProvider(captures: captures, baseURL: base)
        #expect(provider.issuers.count == 3 && Set(provider.issuers.map(\.identifier)).count == 3)
        let caller = Caller(provider)
        var kids: Set<String> = []
        for issuer in provider.issuers {
            let metadata = caller.json(caller.get(issuer.discovery))
            #expect(metadata["issuer"]?.string == issuer.identifier)
            let keys = caller.json(caller.get(metadata["jwks_uri"]?.string ?? ""))["keys"]?.array ?? []
            kids.formUnion(keys.compactMap { $0["n"]?.string ?? $0["x"]?.string })
        }
        // Nobody signs for another one.
        #expect(kids.count == 3)
        for capture in captures {
            for flow in FlowFinder.flows(in: capture) where flow.ending == .success {
                let key = try #require(RecordedProviderTests.elliptic)
                var walk = RecordedWalk(flow, at: provider, key: key)
                walk.run()
                #expect(
                    walk.pairs.count > 3 && walk.pairs.allSatisfy { $0.recorded.status == $0.played.status }
                )
            }
        }
    }

    @Test func sameIssuerInTwoCapturesIsOne() throws {
        let captures = try ["web-code-flow", "native-app"].map {
            try RecordedProviderTests.capture("captures/healthy/\($0).har")
        }
        let provider = try RecordedProvider(captures: captures, baseURL: base)
        #expect(provider.issuers.count == 1)
        #expect(provider.issuers[0].clients.map(\.id).sorted() == ["shop-app", "shop-web"])
        #expect(provider.issuers[0].users.map(\.name) == ["alice"])
    }

    /// RFC 6749, sections 3.1 and 3.2.
    @Test(arguments: [
        "/.well-known/openid-configuration", "/index.php?route=.well-known/openid-configuration",
    ])
    func endpointsOfOnePathArePlayedByTheirQuery(address: String) throws {
        let script = "/index.php?route=oauth/"
        let names = ["authorize": "authorization_endpoint", "token": "token_endpoint", "jwks": "jwks_uri"]
        let endpoints = names.map { name, member in ",\"\(member)\":\"https://shop.example\(script)\(name)\""
        }
        var builder = CaptureBuilder()
        builder.get(
            "https://shop.example" + address,
            body: .json(#"{"issuer":"https://shop.example"\#(endpoints.joined())}"#)
        )
        let provider = try RecordedProvider(capture: builder.capture, baseURL: base)
        let caller = Caller(provider)
        let asked = caller.json(caller.get(base + address))
        #expect(asked["token_endpoint"]?.string == base + script + "token")
        let metadata = caller.json(caller.get(provider.issuers[0].discovery))
        #expect(metadata["token_endpoint"]?.string == base + script + "token")
        #expect(caller.json(caller.get(base + script + "jwks"))["keys"]?.array != nil)
        let refused = caller.post(base + script + "token", [("grant_type", "authorization_code")])
        #expect(caller.json(refused)["error"]?.string != nil)
        #expect(caller.get(base + "/index.php?route=common/home").status == 404)
    }

    /// Policies of Azure AD B2C.
    @Test func metadataThatDifferByAQueryArePlayedByIt() throws {
        var builder = CaptureBuilder()
        for policy in ["in", "up"] {
            let token = "https://t.example/t/oauth2/token?p=\(policy)"
            builder.get(
                "https://t.example/t/v2.0/.well-known/openid-configuration?p=\(policy)",
                body: .json(#"{"issuer":"https://t.example/1/v2.0/","token_endpoint":"\#(token)"}"#)
            )
        }
        let provider = try RecordedProvider(capture: builder.capture, baseURL: base)
        #expect(provider.issuers.count == 1)
        let caller = Caller(provider)
        for policy in ["in", "up"] {
            for path in [
                "/t/v2.0/.well-known/openid-configuration", "/1/v2.0/.well-known/openid-configuration",
            ] {
                let metadata = caller.json(caller.get(base + path, [("x", "1"), ("p", policy)]))
                #expect(metadata["token_endpoint"]?.string == base + "/t/oauth2/token?p=\(policy)")
                #expect(metadata["issuer"]?.string == base + "/1/v2.0/")
            }
            let refused = caller.post(base + "/t/oauth2/token?p=\(policy)", [("grant_type", "a")])
            #expect(caller.json(refused)["error"]?.string != nil)
        }
    }

    /// Logins at a provider each of whose policies has endpoints of its own; `POLICY` in the template stands for its name.
    private struct PolicyLogins {
        private static let host = "https://t.example"
        private static let secret = "a secret of the client, long enough"
        let template: String

        func address(_ name: String, _ policy: String) -> String {
            let parts = template.replacing("POLICY", with: policy).split(separator: "?")
            return parts[0] + name + (parts.count > 1 ? "?\(parts[1])" : "")
        }

        func discovery(_ policy: String) -> String { address(".well-known/openid-configuration", policy) }

        func asked(_ policy: String) -> String {
            let url = address("authorize", policy)
            let query = [
                ("client_id", "shop"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", "https://shop.example/cb"), ("state", "state-of-\(policy)-0123"),
            ]
            return url + (url.contains("?") ? "&" : "?") + FormBody.encode(query)
        }

        func form(_ code: String) -> [(String, String)] {
            [
                ("grant_type", "authorization_code"), ("code", code),
                ("redirect_uri", "https://shop.example/cb"), ("client_id", "shop"),
                ("client_secret", Self.secret),
            ]
        }

        /// A login by a policy, whose name is in the ID token, behind its metadata.
        func record(_ policy: String, in builder: inout CaptureBuilder) throws {
            let endpoints = """
                "authorization_endpoint":"\(Self.host)\(address("authorize", policy))",\
                "token_endpoint":"\(Self.host)\(address("token", policy))"
                """
            builder.get(
                Self.host + discovery(policy),
                body: .json(#"{"issuer":"https://t.example/1/v2.0/",\#(endpoints)}"#)
            )
            let code = "code-of-\(policy)-0123456789"
            let callback = "https://shop.example/cb?code=\(code)&state=state-of-\(policy)-0123"
            builder.redirect(Self.host + asked(policy), to: callback)
            builder.get(callback)
            let token = try JSONWebToken.sign(
                claims: [
                    "iss": "https://t.example/1/v2.0/", "aud": "shop", "sub": "u-77k",
                    "tfp": .string(policy),
                ],
                header: JSONObject(),
                algorithm: .hs256,
                with: .secret(Array(Self.secret.utf8))
            )
            builder.post(
                Self.host + address("token", policy),
                form(code),
                body: .json(
                    #"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer","id_token":"\#(token)"}"#
                )
            )
        }
    }

    /// A policy of Azure AD B2C is in the path, or in the query, and each has tokens and metadata of its own.
    @Test(arguments: ["/t/POLICY/oauth2/v2.0/", "/t/oauth2/v2.0/?p=POLICY"])
    func loginsAtEndpointsOfTheirOwnHaveTheirTokens(template: String) throws {
        let logins = PolicyLogins(template: template)
        var builder = CaptureBuilder()
        for policy in ["sign_in", "edit"] { try logins.record(policy, in: &builder) }
        let caller = Caller(try RecordedProvider(capture: builder.capture, baseURL: base))
        for policy in ["edit", "sign_in"] {
            let endpoint = base + logins.address("token", policy)
            let metadata = caller.json(caller.get(base + logins.discovery(policy)))
            #expect(metadata["token_endpoint"]?.string == endpoint)
            let code = caller.get(base + logins.asked(policy)).parameters.first("code") ?? ""
            let tokens = caller.json(caller.post(endpoint, logins.form(code)))
            let token = tokens["id_token"]?.string.flatMap { JSONWebToken.parse($0) }
            #expect(token?.claim("tfp")?.string == policy, "\(tokens)")
        }
    }

    @Test func portIsPartOfTheFolder() throws {
        var builder = CaptureBuilder()
        builder.get(
            "https://one.example/.well-known/openid-configuration",
            body: .json(
                #"{"issuer":"https://one.example","authorization_endpoint":"https://one.example/a","token_endpoint":"https://two.example:9443/t"}"#
            )
        )
        let provider = try RecordedProvider(capture: builder.capture, baseURL: base)
        let metadata = Caller(provider).json(Caller(provider).get(provider.issuers[0].discovery))
        #expect(metadata["token_endpoint"]?.string == base + "/two.example-9443/t")
    }

    /// What a client asks with for a user elsewhere, the name of the request aside (OpenID Connect CIBA, section 7.1).
    private static let askedElsewhere = [
        ("client_id", "till"), ("scope", "openid"), ("login_hint", "+49 555 0100"),
    ]

    /// How it polls then (section 10.1).
    private static func poll(_ name: String) -> [(String, String)] {
        [("grant_type", GrantType.ciba), ("client_id", "till"), ("auth_req_id", name)]
    }

    /// Such a login under a name, whose user lets it wait for two polls.
    private static func loginElsewhere(_ name: String) throws -> Capture {
        var builder = CaptureBuilder()
        builder.post(
            "https://id.example/ciba",
            askedElsewhere + [("client_notification_token", "8d67dc78-7faa-4d41")],
            body: .json(#"{"auth_req_id":"\#(name)","expires_in":300,"interval":2}"#)
        )
        let token = "https://id.example/token"
        for _ in 0..<2 {
            builder.post(token, poll(name), 400, body: .json(#"{"error":"authorization_pending"}"#))
        }
        let idToken = try JSONWebToken.sign(
            claims: ["iss": "https://id.example", "aud": "till", "sub": "u-77k"],
            header: JSONObject(),
            algorithm: .es256,
            with: .privateKey(try #require(RecordedProviderTests.elliptic))
        )
        builder.post(
            token,
            poll(name),
            body: .json(
                #"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer","id_token":"\#(idToken)"}"#
            )
        )
        return builder.capture
    }

    /// OpenID Connect CIBA, sections 7 and 10.1: recorded, played, and driven at what plays it.
    @Test func requestForAUserElsewhereIsPlayed() throws {
        let name = "1c266114-a1be-4252-8ad1-04986c5b9ac1"
        let provider = try RecordedProvider(capture: Self.loginElsewhere(name), baseURL: base)
        #expect(provider.issuers[0].remarks.contains { $0.contains("nobody is told") })
        let caller = Caller(provider)
        let metadata = caller.json(caller.get(provider.issuers[0].discovery))
        #expect(metadata["backchannel_authentication_endpoint"]?.string == base + "/ciba")
        let started = caller.json(caller.post(base + "/ciba", Self.askedElsewhere))
        let issued = try #require(started["auth_req_id"]?.string)
        #expect(issued != name && issued.utf8.count == name.utf8.count)
        #expect(started["expires_in"]?.int == 300 && started["interval"]?.int == 2)
        func poll() -> JSONValue {
            caller.json(caller.post(base + "/token", Self.poll(issued)))
        }
        #expect(poll()["error"] == "authorization_pending")
        #expect(poll()["error"] == "authorization_pending")
        let played = poll()["id_token"]?.string.flatMap { JSONWebToken.parse($0) }
        #expect(played?.subject == "u-77k")
        let stranger = caller.post(base + "/ciba", [("client_id", "till"), ("login_hint", "mallory")])
        #expect(caller.json(stranger)["error"] == "unknown_user_id")
    }
}
