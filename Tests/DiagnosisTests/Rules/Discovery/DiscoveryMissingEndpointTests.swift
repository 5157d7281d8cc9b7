import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct DiscoveryMissingEndpointTests {
    private let rule = "discovery-missing-endpoint"
    private let broken = "discovery/discovery-missing-endpoint"
    private let path = "/.well-known/openid-configuration"

    private func changing(_ recording: Recording, _ edit: (inout JSONObject) -> Void) -> Recording {
        recording.editingAnswer(of: path, edit)
    }

    @Test func tellsWhatIsThereAndWhatIsNot() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 request.url ", "0 response.body "])
        #expect(finding.notes == ["authorization_endpoint missing"])
        #expect(recording.outcomes == [.failure])
    }

    /// AppAuth takes no document without what is required, and says so on the device alone.
    @Test(arguments: [
        ("response_types_supported", "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", true),
        ("subject_types_supported", "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", true),
        ("scopes_supported", "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", false),
        ("response_types_supported", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", false),
        ("response_types_supported", "Java-http-client/21.0.5", false),
    ])
    func tellsWhereAnAppStopped(name: String, agent: String, fires: Bool) throws {
        let all = changing(try Recording("the-capture/code-never-redeemed")) { $0[name] = nil }.editing {
            guard $0.request.url.path != "/authorize" else { return }
            $0.request.headers.replace("User-Agent", with: agent)
        }
        let stopped = all.without { ["/authorize", "/sign-in"].contains($0.request.url.path) }
        let finding = stopped.finding(rule)
        #expect((finding != nil) == fires)
        #expect(finding?.severity ?? .note == .note)
        #expect(
            finding.map(\.places) ?? []
                == (fires ? ["0 request.url ", "0 response.body \(name)", "1 request.url "] : [])
        )
        // Who goes on has no need of it, and who is not seen again may have gone on elsewhere.
        #expect(all.finding(rule) == nil)
        #expect(stopped.without { $0.request.url.path == "/offers.json" }.finding(rule) == nil)
    }

    @Test func aServerForDevicesNeedsNoneOfIt() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"])
    func isAWarningWhereTheLoginWentOn(name: String) throws {
        let recording = changing(try Recording("healthy/native-app")) { $0[name] = nil }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.finding(rule)?.notes == ["\(name) missing"])
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: ["token_endpoint", "jwks_uri"]) func isAnErrorWhereTheClientStopped(name: String) throws
    {
        let recording = changing(try Recording("discovery/discovery-issuer-mismatch")) { document in
            document["issuer"] = "https://id.harbour.example"
            document[name] = nil
        }
        #expect(recording.finding(rule)?.severity == .error)
    }

    /// openid_connect goes to a path of its own where it is told of no token endpoint.
    @Test func isTheReasonWhereTheClientGuessed() throws {
        let all = changing(try Recording("healthy/native-app")) { $0["token_endpoint"] = nil }.editing {
            guard $0.request.url.path == "/token" else { return }
            $0.request.url = RecordedURL("https://id.harbour.example/oauth2/token")
            $0.response = RecordedResponse(status: 404, body: .html("<h1>Not found</h1>"))
        }
        let end = try #require(all.exchanges.firstIndex { $0.request.url.path == "/oauth2/token" })
        let recording = Recording(Array(all.exchanges[...end]))
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.notes == ["token_endpoint missing", "where the client looked for it instead"])
        #expect(recording.finding("token-endpoint-error")?.isPrimary == false)
        #expect(recording.outcomes == [.failure])
    }

    /// openid_connect's other way: the app has nowhere to bring its code, and answers the callback with an error.
    @Test func isTheReasonWhereTheAppHadNowhereToGo() throws {
        let recording = changing(try Recording("healthy/web-code-flow")) { $0["token_endpoint"] = nil }
            .without { ["/token", "/jwks", "/userinfo"].contains($0.request.url.path) }
            .editing {
                guard $0.request.url.path == "/callback" else { return }
                $0.response = RecordedResponse(status: 500, body: .html("<h1>No Host Info</h1>"))
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(recording.finding("callback-rejected-by-app")?.effectOf == rule)
        #expect(recording.outcomes == [.failure])
    }

    /// django-allauth reads all endpoints before it sends the browser off.
    @Test(arguments: [(500, true), (200, false)])
    func serverThatCameToNothingWantedACode(status: Int, fires: Bool) throws {
        var recording = changing(try Recording("discovery/discovery-issuer-mismatch")) { document in
            document["issuer"] = "https://id.harbour.example"
            document["token_endpoint"] = nil
            document["response_types_supported"] = ["code", "id_token"]
        }
        var work = recording.exchanges[0]
        recording.exchanges[0].client.process = "shop-server"
        work.client.process = "firefox"
        work.request.url = RecordedURL("https://shop.example/login")
        work.startedAt = work.startedAt + .milliseconds(-5)
        work.duration = .seconds(5)
        work.response = RecordedResponse(status: status, body: .html("<h1>Shop</h1>"))
        recording.exchanges.insert(work, at: 0)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true && finding?.severity == .error) == fires)
        #expect(finding?.notes ?? ["token_endpoint missing"] == ["token_endpoint missing"])
    }

    /// A client that a resource sends to a server which takes no registrations; it may have a client_id all the same.
    @Test(arguments: [("", true), (#","client_id_metadata_document_supported":true"#, false)])
    func tellsAServerThatRegistersNobody(more: String, fires: Bool) throws {
        let whole = try Recording("discovery/resource-metadata-mismatch.near-miss").editing { exchange in
            guard exchange.request.url.path == path else { return }
            let document = """
                {"issuer":"https://id.harbour.example","authorization_endpoint":"https://id.harbour.example/authorize",\
                "token_endpoint":"https://id.harbour.example/token","jwks_uri":"https://id.harbour.example/jwks",\
                "code_challenge_methods_supported":["S256"]\(more)}
                """
            exchange.response?.body = Body(text: document, mediaType: "application/json")
        }
        let stopped = Recording(Array(whole.exchanges.prefix(3)))
        let finding = stopped.finding(rule)
        #expect(finding?.severity == (fires ? .note : nil))
        #expect(stopped.outcomes == [.incomplete])
        #expect(whole.finding(rule) == nil)
        let registered = stopped.editingAnswer(of: path) {
            $0["registration_endpoint"] = "https://id.harbour.example/register"
        }
        #expect(registered.finding(rule) == nil)
        // A token from elsewhere, which the resource takes.
        var served = stopped
        var call = try #require(stopped.exchanges.first)
        call.startedAt = call.startedAt + .seconds(40)
        call.response = RecordedResponse(status: 200)
        served.exchanges.append(call)
        #expect(served.finding(rule) == nil)
    }

    /// A strict library refuses the document for a member that the login would not need, and its server says so.
    @Test(arguments: [
        ("missing field `subject_types_supported`", true), ("the disk is full", false),
        ("missing field `token_endpoint_auth_methods_supported`", false),
    ])
    func believesTheClientThatMissesAMember(words: String, fires: Bool) throws {
        var recording = changing(try Recording("discovery/discovery-issuer-mismatch")) { document in
            document["issuer"] = "https://id.harbour.example"
            document["subject_types_supported"] = nil
        }
        var work = recording.exchanges[0]
        recording.exchanges[0].client.process = "shop-server"
        work.client.process = "firefox"
        work.request.url = RecordedURL("https://shop.example/login")
        work.startedAt = work.startedAt + .milliseconds(-5)
        work.duration = .seconds(5)
        work.response = RecordedResponse(
            status: 500,
            body: Body(text: "Failed to parse server response: \(words)", mediaType: "text/plain")
        )
        recording.exchanges.insert(work, at: 0)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(finding.map { $0.evidence[1].place.name == "subject_types_supported" } ?? true)
    }

    @Test func plainOAuthNeedsNoKeys() throws {
        let recording = changing(try Recording("healthy/native-app")) { $0["jwks_uri"] = nil }.editing {
            guard $0.request.url.path == path else { return }
            $0.request.url = RecordedURL("https://id.harbour.example/.well-known/oauth-authorization-server")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func nobodySaidThatACodeWasWanted() throws {
        let recording = changing(try Recording("discovery/discovery-issuer-mismatch")) { document in
            document["issuer"] = "https://id.harbour.example"
            document["token_endpoint"] = nil
            document["response_types_supported"] = ["code", "id_token"]
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func aSecondDocumentMayCompleteTheFirst() throws {
        var recording = try Recording("healthy/native-app")
        let whole = recording.exchanges[0]
        recording = changing(recording) { $0["token_endpoint"] = nil }
        var second = whole
        second.request.url = RecordedURL("https://id.harbour.example/.well-known/oauth-authorization-server")
        recording.exchanges.insert(second, at: 1)
        #expect(recording.finding(rule) == nil)
    }

    /// A login that stopped for what its metadata lacked, and one that read them when they were whole, before it or after.
    @Test(arguments: [true, false]) func eachLoginHasTheMetadataOfItsTime(isFirst: Bool) throws {
        let lacking = changing(try Recording("healthy/web-code-flow")) { $0["token_endpoint"] = nil }
            .answering("/callback", 500)
        let stopped = Recording(Array(lacking.exchanges.prefix(5)))
        let whole = try Recording("healthy/native-app")
        let recording = try isFirst ? stopped.followed(by: whole) : whole.followed(by: stopped)
        let told = recording.diagnoses.map { $0.findings.first { $0.rule == rule } }
        #expect(told.count == 2)
        let (failed, well) = isFirst ? (told.first, told.last) : (told.last, told.first)
        #expect(failed??.isPrimary == true && failed??.severity == .error)
        #expect(well.flatMap { $0 } == nil)
    }

    @Test func aGrantWithoutABrowserNeedsNoAuthorizationEndpoint() throws {
        // Nothing is said of grants, which stands for the two that need one; what was asked for did not.
        let recording = try Recording(broken + ".near-miss").editingAnswer(
            of: "/.well-known/oauth-authorization-server"
        ) { $0["grant_types_supported"] = nil }
        #expect(recording.finding(rule) == nil)
        let alone = recording.without { $0.request.method == "POST" }
        #expect(alone.finding(rule)?.severity == .error)
    }

    @Test func saysNothingWithoutADocument() throws {
        #expect(try Recording(broken).withoutBodies(of: path).finding(rule) == nil)
    }

    @Test func aDeviceNeedsNoAuthorizationEndpoint() throws {
        var recording = changing(try Recording(broken)) {
            $0["token_endpoint"] = "https://id.harbour.example/token"
        }
        #expect(recording.finding(rule) != nil)
        var device = try #require(Recording("logout-and-device/device-code-expired").exchanges.first)
        device.startedAt = recording.exchanges[0].startedAt + .seconds(1)
        device.response = RecordedResponse(
            status: 400,
            body: Body(text: #"{"error":"invalid_client"}"#, mediaType: "application/json")
        )
        recording.exchanges = [recording.exchanges[0], device]
        #expect(recording.finding(rule) == nil)
    }
}
