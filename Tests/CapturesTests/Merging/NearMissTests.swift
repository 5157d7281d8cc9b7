import Testing

@testable import Captures

/// What looks like one exchange seen twice and is two, and the other way round.
@Suite(.timeLimit(.minutes(1)))
struct NearMissTests {
    private static let date = [("Date", "Mon, 21 Sep 2026 14:13:25 GMT")]
    private static let document = "/.well-known/openid-configuration"
    /// Within that second, by ``Sightings/time(_:)``.
    private static let second = Double((Timestamp(httpDate: date[0].1)?.seconds ?? 0) - 1_790_000_000)

    private static func agent(_ name: String) -> [(String, String)] { [("User-Agent", name)] }

    /// Browser and server ask for the provider's metadata within one second: two programs, one offset too many.
    @Test func twoProgramsInOneSecondAreTwo() {
        var browser = Sightings()
        browser.add(
            Self.document,
            at: Self.second + 0.1,
            headers: Self.agent("Mozilla/5.0"),
            answer: Self.date
        )
        var server = Sightings()
        server.add(
            Self.document,
            at: Self.second + 0.6,
            headers: Self.agent("node-fetch/1.0"),
            answer: Self.date
        )
        let merger = CaptureMerger(browser, server)
        #expect(merger.story == ["a0", "b0"])
        #expect(merger.offset?.basis != .exchanges)
    }

    /// A server names each of its answers, and a gateway that names them anew leaves other traces, too.
    @Test(
        arguments: [
            ([("CF-RAY", "8f1-FRA")], [("cf-ray", "8f2-FRA")], ["a0", "b0"]),
            ([("CF-RAY", "8f1-FRA")], [("cf-ray", "8f1-FRA")], ["a0+b0"]),
            ([("X-Request-Id", "r1")], [("X-Request-Id", "REDACTED")], ["a0+b0"]),
            ([("X-Request-Id", "r1"), ("Via", "1.1 gw")], [("X-Request-Id", "r2")], ["a0+b0"]),
            (
                [("X-Request-Id", "r1"), ("Server", "app")], [("X-Request-Id", "r2"), ("Server", "gw")],
                ["a0+b0"]
            ),
        ] as [([(String, String)], [(String, String)], [String])]
    )
    func answersOfTwoNamesAreTwo(left: [(String, String)], right: [(String, String)], story: [String]) {
        var first = Sightings()
        var second = Sightings()
        first.add(Self.document, at: Self.second + 0.1, answer: Self.date + left)
        second.add(Self.document, at: Self.second + 0.6, answer: Self.date + right)
        #expect(CaptureMerger(first, second).story == story)
    }

    /// Two of one program: what the clocks are known to be tells them apart.
    @Test func whatTheClocksSpeakAgainstIsNoPair() throws {
        var browser = Sightings()
        var server = Sightings()
        browser.add(Self.document, at: Self.second + 0.1, answer: Self.date)
        server.add(Self.document, at: Self.second + 0.7, answer: Self.date)
        for index in 0..<3 {
            browser.callback(index, at: Self.second + 2 + Double(index))
            server.callback(index, at: Self.second + 2 + Double(index))
        }
        let merger = CaptureMerger(browser, server)
        #expect(merger.story == ["a0", "b0", "a1+b1", "a2+b2", "a3+b3"])
        #expect(merger.offset?.ahead == .zero && merger.offset?.count == 3)
    }

    /// A server stamps an answer once: two seconds of its clock are two answers, however near they are.
    @Test func anotherStampOfTheSameServerIsAnotherAnswer() {
        var first = Sightings()
        var second = Sightings()
        first.add(Self.document, at: Self.second + 0.9, answer: Self.date)
        let next = [("Date", "Mon, 21 Sep 2026 14:13:26 GMT")]
        second.add(Self.document, at: Self.second + 1.05, answer: next)
        first.add(
            "/token",
            at: Self.second + 3,
            method: "POST",
            form: [("code", "code-1-Xy12")],
            answer: next
        )
        second.add(
            "/token",
            at: Self.second + 4,
            method: "POST",
            form: [("code", "code-2-Xy12")],
            answer: next
        )
        #expect(CaptureMerger(first, second).story.contains { $0.contains("+") } == false)
    }

