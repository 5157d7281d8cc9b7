import Captures
import Flows
import OAuth

/// Why the login at the provider behind a broker came to nothing, where the broker's own answer tells of that.
struct InnerFailure: Sendable {
    /// Id of the login at the provider behind.
    var flow: String
    /// What broke it.
    var cause: Finding
    /// Where the broker learned of it; the first exchange where it never did.
    var exchange: Int

    /// Whether it was a fault, and not the user's own no.
    var isFault: Bool { cause.severity == .error }
}

extension Flow {
    /// Nil for a login with no other inside of it, for one whose inner login went well, and for one that was answered for
    /// another reason.
    var innerFailure: InnerFailure? {
        derived.value { KnownInnerFailure(failure: readInnerFailure()) }.failure
    }

    /// The login at the provider behind a broker that failed, where nothing of this one came after it: what broke that one left
    /// the user on a page of errors.
    ///
    /// Its id; nil where this login was answered, or went on.
    package var failedInside: String? {
        guard ending == .incomplete, authorizationResponses.isEmpty, let login = inner.last,
            let end = login.exchanges.last.map({ surroundings.position[$0] }),
            !exchanges.contains(where: { surroundings.position[$0] > end && !Asset.isAsset(capture[$0]) })
        else { return nil }
        return Diagnostician.diagnose(login).outcome == .failure ? login.id : nil
    }

    private func readInnerFailure() -> InnerFailure? {
        let answer = authorizationResponses.last
        guard ending != .success, answer.map({ $0.error != nil }) ?? true else { return nil }
        for login in inner.reversed() {
            guard let exchange = exchange(at: login, toldBy: answer) else { continue }
            return InnerFailure.cause(of: login)
                .map { InnerFailure(flow: login.id, cause: $0, exchange: exchange) }
        }
        return nil
    }

    /// Where an inner login ended, if redirects alone lead from there to the answer; where none came, it may be any.
    private func exchange(at login: Flow, toldBy answer: AuthorizationResponse?) -> Int? {
        let end = login.authorizationResponses.last.flatMap { $0.callback ?? lostCode(of: $0, at: login) }
        guard let answer else { return end ?? login.exchanges.first }
        guard let end, let delivery = answer.deliveredBy ?? answer.callback else { return nil }
        return surroundings.redirects(from: end, leadTo: delivery) ? end : nil
    }

    /// A code that was lost on the way to the broker came to no callback.
    private func lostCode(of response: AuthorizationResponse, at login: Flow) -> Int? {
        login.loginAttempts.first { $0.response?.exchange == response.exchange }
            .flatMap { MissingCode(of: $0, in: login)?.exchange }
    }
}

extension InnerFailure {
    /// What a broker makes of a good answer is its own affair, and told better by its own answer.
    private static let ofTheBroker: Set<String> = [
        "callback-rejected-by-app", "callback-unreachable", "code-never-redeemed", "login-abandoned",
    ]

    fileprivate static func cause(of login: Flow) -> Finding? {
        let diagnosis = Diagnostician.diagnose(login)
        guard [.failure, .cancelled].contains(diagnosis.outcome) else { return nil }
        return diagnosis.findings.first { $0.isPrimary && !ofTheBroker.contains($0.rule) }
    }
}

/// Read once, whatever came of it.
private struct KnownInnerFailure: Sendable {
    var failure: InnerFailure?
}
