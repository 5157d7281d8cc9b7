import Captures
import Flows
import OAuth

extension ReplayPlan {
    /// The plan as it is driven through a map: at another provider, without the recorded one's own pages, which that one
    /// does not have, and without the endpoints that it does not name.
    ///
    /// What the person entered on those pages is entered on the other provider's pages, as far as they ask for it.
    package func adapted(to map: EndpointMap) -> ReplayPlan {
        guard map.isOtherProvider else { return self }
        var plan = self
        let logins = Set(flow.logins.map(\.request.exchange))
        let endpoints = Set(RecordedEndpoints(of: flow).byRole.values.compactMap { RecordedURL($0).origin })
        plan.steps = []
        for step in steps {
            let url = step.request.url
            if step.isBrowser, step.isPage, !logins.contains(step.exchange) {
                plan.leftOut.append(LeftOut(exchange: step.exchange, reason: .recordedPage))
                plan.recordedPages.append(step)
            } else if !map.covers(url), url.origin.map(endpoints.contains) ?? false {
                plan.leftOut.append(LeftOut(exchange: step.exchange, reason: .noSuchEndpoint))
            } else {
                plan.steps.append(step)
            }
        }
        let names = Set(plan.steps.flatMap(\.parameters).compactMap(\.secretName))
        plan.secrets = secrets.filter { need in
            need.name == SecretNames.clientSecret || need.name == SecretNames.clientKey
                || names.contains(need.name)
        }
        plan.origins = plan.steps.compactMap(\.request.url.origin).eachOnce()
        return plan
    }
}

extension PlannedStep {
    /// What a browser is sent to between the request that begins a login and the response to it.
    fileprivate var isPage: Bool {
        kind == nil || kind == .userInteraction || kind == .authorizationRequest
    }
}

extension PlannedParameter {
    /// The name of the secret that it is.
    fileprivate var secretName: String? {
        if case .secret(let name, _) = source { name } else { nil }
    }
}
