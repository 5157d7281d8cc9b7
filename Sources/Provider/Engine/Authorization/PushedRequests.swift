import Captures

/// The authorization requests that clients pushed, by the names that they were given (RFC 9126, section 2.2).
///
/// A name is good for a while, for the client that pushed under it, and once (section 4). Which parameters count beside it is for
/// whoever reads the request.
struct PushedRequests: Sendable {
    private struct Request {
        var clientID: String
        var parameters: RequestParameters
        var expiresAt: Timestamp
        var isUsed = false
    }

    private var requests = LimitedTable<Request>(limit: 1000)

    /// Remembers what a client pushed; its name is good before `expiresAt`.
    mutating func add(
        _ parameters: RequestParameters,
        of clientID: String,
        as uri: String,
        until expiresAt: Timestamp
    ) {
        requests[uri] = Request(clientID: clientID, parameters: parameters, expiresAt: expiresAt)
    }

    /// Whether a name was given out, if it is good no more.
    func contains(_ uri: String) -> Bool { requests[uri] != nil }

    /// What was pushed under a name; nil where the name is not good for who brings it.
    ///
    /// `clientID`: who is named beside it, nil where nobody is. `isRepeatable`: whether it may have been used before.
    func parameters(
        _ uri: String,
        broughtBy clientID: String?,
        at now: Timestamp,
        isRepeatable: Bool
    ) -> RequestParameters? {
        guard let request = requests[uri], request.expiresAt > now, isRepeatable || !request.isUsed,
            clientID == nil || clientID == request.clientID
        else { return nil }
        return request.parameters
    }

    /// The user has come with a name.
    mutating func use(_ uri: String) { requests[uri]?.isUsed = true }
}
