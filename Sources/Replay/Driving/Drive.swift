import Captures
import Flows
import OAuth

/// One run of a plan.
struct Drive {
    let plan: ReplayPlan
    let environment: FlowDriver.Environment
    let options: FlowDriver.Options
    var composer: RequestComposer
    var browser: BrowserWalk
    var exchanges: [Exchange] = []
    var results: [FlowRun.Result]
    var stop: FlowRun.Stop?
    /// Seconds between the polls of a device (RFC 8628, section 3.2).
    var pollInterval: Int64 = 5
    var cookiesInBrowser: Int
    /// What the recorded answers issue, by exchange.
    private let issued: [Int: IssuedValues]

    init(
        plan: ReplayPlan,
        issued: [Int: IssuedValues],
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
        self.issued = issued
        results = [FlowRun.Result](repeating: .notReached, count: plan.steps.count)
    }

    var result: FlowRun {
        var state = RunState()
        state.values = composer.values
        (state.jar, state.recordedJar) = browser.cookieJars
        state.cookiesInBrowser = cookiesInBrowser
        return FlowRun(plan: plan, results: results, exchanges: exchanges, stop: stop, state: state)
    }

    var capture: Capture { plan.flow.capture }

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

    // MARK: - Sending

    /// Sends the request of a step as recorded, with the values of this run.
    mutating func send(_ index: Int) async throws -> Int {
        let step = plan.steps[index]
        var request = try composer.request(for: step, at: environment.clock())
        if step.takesClientAuthentication {
            request = options.adjustments.applied(to: request, secret: composer.clientSecret)
        }
        browser.note(request, of: step.kind)
        let live = try await exchange(request, isBrowser: step.isBrowser, like: step.exchange)
        results[index] = .sent(live)
        learn(from: live, recorded: step.exchange)
        return live
    }

    mutating func exchange(
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
            request.headers.fields.append(cookies)
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

    /// Whether a page of the plan is sent the code that a device was told, so that nobody else has to enter it.
    private func entersCode(of recorded: Int) -> Bool {
        plan.steps.contains { step in
            step.isBrowser
                && step.parameters.contains { parameter in
                    guard case .issued(let place) = parameter.source else { return false }
                    return place.exchange == recorded
                }
        }
    }

    /// Takes over what the new answer issues in place of the recorded one.
    mutating func learn(from live: Int, recorded: Int) {
        if let response = capture[recorded].response {
            browser.noteRecorded(response, of: capture[recorded])
        }
        issued[recorded]?.bind(to: exchanges[live], in: &composer.values)
        let kind = plan.steps.first { $0.exchange == recorded }?.kind
        guard kind == .deviceAuthorizationRequest || kind == .backchannelAuthenticationRequest else { return }
        let answer = Answer(of: exchanges[live], at: live)
        pollInterval = Self.pollInterval(answer.parameters["interval"].flatMap { Int64($0) })
        // Google calls it so, after a draft of RFC 8628.
        let address = answer.parameters["verification_uri"] ?? answer.parameters["verification_url"]
        if let code = answer.parameters["user_code"], let address, !entersCode(of: recorded) {
            environment.tell(.enterCode(code, at: answer.parameters["verification_uri_complete"] ?? address))
        }
    }
}
