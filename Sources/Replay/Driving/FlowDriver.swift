package import Captures
import Flows
import JSON
import OAuth

/// Drives a plan: sends its requests one after the other, with what the new answers bring.
///
/// Does no IO and reads no clock itself; both are given.
package struct FlowDriver: Sendable {
    /// Sends one request; never throws, a request without an answer is an exchange with a failure.
    package typealias Send = @Sendable (RecordedRequest) async -> Exchange

    /// Lets a real browser walk from a request to its response.
    package typealias Browse = @Sendable (BrowserVisit) async -> BrowserVisit.Outcome

    /// What a run is given.
    package struct Environment: Sendable {
        package var send: Send
        /// Nil: the driver walks through the pages itself.
        package var browse: Browse?
        package var clock: @Sendable () -> Timestamp
        package var sleep: @Sendable (Duration) async throws -> Void
        package var random: @Sendable (Int) -> [UInt8]
        package var tell: @Sendable (ReplayEvent) -> Void

        package init(
            send: @escaping Send,
            clock: @escaping @Sendable () -> Timestamp,
            sleep: @escaping @Sendable (Duration) async throws -> Void,
            random: @escaping @Sendable (Int) -> [UInt8],
            tell: @escaping @Sendable (ReplayEvent) -> Void = { _ in }
        ) {
            self.send = send
            self.clock = clock
            self.sleep = sleep
            self.random = random
            self.tell = tell
        }
    }

    /// What a run may do.
    package struct Options: Sendable {
        package var map: EndpointMap
        package var credentials: ReplayCredentials
        package var plan: PlanOptions
        /// Pauses of the recording are kept up to this long.
        package var longestWait: Duration
        package var adjustments = RequestAdjustments()

        package init(
            map: EndpointMap = EndpointMap(),
            credentials: ReplayCredentials = ReplayCredentials(),
            plan: PlanOptions = PlanOptions(),
            longestWait: Duration = .seconds(300)
        ) {
            self.map = map
            self.credentials = credentials
            self.plan = plan
            self.longestWait = longestWait
        }
    }

    private let plan: ReplayPlan
    private let environment: Environment
    private let options: Options

    package init(_ plan: ReplayPlan, _ environment: Environment, options: Options = Options()) {
        self.plan = plan
        self.environment = environment
        self.options = options
    }

    /// `state`: of the run that this one goes on from, in the same browser.
    package func run(from state: RunState = RunState()) async -> FlowRun {
        var drive = Drive(plan: plan, environment: environment, options: options, state: state)
        await drive.run()
        return drive.result
    }
}

/// One run of a plan.
private struct Drive {
    private let plan: ReplayPlan
    private let environment: FlowDriver.Environment
    private let options: FlowDriver.Options
    private var composer: RequestComposer
    private var browser: BrowserWalk
    private var exchanges: [Exchange] = []
    private var results: [FlowRun.Result]
    private var stop: FlowRun.Stop?
    /// Nobody is there to enter the code, if not by then.
    private static let longestPolling = Duration.seconds(120)
    /// Seconds between the polls of a device (RFC 8628, section 3.2).
    private var pollInterval: Int64 = 5
    private var cookiesInBrowser: Int

    init(
        plan: ReplayPlan,
        environment: FlowDriver.Environment,
        options: FlowDriver.Options,
        state: RunState
    ) {
        self.plan = plan
        self.environment = environment
        self.options = options
        composer = RequestComposer(
            plan: plan,
            map: options.map,
            credentials: options.credentials,
            overrides: options.plan.overrides,
            random: environment.random,
            values: state.values
        )
        browser = BrowserWalk(plan: plan, map: options.map, options: options.plan, state: state)
        cookiesInBrowser = state.cookiesInBrowser
        results = [FlowRun.Result](repeating: .notReached, count: plan.steps.count)
    }

    var result: FlowRun {
        var state = RunState()
        state.values = composer.values
        (state.jar, state.recordedJar) = browser.cookieJars
        state.cookiesInBrowser = cookiesInBrowser
        return FlowRun(plan: plan, results: results, exchanges: exchanges, stop: stop, state: state)
    }

    private var capture: Capture { plan.flow.capture }

    mutating func run() async {
        browser.begin(at: environment.clock())
        for index in plan.steps.indices where stop == nil {
            guard case .notReached = results[index] else { continue }
            guard !Task.isCancelled else {
                stop = .cancelled
                return
            }
            environment.tell(.sending(step: index, of: plan.steps.count))
            do {
                try await wait(before: index)
                if plan.steps[index].isBrowser {
                    try await browse(index)
                } else {
                    try await call(index)
                }
            } catch let failure as StepFailure {
                results[index] = .failed(failure)
            } catch {
                stop = .cancelled
            }
        }
    }

