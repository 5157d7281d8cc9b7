package import Captures
package import OAuth

/// One login (or refresh, logout, device grant … that joins nothing) with everything of the capture that
/// belongs to it.
///
/// A pure function of the capture; `docs/` says which exchange joins which flow and why. A flow judges
/// nothing.
package struct Flow: Sendable {
    /// Unique in the capture: `flow-1`, `flow-2`, … by the time of the first exchange.
    package var id: String
    /// Indices into `log.entries`, in the order of time.
    package let exchanges: [Int]
    /// The protocol messages of these exchanges, in the order of time.
    package let messages: [OAuthMessage]
    /// In order of time.
    package let steps: [Step]
    /// By the places of their origins.
    package let links: [Link]
    /// How the flow ended by its answers alone; findings may make a failure of it.
    package var ending: Outcome
    /// Whose product answers.
    package var provider: ProviderKind
    /// The issuer identifier, from metadata, `iss` of a response or ID token, in this order; nil where none
    /// is known.
    package var issuer: String?
    /// As the flow's first message names it.
    package var clientID: String?
    /// `authorization_code`, `implicit`, `hybrid`, `refresh_token`, `client_credentials`, `password`, a grant
    /// URN, or `logout`,
    /// `discovery`, `registration`, `connection`, `resource` for flows without a grant, `credential` for logins without redirects.
    package var grant: String
    /// Time of the first exchange.
    package var started: Timestamp
    /// Id of the login that this one is a part of, as a broker's login at another provider is.
    package var outer: String?
    /// Of a broker's login those at the providers behind it, each without those inside of it.
    package var inner: [Flow] = []
    /// What the whole capture knows, shared by all its flows.
    package let surroundings: CaptureIndex
    /// What is read out of all this once.
    package let derived = DerivedValues()
}

extension Flow {
    /// The same flow in another capture, which has the exchanges of this one at the same places.
    package func moved(to surroundings: CaptureIndex) -> Flow {
        Flow(
            id: id,
            exchanges: exchanges,
            messages: messages,
            steps: steps,
            links: links,
            ending: ending,
            provider: provider,
            issuer: issuer,
            clientID: clientID,
            grant: grant,
            started: started,
            outer: outer,
            inner: inner.map { $0.moved(to: surroundings) },
            surroundings: surroundings
        )
    }
}

extension Flow {
    /// What an app reads when it starts, and keeps for the logins that follow.
    private static func isPreparation(_ kind: StepKind) -> Bool {
        kind == .discovery || kind == .jwks || kind.isOfRegistration
    }
    /// Longer before, and it was read for another reason than this login.
    private static let preparationTime = Duration.seconds(60)

    /// When the login itself began: metadata and keys may have been read hours before, and are a part of it all the same.
    package var began: Timestamp {
        let prepared = prepared
        let own = exchanges.lazy.filter { !prepared.contains($0) }.map { capture[$0].startedAt }
        // What has no time, as an app's log, may be beside what has.
        guard let first = own.filter(\.isKnown).min() ?? own.first else { return started }
        // What the app read for the login before this one was not read for this one.
        let other = otherRequest(before: first) ?? started
        let before = prepared.lazy.map { capture[$0].startedAt }
            .filter { $0 >= other && first - $0 <= Self.preparationTime }
        return min(before.min() ?? first, first)
    }

    /// When the last authorization request of another login was made.
    private func otherRequest(before time: Timestamp) -> Timestamp? {
        let requests = surroundings.authorizationRequests
        let count = requests.partitionPoint { capture[$0.exchange].startedAt >= time }
        let own = Set(authorizationRequests.map(\.exchange))
        return requests[..<count].suffix(64).last { !own.contains($0.exchange) }
            .map { capture[$0.exchange].startedAt }
    }

    /// When the last of its exchanges ended, metadata and keys aside that were read for a login behind it.
    package var ended: Timestamp {
        let prepared = prepared
        let last = exchanges.lazy.filter { !prepared.contains($0) }.map { capture[$0].endedAt }.max()
        let all = exchanges.lazy.filter { index in
            last.map { !prepared.contains(index) || capture[index].startedAt <= $0 } ?? true
        }
        return all.map { capture[$0].endedAt }.max() ?? started
    }

    private var prepared: Set<Int> {
        Set(steps.lazy.filter { Self.isPreparation($0.kind) }.map(\.exchange))
    }
}
