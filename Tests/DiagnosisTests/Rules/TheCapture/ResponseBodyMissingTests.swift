import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ResponseBodyMissingTests {
    private let rule = "response-body-missing"
    private let broken = "the-capture/response-body-missing"

    @Test func showsSizeAndType() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places == ["4 response.body "])
        #expect(finding.evidence[0].value.hasSuffix(" bytes, application/json"))
        #expect(finding.notes == ["status 200; not saved"])
    }

    @Test func anAnswerWithoutContentLacksNone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        (200, true), (401, true), (204, false), (205, false), (302, false), (304, false), (500, false),
    ])
    func looksAtTheStatus(status: Int, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/token" { exchange.response?.status = status }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Its answer has the length of what a GET would get (RFC 9110, section 9.3.2).
    @Test(arguments: [("GET", true), ("HEAD", false)]) func nobodyReadsABodyByHEAD(
        method: String,
        fires: Bool
    ) throws {
        let recording = try Recording("healthy/web-code-flow").editingLast("/jwks") { exchange in
            exchange.request.method = method
            exchange.response?.body = Body(content: .missing, mediaType: "application/json", size: 900)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func aSizeOfZeroIsAnEmptyBody() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/token" { exchange.response?.body?.size = 0 }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func noSizeIsNoEmptyBody() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/token" { exchange.response?.body = nil }
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test func saysNothingOfPages() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.response?.body?.essence == "text/html" {
                exchange.response?.body = Body(content: .missing, mediaType: "text/html", size: 400)
            }
        }
        #expect(recording.finding(rule) == nil)
    }
}
