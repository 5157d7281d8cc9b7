import Captures
import Diagnosis
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
        ("AbCdEfGh", "abcdefgh"), ("AbCd", "\"AbCd\""),
        ("abcdefghijklmnopqrstuvwx", "abcdefghijklmnop"), ("abcdefghijklmnop", "abcdefghijklmnopqrs"),
    ]) func knowsTheStep(delivered: String, sent: String) throws {
        #expect(try recording(delivered: delivered, sent: sent).finding(rule) != nil)
    }

    /// The callback's request has what the token request has.
    @Test func knowsTheStepBeforeTheCallback() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.url = RecordedURL(
                Recording.changing(
                    exchange.request.url.text,
                    "code",
                    "4%2F0AtZxILGiVsSTHt39bdC-C0NP-wuzoJzB9NPAyV7U3"
                )
            )
        }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test(arguments: [
        ("abcdefgh", "12345678"), ("abcdefghijklmnop", "abcdefgh"), ("abc", "abc"),
        ("4/0AbCdEf", "[REDACTED]"),
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
