import Captures
import JOSE
import JSON
import OAuth

/// One named way in which a provider breaks.
///
/// Named after the rule of the diagnosis that finds it, with a variant behind a colon where a rule has several.
package struct Fault: Sendable {
    package let id: String
    /// What it does, in one sentence.
    package let summary: String
    /// Whether a correct client has to reject what it meets, rather than fail or go on.
    package let mustBeRejected: Bool
    let alteration: Alteration

    /// Where it takes hold of an answer.
    enum Alteration: Sendable {
        /// Before tokens are signed: what is wrong is wrong and signed.
        case answer(@Sendable (inout BuiltAnswer, FaultContext) -> Void)
        /// After everything is bytes.
        case response(@Sendable (inout RecordedResponse, FaultContext) -> Void)
        /// On the way: whoever serves the provider sees to it.
        case delivery(Delivery)
    }

    /// How the answer to a token request is delivered.
    package enum Delivery: Sendable, Equatable {
        case late(Duration)
        /// Its length announced, and half of it sent.
        case cutShort
        case never
    }

    package var delivery: Delivery? { if case .delivery(let delivery) = alteration { delivery } else { nil } }

    /// The rule it is named after; nil for one that no rule is about.
    package var rule: String? { delivery == nil ? String(id.prefix { $0 != ":" }) : nil }

    init(_ id: String, _ summary: String, mustBeRejected: Bool = false, _ alteration: Alteration) {
        self.id = id
        self.summary = summary
        self.mustBeRejected = mustBeRejected
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

    /// Whether a code, or a device, is exchanged for its first tokens.
    var isFirstExchange: Bool { role == .token && grantType != "refresh_token" }
    var isRefresh: Bool { role == .token && grantType == "refresh_token" }
}
