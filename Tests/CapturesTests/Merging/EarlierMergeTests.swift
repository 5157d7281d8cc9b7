import JSON
import Testing

@testable import Captures

/// What becomes of the files that a capture was made of, where that capture is merged or converted itself.
@Suite(.timeLimit(.minutes(1)))
struct EarlierMergeTests {
    /// A browser, its server with a clock 37 s ahead, and a provider with one 5 s behind: a callback that the first two
    /// have, and a token request that the last two have, four times.
    private static let recorders: (browser: Sightings, server: Sightings, provider: Sightings) = {
        var browser = Sightings()
        var server = Sightings(ahead: 37, inset: 0.01)
        var provider = Sightings(ahead: -5, inset: 0.02)
        for index in 0..<4 {
            let start = Double(index) * 10
            browser.callback(index, at: start)
            server.callback(index, at: start)
            server.add("/token", at: start + 0.05, method: "POST", form: [("code", "code-\(index)-Xy12")])
            provider.add("/token", at: start + 0.05, method: "POST", form: [("code", "code-\(index)-Xy12")])
            provider.add("/authorize?state=state-\(index)-Zq34", at: start - 1, status: 302)
            browser.add("/authorize?state=state-\(index)-Zq34", at: start - 1, status: 302)
        }
        return (browser, server, provider)
    }()

    private static func source(_ name: String, _ file: Sightings) -> CaptureMerger.Source {
        CaptureMerger.Source(name: name, capture: file.capture)
    }

    /// The merged capture, as the next command reads it.
    private static func written(_ sources: [CaptureMerger.Source], alignsClocks: Bool = false) throws
        -> Capture
    {
        let file = try MergedFile(CaptureMerger(sources, alignsClocks: alignsClocks))
        defer { file.remove() }
        return try file.read()
    }

    private static func halves(_ alignsClocks: Bool = false) throws -> Capture {
        try written(
            [source("browser.har", recorders.browser), source("server.har", recorders.server)],
            alignsClocks: alignsClocks
        )
    }

    private static func story(_ capture: Capture) -> [String] {
        capture.indices.map { index in
            capture[index].provenance.seen.map { "\($0.file)#\($0.entry)" }.joined(separator: " ")
        }
    }

    struct Order: CustomTestStringConvertible {
        var isLast: Bool
        var wasAligned: Bool
        var alignsClocks: Bool

        static let all = [false, true].flatMap { isLast in
            [false, true].flatMap { wasAligned in
                [false, true].map { Order(isLast: isLast, wasAligned: wasAligned, alignsClocks: $0) }
            }
        }
        var testDescription: String {
            "merged capture \(isLast ? "last" : "first"), aligned: \(wasAligned), then \(alignsClocks)"
        }
    }