    // MARK: - Waiting

    private mutating func wait(before index: Int) async throws {
        let step = plan.steps[index]
        guard var pause = step.wait else { return }
        if isPoll(step) {
            // The live server says how often it may be asked; a recorded device that asked too often does so again.
            let isHasty = pause < .seconds(pollInterval) && !isRefusedAsTooFast(step.exchange)
            pause = isHasty ? pause : min(pause, .seconds(pollInterval))
        }
        pause = min(pause, options.longestWait)
        environment.tell(.waiting(pause, before: index))
        try await environment.sleep(pause)
    }

    private func isPoll(_ step: PlannedStep) -> Bool {
        step.kind == .tokenRequest && step.parameters.contains { $0.name == "device_code" }
    }

    private func isRefusedAsTooFast(_ exchange: Int) -> Bool {
        Answer(of: capture[exchange], at: exchange).error?.error == "slow_down"
    }

    // MARK: - Calls of the app and its server

    private mutating func call(_ index: Int) async throws {
        let step = plan.steps[index]
        var live = try await send(index)
        if let error = Answer(of: exchanges[live], at: live).error?.error {
            let recorded = Answer(of: capture[step.exchange], at: step.exchange)
            if error == "use_dpop_nonce", recorded.error?.error != error || options.adjustments.usesProofNonce
            {
                // The recorded client knew the nonce from before (RFC 9449, section 8).
                composer.useProofNonce()
                live = try await send(index)
            } else if error == "authorization_pending" || error == "slow_down", recorded.isSuccess {
                live = try await poll(index, after: error)
            }
        } else if exchanges[live].response.map({ $0.status < 500 && $0.status != 429 }) ?? false,
            let next = repeated(index)
        {
            // The recording needed another try where this run was answered at once.
            results[index] = .notNeeded
            results[next] = .sent(live)
            learn(from: live, recorded: plan.steps[next].exchange)
        }
    }

    /// The recorded repetition of a call that was put off (a DPoP nonce wanted, a device not confirmed yet, a server that
    /// failed for a moment); the last one.
    private func repeated(_ index: Int) -> Int? {
        let step = plan.steps[index]
        let put = ["use_dpop_nonce", "authorization_pending", "slow_down"]
        func isPutOff(_ exchange: Int) -> Bool {
            guard let response = capture[exchange].response, response.status != 429, response.status < 500
            else {
                return true
            }
            return Answer(of: capture[exchange], at: exchange).error.map { put.contains($0.error) } ?? false
        }
        guard isPutOff(step.exchange) else { return nil }
        let url = capture[step.exchange].request.url.withoutQuery
        var last: Int?
        for later in plan.steps.indices.dropFirst(index + 1) {
            let other = plan.steps[later]
            guard other.kind == step.kind, capture[other.exchange].request.url.withoutQuery == url,
                SameCall.isOne(capture[step.exchange].request, capture[other.exchange].request)
            else { continue }
            last = later
            if !isPutOff(other.exchange) { break }
        }
        return last
    }

    /// Goes on asking until the device is confirmed, or its code has run out.
    private mutating func poll(_ index: Int, after first: String) async throws -> Int {
        var error: String? = first
        var waited: Duration = .zero
        var live = exchanges.count - 1
        while let reason = error, reason == "authorization_pending" || reason == "slow_down",
            waited < min(options.longestWait, Self.longestPolling)
        {
            // Section 3.5: five seconds more each time.
            if reason == "slow_down" { pollInterval += 5 }
            let pause = Duration.seconds(pollInterval)
            environment.tell(.waiting(pause, before: index))
            try await environment.sleep(pause)
            waited += pause
            live = try await send(index)
            error = Answer(of: exchanges[live], at: live).error?.error
        }
        return live
    }

    /// Sends the request of a step as recorded, with the values of this run.
    private mutating func send(_ index: Int) async throws -> Int {
        let step = plan.steps[index]
        var request = try composer.request(for: step, at: environment.clock())
        if step.takesClientAuthentication {
            request = options.adjustments.applied(to: request, secret: composer.clientSecret)
        }
        let live = try await exchange(request, isBrowser: step.isBrowser, like: step.exchange)
        results[index] = .sent(live)
        learn(from: live, recorded: step.exchange)
        return live
    }

    private mutating func exchange(
        _ request: RecordedRequest,
        isBrowser: Bool,
        like recorded: Int?
    ) async throws -> Int {
        guard browser.allows(request.url) else {
            throw StepFailure.notAllowed(origin: request.url.origin ?? request.url.text)
        }
        var request = request
        if isBrowser, let cookies = browser.cookies(for: request.url, like: recorded, at: environment.clock())
        {
            request.headers.append("Cookie", cookies)
        }
        let exchange = await environment.send(request)
        if let response = exchange.response {
            composer.noteAnswer(response, from: exchange.request.url)
            if isBrowser { browser.store(response, from: exchange.request.url, at: exchange.endedAt) }
        }
        exchanges.append(exchange)
        environment.tell(.exchanged(exchange))
        return exchanges.count - 1
    }

