import Captures
import Flows
import OAuth

extension ReplayPlan {
    /// The logins that no browser can begin, by recorded exchange: those that the app itself begins, being driven, and
    /// those whose request is a POST.
    package var loginsWithoutBrowser: [Int] {
        let visits = VisitPlanner(plan: self, map: EndpointMap())
        let covered = Set(steps.indices.filter { visits.begins(at: $0) }.flatMap { visits.steps(from: $0) })
        return steps.indices.filter { index in
            !covered.contains(index) && visits.logins[steps[index].exchange] != nil
        }.map { steps[$0].exchange }
    }
}

/// Says which steps of a plan a browser's visit covers, and which of its exchanges stands for which of them.
struct VisitPlanner {
    let plan: ReplayPlan
    let map: EndpointMap
    /// By the exchange of their authorization request.
    let logins: [Int: Login]

    init(plan: ReplayPlan, map: EndpointMap) {
        self.plan = plan
        self.map = map
        logins = Dictionary(plan.flow.logins.map { ($0.request.exchange, $0) }) { first, _ in first }
    }

    /// Whether a visit begins with a step: an authorization request that begins a login, or a logout.
    func begins(at index: Int) -> Bool {
        let step = plan.steps[index]
        guard step.isBrowser, case .send = step.action,
            plan.flow.capture[step.exchange].request.method == "GET"
        else { return false }
        return switch step.kind {
        case .authorizationRequest: logins[step.exchange] != nil
        case .endSessionRequest: true
        default: false
        }
    }

    /// The steps of a visit, the first included: those of the browser up to the response, or up to what the app does
    /// next.
    func steps(from index: Int) -> [Int] {
        let position = plan.flow.surroundings.position
        let login = logins[plan.steps[index].exchange]
        let end = login?.response.map { position[$0.exchange] }
        var steps = [index]
        for later in plan.steps.indices.dropFirst(index + 1) {
            let step = plan.steps[later]
            if begins(at: later), step.exchange != login?.request.exchange { break }
            if let end {
                guard position[step.exchange] <= end else { break }
                if step.isBrowser { steps.append(later) }
            } else if step.isBrowser {
                steps.append(later)
            } else if login == nil {
                break
            }
        }
        return steps
    }

    /// The exchanges of a visit that stand for its steps, by step.
    ///
    /// Each is the first of its method and path that stands for no other; a page's scripts ask in any order.
    func pairs(_ steps: [Int], _ exchanges: [Exchange], _ values: RunValues) -> [Int: Int] {
        var pairs: [Int: Int] = [:]
        var taken: Set<Int> = []
        for step in steps {
            let recorded = plan.flow.capture[plan.steps[step].exchange].request
            let path = values.replacing(in: map.mapped(recorded.url).withoutQuery)
            let names = Set(recorded.url.queryItems.items.map(\.name))
            let candidates = exchanges.indices.filter { live in
                let request = exchanges[live].request
                return !taken.contains(live) && request.method == recorded.method
                    && RedirectTarget(request.url.text) == RedirectTarget(path)
            }
            // The same endpoint with the same parameters, where it is met more than once.
            let best =
                candidates.first { live in
                    Set(exchanges[live].request.url.queryItems.items.map(\.name)) == names
                } ?? candidates.first
            guard let best else { continue }
            pairs[step] = best
            taken.insert(best)
        }
        return pairs
    }
}
