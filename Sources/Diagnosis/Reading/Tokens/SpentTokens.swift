import Captures
import Flows
import JOSE
import OAuth

/// Which access tokens were taken, where and since when: what is refused there later is none that is for somebody else.
struct SpentTokens: Sendable {
    private struct Use: Hashable {
        var token: String
        var origin: String?
    }

    /// Where each was taken first, in the order of time.
    private var taken: [Use: Int] = [:]

    private init(_ flow: Flow) {
        for call in BearerCall.all(in: flow) where call.call.answer.isSuccess {
            let use = Use(token: call.token.value, origin: call.call.endpoint.origin)
            let place = flow.surroundings.position[call.call.exchange]
            taken[use] = min(taken[use] ?? place, place)
        }
    }

    /// Whether the token of a refused call had run out, or had been good enough there before, so that a refusal without a reason says nothing
    /// of whom it is for.
    static func contain(_ call: BearerCall, in flow: Flow) -> Bool {
        if call.hasRunOut(in: flow) { return true }
        let use = Use(token: call.token.value, origin: call.call.endpoint.origin)
        let first = flow.derived.value { SpentTokens(flow) }.taken[use]
        return first.map { $0 < flow.surroundings.position[call.call.exchange] } ?? false
    }
}

extension BearerCall {
    /// Whether the token's time was over, by the lifetime that came with it or by its own word.
    func hasRunOut(in flow: Flow) -> Bool {
        let refused = flow.capture[call.exchange]
        if let grant, let lifetime = grant.lifetime, (1...(1 << 32)).contains(lifetime) {
            return refused.startedAt - flow.capture[grant.exchange].startedAt >= .seconds(lifetime)
        }
        guard let end = claimsToken?.expiresAt, end > 0 else { return false }
        // By the server's clock, where it states that: the recorder's may be wrong.
        return (refused.serverTime ?? refused.startedAt).seconds >= end
    }
}