    /// Two polls of one client, each in one file alone, are two by their stamps, however well the clocks are known.
    @Test(arguments: [(26, ["a0+b0", "a1", "b1"]), (25, ["a0+b0", "a1+b1"])])
    func pollThatWasStampedInAnotherSecondIsAnother(second: Int, story: [String]) {
        func file(at: Double, stamp: Int) -> Sightings {
            var file = Sightings()
            file.callback(1, at: Self.second - 2)
            file.add(
                "/poll",
                at: Self.second + at,
                headers: [("Cookie", "sid=session-of-alice")],
                answer: [("Date", "Mon, 21 Sep 2026 14:13:\(stamp) GMT")]
            )
            return file
        }
        #expect(CaptureMerger(file(at: 0.96, stamp: 25), file(at: 1.02, stamp: second)).story == story)
    }

    /// What failed has nothing but its instant; the same file twice has it twice.
    @Test(arguments: [(123_456_000, ["a0+b0"]), (0, ["a0", "b0"])] as [(Int64, [String])])
    func failureThatBothFilesHaveIsOne(fraction: Int64, story: [String]) {
        var sightings = Sightings()
        sightings.add("/authorize", at: 5, length: 0, status: nil)
        sightings.exchanges[0].startedAt = Timestamp(nanoseconds: 1_790_000_005_000_000_000 + fraction)
        sightings.exchanges[0].failure = "net::ERR_CERT_AUTHORITY_INVALID"
        #expect(CaptureMerger(sightings, sightings).story == story)
    }

    /// The same with a clock that is ahead, where the two are one.
    @Test func sameSecondIsAPairWhereTheClocksAgree() throws {
        var browser = Sightings()
        var server = Sightings(ahead: 37, inset: 0.005)
        browser.add(Self.document, at: Self.second + 0.1, headers: Self.agent("a"), answer: Self.date)
        server.add(Self.document, at: Self.second + 0.1, headers: Self.agent("a"), answer: Self.date)
        #expect(CaptureMerger(browser, server).story == ["a0+b0"])
    }

    /// Two workers of one test suite, each with a browser of the same make, ask for a login within one second.
    @Test(arguments: ["cookie", "state"])
    func twoLoginsOfOneSecondAreTwo(by what: String) {
        func worker(_ number: Int) -> Sightings {
            let state = what == "state" ? "&state=state-\(number)-Zq34" : ""
            let session = what == "cookie" ? "session-\(number)" : "session-of-both"
            var file = Sightings()
            file.add(
                "/login",
                at: Self.second + 0.1 + 0.2 * Double(number),
                headers: Self.agent("Mozilla/5.0"),
                status: 302,
                answer: Self.date + [
                    ("Location", "/authorize?client_id=app\(state)"),
                    ("Set-Cookie", "sid=\(session); Path=/"),
                ]
            )
            return file
        }
        let merger = CaptureMerger(worker(0), worker(1))
        #expect(merger.story == ["a0", "b0"])
        #expect(merger.offset?.basis != .exchanges)
        #expect(CaptureMerger(worker(0), worker(0)).story == ["a0+b0"])
    }

    /// A page's own API takes the code under a path that ends like the page's.
    @Test func anotherPathWithAnotherAnswerIsAnother() {
        let target = "/callback?code=code-1-Xy12&state=state-1-Zq34"
        func file(_ path: String, _ type: String, _ text: String) -> Sightings {
            var file = Sightings()
            let body = Body(text: text, mediaType: type)
            file.add("https://app.example\(path)\(target)", at: 0.1, body: body)
            return file
        }
        let page = file("", "text/html", "<p>Welcome</p>")
        #expect(CaptureMerger(page, file("/api/auth", "application/json", "{}")).story == ["a0", "b0"])
        #expect(CaptureMerger(page, file("/api/auth", "text/html", "<p>Other</p>")).story == ["a0", "b0"])
        #expect(CaptureMerger(page, file("/api/auth", "text/html", "<p>Welcome</p>")).story == ["a0+b0"])
    }

    /// What a recorder put in a cookie's place contradicts nothing.
    @Test func cookieThatWasTakenOutIsNoOther() {
        func file(_ value: String) -> Sightings {
            var file = Sightings()
            file.add(
                "/login",
                at: Self.second + 0.1,
                answer: Self.date + [("Set-Cookie", "sid=\(value); Path=/")]
            )
            return file
        }
        #expect(CaptureMerger(file("k3J9x"), file("[redacted]")).story == ["a0+b0"])
        #expect(CaptureMerger(file("k3J9x"), file("p0Qw2")).story == ["a0", "b0"])
    }

    // MARK: - Ports

