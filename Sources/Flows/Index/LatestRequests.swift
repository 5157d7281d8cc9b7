package import Captures
package import OAuth

/// When the provider's hosts were asked and answered last, so that a rule can tell what was tried again or gone on with.
///
/// Made once for a capture. Times are places in ``CaptureIndex/order``.
package struct LatestRequests: Sendable {
    /// By host: the last authorization request, also one that was pushed.
    package private(set) var authorization: [String: Int] = [:]
    /// By host and Keycloak's realm, of those that have one in their path: the last authorization request.
    private var authorizationAtRealm: [String: Int] = [:]
    /// By host: the last one of the others.
    private var authorizationWithoutRealm: [String: Int] = [:]
    /// By host: the last request of any grant, the registration of a client included.
    package private(set) var grant: [String: Int] = [:]
    /// By origin, then by the client's process (empty where it is not known): the last exchange that was answered.
    private var answer: [String: [String: Int]] = [:]
    /// Origins that served metadata of an authorization server.
    package private(set) var describedOrigins: Set<String> = []
    /// Issuers whose metadata were served, as origins with a path that has no slash at its end.
    private var described: Set<String> = []
    /// All whose path is that of such an issuer or above it.
    private var describedBelow: Set<String> = []
    /// When the last exchange of the file was over.
    package private(set) var end = Timestamp(nanoseconds: 0)

    init(_ capture: Capture, order: [Int], messages: [Int: OAuthMessage]) {
        for (position, index) in order.enumerated() {
            let exchange = capture[index]
            end = max(end, exchange.endedAt)
            let url = exchange.request.url
            guard let host = url.host, let origin = url.origin else { continue }
            if exchange.isAnswered, exchange.failure == nil, exchange.request.method != "CONNECT" {
                answer[origin, default: [:]][exchange.client.process ?? ""] = position
            }
            switch messages[index] {
            case .authorizationRequest, .pushedRequest:
                authorization[host] = position
                grant[host] = position
                if let realm = KeycloakRealm.name(in: url.path) {
                    authorizationAtRealm["\(host) \(realm)"] = position
                } else {
                    authorizationWithoutRealm[host] = position
                }
            case .token, .deviceAuthorization, .backchannelAuthentication, .registration,
                .clientConfiguration:
                grant[host] = position
            case .discovery(let document) where document.isUsable && !document.isProtectedResource:
                describedOrigins.insert(origin)
                let issuers = Self.issuers(over: document)
                described.insert(issuers[0])
                describedBelow.formUnion(issuers)
            default: break
            }
        }
    }

    /// Whether logins at the host of metadata were all at other realms than theirs after a place in time.
    ///
    /// A login whose address has no realm may be at any.
    package func isAskedAtOtherRealms(than document: MetadataDocument, after position: Int) -> Bool {
        guard let host = document.url.host, let realm = KeycloakRealm.name(in: document.url.path),
            (authorizationWithoutRealm[host] ?? -1) < position
        else { return false }
        return (authorizationAtRealm["\(host) \(realm)"] ?? -1) < position
    }

    /// Whether the metadata that were asked for at an address were served at some other time or place: those of the same issuer, or of
    /// one whose path is a part of its path or the other way round, since clients try both where they know the one.
    ///
    /// Another realm or tenant of the server's is another issuer.
    package func isDescribed(_ document: MetadataDocument) -> Bool {
        guard let origin = document.url.origin, describedOrigins.contains(origin) else { return false }
        // What has the path in its query, or has another name than that of an issuer's metadata, may be anybody's there.
        guard !document.isRouted, document.askedIssuer != document.url.withoutQuery else { return true }
        let issuers = Self.issuers(over: document)
        return describedBelow.contains(issuers[0]) || issuers.contains(where: described.contains)
    }

    /// The issuer that was asked, as an origin with a path, and those above it.
    private static func issuers(over document: MetadataDocument) -> [String] {
        let origin = document.url.origin ?? ""
        guard !document.isRouted else { return [origin] }
        let parts = RecordedURL(document.askedIssuer).path.split(separator: "/", maxSplits: mostParts)
        return (0...parts.count).reversed().map { ([origin[...]] + parts.prefix($0)).joined(separator: "/") }
    }

    /// Of a path; the rest is one.
    private static let mostParts = 16

    /// Whether an origin answered this client, or one nobody knows, after a place in time.
    package func isAnswered(_ origin: String, to process: String?, after position: Int) -> Bool {
        guard let answers = answer[origin] else { return false }
        guard let process else { return answers.values.contains { $0 > position } }
        return [answers[process], answers[""]].contains { $0.map { $0 > position } ?? false }
    }
}
