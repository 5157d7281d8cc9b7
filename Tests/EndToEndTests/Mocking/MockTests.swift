import Captures
import Foundation
import JSON
import Proxy
import TestSupport
import Testing

/// `authreel mock` as a program: what it says, what it refuses, and what it leaves.
@Suite(.timeLimit(.minutes(3)))
struct MockTests {
    private static let capture = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path

    private static let query =
        "response_type=code&client_id=shop-web&redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback&scope=openid%20profile"
        + "&state=of-this-run&nonce=of-this-run-too"

    /// Status, `Location` and body of an answer; redirects are not followed.
    private static func curl(_ arguments: [String]) throws -> (status: String, location: String, body: String)
    {
        let result = try Program.run(
            ["-sS", "--noproxy", "*", "--max-time", "20", "-w", "\n%{http_code} %{redirect_url}"] + arguments,
            executable: "/usr/bin/curl"
        )
        try #require(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let words = (lines.last ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        return (words.first ?? "", words.dropFirst().first ?? "", lines.dropLast().joined(separator: "\n"))
    }

    // MARK: - Serving

    @Test func playsARecordedLoginFromEndToEnd() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let out = folder.file("played.har")
        let mock = try MockProcess([Self.capture, "--auto-login", "--out", out], in: folder)
        #expect(mock.ready["discovery"]?.string == mock.issuer + "/.well-known/openid-configuration")
        #expect(mock.ready["recorded"] == "https://id.harbour.example")
        #expect(mock.ready["clients"]?.array?.compactMap { $0["client_id"]?.string } == ["shop-web"])
        #expect(mock.ready["users"]?.array?.compactMap { $0["name"]?.string } == ["alice"])