    /// An app and its provider on a developer's machine have pages at one path; who ends TLS hands on the name without its own port.
    @Test(
        arguments: [
            ("http://localhost:8080", "http://localhost:3000", false),
            ("http://localhost:3000", "http://localhost:3000", true),
            ("https://localhost:8443", "http://localhost", true),
            ("https://app.example:443", "http://app.example:3000", true),
            ("http://app.example:3000", "http://idp.example:3000", false),
        ]
    )
    func pageAtAnotherPortIsAnother(left: String, right: String, isOne: Bool) {
        func file(_ server: String, answer: [(String, String)]) -> Sightings {
            var file = Sightings()
            file.add(server + "/login", at: Self.second + 0.1, answer: answer)
            return file
        }
        let bySecond = CaptureMerger(file(left, answer: Self.date), file(right, answer: Self.date))
        #expect(bySecond.story == (isOne ? ["a0+b0"] : ["a0", "b0"]))
        var (first, second) = (file(left, answer: []), file(right, answer: []))
        first.callback(1, at: Self.second + 2)
        second.callback(1, at: Self.second + 2)
        #expect(CaptureMerger(first, second).story == (isOne ? ["a0+b0", "a1+b1"] : ["a0", "b0", "a1+b1"]))
    }

    /// A proxy at another port of the app's machine names requests anew; which ports are its sides, a callback shows.
    @Test(arguments: [(3000, ["a0+b0", "a1+b1"]), (4000, ["a0+b0", "a1", "b1"])])
    func bothPortsOfAProxyAreOne(port: Int, story: [String]) {
        func file(_ ports: (Int, Int), request: String, inset: Double) -> Sightings {
            var file = Sightings(inset: inset)
            file.add(
                "http://localhost:\(ports.0)/callback?code=code-1-Xy12&state=state-1-Zq34",
                at: 0,
                length: 0.2,
                headers: [("X-Request-Id", request)],
                status: 302
            )
            file.add("http://localhost:\(ports.1)/home", at: 1)
            return file
        }
        let front = file((8080, 8080), request: "r1", inset: 0)
        #expect(CaptureMerger(front, file((3000, port), request: "r2", inset: 0.005)).story == story)
    }

    // MARK: - Without an answer

    /// A request by which its client is known, or not; `status`: of its answer.
    private static func ask(_ file: inout Sightings, at: Double, with what: String, status: Int?) {
        let headers: [(String, String)] =
            switch what {
            case "cookie": [("Cookie", "sid=session-of-alice")]
            case "another cookie": [("Cookie", "sid=session-of-bob")]
            case "a setting": [("Cookie", "lang=en")]
            case "authorization": [("Authorization", "Bearer at-1-Xy12")]
            default: []
            }
        let forms = [
            "form": [("user", "alice"), ("password", "correct horse")],
            "an app's form": [("grant_type", "client_credentials"), ("client_id", "shop")],
            "a form without its values": [("user", "[redacted]"), ("password", "***")],
        ]
        let form = forms[what]
        file.add(
            "/userinfo",
            at: at,
            method: form == nil ? "GET" : "POST",
            headers: headers,
            form: form,
            status: status
        )
        if status == nil { file.exchanges[file.exchanges.count - 1].failure = "net::ERR_FAILED" }
    }

    private static func story(browser: [(Double, String, Int?)], server: [(Double, String, Int?)]) -> [String]
    {
        var left = Sightings()
        var right = Sightings(inset: 0.005)
        left.callback(1, at: 0)
        right.callback(1, at: 0)
        for (at, what, status) in browser { ask(&left, at: at, with: what, status: status) }
        for (at, what, status) in server { ask(&right, at: at, with: what, status: status) }
        return CaptureMerger(left, right).story
    }

    /// A page that left, or that was not let see the answer (CORS), has none, where its server has sent one; a capture may lack one that
    /// the browser has.
    @Test(arguments: ["cookie", "authorization", "form"])
    func answerThatOneRecorderLacksIsThatOfTheOther(what: String) {
        let whole = ["a0+b0", "a1+b1"]
        #expect(Self.story(browser: [(2, what, nil)], server: [(2, what, 200)]) == whole)
        #expect(Self.story(browser: [(2, what, 200)], server: [(2, what, nil)]) == whole)
    }

    /// Nothing says that both are of one client.
    @Test(arguments: ["", "a setting", "another cookie", "an app's form", "a form without its values"])
    func answerToAnybodyIsNotThatOfTheOther(what: String) {
        let browser = what == "another cookie" ? "cookie" : what
        let story = Self.story(browser: [(2, browser, nil)], server: [(2, what, 200)])
        #expect(story == ["a0+b0", "a1", "b1"])
    }

