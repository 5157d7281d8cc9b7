import Captures
import Diagnosis
import Flows
import Foundation
import JSON
import Provider
import Replay
import Reports
import Synchronization
import TestSupport
import Testing

/// A bisection as users and programs get it.
struct BisectReportTests {
    private static let good = "captures/token-request/redirect-uri-token-mismatch.near-miss.har"
    private static let bad = "captures/token-request/redirect-uri-token-mismatch.har"

    private static func side(_ path: String, _ change: (String) -> String = { $0 }) throws
        -> DifferenceReport.Side
    {
        let text = change(String(decoding: try Fixtures.bytes(path), as: UTF8.self))
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: path)
        return DifferenceReport.Side(capture: path, flow: try #require(FlowFinder.flows(in: capture).first))
    }

    private static func cause(of flow: Flow) -> Finding? {
        Diagnostician.diagnose(flow).findings.first(where: \.isPrimary)
    }

    private static func failure(of flow: Flow) -> LoginFailure {
        let cause = cause(of: flow)
        return LoginFailure(
            of: flow,
            rule: cause?.rule,
            evidence: cause?.evidence.compactMap(\.place.exchange) ?? []
        )
    }

    /// The failing login, in another language and by another browser, bisected at the provider of the one that works.
    ///
    /// `isGone`: it answers nothing any more.
    private static func report(isDriven: Bool = true, isGone: Bool = false) async throws -> BisectReport {
        let good = try side(Self.good)
        let bad = try side(Self.bad) {
            $0.replacingOccurrences(of: "scope=openid", with: "ui_locales=de&scope=openid")
                .replacingOccurrences(of: "Mozilla/5.0", with: "Mozilla/6.0")
        }
        let plans = [good, bad].map { PlanBuilder($0.flow, siblings: [$0.flow]).plan() }
        let cause = cause(of: bad.flow)
        let failure = failure(of: bad.flow)
        let changes = RequestChangeFinder.changes(
            from: plans[0],
            to: plans[1],
            failedAt: failure.exchanges
        )
        var result: FlowBisection.Result?
        if isDriven {
            let provider = try RecordedProvider(
                capture: good.flow.surroundings.capture,
                baseURL: "http://127.0.0.1:8090"
            )
            let map = EndpointMap(provider.mapping.map { EndpointMap.Entry(old: $0.old, new: $0.new) })
            let options = FlowDriver.Options(map: map)
            result = await FlowBisection(
                good: plans[0],
                bad: plans[1],
                changes: changes,
                failure: failure,
                suspected: cause?.evidence.map(\.place) ?? [],
                environment: environment(isGone ? nil : provider),
                options: (options, options),
                limit: 20,
                judge: { flow in
                    flow.ending != .success || Self.cause(of: flow)?.severity == .error
                        ? .fails(Self.failure(of: flow)) : .works
                }
            ).run()
        }
        return BisectReport(
            good: good,
            bad: bad,
            recordedCause: cause,
            changes: changes,
            result: result,
            proof: isDriven && !isGone ? "proof.har" : nil
        )
    }

    /// By a clock of its own.
    private static func environment(_ provider: RecordedProvider?) -> FlowDriver.Environment {
        let clock = Mutex(Timestamp(seconds: 1_790_000_000))
        let count = Mutex<UInt8>(0)
        return FlowDriver.Environment(
            send: { request in
                let now = clock.withLock { time in
                    time = time + .milliseconds(3)
                    return time
                }
                return Exchange(
                    startedAt: now,
                    duration: .milliseconds(1),
                    request: request,
                    response: provider?.respond(to: request, at: now),
                    failure: provider == nil ? "connection refused" : nil
                )
            },
            clock: { clock.withLock { $0 } },
            sleep: { _ in },
            random: { length in
                (0..<length).map { _ in
                    count.withLock { value in
                        value = value &* 167 &+ 13
                        return value
                    }
                }
            }
        )
    }

    @Test func text() async throws {
        for (name, report) in [
            ("found", try await Self.report()), ("planned", try await Self.report(isDriven: false)),
            ("gone", try await Self.report(isGone: true)),
        ] {
            let text = BisectText(report, style: .plain).text + "\n"
            #expect(try Snapshot.difference(of: text, from: "diff/bisect-\(name).txt") == nil)
        }
    }

    /// Beside another window; the heads name two files.
    @Test(arguments: [50, 60]) func textIsNoWiderThanTheTerminal(columns: Int) async throws {
        let report = try await Self.report()
        let whole = BisectText(report, style: .plain, columns: 1000).text
        let text = BisectText(report, style: .plain, columns: columns).text
        let words = [whole, text].map { $0.split { $0 == " " || $0 == "\n" } }
        #expect(words[0] == words[1])
        let lines = text.split(separator: "\n")
        // A file's name stands whole.
        let broken = lines.filter { !$0.contains(".har#") }
        #expect(broken.count == lines.count - 2 && broken.allSatisfy { $0.count <= columns }, "\(text)")
    }

    @Test func jsonAndMarkdown() async throws {
        let report = try await Self.report()
        let json = BisectJSON.text(of: report) + "\n"
        #expect(try Snapshot.difference(of: json, from: "diff/bisect.json") == nil)
        let markdown = BisectMarkdown.text(of: report) + "\n"
        #expect(try Snapshot.difference(of: markdown, from: "diff/bisect.md") == nil)
    }

    @Test func jsonHasTheMembersThatProgramsRelyOn() async throws {
        let object = try JSONParser.parse(BisectJSON.text(of: try await Self.report()).utf8)
        #expect(object["version"] == 1 && object["ending"] == "found" && object["minimal"] == true)
        #expect(object["proof"] == "proof.har" && object["primary"] == "redirect-uri-token-mismatch")
        let roles = object["differences"]?.array?.compactMap { $0["role"]?.string } ?? []
        #expect(roles.sorted() == ["cause", "not_needed", "not_needed"])
        // The runs name the differences by their place in the list.
        let attempts = object["attempts"]?.array ?? []
        #expect(attempts.compactMap { $0["outcome"]?.string } == ["passes", "fails", "fails"])
        #expect(attempts.first?["differences"] == [])
        let cause = roles.firstIndex(of: "cause").map { Int64($0) }
        #expect(attempts.last?["differences"]?.array?.compactMap(\.int) == [cause].compactMap { $0 })
        let gone = try JSONParser.parse(BisectJSON.text(of: try await Self.report(isGone: true)).utf8)
        #expect(gone["ending"] == "good_fails" && gone["minimal"] == .null)
    }
}
