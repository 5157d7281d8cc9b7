import Captures
import Diagnosis
import Flows
import Foundation
import JSON
import Reports
import TestSupport
import Testing

/// What is told of a recording while it goes on.
struct LiveStoryTests {
    /// Hands a capture over entry by entry, as it was recorded: each time a moment before the next entry comes.
    private func told(_ name: String, columns: Int = 120) throws -> [LiveStory.News] {
        let capture = try CaptureReader.read(path: Fixtures.root.appending(path: "captures/\(name).har").path)
        var story = LiveStory(style: .plain, columns: columns)
        var news: [LiveStory.News] = []
        for count in 1...capture.count {
            let part = Capture((0..<count).map { capture[$0] })
            let next =
                count < capture.count ? capture[count].endedAt : capture[count - 1].endedAt + .seconds(9)
            news += story.news(in: ReportBuilder.report(on: part, named: name), now: next - .milliseconds(1))
        }
        let report = ReportBuilder.report(on: capture, named: name)
        return news + story.news(in: report, now: capture[0].startedAt, isOver: true)
    }

    @Test func eachMessageIsToldOnceInTheOrderOfTime() throws {
        let messages = try told("token-request/pkce-verifier-mismatch").compactMap {
            if case .message(let line) = $0 { line } else { nil }
        }
        let kinds = messages.compactMap { line in
            ["discovery", "authorization_request", "authorization_response", "token_request", "jwks"].first {
                line.contains(" \($0) ")
            }
        }
        #expect(kinds.filter { $0 == "token_request" }.count == 1)
        #expect(Set(messages).count == messages.count)
        #expect(messages.contains { $0.contains("400") })
    }

