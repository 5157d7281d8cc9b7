import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct RegistrationRedirectDiffersTests {
    private let rule = "registration-redirect-differs"
    private let broken = "registration/registration-redirect-differs"

    @Test func showsBothAndTheFirstDifference() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 response.body redirect_uris", "2 request.query redirect_uri"])
        #expect(finding.notes.last?.hasPrefix("differs from character 19 on") == true)
        #expect(recording.outcomes == [.failure])
    }

    /// What the provider says to a request that was pushed before is the same fault.
    @Test func explainsTheRefusalOfAPushedRequest() throws {
        var recording = try Recording(broken)
        #expect(recording.finding("authorization-error") == nil)
        let asked = recording.exchanges[2].request.url
        var push = recording.exchanges[1]
        push.startedAt = push.endedAt + .milliseconds(1)
        push.duration = .milliseconds(1)
        push.request.url = RecordedURL("https://id.harbour.example/par")
        push.request.body = Body(text: asked.query ?? "", mediaType: FormBody.mediaType)
        push.response = RecordedResponse(
            status: 201,
            body: .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5b","expires_in":60}"#)
        )
        let client = asked.queryItems.first("client_id") ?? ""
        recording.exchanges[2].request.url = RecordedURL(
            asked.withoutQuery + "?"
                + FormBody.encode([
                    ("client_id", client), ("request_uri", "urn:ietf:params:oauth:request_uri:6esc_11ACC5b"),
                ])
        )
        recording.exchanges.insert(push, at: 2)
        #expect(recording.finding(rule)?.places.last == "2 request.body redirect_uri")
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
    }

    /// What has no value counts as left out.
    @Test func anEmptyOneIsNoOther() throws {
        #expect(try Recording(broken).asking("redirect_uri", "").finding(rule) == nil)
    }

    @Test func thePortOfALoopbackAddressIsFree() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback", false),
        ("http://[::1]/callback", "http://[::1]:1/callback", false),
        ("http://localhost/callback", "http://localhost:1/callback", true),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback/", true),
        ("http://127.0.0.1/callback", "https://127.0.0.1:1/callback", true),
        ("http://127.0.0.1/callback", "http://[::1]:1/callback", true),
        ("http://127.0.0.1/callback?a=1", "http://127.0.0.1:1/callback", true),
        ("http://127.0.0.1/callback?a=1", "http://127.0.0.1:1/callback?a=1", false),
        ("http://127.0.0.1/callback#a", "http://127.0.0.1:1/callback", true),
        ("https://app.example/callback", "https://app.example:8443/callback", true),
        ("https://app.example/Callback", "https://app.example/callback", true),
        ("https://app.example/callback", "https://app.example/callback", false),
    ])
    func comparesStrings(registered: String, used: String, fires: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") {
            $0["redirect_uris"] = .array([.string(registered)])
        }.asking("redirect_uri", used)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func isAWarningWhereTheProviderAcceptedIt() throws {
        let recording = try Recording(broken + ".near-miss").editingAnswer(of: "/register") {
            $0["redirect_uris"] = ["http://127.0.0.1/other"]
        }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    @Test func readsTheRequestWhereTheAnswerIsSilent() throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") { $0["redirect_uris"] = nil }
        #expect(recording.finding(rule)?.places.first == "1 request.body redirect_uris")
    }

    @Test func saysNothingOfAClientThatWasNotRegisteredHere() throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") { $0["client_id"] = "another" }
        #expect(recording.finding(rule) == nil)
    }

    /// RFC 7592, section 2.2: a change puts a new list in place of the old one.
    @Test func theListThatWasRegisteredLastCounts() throws {
        let recording = try Recording(broken)
        let request = recording.exchanges.lazy.map(\.request.url).first { $0.path == "/authorize" }
        let used = JSONValue.string(try #require(request?.queryItems.first("redirect_uri")))
        let added = recording.configuring("GET") { $0["redirect_uris"] = .array([used]) }
        #expect(added.finding(rule) == nil)
        let taken = recording.editingAnswer(of: "/register") { $0["redirect_uris"] = .array([used]) }
        #expect(taken.finding(rule) == nil)
        let finding = taken.configuring("PUT") { $0["redirect_uris"] = ["https://app.example/other"] }
            .finding(rule)
        #expect(finding?.evidence.first?.place.exchange == recording.exchanges.count)
    }
}
