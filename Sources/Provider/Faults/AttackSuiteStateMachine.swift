/// Decides which login is driven next, and what came of each: a good one first, one for each fault, and good ones between
/// and at the end, since a login that fails anyway rejects nothing.
///
/// Drives nothing itself.
package struct AttackSuiteStateMachine: Sendable {
    /// What the one who drives the logins is to do.
    package enum Step: Sendable {
        /// Without a fault where there is none.
        case drive(Fault?)
        case finish
    }

    /// Why it ended before the last fault.
    package enum Stop: Sendable, Equatable {
        /// The very first login, to which nothing was wrong.
        case goodLoginFails
        /// The first login went through, and the provider was asked for none.
        case nothingAsked
        /// It worked before; the fault that was driven last.
        case goodLoginFailsNow(after: String)
        case interrupted
    }

    package private(set) var results: [AttackResult] = []
    /// Those without a fault, in order.
    package private(set) var goodLogins: [DrivenLogin] = []
    package private(set) var stop: Stop?
    private var waiting: ArraySlice<Fault>
    private var driven: Fault?
    private var sinceGood = 0
    private var wantsGood = true
    private let goodEvery: Int
    private let isByTLS: Bool

    /// Begins before the first login.
    ///
    /// `goodEvery`: after so many faults the good login is driven again; `isByTLS`: whether the provider speaks TLS.
    package init(_ faults: [Fault], goodEvery: Int = 10, isByTLS: Bool = false) {
        waiting = faults[...]
        self.goodEvery = goodEvery
        self.isByTLS = isByTLS
    }

    /// Faults that are still to be looked at.
    package var remaining: Int { waiting.count }

    /// The login to drive now; what comes of it is told to ``ended(_:)`` before the next one is asked for.
    package mutating func next() -> Step {
        driven = nil
        guard stop == nil else { return .finish }
        guard !wantsGood, let first = goodLogins.first?.sighting else { return .drive(nil) }
        while let fault = waiting.popFirst() {
            guard first.occasions.contains(fault.id) else {
                results.append(AttackResult(fault, without: first))
                continue
            }
            driven = fault
            return .drive(fault)
        }
        return sinceGood > 0 ? .drive(nil) : .finish
    }

    /// What came of the login that ``next()`` asked for.
    package mutating func ended(_ login: DrivenLogin) {
        if let driven {
            endedBroken(login, driven)
        } else {
            endedGood(login)
        }
    }

    /// Nothing more is to be driven: the user has stopped it.
    package mutating func interrupted() { stop = .interrupted }

    // MARK: -

    private mutating func endedBroken(_ login: DrivenLogin, _ fault: Fault) {
        guard let first = goodLogins.first?.sighting else { return }
        results.append(AttackResult(fault, login, first: first, isByTLS: isByTLS))
        sinceGood += 1
        // What fails although nothing was wrong yet would fail anyway.
        let failedAnyway = !login.succeeded && login.sighting.brokenAfter == nil
        wantsGood = failedAnyway || sinceGood >= goodEvery
    }

    private mutating func endedGood(_ login: DrivenLogin) {
        let isFirst = goodLogins.isEmpty
        goodLogins.append(login)
        guard login.succeeded else {
            let last = results.last { $0.login != nil }?.fault.id
            stop = isFirst ? .goodLoginFails : .goodLoginFailsNow(after: last ?? "")
            return
        }
        guard !isFirst || login.sighting.hasLogin else {
            stop = .nothingAsked
            return
        }
        for index in results.indices { results[index].isConfirmed = true }
        sinceGood = 0
        wantsGood = false
    }
}
