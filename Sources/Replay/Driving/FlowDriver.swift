package import Captures

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
    /// What the recorded answers issue, by exchange.
    private let issued: [Int: IssuedValues]

    package init(_ plan: ReplayPlan, _ environment: Environment, options: Options = Options()) {
        self.plan = plan
        self.environment = environment
        self.options = options
        // Here, since nothing waits yet: a code that was issued may live for seconds only.
        let taken = IssuedValues.taken(by: plan)
        issued = plan.steps.reduce(into: [:]) { issued, step in
            issued[step.exchange] = IssuedValues(of: step, in: plan, taken: taken[step.exchange] ?? [])
        }
    }

    /// `state`: of the run that this one goes on from, in the same browser.
    package func run(from state: RunState = RunState()) async -> FlowRun {
        var drive = Drive(
            plan: plan,
            issued: issued,
            environment: environment,
            options: options,
            state: state
        )
        await drive.run()
        return drive.result
    }
}
