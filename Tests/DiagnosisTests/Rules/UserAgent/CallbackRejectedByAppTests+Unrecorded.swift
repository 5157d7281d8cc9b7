import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// What is not in the recording: the app's server, its connections, the way on behind the last page.
extension CallbackRejectedByAppTests {
    @Test func codeThatIsExchangedLaterSaysNothingOfTheCallback() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/token" {
                exchange.startedAt = exchange.startedAt + .seconds(60)
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 500)
        }
        #expect(try #require(recording.finding(rule)).explanation.contains("no part in that"))
    }

    /// A note: the login had gone well, and what its user sees last is an error.
    @Test(arguments: [nil, "/auth/failure?message=csrf_detected&strategy=oidc"])
    func reloadOfADoneCallbackFailsNothing(target: String?) throws {
        var recording = try Recording("healthy/web-code-flow")
        var again = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        again.startedAt = again.startedAt + .seconds(5)
        again.response = RecordedResponse(status: target == nil ? 400 : 302)
        if let target { again.response?.redirect(to: target) }
        recording.exchanges.append(again)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note && !finding.isPrimary)
        #expect(recording.outcomes == [.success])
    }

    /// In the export of a browser, which has no token request.
    @Test func reloadOfADoneCallbackFailsNothingWithoutTheBackChannel() throws {
        var recording = try Recording("healthy/web-code-flow").without {
            ["/token", "/jwks", "/userinfo"].contains($0.request.url.path)
                || $0.request.url.path.contains("well-known")
        }
        #expect(recording.outcomes == [.success])
        var again = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        again.startedAt = again.startedAt + .seconds(5)
        again.response = RecordedResponse(status: 400)
        recording.exchanges.append(again)
        #expect(recording.outcomes == [.success])
        #expect(recording.finding(rule).map { $0.severity == .note } ?? true)
    }

    /// A page at the end of a callback whose code the app's server never used.
    private func deadEnd(
        _ page: String = "<h1>Shop</h1><p>Timeout",
        agent: String = "shop-backend/1.0",
        without paths: Set<String> = ["/token", "/jwks", "/userinfo"]
    ) throws -> Recording {
        try Recording("healthy/web-code-flow").without { paths.contains($0.request.url.path) }.editing {
            exchange in
            if exchange.request.url.path.contains("well-known") {
                exchange.request.headers.replace("User-Agent", with: agent)
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
        }
    }

    @Test func aPageWithoutAWayOnIsARefusalWhereTheServerIsSeen() throws {
        let finding = try #require(try deadEnd().finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.status ", "0 request.url ", "4 response.body ", "4 request.header Cookie",
                "1 response.header Set-Cookie",
            ]
        )
        #expect(finding.evidence[2].value == "Shop Timeout")
        #expect(try deadEnd().outcomes == [.failure])
        #expect(try deadEnd().finding("backchannel-not-recorded") == nil)
    }

    @Test(arguments: [
        "<script src=app.js></script>", "<body onload=go()>", "<meta http-equiv=\"refresh\" content=0>",
    ])
    func aPageThatGoesOnIsNone(page: String) throws { #expect(try deadEnd(page).finding(rule) == nil) }

    @Test(arguments: [
        "Mozilla/5.0 (X11; Linux) Firefox/140.0", "Shop/3 CFNetwork/1568.300.101 Darwin/24.2.0",
    ])
    func aServerThatIsNotSeenMayHaveUsedTheCode(agent: String) throws {
        let recording = try deadEnd(agent: agent)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
        #expect(recording.finding("backchannel-not-recorded") != nil)
    }

    @Test func aServerThatUsesATokenHasFetchedItUnseen() throws {
        let recording = try deadEnd(without: ["/token", "/jwks"])
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// Nobody knows which code it was for; one long before or after is of another login.
    @Test(arguments: [(0, false), (-600, true), (600, true)])
    func aTokenRequestWithoutItsBodyMayHaveHadTheCode(seconds: Int64, fires: Bool) throws {
        let dead = try deadEnd(without: ["/jwks", "/userinfo"]).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.startedAt = exchange.startedAt + .seconds(seconds)
            exchange.request.body = nil
            exchange.request.headers.remove("Authorization")
        }
        #expect((dead.finding(rule) != nil) == fires)
    }

    /// Its keys were not there, it was passed through: the token request may be on it; so may it be an entry that says nothing.
    @Test func aConnectionThatCouldNotBeReadMayHaveHadTheCode() throws {
        let dead = try deadEnd()
        #expect(dead.finding(rule) != nil)
        let callback = try #require(dead.exchanges.firstIndex { $0.request.url.path == "/callback" })
        let metadata = try #require(dead.exchanges.first { $0.request.url.path.contains("well-known") })
        for kind in 0..<4 {
            var unread = Exchange(
                startedAt: dead.exchanges[callback].startedAt,
                request: RecordedRequest(
                    method: "CONNECT",
                    url: RecordedURL(metadata.request.url.origin ?? "")
                )
            )
            switch kind {
            case 0: unread.tunnel = TunnelFacts(reason: .noKeys, sentBytes: 900, receivedBytes: 3000)
            case 1: unread.tunnel = TunnelFacts(reason: .asked)
            case 2: unread.request = RecordedRequest(method: "", url: RecordedURL(""))
            default:
                unread.tunnel = TunnelFacts(reason: .noKeys)
                unread.request.url = RecordedURL("https://192.0.2.7")
                unread.connection.serverAddress = "192.0.2.7:443"
            }
            var recording = dead
            if kind == 3 {
                recording = recording.editing { exchange in
                    guard exchange.request.url.path.contains("well-known") else { return }
                    exchange.connection.serverAddress = "192.0.2.7:443"
                }
                #expect(recording.finding(rule) != nil)
            }
            recording.exchanges.insert(unread, at: callback + 1)
            #expect(recording.finding(rule) == nil, "\(kind)")
            #expect(recording.finding("backchannel-not-recorded") != nil, "\(kind)")
        }
    }

    /// A program on this machine answers its browser first, and fetches the tokens then.
    @Test(arguments: [
        ("http://127.0.0.1:8400/callback", false), ("https://www.shop.example/callback", true),
    ])
    func recordingThatEndsAtALoopbackPageProvesNothing(target: String, fires: Bool) throws {
        let recording = try deadEnd()
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        var ended = Recording(Array(recording.exchanges[...callback])).asking("redirect_uri", target)
            .calledBack(at: target)
        #expect((ended.finding(rule) != nil) == fires)
        // Nor does the icon that a browser asks for at once.
        var icon = ended.exchanges[callback]
        icon.startedAt = icon.startedAt + .milliseconds(50)
        icon.request.url = RecordedURL(try #require(icon.request.url.origin) + "/favicon.ico")
        icon.response = RecordedResponse(status: 404)
        ended.exchanges.append(icon)
        #expect((ended.finding(rule) != nil) == fires)
    }

    /// A program that told the browser that all is well, and did nothing more while the recording went on.
    private func leftByProgram(_ page: String) throws -> Recording {
        let recording = try deadEnd(page).without { $0.request.url.path == "/login" }
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        var later = recording.exchanges[callback]
        later.startedAt = later.startedAt + .seconds(60)
        later.request.url = RecordedURL("https://www.other.example/")
        let target = "http://127.0.0.1:8400/callback"
        return Recording(Array(recording.exchanges[...callback]) + [later])
            .asking("redirect_uri", target).calledBack(at: target)
    }

    @Test(arguments: [
        "<p>You may close this window.", "<script>window.close()</script><p>You may close this window.",
    ])
    func programThatLeavesTheCodeIsTold(page: String) throws {
        let finding = try #require(try leftByProgram(page).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("did not exchange the code"))
        #expect(finding.notes.first == "what the browser was told")
    }

    /// Its API lets it in with a token that no answer brought; one that it had before, or that was refused, is not of this code.
    @Test(arguments: [([2], 200, false), ([2], 401, true), ([600], 200, true), ([-1, 2], 200, true)])
    func programThatHasATokenHasFetchedItUnseen(seconds: [Int64], status: Int, fires: Bool) throws {
        var recording = try leftByProgram("<p>You may close this window.")
        let callback = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        var call = try #require(recording.exchanges.first { $0.request.url.path.contains("well-known") })
        call.request.url = RecordedURL("https://api.harbour.example/orders")
        call.request.headers.append("Authorization", "Bearer unseen-access-token")
        call.response = RecordedResponse(status: status)
        for second in seconds {
            call.startedAt = callback.startedAt + .seconds(second)
            recording.exchanges.append(call)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// A server has keys of its own and calls for others as well: only what it does before it answers is of this login.
    @Test(arguments: [(5, false), (2000, true)])
    func serverThatUsesAnotherTokenLaterHasLeftTheCode(milliseconds: Int64, fires: Bool) throws {
        var recording = try deadEnd()
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        recording.exchanges[callback].duration = .milliseconds(40)
        var call = try #require(recording.exchanges.first { $0.request.url.path.contains("well-known") })
        call.request.url = RecordedURL("https://api.payments.example/charges")
        call.request.headers.append("Authorization", "Bearer key-of-the-server")
        call.response = RecordedResponse(status: 200)
        call.startedAt = recording.exchanges[callback].startedAt + .milliseconds(milliseconds)
        recording.exchanges.append(call)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// A web app that is developed on this machine, and begins its logins itself.
    @Test func recordingThatEndsAtThePageOfAWebAppOnThisMachineIsARefusal() throws {
        let recording = try deadEnd()
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        let target = "http://127.0.0.1:8400/"
        let ended = Recording(Array(recording.exchanges[...callback]))
            .asking("redirect_uri", target + "callback")
            .calledBack(at: target, insteadOf: "https://www.shop.example/")
        #expect(ended.finding(rule) != nil)
        #expect(ended.outcomes == [.failure])
    }
}