    /// The first try did not get there, and the second did at once.
    @Test func answerIsThatOfTheTryThatHasIt() {
        let story = Self.story(
            browser: [(2, "cookie", nil), (2.08, "cookie", 200)],
            server: [(2.08, "cookie", 200)]
        )
        #expect(story == ["a0+b0", "a1", "a2+b1"])
    }

    /// As many as the other has, one of them without its answer: they are paired in their order.
    @Test func repeatedRequestOfWhichOneLacksItsAnswerIsPairedInOrder() {
        let times = [2, 2.01, 2.02]
        let story = Self.story(
            browser: times.map { ($0, "cookie", 200) },
            server: times.map { ($0, "cookie", $0 == 2.01 ? nil : 200) }
        )
        #expect(story == ["a0+b0", "a1+b1", "a2+b2", "a3+b3"])
    }

    // MARK: - Translated addresses

    private static func translated(_ edit: (inout Exchange) -> Void) -> [String] {
        var file = Sightings()
        file.callback(1, at: 0)
        file.callback(1, at: 0.0002, length: 0.1996)
        for index in 0..<2 {
            file.exchanges[index].connection.serverAddress = "10.0.0.9:443"
            file.exchanges[index].client.address = index == 0 ? "172.17.0.2:40000" : "10.0.0.5:40000"
        }
        edit(&file.exchanges[1])
        let source = CaptureMerger.Source(name: "a", capture: file.capture)
        return CaptureMerger([source], joinsSides: true).story
    }

    /// Packets of a container, as its bridge and as the machine's interface has them.
    @Test func bothSidesOfAnAddressTranslationAreOne() {
        #expect(Self.translated { _ in } == ["a0+a1"])
    }

    /// Seen within a millisecond, each could be the outer one.
    @Test func bothSidesOfAnAddressTranslationAreOneOfAPlainRequestToo() {
        var file = Sightings()
        for side in 0..<2 {
            let inset = side == 0 ? 0 : 0.0001
            file.callback(1, at: inset, length: 0.2 - 2 * inset)
            file.add("https://app.example/home", at: 1 + inset, length: 0.05 - 2 * inset)
            for index in file.exchanges.indices.suffix(2) {
                file.exchanges[index].connection.serverAddress = "10.0.0.9:443"
                file.exchanges[index].client.address = side == 0 ? "172.17.0.2:40000" : "10.0.0.5:40000"
            }
        }
        let source = CaptureMerger.Source(name: "a", capture: file.capture)
        #expect(CaptureMerger([source], joinsSides: true).story == ["a0+a2", "a1+a3"])
    }

    /// A second connection of one machine, a request with something else in it, one that outlasts the first.
    @Test func repeatedRequestIsNoSideOfATranslation() {
        #expect(Self.translated { $0.client.address = "172.17.0.2:40001" }.count == 2)
        #expect(Self.translated { $0.request.headers.append("X-Try", "2") } == ["a0", "a1"])
        #expect(Self.translated { $0.response?.headers.append("Date", "x") } == ["a0", "a1"])
        #expect(Self.translated { $0.duration = .milliseconds(300) } == ["a0", "a1"])
    }

    // MARK: - Two by themselves

    @Test func valuesThatWereTakenOutContradictNothing() {
        var (first, second) = (Sightings(), Sightings())
        first.add("/a", at: 0, headers: [("Cookie", "s=abcd")], answer: [("Set-Cookie", "s=[REDACTED]")])
        second.add("/a", at: 0, headers: [("Cookie", "s=[REDACTED]")], answer: [("Set-Cookie", "s=efgh")])
        var other = second.exchanges[0]
        #expect(SightingComparison(a: first.exchanges[0], b: other, tie: .weak).holds)
        // What was asked for is not what a server sent unasked.
        other.isPushed = true
        #expect(!SightingComparison(a: first.exchanges[0], b: other, tie: .weak).holds)
    }

    /// One has no answer: what one client alone sends tells that it is the same request, unless it was taken out of both.
    @Test(arguments: [
        ("Authorization", "Bearer abcdefgh", true), ("Authorization", "Bearer [REDACTED]", false),
        ("Cookie", "sid=abcdefgh", true), ("Cookie", "sid=[REDACTED]", false), ("Accept", "abcdefgh", false),
    ]) func unansweredRequestIsThatOfItsClient(name: String, value: String, holds: Bool) {
        var file = Sightings()
        for status in [nil, 200] { file.add("/a", at: 0, headers: [(name, value)], status: status) }
        let comparison = SightingComparison(a: file.exchanges[0], b: file.exchanges[1], tie: .unanswered)
        #expect(comparison.holds == holds)
    }
}
