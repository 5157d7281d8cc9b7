import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct CodeAlteredTests {
    private let rule = "code-altered"
    private let broken = "token-request/code-altered"

    /// A login whose code is delivered as one string and sent as another.
    private func recording(delivered: String, sent: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(
                    Recording.changing(exchange.request.url.text, "code", delivered)
                )
            }
            if let location = exchange.response?.location, location.contains("code=4") {
                exchange.response?.redirect(to: Recording.changing(location, "code", delivered))
            }
        }.sending("code", sent)
    }

    /// Facebook and Instagram put `#_` behind the callback's URL.
    @Test func namesAFragmentThatIsStillOnIt() throws {
        let recording = try Recording("token-request/token-invalid-grant")
        let code = try #require(recording.flows.first?.tokenRequests.first?.code)
        let finding = recording.sending("code", code + "#_").finding("code-altered")
        #expect(finding?.notes.contains { $0.contains("fragment") } == true)
    }

    @Test func namesBothCodesAndTheStep() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.count == 3)
        #expect(finding.places[1] == "4 request.body code")
        #expect(finding.evidence[0].value == "4/0A…(44)")
        #expect(finding.evidence[1].note == "percent-encoded once too often")
    }

    @Test func leavesAnotherSpellingOfTheFormAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("4/0AbCdEf", "4%2F0AbCdEf"), ("ab%2Fcd", "ab/cd"), ("ab+cd", "ab cd"), ("ab cd", "ab+cd"),
        ("AbCd#_=_", "AbCd"), ("AbCd==", "AbCd"), ("AbCd", "AbCd#_=_"), ("4/0AbCd", "4"),
        ("4/0AbCd", "4%252F0AbCd"), ("ab cd/e", "ab+cd%2Fe"),
        ("AbCdEfGh", "abcdefgh"), ("AbCd", "\"AbCd\""),
        ("abcdefghijklmnopqrstuvwx", "abcdefghijklmnop"), ("abcdefghijklmnop", "abcdefghijklmnopqrs"),
    ]) func knowsTheStep(delivered: String, sent: String) throws {
        #expect(try recording(delivered: delivered, sent: sent).finding(rule) != nil)
    }

    /// The callback's request has what the token request has.
    private func alteredBeforeTheCallback() throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.url = RecordedURL(
                Recording.changing(
                    exchange.request.url.text,
                    "code",
                    "4%2F0AtZxILGiVsSTHt39bdC-C0NP-wuzoJzB9NPAyV7U3"
                )
            )
        }
    }

    @Test func knowsTheStepBeforeTheCallback() throws {
        #expect(try alteredBeforeTheCallback().finding(rule)?.isPrimary == true)
    }

    /// Two codes are of one answer where both have its state, and the redirect's did not arrive.
    @Test(arguments: [
        ("", true), ("behind an error", true), ("behind another login's", true), ("in another browser", true),
        ("without state", false), ("beside it", false), ("hidden", false),
    ])
    func codesOfOneAnswerAreCompared(way: String, isCompared: Bool) throws {
        var recording = try alteredBeforeTheCallback()
        let location = try #require(recording.exchanges[2].response?.location)
        var other = recording.exchanges[way == "beside it" ? 3 : way == "in another browser" ? 1 : 2]
        switch way {
        case "behind an error", "behind another login's":
            other.startedAt = other.startedAt - .milliseconds(500)
            let answer =
                way == "behind an error"
                ? location.replacing(/code=[^&]+/, with: "error=login_required")
                : Recording.changing(
                    Recording.changing(location, "code", "another-0001"),
                    "state",
                    "another-0001"
                )
            other.response?.redirect(to: answer)
            recording.exchanges.insert(other, at: 2)
        case "in another browser":
            other.startedAt = recording.exchanges[2].endedAt + .milliseconds(5)
            other.request.url = RecordedURL("https://id.harbour.example/account")
            other.request.headers.replace("User-Agent", with: "Mozilla/5.0 (iPhone) Safari/604.1")
            recording.exchanges.insert(other, at: 3)
        case "without state": recording = recording.asking("state", "").redirecting(with: [("state", "")])
        case "beside it":
            other.startedAt = other.startedAt - .milliseconds(20)
            other.duration = .milliseconds(5)
            other.request.url = RecordedURL(location)
            recording.exchanges.insert(other, at: 3)
        case "hidden":
            let hidden = Recording.changing(location, "code", "[REDACTED]")
            recording.exchanges[2].response?.redirect(to: hidden)
        default: break
        }
        let notes = try #require(recording.finding("token-invalid-grant")).notes
        #expect(notes.contains("the code in the provider's redirect") == isCompared)
        #expect((recording.finding(rule) != nil) == isCompared)
    }

    @Test(arguments: [
        ("abcdefgh", "12345678"), ("abcdefghijklmnop", "abcdefgh"), ("abc", "abc"),
        ("4/0AbCdEf", "[REDACTED]"), ("-bcdefgh", ""), ("AbCdEfG", "abcdefg"),
    ]) func leavesUnrelatedCodesAlone(delivered: String, sent: String) throws {
        #expect(try recording(delivered: delivered, sent: sent).finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWithoutTheDeliveredCode() throws {
        let recording = try Recording(broken).without { $0.request.url.path != "/token" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// What was delivered is not there to compare: that the code is still encoded stands with the refusal.
    @Test(arguments: ["Malformed auth code.", "The code is malformed"])
    func codeThatIsStillEncodedIsToldWithTheRefusalOfOneHalf(words: String) throws {
        let half = try Recording(broken).answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        ).withoutAuthorization
        for (code, isEncoded) in [("4%2F0AbCdEf_gHiJ", true), ("4/0AbCdEf_gHiJ", false)] {
            let recording = half.sending("code", code)
            #expect(recording.finding(rule) == nil)
            let finding = try #require(recording.finding("token-invalid-grant"))
            #expect(finding.isPrimary)
            #expect(finding.notes.contains("%XX is left once it is decoded") == isEncoded)
            // Google's words are known by themselves.
            #expect(
                finding.title.hasSuffix("it is still encoded") == (isEncoded && !words.hasPrefix("Malformed"))
            )
        }
    }
}
