import Captures
import OAuth

/// What a provider has at which of its addresses.
extension ProviderDialect {
    /// Whether a request goes to one of the endpoints, documents or resources.
    func serves(_ request: RecordedRequest) -> Bool {
        let path = request.url.path
        return role(of: request.url) != nil || isMetadata(request.url)
            || documents[path] != nil
            || resources.contains { $0.path == path }
    }

    /// Whether it is the address of metadata, with the query that belongs to it.
    func isMetadata(_ url: RecordedURL) -> Bool {
        metadataPaths.contains(url.path)
            || url.query != nil && metadataPaths.contains(url.pathAndQuery)
    }

    /// What is asked at a URL; nil where no endpoint is played.
    func role(of url: RecordedURL) -> Endpoints.Role? {
        if let endpoint = endpoint(at: url) { return endpoint.role }
        let path = url.path
        // RFC 7592, section 2: a client's registration lies below the endpoint.
        let isBelow =
            paths[.registration]?.contains {
                path.hasPrefix(RecordedURL($0).path + "/")
            } ?? false
        return isBelow ? .registration : nil
    }

    /// The endpoint that is played at a URL, with its path and own query; of several at one path the one whose query is all there.
    func endpoint(at url: RecordedURL) -> (role: Endpoints.Role, target: String)? {
        let path = url.path
        var table = EndpointTable<(role: Endpoints.Role, target: String)>()
        for role in Endpoints.Role.allCases {
            for target in paths[role] ?? [] where target == path || target.hasPrefix(path + "?") {
                table.add(RecordedURL(target), (role, target))
            }
        }
        let asked = RecordedURL(url.pathAndQuery)
        if let entry = table.entry(of: asked) { return entry.value }
        // Of another policy, where all that are known here do the same.
        let all = table.entries(at: asked)
        return all.first.flatMap { first in
            all.allSatisfy { $0.value.role == first.value.role } ? (first.value.role, path) : nil
        }
    }

    /// By which methods an address is asked; empty where nothing is known to be there.
    func methods(at url: RecordedURL) -> [String] {
        if isMetadata(url) { return ["GET", "HEAD"] }
        guard let role = role(of: url) else { return [] }
        if Self.readersOfForms.contains(role) { return ["POST"] }
        return switch role {
        case .keys: ["GET", "HEAD"]
        case .authorization, .userInfo, .endSession: ["GET", "HEAD", "POST"]
        default: []
        }
    }

    /// Endpoints whose parameters are a form (RFC 6749, section 3.2; RFC 7009, section 2.1; RFC 7662, section 2.1; RFC 8628, section 3.1;
    /// RFC 9126, section 2.1; OpenID Connect CIBA, section 7.1).
    static let readersOfForms: Set<Endpoints.Role> = [
        .token, .revocation, .introspection, .deviceAuthorization, .pushedRequest,
        .backchannelAuthentication,
    ]
}
