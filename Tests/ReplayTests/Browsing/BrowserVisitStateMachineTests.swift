import Captures
import JSON
import Replay
import Testing

/// What is said to a browser, line by line.
struct BrowserVisitStateMachineTests {
    /// A browser that is led, with a clock and the commands it was given.
    private struct Script {
        var machine: BrowserVisitStateMachine
        var now = Timestamp(seconds: 1_780_000_000)
        var said: [String] = []
        var last: [DevToolsCommand] = []
        var ending: BrowserVisit.Ending?
        var notices: [BrowserVisit.Notice] = []

        init(_ visit: BrowserVisit) { machine = BrowserVisitStateMachine(visit, session: "S", firstID: 10) }

        mutating func handle(_ event: BrowserVisitStateMachine.Event) {
            last = []
            for action in machine.handle(event, at: now) {
                switch action {
                case .send(let command):
                    said.append(command.method)
                    last.append(command)
                case .tell(let notice): notices.append(notice)
                case .finish(let ending): self.ending = ending
                }
            }
        }

        mutating func event(_ method: String, _ parameters: JSONObject, session: String? = "S") {
            handle(.message(.event(method, parameters, session: session)))
        }

        mutating func reply(_ result: JSONObject = [:]) {
            for command in last { handle(.message(.reply(id: command.id, result))) }
        }

        /// Lets time pass, a tick at a time, until something is said.
        mutating func pass(_ duration: Duration) {
            let end = now + duration
            while now < end, ending == nil {
                now = now + .milliseconds(100)
                handle(.tick)
                if !last.isEmpty { return }
            }
        }

        /// Up to a page that is there.
        mutating func open() {
            handle(.begin)
            let commands = last
            for command in commands { handle(.message(.reply(id: command.id, [:]))) }
            reply(["frameId": "F"])
            event("Page.frameNavigated", ["frame": ["id": "F"]])
        }

        /// Looks at a page until something is done on it, or time is up.
        mutating func look(at page: JSONValue, for duration: Duration = .seconds(5)) {
            let end = now + duration
            while now < end, ending == nil {
                pass(.seconds(1))
                if last.first?.method == "Page.createIsolatedWorld" { reply(["executionContextId": 3]) }
                guard last.first?.method == "Runtime.callFunctionOn" else { continue }
                guard said.last == "Runtime.callFunctionOn", arguments.count == 2, arguments[0].int != nil
                else { return }
                reply(["result": ["value": page]])
                if !last.isEmpty { return }
            }
        }

        /// Of the function that was called last.
        var arguments: [JSONValue] {
            (last.last?.parameters["arguments"]?.array ?? []).compactMap { $0["value"] }
        }
    }

    private static func visit(
        target: String? = "https://app.example/cb",
        expectsResponse: Bool = true,
        isForPerson: Bool = false
    ) -> BrowserVisit {
        BrowserVisit(
            url: RecordedURL("https://idp.example/authorize?state=s"),
            target: target.map { RedirectTarget($0) },
            expectsResponse: expectsResponse,
            entries: PersonsEntries([
                .init([.init("username", "alice"), .init("password", "wonderland", isSecret: true)])
            ]),
            isForPerson: isForPerson,
            allows: { $0.host == "idp.example" }
        )
    }

    private static let signIn: JSONValue = [
        "url": "https://idp.example/login", "title": "Sign in", "isComplete": true,
        "controls": [
            ["type": "text", "name": "username", "form": 0],
            ["type": "password", "name": "password", "form": 0],
            ["type": "submit", "text": "Sign in", "form": 0],
        ],
    ]

