import Captures
package import Flows
package import JSON
import OAuth

/// The endpoints of a flow by role: as its metadata names them, else as its requests met them.
package enum RecordedEndpoints {
    /// URLs by the names that metadata has for the roles, as `token_endpoint`.
    package static func of(_ flow: Flow) -> [String: String] {
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

    /// Those that its metadata names for clients with a certificate (RFC 8705, section 5), by role.
    package static func aliases(of flow: Flow) -> [String: String] {
        let documents = documents(of: flow).compactMap { $0.answer.json?["mtls_endpoint_aliases"]?.object }
        return documents.flatMap(\.members).reduce(into: [:]) { aliases, member in
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

    /// The metadata that the client read, with where they were; nil where it read none.
    package static func metadata(of flow: Flow) -> (document: JSONObject, url: String)? {
        orderedDocuments(of: flow).lazy.compactMap { document in
            guard document.isUsable, let json = document.answer.json else { return nil }
            return (json, document.url.text)
        }.first
    }

    /// Those that its metadata names.
    package static func documented(of flow: Flow) -> [String: String] {
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

    /// Where the flow's metadata was read: that of its issuer, where it was found.
    ///
    /// A client may look in several places first. Where none of them had it, they are all of them.
    package static func discoveryURLs(of flow: Flow) -> [String] {
        let asked = documents(of: flow)
        let found = asked.filter { $0.isUsable && $0.issuer == flow.issuer }
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