    /// Takes over what the new answer issues in place of the recorded one.
    private mutating func learn(from live: Int, recorded: Int) {
        if let response = capture[recorded].response {
            browser.noteRecorded(response, of: capture[recorded])
        }
        AnswerValues.bind(capture[recorded], at: recorded, to: exchanges[live], in: &composer.values)
        let answer = Answer(of: exchanges[live], at: live)
        if let code = answer.parameters["user_code"], let address = answer.parameters["verification_uri"] {
            pollInterval = answer.parameters["interval"].flatMap { Int64($0) } ?? 5
            environment.tell(.enterCode(code, at: answer.parameters["verification_uri_complete"] ?? address))
        }
    }

    // MARK: - The browser

    private mutating func browse(_ index: Int) async throws {
        let step = plan.steps[index]
        if browser.isAnswered, browser.isInteraction(index) {
            results[index] = .notNeeded
            return
        }
        let visits = VisitPlanner(plan: plan, map: options.map)
        if let browse = environment.browse, visits.begins(at: index) {
            return try await visit(index, visits, browse)
        }
        switch step.action {
        case .follow(let source):
            guard let redirected = liveExchange(of: source) else {
                throw StepFailure.notIssued(name: "Location", by: source)
            }
            guard exchanges[redirected].response?.location != nil else {
                results[index] = .notNeeded
                break
            }
            if browser.caught(exchanges[redirected]) != nil {
                results[index] = .notNeeded
                break
            }
            let live = try await follow(redirected, like: step.exchange)
            results[index] = live.map(FlowRun.Result.sent) ?? .notReached
            if let live { learn(from: live, recorded: step.exchange) }
        case .submit:
            try await settle()
            guard stop == nil, !browser.isAnswered else { break }
            try await submit(index)
        case .send:
            if step.kind != .authorizationRequest || !browser.isBeginning(step.exchange) {
                try await settle()
            }
            guard stop == nil else { break }
            if browser.isAnswered, browser.isInteraction(index) {
                results[index] = .notNeeded
                break
            }
            if browser.isBeginning(step.exchange) { browser.begin(login: step.exchange) }
            let live = try await send(index)
            if step.isNavigation { arrive(at: live) }
        }
        if browser.isAnswered { takeResponse() }
        try await finishLogin(after: index)
    }

    private func liveExchange(of recorded: Int) -> Int? { result.exchange(for: recorded) }

    /// Notes the answer to a navigation: what the browser shows now, or the response to the app.
    private mutating func arrive(at live: Int) {
        browser.arrive(at: live, exchanges[live], in: composer.values)
        if browser.isAnswered { takeResponse() }
    }

    /// Follows a redirect; nil where it leads out of the replay.
    private mutating func follow(_ redirected: Int, like recorded: Int?) async throws -> Int? {
        guard
            let request = browser.redirect(
                of: exchanges[redirected],
                like: recorded.map { capture[$0].request }
            )
        else { return nil }
        guard browser.allows(request.url) else {
            stop = .leadsElsewhere(url: request.url.withoutQuery)
            return nil
        }
        let live = try await exchange(request, isBrowser: true, like: recorded)
        arrive(at: live)
        return live
    }

    /// Goes on by redirects, and by pages that go on by themselves, that the recording had not.
    private mutating func settle() async throws {
        var count = 0
        while stop == nil, !browser.isAnswered, let live = browser.shown {
            if exchanges[live].response?.location != nil,
                (300..<400).contains(exchanges[live].response?.status ?? 0)
            {
                guard try await follow(live, like: nil) != nil else { return }
            } else if let request = browser.automaticRequest(on: exchanges[live]), browser.allows(request.url)
            {
                let next = try await exchange(request, isBrowser: true, like: nil)
                arrive(at: next)
            } else {
                return
            }
            count += 1
            if count > 20 {
                stop = .tooManyRedirects(url: exchanges[exchanges.count - 1].request.url.withoutQuery)
            }
        }
    }

