import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// A capture from which header fields were taken out: what the client sent may have been among them.
extension ClientAuthMissingTests {
    /// Who sent no secret is not known to be public where header fields were taken out.
    @Test(arguments: ["shop-app", ""])
    func nobodyIsPublicWhereHeadersWereStripped(client: String) throws {
        var recording = try Recording("healthy/native-app")
        var refresh = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        refresh.startedAt = refresh.startedAt + .seconds(3600)
        let token = try #require(recording.flows.first?.tokenRequests.first?.issuedRefreshToken)
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        refresh.request.body = Body(
            text: FormBody.encode(form + (client.isEmpty ? [] : [("client_id", client)])),
            mediaType: FormBody.mediaType
        )
        recording.exchanges.append(refresh)
        let refusal: JSONValue = [
            "error": "invalid_client", "error_description": "client_secret is missing.",
        ]
        let stripped = recording.sanitized.answering("/token", 401, refusal)
        #expect(stripped.finding(rule) == nil)
        #expect(stripped.finding("token-invalid-client")?.places.last == "6 request.body client_secret")
    }

    /// A header that was taken out of the capture brought no secret either, by the provider's word, which stands with the refusal.
    @Test(arguments: [
        ("AADSTS7000218: The request body must contain 'client_assertion' or 'client_secret'.", true),
        ("client_secret is missing.", true), ("Client authentication required", false), ("", false),
    ])
    func leavesTheProvidersWordToTheRefusalWhereHeadersWereStripped(text: String, isTold: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": .string(text)]
        ).sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
        let finding = try #require(recording.finding("token-invalid-client"))
        #expect(finding.isPrimary)
        #expect((finding.title == "The provider says that it got no client secret") == isTold)
    }

    @Test func abstainsInASanitizedCapture() throws {
        let recording = try Recording(broken).sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// A server's own packets beside a browser's export have all that the server sent.
    @Test func knowsWhatWasSeenOnTheConnection() throws {
        let recording = try Recording(broken).sanitized.editing { exchange in
            if exchange.request.url.path == "/token" { exchange.client.address = "10.0.0.2:50000" }
        }
        #expect(recording.finding(rule) != nil)
        #expect(recording.finding("capture-sanitized") != nil)
    }

    /// Of an import each file is stripped or not by itself.
    @Test(arguments: [true, false]) func abstainsOnAStrippedFileOfAnImport(isStripped: Bool) throws {
        let refused = try isStripped ? Recording(broken).sanitized : Recording(broken)
        let recording = try refused.imported(beside: "healthy/native-app")
        #expect((recording.finding(rule) == nil) == isStripped)
        #expect((recording.abstention(rule) != nil) == isStripped)
    }

    /// Developer tools leave credentials out unless told otherwise, also of a file in which nobody signs in.
    @Test(arguments: [("WebInspector", false), ("mitmproxy", true)])
    func abstainsOnAnExportOfATokenRequestAlone(creator: String, fires: Bool) throws {
        let alone = try Recording(broken).withoutAuthorization.sanitized
        let diagnoses = diagnosed(alone, by: creator)
        #expect(diagnoses.flatMap(\.findings).map(\.rule).contains(rule) == fires)
        #expect(diagnoses.flatMap(\.abstentions).map(\.rule).contains(rule) != fires)
        // Whatever has one cookie has them all.
        var other = try #require(alone.exchanges.last)
        other.startedAt = other.startedAt - .seconds(1)
        other.request = RecordedRequest(method: "GET", url: RecordedURL("https://www.shop.example/"))
        other.request.headers.append("Cookie", "lang=en")
        let whole = diagnosed(Recording([other] + alone.exchanges), by: creator)
        #expect(whole.flatMap(\.findings).map(\.rule).contains(rule))
    }

    /// The entries of an import of one file do not name it; what was recorded into it since may be of another kind.
    @Test(arguments: [("WebInspector", 1, false), ("WebInspector", 0, true), ("mitmproxy", 1, true)])
    func abstainsOnAnImportOfSuchAnExport(creator: String, entries: Int, fires: Bool) throws {
        let alone = try Recording(broken).withoutAuthorization.sanitized
        let file = ImportStatement.File(
            name: "a.har",
            creator: ["name": .string(creator)],
            entries: entries,
            clock: .reference
        )
        let diagnoses = diagnosed(alone, by: "authreel", of: [file])
        #expect(diagnoses.flatMap(\.findings).map(\.rule).contains(rule) == fires)
    }

    private func diagnosed(_ recording: Recording, by creator: String, of files: [ImportStatement.File] = [])
        -> [FlowDiagnosis]
    {
        var capture = Capture(recording.exchanges)
        capture.creator = (creator, "1")
        if !files.isEmpty {
            capture.logMembers["_authreel"] = [
                "imported": ImportStatement(files: files, isAligned: false).json
            ]
        }
        return FlowFinder.flows(in: capture).map { Diagnostician.diagnose($0) }
    }

    /// A page that asked whether it may send credentials, and was let, sent them.
    ///
    /// Chrome counts a call from before its preflight on.
    @Test(
        arguments: [
            ("authorization, content-type", "Authorization, Content-Type", -50, false),
            ("authorization", "*", -50, false), ("authorization", "authorization", 1, false),
            ("authorization", "content-type", -50, true), ("content-type", "authorization", -50, true),
            ("authorization", "authorization", 5_000, true),
        ]
    )
    func abstainsWhereThePreflightWasForACredential(asked: String, allowed: String, begins: Int, fires: Bool)
        throws
    {
        var recording = try Recording(broken).withoutAuthorization.sanitized
        let last = try #require(recording.exchanges.indices.last)
        recording.exchanges[last].request.headers.append("Origin", "https://spa.shop.example")
        recording.exchanges[last].duration = .milliseconds(40)
        let call = recording.exchanges[last]
        var preflight = call
        preflight.startedAt = call.startedAt + .milliseconds(begins)
        preflight.duration = .milliseconds(10)
        preflight.request.method = "OPTIONS"
        preflight.request.body = nil
        preflight.request.headers.append("Access-Control-Request-Method", "POST")
        preflight.request.headers.append("Access-Control-Request-Headers", asked)
        preflight.response = RecordedResponse(status: 204)
        preflight.response?.headers.append("Access-Control-Allow-Headers", allowed)
        recording.exchanges.append(preflight)
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) == nil) == fires)
    }
}
