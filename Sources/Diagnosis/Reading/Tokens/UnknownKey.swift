import Captures
import Flows
import JOSE
import OAuth

/// The signing key that an ID token names and that no key set has in which its client may have looked for it (OpenID Connect Core, section
/// 10.1.1).
struct UnknownKey {
    private let delivered: DeliveredIDToken
    private let kid: String
    /// The key sets that had been served by then.
    private let served: [KeySetDocument]
    /// The first that has the key, served too late.
    let holder: KeySetDocument?
    /// Whether the client is seen to check signatures, or to have stopped with this token.
    let isChecking: Bool
    /// Whether the client went on with the token: it may have newer keys than the capture shows.
    let wentOn: Bool

    fileprivate init(
        _ kid: String,
        of delivered: DeliveredIDToken,
        _ served: [KeySetDocument],
        _ holder: KeySetDocument?,
        isChecking: Bool,
        wentOn: Bool
    ) {
        self.delivered = delivered
        self.kid = kid
        self.served = served
        self.holder = holder
        self.isChecking = isChecking
        self.wentOn = wentOn
    }

    /// The key, and the key sets in which the client may have looked for it.
    func evidence(in flow: Flow) -> [Evidence] {
        var evidence = [
            Evidence(place: delivered.idToken.place(ofHeader: "kid"), value: Masking.shown(kid, of: "kid"))
        ]
        for set in served.suffix(3) {
            evidence.append(self.evidence(set, "served \(set.servedAt.rfc3339)", flow))
        }
        if let holder {
            evidence.append(
                self.evidence(holder, "served \(holder.servedAt.rfc3339), too late: it has the key", flow)
            )
        }
        return evidence
    }

    /// Where the client fetched it, where that is not at the issuer's.
    private func source(of set: KeySetDocument, _ flow: Flow) -> String {
        guard flow.surroundings.keysFromElsewhere[set.exchange] != nil, let host = set.url.host else {
            return ""
        }
        return ", fetched on getting the token, from \(host), which is not where the token is from"
    }

    private func evidence(_ set: KeySetDocument, _ note: String, _ flow: Flow) -> Evidence {
        let control = flow.capture[set.exchange].response?.headers.first("cache-control")
        return set.evidence(
            note: note + (control.map { ", Cache-Control: \($0)" } ?? "") + source(of: set, flow)
        )
    }
}

/// What came of looking for an ID token's signing key.
enum KeySearch {
    /// No key of a key set signs it, or none is named.
    case needless
    case found
    /// No key set of its issuer is in the capture.
    case notRecorded
    /// One was not saved, or not whole.
    case notSaved
    case failed(UnknownKey)

    init(for delivered: DeliveredIDToken, in flow: Flow) {
        let token = delivered.idToken.token
        guard token.form == .signed, let kid = token.keyID, Self.isAsymmetric(token) else {
            self = .needless
            return
        }
        let wentOn = flow.wentOn(after: delivered)
        let (sets, holders) = Self.keySets(for: delivered, kid, wentOn, flow)
        guard !sets.isEmpty else {
            self = .notRecorded
            return
        }
        // A client that fetches its first key set late had none to look into before.
        let end = max(Self.timeOfRejection(of: delivered, in: flow), sets[0].servedAt)
        guard !holders.contains(where: { wentOn || sets[$0].servedAt <= end }) else {
            self = .found
            return
        }
        guard !Self.isUnseen(amongSetsLike: sets, flow) else {
            self = .notSaved
            return
        }
        self = .failed(
            UnknownKey(
                kid,
                of: delivered,
                wentOn ? sets : sets.filter { $0.servedAt <= end },
                holders.first.map { sets[$0] },
                isChecking: Self.isChecking(delivered, with: sets, flow),
                wentOn: wentOn
            )
        )
    }

    /// Whether the capture lacks keys that were read at the same address.
    private static func isUnseen(amongSetsLike sets: [KeySetDocument], _ flow: Flow) -> Bool {
        let unseen = flow.messages.compactMap { message -> String? in
            guard case .keySet(let document) = message, document.keys == nil else { return nil }
            let answer = document.answer
            let isUnseen =
                answer.isUnseen && !answer.isRefusal || answer.status == 200 && !answer.isBodyRecorded
            return isUnseen ? document.endpoint.normalizedWithoutQuery : nil
        }
        return !unseen.isEmpty && sets.contains { unseen.contains($0.endpoint.normalizedWithoutQuery) }
    }

    /// Whether the client is seen to check signatures, or to have stopped with this token.
    private static func isChecking(_ delivered: DeliveredIDToken, with sets: [KeySetDocument], _ flow: Flow)
        -> Bool
    {
        guard let request = delivered.tokenRequest else { return true }
        let token = flow.capture[request.exchange]
        let end = timeOfRejection(of: delivered, in: flow)
        let agent = token.request.userAgent
        let hasFetched = sets.contains { set in
            if set.servedAt >= token.endedAt, set.servedAt <= end { return true }
            // Who checked at the login need not at a refresh.
            return !request.isRefresh
                && flow.capture[set.exchange].request.userAgent == agent
        }
        guard !hasFetched, !request.isRefresh else { return hasFetched }
        if let callback = delivered.login?.response?.callback,
            case .rejected = flow.fate(ofCallback: callback)
        {
            return true
        }
        return flow.isBegunAnew(after: request.exchange)
    }

    /// Those of its issuer; where the capture has none and the client did not go on, those that it fetched elsewhere.
    ///
    /// `holders`: places of those that have the key.
    private static func keySets(
        for delivered: DeliveredIDToken,
        _ kid: String,
        _ wentOn: Bool,
        _ flow: Flow
    ) -> (sets: [KeySetDocument], holders: [Int]) {
        let token = delivered.idToken.token
        let hosts = flow.providerHosts
        let own = flow.surroundings.readableKeySets(for: token, providerHosts: hosts)
        guard own.isEmpty, !wentOn, let request = delivered.tokenRequest else {
            return (own, flow.surroundings.readableKeySets(holding: kid, for: token, providerHosts: hosts))
        }
        let others = flow.surroundings.keySets(fetchedElsewhereFor: request)
        return (others, others.indices.filter { others[$0].holds(kid) })
    }

    private static func isAsymmetric(_ token: JSONWebToken) -> Bool {
        guard let name = token.algorithm?.lowercased() else { return false }
        return name != "none" && !name.hasPrefix("hs")
    }

    /// Up to when a client may have looked for the key: its callback's answer, or what it fetched on getting
    /// the token.
    private static func timeOfRejection(of delivered: DeliveredIDToken, in flow: Flow) -> Timestamp {
        guard let exchange = delivered.idToken.place.exchange else { return flow.started }
        let arrived = flow.capture[exchange].endedAt
        // What a server fetches when it has refused the callback comes too late.
        if let refused = flow.refusedCallback(of: delivered).map({ flow.capture[$0].endedAt }),
            refused >= arrived
        {
            return refused
        }
        let answered = delivered.login?.response?.callback.map { flow.capture[$0].endedAt } ?? arrived
        return max(answered, arrived + .seconds(10))
    }
}
