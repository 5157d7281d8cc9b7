import Captures
package import OAuth

/// The hosts that a flow's messages went to, by who is there.
///
/// Both sides serve key sets: the provider for its tokens, and an app for the provider to fetch. The app's are those on the host
/// that the browser is sent back to.
struct FlowHosts: Sendable {
    /// Of the provider's endpoints and key sets.
    let provider: Set<String>
    /// Where the browser is sent back to; none of a server that has endpoints of the provider's, too: its keys are of both kinds.
    let app: Set<String>

    init(of messages: [OAuthMessage], in index: CaptureIndex) {
        var endpoints: Set<String> = []
        var keySets: Set<String> = []
        var redirects: [RecordedURL] = []
        for message in messages {
            switch message {
            case .authorizationRequest(let request):
                if let uri = request.redirectURI { redirects.append(RecordedURL(uri)) }
            case .pushedRequest(let call):
                if let uri = call.parameters["redirect_uri"] { redirects.append(RecordedURL(uri)) }
            case .token(let request):
                if let uri = request.redirectURI { redirects.append(RecordedURL(uri)) }
            case .authorizationResponse(let response): redirects.append(response.target)
            default: break
            }
            guard let host = Self.host(of: message, in: index) else { continue }
            switch message {
            case .resource, .authorizationResponse, .backChannelLogout, .frontChannelLogout: break
            case .keySet(let keySet):
                if index.keysFromElsewhere[keySet.exchange] == nil { keySets.insert(host) }
            default: endpoints.insert(host)
            }
        }
        app = Set(redirects.lazy.filter(\.isWeb).compactMap(\.host)).subtracting(endpoints)
        provider = endpoints.union(keySets.subtracting(app))
    }

    private static func host(of message: OAuthMessage, in index: CaptureIndex) -> String? {
        // One that was not recorded stands at the app's redirect to it.
        if case .authorizationRequest(let request) = message { return request.endpoint.host }
        return index.capture[message.exchange].request.url.host
    }
}

extension Flow {
    /// Hosts of the provider's endpoints and key sets in this flow.
    package var providerHosts: Set<String> { hosts.provider }

    /// The key sets that the app serves, for the provider to fetch, in the order of time; without those that could not be read.
    package var appKeySets: [KeySetDocument] { derived.value { AppKeySets(of: self) }.list }

    fileprivate var hosts: FlowHosts { derived.value { FlowHosts(of: messages, in: surroundings) } }
}

/// Found once for all rules.
private struct AppKeySets: Sendable {
    let list: [KeySetDocument]

    init(of flow: Flow) {
        let index = flow.surroundings
        guard !index.keySets.isEmpty else {
            list = []
            return
        }
        // Metadata may name a provider's keys on the host of an app.
        let named = index.metadata.compactMap { $0.endpoint("jwks_uri").flatMap { RecordedURL($0).host } }
        let hosts = flow.hosts.app.subtracting(named)
        list = index.keySets.filter { $0.keys != nil && $0.url.host.map(hosts.contains) ?? false }
    }
}