    @Test(arguments: [40, 60, 80, 100, 200])
    func messageFitsTheTerminal(_ columns: Int) throws {
        let lines = try told("token-request/pkce-verifier-mismatch", columns: columns).compactMap {
            if case .message(let line) = $0 { line } else { nil }
        }
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(line.count <= columns)
            #expect(
                line.contains("_request") || line.contains("_response") || line.contains("discovery")
                    || line.contains("jwks")
            )
            // Who, when and where go first.
            #expect(line.contains("→") == (columns > 40))
            #expect((line.contains("  id.har") || line.contains("  www.shop")) == (columns >= 80))
        }
    }

    @Test func rootCauseIsToldWhenItsFlowIsQuiet() throws {
        let news = try told("token-request/pkce-verifier-mismatch")
        let findings = findings(news)
        #expect(findings.count == 1)
        #expect(findings.first?.contains("error pkce-verifier-mismatch") == true)
        #expect(findings.first?.contains("← root cause") == true)
    }

    @Test func nothingIsToldOfAFlowThatIsStillMoving() throws {
        let path = Fixtures.root.appending(path: "captures/token-request/pkce-verifier-mismatch.har").path
        let capture = try CaptureReader.read(path: path)
        let report = ReportBuilder.report(on: capture, named: "x")
        let end = try #require((0..<capture.count).map { capture[$0].endedAt }.max())
        var story = LiveStory(style: .plain)
        #expect(findings(story.news(in: report, now: end + .milliseconds(900))).isEmpty)
        #expect(!story.waiting.isEmpty)
        #expect(findings(story.news(in: report, now: end + .milliseconds(1000))).count == 1)
        #expect(story.waiting.isEmpty)
        #expect(
            findings(story.news(in: report, now: end + .seconds(9), isOver: true)).isEmpty,
            "once is enough"
        )
    }

    /// Whoever is at the login page may still type the password; nobody has to be asked again until something comes.
    @Test func loginThatHasNotEndedIsUnsettled() throws {
        let path = Fixtures.root.appending(path: "captures/authorization-response/login-abandoned.har").path
        let capture = try CaptureReader.read(path: path)
        let report = ReportBuilder.report(on: capture, named: "x")
        let later = try #require(capture.indices.map { capture[$0].endedAt }.max()) + .seconds(60)
        var story = LiveStory(style: .plain)
        _ = story.news(in: report, now: later)
        #expect(story.unsettled == ["flow-1"] && story.waiting.isEmpty)
        _ = story.news(in: report, now: later, isOver: true)
        #expect(story.unsettled.isEmpty)
        let broken = try ViewerCaptureTests.capture("token-request/pkce-verifier-mismatch").report
        _ = story.news(in: broken, now: broken.capture[0].startedAt)
        #expect(story.unsettled == story.waiting && !story.waiting.isEmpty)
        _ = story.news(in: broken, now: later + .seconds(1_000_000_000))
        #expect(story.unsettled.isEmpty)
    }

    @Test func goodLoginIsToldOnce() throws {
        let ends = ends(try told("healthy/web-code-flow"))
        #expect(ends.count == 1)
        #expect(ends.first?.hasPrefix("the login succeeded") == true)
    }

    /// A client that registers itself has not signed anybody in, and the login that follows is told.
    @Test func registrationIsNoLogin() throws {
        let registered = try CaptureReader.read(
            path: Fixtures.root.appending(path: "captures/registration/registration-open.har").path
        )
        let count = try #require(
            registered.indices.first { registered[$0].request.url.path.hasSuffix("/register") }
        )
        let first = Capture((0...count).map { registered[$0] })
        var story = LiveStory(style: .plain)
        let later = first[count].endedAt + .seconds(9)
        #expect(ends(story.news(in: ReportBuilder.report(on: first, named: "x"), now: later)).isEmpty)
        let whole = ReportBuilder.report(on: registered, named: "x")
        #expect(whole.flows.map(\.diagnosis.outcome) == [.success])
        #expect(ends(story.news(in: whole, now: later, isOver: true)).count == 1)
    }

    @Test(arguments: [
        ("security-practice/password-grant.near-miss", "the client got its token · client shop-web"),
        ("healthy/refresh", "the tokens were refreshed · client shop-web"),
        ("healthy/logout", "the logout succeeded"),
    ])
    func whatWentWellHasItsName(capture: String, text: String) throws {
        var exchanges = try CaptureReader.read(
            path: Fixtures.root.appending(path: "captures/\(capture).har").path
        )
        if let last = ["healthy/refresh": 6, "healthy/logout": 7][capture] {
            exchanges = Capture([exchanges[last]])
        }
        var story = LiveStory(style: .plain)
        let report = ReportBuilder.report(on: exchanges, named: "x")
        let news = story.news(in: report, now: exchanges[0].startedAt + .seconds(9), isOver: true)
        #expect(ends(news).map { $0.hasPrefix(text) } == [true], "\(ends(news))")
    }

    @Test func whatWentOnAfterAllIsTakenBack() throws {
        // The provider's certificate is not trusted at first; somebody mends that, and the user gets in.
        let news = try told("transport/tls-certificate-untrusted.near-miss")
        #expect(findings(news).count == 1)
        #expect(findings(news).first?.contains("tls-certificate-untrusted") == true)
        #expect(ends(news) == ["the login went on and succeeded: tls-certificate-untrusted did not stop it"])
    }

    @Test func whatIsTriedAgainAtOnceIsNotTold() throws {
        // The endpoint says "later", the app tries again within the second that a flow has to be quiet for.
        let news = try told("transport/rate-limited.near-miss")
        #expect(findings(news).isEmpty)
        #expect(ends(news) == ["the login succeeded · client shop-web · https://id.harbour.example"])
    }

    @Test func summaryHasALineForEachLoginOfTheRecording() throws {
        let path = Fixtures.root.appending(path: "captures/token-request/pkce-verifier-mismatch.har").path
        let capture = try CaptureReader.read(path: path)
        let report = ReportBuilder.report(on: capture, named: "x")
        let lines = TextReport.summary(of: report, from: 0, style: .plain)
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("  flow-1 · failure · authorization_code") == true)
        #expect(
            lines.last
                == "    error pkce-verifier-mismatch: The code verifier does not belong to the code challenge"
        )
        #expect(TextReport.summary(of: report, from: capture.count, style: .plain).isEmpty)
    }

    @Test func appThatBeginsAnewIsWaitedFor() throws {
        // The second round's page waits for the person for eight seconds.
        let news = try told("authorization-request/silent-login-required.near-miss")
        #expect(findings(news).isEmpty)
        #expect(ends(news).count == 1)
    }

    @Test func redirectIsFollowedBeforeAnythingIsTold() throws {
        // The callback was answered with a redirect to the login page, which is not there yet.
        let path = Fixtures.root.appending(
            path: "captures/authorization-request/silent-login-required.near-miss.har"
        ).path
        let whole = try CaptureReader.read(path: path)
        let report = ReportBuilder.report(on: Capture((0..<3).map { whole[$0] }), named: "x")
        let end = whole[2].endedAt
        var story = LiveStory(style: .plain)
        #expect(findings(story.news(in: report, now: end + .seconds(14))).isEmpty)
        #expect(!story.waiting.isEmpty)
        #expect(findings(story.news(in: report, now: end + .seconds(15))).count == 1)
    }

    /// The browser asks for no fragment, and writes no port that goes without saying.
    @Test(arguments: [
        "https://www.shop.example/", "https://www.shop.example/#/home", "https://www.shop.example:443/#_=_",
        "/",
    ])
    func pageThatARedirectLedToIsKnownByItsAddress(_ location: String) throws {
        let report = ReportBuilder.report(on: try Self.redirecting(to: location, entries: 9), named: "x")
        let end = try #require(report.capture.indices.map { report.capture[$0].endedAt }.max())
        var story = LiveStory(style: .plain)
        #expect(ends(story.news(in: report, now: end + .seconds(1))).count == 1)
        #expect(story.unsettled.isEmpty)
    }

    /// Nothing says yet that the page is not one of an error; what is known already is told.
    @Test func pageThatHasNotComeIsNamed() throws {
        let location = "https://www.shop.example/#/home"
        let report = ReportBuilder.report(on: try Self.redirecting(to: location, entries: 8), named: "x")
        let end = try #require(report.capture.indices.map { report.capture[$0].endedAt }.max())
        var story = LiveStory(style: .plain)
        #expect(ends(story.news(in: report, now: end + .seconds(14))).isEmpty)
        #expect(story.unsettled == ["flow-1"])
        let head = ViewerCapture(report, unsettled: story.unsettled).heads[0]
        #expect(head["settled"] == false && head["first"] == .null)
        #expect(
            head["lead"]?.string
                == "all went well so far; the page that the last redirect leads to, www.shop.example/, has not come yet"
        )
        #expect(ends(story.news(in: report, now: end + .seconds(15))).count == 1)
        #expect(ViewerCapture(report).heads[0]["lead"]?.string != head["lead"]?.string)
    }

    /// The first entries of a healthy login, whose callback is answered with this redirect.
    private static func redirecting(to location: String, entries: Int) throws -> Capture {
        let path = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let login = try CaptureReader.read(path: path)
        return Capture(
            (0..<entries).map { index in
                var exchange = login[index]
                if index == 4 { exchange.response?.headers = HeaderFields([("Location", location)]) }
                return exchange
            }
        )
    }

    @Test func aLookAtTheEndTellsTheSameAndOnce() throws {
        let path = Fixtures.root.appending(path: "captures/token-request/pkce-verifier-mismatch.har").path
        let login = try CaptureReader.read(path: path)
        let before = try CaptureReader.read(
            path: Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        )
        let whole = Capture((0..<before.count).map { before[$0] } + (0..<login.count).map { login[$0] })
        let now = login[login.count - 1].endedAt + .seconds(60)
        var story = LiveStory(style: .plain)
        let told = story.news(
            in: ReportBuilder.report(on: login, named: "x"),
            skipped: before.count,
            now: now
        )
        #expect(findings(told).count == 1)
        let again = story.news(in: ReportBuilder.report(on: whole, named: "x"), now: now, isOver: true)
        #expect(findings(again).isEmpty)
        let messages = again.filter { if case .message = $0 { true } else { false } }
        #expect(messages.count < before.count + 1, "those of the login were told")
        var other = LiveStory(style: .plain)
        let all = other.news(in: ReportBuilder.report(on: whole, named: "x"), now: now, isOver: true)
        #expect(all.count == told.count + again.count)
    }

    @Test func whatWasThereBeforeIsNoNews() throws {
        let path = Fixtures.root.appending(path: "captures/token-request/pkce-verifier-mismatch.har").path
        let capture = try CaptureReader.read(path: path)
        var story = LiveStory(from: capture.count, style: .plain)
        let report = ReportBuilder.report(on: capture, named: "x")
        #expect(story.news(in: report, now: capture[0].startedAt, isOver: true).isEmpty)
    }

    /// Whatever is told, in whatever order the entries came, is what `diagnose` says in the end, or is taken back.
    @Test func nothingElseIsToldThanWhatDiagnoseSaysInTheEnd() throws {
        let folder = Fixtures.root.appending(path: "captures")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".har")
        }
        .sorted()
        var checked = 0
        // One of each stage in turn: every prefix of every capture takes minutes.
        for name in names.enumerated().filter({ $0.offset % 9 == 0 }).map(\.element) {
            let capture = try CaptureReader.read(path: folder.appending(path: name).path)
            guard capture.count < 20 else { continue }
            let final = ReportBuilder.report(on: capture, named: name)
            let rules = Set(final.flows.flatMap { $0.diagnosis.findings.map(\.rule) })
            let news = try told(String(name.dropLast(4)))
            checked += 1
            for finding in findings(news) {
                let isTakenBack = ends(news).contains { $0.hasPrefix("the login went on") }
                #expect(
                    isTakenBack || rules.contains { finding.contains("error \($0)") },
                    "\(name): \(finding)"
                )
            }
        }
        #expect(checked > 20)
    }

    private func findings(_ news: [LiveStory.News]) -> [String] {
        news.compactMap { if case .finding(let lines) = $0 { lines.joined(separator: "\n") } else { nil } }
    }

    private func ends(_ news: [LiveStory.News]) -> [String] {
        news.compactMap { if case .end(let line) = $0 { line } else { nil } }
    }
}
