import Foundation
import JSON
import TestSupport
import Testing

/// `authreel view` in a real browser: the sample systems, comparisons, sharing, the keyboard alone, hostile captures, sizes.
@Suite(
    .serialized,
    .timeLimit(.minutes(8)),
    .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
)
struct ViewCommandTests {
    private typealias Plan = ViewerVisit.Plan

    /// The systems that it grew out of, each healthy and broken.
    private static let systems = [
        "appauth-ios", "curity", "forgerock", "google", "myinfo", "singpass", "wso2",
    ]

    /// A capture of one of them, and what is told of its login.
    private struct Sample {
        let capture: String
        let told: JSONValue
        /// Where the value that travels farthest is seen; nil where the provider stops at once, and there is none.
        let place: JSONValue?

        var flow: String { told["id"]?.string ?? "" }

        init(_ capture: String) throws {
            self.capture = capture
            let diagnosed = try Program.run(["diagnose", "--format", "json", capture])
            let flows = try JSONParser.parse(diagnosed.output.utf8)["flows"]?.array ?? []
            let told = try #require(flows.first { $0["outcome"]?.string == "failure" } ?? flows.first)
            self.told = told
            let shown = try Program.run(["show", "--format", "json", capture])
            let flow = try JSONParser.parse(shown.output.utf8)["flows"]?.array?.first {
                $0["id"] == told["id"]
            }
            let link = (flow?["links"]?.array ?? []).max {
                ($0["uses"]?.array?.count ?? 0) < ($1["uses"]?.array?.count ?? 0)
            }
            let places = [link?["origin"] ?? .null] + (link?["uses"]?.array ?? [])
            place = places.first {
                $0["exchange"]?.int != nil && $0["where"]?.string?.hasPrefix("re") == true
            }
        }

        /// Follows the value, and shares the capture; `index`: which capture of the page it is.
        func plan(_ index: Int, at url: String) -> Plan {
            let follow = ["click", ".values button", "Follow \(place?["name"]?.string ?? "")"]
            return Plan(
                url: "\(url)#capture=\(index)&exchange=\(place?["exchange"]?.int ?? 0)",
                steps: [
                    place == nil ? ["key", "d"] : follow, ["key", "x"],
                    ["click", "dialog button", "Redact"],
                    ["wait", "dialog", "is the same"],
                ]
            )
        }
    }

    @Test func sampleSystemsAreExplainedAndComparedAndShared() throws {
        let samples = try Self.systems.flatMap { ["providers/\($0)", "providers/\($0).broken"] }.map {
            try Sample(ViewerVisit.path($0))
        }
        #expect(samples.count { $0.place != nil } > 10)
        let viewer = try ViewerProcess(samples.map(\.capture))
        let pages = samples.enumerated().map { index, sample in sample.plan(index, at: viewer.url) }
        let comparisons = Self.systems.indices.map { index in
            let sides = [2 * index, 2 * index + 1].map { "\($0)/\(samples[$0].flow)" }
            return Plan(url: "\(viewer.url)#view=compare&a=\(sides[0])&b=\(sides[1])")
        }
        let visits = try ViewerVisit.visits(pages + comparisons)
        for (index, visit) in visits.prefix(samples.count).enumerated() {
            try expectExplained(samples[index], isHealthy: index % 2 == 0, in: visit)
            #expect(visit.seen(4, "dialog").first?.contains("Save \(Self.systems[index / 2])") == true)
        }
        for (index, visit) in visits.dropFirst(samples.count).enumerated() {
            try expectCompared(samples[2 * index], samples[2 * index + 1], in: visit)
        }
        #expect(viewer.end() == 0)
    }

