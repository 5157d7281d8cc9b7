import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

struct UnrequestedRefusalTests {
    private let rule = "authorization-error"

    private static let googles =
        "https://accounts.google.com/signin/oauth/error?authError=ChVyZWRpcmVjdF91cmlfbWlzbWF0Y2g%3D&client_id=123.apps.googleusercontent.com"
    private static let wso2s =
        "https://is.example/authenticationendpoint/oauth2_error.do?oauthErrorCode=invalid_client&oauthErrorMsg=A+valid+OAuth+client+could+not+be+found"

    private func shown(_ url: String, _ html: String = "<title>Error</title>") -> Exchange {
        Exchange(
            startedAt: Timestamp(nanoseconds: 1_772_618_048_000_000_000),
            request: RecordedRequest(method: "GET", url: RecordedURL(url)),
            response: RecordedResponse(status: 200, body: Body(text: html, mediaType: "text/html"))
        )
    }

    /// The recording began when the provider had refused the request.
    @Test(arguments: [
        (googles, "redirect_uri_mismatch", ["0 request.query authError", "0 request.query client_id"]),
        (
            wso2s, "invalid_client: A valid OAuth client could not be found",
            ["0 request.query oauthErrorCode"]
        ),
    ])
    func readsAPageOfErrorsThatIsAllThereIs(url: String, words: String, places: [String]) throws {
        let page = shown(url)
        var again = page
        again.startedAt = page.startedAt + .seconds(5)
        let recording = Recording([page, again])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.places == places && finding.evidence[0].value == words)
        #expect(finding.fix.contains("begin before the sign-in"))
        #expect(recording.outcomes == [.failure])
        #expect(recording.flows[0].exchanges == [0, 1] && recording.flows[0].steps.count == 2)
        #expect(recording.flows[0].clientID == (places.count > 1 ? "123.apps.googleusercontent.com" : nil))
    }

    @Test(arguments: [
        "https://accounts.google.com/signin/oauth/consent?authuser=0&client_id=123.apps.googleusercontent.com",
        "https://accounts.google.com/signin/oauth/error",
        "https://shop.example/signin/oauth/error?authError=no",
        "https://is.example/authenticationendpoint/login.do?client_id=shop",
        "https://is.example/authenticationendpoint/oauth2_error.do",
    ])
    func otherPagesAreNoRefusal(url: String) { #expect(Recording([shown(url)]).flows.isEmpty) }

    /// Beside a login it is the page of another tab.
    @Test(arguments: [googles, wso2s]) func pageBesideALoginIsNoneOfIt(url: String) throws {
        var recording = try Recording("healthy/web-code-flow")
        recording.exchanges.append(shown(url))
        #expect(recording.outcomes == [.success] && recording.finding(rule) == nil)
    }
}
