import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ExpiresInNotNumberTests {
    private let rule = "expires-in-not-number"
    private let broken = "token-response/expires-in-not-number"

    @Test func showsTheValueAsItStands() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["4 response.body expires_in"])
        #expect(finding.evidence[0].value == "\"600\"")
        #expect(finding.notes == ["a string"])
    }

    @Test func leavesAnAnswerWithoutItAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test(arguments: [
        (JSONValue.number(JSONNumber(text: "600")), String?.none), (.number(JSONNumber(text: "0")), nil),
        (.null, nil),
        (.number(JSONNumber(text: "-1")), "negative"),
        (.number(JSONNumber(text: "3600.5")), "no whole number"),
        (.number(JSONNumber(text: "1e400")), "no whole number"), (.bool(true), "no number"),
    ])
    func tellsNumbersFromOthers(value: JSONValue, note: String?) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = value }
        #expect(recording.finding(rule)?.notes.first == note)
    }

    /// Firebase and Entra's first version document the digits as text.
    @Test(arguments: [
        ("https://securetoken.googleapis.com/token", "3600", Severity.note),
        ("https://securetoken.googleapis.com/token", "", .warning),
        ("https://securetoken.googleapis.com/token", "soon", .warning),
        ("https://login.microsoftonline.com/contoso/oauth2/token", "3600", .note),
        ("https://login.microsoftonline.com/contoso/oauth2/v2.0/token", "3600", .warning),
    ])
    func whatIsDocumentedSoIsANote(url: String, text: String, severity: Severity) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = .string(text) }
            .editingLast("/token") { $0.request.url = RecordedURL(url) }
        #expect(recording.finding(rule)?.severity == severity)
    }

    @Test(arguments: [("600", true), ("", true), ("ten minutes", false)]) func inAFormDigitsAreANumber(
        text: String,
        isGood: Bool
    ) throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response?.body = Body(
                text: "access_token=a&token_type=bearer&expires_in=\(text)",
                mediaType: FormBody.mediaType
            )
        }
        #expect((recording.finding(rule) == nil) == isGood)
    }
}
