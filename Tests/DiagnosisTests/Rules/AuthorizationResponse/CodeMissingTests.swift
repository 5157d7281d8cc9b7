import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct CodeMissingTests {
    private let rule = "code-missing"
    private let broken = "authorization-response/code-missing"

    private func moved(to target: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(RecordedURL(target).withoutQuery)
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: target)
            }
        }
    }

    @Test func showsTheRedirect() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query redirect_uri", "2 response.location "])
        #expect(finding.notes == ["no parameters"])
        #expect(recording.outcomes == [.failure])
    }

    @Test func namesWhatIsThereInstead() throws {
        let recording = try moved(to: "https://www.shop.example/callback?state=1&session=2")
        #expect(recording.finding(rule)?.notes == ["only state, session"])
    }

    @Test(arguments: [
        "https://www.shop.example/callback?error=x", "https://www.shop.example/callback?response=x",
        "https://www.shop.example/", "https://id.harbour.example/callback",
    ])
    func leavesAlone(target: String) throws { #expect(try moved(to: target).finding(rule) == nil) }

    @Test func leavesOtherResponseTypesAlone() throws {
        #expect(try Recording(broken).asking("response_type", "none").finding(rule) == nil)
    }

    @Test(arguments: [("code", "fragment"), ("code id_token", nil)])
    func abstainsWhereTheFragmentMayHaveBeenLeftOut(type: String, mode: String?) throws {
        let recording = try Recording(broken).asking("response_type", type).asking("response_mode", mode)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("fragment") == true)
    }

    @Test func leavesTheNearMissAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// Some sign-ins end by loading the address of the request again, which then redirects.
    @Test func readsTheAnswerOfTheSameRequestSentAgain() throws {
        var recording = try Recording(broken)
        let page = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        let request = try #require(recording.exchanges.first { $0.request.url.path == "/authorize" })
        recording.exchanges[page].request = request.request
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    /// RFC 6749, section 3.1.2: to a query that is there the answer is added behind an ampersand.
    @Test(arguments: ["code=SplxlOBeZQQYbYS6WxSbIA", "error=access_denied"])
    func answerBehindASecondQuestionMarkIsToldAsThat(answer: String) throws {
        let asked = "https://www.shop.example/callback?tenant=7"
        let recording = try moved(to: "\(asked)?\(answer)&state=1").asking("redirect_uri", asked)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("second question mark"))
        #expect(finding.notes == ["a second \"?\" before the answer"])
        #expect(!finding.evidence.contains { $0.value.contains("SplxlOBeZQQYbYS6WxSbIA") })
    }

    /// A value of the redirect URI's own may hold an address with a query.
    @Test func questionMarkOfTheRedirectURIsOwnIsNone() throws {
        let asked = "https://www.shop.example/callback?return_to=%2Fx%3Fstate%3Dopen"
        let recording = try moved(to: asked).asking("redirect_uri", asked)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The provider's answer has neither a code nor an error")
        #expect(finding.notes == ["only return_to"])
    }
}
