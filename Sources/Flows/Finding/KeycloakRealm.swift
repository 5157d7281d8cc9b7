import Captures
import OAuth

/// The realm of a Keycloak server, each of which is an issuer of its own at the host that they share.
enum KeycloakRealm {
    /// Those at whose endpoints a flow is, by host.
    static func all(of flow: FlowBuilder) -> [String: Set<String>] {
        flow.messages.lazy.compactMap { endpoint(of: $0) }.reduce(into: [:]) { list, endpoint in
            guard let host = endpoint.host, let realm = name(in: endpoint.path) else { return }
            list[host, default: []].insert(realm)
        }
    }

    /// Whether metadata that were refused are those of another realm than the ones of a flow.
    ///
    /// Where its address names none, or the flow's addresses do not, nothing is known of it.
    static func isOther(than realms: [String: Set<String>]?, _ document: MetadataDocument) -> Bool {
        guard !document.isUsable, let asked = name(in: document.url.path), let host = document.url.host,
            let known = realms?[host]
        else { return false }
        return !known.contains(asked)
    }

    private static func endpoint(of message: OAuthMessage) -> RecordedURL? {
        switch message {
        case .authorizationRequest(let request): request.endpoint
        case .token(let request): request.endpoint
        default: nil
        }
    }

    /// ForgeRock nests its realms: the first one there is `root`.
    static func name(in path: String) -> String? {
        guard let start = path.firstRange(of: "/realms/")?.upperBound else { return nil }
        let name = String(path[start...].prefix { $0 != "/" })
        return name.isEmpty || name == "root" ? nil : name
    }
}
