package import Flows

/// A flow that is to be replayed.
package struct ReplayJob: Sendable {
    /// The capture's name as the user wrote it.
    package var capture: String
    package var plan: ReplayPlan
    /// Among the flows of all captures of this round.
    package var number: Int
    /// The number of the flow whose session it goes on with.
    package var predecessor: Int?

    /// `login.har#flow-1`.
    package var name: String { "\(capture)#\(plan.flow.id)" }

    /// Whether anything is driven besides the reading of metadata and keys.
    package var holdsMoreThanDocuments: Bool {
        plan.steps.contains { ![.discovery, .jwks, .resourceMetadata].contains($0.kind) }
    }

    /// The same with what is driven through a map.
    package func adapted(to map: EndpointMap) -> ReplayJob {
        var job = self
        job.plan = plan.adapted(to: map)
        return job
    }

    /// The jobs of a capture that have something to drive.
    ///
    /// `only`: the id of the one that is wanted; those that it goes on from are wanted, too.
    package static func jobs(
        of flows: [Flow],
        in capture: String,
        only: String?,
        from first: Int,
        options: PlanOptions
    ) -> [ReplayJob] {
        let places = FlowOrder.places(of: flows, options: options)
        var wanted = Set(flows.indices)
        if let only {
            wanted = []
            var index = flows.firstIndex { $0.id == only }
            while let current = index, wanted.insert(current).inserted { index = places[current].predecessor }
        }
        return flows.indices.filter { wanted.contains($0) && !places[$0].plan.steps.isEmpty }.map { index in
            ReplayJob(
                capture: capture,
                plan: places[index].plan,
                number: first + index,
                predecessor: places[index].predecessor.map { first + $0 }
            )
        }
    }

    /// Indices of jobs that have to run one after the other: those of one capture, and those of one client, since what
    /// a provider remembers of one login (consents, sessions, grants) it may change in the midst of another.
    package static func chains(_ jobs: [ReplayJob]) -> [[Int]] {
        var chains: [[Int]] = []
        var chainOfKey: [String: Int] = [:]
        for (index, job) in jobs.enumerated() {
            let flow = job.plan.flow
            let client = "client \(job.plan.origins.first ?? "") \(flow.clientID ?? job.name)"
            let keys = ["capture \(job.capture)", client]
            let own = Set(keys.compactMap { chainOfKey[$0] }).sorted()
            let chain = own.first ?? chains.count
            if chain == chains.count { chains.append([]) }
            // A capture with two clients ties their chains together.
            for other in own.dropFirst() {
                chains[chain] += chains[other]
                chains[other] = []
                for (key, value) in chainOfKey where value == other { chainOfKey[key] = chain }
            }
            chains[chain].append(index)
            for key in keys { chainOfKey[key] = chain }
        }
        return chains.filter { !$0.isEmpty }.map { $0.sorted() }
    }
}