        let metadata = try JSONParser.parse(try Self.curl([mock.ready["discovery"]?.string ?? ""]).body.utf8)
        let authorize = try #require(metadata["authorization_endpoint"]?.string)
        let answer = try Self.curl([authorize + "?" + Self.query])
        #expect(
            answer.status == "302" && answer.location.hasPrefix("https://www.shop.example/callback?code=")
        )
        let code = answer.location.split(separator: "=")[1].prefix { $0 != "&" }
        let form =
            "grant_type=authorization_code&code=\(code)&redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback"
            + "&client_id=shop-web&client_secret=not-a-secret-of-anyone"
        let token = metadata["token_endpoint"]?.string ?? ""
        let granted = try Self.curl(["-d", form, token])
        #expect(granted.status == "200")
        #expect(try Self.curl(["-d", form, token]).status == "400")
        #expect(mock.end() == 0)

        // Every OAuth message is told of, with what was refused.
        #expect(mock.messages.contains("plays https://id.harbour.example"))
        #expect(mock.messages.contains("authorization_request"))
        #expect(mock.messages.contains("invalid_grant: the code was used before"))
        // Its half is a capture.
        let shown = try Program.run(["show", "--format", "json", out])
        let flow = try JSONParser.parse(shown.output.utf8)["flows"]?.array?.first
        #expect(flow?["issuer"]?.string == mock.issuer)
        let kinds = flow?["steps"]?.array?.compactMap { $0["kind"]?.string } ?? []
        #expect(kinds.filter { $0 == "token_request" }.count == 2)
    }

    /// What a provider said that was not so it says again, and what it signed is signed.
    @Test(arguments: ["id-token/id-token-nonce-mismatch", "authorization-response/state-mismatch"])
    func recordedFaultIsThereAgain(path: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let broken = Fixtures.root.appending(path: "captures/\(path).har").path
        let mock = try MockProcess([broken, "--as-recorded"], in: folder)
        let rule = path.split(separator: "/")[1]
        #expect(mock.messages.contains("as recorded \(rule): "), "\(mock.messages)")
        let again = try Program.run(["replay", "--against", mock.issuer, "--format", "json", broken])
        let replays = try JSONParser.parse(again.output.utf8)["replays"]?.array
        #expect(replays?.first?["headline"]?.string == "the same failure: \(rule)", "\(again.output)")
        #expect(mock.end() == 0)
    }

    @Test func tlsIsOfTheRecordersAuthority() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mock = try MockProcess([Self.capture, "--tls"], in: folder)
        #expect(mock.issuer.hasPrefix("https://127.0.0.1:"))
        let trusted = try Program.run(["ca", "path", "--ca-dir", folder.file("ca")]).output
        let authority = trusted.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(mock.ready["certificate"]?.string == authority)
        #expect(
            mock.messages.contains("  certificate \(authority) is what clients have to trust\n"),
            "\(mock.messages)"
        )
        #expect(mock.messages.contains(" record --upstream-ca \(authority) … trusts it, too\n"))
        let discovery = mock.ready["discovery"]?.string ?? ""
        #expect(try Self.curl(["--cacert", authority, discovery]).status == "200")
        // Who leaves out the s is told.
        let plain = try Self.curl([discovery.replacing("https://", with: "http://", maxReplacements: 1)])
        #expect(plain.status == "400" && plain.body.contains("https"))
        #expect(mock.end(by: SIGINT) == 0)
    }

    @Test func withoutACaptureItIsAProviderForDevelopment() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mock = try MockProcess(
            [
                "--client", "my-app:my-secret", "--redirect-uri", "http://localhost:3000/callback", "--user",
                "bob:builder",
                "--auto-login",
            ],
            in: folder
        )
        #expect(mock.ready["users"]?.array?.compactMap { $0["name"]?.string } == ["bob"])
        func ask(_ client: String, _ uri: String) throws -> (status: String, location: String, body: String) {
            try Self.curl([
                "-G", mock.issuer + "/authorize", "-d", "response_type=code", "-d", "client_id=\(client)",
                "--data-urlencode",
                "redirect_uri=\(uri)",
            ])
        }
        let answer = try ask("my-app", "http://localhost:3000/callback")
        #expect(answer.location.hasPrefix("http://localhost:3000/callback?code="))
        #expect(try ask("my-app", "http://localhost:3000/other").status == "400")
        #expect(try ask("another", "http://localhost:3000/callback").status == "400")
        // After a logout, to where the app is.
        for (target, status) in [("http://localhost:3000/bye", "302"), ("http://localhost:3001/", "400")] {
            let logout = try Self.curl([
                "-G", mock.issuer + "/logout", "-d", "client_id=my-app", "-d",
                "post_logout_redirect_uri=\(target)",
            ])
            #expect(logout.status == status, "\(target)")
        }
        #expect(mock.end() == 0)
    }

    /// At a name below `localhost`, too, which no resolver has to know.
    @Test func clientOnThisMachineIsToldOfALogout() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (told, telling) = AsyncStream.makeStream(of: RecordedRequest.self)
        let client = try await LocalServer.start { request in
            telling.yield(request)
            return RecordedResponse(status: 200)
        }
        let address = "http://app.localhost:\(client.port)/out?a=1"
        let mock = try MockProcess(["--auto-login", "--backchannel-logout-uri", address], in: folder)
        let query = [
            ("response_type", "id_token"), ("response_mode", "form_post"), ("client_id", "shop"),
            ("redirect_uri", "http://localhost:3000/callback"), ("scope", "openid"), ("nonce", "of-this-run"),
        ]
        let page = try Self.curl([mock.issuer + "/authorize?" + FormBody.encode(query)]).body
        let token = try #require(HTMLForm.all(in: page).first?.fields.first { $0.name == "id_token" }?.value)
        #expect(try Self.curl([mock.issuer + "/logout?id_token_hint=" + token]).status == "200")
        var requests = told.makeAsyncIterator()
        let request = try #require(await requests.next())
        #expect(request.method == "POST" && request.url.pathAndQuery == "/out?a=1")
        #expect(request.headers.first("host") == "app.localhost:\(client.port)")
        #expect(FormBody.items(of: request.body)?.contains("logout_token") == true)
        #expect(mock.end() == 0)
        await client.stop()
    }

    /// Scripts wait for the port, not for what is said.
    @Test func whoeverComesAsSoonAsThePortIsOpenIsAnswered() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script = #"""
            port=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])')
            "$1" mock --listen 127.0.0.1:$port --ca-dir "$2" >/dev/null 2>&1 & mock=$!
            trap 'kill $mock; wait $mock' EXIT
            until exec 3<>/dev/tcp/127.0.0.1/$port; do kill -0 $mock || exit 1; done 2>/dev/null
            printf 'GET /.well-known/openid-configuration HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' $port >&3
            head -n 1 <&3
            """#
        let result = try Program.run(
            ["-c", script, "bash", Program.path, folder.file("ca")],
            executable: "/bin/bash"
        )
        #expect(result.output.hasPrefix("HTTP/1.1 200"), "\(result.output) \(result.errors)")
    }

    @Test func severalCapturesAreSeveralIssuers() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let paths = ["curity", "wso2"].map {
            Fixtures.root.appending(path: "captures/providers/\($0).har").path
        }
        let mock = try MockProcess(paths, in: folder)
        let issuers = mock.ready["issuers"]?.array ?? []
        #expect(issuers.count == 2 && mock.ready["version"] == 1)
        for issuer in issuers {
            let metadata = try Self.curl([issuer["discovery"]?.string ?? ""])
            #expect(try JSONParser.parse(metadata.body.utf8)["issuer"] == issuer["issuer"])
        }
        #expect(mock.end() == 0)
    }

    /// A page of a stranger that has its name lead to this machine (DNS rebinding).
    @Test func whoAsksUnderAStrangersNameIsToldNothing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mock = try MockProcess([Self.capture], in: folder)
        let discovery = mock.ready["discovery"]?.string ?? ""
        let rebound = try Self.curl(["-H", "Host: rebound.example.com", discovery])
        #expect(rebound.status == "421" && rebound.body.contains("--issuer http://rebound.example.com"))
        #expect(try Self.curl(["-H", "Host: host.docker.internal:8090", discovery]).status == "200")
        #expect(mock.end() == 0)
    }

    @Test func takenPortIsRefusedWhereItIsAskedFor() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let first = try MockProcess([Self.capture], in: folder)
        let port = first.ready["listening"]?.string?.split(separator: ":").last ?? ""
        let out = folder.file("taken.har")
        let taken = try Program.run(["mock", Self.capture, "--listen", "127.0.0.1:\(port)", "--out", out])
        #expect(taken.status == 69 && taken.errors.contains("hint: choose another port"))
        #expect(!FileManager.default.fileExists(atPath: out))
        let stranger = try Program.run(
            ["mock", Self.capture, "--listen", "127.0.0.1:0", "--auto-login=nobody", "--out", out]
        )
        #expect(stranger.status == 64 && stranger.errors.contains("there is no user nobody"))
        #expect(!FileManager.default.fileExists(atPath: out), "it has not played anybody")
        #expect(first.end() == 0)
    }

    // MARK: - Refusing

    @Test(
        arguments: [
            (
                ["--issuer", "https://idp.test/a/.well-known/openid-configuration"], 64,
                "mock --issuer https://idp.test/a\n"
            ),
            (["--listen", "0.0.0.0:0"], 64, "no loopback address"),
            (["--listen", "nowhere"], 64, "HOST:PORT"),
            (["--issuer", "idp.test"], 64, "--issuer takes"),
            (["--client", ":secret"], 64, "--client takes"),
            (["--user", "bob"], 64, "--user takes"), (["--as-recorded"], 64, "needs a capture"),
            (
                ["--auto-login", "captures/healthy/refresh.har"], 64,
                "there is no user captures/healthy/refresh.har"
            ),
            (
                ["--auto-login", "captures/healthy/refresh.har"], 64,
                "mock captures/healthy/refresh.har --auto-login\n"
            ),
            (["captures/discovery/resource-metadata-missing.har"], 65, "no exchange with a provider"),
            (["no-such-file.har"], 66, "no such file"), (["README.md"], 65, "README.md"),
            (
                ["captures/healthy/refresh.har", "--out", "captures/healthy/../healthy/refresh.har"], 64,
                "refresh.har is what is played"
            ),
        ] as [([String], Int32, String)]
    )
    func whatCannotBeIsRefused(arguments: [String], status: Int32, words: String) throws {
        let result = try Program.run(["mock"] + arguments, in: Fixtures.root.path)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(words) && result.output.isEmpty, "\(result.errors)")
    }

    @Test func capturesOfOthersAreNotWrittenInto() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let own = folder.file("other.har")
        try Data(#"{"log":{"version":"1.2","creator":{"name":"Browser","version":"1"},"entries":[]}}"#.utf8)
            .write(to: URL(filePath: own))
        let result = try Program.run(["mock", "--out", own])
        #expect(result.status == 66)
    }
}
