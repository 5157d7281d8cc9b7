import Captures
package import Flows

/// Plans the flows of one capture together: which of them go on where another one ended, in the same browser with
/// its session, and do not make that session once more.
package enum FlowOrder {
    /// A flow's plan with the flow that it goes on from.
    package struct Place: Sendable {
        package var plan: ReplayPlan
        /// Index of a flow before it; nil for a flow that stands alone.
        package var predecessor: Int?
    }

    /// The plans of all flows, in their order.
    package static func places(of flows: [Flow], options: PlanOptions) -> [Place] {
        var places: [Place] = []
        let planning = PlanningIndex(flows)
        /// The flow whose plan drives the exchange that set a cookie.
        var setters: [String: Int] = [:]
        for (index, flow) in flows.enumerated() {
            let predecessor = needs(of: flow).compactMap { setters[$0] }.max()
            var before: Set<Int> = []
            var earlier = predecessor
            while let place = earlier {
                before.formUnion(places[place].plan.steps.map(\.exchange))
                earlier = places[place].predecessor
            }
            let plan = PlanBuilder(flow, planning, drivenBefore: before, options: options).plan()
            places.append(Place(plan: plan, predecessor: predecessor))
            for step in plan.steps {
                for cookie in flow.capture[step.exchange].response?.setCookies ?? [] {
                    setters["\(cookie.name)=\(cookie.value)"] = index
                }
            }
        }
        return places
    }

    private static func needs(of flow: Flow) -> Set<String> {
        Set(
            flow.exchanges.flatMap { exchange in
                flow.capture[exchange].request.cookies.map { "\($0.name)=\($0.value)" }
            }
        )
    }
}