    @Test func pageIsOpenedWhenTheRedirectCanBeCaught() {
        var script = Script(Self.visit())
        script.handle(.begin)
        #expect(
            script.said == [
                "Page.enable", "Network.enable", "Emulation.setFocusEmulationEnabled", "Fetch.enable",
            ]
        )
        let commands = script.last
        #expect(commands.allSatisfy { $0.session == "S" } && commands.map(\.id) == [10, 11, 12, 13])
        #expect(
            commands[3].parameters["patterns"]?.array?.first?["urlPattern"] == "https://app.example/cb*"
        )
        for command in commands.dropLast() {
            script.handle(.message(.reply(id: command.id, [:])))
            #expect(script.last.isEmpty)
        }
        script.handle(.message(.reply(id: 13, [:])))
        #expect(script.last.map(\.method) == ["Page.navigate"])
        #expect(script.last[0].parameters["url"] == "https://idp.example/authorize?state=s")
        #expect(script.machine.unusedID == 15)
    }

    @Test func cookiesAreThereBeforeThePageIs() {
        var visit = Self.visit(target: "com.example.app:/cb")
        visit.cookies = [
            .init(
                name: "sid",
                value: "1",
                domain: "idp.example",
                isHostOnly: true,
                path: "/",
                isSecure: true,
                isHTTPOnly: true,
                sameSite: "lax",
                expiresAt: Timestamp(seconds: 1_790_000_000)
            )
        ]
        var script = Script(visit)
        script.handle(.begin)
        #expect(script.said.last == "Network.setCookies" && !script.said.contains("Fetch.enable"))
        let cookie = script.last.last?.parameters["cookies"]?.array?.first?.object
        #expect(cookie?["url"] == "https://idp.example/" && cookie?["domain"] == nil)
        #expect(cookie?["sameSite"] == "Lax" && cookie?["expires"]?.int == 1_790_000_000)
    }

    @Test func pageIsFilledInWhenItHasComeToRest() {
        var script = Script(Self.visit())
        script.open()
        // A script is still being loaded.
        script.event("Network.requestWillBeSent", ["requestId": "1", "type": "Fetch", "frameId": "F"])
        script.pass(.seconds(2))
        #expect(script.last.isEmpty)
        script.event("Network.loadingFinished", ["requestId": "1"])
        script.look(at: Self.signIn)
        #expect(script.arguments == [[[0, "alice"], [1, "wonderland"]]])
        script.reply(["result": ["value": true]])
        script.look(at: Self.signIn)
        #expect(script.arguments == [2])
        #expect(script.ending == nil)
    }

    @Test func pageThatNeverComesToRestIsFilledInAllTheSame() {
        var script = Script(Self.visit())
        script.open()
        script.event("Network.requestWillBeSent", ["requestId": "1", "type": "Fetch", "frameId": "F"])
        script.look(at: Self.signIn, for: .seconds(10))
        #expect(script.arguments == [[[0, "alice"], [1, "wonderland"]]])
    }

    @Test func requestToTheAppIsCaughtAndNotSent() {
        var script = Script(Self.visit())
        script.open()
        script.event(
            "Fetch.requestPaused",
            [
                "requestId": "interception-1", "frameId": "F", "resourceType": "Document",
                "request": ["url": "https://app.example/cb?code=c", "urlFragment": "#x=y", "method": "GET"],
            ]
        )
        #expect(script.last.map(\.method) == ["Fetch.failRequest"])
        #expect(script.ending == .answered(Self.items("code=c&x=y")))
        script.handle(.tick)
        #expect(script.last.isEmpty)
    }

    @Test func postedResponseIsCaughtWithItsForm() {
        var script = Script(Self.visit())
        script.open()
        script.event(
            "Fetch.requestPaused",
            [
                "requestId": "1", "frameId": "F",
                "request": [
                    "url": "https://app.example/cb", "method": "POST", "postData": "code=a%2Fb&state=s",
                ],
            ]
        )
        #expect(script.ending == .answered(Self.items("code=a%2Fb&state=s")))
    }

    @Test func requestBesideTheAppsAddressGoesOn() {
        var script = Script(Self.visit())
        script.open()
        script.event(
            "Fetch.requestPaused",
            ["requestId": "1", "frameId": "F", "request": ["url": "https://app.example/cb2?code=c"]]
        )
        #expect(script.last.map(\.method) == ["Fetch.continueRequest"] && script.ending == nil)
    }

    @Test func responseInAFrameOfThePageIsNotTheResponse() {
        var script = Script(Self.visit())
        script.open()
        script.event(
            "Fetch.requestPaused",
            [
                "requestId": "1", "frameId": "G",
                "request": ["url": "https://app.example/cb?error=login_required"],
            ]
        )
        #expect(script.last.map(\.method) == ["Fetch.failRequest"] && script.ending == nil)
    }

    @Test func redirectToAnAppsOwnSchemeIsSeenInTheAnswer() {
        var script = Script(Self.visit(target: "com.example.app:/cb"))
        script.open()
        script.handle(.exchanged(Self.redirect(to: "com.example.app:/cb?code=c&state=s")))
        #expect(script.ending == .answered(Self.items("code=c&state=s")))
    }

    @Test func scriptThatGoesToAnAppsOwnSchemeIsSeen() {
        var script = Script(Self.visit(target: "com.example.app:/cb"))
        script.open()
        script.event("Page.frameRequestedNavigation", ["frameId": "F", "url": "com.example.app:/cb?code=c"])
        #expect(script.ending == .answered(Self.items("code=c")))
    }

    @Test func pageOfSomebodyElseEndsTheVisit() {
        var script = Script(Self.visit())
        script.open()
        script.event(
            "Network.requestWillBeSent",
            [
                "requestId": "1", "frameId": "F", "type": "Document",
                "request": ["url": "https://elsewhere.example/login?hint=secret"],
            ]
        )
        #expect(script.ending == .leadsElsewhere(url: "https://elsewhere.example/login"))
    }

    @Test func hostThatIsRefusedIsToldOfOnce() {
        var script = Script(Self.visit())
        script.open()
        for path in ["a.js", "b.js"] {
            script.event(
                "Network.requestWillBeSent",
                [
                    "requestId": .string(path), "type": "Script",
                    "request": ["url": .string("https://cdn.example/\(path)")],
                ]
            )
        }
        script.event(
            "Network.requestWillBeSent",
            ["requestId": "3", "type": "Image", "request": ["url": "data:image/png;base64,AA"]]
        )
        #expect(script.notices == [.refused(host: "cdn.example")] && script.ending == nil)
    }

    private static let codePage: JSONValue = [
        "url": "https://idp.example/otp?session=secret", "title": "One more step", "isComplete": true,
        "controls": [["type": "text", "name": "otp"], ["type": "submit", "text": "Verify"]],
    ]

    @Test func pageThatAsksNobodyIsGivenUpAfterTenSeconds() {
        var script = Script(Self.visit())
        script.open()
        let start = script.now
        script.look(at: Self.codePage, for: .seconds(60))
        #expect(
            script.ending == .stuck(url: "https://idp.example/otp", title: "One more step", fields: ["otp"])
        )
        #expect(script.now - start > .seconds(9) && script.now - start < .seconds(12))
    }

    /// Pages that wait for a phone ask whether it has answered.
    @Test func pageThatAsksAgainAndAgainIsGivenUpAfterHalfAMinute() {
        var script = Script(Self.visit())
        script.open()
        let start = script.now
        var count = 0
        while script.ending == nil, script.now - start < .seconds(60) {
            count += 1
            let id = JSONValue.string("poll-\(count)")
            let request: JSONValue = ["url": "https://idp.example/poll"]
            script.event(
                "Network.requestWillBeSent",
                ["requestId": id, "type": "XHR", "request": request]
            )
            script.event("Network.loadingFinished", ["requestId": id])
            script.look(at: Self.codePage, for: .seconds(2))
        }
        #expect(script.now - start > .seconds(29) && script.now - start < .seconds(34))
    }

    @Test func pageThatChangesForEverIsGivenUp() {
        var script = Script(Self.visit())
        script.open()
        let start = script.now
        while script.ending == nil, script.now - start < .seconds(400) {
            let title = "\((script.now - start).components.seconds)"
            let page: JSONValue = [
                "url": "https://idp.example/", "title": .string(title), "isComplete": true, "controls": [],
            ]
            script.look(at: page, for: .seconds(1))
        }
        guard case .stuck? = script.ending else {
            Issue.record("\(String(describing: script.ending))")
            return
        }
        #expect(script.now - start < .seconds(310))
    }

    @Test func errorPageIsNotWaitedFor() {
        var script = Script(Self.visit())
        script.open()
        script.event(
            "Network.responseReceived",
            ["type": "Document", "frameId": "F", "response": ["status": 403]]
        )
        let start = script.now
        let page: JSONValue = ["url": "https://idp.example/authorize", "isComplete": true, "controls": []]
        script.look(at: page, for: .seconds(20))
        #expect(script.ending == .stuck(url: "https://idp.example/authorize", title: "", fields: []))
        #expect(script.now - start < .seconds(5))
    }

    @Test func visitWithoutAResponseEndsWhereNothingMoreHappens() {
        var script = Script(Self.visit(expectsResponse: false))
        script.open()
        let page: JSONValue = [
            "url": "https://idp.example/logout", "isComplete": true,
            "controls": [["type": "button", "text": "Continue"]],
        ]
        script.look(at: page, for: .seconds(20))
        #expect(script.ending == .settled)
        #expect(script.said.filter { $0 == "Runtime.callFunctionOn" }.count > 1)
    }

    @Test func personIsWaitedForAsLongAsItTakes() {
        var script = Script(Self.visit(isForPerson: true))
        script.open()
        #expect(script.notices == [.awaitsPerson(at: "https://idp.example/authorize")])
        #expect(script.said.last == "Page.bringToFront", "the keyboard is in the page")
        script.pass(.seconds(1200))
        #expect(script.ending == nil && !script.said.contains("Runtime.callFunctionOn"))
        script.event("Target.detachedFromTarget", ["sessionId": "S"], session: nil)
        #expect(script.ending == .closed)
    }

    @Test func pageThatCannotBeHadIsTheEnd() {
        var script = Script(Self.visit())
        script.handle(.begin)
        let commands = script.last
        for command in commands { script.handle(.message(.reply(id: command.id, [:]))) }
        script.reply(["frameId": "F", "errorText": "net::ERR_NAME_NOT_RESOLVED"])
        #expect(script.ending == .failed(reason: "net::ERR_NAME_NOT_RESOLVED"))
    }

    @Test func browserThatDoesNotAnswerIsGivenUp() {
        var script = Script(Self.visit())
        script.handle(.begin)
        script.last = []
        script.pass(.seconds(60))
        #expect(script.ending == .failed(reason: "the browser does not answer"))
    }

    @Test func worldThatHasGoneWithItsPageIsMadeAgain() {
        var script = Script(Self.visit())
        script.open()
        script.pass(.seconds(2))
        script.reply(["executionContextId": 3])
        let call = script.last[0]
        #expect(call.parameters["executionContextId"]?.int == 3)
        script.handle(.message(.refusal(id: call.id, reason: "Cannot find context with specified id")))
        script.pass(.seconds(2))
        #expect(script.last.map(\.method) == ["Page.createIsolatedWorld"] && script.ending == nil)
    }

    @Test func replyThatNobodyAskedForIsNotHeard() {
        var script = Script(Self.visit())
        script.open()
        script.handle(.message(.reply(id: 999, ["executionContextId": 3])))
        script.handle(.message(.reply(id: 10, ["frameId": "G"])))
        script.event("Fetch.requestPaused", [:])
        script.event("Page.frameNavigated", ["frame": "nonsense"])
        script.event("Network.requestWillBeSent", ["request": 7], session: "other")
        #expect(script.last.isEmpty && script.ending == nil)
    }

    private static func items(_ query: String) -> QueryItems { QueryItems(query) }

    private static func redirect(to location: String) -> Exchange {
        Exchange(
            startedAt: Timestamp(seconds: 1_780_000_001),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/authorize")),
            response: RecordedResponse(status: 302, headers: HeaderFields([("Location", location)]))
        )
    }
}
