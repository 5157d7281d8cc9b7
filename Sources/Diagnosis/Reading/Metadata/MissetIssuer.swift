import Captures
import OAuth

/// What a client's setting for the issuer holds in its place, as the addresses show that it asked for metadata.
enum MissetIssuer {
    /// The issuer with a slash at its end, to which the client appended the path as it is.
    case slash
    /// The address of the metadata themselves.
    case document
    /// The authorization endpoint.
    case endpoint

    /// Nil where the addresses do not show it, each of them.
    init?(asking documents: [MetadataDocument]) {
        let paths = documents.map(\.url.path)
        if paths.allSatisfy({ $0.containsBytes("//.well-known/") }) {
            self = .slash
        } else if paths.allSatisfy({ $0.ranges(of: "/.well-known/").count > 1 }) {
            self = .document
        } else if paths.allSatisfy(Self.isBelowEndpoint) {
            self = .endpoint
        } else {
            return nil
        }
    }

    private static func isBelowEndpoint(_ path: String) -> Bool {
        endpoints.contains { path.containsBytes($0 + "/.well-known/") }
    }

    private static let endpoints = ["/authorize", "/authorization", "/openid-connect/auth", "/oauth2/auth"]

    var explanation: String {
        switch self {
        case .slash:
            """
            The client asked for the provider's metadata with two slashes before .well-known, and got an error, so it knows no endpoint to go on \
            with. The address that it is set to ends in a slash. Clients have to take that off before they append the path (OpenID Connect \
            Discovery, section 4.1); this one does not.
            """
        case .document:
            """
            The client asked for the metadata below the address of the metadata, and got an error, so it knows no endpoint to go on with. Its setting for the issuer \
            holds the whole address of the document, and it appended the path once more.
            """
        case .endpoint:
            """
            The client asked for the metadata below the address where logins begin, and got an error, so it knows no endpoint to go on with. Its setting for the issuer \
            holds the authorization endpoint.
            """
        }
    }

    var fix: String {
        switch self {
        case .slash:
            """
            Take the slash off the end of the provider's address in the client's settings: issuer, authority, server_url, OIDC endpoint, or what \
            it is called there.
            """
        case .document:
            """
            Set the issuer without /.well-known/openid-configuration. The whole address belongs into the setting for that, where the client has one (discoveryUrl in \
            flutter_appauth, metadataAddress or wellKnown elsewhere).
            """
        case .endpoint:
            """
            Set the issuer as the provider's metadata name it. A provider that has none, for it speaks plain OAuth, is set up by its endpoints instead (serviceConfiguration in the libraries that \
            are made on AppAuth).
            """
        }
    }
}
