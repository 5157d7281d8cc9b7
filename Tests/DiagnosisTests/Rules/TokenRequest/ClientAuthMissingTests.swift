import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ClientAuthMissingTests {
    let rule = "client-auth-missing"
    let broken = "token-request/client-auth-missing"

    /// What stands in the place of a name may be a secret that was sent by itself.
    @Test(arguments: [
        ("shop[order]", "shop[order]"), ("x-a.b_$c", "x-a.b_$c"), ("Zt8sDq0vN2mK7x", "Zt8s…(14)"),
        ("na~me", "…(5)"),
    ])
    func masksWhatIsNoNameOfAParameter(name: String, shown: String) throws {
        let finding = try #require(Recording(broken).sending(name, "v").finding(rule))
        #expect(finding.evidence[0].note?.hasSuffix(", client_id, \(shown)") == true)
    }

    @Test func namesWhatWasSentAndTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 request.body client_secret", "4 response.body error"])
        #expect(finding.evidence[0].note == "sent: grant_type, code, redirect_uri, code_verifier, client_id")
        #expect(try Recording(broken).finding("token-invalid-client")?.effectOf == rule)
    }

    @Test func leavesAClientThatDoesNotExistAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// The header field may be one that is not in the capture.
    @Test func leavesARequestAloneOfWhichFieldsAreNotKnown() throws {
        let recording = try Recording(broken).editing { $0.unknownFields.request = 1 }
        #expect(recording.finding(rule) == nil && recording.abstention(rule) != nil)
    }

    @Test func takesAnEmptyAssertionForNone() throws {
        let recording = try Recording(broken).sending("client_assertion", "")
        #expect(recording.finding(rule)?.isPrimary == true)
        let basic = recording.sendingHeader("Authorization", "Basic c2hvcC13ZWI6c2VjcmV0", to: "/token")
        #expect(basic.finding(rule) == nil && basic.finding("client-auth-duplicate") == nil)
    }

    @Test func takesAnEmptySecretForNone() throws {
        let finding = try #require(Recording(broken).sending("client_secret", "").finding(rule))
        #expect(finding.evidence[0].value == "empty")
        #expect(finding.fix.contains("leave client_secret out"))
        #expect(try Recording(broken).finding(rule)?.fix.contains("leave client_secret out") == false)
    }

    @Test(
        arguments: [
            (400, "invalid_request", "client_secret is missing."),
            (
                401, "invalid_client",
                "AADSTS7000218: The request body must contain the following parameter: 'client_assertion' or 'client_secret'."
            ),
            (
                400, "invalid_grant",
                "AADB2C90079: Clients must send a client_secret when redeeming a confidential grant."
            ),
            (400, "unauthorized_client", nil), (401, nil, nil), (401, "access_denied", "Unauthorized"),
        ] as [(Int, String?, String?)]
    ) func knowsTheAnswer(status: Int, error: String?, text: String?) throws {
        let recording = try Recording(broken).answering(
            "/token",
            status,
            error.map { ["error": .string($0), "error_description": .string(text ?? "")] }
        )
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    /// An app may be known by what attests it (draft-ietf-oauth-attestation-based-client-auth).
    @Test(arguments: [
        ("OAuth-Client-Attestation", false), ("OAuth-Client-Attestation-PoP", false), ("X-Client", true),
    ])
    func leavesAClientWithAnAttestationAlone(header: String, fires: Bool) throws {
        let recording = try Recording(broken).sendingHeader(header, "e30.e30.c2ln", to: "/token")
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.outcomes == [.failure])
    }

    /// An app at a scheme of its own has no secret to send; a server that exchanges its code does.
    @Test(arguments: [
        ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", true), ("okhttp/4.12.0", true),
        ("Java-http-client/21.0.5", false),
    ])
    func tellsAnAppFromAServer(agent: String, isApp: Bool) throws {
        let recording = try Recording("healthy/native-app").editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.headers.replace("User-Agent", with: agent)
        }.answering("/token", 401, ["error": "invalid_client"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("takes the app for") == isApp)
        #expect(finding.fix.contains("put no secret into it") == isApp)
        #expect(try Recording(broken).finding(rule)?.title.contains("takes the app for") == false)
    }

    /// A page has no secret to send either; a server that passes its browser's Origin on has no name of a browser.
    @Test(
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0", "https://www.shop.example", true),
            ("node", "https://www.shop.example", false), ("Mozilla/5.0 (X11; Linux x86_64)", nil, false),
        ] as [(String, String?, Bool)]
    )
    func tellsAPageFromAServer(agent: String, origin: String?, isPage: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.headers.replace("User-Agent", with: agent)
            guard let origin else { return }
            exchange.request.headers.append("Origin", origin)
            exchange.response?.headers.append("Access-Control-Allow-Origin", origin)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("takes the page for") == isPage)
        #expect(finding.fix.contains("client authentication off") == isPage)
    }

    /// A web client of Google's has a secret, which a page cannot keep.
    @Test(arguments: [("https://www.shop.example", true), (nil, false)] as [(String?, Bool)])
    func pageIsNotTaughtToSendGooglesSecret(origin: String?, isPage: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            let text = exchange.request.url.text
            exchange.request.url = RecordedURL(
                text.replacing(
                    "https://id.harbour.example/authorize",
                    with: "https://accounts.google.com/o/oauth2/v2/auth"
                )
                .replacing("https://id.harbour.example/token", with: "https://oauth2.googleapis.com/token")
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(
                    to: location.replacing(
                        "https://id.harbour.example/authorize",
                        with: "https://accounts.google.com/o/oauth2/v2/auth"
                    )
                )
            }
            guard exchange.request.url.host == "oauth2.googleapis.com", let origin else { return }
            exchange.request.headers.replace("User-Agent", with: "Mozilla/5.0 (X11; Linux x86_64)")
            exchange.request.headers.append("Origin", origin)
            exchange.response?.headers.append("Access-Control-Allow-Origin", origin)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("initCodeClient") == isPage)
        #expect(finding.fix.contains("Send the client_secret") != isPage)
    }

    /// Kakao's name for an app whose bundle id, key hash or site is not registered.
    @Test func leavesAnAppAloneThatIsNotRegisteredForItsPlatform() throws {
        let recording = try Recording("healthy/native-app").answering(
            "/token",
            401,
            [
                "error": "misconfigured", "error_code": "KOE009",
                "error_description": "invalid android_key_hash or ios_bundle_id or web_site_url",
            ]
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("token-invalid-client") == nil)
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.isPrimary)
        #expect(finding.fix.contains("key hash"))
        #expect(recording.outcomes == [.failure])
    }

    /// A public client's code was taken; its refresh lacks the id, or has it and is refused for something else.
    @Test(
        arguments: [
            (nil, "invalid_client", "6 request.body client_id"),
            (nil, "invalid_client_id", "6 request.body client_id"), ("shop-app", "invalid_client", nil),
            ("another-app", "invalid_client", "6 request.body client_secret"),
            ("another-app", "invalid_client_id", nil),
        ] as [(String?, String, String?)]
    )
    func missesTheIDOfAPublicClient(client: String?, error: String, place: String?) throws {
        var recording = try Recording("healthy/native-app")
        var refresh = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        refresh.startedAt = refresh.startedAt + .seconds(3600)
        let token = try #require(recording.flows.first?.tokenRequests.first?.issuedRefreshToken)
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        refresh.request.body = Body(
            text: FormBody.encode(form + (client.map { [("client_id", $0)] } ?? [])),
            mediaType: FormBody.mediaType
        )
        recording.exchanges.append(refresh)
        let status = error == "invalid_client" ? 401 : 400
        let finding = recording.answering("/token", status, ["error": .string(error)]).finding(rule)
        #expect(finding?.places.first == place)
        #expect(finding.map { $0.title.contains("which client") } == place.map { $0.hasSuffix("client_id") })
    }

    /// A client with a secret sent it with the code, and with the refresh nothing at all; in header or body.
    @Test(arguments: [("invalid_client", true), ("invalid_client_id", true), ("invalid_client", false)])
    func missesBothWhereTheRefreshHasNeither(error: String, isInBody: Bool) throws {
        var recording = try Recording("healthy/native-app").sending(
            "client_secret",
            isInBody ? "s3cret" : nil
        )
        let place = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        if !isInBody {
            recording = recording.sending("client_id", nil)
            let basic = "Basic " + Base64.encode("shop-app:s3cret".utf8)
            recording.exchanges[place].request.headers.append("Authorization", basic)
        }
        var refresh = recording.exchanges[place]
        refresh.startedAt = refresh.startedAt + .seconds(3600)
        refresh.request.headers.remove("Authorization")
        let token = try #require(recording.flows.first?.tokenRequests.first?.issuedRefreshToken)
        refresh.request.body = Body(
            text: FormBody.encode([("grant_type", "refresh_token"), ("refresh_token", token)]),
            mediaType: FormBody.mediaType
        )
        recording.exchanges.append(refresh)
        let status = error == "invalid_client" ? 401 : 400
        let finding = try #require(
            recording.answering("/token", status, ["error": .string(error)]).finding(rule)
        )
        #expect(finding.title.contains("which client"))
        #expect(finding.places.first == "6 request.body client_id")
        #expect(finding.fix.contains("client_secret in the body"))
    }

    /// Ids are compared by their bytes: the same name, written with other characters, is another client's.
    @Test(arguments: [("caf\u{e9}", false), ("cafe\u{301}", true)])
    func clientIsPublicByItsVeryID(client: String, isTold: Bool) throws {
        var recording = try Recording("healthy/native-app")
        var first = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        first.startedAt = first.startedAt + .seconds(3600)
        var second = first
        second.startedAt = first.startedAt + .seconds(60)
        for (exchange, id) in [(first, "caf\u{e9}"), (second, client)] {
            var exchange = exchange
            let form = [("grant_type", "refresh_token"), ("refresh_token", "not-a-token"), ("client_id", id)]
            exchange.request.body = Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
            recording.exchanges.append(exchange)
        }
        recording = recording.answering("/token", 401, ["error": "invalid_client"])
        #expect((recording.finding(rule) != nil) == isTold)
    }

    @Test(arguments: [
        (400, "unauthorized_client", "The client is not allowed to use this grant type"),
        (400, "invalid_request", "redirect_uri is missing"), (400, "invalid_grant", ""),
        (503, "invalid_client", ""),
        (400, "unsupported_grant_type", ""), (401, "use_dpop_nonce", ""),
    ]) func leavesOtherReasonsAlone(status: Int, error: String, text: String) throws {
        let recording = try Recording(broken).answering(
            "/token",
            status,
            ["error": .string(error), "error_description": .string(text)]
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["client_secret", "client_assertion"]) func saysNothingOfCredentials(name: String) throws
    {
        #expect(try Recording(broken).sending(name, "not-a-secret-of-anyone").finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule) == nil)
    }

    @Test func leavesAClientWithACertificateAlone() throws {
        let recording = try Recording(broken).withMetadata().editingAnswer(
            of: "/.well-known/openid-configuration"
        ) {
            $0["token_endpoint_auth_methods_supported"] = ["tls_client_auth", "self_signed_tls_client_auth"]
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func readsPushedRequestsToo() throws {
        let recording = try Recording("token-request/pkce-verifier-unexpected.near-miss").sending(
            "client_secret",
            nil,
            to: "/par"
        ).answering("/par", 401, ["error": "invalid_client"])
        #expect(recording.finding(rule)?.places.first == "0 request.body client_secret")
    }

    @Test func isANoteWhereTheNextTryHasThem() throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last)
        second.startedAt = second.startedAt + .milliseconds(100)
        recording.exchanges.append(second)
        recording = recording.sending("client_secret", "not-a-secret-of-anyone").granted()
        #expect(recording.finding(rule)?.severity == .note)
    }

    /// An API that was shown a token, and does not say who it is.
    @Test func tellsOfTheEndpointThatWasAsked() throws {
        let recording = try Recording("healthy/web-code-flow")
        var question = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        let url = question.request.url.text.replacing("/token", with: "/introspect")
        question.request.url = RecordedURL(url)
        question.request.headers.remove("authorization")
        question.request.body = Body(text: "token=abcdefghijkl", mediaType: FormBody.mediaType)
        question.response = RecordedResponse(
            status: 401,
            body: Body(text: "{\"error\":\"invalid_client\"}", mediaType: "application/json")
        )
        question.startedAt = question.startedAt + .seconds(2)
        let finding = Recording(recording.exchanges + [question]).finding(rule)
        #expect(finding?.title == "The client did not authenticate at the introspection endpoint")
        #expect(finding?.explanation.contains("A server asked the provider about a token") == true)
        #expect(try Recording(broken).finding(rule)?.title.hasSuffix("at the token endpoint") == true)
    }

    @Test func leavesAClientThatIsThereNoMoreAlone() throws {
        let recording = try Recording(broken).answering(
            "/token",
            401,
            ["error": "deleted_client", "error_description": "The OAuth client was deleted."]
        )
        #expect(recording.finding(rule) == nil)
        let unknown = try Recording(broken).answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": "the client is not known"]
        )
        #expect(unknown.finding(rule) == nil)
        #expect(unknown.finding("token-invalid-client")?.title == "The provider does not know this client")
        let other = unknown.answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": "the secret for this client is not known"]
        )
        #expect(other.finding(rule)?.isPrimary == true)
    }

    /// Who is not named is not known either.
    @Test(arguments: ["the client is not known", "Client not found"])
    func isWhatAnUnnamedClientLacks(words: String) throws {
        let answer: JSONValue = ["error": "invalid_client", "error_description": .string(words)]
        let recording = try Recording(broken).sending("client_id", nil).answering("/token", 401, answer)
        #expect(recording.finding(rule)?.isPrimary == true)
        let effect = try #require(recording.finding("token-invalid-client"))
        #expect(effect.effectOf == rule && effect.title != "The provider does not know this client")
    }
}