    private mutating func submit(_ index: Int) async throws {
        let step = plan.steps[index]
        let recorded = capture[step.exchange].request
        guard let shown = browser.shown, let page = Page(exchanges[shown]),
            let items = recorded.method == "POST"
                ? FormBody.items(of: recorded.body) : recorded.url.queryItems,
            let form = FormMatch.best(
                in: page,
                for: items,
                isPost: recorded.method == "POST",
                target: options.map.mapped(recorded.url)
            )
        else {
            // Saved without its page, or made by a script: as recorded, with the values of this run.
            let live = try await send(index)
            return arrive(at: live)
        }
        let fields = try composer.fields(of: form, for: step, at: environment.clock())
        let request = browser.request(submitting: form, of: page, fields, like: recorded)
        let live = try await exchange(request, isBrowser: true, like: step.exchange)
        results[index] = .sent(live)
        learn(from: live, recorded: step.exchange)
        arrive(at: live)
    }

    /// When the recorded interaction is over and the response is not there: the provider asks for something else
    /// today.
    private mutating func finishLogin(after index: Int) async throws {
        guard stop == nil, !browser.isAnswered, browser.isLastInteraction(index),
            browser.expectsResponse
        else { return }
        var tries = 0
        while stop == nil, !browser.isAnswered, tries < 6 {
            try await settle()
            guard stop == nil, !browser.isAnswered, let shown = browser.shown,
                let page = Page(exchanges[shown])
            else { break }
            guard let request = browser.unrecordedForm(on: page, plan, options.credentials) else {
                if (exchanges[shown].response?.status ?? 0) < 400 {
                    stop = .unknownPage(url: page.url.withoutQuery, title: page.title)
                }
                return
            }
            let live = try await exchange(request, isBrowser: true, like: nil)
            arrive(at: live)
            tries += 1
        }
        if browser.isAnswered { takeResponse() }
    }

    /// A real browser walks from a request to its response, or to the last page of a logout.
    private mutating func visit(_ index: Int, _ visits: VisitPlanner, _ browse: FlowDriver.Browse)
        async throws
    {
        let step = plan.steps[index]
        let request = try composer.request(for: step, at: environment.clock())
        guard browser.allows(request.url) else {
            throw StepFailure.notAllowed(origin: request.url.origin ?? request.url.text)
        }
        let isLogin = step.kind == .authorizationRequest
        if isLogin { browser.begin(login: step.exchange) }
        let covered = visits.steps(from: index)
        let (cookies, mark) = browser.cookieJars.jar.cookies(after: cookiesInBrowser)
        let target =
            request.url.queryItems.first(isLogin ? "redirect_uri" : "post_logout_redirect_uri")
            ?? (isLogin ? browser.redirectURI : nil)
        let walk = browser
        let outcome = await browse(
            BrowserVisit(
                url: request.url,
                target: target.map { RedirectTarget($0) },
                expectsResponse: isLogin && browser.expectsResponse,
                entries: PersonsEntries(
                    of: covered.map { plan.steps[$0] },
                    in: plan,
                    credentials: options.credentials,
                    overrides: options.plan.overrides
                ),
                cookies: cookies,
                isForPerson: isLogin,
                allows: { walk.allows($0) }
            )
        )
        let first = exchanges.count
        for exchange in outcome.exchanges {
            if let response = exchange.response {
                composer.noteAnswer(response, from: exchange.request.url)
                browser.store(response, from: exchange.request.url, at: exchange.endedAt)
            }
            exchanges.append(exchange)
            environment.tell(.exchanged(exchange))
        }
        cookiesInBrowser = browser.cookieJars.jar.cookies(after: mark).mark
        let pairs = visits.pairs(covered, outcome.exchanges, composer.values)
        for covered in covered {
            guard let live = pairs[covered] else {
                results[covered] = .notNeeded
                continue
            }
            results[covered] = .sent(first + live)
            learn(from: first + live, recorded: plan.steps[covered].exchange)
        }
        end(outcome.ending, isLogin: isLogin)
    }

    private mutating func end(_ ending: BrowserVisit.Ending, isLogin: Bool) {
        switch ending {
        case .answered(let items):
            guard isLogin else { return }
            browser.answered(items)
            takeResponse()
        case .settled: break
        case .stuck(let url, let title, let fields):
            stop = .stuckPage(url: url, title: title, fields: fields)
        case .leadsElsewhere(let url): stop = .leadsElsewhere(url: url)
        case .closed: stop = .windowClosed
        case .failed(let reason): stop = Task.isCancelled ? .cancelled : .browserFailed(reason: reason)
        }
    }

    /// The values of the response to the app, in place of the recorded ones.
    private mutating func takeResponse() {
        guard let response = browser.takeResponse() else { return }
        let recorded = plan.flow.authorizationResponses.first { recorded in
            browser.login.map { $0.response?.exchange == recorded.exchange } ?? false
        }
        guard let recorded else { return }
        for parameter in recorded.parameters.items {
            if let live = response[parameter.name], !parameter.value.isEmpty {
                composer.values.bind(parameter.value, to: live)
            }
        }
    }
}
