import Captures
import Flows
import JOSE
import OAuth

/// How far the clock that stamped the exchanges is from those of the servers.
///
/// Of answers that state their time (`Date`) and cannot have lain in a cache. One server with a wrong clock is told
/// from a device with one by the rest of the samples.
struct ClockSkew {
    struct Sample {
        var exchange: Int
        /// Seconds that the server is ahead of the client; negative where it is behind.
        var ahead: Int64
    }

    /// The middle of the samples, in seconds; positive where the device is slow.
    var median: Int64
    /// Those that agree with it, in order of time.
    var samples: [Sample]
    /// An answer of the app's own server, on a machine out in the world, that states the time of the recording while the
    /// provider's do not: then theirs is the odd one out.
    var witness: Int?

    /// More than this is no delay of the network any more.
    private static let threshold: Int64 = 120
    /// How far samples of one clock may lie apart.
    private static let spread: Int64 = 30

    /// Nil where fewer than two answers say so, or where others contradict them: of what a client signed for a single request its own
    /// times tell.
    init?(of flow: Flow) {
        let recorded = flow.exchanges.compactMap { Self.sample(of: $0, in: flow) }
        let distant = recorded.filter { !Self.isNearby($0.exchange, in: flow) }
        // A server on the very machine has its clock, whatever that is.
        let all = distant.count >= 2 ? distant : recorded
        guard all.count >= 2 else { return nil }
        let sorted = all.map(\.ahead).sorted()
        let middle = sorted[sorted.count / 2]
        let agreeing = all.filter { abs($0.ahead - middle) < Self.spread / 2 }
        // A straggler or two (a slow answer, a stale page) do not make the rest wrong.
        guard abs(middle) > Self.threshold, agreeing.count >= 2,
            agreeing.count * 3 >= all.count * 2
        else { return nil }
        // The app's server alone says so, and what the provider issued meanwhile bears the time of the recording.
        let (apps, _) = Self.origins(in: flow)
        guard
            !agreeing.allSatisfy({ Self.isAnswered(by: apps, $0.exchange, in: flow) })
                || !Self.issues(in: flow).contains(where: { abs($0.ahead) <= Self.spread })
        else { return nil }
        median = middle
        samples = agreeing
        let stated = all.filter {
            Self.isAnswered(by: apps, $0.exchange, in: flow) && !Self.isNearby($0.exchange, in: flow)
        }
        witness = stated.allSatisfy { abs($0.ahead) <= Self.spread } ? stated.last?.exchange : nil
    }

    /// By what an answer states of its time; nil where it states none, or the recording's is not known.
    private static func sample(of exchange: Int, in flow: Flow) -> Sample? {
        let recorded = flow.capture[exchange]
        guard recorded.isZoneKnown, recorded.startedAt.nanoseconds > 0, !recorded.isCached,
            let stated = recorded.serverTime
        else { return nil }
        return Sample(exchange: exchange, ahead: stated.seconds - recorded.endedAt.seconds)
    }

    /// Whether the server may have the clock of the device: it is the same machine, or one of the developer's own, as a virtual one
    /// or one behind a tunnel.
    private static func isNearby(_ exchange: Int, in flow: Flow) -> Bool {
        let recorded = flow.capture[exchange]
        if recorded.request.url.host.map(NearbyHost.isNearby) ?? true { return true }
        guard let address = recorded.connection.serverAddress else { return false }
        return NearbyHost.isNearby(address)
    }

    /// How far the app's own server is from the provider, by the times that both state; nil where it is not, or where the
    /// provider's clock may be the wrong one.
    init?(ofAppServerIn flow: Flow) {
        let (apps, providers) = Self.origins(in: flow)
        let stated = flow.exchanges.filter {
            flow.capture[$0].serverTime != nil && !flow.capture[$0].isCached
        }
        func answers(_ origins: Set<String>) -> [Sample] {
            stated.compactMap { exchange in
                let recorded = flow.capture[exchange]
                guard let time = recorded.serverTime, Self.isAnswered(by: origins, exchange, in: flow) else {
                    return nil
                }
                return Sample(exchange: exchange, ahead: recorded.endedAt.seconds - time.seconds)
            }
        }
        let app = answers(apps)
        let provider = answers(providers)
        // Who states no time may have issued a token at one.
        let issues = provider.isEmpty ? Self.issues(in: flow) : []
        guard app.count >= 2, provider.count >= 2 || !issues.isEmpty, let middle = Self.middle(app),
            let other = Self.middle(provider + issues), abs(other) <= Self.spread,
            abs(middle) > Self.threshold
        else { return nil }
        let agreeing = app.filter { abs($0.ahead - middle) < Self.spread / 2 }
        guard agreeing.count * 3 >= app.count * 2 else { return nil }
        median = middle
        samples = agreeing
    }

    /// How far the provider is from the app's own server and the recording, which have one time; nil where it is not, or where the
    /// time at which it issued its ID tokens says otherwise.
    init?(ofProviderIn flow: Flow) {
        let (apps, providers) = Self.origins(in: flow)
        func answers(_ origins: Set<String>) -> [Sample] {
            flow.exchanges.filter { Self.isAnswered(by: origins, $0, in: flow) }
                .compactMap { Self.sample(of: $0, in: flow) }
        }
        let witnesses = answers(apps).filter { !Self.isNearby($0.exchange, in: flow) }
        let provider = answers(providers)
        guard let last = witnesses.last, witnesses.allSatisfy({ abs($0.ahead) <= Self.spread }),
            provider.count >= 2, let middle = Self.middle(provider), abs(middle) > Self.threshold
        else { return nil }
        let agreeing = provider.filter { abs($0.ahead - middle) < Self.spread / 2 }
        let issues = Self.issues(in: flow)
        guard agreeing.count >= 2, agreeing.count * 3 >= provider.count * 2,
            issues.isEmpty || issues.contains(where: { abs($0.ahead + middle) <= Self.spread })
        else { return nil }
        median = middle
        samples = agreeing
        witness = last.exchange
    }

    /// Those of the apps whose redirect URIs were called, and those of the provider.
    private static func origins(in flow: Flow) -> (apps: Set<String>, providers: Set<String>) {
        let callbacks = Set(
            flow.authorizationResponses.filter { $0.target.isWeb && $0.callback != nil }.compactMap(
                \.target.origin
            )
        )
        let providers = Set(
            flow.messages.compactMap { message -> String? in
                if case .authorizationResponse(_) = message { return nil }
                return flow.capture[message.exchange].request.url.origin
            }
        )
        return (callbacks.subtracting(providers), providers)
    }

    private static func isAnswered(by origins: Set<String>, _ exchange: Int, in flow: Flow) -> Bool {
        flow.capture[exchange].request.url.origin.map(origins.contains) ?? false
    }

    /// The times at which the provider says that it issued the ID tokens of token requests, against those of the recording.
    private static func issues(in flow: Flow) -> [Sample] {
        flow.deliveredIDTokens.compactMap { delivered in
            guard let request = delivered.tokenRequest, let issued = delivered.idToken.token.issuedAt
            else { return nil }
            return Sample(
                exchange: request.exchange,
                ahead: flow.capture[request.exchange].endedAt.seconds - issued
            )
        }
    }

    private static func middle(_ samples: [Sample]) -> Int64? {
        samples.isEmpty ? nil : samples.map(\.ahead).sorted()[samples.count / 2]
    }

    /// A wrong time zone shows as a multiple of half an hour.
    var looksLikeTimeZone: Bool {
        let rest = abs(median) % 1800
        return abs(median) > 1700 && (rest < 30 || rest > 1770)
    }
}