    /// The third file's sightings come to those of the first two, and all are read by one clock, which is the first file's.
    @Test(arguments: Order.all) func mergedCaptureTellsOfItsFilesWhenItIsMergedAgain(_ order: Order) throws {
        let halves = CaptureMerger.Source(name: "halves.har", capture: try Self.halves(order.wasAligned))
        let provider = Self.source("provider.har", Self.recorders.provider)
        let capture = try Self.written(
            order.isLast ? [provider, halves] : [halves, provider],
            alignsClocks: order.alignsClocks
        )
        #expect(
            Self.story(capture)
                == (0..<4).flatMap { login in
                    [
                        "browser.har#\(login * 2 + 1) provider.har#\(login * 2 + 1)",
                        "browser.har#\(login * 2) server.har#\(login * 2)",
                        "server.har#\(login * 2 + 1) provider.har#\(login * 2)",
                    ]
                }
        )
        let imported = try #require(capture.imported)
        #expect(imported.isAligned == order.alignsClocks)
        #expect(
            imported.files.map(\.name)
                == (order.isLast
                    ? ["provider.har", "browser.har", "server.har"]
                    : ["browser.har", "server.har", "provider.har"])
        )
        #expect(imported.files.map(\.entries) == [8, 8, 8])
        // Ahead of the first file's clock, which all are compared with.
        let truth = ["browser.har": 0.0, "server.har": 37, "provider.har": -5]
        let first = try #require(imported.files.first)
        #expect(first.clock == .reference)
        for file in imported.files.dropFirst() {
            guard case .known(let offset, first.name) = file.clock else {
                Issue.record("\(file.name): \(file.clock)")
                continue
            }
            let ahead = (truth[file.name] ?? 0) - (truth[first.name] ?? 0)
            #expect((offset.ahead - .nanoseconds(Int64(ahead * 1e9))).magnitude <= offset.within)
            #expect(offset.within < .milliseconds(60) && offset.basis == .exchanges)
        }
        for index in capture.indices {
            let login = Double(index / 3) * 10
            let time = Sightings.time(login + [-1, 0, 0.06][index % 3] + (truth[first.name] ?? 0))
            let error = capture[index].startedAt.nanoseconds - time.nanoseconds
            #expect(error.magnitude < 60_000_000, "\(index): \(error)")
        }
    }

    /// The time of an entry is that of the file it was seen in first, unless it is wished otherwise.
    @Test(arguments: [false, true]) func timesAreThoseOfTheFirstFilesAgain(wasAligned: Bool) throws {
        let merger = CaptureMerger([
            CaptureMerger.Source(name: "halves.har", capture: try Self.halves(wasAligned)),
            Self.source("provider.har", Self.recorders.provider),
        ])
        let token = merger.exchange(at: 2)
        #expect(token.startedAt == Self.recorders.server.exchanges[1].startedAt)
        #expect(token.provenance.shift == nil)
        #expect(
            token.provenance.differs["provider.har"]?["startedDateTime"]?.string
                == Self.recorders.provider.exchanges[0].startedAt.rfc3339
        )
    }

    /// What was said of them before is said under the names that they have now.
    @Test func filesOfOneNameAreKeptApart() throws {
        var other = Self.recorders.server
        other.exchanges[0].response?.statusText = "Found Elsewhere"
        let halves = try Self.written([
            Self.source("login.har", Self.recorders.browser), Self.source("here/login.har", other),
        ])
        #expect(halves[1].provenance.differs.members.map(\.name) == ["login.har (2)"])
        let capture = try Self.written([
            Self.source("there/login.har", Self.recorders.provider),
            CaptureMerger.Source(name: "halves.har", capture: halves),
        ])
        #expect(capture.imported?.files.map(\.name) == ["login.har", "login.har (2)", "login.har (2) (2)"])
        #expect(
            Self.story(capture).prefix(3) == [
                "login.har (2)#1 login.har#1", "login.har (2)#0 login.har (2) (2)#0",
                "login.har (2) (2)#1 login.har#0",
            ]
        )
        #expect(capture[1].provenance.differs.members.map(\.name) == ["login.har (2) (2)"])
    }

    /// A file of which nothing tells how its clock lies to the others' stays one.
    @Test(arguments: [false, true]) func whatHasNothingInCommonStaysApart(alignsClocks: Bool) throws {
        var stranger = Sightings(ahead: 1000)
        stranger.add("https://other.example/x", at: 3)
        let mixed = try Self.written([
            Self.source("browser.har", Self.recorders.browser), Self.source("stranger.har", stranger),
        ])
        let merger = CaptureMerger(
            [
                Self.source("server.har", Self.recorders.server),
                CaptureMerger.Source(name: "mixed.har", capture: mixed),
            ],
            alignsClocks: alignsClocks
        )
        let statement = try #require(ImportStatement(merger.logMembers))
        #expect(statement.files.map(\.name) == ["server.har", "browser.har", "stranger.har"])
        #expect(statement.files[2].clock == .unknown)
        guard case .known(_, "server.har") = statement.files[1].clock else {
            Issue.record("\(statement.files[1].clock)")
            return
        }
        let found = (0..<merger.count).map { merger.exchange(at: $0) }.first {
            $0.provenance.seen.first?.file == "stranger.har"
        }
        #expect(found?.startedAt == stranger.exchanges[0].startedAt)
        #expect(found?.provenance.shift == nil)
    }

    /// What was recorded into a merged capture afterwards was seen in that capture.
    @Test func whatWasRecordedIntoItLaterIsItsOwn() throws {
        let halves = try Self.halves()
        var late = Sightings()
        late.add("https://app.example/late", at: 100)
        var grown = Capture(halves.indices.map { halves[$0] } + late.exchanges)
        grown.logMembers = halves.logMembers
        let capture = try Self.written([
            CaptureMerger.Source(name: "halves.har", capture: grown),
            Self.source("provider.har", Self.recorders.provider),
        ])
        #expect(Self.story(capture).last == "halves.har#12")
        #expect(
            capture.imported?.files.map(\.name) == [
                "browser.har", "server.har", "halves.har", "provider.har",
            ]
        )
        #expect(capture[capture.count - 1].startedAt == late.exchanges[0].startedAt)
    }

    /// Alone it is converted: it says what it said.
    @Test(arguments: [false, true], [false, true])
    func convertedCaptureSaysWhatItSaid(wasAligned: Bool, alignsClocks: Bool) throws {
        let halves = try Self.halves(wasAligned)
        let capture = try Self.written(
            [CaptureMerger.Source(name: "halves.har", capture: halves)],
            alignsClocks: alignsClocks
        )
        #expect(capture.imported?.files == halves.imported?.files)
        #expect(capture.imported?.isAligned == (wasAligned || alignsClocks))
        #expect(Self.story(capture) == Self.story(halves))
        #expect(
            capture.indices.map { capture[$0].startedAt } == halves.indices.map { halves[$0].startedAt }
        )
    }
}
