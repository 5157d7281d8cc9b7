import Captures
import JOSE
package import OAuth

/// The tokens of a flow that its client gave back (RFC 7009), and those that end with them.
///
/// With a refresh token end those of its grant that it stands for (section 2.1): what was issued until a newer refresh token took its
/// place. Whether a refresh token ends with an access token is the provider's choice, and nothing to go by. What was taken out of the
/// capture is known by no value, and is none of these.
package struct RevokedTokens: Sendable {
    private struct Token: Sendable {
        /// What the tokens that descend from one another have in common: a refresh goes on with the grant of its refresh token.
        var grant: Int
        var isRefresh: Bool
        /// Of the answer that gave it out, by its place in the order of time.
        var issued: Int
        /// Of the answer with the newer refresh token in its place.
        var replaced: Int?
    }

    /// What ends with a refresh token.
    private struct End: Sendable {
        var revocation: EndpointCall
        var position: Int
        /// What of its grant was given out before.
        var limit: Int
    }

    private var known: [String: Token] = [:]
    /// In the order of time, as all lists here.
    private var byToken: [String: [EndpointCall]] = [:]
    /// For each revocation of a refresh token, the one until then with the widest reach.
    private var byGrant: [Int: [End]] = [:]
    /// Where refreshes were granted.
    private var refreshes: [Int: [Int]] = [:]
    private var first: Int?
    /// Those of which the capture lacks the token.
    private var unknown: [Int] = []
    private let position: [Int]

    /// Reads the token answers and the revocations among the messages of a flow, which come in the order of time.
    package init(among messages: [OAuthMessage], in index: CaptureIndex) {
        position = index.position
        var revocations: [EndpointCall] = []
        for message in messages {
            switch message {
            case .token(let request) where request.answer.isSuccess: add(request)
            case .revocation(let call) where call.answer.isSuccess: revocations.append(call)
            default: break
            }
        }
        for call in index.inOrder(revocations, by: \.exchange) { add(call) }
        refreshes = refreshes.mapValues { $0.sorted() }
    }

    private mutating func add(_ request: TokenRequest) {
        let issued = position[request.exchange]
        let old = request.refreshToken.flatMap { known[$0] }
        if let old, let token = request.refreshToken {
            refreshes[old.grant, default: []].append(issued)
            if old.replaced == nil, let new = request.issuedRefreshToken, new != token {
                known[token]?.replaced = issued
            }
        }
        let grant = old?.grant ?? issued
        for (token, isRefresh) in [(request.accessToken, false), (request.issuedRefreshToken, true)] {
            guard let token, !Placeholder.isOne(token), known[token] == nil else { continue }
            known[token] = Token(grant: grant, isRefresh: isRefresh, issued: issued)
        }
    }

    private mutating func add(_ call: EndpointCall) {
        let position = position[call.exchange]
        first = first ?? position
        guard let value = call.parameters["token"] else {
            unknown.append(position)
            return
        }
        guard !Placeholder.isOne(value) else { return }
        byToken[value, default: []].append(call)
        guard let revoked = known[value], revoked.isRefresh else { return }
        let end = End(
            revocation: call,
            position: position,
            limit: min(position, revoked.replaced ?? position)
        )
        let widest = byGrant[revoked.grant]?.last.flatMap { $0.limit > end.limit ? $0 : nil } ?? end
        // It stands at the place of this one, so that the list stays in order.
        byGrant[revoked.grant, default: []].append(
            End(revocation: widest.revocation, position: position, limit: widest.limit)
        )
    }

    /// Whether any token was given back before an exchange.
    package func isAny(before exchange: Int) -> Bool {
        first.map { $0 < position[exchange] } ?? false
    }

    /// Whether a token may have been given back before an exchange, by what the capture does not show: which of several one was that
    /// was taken out, or what a request was about that was saved without its body, which is none that was given out behind it.
    package func mayHaveTaken(_ token: String, before exchange: Int) -> Bool {
        if Placeholder.isOne(token) { return isAny(before: exchange) }
        let end = unknown.partitionPoint { $0 >= position[exchange] }
        guard let last = unknown[..<end].last else { return false }
        return known[token].map { $0.issued < last } ?? true
    }

    /// The last revocation of this very token that was answered with success before an exchange.
    package func revocation(of token: String, before exchange: Int) -> EndpointCall? {
        guard let calls = byToken[token] else { return nil }
        let end = calls.partitionPoint { position[$0.exchange] >= position[exchange] }
        return calls[..<end].last
    }

    /// A revocation before an exchange with which a token ended that was given out before it: of a refresh token of its grant, with
    /// which nothing worked any more until then.
    package func revocation(ofGrantOf token: String, before exchange: Int) -> EndpointCall? {
        guard let asked = known[token], let ends = byGrant[asked.grant] else { return nil }
        let count = ends.partitionPoint { $0.position >= position[exchange] }
        guard let end = ends[..<count].last, asked.issued < end.limit,
            !isRefreshed(asked.grant, behind: end.revocation, before: exchange)
        else { return nil }
        return end.revocation
    }

    /// The revocation for which a refresh token was dead when a refresh came with it: its own, or of another one of its grant.
    package func revocation(ofRefreshToken token: String, before exchange: Int) -> EndpointCall? {
        if let own = revocation(of: token, before: exchange) {
            let isAlive = known[token].map { isRefreshed($0.grant, behind: own, before: exchange) } ?? false
            return isAlive ? nil : own
        }
        return revocation(ofGrantOf: token, before: exchange)
    }

    private func isRefreshed(_ grant: Int, behind revocation: EndpointCall, before exchange: Int) -> Bool {
        guard let refreshes = refreshes[grant] else { return false }
        let next = refreshes.partitionPoint { $0 > position[revocation.exchange] }
        return next < refreshes.count && refreshes[next] < position[exchange]
    }
}
