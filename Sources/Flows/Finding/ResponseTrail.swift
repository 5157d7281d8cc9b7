import OAuth

/// The authorization responses of a capture, followed from the provider's answer to the app's callback, in order of time.
///
/// Redirect URIs are told by what they are found again by, responses by their place in ``found``.
struct ResponseTrail {
    private(set) var found: [AuthorizationResponse] = []
    /// Delivered and not arrived yet, by target.
    private(set) var underWay: [String: [Int]] = [:]
    /// In the fragment of a page that was loaded, which may send on to the server what it read there.
    private var inPage: [String: [Int]] = [:]
    /// Sent on by the app, by the URL that it is sent to.
    var sentOn: [String: Int] = [:]

    /// The provider's answer brings a response.
    mutating func deliver(_ response: AuthorizationResponse, at target: String) {
        underWay[target, default: []].append(found.count)
        found.append(response)
    }

    /// A response that the app sent on arrives with a request to where it went.
    mutating func sendOn(_ response: Int, to exchange: Int, _ parameters: Parameters) {
        if let callback = found[response].callback { found[response].sentOnBy.append(callback) }
        found[response].callback = exchange
        found[response].parameters = parameters.merged(with: found[response].parameters)
    }

    /// A response that was delivered arrives with a request.
    mutating func arrive(_ response: Int, at target: String, _ exchange: Int) {
        found[response].callback = exchange
        underWay[target]?.removeAll { $0 == response }
    }

    /// A request brings a response: one that was delivered before, or one whose delivery was not seen.
    ///
    /// - Returns: the place of the response; nil where a page sent it, which the app does not send on.
    mutating func arrive(_ arrived: AuthorizationResponse, at target: String, _ exchange: Int) -> Int? {
        let candidates = underWay[target] ?? []
        if let match = candidates.last(where: { Self.isSame(found[$0], arrived) })
            ?? candidates.last(where: { found[$0].mode == .formPost && arrived.mode == .formPost })
        {
            arrive(match, at: target, exchange)
            found[match].parameters = arrived.parameters.merged(with: found[match].parameters)
            found[match].mode = arrived.mode
            return match
        }
        if let page = inPage[target]?.last(where: { Self.isSame(found[$0], arrived) }) {
            found[page].callback = exchange
            inPage[target]?.removeAll { $0 == page }
            return nil
        }
        found.append(arrived)
        return found.count - 1
    }

    /// The page at a redirect URI is loaded, which reads the fragment; its request carries nothing of it.
    mutating func loadPage(at target: String, _ exchange: Int) {
        guard let waiting = underWay[target]?.last, found[waiting].mode == .fragment else { return }
        found[waiting].callback = exchange
        underWay[target]?.removeLast()
        inPage[target, default: []].append(waiting)
    }

    private static func isSame(_ delivered: AuthorizationResponse, _ arrived: AuthorizationResponse) -> Bool {
        ["code", "error", "id_token", "access_token", "response"].allSatisfy {
            delivered.parameters[$0] == arrived.parameters[$0]
        }
    }
}
