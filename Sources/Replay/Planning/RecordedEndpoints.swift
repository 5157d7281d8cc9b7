import Captures
package import Flows
package import JSON
import OAuth

/// The endpoints of a flow, by the names that metadata has for their roles, as `token_endpoint`.
package struct RecordedEndpoints {
    /// As the flow's requests met them, else as its metadata names them.
    package let byRole: [String: String]
    /// Those that its metadata names.
    package let documented: [String: String]
    /// Those that its metadata names for clients with a certificate (RFC 8705, section 5).
    package let aliases: [String: String]
    package let issuer: String?
    /// The metadata that the client read, with where they were; nil where it read none.
    package let metadata: (document: JSONObject, url: String)?
    /// Where the metadata was read: that of the issuer, where it was found.
    ///
    /// A client may look in several places first. Where none of them had it, they are all of them.
    package let discoveryURLs: [String]

    package init(of flow: Flow) {
        let documents = Self.documents(of: flow)
        self.init(
            byRole: Self.byRole(of: flow),
            documented: Self.documented(of: flow),
            aliases: Self.aliases(in: documents),
            issuer: flow.issuer,
            metadata: Self.metadata(of: flow),
            discoveryURLs: Self.discoveryURLs(in: documents, of: flow.issuer)
        )
    }

    package init(
        byRole: [String: String],
        documented: [String: String] = [:],
        aliases: [String: String] = [:],
        issuer: String?,
        metadata: (document: JSONObject, url: String)? = nil,
        discoveryURLs: [String] = []
    ) {
        self.byRole = byRole
        self.documented = documented
        self.aliases = aliases
        self.issuer = issuer
        self.metadata = metadata
        self.discoveryURLs = discoveryURLs
    }

    private static func byRole(of flow: Flow) -> [String: String] {
        var endpoints = documented(of: flow)
        var isLoginAsked = false
        for message in flow.messages {
            guard let role = role(of: message) else { continue }
            // Pages of the sign-in may carry the request's parameters on (Cognito's, Okta's).
            if role == .authorization, isLoginAsked { continue }
            isLoginAsked = isLoginAsked || role == .authorization
            // What was asked counts more than what was said.
            endpoints[role.rawValue] = message.endpoint?.text
        }
        return endpoints
    }

    private static func aliases(in documents: [MetadataDocument]) -> [String: String] {
        let objects = documents.compactMap { $0.answer.json?["mtls_endpoint_aliases"]?.object }
        return objects.flatMap(\.members).reduce(into: [:]) { aliases, member in
            if aliases[member.name] == nil { aliases[member.name] = member.value.string }
        }
    }

    private static func documents(of flow: Flow) -> [MetadataDocument] {
        flow.messages.compactMap { message in
            guard case .discovery(let document) = message, !document.isProtectedResource else { return nil }
            return document
        }
    }

    /// A server may have several providers: first the one that the login was at.
    private static func orderedDocuments(of flow: Flow) -> [MetadataDocument] {
        let documents = documents(of: flow)
        let login = flow.authorizationRequests.first?.endpoint
        let isOfLogin = { (document: MetadataDocument) in
            login.map { document.names($0, as: "authorization_endpoint") } ?? false
        }
        return documents.filter(isOfLogin) + documents.filter { !isOfLogin($0) }
    }

    private static func metadata(of flow: Flow) -> (document: JSONObject, url: String)? {
        orderedDocuments(of: flow).lazy.compactMap { document in
            guard document.isUsable, let json = document.answer.json else { return nil }
            return (json, document.url.text)
        }.first
    }

    private static func documented(of flow: Flow) -> [String: String] {
        var endpoints: [String: String] = [:]
        for document in orderedDocuments(of: flow) {
            for role in Endpoints.Role.allCases {
                if let url = document.endpoint(role.rawValue), endpoints[role.rawValue] == nil {
                    endpoints[role.rawValue] = url
                }
            }
        }
        return endpoints
    }

    private static func discoveryURLs(in asked: [MetadataDocument], of issuer: String?) -> [String] {
        let found = asked.filter { $0.isUsable && $0.issuer == issuer }
        return (found.isEmpty ? asked : found).map { $0.isRouted ? $0.url.text : $0.url.withoutQuery }
    }

    private static func role(of message: OAuthMessage) -> Endpoints.Role? {
        switch message {
        case .keySet: .keys
        case .registration: .registration
        case .pushedRequest: .pushedRequest
        case .authorizationRequest: .authorization
        case .token: .token
        case .userInfo: .userInfo
        case .introspection: .introspection
        case .revocation: .revocation
        case .endSession: .endSession
        case .deviceAuthorization: .deviceAuthorization
        case .backchannelAuthentication: .backchannelAuthentication
        case .discovery, .authorizationResponse, .backChannelLogout, .frontChannelLogout, .resource,
            .identityAssertion, .clientConfiguration:
            nil
        }
    }
}
