import Captures
import Flows
import JSON
import OAuth

/// What the capture knows of a flow's provider, looked up by endpoint.
struct ProviderFacts {
    private var documents = EndpointTable<MetadataDocument>()
    private var ofLogin: MetadataDocument?
    private var sites: Set<String>
    /// Where the flow's logins and token requests went, and where metadata that tell of these send clients to register.
    private var sitesOfClients: Set<String>

    fileprivate init(of flow: Flow) {
        let requests = flow.authorizationRequests
        sites = Set(requests.map { Site.of($0.endpoint.host ?? "") })
        let asked = sites.union(flow.tokenRequests.map { Site.of($0.endpoint.host ?? "") })
        sitesOfClients = asked
        let known = flow.serverMetadata.filter { $0.answer.json != nil }
        let inTime = flow.served(known, before: flow.lastMessage)
        for document in inTime {
            for url in document.clientEndpoints where url.isWeb {
                documents.update(url, default: document) { $0 = document }
            }
        }
        for document in known[inTime.endIndex...] {
            for url in document.clientEndpoints where url.isWeb { documents.add(url, document) }
        }
        for document in known {
            let named =
                document.clientEndpoints + [document.endpoint("authorization_endpoint")].compactMap(Self.url)
            if named.contains(where: { asked.contains(Site.of($0.host ?? "")) }) {
                sitesOfClients.formUnion(
                    [document.endpoint("registration_endpoint")].compactMap(Self.url)
                        .map { Site.of($0.host ?? "") }
                )
            }
        }
        if let login = requests.first?.endpoint {
            ofLogin = flow.inForce(
                known.filter { $0.names(login, as: "authorization_endpoint") },
                at: flow.lastMessage
            )
        }
    }

    /// The metadata of the authorization server that has this endpoint; nil where the capture holds none.
    ///
    /// The document that names the endpoint, else the one that names the endpoint of the flow's login: a host
    /// may serve many providers.
    func metadata(of endpoint: RecordedURL) -> MetadataDocument? {
        documents[endpoint] ?? ofLogin
    }

    /// Whether an endpoint is the provider's own: an app may have a back end of its own that takes the same
    /// parameters.
    func has(_ endpoint: RecordedURL) -> Bool {
        guard let host = endpoint.host else { return false }
        return ProviderRecognizer.kind(ofHost: host) != nil || sites.isEmpty || sites.contains(Site.of(host))
            || documents[endpoint] != nil
    }

    /// Whether clients that register at a site are this provider's: another one may give out the same identifier.
    func registersClients(at site: String) -> Bool {
        sitesOfClients.isEmpty || sitesOfClients.contains(site)
    }

    private static func url(_ text: String?) -> RecordedURL? { text.map { RecordedURL($0) } }

    /// Whether a URL is that of a token endpoint: by the metadata, else by the paths that providers use.
    func isTokenEndpoint(_ url: RecordedURL) -> Bool {
        if let document = documents[url] { return document.names(url, as: "token_endpoint") }
        return Endpoints.conventionalRole(of: url) == .token
    }
}

extension Flow {
    var providerFacts: ProviderFacts { derived.value { ProviderFacts(of: self) } }
}
