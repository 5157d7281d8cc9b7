import Captures
import Replay
import TestSupport
import Testing

/// Headers of a replay whose recorded bytes are no UTF-8.
struct SentHeaderTests {
    @Test func headersThatTheReplayWritesAnewKeepTheirBytes() async throws {
        var builder = CaptureBuilder()
        builder.post(
            "https://id.example/token",
            [("grant_type", "client_credentials"), ("client_id", "svc-1"), ("client_secret", "s-Kq2vLx7T")],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let names = ["Referer", "Authorization", "X-Other"]
        let capture = Capture(
            (0..<builder.capture.count).map { index in
                var exchange = builder.capture[index]
                exchange.request.headers.fields += names.map {
                    HeaderFields.Field(name: $0, value: "Other é", isLatin1: true)
                }
                return exchange
            }
        )
        let replay = try await AskedReplay(of: capture) { _, _ in
            RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8","token_type":"Bearer"}"#))
        }
        let fields = try #require(replay.asked.first).headers.fields
        for name in names {
            #expect(fields.first { $0.name == name }?.isLatin1 == true, "\(name)")
        }
    }

    /// RFC 6749, section 2.3.1, wants Basic credentials encoded: a client that sends its secret as it is does so again.
    @Test(arguments: [("a%2Bb+c4BFoYuUHiWYKS4L", "r%20e+kfUABnBj3TH1e1VniN")])
    func secretThatIsNotEncodedIsSentAsItIs(recorded: String, live: String) async throws {
        func client(_ id: String, _ secret: String) -> Body {
            .json(#"{"client_id":"\#(id)","client_secret":"\#(secret)","redirect_uris":[]}"#)
        }
        let (old, new) = ("c-7Hq2vLx7TzB4nWm8RdYc9Kq2", "c-9Xr4LmPq8KtZc3WnVb6Yd1Gs5")
        var builder = CaptureBuilder()
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(
                    method: "POST",
                    url: RecordedURL("https://id.example/register"),
                    body: .json(#"{"client_name":"jobs","grant_types":["client_credentials"]}"#)
                ),
                response: RecordedResponse(status: 201, body: client(old, recorded))
            )
        )
        builder.post(
            "https://id.example/token",
            [("grant_type", "client_credentials")],
            headers: [("Authorization", basic("\(old):\(recorded)"))],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let registered = client(new, live)
        let replay = try await AskedReplay(of: builder.capture) { request, _ in
            request.url.path == "/register"
                ? RecordedResponse(status: 201, body: registered)
                : RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8","token_type":"Bearer"}"#)
                )
        }
        let asked = try #require(replay.asked.last { $0.url.path == "/token" })
        #expect(asked.headers.first("authorization") == basic("\(new):\(live)"))
    }

    /// Base64 is a usual alphabet of secrets: no form encoder leaves its slash and its padding.
    ///
    /// Where the recorded one shows nothing, a provider that decodes (RFC 6749, section 2.3.1) is not to read another one.
    @Test(arguments: [
        ("c4BFoYuU+HiWYKS4L/", "n3w+s3cr3t/==", "n3w+s3cr3t/=="),
        ("c4BFoYuU%2BHiWYKS4L%2F", "n3w+s3cr3t/==", "n3w%2Bs3cr3t%2F%3D%3D"),
        ("c4BFoYuUHiWYKS4L", "n3ws3cr3t/==", "n3ws3cr3t/=="),
        ("c4BFoYuUHiWYKS4L", "n3w+s3cr3t/==", "n3w%2Bs3cr3t%2F%3D%3D"),
        ("c4BFoYuUHiWYKS4L", "n3w%41", "n3w%2541"), ("c4BFoYuUHiWYKS4L", "n3w%zz", "n3w%25zz"),
        ("c4BFoYuU/HiWYKS4L", "n3w+s3cr3t", "n3w+s3cr3t"),
    ])
    func givenSecretIsSpelledAsTheRecordedOneWas(recorded: String, given: String, sent: String) async throws {
        #expect(try await credentials(sentFor: "svc-1:\(recorded)", given) == [basic("svc-1:\(sent)")])
    }

    /// As the client spelled it, though its secret shows that it encodes nothing.
    @Test func idBesideAGivenSecretStaysAsItWasSent() async throws {
        #expect(try await credentials(sentFor: "svc+1:c4BF/oYuU", "n3w/==") == [basic("svc+1:n3w/==")])
    }

    private func basic(_ pair: String) -> String { "Basic " + Base64.encode(Array(pair.utf8)) }

    /// What stands in `Authorization` in the replay of a request that had a pair of credentials there, with another secret.
    private func credentials(sentFor recorded: String, _ secret: String) async throws -> [String?] {
        var builder = CaptureBuilder()
        builder.post(
            "https://id.example/token",
            [("grant_type", "client_credentials")],
            headers: [("Authorization", basic(recorded))],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        var options = FlowDriver.Options()
        options.credentials.values["client_secret"] = secret
        let replay = try await AskedReplay(of: builder.capture, options: options) { _, _ in
            RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8","token_type":"Bearer"}"#))
        }
        return replay.asked.map { $0.headers.first("authorization") }
    }

    /// A login whose page has an address, and whose browser has a cookie, of bytes that are no UTF-8.
    private enum LatinLogin {
        static let address = "https://id.example/login?hint=é"
        static let asking =
            "https://id.example/authorize?client_id=shop&response_type=code&state=s-Kq2vLx7TzB4nWm8R"
            + "&redirect_uri=https%3A%2F%2Fshop.example%2Fcb"
        static let redirect = RecordedResponse(
            status: 302,
            headers: HeaderFields([
                HeaderFields.Field(name: "Location", value: "/login?hint=é", isLatin1: true),
                HeaderFields.Field(name: "Set-Cookie", value: "note=é; Path=/", isLatin1: true),
            ])
        )
        static let page = RecordedResponse(
            status: 200,
            body: .html("<form method=post><input name=username><input type=password name=password></form>")
        )
        static let tokens = RecordedResponse(
            status: 200,
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )

        /// Where the login ends that a request began.
        static func end(of request: RecordedRequest) -> RecordedResponse {
            AskedReplay.back(to: "https://shop.example/cb", code: "c-Kq2vLx7TzB4nWm8R", answering: request)
        }

        static var capture: Capture {
            var builder = CaptureBuilder()
            builder.add(exchange("GET", asking, redirect))
            builder.add(exchange("GET", address, page))
            let end = end(of: RecordedRequest(method: "GET", url: RecordedURL(asking)))
            let form = [("username", "alice"), ("password", "wonderland")]
            builder.add(exchange("POST", address, end, form: form))
            builder.post(
                "https://id.example/token",
                [
                    ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"),
                    ("client_id", "shop"), ("client_secret", "s3cr-et99"),
                    ("redirect_uri", "https://shop.example/cb"),
                ],
                body: tokens.body
            )
            return builder.capture
        }

        private static func exchange(
            _ method: String,
            _ url: String,
            _ response: RecordedResponse,
            form: [(String, String)]? = nil
        ) -> Exchange {
            var request = RecordedRequest(method: method, url: RecordedURL(url))
            request.isURLLatin1 = url == address
            request.headers.append("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1")
            if request.isURLLatin1 {
                request.headers.fields.append(.init(name: "Cookie", value: "note=é", isLatin1: true))
                request.headers.fields.append(.init(name: "Referer", value: address, isLatin1: true))
            }
            if let form {
                request.headers.append("Content-Type", FormBody.mediaType)
                request.body = Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
            }
            return Exchange(startedAt: Timestamp(seconds: 0), request: request, response: response)
        }
    }

    /// Of what a provider sets and where it leads to the browser sends the bytes that came, on a page of that address as well.
    @Test func cookiesAndRedirectsKeepTheirBytes() async throws {
        let replay = try await AskedReplay(of: LatinLogin.capture) { request, first in
            if request.url.path == "/token" { return LatinLogin.tokens }
            guard request.url.path == "/login" else { return LatinLogin.redirect }
            return request.method == "GET" ? LatinLogin.page : LatinLogin.end(of: first)
        }
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        let sent = replay.asked.filter { $0.url.path == "/login" }
        #expect(sent.map(\.method) == ["GET", "POST"])
        for request in sent {
            #expect(request.url.text == LatinLogin.address && request.isURLLatin1)
            let cookies = request.headers.fields.filter { $0.name == "Cookie" }
            #expect(cookies.map(\.sentValue.bytes) == [Array("note=".utf8) + [0xe9]])
        }
        let referer = sent.last?.headers.fields.first { $0.name == "Referer" }
        #expect(referer?.sentValue == SentText(LatinLogin.address, isLatin1: true))
    }
}
