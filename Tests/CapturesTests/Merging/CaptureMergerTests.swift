import JSON
import Testing

@testable import Captures

/// Which entries of several files are one exchange, and in which order they stand.
@Suite(.timeLimit(.minutes(2)))
struct CaptureMergerTests {
    /// A browser's file and its server's, whose clock is ahead.
    func pair(ahead: Double, _ number: Int = 3) -> (Sightings, Sightings) {
        var browser = Sightings()
        var server = Sightings(ahead: ahead, inset: 0.01)
        for index in 0..<number {
            browser.add("/authorize?state=state-\(index)-Zq34", at: Double(index) * 10, status: 302)
            browser.callback(index, at: Double(index) * 10 + 3)
            server.callback(index, at: Double(index) * 10 + 3)
            server.add(
                "/token",
                at: Double(index) * 10 + 3.05,
                method: "POST",
                form: [("code", "code-\(index)-Xy12")]
            )
        }
        return (browser, server)
    }

    @Test(arguments: [0, 37, -37, 0.004, 7200, -34_560_000] as [Double])
    func flowsOfTwoFilesAreInTheOrderOfOneClock(_ ahead: Double) throws {
        let (browser, server) = pair(ahead: ahead)
        let merger = CaptureMerger(browser, server)
        #expect(
            merger.story == ["a0", "a1+b0", "b1", "a2", "a3+b2", "b3", "a4", "a5+b4", "b5"]
        )
        let offset = try #require(merger.offset)
        #expect(offset.basis == .exchanges && offset.count == 3)
        let error = (offset.ahead - .nanoseconds(Int64(ahead * 1e9)))
        #expect(error <= offset.within && .zero - error <= offset.within)
        // The browser waits 10 ms before the server sees anything, and 10 ms after: no more is in doubt.
        #expect(offset.within <= .milliseconds(12) + (offset.ahead == .zero ? .milliseconds(4) : .zero))
        // What may be one clock is taken for one.
        #expect((offset.ahead == .zero) == (abs(ahead) < 0.01))
    }

    /// Each entry keeps the time of its own clock, unless it is wished otherwise; then it says by how much it was moved.
    @Test func timesAreMovedOnlyWhenThatIsWished() throws {
        let (browser, server) = pair(ahead: 37)
        let merger = CaptureMerger(browser, server)
        let token = merger.exchange(at: 2)
        #expect(token.startedAt == server.exchanges[1].startedAt && token.provenance.shift == nil)
        let aligned = CaptureMerger(browser, server, alignsClocks: true)
        let offset = try #require(aligned.offset)
        #expect(aligned.exchange(at: 2).startedAt == server.exchanges[1].startedAt - offset.ahead)
        #expect(aligned.exchange(at: 2).provenance.shift == .zero - offset.ahead)
        #expect(aligned.exchange(at: 1).provenance.shift == nil, "the browser's clock is the one that counts")
        #expect(aligned.story == merger.story)
        #expect(ImportStatement(aligned.logMembers)?.isAligned == true)
    }

    /// What the file says of its clocks is what a reader goes by.
    @Test(arguments: [false, true])
    func readingPutsAllTimesByOneClock(isAligned: Bool) throws {
        let (browser, server) = pair(ahead: 37)
        let merger = CaptureMerger(browser, server, alignsClocks: isAligned)
        let folder = try MergedFile(merger)
        defer { folder.remove() }
        let read = try folder.read()
        let offset = try #require(merger.offset)
        #expect(read.imported == ImportStatement(merger.logMembers))
        #expect(read.count == 9)
        #expect(read[2].startedAt == server.exchanges[1].startedAt - offset.ahead)
        #expect(read[2].provenance.shift == .zero - offset.ahead)
        #expect(read[1].startedAt == browser.exchanges[1].startedAt)
        let starts = read.indices.map { read[$0].startedAt }
        #expect(starts == starts.sorted())
        let text = String(decoding: try #require(read.text(ofEntry: 2)), as: UTF8.self)
        #expect(text.contains("\"shifted\":-37") == isAligned)
        #expect(text.contains(server.exchanges[1].startedAt.rfc3339) == !isAligned)
    }

    // MARK: - Repeated requests

    /// A poll each second, all answers the same: the server's recording begins later and ends earlier.
    @Test func pollsAreToldApartByTime() {
        var (browser, server) = pair(ahead: 37, 1)
        for second in 20..<50 { browser.add("/poll", at: Double(second), body: Body(text: "{}")) }
        for second in 28..<41 { server.add("/poll", at: Double(second), body: Body(text: "{}")) }
        let merger = CaptureMerger(browser, server)
        let polls = merger.story.dropFirst(3)
        #expect(polls.count == 30)
        for (index, text) in polls.enumerated() {
            let second = index + 20
            let expected = (28..<41).contains(second) ? "a\(index + 2)+b\(second - 28 + 2)" : "a\(index + 2)"
            #expect(text == expected)
        }
        #expect(merger.report(differing: 0).undecided == 0)
    }

    /// One poll follows the other at once, and each takes as long as there is something to tell.
    @Test func longPollsAreNotMixedUp() {
        var (browser, server) = pair(ahead: -3, 1)
        for second in 20..<50 { browser.add("/wait", at: Double(second), length: 1) }
        for second in 30..<35 { server.add("/wait", at: Double(second), length: 1) }
        let polls = CaptureMerger(browser, server).story.dropFirst(3)
        #expect(polls.count == 30)
        #expect(polls.filter { $0.contains("+") } == (0..<5).map { "a\($0 + 12)+b\($0 + 2)" })
    }

    @Test func identicalRequestsAtOneTimeArePairedInOrder() {
        var (browser, server) = pair(ahead: 2, 1)
        for index in 0..<4 {
            browser.add("/icon.png", at: 5 + Double(index) * 0.001, body: Body(text: "icon"))
            server.add("/icon.png", at: 5 + Double(index) * 0.001, body: Body(text: "icon"))
        }
        #expect(
            CaptureMerger(browser, server).story.dropFirst(3)
                == ["a2+b2", "a3+b3", "a4+b4", "a5+b5"]
        )
    }

    /// Of four requests that nothing tells apart the server has three: which is which cannot be known.
    @Test func requestsThatNothingTellsApartAreLeftAlone() {
        var (browser, server) = pair(ahead: 2, 1)
        for index in 0..<4 { browser.add("/icon.png", at: 5 + Double(index) * 0.001) }
        for index in 0..<3 { server.add("/icon.png", at: 5 + Double(index) * 0.001) }
        let merger = CaptureMerger(browser, server)
        #expect(merger.count == 3 + 7)
        #expect(merger.report(differing: 0).undecided == 3)
    }

    /// The same, but their answers differ.
    @Test func answersTellRequestsApart() {
        var (browser, server) = pair(ahead: 2, 1)
        for index in 0..<4 {
            browser.add("/next", at: 5 + Double(index) * 0.001, body: Body(text: "\(index)"))
        }
        for index in 1..<4 {
            server.add("/next", at: 5 + Double(index) * 0.001, body: Body(text: "\(index)"))
        }
        #expect(
            CaptureMerger(browser, server).story.dropFirst(3) == ["a2", "a3+b2", "a4+b3", "a5+b4"]
        )
    }

    /// A callback that was loaded again: the server's file has the second one only.
    @Test func repeatedCallbackIsPairedWithItsOwn() {
        var browser = Sightings()
        var server = Sightings(ahead: 37, inset: 0.01)
        browser.callback(1, at: 0)
        browser.callback(2, at: 10)
        browser.callback(2, at: 20)
        server.callback(1, at: 0)
        server.callback(2, at: 20)
        #expect(CaptureMerger(browser, server).story == ["a0+b0", "a1", "a2+b1"])
    }

    /// A value that both files have once, at times that the others speak against: two requests, not one.
    @Test func clocksSpeakAgainstAPair() {
        var (browser, server) = pair(ahead: 37)
        browser.callback(9, at: 100)
        server.callback(9, at: 400)
        let merger = CaptureMerger(browser, server)
        #expect(merger.story.suffix(2) == ["a6", "b6"])
        #expect(merger.offset?.count == 3)
    }

    // MARK: - What is not the same

    /// Two logins of one client at one provider, a day apart: everything that is not made for one of them is the same.
    @Test func loginsOfTwoDaysHaveNothingInCommon() {
        func login(_ day: Int) -> Sightings {
            var file = Sightings()
            let start = Double(day) * 86_400
            let headers = [
                ("Cookie", "_ga=GA1.2.1234567890.1234567890"),
                ("Authorization", "Basic c2hvcDpzZWNyZXQtMTIz"),
            ]
            let date = ("Date", day == 0 ? "Mon, 21 Sep 2026 14:13:2" : "Tue, 22 Sep 2026 14:13:2")
            for (index, path) in [
                "/.well-known/openid-configuration", "/assets/app-3f2a9c8b7d61.js?v=1a2b3c4d5e6f7a8b9c",
                "/login?client_id=0oa1b2c3d4e5f6g7h8i9", "/token", "/jwks",
            ].enumerated() {
                file.add(
                    path,
                    at: start + Double(index),
                    headers: headers,
                    answer: [(date.0, date.1 + "\(index) GMT"), ("ETag", "\"same\"")],
                    body: Body(text: "the same \(index)")
                )
            }
            file.add(
                "/authorize?client_id=0oa1b2c3d4e5f6g7h8i9&state=\(day)-4711-abcdef",
                at: start + 7,
                status: 302
            )
            return file
        }
        let merger = CaptureMerger(login(0), login(1))
        #expect(merger.count == 12)
        #expect(merger.report(differing: 0).seenTwice == 0)
        // The provider's clock went on: both clocks are right.
        #expect(merger.offset?.basis == .date)
        #expect((merger.offset?.ahead.magnitude ?? .seconds(9)) <= .seconds(1))
    }

    @Test(arguments: ["status", "method", "query", "cookie", "authorization", "body", "host"])
    func whatContradictsIsTwo(_ difference: String) {
        var (browser, server) = pair(ahead: 37, 1)
        func add(_ file: inout Sightings, _ isOther: Bool) {
            let differs = { (name: String) in isOther && difference == name }
            let host = differs("host") ? "other.example" : Sightings.host
            file.add(
                "https://\(host)/api?page=\(differs("query") ? 2 : 1)",
                at: 5,
                method: differs("method") ? "PUT" : "POST",
                headers: [
                    ("Cookie", "a=1; sid=\(differs("cookie") ? "other" : "one")"),
                    ("Authorization", "Bearer \(differs("authorization") ? "other" : "one")"),
                ],
                form: [("amount", differs("body") ? "2" : "1")],
                status: differs("status") ? 500 : 200
            )
        }
        add(&browser, false)
        add(&server, true)
        #expect(CaptureMerger(browser, server).story.suffix(2) == ["a2", "b2"])
        var (same, other) = pair(ahead: 37, 1)
        add(&same, false)
        add(&other, false)
        #expect(CaptureMerger(same, other).story.last == "a2+b2")
    }

    @Test func nothingInCommonIsSaid() {
        var browser = Sightings()
        var server = Sightings(ahead: 5)
        browser.add("/poll", at: 0)
        server.add("/poll", at: 0)
        let merger = CaptureMerger(browser, server)
        #expect(merger.story == ["a0", "b0"])
        #expect(merger.report(differing: 0).files.map(\.clock) == [.reference, .unknown])
        let clocks = merger.logMembers["_authreel"]?["imported"]?["files"]?.array?.map { $0["clock"] }
        #expect(clocks == ["reference", "unknown"])
    }

    /// The browser's half and the server's calls to the provider: nothing is in both, but the provider's clock.
    @Test func serversDatesAreAHint() throws {
        var browser = Sightings()
        var server = Sightings(ahead: 37)
        func date(_ at: Double) -> [(String, String)] {
            let seconds = Sightings.time(at).seconds - 1_790_000_000
            let minutes = 13 * 60 + 20 + seconds
            let text = String(minutes % 60 + 100).dropFirst()
            return [("Date", "Mon, 21 Sep 2026 14:\(minutes / 60):\(text) GMT")]
        }
        #expect(Timestamp(httpDate: date(0)[0].1) == Timestamp(seconds: 1_790_000_000))
        for index in 0..<8 {
            let time = Double(index) * 0.7 + 0.1
            browser.add("/page/\(index)", at: time, answer: date(time))
            server.add("/key/\(index)", at: time + 0.3, answer: date(time + 0.3))
        }
        let offset = try #require(CaptureMerger(browser, server).offset)
        #expect(offset.basis == .date && offset.count == 1)
        #expect((offset.ahead - .seconds(37)).magnitude <= offset.within)
        #expect(offset.within <= .milliseconds(700))
    }

    /// Whole seconds leave a doubt in which a code would be spent before it was given out.
    @Test(arguments: [37.0, -3600.4])
    func codeIsGivenOutBeforeItIsSpent(ahead: Double) throws {
        var browser = Sightings()
        var server = Sightings(ahead: ahead)
        func date(_ at: Double) -> [(String, String)] {
            let seconds = Sightings.time(at).seconds - 1_790_000_000
            let text = String((20 + seconds) % 60 + 100).dropFirst()
            return [("Date", "Mon, 21 Sep 2026 14:\(13 + (20 + seconds) / 60):\(text) GMT")]
        }
        browser.add("/authorize", at: 0.01, answer: date(0.01))
        browser.add("/callback?code=code-1-Xy12", at: 0.30, answer: date(0.30))
        server.add(
            "/token",
            at: 0.32,
            method: "POST",
            form: [("grant_type", "authorization_code"), ("code", "code-1-Xy12")],
            answer: date(0.32)
        )
        server.add("/userinfo", at: 0.95, answer: date(0.95))
        let merger = CaptureMerger(browser, server)
        #expect(merger.offset?.basis == .date)
        #expect(merger.story == ["a0", "a1", "b0", "b1"])
    }

    /// A recorder that counts whole seconds, as Burp does, tells times that are up to one too early.
    @Test(arguments: [0, 37] as [Int64])
    func whatWholeSecondsLeaveOutMakesNoOtherExchange(ahead: Int64) {
        var browser = Sightings()
        for index in 0..<4 {
            browser.callback(index, at: Double(index) * 10 + 0.2)
            browser.add("/page/\(index)", at: Double(index) * 10 + 3.9)
        }
        var other = browser
        for index in other.exchanges.indices {
            let seconds = browser.exchanges[index].startedAt.nanoseconds / 1_000_000_000
            other.exchanges[index].startedAt = Timestamp(seconds: seconds + ahead)
        }
        #expect(CaptureMerger(browser, other).story == (0..<8).map { "a\($0)+b\($0)" })
        #expect(CaptureMerger(other, browser).story == (0..<8).map { "a\($0)+b\($0)" })
    }

    // MARK: - Several files

    /// The first and the last have nothing in common, but both have something in common with the second.
    @Test func clocksAreKnownByWayOfAnotherFile() throws {
        var files = [Sightings(), Sightings(ahead: 20, inset: 0.01), Sightings(ahead: -5, inset: 0.02)]
        files[0].callback(1, at: 0)
        files[1].callback(1, at: 0)
        files[1].add("/token", at: 0.1, method: "POST", form: [("code", "code-1-Xy12")])
        files[2].add("/token", at: 0.1, method: "POST", form: [("code", "code-1-Xy12")])
        files[2].add("/introspect", at: 0.15)
        let merger = CaptureMerger(files[0], files[1], files[2])
        #expect(merger.story == ["a0+b0", "b1+c0", "c1"])
        guard case .known(let offset, let name) = merger.report(differing: 0).files[2].clock else {
            Issue.record("the third clock is not known")
            return
        }
        #expect(name == "a" && (offset.ahead + .seconds(5)).magnitude <= offset.within)
        // In whatever order they come.
        let other = CaptureMerger(files[0], files[2], files[1])
        #expect(other.story == ["a0+c0", "c1+b0", "b1"])
    }

    @Test func threeRecordersOfOneExchangeAreOne() {
        var files = [Sightings(), Sightings(ahead: 20, inset: 0.01), Sightings(ahead: -5, inset: 0.02)]
        for index in files.indices { files[index].callback(1, at: 0) }
        #expect(CaptureMerger(files[0], files[1], files[2]).story == ["a0+b0+c0"])
        #expect(CaptureMerger(files[2], files[1], files[0]).story == ["c0+a0+b0"])
    }

    /// Both sides name the provider: on the client's the address is the proxy's, and the provider's is not known.
    @Test(arguments: [1, 2]) func bothSidesOfAProxyThatTheClientKnowsAreOne(first: Int) {
        var file = Sightings()
        file.callback(1, at: 0)
        file.callback(1, at: 0.01, length: 0.18)
        file.add("https://app.example/me", at: 1, length: 0.2)
        file.add("https://app.example/me", at: 1.01, length: 0.18)
        for inner in [1, 3] { file.exchanges[inner].connection.serverAddress = "192.0.2.7:443" }
        file.exchanges.removeFirst(first == 1 ? 0 : 2)
        let source = CaptureMerger.Source(name: "b", capture: file.capture)
        let story = CaptureMerger([source], joinsSides: true).story
        // What is not made for one request follows what is.
        #expect(story == (first == 1 ? ["b0+b1", "b2+b3"] : ["b0", "b1"]))
    }

    /// A callback that was loaded again is two, also where the second began before the first had its answer.
    @Test(arguments: [0.05, 1]) func repeatedRequestIsNoSideOfAProxy(_ later: Double) {
        var server = Sightings()
        server.callback(1, at: 0)
        server.callback(1, at: later)
        var other = Sightings()
        other.callback(1, at: 0)
        other.add("http://127.0.0.1:8080/callback?code=code-1-Xy12&state=state-1-Zq34", at: 0.15, status: 302)
        for file in [server, other] {
            let merger = CaptureMerger(
                [CaptureMerger.Source(name: "b", capture: file.capture)],
                joinsSides: true
            )
            #expect(merger.count == (file.exchanges[1].request.url.scheme == "https" ? 2 : 1))
        }
        // The inner one that outlasts the outer one is another request.
        other.exchanges[1].duration = .milliseconds(300)
        let source = CaptureMerger.Source(name: "b", capture: other.capture)
        #expect(CaptureMerger([source], joinsSides: true).count == 2)
    }

    @Test func oneFileStaysInItsOrder() {
        var file = Sightings()
        file.add("/later", at: 5)
        file.add("/earlier", at: 0)
        file.exchanges[0].connection = ConnectionFacts(id: "7")
        let merger = CaptureMerger(file)
        #expect((0..<2).map { merger.exchange(at: $0).request.url.path } == ["/later", "/earlier"])
        #expect(merger.exchange(at: 0).connection.id == "7")
        #expect(merger.exchange(at: 0).provenance == Provenance())
        #expect(merger.report(differing: 0).files.map(\.entries) == [2])
    }

    // MARK: - Hostile files

    /// As many as there are that all last a day and nothing tells apart: no time is spent on what cannot be known.
    @Test func manyThatCannotBeToldApartCostNoQuadraticTime() {
        var (browser, server) = pair(ahead: 2, 1)
        for index in 0..<20_000 {
            browser.add("/poll", at: Double(index) * 0.001, length: 86_400)
            server.add("/poll", at: Double(index) * 0.001, length: 86_400)
        }
        let merger = CaptureMerger(browser, server)
        #expect(merger.count >= 20_000)
    }

    @Test func extremeTimesAndEmptyFilesAreSurvived() {
        var files = [Sightings(), Sightings(), Sightings()]
        for (index, time) in [Int64.min, -1, 0, 1, .max].enumerated() {
            for file in 0..<2 {
                files[file].callback(index, at: 0)
                files[file].add("/poll", at: 0, answer: [("Date", "Sun, 06 Nov 2094 08:49:37 GMT")])
                let count = files[file].exchanges.count
                files[file].exchanges[count - 1].startedAt = Timestamp(nanoseconds: time)
                files[file].exchanges[count - 2].startedAt = Timestamp(
                    nanoseconds: file == 0 ? time : 0 &- time
                )
                files[file].exchanges[count - 2].duration = .nanoseconds(Int64.max)
            }
        }
        for aligns in [false, true] {
            let merger = CaptureMerger(files[0], files[1], files[2], alignsClocks: aligns)
            for index in 0..<merger.count { _ = merger.exchange(at: index) }
            #expect(merger.count >= 10)
        }
        #expect(CaptureMerger([]).count == 0)
        #expect(CaptureMerger([]).logMembers["_authreel"]?["imported"]?["files"]?.array == [])
    }
}

extension Duration {
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
