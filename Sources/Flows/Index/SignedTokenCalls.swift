import Captures
import JOSE
import JSON
import OAuth

/// Calls that went well with signed access tokens (RFC 9068), whatever brought the tokens: by whom each is for, and by what was called.
///
/// An app's server may have its tokens refreshed where nothing is recorded; the next token says by itself that it follows the last.
struct SignedTokenCalls: Sendable {
    private struct Key: Hashable, Sendable {
        var issuer: String
        var subject: String
        var client: String?
        var place: String
        var agent: String?
    }

    private struct Use: Sendable {
        var position: Int
        /// The token's `exp`.
        var end: Int64
    }

    /// The last of each.
    private var last: [Key: Use] = [:]

    init(_ index: CaptureIndex) {
        for exchange in index.order {
            let recorded = index.capture[exchange]
            guard recorded.response?.isServed ?? false,
                let token = BearerToken.of(recorded.request, exchange: exchange)?.value,
                let (key, end) = Self.reading(of: token, in: recorded.request)
            else { continue }
            last[key] = Use(position: index.position[exchange], end: end)
        }
    }

    /// Whether a token had run out when a call with it was answered, and the very same call was made later with one that lasts longer, for
    /// the same user and client by the same sender, and went well.
    func isRenewed(_ token: String, after exchange: Int, in index: CaptureIndex) -> Bool {
        let refused = index.capture[exchange]
        guard let (key, end) = Self.reading(of: token, in: refused.request),
            let over = Timestamp(statedSeconds: end), over <= refused.endedAt, let next = last[key]
        else { return false }
        return next.position > index.position[exchange] && next.end > end
    }

    /// Nil for a token that does not say whose it is and when it ends.
    private static func reading(of token: String, in request: RecordedRequest) -> (Key, Int64)? {
        guard !Placeholder.isOne(token), let token = JSONWebToken.parse(token),
            let issuer = token.issuer, let subject = token.subject, let end = token.expiresAt, end > 0
        else { return nil }
        let key = Key(
            issuer: issuer,
            subject: subject,
            client: ["client_id", "azp", "appid", "cid"].lazy.compactMap { token.claim($0)?.string }.first,
            place: request.methodAndURL,
            agent: request.userAgent
        )
        return (key, end)
    }
}
