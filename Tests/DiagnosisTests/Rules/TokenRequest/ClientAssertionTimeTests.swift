import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct ClientAssertionTimeTests {
    private let rule = "client-assertion-time"
    private let broken = "token-request/client-assertion-time"

    /// The answer's clock.
    private func now(_ recording: Recording) throws -> Int64 {
        let date = recording.exchanges.last { $0.request.url.path == "/token" }?.response?.headers.first(
            "date"
        )
        return try #require(date.flatMap { Timestamp(httpDate: $0) }).seconds
    }

    private func recording(iat: Int64, exp: Int64) throws -> Recording {
        let recording = try Recording(broken)
        let now = try now(recording)
        return recording.asserting { claims in
            claims["iat"] = .number(JSONNumber(now + iat))
            claims["exp"] = .number(JSONNumber(now + exp))
        }
    }

    @Test func namesTheTimes() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 jwt.claims iat", "5 jwt.claims exp", "5 response.header Date", "5 response.body error",
            ]
        )
        #expect(finding.evidence[1].note == "over for 1800 s")
    }

    @Test func leavesASmallDifferenceAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(
        arguments: [
            (-60, -5, false), (-60, -6, true), (60, 120, false), (61, 120, true), (0, 86_400, false),
        ] as [(Int64, Int64, Bool)]
    ) func drawsTheLine(iat: Int64, exp: Int64, isWrong: Bool) throws {
        #expect(try (recording(iat: iat, exp: exp).finding(rule) != nil) == isWrong)
    }

    @Test func wantsAnEnd() throws {
        let finding = try Recording(broken + ".near-miss").asserting { $0["exp"] = nil }.finding(rule)
        #expect(finding?.evidence.contains { $0.value == "missing" } == true)
    }

    @Test func knowsAProvidersLimitWhereTheClientWasRefused() throws {
        let recording = try recording(iat: 0, exp: 121).editing { exchange in
            exchange.request.url = RecordedURL(
                exchange.request.url.text.replacing("id.harbour.example", with: "stg-id.singpass.gov.sg")
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(
                    to: location.replacing("id.harbour.example", with: "stg-id.singpass.gov.sg")
                )
            }
        }
        #expect(recording.finding(rule)?.evidence[1].note == "121 s after iat; this provider allows 120 s")
        #expect(
            recording.granted()
                .finding(rule) == nil
        )
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule)?.severity == .warning)
    }

    @Test func abstainsWithoutADate() throws {
        let recording = try Recording(broken).editing {
            $0.response?.headers.remove("Date")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(arguments: ["1e300", "-1e300", "9223372036854775807"]) func survivesNumbersOfAnySize(number: String)
        throws
    {
        let recording = try Recording(broken).asserting { claims in
            claims["exp"] = .number(JSONNumber(text: number))
            claims["iat"] = .number(JSONNumber(text: number))
        }
        _ = recording.findings
    }

    /// RFC 7519, section 2: a NumericDate is in seconds.
    @Test func tellsMillisecondsFromAWrongClock() throws {
        let now = try now(Recording(broken))
        let recording = try Recording(broken).asserting { claims in
            claims["iat"] = .number(JSONNumber(now * 1000))
            claims["exp"] = .number(JSONNumber(now * 1000 + 60_000))
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == nil)
        #expect(finding.title == "The client assertion has its times in milliseconds")
        #expect(finding.fix == "Write iat, nbf and exp in seconds, not in milliseconds.")
        #expect(finding.notes.contains("milliseconds; seconds are expected"))
    }

    /// Nothing is signed in the future; what was signed in the past may have been kept.
    @Test(arguments: [(900, "clock", "15 min fast"), (-900, nil, "kept")] as [(Int64, String?, String)])
    func namesTheClockThatSigned(iat: Int64, variant: String?, words: String) throws {
        let finding = try #require(recording(iat: iat, exp: iat + 60).finding(rule))
        #expect(finding.fix.contains("difference between its own time and the Date"))
        #expect(finding.fix.contains("when it is sent") == (variant == nil))
        #expect(finding.isPrimary)
        #expect(finding.variant == variant)
        #expect(finding.explanation.contains(words))
        #expect((finding.title == "The client assertion was signed by a wrong clock") == (variant != nil))
    }
}
