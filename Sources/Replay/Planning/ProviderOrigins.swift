import Captures
import Flows
import OAuth

/// Whose servers a flow met: the provider's, the app's, and others'.
struct ProviderOrigins {
    /// Of the provider's endpoints and pages, in the order in which they are met.
    private(set) var provider: [String] = []
    private(set) var app: Set<String> = []

    init(of flow: Flow) {
        for step in flow.steps {
            let url = flow.capture[step.exchange].request.url
            guard let origin = url.origin else { continue }
            switch step.to.role {
            case .provider: add(origin)
            case .backend, .app, .browser: if step.kind != .authorizationResponse { app.insert(origin) }
            case .resource: break
            }
        }
        for request in flow.sentAuthorizationRequests {
            if let origin = request.redirectURI.flatMap({ RecordedURL($0).origin }) { app.insert(origin) }
        }
        for response in flow.authorizationResponses {
            if let page = response.deliveredBy, let origin = flow.capture[page].request.url.origin {
                add(origin)
            }
        }
    }

    private mutating func add(_ origin: String) {
        if !provider.contains(origin) { provider.append(origin) }
    }
}
