import Captures
import JOSE
import JSON
import OAuth

/// Whether a fault has changed an answer: what is to be sent is compared, and of what is remembered which login a code is of; keys are
/// not.
extension BuiltAnswer {
    func isSame(as other: BuiltAnswer) -> Bool {
        status == other.status && headers == other.headers && cookies == other.cookies
            && location == other.location && Self.areSame(content, other.content)
    }

    /// What was granted with the tokens or the code of this answer.
    var grant: ProviderState.Grant? {
        let members: [Member] =
            switch content {
            case .tokens(let members, _): members
            case .authorization(let response): response.parameters
            default: []
            }
        return members.lazy.compactMap { member in
            switch member.memory {
            case .code(let code): code.grant
            case .accessToken(let token): token.grant
            case .refreshToken(let token): token.grant
            case .session, nil: nil
            }
        }.first
    }

    private static func areSame(_ one: Content, _ other: Content) -> Bool {
        switch (one, other) {
        case (.none, .none): true
        case (.body(let one), .body(let other)): one.isSame(as: other)
        case (.object(let one), .object(let other)): one == other
        case (.form(let one), .form(let other)): one == other
        case (.tokens(let one, let isForm), .tokens(let other, let isOtherForm)):
            isForm == isOtherForm && areSame(one, other)
        case (.authorization(let one), .authorization(let other)): areSame(one, other)
        case (.token(let one, let type), .token(let other, let otherType)):
            type == otherType && one.isSame(as: other)
        default: false
        }
    }

    private static func areSame(_ one: Authorization, _ other: Authorization) -> Bool {
        guard one.target == other.target, one.mode == other.mode, areSame(one.parameters, other.parameters),
            (one.page == nil) == (other.page == nil)
        else { return false }
        switch (one.envelope, other.envelope) {
        case (let one?, let other?): return one.isSame(as: other)
        case (nil, nil): return true
        default: return false
        }
    }

    private static func areSame(_ one: [Member], _ other: [Member]) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy { one, other in
                guard one.name == other.name, one.codeFamily == other.codeFamily else { return false }
                switch (one.value, other.value) {
                case (.json(let one), .json(let other)): return one == other
                case (.token(let one), .token(let other)): return one.isSame(as: other)
                default: return false
                }
            }
    }
}

extension BuiltAnswer.Member {
    /// The login that a code is of; nil of anything else.
    fileprivate var codeFamily: String? {
        if case .code(let code) = memory { code.grant.family } else { nil }
    }
}

extension UnsignedToken {
    fileprivate func isSame(as other: UnsignedToken) -> Bool {
        header == other.header && claims == other.claims && algorithm == other.algorithm
            && (key == nil) == (other.key == nil) && (tampering == nil) == (other.tampering == nil)
            && hashed == other.hashed
            && hashes.map { [$0.claim, $0.member] } == other.hashes.map { [$0.claim, $0.member] }
    }
}

extension Body {
    fileprivate func isSame(as other: Body) -> Bool { mediaType == other.mediaType && bytes == other.bytes }
}

extension RecordedResponse {
    func isSame(as other: RecordedResponse) -> Bool {
        let bodies = (body, other.body)
        let haveSameBody =
            switch bodies {
            case (let one?, let other?): one.isSame(as: other)
            case (nil, nil): true
            default: false
            }
        return haveSameBody && status == other.status && headers == other.headers
    }
}
