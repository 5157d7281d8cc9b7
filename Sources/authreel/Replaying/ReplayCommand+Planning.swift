import ArgumentParser
import Captures
import Flows
import Replay

/// What is replayed.
extension ReplayCommand {
    /// The flows to be driven, with their plans.
    ///
    /// - Throws: ``CommandFailure`` for a capture in which there is nothing to replay.
    func planned(_ options: PlanOptions) throws -> [ReplayJob] {
        var jobs: [ReplayJob] = []
        var count = 0
        for name in captures {
            let capture = try identities.read(name)
            let flows = FlowFinder.flows(in: capture)
            let own = ReplayJob.jobs(of: flows, in: name, only: flow, from: count, options: options)
            guard !own.isEmpty else {
                let ids = flows.map(\.id)
                if let flow, !ids.isEmpty, !ids.contains(flow) {
                    throw CommandFailure.noFlow(flow, in: name, known: ids)
                }
                throw CommandFailure(
                    .dataError,
                    flow.map { "\(name) has no flow \($0) that can be replayed" }
                        ?? "\(name): there is nothing in it that can be replayed",
                    hint: ids.isEmpty
                        ? "\(Invocation.command("show", name)) tells what was recorded"
                        : "it has \(CommandFailure.listed(ids))"
                )
            }
            // That a provider publishes the same says nothing of a login.
            guard own.contains(where: \.holdsMoreThanDocuments) else {
                let rest = capture.losses.isEmpty ? "in" : "left of"
                throw CommandFailure(
                    .dataError,
                    "\(name): nothing but metadata is \(rest) it, and no login to replay",
                    hint: "\(Invocation.command("show", name)) tells what was recorded"
                )
            }
            jobs += own
            count = (jobs.last?.number ?? count) + 1
        }
        return jobs
    }
}
