import Captures
import JSON

/// Where a client is told that the session of its user has ended (OpenID Connect Back-Channel Logout, section 2.2; Front-Channel
/// Logout, section 2).
package struct LogoutAddresses: Sendable, Equatable {
    /// What the provider posts a logout token to; one on this machine, since a mock connects to nobody else.
    package var backchannel: String?
    /// What the user's browser loads.
    package var frontchannel: String?

    package init() {}

    /// What of a client's metadata can be done here.
    init(_ members: JSONObject) {
        backchannel = members["backchannel_logout_uri"]?.string.flatMap { uri in
            RecordedURL(uri).isOfServerOfThisMachine ? uri : nil
        }
        let redirects = members["redirect_uris"]?.array?.compactMap(\.string) ?? []
        frontchannel = members["frontchannel_logout_uri"]?.string.flatMap { uri in
            let url = RecordedURL(uri)
            // Front-Channel Logout, section 2: of the same origin as a redirect URI.
            let isOwn = redirects.contains { RecordedURL($0).origin == url.origin }
            return url.isOfServer && isOwn ? uri : nil
        }
    }

    var isEmpty: Bool { backchannel == nil && frontchannel == nil }

    /// Takes out of a client's metadata what is not done: nobody is told to have that.
    func agree(on members: inout JSONObject) {
        for (channel, address) in [("backchannel", backchannel), ("frontchannel", frontchannel)]
        where address == nil {
            members["\(channel)_logout_uri"] = nil
            members["\(channel)_logout_session_required"] = nil
        }
    }
}
