import Foundation
import JSON
import TestSupport
import Testing

/// Pages of `show --format html` in a real browser: what is drawn, what a click and a key do, and that nothing of a capture
/// ever runs.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
)
struct ViewerPageTests {
    private typealias Plan = ViewerVisit.Plan

    /// Writes a page for each capture and opens them, one after the other.
    private func visits(_ plan: [(capture: String, hash: String, steps: [[String]])]) throws -> [ViewerVisit]
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var items: [Plan] = []
        for (number, item) in plan.enumerated() {
            let page = folder.file("\(number).html")
            let made = try Program.run(["show", "--format", "html", "--out", page, item.capture])
            try #require(made.status == 0, "\(made.errors)")
            items.append(Plan(url: "file://\(page)\(item.hash)", steps: item.steps))
        }
        return try ViewerVisit.visits(items)
    }

    private static let captures = [
        "healthy/web-code-flow", "healthy/native-app", "healthy/refresh", "healthy/logout",
        "token-request/pkce-verifier-mismatch", "id-token/id-token-kid-unknown",
        "user-agent/state-cookie-lost",
        "transport/tls-client-rejects-recorder", "security-practice/implicit-flow",
    ]

    @Test func flowsAndFindingsAreThoseOfTheDiagnosis() throws {
        let plan = Self.captures.map { (ViewerVisit.path($0), "#exchange=0", [[String]]()) }
        for (visit, item) in zip(try visits(plan), plan) {
            visit.expectDecent()
            let told = try Program.run(["diagnose", "--format", "json", item.0])
            let flows = try JSONParser.parse(told.output.utf8)["flows"]?.array ?? []
            #expect(visit.seen(0, "flows").count == flows.count)
            // The first that failed, else the first with something wrong, else the first.
            let flow =
                flows.first { $0["outcome"]?.string == "failure" }
                ?? flows.first { $0["findings"]?.array?.contains { $0["severity"] != "note" } == true }
                ?? flows.first
            let causes = (flow?["findings"]?.array ?? []).filter { $0["effect_of"] == nil }
            #expect(visit.seen(0, "findings").count == causes.count, "\(item.0)")
            for (shown, cause) in zip(visit.seen(0, "findings"), causes) {
                #expect(shown.hasSuffix(try #require(cause["title"]?.string)))
            }
            #expect(!visit.seen(0, "rows").isEmpty)
        }
    }

    @Test func valueIsFollowedAndSecretsAreShownOnRequestOnly() throws {
        let capture = ViewerVisit.path("token-request/pkce-verifier-mismatch")
        let verifier = "ZL52VOi92l1LiU61fwx972146knKQKqIvjPePuo4Pvq"
        let visit = try #require(
            try visits([
                (
                    capture, "#exchange=4",
                    [
                        ["click", ".values button", "Follow code_verifier"], ["key", "Escape"],
                        ["click", ".message-panel .values button", "Show code_verifier"], ["key", "s"],
                        ["key", "s"],
                        ["click", ".evidence button", "[1] request.query code_challenge"],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        #expect(visit.seen(0, "heading").first?.hasPrefix("[4] token request") == true)
        #expect(visit.seen(1, "marked") == ["code_challenge (made wrongly)", "code_verifier is made"])
        #expect(visit.seen(1, "way").count == 2)
        #expect(visit.seen(1, "way").last?.contains("as a hash that is made wrongly") == true)
        #expect(visit.seen(2, "marked") == [] && visit.seen(2, "way") == [])
        #expect(!visit.seen(2, "values").joined().contains(verifier))
        // One is shown, the others stay hidden; then all, then none.
        #expect(visit.seen(3, "values").joined().contains(verifier))
        #expect(visit.seen(3, "values").first { $0.hasPrefix("code\n") }?.contains("••••") == true)
        #expect(visit.seen(4, "values").joined().contains("•") == false)
        #expect(!visit.seen(5, "values").joined().contains(verifier))
        // PKCE is computed in the page: by hex there, by base64url it would be something else.
        #expect(visit.seen(0, "pkce").contains("✗ The two are not the same."))
        #expect(visit.seen(0, "pkce").contains { $0.contains("CqPIKorocbrBbdZOqskZFWgDCizYVcijXRiY9cmMtCM") })
        // A finding's evidence leads to the message, where the value is marked.
        #expect(visit.seen(6, "heading").first?.hasPrefix("[1] authorization request") == true)
        #expect(visit.seen(6, "chosen").map { $0.prefix(14) } == ["code_challenge"])
    }

    /// Evidence may stand in a message of another login.
    @Test func evidenceLeadsToItsPlaceAndTheLoginStays() throws {
        let plan = [
            ("user-agent/silent-login-cookies-blocked", "[2] response.header Set-Cookie"),
            ("id-token/id-token-nonce-mismatch", "[4] jwt.claims nonce"),
            ("authorization-request/redirect-uri-not-registered", "[3] response.body"),
        ]
        let mark = """
            const panel = document.querySelector('.one-message').getBoundingClientRect();
            const mark = document.querySelector('pre .chosen') ?? document.querySelector('.chosen');
            const { top, bottom } = mark.getBoundingClientRect();
            return top > panel.top && bottom < panel.bottom ? mark.innerText : 'out of view';
            """
        let visits = try visits(
            plan.map { (ViewerVisit.path($0), "", [["click", ".evidence button", $1], ["run", mark]]) }
        )
        let marked = visits.map { $0.results[1].string ?? "" }
        #expect(marked[0] == "Set-Cookie" && marked[1].hasPrefix("nonce"), "\(marked)")
        #expect(!marked[2].isEmpty && marked[2] != "out of view", "\(marked)")
        for (visit, item) in zip(visits, plan) {
            visit.expectDecent()
            #expect(visit.seen(1, "heading").first?.hasPrefix(item.1.prefix(3)) == true, "\(item)")
            #expect(visit.seen(1, "findings") == visit.seen(0, "findings"), "\(item)")
        }
    }

    /// In a window in which the panels stand below each other, and in one in which each scrolls by itself.
    @Test func messageThatIsChosenIsReadFromItsBeginning() throws {
        let capture = ViewerVisit.path("healthy/web-code-flow")
        let top = "return document.querySelector('.message-panel h2').getBoundingClientRect().top"
        let visit = try #require(
            try visits([
                (
                    capture, "#exchange=4",
                    [
                        ["size", "1000", "800"], ["click", ".diagram .row.message", "token request"],
                        ["run", top], ["size", "1400", "900"],
                        ["run", "document.querySelector('.one-message').scrollTop = 4000"],
                        ["click", ".diagram .row.message", "authorization request"],
                        ["run", "return document.querySelector('.one-message').scrollTop"],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        let seen = try #require(visit.results[2].double)
        #expect(seen >= 0 && seen < 500, "\(seen)")
        #expect(visit.results[6].double == 0)
    }

    /// In a narrow window the message stands far below the logins and the findings.
    @Test func messageOfALinkIsInView() throws {
        let top = "return document.querySelector('.message-panel h2').getBoundingClientRect().top"
        let visit = try #require(
            try visits([
                (
                    ViewerVisit.path("healthy/web-code-flow"), "#exchange=4",
                    [
                        ["size", "360", "740"], ["run", "location.hash = '#exchange=5'"],
                        ["wait", ".message-panel h2", "[5]"], ["run", top],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        let seen = try #require(visit.results[3].double)
        #expect(seen >= 0 && seen < 500, "\(seen)")
    }

    /// The name of a rule, or of a host, may be wider than the window.
    @Test func filterIsNoWiderThanTheWindow() throws {
        let visit = try #require(
            try visits([
                (
                    ViewerVisit.path("token-request/redirect-uri-token-mismatch"), "",
                    [
                        ["size", "320", "740"], ["run", "document.querySelector('.filters').open = true"],
                        [
                            "run",
                            "const page = document.documentElement; return page.scrollWidth - page.clientWidth",
                        ],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        #expect(visit.results[2].double == 0)
    }

    /// As it is each time something is recorded, or the window becomes another size.
    @Test func drawingAgainLeavesTheReaderAlone() throws {
        let capture = ViewerVisit.path("healthy/web-code-flow")
        let state = """
            const list = document.querySelector('.diagram .list');
            const panel = document.querySelector('.one-message');
            return [list.scrollTop, panel.scrollTop, getSelection().toString(), document.querySelector('.try input').value].join();
            """
        let read = """
            const list = document.querySelector('.diagram .list');
            list.style.height = '90px';
            list.scrollTop = 200;
            document.querySelector('.one-message').scrollTop = 150;
            getSelection().selectAllChildren(document.querySelector('.message-panel h2'));
            document.querySelector('.try input').value = 'another';
            """
        let visit = try #require(
            try visits([
                (
                    capture, "#exchange=5",
                    [
                        ["click", ".pkce button", "Show code_verifier"], ["run", read], ["run", state],
                        ["run", "dispatchEvent(new Event('resize'))"], ["run", state],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        #expect(visit.results[2].string?.hasPrefix("200,150,[5]") == true, "\(visit.results[2])")
        #expect(visit.results[2].string?.hasSuffix(",another") == true)
        #expect(visit.results[4] == visit.results[2])
    }

    @Test func noteOnAMaskedValueQuotesNothingOfIt() throws {
        let capture = ViewerVisit.path("id-token/id-token-nonce-mismatch")
        let notes =
            "return [...document.querySelectorAll('.evidence .note')].map((note) => note.innerText).join()"
        let visit = try #require(
            try visits([
                (
                    capture, "",
                    [["run", notes], ["key", "s"], ["run", notes], ["key", "P"], ["run", notes]]
                )
            ])
            .first
        )
        visit.expectDecent()
        let told = [0, 2, 4].map { visit.results[$0].string ?? "" }
        #expect(told.allSatisfy { $0.contains("differs from character 1 on") }, "\(told)")
        #expect(told.map { $0.contains("instead of") } == [false, true, false])
    }

    /// What turns the text around it, or has no width, is shown by its number.
    @Test func marksThatReorderTextAreShown() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("turned.har")
        let text = try String(contentsOfFile: ViewerVisit.path("healthy/web-code-flow"), encoding: .utf8)
        try text.replacing("shop-web", with: "exe.\u{202e}g\u{a0}np").write(
            toFile: file,
            atomically: true,
            encoding: .utf8
        )
        let visit = try #require(
            try visits([(file, "#exchange=1", [["run", "return document.documentElement.innerText"]])]).first
        )
        visit.expectDecent()
        let seen = visit.results[0].string ?? ""
        #expect(seen.contains("exe.\\u{202e}g\\u{a0}np") && !seen.contains("\u{202e}"))
    }

    @Test func searchLeavesAComparison() throws {
        let capture = ViewerVisit.path("authorization-request/redirect-uri-not-registered")
        let seen = "return String(document.querySelector('.results')?.checkVisibility())"
        let steps = [["key", "/"], ["type", "client_id"], ["key", "Enter"], ["run", seen]]
        let visit = try #require(try visits([(capture, "#view=compare", steps)]).first)
        visit.expectDecent()
        #expect(visit.results[3].string == "true")
    }

    @Test func presentationShowsNoSecret() throws {
        let capture = ViewerVisit.path("healthy/web-code-flow")
        let all = "return document.documentElement.innerText"
        let visits = try visits(
            (0..<7).map { exchange in
                (
                    capture, "#exchange=\(exchange)",
                    [["key", "s"], ["run", all], ["key", "P"], ["key", "s"], ["run", all]]
                )
            }
        )
        let messages = try Program.run(["show", "--format", "json", capture])
        let links = try JSONParser.parse(messages.output.utf8)["flows"]?.array?.first?["links"]?.array ?? []
        #expect(!links.isEmpty)
        let challenge = visits.flatMap { $0.seen(0, "pkce") }.joined()
        #expect(challenge.contains("✓ The two are the same."))
        var shown = 0
        for visit in visits {
            visit.expectDecent()
            // A provider's keys are public.
            if visit.seen(0, "heading").first?.contains("key set") == true { continue }
            let (open, presented) = (visit.results[1].string ?? "", visit.results[4].string ?? "")
            // What is random and long enough to be a secret: nothing of it stays.
            let secrets = open.matches(of: /[A-Za-z0-9_-]{20,}/).map { String($0.output) }.filter {
                $0.contains(/[0-9]/) && $0.contains(/[A-Z]/)
            }
            shown += secrets.count
            for secret in secrets where presented.contains(secret) {
                // A challenge is the hash of its verifier, and shows nothing of it.
                #expect(challenge.contains(secret), "\(secret) is presented")
            }
            #expect(!presented.contains("Headers of the request"))
        }
        #expect(shown > 10)
    }

    /// Larger letters leave the diagram its room, and of few findings the room is the message's.
    @Test func presentationFitsItsWindow() throws {
        let beyond = """
            const diagram = document.querySelector('.diagram');
            return diagram.scrollWidth - diagram.clientWidth;
            """
        let height = "return document.querySelector('.one-message').clientHeight"
        let plan = [("token-request/pkce-verifier-mismatch", 200.0), ("healthy/web-code-flow", 550)]
        let visits = try visits(
            plan.map { name, _ in
                (
                    ViewerVisit.path(name), "#exchange=4&present=1",
                    [["size", "1280", "800"], ["run", beyond], ["run", height]]
                )
            }
        )
        for (visit, item) in zip(visits, plan) {
            visit.expectDecent()
            #expect(visit.results[1].double == 0, "\(item)")
            #expect(visit.results[2].double ?? 0 > item.1, "\(item)")
        }
    }

    /// A secret that no other message has is looked for by its place.
    @Test func followedSecretStandsNowhere() throws {
        let capture = ViewerVisit.path("healthy/web-code-flow")
        let all = """
            return document.documentElement.innerText + document.title + decodeURIComponent(location.href)
              + [...document.querySelectorAll('input')].map((field) => field.value).join()
            """
        let steps = [["click", ".values button", "Follow password"], ["run", all], ["key", "Escape"]]
        let visit = try #require(try visits([(capture, "#exchange=3&present=1", steps)]).first)
        visit.expectDecent()
        #expect(visit.seen(1, "results").count == 1 && visit.seen(3, "results").isEmpty)
        let text = visit.results[1].string ?? ""
        #expect(text.contains("The value of password in 1 place") && !text.contains("not-a-password"))
    }

    @Test func differenceOpensSideBySideAndPagesPrintWhole() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let page = folder.file("difference.html")
        let pair = ["healthy/web-code-flow", "token-request/pkce-verifier-mismatch"].map(ViewerVisit.path)
        try #require(try Program.run(["diff", "--html", page] + pair).status == 1)
        let count = "return document.querySelectorAll('.diagram .row').length"
        let size = "return Number(document.querySelector('.diagram .row').getAttribute('aria-setsize'))"
        let visit = try #require(
            try ViewerVisit.visits([
                Plan(
                    url: "file://\(page)",
                    steps: [
                        ["click", ".steps button", "[5] 200"],
                        ["run", "document.querySelector('.diagram .list').style.height = '90px'"],
                        ["key", "d", "Home"], ["run", count],
                        ["run", "dispatchEvent(new Event('beforeprint'))"], ["run", count],
                        ["run", size], ["run", "dispatchEvent(new Event('afterprint'))"],
                        ["click", "header button", "Compare"],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        #expect(visit.seen(0, "headline").first?.contains("code_verifier") == true)
        #expect(visit.seen(1, "heading").first?.hasPrefix("[5] token request") == true)
        let (few, all, listed) = (visit.results[3].int ?? 0, visit.results[5].int ?? 0, visit.results[6].int)
        #expect(all > few && all == listed, "\(few) and \(all)")
        #expect(visit.seen(9, "headline") == visit.seen(0, "headline"))
    }

    /// Of rules there may be many; what an exchange is, is one.
    @Test func kindOfAnExchangeIsReadableBesideItsRules() throws {
        let look = """
            const row = [...document.querySelectorAll('.row.exchange')]
              .find((row) => row.querySelector('.kinds').textContent === 'authorization request');
            row.querySelector('.rules').textContent = 'id-token-nonce-mismatch, pkce-challenge-malformed';
            const kinds = row.querySelector('.kinds');
            return kinds.scrollWidth <= kinds.clientWidth && row.scrollWidth <= row.clientWidth;
            """
        let capture = ViewerVisit.path("token-request/pkce-verifier-mismatch")
        let steps = [["size", "1280", "800"], ["run", look]]
        let visit = try #require(try visits([(capture, "#view=exchanges", steps)]).first)
        #expect(visit.results.last == true)
    }

    @Test func nothingOfACaptureRuns() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let files = try HostileCaptures.write(to: folder)
        var plan: [(String, String, [[String]])] = []
        for file in files {
            for exchange in 0..<5 {
                plan.append((file, "#exchange=\(exchange)", [["key", "s"], ["key", "w"]]))
            }
            plan.append((file, "#view=exchanges", [["key", "/"], ["type", "attacked"], ["key", "Enter"]]))
        }
        for (visit, item) in zip(try visits(plan), plan) {
            visit.expectDecent()
            #expect(item.1 == "#view=exchanges" || visit.seen(0, "heading").count == 1)
            if item.1 == "#view=exchanges" {
                #expect(!visit.seen(visit.last, "results").isEmpty && visit.seen(0, "exchanges").count >= 5)
            }
        }
    }
}

/// Captures with attack strings in every text.
enum HostileCaptures {
    private static let attacks = [
        "</script><script>window.attacked=1</script>", "<img src=x onerror=window.attacked=2>",
        "javascript:window.attacked=3", "\"><svg onload=window.attacked=4>", "{{7*7}}",
        "\u{2028}window.attacked=5",
        "https://attacker.example/pixel.png", "__proto__", "constructor", "]]><!--",
        "'-window.attacked=6-'",
    ]

    /// Two logins, with attacks one after the other beside what stood there; their paths.
    static func write(to folder: TemporaryFolder) throws -> [String] {
        var number = 0
        func attacked(_ value: JSONValue, _ name: String) -> JSONValue {
            switch value {
            case .string(let text):
                guard !["startedDateTime", "version", "method", "encoding", "mimeType", "url"].contains(name)
                else {
                    return value
                }
                number += 1
                return .string(text + attacks[number % attacks.count])
            case .array(let elements): return .array(elements.map { attacked($0, name) })
            case .object(let object):
                return .object(
                    JSONObject(
                        object.members.map { .init(name: $0.name, value: attacked($0.value, $0.name)) }
                    )
                )
            default: return value
            }
        }
        let files = try ["token-request/pkce-verifier-mismatch", "healthy/web-code-flow"].enumerated().map {
            let original = try JSONParser.parse(Fixtures.bytes("captures/\($1).har"))
            let file = folder.file("hostile-\($0).har")
            try Data(JSONWriter.bytes(of: attacked(original, ""))).write(to: URL(filePath: file))
            return file
        }
        #expect(number > 100)
        return files
    }
}
