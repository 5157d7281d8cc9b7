import Captures
import Flows
import OAuth

/// Calls that one of the flows makes and the other does not, or makes at another time.
extension RequestChangeFinder {
    /// Calls of a client, which it makes or does not make.
    private static func isCall(_ step: ComparedStep) -> Bool {
        switch step.kind {
        case .clientRegistration, .clientReadRequest, .clientUpdateRequest, .clientDeleteRequest,
            .pushedAuthorizationRequest, .tokenRequest, .refreshRequest,
            .userInfoRequest,
            .introspectionRequest, .revocationRequest, .deviceAuthorizationRequest,
            .backchannelAuthenticationRequest, .resourceRequest:
            true
        default: false
        }
    }

    /// Steps that the failing flow leaves out, though it goes on behind them.
    mutating func addMissingSteps() {
        let last = pairs.lastIndex { $0.good != nil && ($0.bad.map(isBeforeEnd) ?? false) } ?? -1
        for (place, pair) in pairs.enumerated() where place < last && pair.bad == nil {
            guard let mine = pair.good, Self.isCall(mine), step(mine.index, of: good) != nil else { continue }
            add(
                mine,
                nil,
                .ofRequest("step", expected: mine.summary, seen: nil, note: "is not sent"),
                [.leavingOut(exchange: mine.index)]
            )
        }
    }

    /// Steps that only the failing flow has, up to where it fails.
    mutating func addFurtherSteps() {
        for pair in pairs where pair.good == nil {
            guard let theirs = pair.bad, isBeforeEnd(theirs) else { continue }
            let isLogin = theirs.kind == .authorizationRequest
            guard Self.isCall(theirs) || isLogin, let planned = step(theirs.index, of: bad) else { continue }
            // What a browser would have to do in addition, nobody can say for the other flow.
            guard !planned.isBrowser else {
                if isLogin {
                    add(
                        nil,
                        theirs,
                        .ofRequest(
                            "step",
                            expected: nil,
                            seen: theirs.summary,
                            note: "the login begins anew"
                        ),
                        []
                    )
                }
                continue
            }
            var inserted = planned
            let anchor = anchor(of: theirs)
            let near = anchor ?? good.flow.exchanges.first ?? 0
            inserted.request = translator.translated(planned.request, from: theirs.index, to: near)
            inserted.action = .send
            var recorded = bad.flow.capture[theirs.index]
            // By the clock of the flow that it joins, for the times in its tokens.
            recorded.startedAt = good.flow.capture[near].startedAt
            add(
                nil,
                theirs,
                .ofRequest("step", expected: nil, seen: theirs.summary, note: note(onFurther: theirs)),
                [.inserting(inserted, recorded, after: anchor)]
            )
        }
    }

    private func note(onFurther step: ComparedStep) -> String {
        let position = bad.flow.surroundings.position
        for name in ["code", "refresh_token"] {
            guard let value = step.step.parameters[name] else { continue }
            let isAgain = bad.flow.steps.contains { earlier in
                earlier.parameters[name] == value && earlier.kind == step.kind
                    && position[earlier.exchange] < position[step.index]
            }
            if isAgain { return "the same \(name) is sent again" }
        }
        return "is sent in addition"
    }

    /// Calls that both flows make, and the failing one at another time.
    mutating func addMovedSteps() {
        let position = bad.flow.surroundings.position
        let order = good.steps.enumerated().reduce(into: [Int: Int]()) { $0[$1.element.exchange] = $1.offset }
        let both = pairs.compactMap { pair -> (mine: ComparedStep, theirs: ComparedStep)? in
            guard let mine = pair.good, let theirs = pair.bad, Self.isCall(mine), isBeforeEnd(theirs),
                order[mine.index] != nil
            else { return nil }
            return (mine, theirs)
        }.sorted { (order[$0.mine.index] ?? 0) < (order[$1.mine.index] ?? 0) }
        let staying = both.map { position[$0.theirs.index] }.longestRise(within: StepAlignment.limit)
        for (place, pair) in both.enumerated() where !staying.contains(place) {
            add(
                pair.mine,
                pair.theirs,
                .ofRequest(
                    "step",
                    expected: nil,
                    seen: nil,
                    note: "is sent at another place in the order of the requests"
                ),
                [.moving(exchange: pair.mine.index, after: anchor(of: pair.theirs))]
            )
        }
    }

    /// The step of the plan behind which a step of the failing flow belongs.
    private func anchor(of theirs: ComparedStep) -> Int? {
        let position = bad.flow.surroundings.position
        let earlier = pairs.filter { pair in
            pair.bad.map { position[$0.index] < position[theirs.index] } ?? false
        }.sorted { (position[$0.bad?.index ?? 0]) < (position[$1.bad?.index ?? 0]) }
        return earlier.last { pair in pair.good.map { step($0.index, of: good) != nil } ?? false }?.good?
            .index
    }
}
