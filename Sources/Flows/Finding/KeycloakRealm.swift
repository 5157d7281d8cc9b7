import Captures
import OAuth

/// The realm of a Keycloak server, each of which is an issuer of its own at the host that they share.
enum KeycloakRealm {
    /// Whether metadata that were refused are those of another realm than the one at whose endpoints a flow is.
    ///
    /// Where its address names none, or the flow's addresses do not, nothing is known of it.
    static func isOther(than flow: FlowBuilder, _ document: MetadataDocument) -> Bool {
        guard !document.isUsable, let asked = name(in: document.url.path) else { return false }
        let realms = flow.messages.lazy.compactMap { endpoint(of: $0) }
            .filter { $0.host == document.url.host }.compactMap { name(in: $0.path) }
        return !realms.isEmpty && !realms.contains(asked)
    }

    private static func endpoint(of message: OAuthMessage) -> RecordedURL? {
        switch message {
        case .authorizationRequest(let request): request.endpoint
        case .token(let request): request.endpoint
        default: nil
        }
    }

    /// ForgeRock nests its realms: the first one there is `root`.
    private static func name(in path: String) -> String? {
        guard let start = path.firstRange(of: "/realms/")?.upperBound else { return nil }
        let name = String(path[start...].prefix { $0 != "/" })
        return name.isEmpty || name == "root" ? nil : name
    }
}
