import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

extension HostUnreachableTests {
    /// A session goes on for as long as its refreshes do, or the tokens it has.
    @Test(arguments: [
        ("net::ERR_NAME_NOT_RESOLVED", false, true), ("net::ERR_NAME_NOT_RESOLVED", true, false),
        ("net::ERR_ABORTED", false, false),
    ])
    func refreshThatReachedNobodyEndsTheSession(words: String, isFollowed: Bool, fires: Bool) throws {
        var recording = try Recording("refresh/refresh-subject-changed.near-miss")
        let index = try #require(recording.exchanges.indices.last)
        let answered = recording.exchanges[index]
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = words
        if isFollowed {
            var again = answered
            again.startedAt = answered.endedAt + .seconds(1)
            recording.exchanges.append(again)
        }
        #expect((recording.finding("host-unreachable")?.severity == .error) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Without its credentials nobody knows which call had a token, and whoever signs in again reached the provider.
    @Test(arguments: [
        ("https://api.shop.example/orders", true, false), ("https://api.shop.example/orders", false, true),
        ("https://id.harbour.example/token", false, false),
    ])
    func sessionMayGoOnUnseen(url: String, isSanitized: Bool, fires: Bool) throws {
        var recording = try Recording("refresh/refresh-subject-changed.near-miss")
        let index = try #require(recording.exchanges.indices.last)
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = "net::ERR_INTERNET_DISCONNECTED"
        var later = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        later.startedAt = recording.exchanges[index].startedAt + .seconds(30)
        if later.request.url.text == url {
            let form = "grant_type=client_credentials&client_id=shop-web&client_secret=not-a-secret-of-anyone"
            later.request.body = Body(text: form, mediaType: FormBody.mediaType)
            later.response = RecordedResponse(
                status: 200,
                body: .json(#"{"access_token":"n3Qp7vTzX2","token_type":"Bearer","expires_in":300}"#)
            )
        } else {
            later.request.method = "GET"
            later.request.body = nil
            later.request.url = RecordedURL(url)
            later.response = RecordedResponse(status: 200, body: .json("{}"))
        }
        recording.exchanges.append(later)
        if isSanitized { recording = recording.sanitized }
        #expect((recording.finding("host-unreachable")?.severity == .error) == fires)
        #expect(recording.outcomes.contains(.failure) == fires)
    }
}