    private func expectExplained(_ sample: Sample, isHealthy: Bool, in visit: ViewerVisit) throws {
        visit.expectDecent()
        let causes = (sample.told["findings"]?.array ?? []).filter { $0["effect_of"] == nil }
        #expect(visit.seen(0, "findings").count == causes.count, "\(sample.capture)")
        for (shown, cause) in zip(visit.seen(0, "findings"), causes) {
            #expect(shown.hasSuffix(try #require(cause["title"]?.string)))
            #expect((cause["primary"] == true) == shown.hasPrefix("ROOT CAUSE"))
        }
        #expect(
            (visit.seen(0, "verdict").first?.contains("healthy") == true) == isHealthy,
            "\(sample.capture)"
        )
        if sample.place != nil {
            #expect(
                !visit.seen(1, "marked").isEmpty && visit.seen(1, "way").count > 1,
                "\(sample.capture)"
            )
        }
    }

    private func expectCompared(_ good: Sample, _ bad: Sample, in visit: ViewerVisit) throws {
        visit.expectDecent()
        let pair = [good, bad].map { "\($0.capture)#\($0.flow)" }
        let difference = try JSONParser.parse(
            try Program.run(["diff", "--format", "json"] + pair).output.utf8
        )
        // The page leaves out what is quoted of a secret.
        let whole = difference["headline"]?.string ?? "?"
        let shown = visit.seen(0, "headline")
        #expect(shown.count == 1 && whole.hasPrefix(shown.first ?? "?"), "\(shown)")
        #expect(visit.seen(0, "steps").count >= difference["steps"]?.array?.count ?? 99)
    }

    private static let stepsByKeyboard: [[String]] = [
        // 1: down the diagram to the token request
        ["key", "d", "End", "ArrowUp", "ArrowUp", "ArrowUp"],
        // 2: into the findings, to the first evidence, and there
        ["key", "f", "Tab", "Tab", "Enter"],
        // 4: a search, and to what was found first
        ["key", "/"], ["type", "shop-web"], ["key", "Enter"], ["key", "Enter"],
        // 8: help, and out of it
        ["key", "?"], ["key", "Escape"],
        // 10: the comparison that suggests itself
        ["key", "3"], ["key", "d", "Tab", "Tab", "Tab", "Tab", "Enter"],
        // 12: share, with the third option
        ["key", "1", "x"], ["key", "Tab", "Tab", " ", "Tab", "Enter"],
        ["wait", "dialog", "Save"], ["key", "Tab"], ["key", "Escape"],
        // 17: all exchanges
        ["key", "2"], ["key", "d", "Home", "ArrowDown"],
        // 19: waits, and the next login, which there is not
        ["key", "1", "w", "n"],
    ]

    @Test func everythingIsDoneByTheKeyboardAlone() throws {
        let viewer = try ViewerProcess(
            ["healthy/web-code-flow", "token-request/pkce-verifier-mismatch"].map(ViewerVisit.path)
        )
        let plan = Plan(url: "\(viewer.url)#capture=1", steps: Self.stepsByKeyboard)
        let visit = try #require(try ViewerVisit.visits([plan]).first)
        visit.expectDecent()
        #expect(visit.seen(1, "heading").first?.hasPrefix("[4] token request") == true)
        #expect(visit.text(1, "focus") == "Messages of flow-1")
        #expect(visit.seen(2, "heading").first?.hasPrefix("[1] authorization request") == true)
        #expect(visit.seen(2, "chosen").first?.hasPrefix("code_challenge") == true)
        #expect(visit.text(3, "focus") == "Search in everything")
        #expect(!visit.seen(5, "results").isEmpty)
        #expect(
            visit.text(6, "focus") == "Message"
                && visit.seen(6, "chosen").first?.hasPrefix("client_id") == true
        )
        #expect(
            visit.seen(7, "dialog").first?.contains("search in everything") == true
                && visit.seen(8, "dialog") == []
        )
        #expect(visit.seen(9, "headline").first?.contains("code_verifier") == true)
        #expect(
            visit.text(10, "hash").contains("exchange=") && !visit.text(10, "hash").contains("view=compare")
        )
        #expect(visit.seen(11, "dialog").first?.contains("Share without secrets") == true)
        #expect(visit.seen(13, "dialog").first?.contains("No secret is left") == true)
        #expect(visit.text(14, "focus").hasPrefix("Save "))
        #expect(visit.seen(15, "dialog") == [])
        #expect(
            visit.text(17, "focus") == "Exchanges"
                && visit.seen(17, "heading").first?.hasPrefix("[1]") == true
        )
        #expect(!visit.seen(18, "waits").isEmpty)
        #expect(viewer.end() == 0)
    }

    @Test func arrowKeysPassFoldsAndFindingsAndEnterUnfolds() throws {
        let recording = Fixtures.root.appending(path: "Tests/Recordings/broken-kid-unknown.har").path
        let viewer = try ViewerProcess([recording])
        let place =
            "return document.querySelector('.diagram .row[aria-selected=\"true\"]')?.getAttribute('aria-posinset') + '/' + document.querySelector('.diagram .row').getAttribute('aria-setsize')"
        let down = Array(repeating: "ArrowDown", count: 150)
        let visit = try #require(
            try ViewerVisit.visits([
                Plan(
                    url: viewer.url,
                    steps: [
                        ["key", "d", "Home"] + down, ["run", place],
                        ["run", "document.querySelector('.row.folded').click()"], ["run", place],
                    ]
                )
            ]).first
        )
        visit.expectDecent()
        let ends = try [1, 3].map { step in
            try #require(visit.results[step].string).split(separator: "/").map { Int($0) ?? 0 }
        }
        #expect(ends[0][0] == ends[0][1] && ends[0][1] > 20, "\(ends)")
        #expect(ends[1][1] > ends[0][1], "\(ends)")
        viewer.end()
    }

    /// The healthy login of three is looked at, then those that failed alone.
    @Test func loginsThatFailedAreListedAlone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("day.har")
        let parts = [
            "healthy/web-code-flow", "token-request/pkce-verifier-mismatch", "user-agent/state-cookie-lost",
        ]
        try #require(
            try Program.run(["import"] + parts.map(ViewerVisit.path) + ["--out", file]).status == 0
        )
        let viewer = try ViewerProcess([file])
        let visits = try ViewerVisit.visits([
            Plan(
                url: "\(viewer.url)#flow=flow-3",
                steps: [["key", "F"], ["key", "n"], ["key", "n"], ["key", "F"]]
            ),
            Plan(url: "\(viewer.url)#only=rule:pkce-verifier-mismatch"),
        ])
        for visit in visits { visit.expectDecent() }
        let listed = (0...4).map { step in
            visits[0].seen(step, "flows").map { String($0.prefix { $0 != "," }) }
        }
        let (all, failed) = (["flow-1", "flow-2", "flow-3"], ["flow-1", "flow-2"])
        #expect(listed == [all, failed, failed, failed, all])
        let looked = (0...4).map { visits[0].text($0, "hash").contains("flow=flow-2") }
        #expect(looked == [false, false, true, true, true])
        #expect(visits[1].seen(0, "flows").map { $0.prefix(6) } == ["flow-2"])
        #expect(viewer.end() == 0)
    }

    /// What is found in another capture stands there among all of its logins, and none of its messages is left out.
    @Test func loginsThatAreListedAreThoseOfTheirCapture() throws {
        let captures = ["healthy/web-code-flow", "token-request/pkce-verifier-mismatch"]
        let viewer = try ViewerProcess(captures.map(ViewerVisit.path))
        let visit = try #require(
            try ViewerVisit.visits([
                Plan(
                    url: "\(viewer.url)#capture=1&only=failure&q=userinfo&who=browser",
                    steps: [["click", ".results li button", "web-code-flow.har"]]
                )
            ]).first
        )
        visit.expectDecent()
        #expect(visit.seen(0, "flows").map { $0.prefix(15) } == ["flow-1, failure"])
        #expect(visit.seen(1, "flows").map { $0.prefix(15) } == ["flow-1, success"])
        for of in ["capture=1", "only=", "who="] { #expect(!visit.text(1, "hash").contains(of), "\(of)") }
        #expect(viewer.end() == 0)
    }

    @Test func comparisonPresentsNoSecret() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("user-agent/session-cookie-not-persistent")]
        )
        let text = "return document.documentElement.innerText"
        let visits = try ViewerVisit.visits(
            ["", "&present=1"].map {
                Plan(
                    url: "\(viewer.url)#view=compare&a=0/flow-1&b=0/flow-2\($0)",
                    steps: [["run", text], ["key", "s"], ["run", text]]
                )
            }
        )
        let field = "R1UDWVSBpshF5KOeRJp-o4"
        let seen = visits.map { visit in [0, 2].map { visit.results[$0].string?.contains(field) ?? true } }
        // Masked, and shown where it is asked for; never in a presentation.
        #expect(seen == [[false, true], [false, false]])
        for visit in visits { visit.expectDecent() }
        viewer.end()
    }

    @Test func everySizeAndSchemeIsDecent() throws {
        let viewer = try ViewerProcess(
            ["healthy/web-code-flow", "user-agent/state-cookie-lost"].map(ViewerVisit.path)
        )
        let looks = [["size", "360", "740"], ["size", "768", "1024"], ["size", "4000", "2200"]]
        let places = [
            "#exchange=5&value=2/request.query/code_challenge", "#view=compare",
            "#view=exchanges&capture=1&exchange=3&q=state", "#capture=1&exchange=3&scale=1&present=1",
        ]
        let plan = looks.flatMap { look in
            places.flatMap { place in
                ["dark", "light"].map { Plan(url: viewer.url + place, steps: [look, [$0]]) }
            }
        }
        for visit in try ViewerVisit.visits(plan) { visit.expectDecent() }
        // Why the cookie did not come is told at the request that lacks it.
        let visit = try #require(
            try ViewerVisit.visits([Plan(url: "\(viewer.url)#capture=1&exchange=3")]).first
        )
        #expect(visit.seen(0, "cookies").contains { $0.hasPrefix("withheld") }, "\(visit.seen(0, "cookies"))")
        viewer.end()
    }

    /// A refresh forty minutes later, in a narrow window.
    @Test func timesOfALongLoginStandBesideTheLanes() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("refresh/refresh-token-expired")])
        let visits = try ViewerVisit.visits([Plan(url: viewer.url, steps: [["size", "360", "740"]])])
        for visit in visits { visit.expectDecent() }
        viewer.end()
    }

    /// Of a client's name that has no place to break at.
    @Test func longNameIsNoWiderThanTheWindow() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recorded = try Fixtures.bytes("captures/token-request/pkce-verifier-mismatch.har")
        let name = String(repeating: "shop", count: 400)
        let text = String(decoding: recorded, as: UTF8.self)
            .replacing("client_id=shop-web&redirect_uri=", with: "client_id=\(name)&redirect_uri=")
        let file = folder.file("long.har")
        try Data(text.utf8).write(to: URL(filePath: file))
        let viewer = try ViewerProcess([file])
        for visit in try ViewerVisit.visits([Plan(url: viewer.url, steps: [["size", "360", "740"]])]) {
            #expect(visit.list("faults") == [])
        }
        viewer.end()
    }

    /// What a provider says beside a status, and a header field, without a place to break at; a value does not push what
    /// stands below it out of reach.
    @Test func longWordsOfAMessageStayInTheirPart() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recorded = try Fixtures.bytes("captures/token-request/pkce-verifier-mismatch.har")
        let words = String(repeating: "refused", count: 80)
        let name = String(repeating: "x-field-", count: 80)
        let host = "{\"name\":\"Host\","
        let value = String(repeating: "value", count: 4_000)
        let text = String(decoding: recorded, as: UTF8.self)
            .replacing("\"Bad Request\"", with: "\"\(words)\"")
            .replacing(host, with: "{\"name\":\"\(name)\",\"value\":\"\(value)\"},\(host)")
        let file = folder.file("long.har")
        try Data(text.utf8).write(to: URL(filePath: file))
        let viewer = try ViewerProcess([file])
        let open = "for (const fold of document.querySelectorAll('.message-panel details')) fold.open = true"
        let high = "return document.querySelector('.headers').offsetHeight"
        let steps = [["key", "s"], ["run", open], ["run", high]]
        for size in [["size", "360", "740"], ["size", "1400", "900"]] {
            let plan = Plan(url: "\(viewer.url)#exchange=4", steps: [size] + steps)
            let visit = try #require(try ViewerVisit.visits([plan]).first)
            visit.expectDecent()
            #expect(visit.seen(0, "heading").first?.hasPrefix("[4]") == true)
            let height = try #require(visit.results.last?.double)
            #expect(height > 50 && height < 1_000, "\(size)")
        }
        viewer.end()
    }

    /// Which exchanges a secret stood in has room, and the headings are whole, on a telephone too.
    @Test func reportOfAShareIsReadable() throws {
        let viewer = try ViewerProcess([ViewerVisit.path("healthy/web-code-flow")])
        let look = """
            const heads = [...document.querySelectorAll('.replaced thead th')];
            const line = 1.8 * parseFloat(getComputedStyle(heads[0]).fontSize) + 10;
            return heads.length === 4 && heads.every((head) => head.clientHeight < line && head.clientWidth > 45)
              && document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth;
            """
        let sizes = [["size", "1280", "800"], ["size", "360", "740"], ["size", "320", "568"]]
        let plan = sizes.map { size in
            Plan(
                url: viewer.url,
                steps: [
                    size, ["key", "x"], ["click", "dialog button", "Redact"],
                    ["wait", "dialog", "is the same"], ["run", look],
                ]
            )
        }
        for visit in try ViewerVisit.visits(plan) {
            visit.expectDecent()
            #expect(visit.results.last == true)
        }
        viewer.end()
    }

    @Test func hostileCapturesDoNothingWhenServedEither() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let viewer = try ViewerProcess(try HostileCaptures.write(to: folder))
        let places = [
            "#exchange=1", "#exchange=4&view=exchanges", "#view=compare", "#q=attacked&exchange=3",
            "#capture=1&exchange=5",
        ]
        for visit in try ViewerVisit.visits(
            places.map { Plan(url: viewer.url + $0, steps: [["key", "s"], ["key", "w"]]) }
        ) {
            visit.expectDecent()
        }
        // Nor does an address that somebody else made.
        let addresses = [
            "#value=<img src=x onerror=window.attacked=1>&q=<script>window.attacked=2</script>",
            "#a=__proto__/x&b=0/constructor&view=compare", "#capture=999&flow=../../etc",
        ]
        for visit in try ViewerVisit.visits(addresses.map { Plan(url: viewer.url + $0) }) {
            #expect(visit.json["seen"]?.array?.last?["attacked"] == .null && visit.list("requests") == [])
        }
        viewer.end()
    }

    @Test func rowsOutOfViewAreNotInTheDocument() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("long.har")
        try LongCapture.write(exchanges: 3000, to: file)
        let viewer = try ViewerProcess([file])
        let visits = try ViewerVisit.visits([
            Plan(
                url: "\(viewer.url)#view=exchanges",
                steps: [["scroll", ".exchanges .list"], ["key", "d", "End"]]
            ),
            Plan(url: viewer.url, steps: [["scroll", ".logins .list"], ["key", "l", "End"]]),
        ])
        for visit in visits {
            visit.expectDecent()
            for seen in visit.json["seen"]?.array ?? [] { #expect(seen["nodes"]?.int ?? 9999 < 1500) }
        }
        #expect(visits[0].seen(2, "exchanges").last?.hasPrefix("[2999]") == true)
        #expect(visits[1].seen(2, "flows").last?.hasPrefix("flow-600,") == true)
        viewer.end()
    }

    @Test func captureThatGrowsGrowsOnThePage() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("growing.har")
        try LongCapture.write(exchanges: 5, to: file)
        let viewer = try ViewerProcess([file])
        let grow = Thread {
            Thread.sleep(forTimeInterval: 4)
            try? LongCapture.write(exchanges: 15, to: file)
        }
        grow.start()
        let visit = try #require(
            try ViewerVisit.visits([Plan(url: viewer.url, steps: [["wait", ".login", "flow-3"]])]).first
        )
        #expect(visit.seen(1, "verdict") == ["All 3 logins are healthy."])
        viewer.end()
    }
}
