/// What came of one fault.
package struct AttackResult: Sendable {
    /// What became of the login with the fault in it.
    package enum Verdict: Sendable, Equatable {
        /// The fault acted, and the login did not go through.
        case rejected
        /// The fault acted, and the login went through.
        case letThrough
        /// The fault acted, and the login went through, as it may; under which condition, in words: the command cannot tell.
        case undecided(String)
        /// The fault found nothing to make wrong; the reason in words.
        case notExercised(String)
    }

    package var fault: Fault
    package var verdict: Verdict
    /// Nil where it was not tried, since the first login showed no occasion.
    package var login: DrivenLogin?
    /// Whether the good login was seen to work after it: one that fails anyway rejects nothing.
    package var isConfirmed = false

    /// Of a fault that was driven.
    ///
    /// `isByTLS`: whether the provider spoke TLS.
    init(_ fault: Fault, _ login: DrivenLogin, first: ProviderSighting, isByTLS: Bool) {
        self.fault = fault
        self.login = login
        if login.sighting.brokenAfter != nil {
            let leeway = Self.leeway(fault, login.sighting, first: first, isByTLS: isByTLS)
            verdict = login.succeeded ? leeway.map(Verdict.undecided) ?? .letThrough : .rejected
        } else {
            verdict = .notExercised(Self.reason(fault, login, first))
        }
    }

    /// Of a fault that found no occasion in the good login.
    init(_ fault: Fault, without first: ProviderSighting) {
        self.fault = fault
        let isAsked = first.answers.contains(where: fault.kinds.contains)
        if !isAsked, Self.isKept(fault) {
            verdict = .notExercised(
                "the app did not fetch \(fault.kindWords): it has them from before, or does without. Let the command start it anew"
            )
        } else {
            verdict = .notExercised("this login has no \(isAsked ? fault.needs : fault.kindWords)")
        }
    }

    /// Under which condition a login may go through with what a correct client rejects; nil where there is none.
    ///
    /// Whoever fetches the keys means to verify with them.
    private static func leeway(
        _ fault: Fault,
        _ sighting: ProviderSighting,
        first: ProviderSighting,
        isByTLS: Bool
    ) -> String? {
        if fault.mustBeRejected, !fault.endsLogin {
            return "the login may go through, if nothing of the wrong answer is used"
        }
        guard isByTLS, fault.isOfSignature, let wrong = sighting.firstBroken,
            AnswerKind.firstTokens.contains(wrong),
            !first.answers.contains(.keySet), !sighting.answers.contains(.keySet)
        else { return nil }
        return
            "the app fetched no keys, and had the ID token from the token endpoint: the login may go through, if the app verifies the certificate there"
    }

    private static func reason(_ fault: Fault, _ login: DrivenLogin, _ first: ProviderSighting) -> String {
        guard login.succeeded else { return "the login failed before it came to this" }
        guard !login.sighting.answers.isEmpty else {
            return "the app asked the provider for nothing: let each login begin with a new session"
        }
        if isKept(fault), !login.sighting.answers.contains(where: fault.kinds.contains) {
            return "the app keeps \(fault.kindWords) from an earlier login: let the command start it anew"
        }
        return "the login took another way than the first one"
    }

    /// Documents are kept for hours by whoever runs on.
    private static func isKept(_ fault: Fault) -> Bool { fault.kinds.isSubset(of: [.metadata, .keySet]) }
}
