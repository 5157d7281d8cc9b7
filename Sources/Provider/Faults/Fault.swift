package import Captures
import JOSE
import JSON
import OAuth

/// One named way in which a provider breaks.
///
/// Named after the rule of the diagnosis that finds it, with a variant behind a colon where a rule has several. What comes late or cut
/// off, and what nobody sees in the traffic, is no rule's.
package struct Fault: Sendable {
    package let id: String
    /// What it does, in one sentence.
    package let summary: String
    /// Whether a correct client has to reject what it meets, rather than fail or go on.
    package let mustBeRejected: Bool
    /// The answers that it makes wrong.
    package let kinds: Set<AnswerKind>
    /// Whether the traffic shows what is wrong, so that a rule is about it.
    private let hasRule: Bool
    /// What such an answer has to have besides.
    let need: Need?
    let alteration: Alteration

    /// Where it takes hold of an answer.
    enum Alteration: Sendable {
        /// Before tokens are signed: what is wrong is wrong and signed.
        case answer(@Sendable (inout BuiltAnswer, FaultContext) -> Void)
        /// After everything is bytes.
        case response(@Sendable (inout RecordedResponse, FaultContext) -> Void)
        /// On the way: whoever serves the provider sees to it.
        case delivery(Delivery)
        /// Before it answers: what the client sent is taken although it is wrong.
        case omission(Check)
    }

    /// Something that a provider has to look at, and that the client never hears of.
    enum Check: Sendable, Equatable {
        /// Whether the verifier is the one of the challenge (RFC 7636, section 4.6).
        case proofKey
    }

    /// Without it a client has no means to see what is wrong: who sent no nonce cannot miss it.
    struct Need: Sendable {
        /// As in "this login has no …".
        var words: String
        var isMet: @Sendable (BuiltAnswer) -> Bool

        /// `isMet`: what is to be looked at besides that the answer comes out another one.
        init(_ words: String, isMet: @escaping @Sendable (BuiltAnswer) -> Bool = { _ in true }) {
            self.words = words
            self.isMet = isMet
        }
    }

    /// How the answer to a token request is delivered.
    package enum Delivery: Sendable, Equatable {
        case late(Duration)
        /// Its length announced, and half of it sent.
        case cutShort
        case never

        /// Token requests have it, everything else comes whole.
        package static func concerns(_ request: RecordedRequest) -> Bool {
            FormBody.items(of: request.body)?.contains("grant_type") ?? false
        }
    }

    package var delivery: Delivery? { if case .delivery(let delivery) = alteration { delivery } else { nil } }

    /// What the provider does not look at.
    var omission: Check? { if case .omission(let check) = alteration { check } else { nil } }

    /// Whether the provider takes what is wrong, and says nothing that is.
    package var isOmission: Bool { omission != nil }

    /// The rule it is named after; nil for one that no rule is about.
    package var rule: String? {
        delivery == nil && hasRule ? String(id.prefix { $0 != ":" }) : nil
    }

    /// Whether the answer looks like a good one, and says what is not so: no refusal, and nothing that cannot be read.
    package var isFalseStatement: Bool {
        mustBeRejected || rule.map(Self.falseThoughAccepted.contains) ?? false
    }

    /// What a client may take, and what many of them refuse all the same.
    ///
    /// An unexpected algorithm is not among them: a token has the recorded one in any case.
    private static let falseThoughAccepted: Set<String> = [
        "state-missing-in-response", "id-token-azp-mismatch", "id-token-hash-mismatch",
        "acr-not-satisfied", "auth-time-stale",
    ]

    /// Whether rejecting it means that nobody is signed in.
    ///
    /// What comes later may be refused and the login stay as it is: of userinfo that is about another user nothing may be
    /// used (OpenID Connect Core, section 5.3.2).
    package var endsLogin: Bool { mustBeRejected && !kinds.isSubset(of: [.userInfo, .refreshResponse]) }

    /// Whether it is wrong by its signature alone, which a client may leave unverified where TLS vouches for the token endpoint.
    var isOfSignature: Bool { ClientDuties.isOfSignature(id) }

    /// What a correct client does when it meets this; nil where it need not reject it.
    package var duty: String? { mustBeRejected ? ClientDuties.text(of: id) : nil }

    /// What a login has to have, for this to be met in it: "this login has no …".
    var needs: String { occasion ?? kindWords }

    /// The same where it is more than the answer itself; nil where every login that comes to the answer meets it.
    package var occasion: String? { need?.words }

    /// The answers that it makes wrong, in words.
    var kindWords: String {
        if kinds == AnswerKind.allTokens || kinds == AnswerKind.firstTokens {
            return AnswerKind.tokenResponse.words
        }
        return AnswerKind.allCases.filter(kinds.contains).map(\.words).joined(separator: " or ")
    }

    init(
        _ id: String,
        _ summary: String,
        of kinds: Set<AnswerKind>,
        needs need: Need? = nil,
        mustBeRejected: Bool = false,
        hasRule: Bool = true,
        _ alteration: Alteration
    ) {
        self.id = id
        self.summary = summary
        self.kinds = kinds
        self.need = need
        self.mustBeRejected = mustBeRejected
        self.hasRule = hasRule
        self.alteration = alteration
    }
}

/// What a fault knows of the request whose answer it makes wrong.
struct FaultContext: Sendable {
    /// Nil for pages and everything beside the protocol.
    var role: Endpoints.Role?
    /// Whether the metadata document is asked for.
    var isMetadata: Bool
    var grantType: String?
    var now: Timestamp
    /// How many answers with an ID token were given before.
    var issuedIDTokens: Int
    /// `id_token_signing_alg_values_supported` of the metadata.
    var namedAlgorithms: Set<String> = []
    /// Where the key set is asked for: `d` of each key (RFC 7518, sections 6.2.2.1 and 6.3.2.1) by its `kid`.
    var privateMembers: [String: String] = [:]

    /// Whether a code, or a device, is exchanged for its first tokens.
    var isFirstExchange: Bool { role == .token && grantType != "refresh_token" }
    var isRefresh: Bool { role == .token && grantType == "refresh_token" }
}
