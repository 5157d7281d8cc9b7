import Captures
import OAuth

/// Where a server that took the provider's answer for an app sent the browser on with what it made of it, and nobody was.
///
/// Supabase's and other servers sign in for apps that may be at an address of this machine or a name that stands for none. A program
/// that hangs up without an answer was there, and has what it needs.
package enum UnreachedLanding {
    /// The exchange in which the browser went there; nil where it got there, then or later, or the redirect hands on nothing.
    package static func of(_ callback: Int, in index: CaptureIndex) -> Int? {
        let exchange = index.capture[callback]
        guard let location = exchange.response?.location else { return nil }
        let target = exchange.request.url.resolving(location)
        guard target.isWeb, handsOn(target) else { return nil }
        let landings = index.order[(index.position[callback] + 1)...].prefix(mostBehind).filter {
            index.capture[$0].request.url.withoutQuery == target.withoutQuery
        }
        guard let first = landings.first,
            landings.allSatisfy({ landing in
                let landed = index.capture[landing]
                return landed.response == nil && isUnreached(landed.failure)
            })
        else { return nil }
        return first
    }

    private static func isUnreached(_ failure: String?) -> Bool {
        switch failure.flatMap({ TransportFailure($0) }) {
        case .certificate, .handshake, .unreachable: true
        case .unanswered, nil: false
        }
    }

    /// Whether an address has a code or a token in it.
    private static func handsOn(_ url: RecordedURL) -> Bool {
        url.queryAndFragmentItems.items.contains { item in
            ["code", "access_token", "id_token", "token"].contains(item.name) && !item.value.isEmpty
        }
    }

    /// Exchanges; a retry comes at once.
    private static let mostBehind = 20
}
