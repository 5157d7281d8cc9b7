import Captures
package import Flows

/// A run of a plan that was changed, read as a flow.
package struct FlowTrial: Sendable {
    package var run: FlowRun
    /// Nil where the run has no protocol message.
    package var flow: Flow?

    /// Drives a plan to its end.
    ///
    /// `state`: of the run that the flow goes on from.
    static func of(
        _ plan: ReplayPlan,
        _ environment: FlowDriver.Environment,
        options: FlowDriver.Options,
        from state: RunState
    ) async -> FlowTrial {
        let run = await FlowDriver(plan, environment, options: options).run(from: state)
        return FlowTrial(run: run, flow: FlowFinder.flows(in: Capture(run.exchanges), areOne: true).first)
    }
}
