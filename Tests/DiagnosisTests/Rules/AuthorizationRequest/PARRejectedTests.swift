import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PARRejectedTests {
    private let rule = "par-rejected"
    private let broken = "authorization-request/par-rejected"

    @Test func namesTheErrorAndTheParameters() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 response.body error", "0 request.body "])
        #expect(finding.evidence[0].value == "invalid_request: The parameter display is not supported")
        #expect(try Recording(broken).outcomes == [.failure])
    }

    @Test func leavesANonceThatWasAskedForAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.findings.allSatisfy { $0.severity == .note })
        #expect(recording.outcomes == [.success])
    }

    /// Bluesky fetches the document that the client's id is the address of.
    @Test(arguments: [
        ("https://shop.example/client.json", "Unable to obtain client metadata: unexpected redirect", true),
        ("shop-web", "Unable to obtain client metadata: unexpected redirect", false),
        ("https://shop.example/client.json", "The parameter display is not supported", false),
    ])
    func tellsAClientsDocument(client: String, words: String, fires: Bool) throws {
        let recording = try Recording(broken).sending("client_id", client, to: "/par")
            .editing { $0.request.headers.remove("authorization") }
            .answering("/par", 400, ["error": "invalid_request", "error_description": .string(words)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("Fetch the client_id yourself") == fires)
    }

    /// What the server says of the connection's certificate is the reason, and so are keys that it did not get, and a scope.
    @Test(arguments: [
        (
            "invalid_client", "mutual TLS client certificate required",
            "No client certificate reached the server"
        ),
        ("invalid_client", "client authentication failed", "The pushed authorization request was refused"),
        ("invalid_client", "unable to fetch client JWKS", "The provider could not get the client's keys"),
        ("invalid_scope", "not allowed", "The provider refused the scope of the pushed request"),
    ])
    func tellsOfTheReason(error: String, words: String, title: String) throws {
        let recording = try Recording(broken).answering(
            "/par",
            401,
            ["error": .string(error), "error_description": .string(words)]
        )
        #expect(recording.finding(rule)?.title == title)
    }

    /// Behind 301 clients send a GET; 307 keeps the form, and the next address took it.
    @Test(arguments: [(301, false), (307, true)]) func redirectThatLosesTheFormIsNamed(
        status: Int,
        isTaken: Bool
    ) throws {
        let next = "https://id.harbour.example/par/"
        var recording = try Recording(broken)
        var taken = try #require(recording.exchanges.first)
        recording.exchanges[0].response = RecordedResponse(status: status)
        recording.exchanges[0].response?.redirect(to: next)
        if isTaken {
            taken.startedAt = taken.endedAt + .milliseconds(5)
            taken.request.url = RecordedURL(next)
            taken.response = RecordedResponse(
                status: 201,
                body: Body(text: #"{"request_uri":"urn:one","expires_in":60}"#, mediaType: "application/json")
            )
            recording.exchanges.append(taken)
        }
        let finding = recording.finding(rule)
        #expect(finding?.places == (isTaken ? nil : ["0 response.status ", "0 response.location "]))
        #expect(finding?.severity == (isTaken ? nil : .error))
        #expect(recording.outcomes.contains(.failure) != isTaken)
    }

    @Test func abstainsOnANonceThatNobodyAnswered() throws {
        let recording = try Recording(Array(Recording(broken + ".near-miss").exchanges.prefix(1)))
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func leavesARepairedPushAlone() throws {
        let repaired = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response?.body = Body(
                text: "{\"error\":\"invalid_request\"}",
                mediaType: "application/json"
            )
        }
        #expect(repaired.finding(rule) == nil)
    }

    @Test func staysBelowAFailureOfTheProvider() throws {
        let recording = try Recording(broken).answering("/par", 503, ["error": "temporarily_unavailable"])
        #expect(recording.finding("provider-server-error")?.isPrimary == true)
        #expect(recording.finding(rule)?.effectOf == "provider-server-error")
    }

    @Test func staysBelowTheClientsFault() throws {
        let recording = try Recording(broken).answering("/par", 400, ["error": "invalid_scope"])
        let findings = recording.findings
        #expect(findings.first?.rule == rule)
        #expect(findings.first { $0.rule == "scope-rejected" }?.effectOf == rule)
    }

    @Test func tellsOfTheRedirectURI() throws {
        let recording = try Recording(broken).answering(
            "/par",
            400,
            ["error": "invalid_request", "error_description": "redirect_uri is invalid"]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider refused the redirect URI of the pushed request")
        #expect(finding.places == ["0 response.body error", "0 request.body redirect_uri"])
        #expect(recording.finding("redirect-uri-not-registered")?.effectOf == rule)
    }

    /// Of an address that was pushed everything is told that is told of one in the browser.
    @Test(arguments: [
        ("https://www.shop.example/callback\n", "white space around it", "Take off what stands around"),
        ("https://a.shop.example/,https://b.shop.example/", nil, "The redirect_uri holds several addresses"),
        ("http://localhost:51004/callback", nil, "Where the app takes whatever port is free"),
    ])
    func tellsWhatIsWrongWithTheRedirectURI(uri: String, note: String?, fix: String) throws {
        let recording = try Recording(broken).sending("redirect_uri", uri, to: "/par").answering(
            "/par",
            400,
            ["error": "invalid_request", "error_description": "redirect_uri is invalid"]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.hasPrefix(fix))
        #expect(finding.notes == [note].compactMap(\.self))
    }

    /// By a login before it, of the same client.
    @Test func namesTheNearestOtherRedirectURI() throws {
        var recording = try Recording("authorization-request/par-client-mismatch.near-miss")
        var pushed = try #require(recording.exchanges.first)
        pushed.startedAt = pushed.startedAt + .seconds(100)
        recording.exchanges.append(pushed)
        let refused = recording.sending("redirect_uri", "https://www.shop.example/callback/", to: "/par")
            .answering("/par", 400, ["error": "invalid_redirect_uri"])
        let finding = try #require(refused.finding(rule))
        #expect(
            finding.places == [
                "8 response.body error", "8 request.body redirect_uri", "0 request.body redirect_uri",
            ]
        )
        #expect(finding.notes.last?.hasSuffix("a \"/\" too many at the end") == true)
    }

    @Test func staysBelowAFragmentOfTheRedirectURI() throws {
        let recording = try Recording(broken)
            .sending("redirect_uri", "https://www.shop.example/#/callback", to: "/par")
            .answering(
                "/par",
                400,
                ["error": "invalid_request", "error_description": "redirect_uri is invalid"]
            )
        #expect(recording.finding("redirect-uri-has-fragment")?.isPrimary == true)
        #expect(recording.finding(rule)?.effectOf == "redirect-uri-has-fragment")
    }

    @Test func saysNothingOfAPushThatWasTaken() throws {
        #expect(try Recording("authorization-request/par-request-uri-expired").finding(rule) == nil)
    }

    /// A try of another client, which a server may serve as well, makes up for nothing.
    @Test(arguments: [("shop-web", false), ("shop-admin", true)])
    func triesOfOneClientAreHeldTogether(client: String, fires: Bool) throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last { $0.request.url.path == "/par" })
        second.startedAt = second.endedAt + .seconds(5)
        recording.exchanges.append(second)
        recording = recording.sending("client_id", client, to: "/par")
            .answering("/par", 201, ["request_uri": "urn:example:8675309", "expires_in": 60])
        #expect((recording.finding(rule) != nil) == fires)
    }
}
