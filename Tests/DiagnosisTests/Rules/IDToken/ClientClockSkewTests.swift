import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct ClientClockSkewTests {
    private let rule = "client-clock-skew"
    private let broken = "id-token/client-clock-skew"

    @Test func namesTheDifferenceAndSamples() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.evidence[0].value.hasPrefix("16 min 59 s slow")
                || finding.evidence[0].value == "17 min slow"
        )
        #expect(finding.places[0] == "- timing difference")
        #expect(finding.places.filter { $0.hasSuffix("response.header Date") }.count == 3)
        #expect(finding.places.last == "3 jwt.claims iat")
    }

    @Test func putsUpWithAMinuteAndAHalf() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// With the client's clock so many seconds further back.
    private func shifted(_ seconds: Int64) throws -> Recording {
        try Recording(broken).editing { $0.startedAt = $0.startedAt - .seconds(seconds) }
    }

    @Test func hintsAtTheTimeZone() throws {
        #expect(try shifted(8 * 3600 - 1020).finding(rule)?.notes.first?.contains("time zone") == true)
        #expect(try shifted(0).finding(rule)?.notes.first?.contains("time zone") == false)
    }

    @Test func aFastClockIsAWarningWhileTheTokenHolds() throws {
        #expect(try shifted(-1020 - 300).finding(rule)?.severity == .warning)
        let short = try shifted(-1020 - 300).editingIDToken { claims in
            claims["exp"] = claims["iat"]?.int.map { .number(JSONNumber($0 + 200)) }
        }
        #expect(short.finding(rule)?.severity == .error)
    }

    @Test func isAWarningWhereTheTokensWereUsed() throws {
        var recording = try Recording(broken)
        var call = try #require(Recording("healthy/native-app").exchanges.last)
        let token = try #require(recording.flows.first?.tokenRequests.first?.accessToken)
        call.request.headers = HeaderFields([("Authorization", "Bearer \(token)")])
        call.startedAt = recording.exchanges[recording.exchanges.count - 1].endedAt + .seconds(1)
        call.response?.headers = HeaderFields([("Content-Type", "application/json")])
        recording.exchanges.append(call)
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesTimesWithoutAnOffsetAlone() throws {
        #expect(try Recording(broken).editing { $0.isZoneKnown = false }.finding(rule) == nil)
    }

    @Test func leavesCachedAnswersAlone() throws {
        let aged = try Recording(broken).editing { $0.response?.headers.append("Age", "1020") }
        #expect(aged.finding(rule) == nil)
        let kept = try Recording(broken).editing { $0.foreign["_fromCache"] = "disk" }
        #expect(kept.finding(rule) == nil)
    }

    @Test func wantsTwoSamples() throws {
        var kept = 0
        let recording = try Recording(broken).editing { exchange in
            if kept > 0 { exchange.response?.headers.fields.removeAll { $0.name == "Date" } }
            kept += 1
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func aServerThatIsWrongAloneIsNoWrongDevice() throws {
        var number = 0
        let recording = try Recording(broken).editing { exchange in
            number += 1
            if number % 2 == 0 { exchange.startedAt = exchange.startedAt + .seconds(1020) }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWhereNobodyStatesATime() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response?.headers.fields.removeAll { $0.name == "Date" }
        }
        #expect(recording.abstention(rule) == "no answer states the server's time")
    }
}
