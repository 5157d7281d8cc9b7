package import Captures
import JSON

/// Leads a browser through a visit: what it says comes in, commands and notices go out.
///
/// Does no IO and reads no clock. Looks at the page again and again; when it has come to rest, enters what
/// ``PageFilling`` knows, or waits for the person to do so. Whatever the browser says may come from a hostile page.
package struct BrowserVisitStateMachine {
    /// What happened.
    package enum Event: Sendable {
        case begin
        case message(DevToolsMessage)
        /// An exchange of the browser's, whole; told before the browser has read the last bytes of its answer.
        case exchanged(Exchange)
        /// Time has passed; expected several times a second.
        case tick
        case browserEnded(reason: String)
    }

    /// What the one who owns the browser has to do.
    package enum Action: Sendable, Hashable {
        case send(DevToolsCommand)
        case tell(BrowserVisit.Notice)
        case finish(BrowserVisit.Ending)
    }

    private enum Phase { case preparing, opening, walking, over }

    /// What a reply is the reply to.
    private enum Question { case preparation, navigation, world, inspection, filling, pressing }

    private let visit: BrowserVisit
    private let session: String
    /// As the browser calls itself, without a word about having no window; nil leaves it.
    private let userAgent: String?
    private var filling: PageFilling
    private var nextID: Int64
    private var phase = Phase.preparing
    private var questions: [Int64: Question] = [:]
    private var mainFrame: String?
    /// The world that our scripts live in; gone with its page.
    private var world: Int64?
    /// Requests without an answer.
    private var pending: Set<String> = []
    private var began = Timestamp(nanoseconds: 0)
    private var lastNetwork = Timestamp(nanoseconds: 0)
    private var lastProgress = Timestamp(nanoseconds: 0)
    private var lastLook = Timestamp(nanoseconds: 0)
    private var snapshot: PageSnapshot?
    private var snapshotSince = Timestamp(nanoseconds: 0)
    private var refusedHosts: Set<String> = []
    /// The status of the page that is shown.
    private var status: Int?

    /// How long the network has to be silent, and a page the same, before it counts as at rest.
    private static let rest = Duration.milliseconds(400)
    /// Some pages never come to rest: they poll.
    private static let longestUnrest = Duration.seconds(3)
    private static let lookInterval = Duration.milliseconds(200)
    /// Nothing more will come.
    private static let silence = Duration.seconds(2)
    /// Without a person the page has to move on by then.
    private static let patience = Duration.seconds(30)
    /// The same for a page that asks nobody for anything meanwhile.
    private static let quietPatience = Duration.seconds(10)
    /// A page that changes for ever is not waited for.
    private static let longest = Duration.seconds(300)
    private static let maximumPending = 1000

    /// - Parameters:
    ///   - visit: what is to be done.
    ///   - session: of the page, attached to.
    ///   - userAgent: sent in place of the browser's own.
    ///   - firstID: commands are counted from here on.
    package init(_ visit: BrowserVisit, session: String, userAgent: String? = nil, firstID: Int64 = 1) {
        self.visit = visit
        self.session = session
        self.userAgent = userAgent
        nextID = firstID
        filling = PageFilling(visit.entries, goesOn: visit.expectsResponse)
    }

    /// The number for whoever speaks next.
    package var unusedID: Int64 { nextID }

    /// Takes an event.
    ///
    /// - Returns: what is to be done then, in order; nothing once the visit is over.
    package mutating func handle(_ event: Event, at now: Timestamp) -> [Action] {
        guard phase != .over else { return [] }
        switch event {
        case .begin:
            (began, lastNetwork, lastProgress, snapshotSince) = (now, now, now, now)
            return prepare()
        case .message(let message): return handle(message, at: now)
        case .exchanged(let exchange): return handle(exchange)
        case .tick: return tick(at: now)
        case .browserEnded(let reason):
            return finish(visit.isForPerson ? .closed : .failed(reason: reason))
        }
    }

    // MARK: - Opening

    private mutating func prepare() -> [Action] {
        var actions = [
            ask(.preparation, "Page.enable"),
            // Bodies are the recorder's affair.
            ask(
                .preparation,
                "Network.enable",
                ["maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0]
            ),
            // Pages that are not looked at are slow to do anything.
            ask(.preparation, "Emulation.setFocusEmulationEnabled", ["enabled": true]),
        ]
        if let userAgent {
            actions.append(
                ask(.preparation, "Emulation.setUserAgentOverride", ["userAgent": .string(userAgent)])
            )
        }
        let patterns = (visit.target?.pattern).map { pattern -> [JSONValue] in
            [["urlPattern": .string(pattern), "requestStage": "Request"]]
        }
        if let patterns { actions.append(ask(.preparation, "Fetch.enable", ["patterns": .array(patterns)])) }
        if !visit.cookies.isEmpty {
            let cookies = visit.cookies.map { JSONValue.object($0.devToolsParameters) }
            actions.append(ask(.preparation, "Network.setCookies", ["cookies": .array(cookies)]))
        }
        return actions
    }

    private mutating func open() -> [Action] {
        phase = .opening
        var actions = [ask(.navigation, "Page.navigate", ["url": .string(visit.url.text)])]
        if visit.isForPerson { actions.append(.tell(.awaitsPerson(at: visit.url.withoutQuery))) }
        return actions
    }

    // MARK: - Replies

    private mutating func handle(_ message: DevToolsMessage, at now: Timestamp) -> [Action] {
        switch message {
        case .reply(let id, let result):
            guard let question = questions.removeValue(forKey: id) else { return [] }
            return reply(result, to: question, at: now)
        case .refusal(let id, let reason):
            guard let question = questions.removeValue(forKey: id) else { return [] }
            return refusal(reason, of: question)
        case .event(let method, let parameters, let session):
            guard session == self.session else { return browserEvent(method, parameters) }
            return event(method, parameters, at: now)
        }
    }

    private mutating func reply(_ result: JSONObject, to question: Question, at now: Timestamp) -> [Action] {
        switch question {
        case .preparation:
            return questions.values.contains(.preparation) || phase != .preparing ? [] : open()
        case .navigation:
            phase = .walking
            mainFrame = result["frameId"]?.string
            // A response that is caught ends the navigation as well.
            if let error = result["errorText"]?.string, !error.isEmpty, !error.contains("ERR_ABORTED"),
                !error.contains("ERR_UNKNOWN_URL_SCHEME")
            {
                return finish(.failed(reason: error))
            }
            // A new window has the keyboard in its address bar.
            return visit.isForPerson ? [send("Page.bringToFront")] : []
        case .world:
            world = result["executionContextId"]?.int
            return look()
        case .inspection: return inspected(result, at: now)
        case .filling, .pressing:
            lastProgress = now
            // What follows from it has the time to begin.
            (snapshot, snapshotSince, lastNetwork) = (nil, now, now)
            return []
        }
    }

    private mutating func refusal(_ reason: String, of question: Question) -> [Action] {
        switch question {
        case .preparation, .navigation:
            return finish(.failed(reason: reason))
        case .world, .inspection, .filling, .pressing:
            // The page has gone meanwhile, and its world with it.
            world = nil
            return []
        }
    }

    // MARK: - Events

    private mutating func browserEvent(_ method: String, _ parameters: JSONObject) -> [Action] {
        let isOurs = parameters["sessionId"]?.string == session
        guard method == "Target.detachedFromTarget", isOurs else { return [] }
        return finish(visit.isForPerson ? .closed : .failed(reason: "the browser closed the page"))
    }

    private mutating func event(_ method: String, _ parameters: JSONObject, at now: Timestamp) -> [Action] {
        switch method {
        case "Network.requestWillBeSent":
            lastNetwork = now
            let type = parameters["type"]?.string ?? ""
            if let id = parameters["requestId"]?.string, pending.count < Self.maximumPending,
                !["EventSource", "WebSocket", "Ping", "Prefetch"].contains(type)
            {
                pending.insert(id)
            }
            guard let url = parameters["request"]?["url"]?.string else { return [] }
            let isPage = type == "Document" && isMain(parameters["frameId"])
            return wanted(RecordedURL(url), isPage: isPage)
        case "Network.loadingFinished", "Network.loadingFailed":
            lastNetwork = now
            if let id = parameters["requestId"]?.string { pending.remove(id) }
            return []
        case "Network.responseReceived":
            guard parameters["type"]?.string == "Document", isMain(parameters["frameId"]) else { return [] }
            status = parameters["response"]?["status"]?.int.map { Int(clamping: $0) }
            return []
        case "Page.frameNavigated":
            guard parameters["frame"]?["parentId"] == nil else { return [] }
            mainFrame = parameters["frame"]?["id"]?.string ?? mainFrame
            world = nil
            pending = []
            (snapshot, lastProgress, snapshotSince, lastNetwork) = (nil, now, now, now)
            return []
        case "Page.frameRequestedNavigation", "Page.frameStartedNavigating":
            // An app's own scheme is requested of nobody.
            guard isMain(parameters["frameId"]), let url = parameters["url"]?.string else { return [] }
            let target = RecordedURL(url)
            guard !target.isWeb else { return [] }
            return caught(target) ?? []
        case "Fetch.requestPaused": return held(parameters)
        case "Page.javascriptDialogOpening" where !visit.isForPerson:
            return [send("Page.handleJavaScriptDialog", ["accept": true])]
        case "Inspector.targetCrashed": return finish(.failed(reason: "the page crashed"))
        default: return []
        }
    }

    private func isMain(_ frame: JSONValue?) -> Bool { mainFrame == nil || frame?.string == mainFrame }

    /// A request is about to be made.
    private mutating func wanted(_ url: RecordedURL, isPage: Bool) -> [Action] {
        guard url.isWeb, visit.target.map({ !$0.matches(url) }) ?? true, !visit.allows(url) else { return [] }
        if isPage { return finish(.leadsElsewhere(url: url.withoutQuery)) }
        guard let host = url.host, refusedHosts.count < 100, refusedHosts.insert(host).inserted else {
            return []
        }
        return [.tell(.refused(host: host))]
    }

    /// A request to the app is held.
    private mutating func held(_ parameters: JSONObject) -> [Action] {
        guard let id = parameters["requestId"]?.string, let request = parameters["request"]?.object else {
            return []
        }
        let text = (request["url"]?.string ?? "") + (request["urlFragment"]?.string ?? "")
        let url = RecordedURL(text)
        guard visit.target?.matches(url) ?? false else {
            return [send("Fetch.continueRequest", ["requestId": .string(id)])]
        }
        let refuse = send("Fetch.failRequest", ["requestId": .string(id), "errorReason": "Aborted"])
        guard isMain(parameters["frameId"]) else { return [refuse] }
        let form = request["postData"]?.string.map { QueryItems($0) }
        return [refuse] + (caught(url, form: form) ?? [])
    }

    private mutating func caught(_ url: RecordedURL, form: QueryItems? = nil) -> [Action]? {
        visit.target?.response(in: url, form: form).map { finish(.answered($0)) }
    }

    /// What the recorder saw: a redirect to the app, whatever its scheme; a page that could not be had.
    private mutating func handle(_ exchange: Exchange) -> [Action] {
        let destination = exchange.request.headers.first("sec-fetch-dest")
        guard destination == nil || destination == "document" else { return [] }
        guard let response = exchange.response else {
            guard destination == "document", let reason = exchange.failure else { return [] }
            return finish(.failed(reason: reason))
        }
        guard (300..<400).contains(response.status), let location = response.location else { return [] }
        return caught(exchange.request.url.resolving(location)) ?? []
    }

    // MARK: - Looking at the page

    private mutating func tick(at now: Timestamp) -> [Action] {
        guard phase == .walking else {
            guard now - lastProgress >= Self.patience else { return [] }
            return finish(.failed(reason: "the browser does not answer"))
        }
        // A person looks at the page without us, and takes the time that it takes.
        guard !visit.isForPerson else { return [] }
        if now - lastProgress >= Self.patience || now - began >= Self.longest { return finish(stuck) }
        guard questions.isEmpty, now - lastLook >= Self.lookInterval, isAtRest(now) else { return [] }
        lastLook = now
        guard world != nil else {
            guard let mainFrame else { return [] }
            return [
                ask(
                    .world,
                    "Page.createIsolatedWorld",
                    ["frameId": .string(mainFrame), "worldName": .string(PageScripts.world)]
                )
            ]
        }
        return look()
    }

    private func isAtRest(_ now: Timestamp) -> Bool {
        pending.isEmpty && now - lastNetwork >= Self.rest || now - lastProgress >= Self.longestUnrest
    }

    private mutating func look() -> [Action] {
        call(
            .inspection,
            PageScripts.inspect,
            [
                JSONValue(PageScripts.maximumControls),
                JSONValue(PageScripts.maximumText),
            ]
        )
    }

    private mutating func inspected(_ result: JSONObject, at now: Timestamp) -> [Action] {
        guard result["exceptionDetails"] == nil, let page = PageSnapshot(result["result"]?["value"]) else {
            return []
        }
        guard page == snapshot else {
            if page.identity != snapshot?.identity { lastProgress = now }
            (snapshot, snapshotSince) = (page, now)
            return []
        }
        guard page.isComplete, now - snapshotSince >= Self.rest else { return [] }
        switch filling.move(on: page) {
        case .fill(let assignments):
            let pairs = assignments.map { assignment -> JSONValue in
                let value: JSONValue =
                    switch assignment.value {
                    case .text(let text): .string(text)
                    case .ticked(let isTicked): .bool(isTicked)
                    }
                return [JSONValue(assignment.control), value]
            }
            return call(.filling, PageScripts.fill, [.array(pairs)])
        case .press(let control):
            return call(.pressing, PageScripts.press, [JSONValue(control)])
        case .none:
            guard now - snapshotSince >= Self.silence, isAtRest(now) else { return [] }
            if !visit.expectsResponse { return finish(.settled) }
            // A page of an error goes nowhere by itself.
            if let status, status >= 400 { return finish(stuck) }
            let isQuiet = pending.isEmpty && now - lastNetwork >= Self.quietPatience
            return isQuiet && now - snapshotSince >= Self.quietPatience ? finish(stuck) : []
        }
    }

    private var stuck: BrowserVisit.Ending {
        .stuck(
            url: (snapshot?.url ?? visit.url).withoutQuery,
            title: snapshot?.title ?? "",
            fields: snapshot?.fieldNames ?? []
        )
    }

    // MARK: - Commands

    private mutating func call(_ question: Question, _ function: String, _ arguments: [JSONValue]) -> [Action]
    {
        guard let world else { return [] }
        return [
            ask(
                question,
                "Runtime.callFunctionOn",
                [
                    "functionDeclaration": .string(function),
                    "executionContextId": JSONValue(world),
                    "arguments": .array(arguments.map { ["value": $0] }), "returnByValue": true,
                    "userGesture": true,
                ]
            )
        ]
    }

    private mutating func ask(_ question: Question, _ method: String, _ parameters: JSONObject = [:])
        -> Action
    {
        questions[nextID] = question
        return send(method, parameters)
    }

    private mutating func send(_ method: String, _ parameters: JSONObject = [:]) -> Action {
        defer { nextID += 1 }
        return .send(DevToolsCommand(id: nextID, method, parameters, session: session))
    }

    private mutating func finish(_ ending: BrowserVisit.Ending) -> [Action] {
        guard phase != .over else { return [] }
        phase = .over
        return [.finish(ending)]
    }
}
