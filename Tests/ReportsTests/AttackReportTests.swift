import JSON
import Reports
import TestSupport
import Testing

/// The result of an attack suite as users and programs get it.
struct AttackReportTests {
    private typealias Row = AttackReport.Row

    private static func attack(_ fault: String, _ verdict: AttackReport.Verdict) -> Row {
        Row(
            fault: fault,
            rule: String(fault.prefix { $0 != ":" }),
            summary: "What \(fault) is.",
            mustBeRejected: true,
            duty: "Check it.",
            verdict: verdict,
            reason: verdict == .undecided ? "the login may go through, if nothing is used" : nil,
            ending: verdict == .letThrough ? "status 0" : "status 1",
            duration: .milliseconds(1250),
            wentOn: ["keys", "userinfo"],
            lastWords: ["first line", "\u{1b}[2Jsecond <line>"]
        )
    }

    private static func skipped(_ fault: String, _ reason: String) -> Row {
        Row(
            fault: fault,
            rule: fault,
            summary: "What \(fault) is.",
            mustBeRejected: true,
            verdict: .notExercised,
            reason: reason
        )
    }

    private static func report(_ rows: [Row], stop: String? = nil) -> AttackReport {
        AttackReport(
            issuer: "http://127.0.0.1:8090",
            command: "npm run login-test",
            rows: rows,
            goodLogins: 2,
            duration: .seconds(12),
            stop: stop,
            notReached: stop == nil ? 0 : 3
        )
    }

    private static let mixed: AttackReport = {
        var late = attack("id-token-expired", .rejected)
        late.isConfirmed = false
        var slow = Row(
            fault: "hanging",
            rule: nil,
            summary: "A token request is never answered.",
            mustBeRejected: false,
            verdict: .rejected,
            ending: "ended after its time",
            isTimeout: true,
            duration: .seconds(60)
        )
        slow.isConfirmed = true
        let open = Row(
            fault: "token-response-cacheable",
            rule: "token-response-cacheable",
            summary: "The token response may be kept by caches.",
            mustBeRejected: false,
            verdict: .letThrough,
            ending: "status 0",
            duration: .seconds(1)
        )
        return report(
            [
                attack("state-mismatch", .rejected), attack("id-token-nonce-mismatch", .letThrough), late,
                attack("userinfo-sub-mismatch", .undecided),
                skipped("jarm-invalid", "this login has no signed authorization responses (JARM)"),
                skipped("refresh-subject-changed", "this login has no refresh"), open, slow,
            ],
            stop: "the good login, which worked before, fails after id-token-expired"
        )
    }()

    @Test func text() throws {
        let text = AttackText(Self.mixed, style: .plain).text + "\n"
        #expect(try Snapshot.difference(of: text, from: "attack/mixed.txt") == nil)
    }

    @Test func json() throws {
        let text = AttackJSON.text(of: Self.mixed) + "\n"
        #expect(try Snapshot.difference(of: text, from: "attack/mixed.json") == nil)
    }

    @Test func junit() throws {
        let text = AttackJUnit.text(of: Self.mixed) + "\n"
        #expect(try Snapshot.difference(of: text, from: "attack/mixed.xml") == nil)
    }

    @Test func markdown() throws {
        let text = AttackMarkdown.text(of: Self.mixed) + "\n"
        #expect(try Snapshot.difference(of: text, from: "attack/mixed.md") == nil)
    }

    @Test func whatACommandPrintsIsHarmless() {
        for text in [AttackText(Self.mixed, style: .plain).text, AttackJUnit.text(of: Self.mixed)] {
            #expect(!text.contains("\u{1b}") && !text.contains("<line>"))
        }
    }

    @Test func headlineCountsAttacksAlone() {
        #expect(
            Self.report([Self.attack("state-mismatch", .rejected)]).headline
                == "1 attack tried, every one rejected"
        )
        #expect(
            Self.mixed.headline
                == "4 attacks tried, 2 rejected, 1 let through, 1 undecided; 2 of 8 faults not exercised"
        )
        let none = Self.report([Self.skipped("jarm-invalid", "none")])
        #expect(none.headline.hasPrefix("no attack was tried: none of") && !none.provesSomething)
        #expect(none.headline.hasSuffix("; 1 of 1 fault not exercised"))
        var interrupted = Self.report([])
        interrupted.notReached = 86
        #expect(interrupted.headline == "no attack was tried")
    }
}
