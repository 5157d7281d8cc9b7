/// What both sides have said of the keys to come.
struct TLSHandshakeState {
    enum EarlyData {
        case none
        /// Offered; the server has not said whether it takes it.
        case undecided
        case taken
        case rejected
    }

    static let tls13: UInt16 = 0x0304

    /// Of the last ClientHello.
    var clientRandom: TLSRandom?
    /// Whether the hello that counts may be inside of that one, with a random that is not seen.
    var mayHoldAnotherHello = false
    /// How many secrets of such were tried.
    var innerTrials = 0
    /// How many there were, in clear or not.
    var clientHellos = 0
    /// Whether the client has said what stands behind its hello, and that is not there.
    var beginsInTheMiddle = false
    /// Records of its that were passed over, and what it took to try secrets on them, where that is so.
    var passedInTheMiddle = 0
    var trialsInTheMiddle = 0
    /// How many there were, without those that ask for another ClientHello.
    var serverHellos = 0
    /// Whether the server asked for another ClientHello.
    var sawRetryRequest = false
    /// Agreed on; 0 before.
    var version: UInt16 = 0
    var suite: TLSCipherSuite?
    /// Those that it may be where the server's hello is missing and no record has authenticated.
    var possibleSuites: [TLSCipherSuite] = []
    /// Whether the key log has the master secret of a connection whose server's hello is missing: it is TLS 1.2, or before.
    var isOlderByKeys = false
    /// Whether the server was given up for want of its hello.
    var isServerGivenUp = false
    /// Of TLS 1.2 and before.
    var legacy: TLSLegacyHandshake?
    /// What key logs know the premaster secret by that the client sent (RFC 5246, section 7.4.7.1); empty without one.
    var premasterName: [UInt8] = []
    /// Of the session that the client offers to go on with, in TLS 1.2 and before.
    var offeredTicket: [UInt8] = []
    var offeredSessionID: [UInt8] = []
    /// The one that the server named.
    var sessionID: [UInt8] = []
    var earlyData = EarlyData.none
    /// Whether the server sent what only a full handshake has, in TLS 1.2 and before.
    var isFull = false
    /// Of the context that the server's last CertificateRequest has, which the answer repeats (TLS 1.3).
    var requestContextSize = 0
    /// Whether the sink knows the facts.
    var isTold = false
    /// Why records cannot be read whatever the keys.
    var obstacle: String?

    var hasServerHello: Bool { serverHellos > 0 }
    var isTLS13: Bool { version == Self.tls13 }

    /// The words for a connection that the key log does not have begin so.
    static let noKey = "there is no key for it in the key log"

    /// The words for a connection whose keys cannot be made without the server's hello.
    var missingHello: String {
        "its ServerHello is not whole in the capture, "
            + (isOlderByKeys
                ? "of whose random TLS 1.2 and before make their keys as well"
                : "and no secret of TLS 1.3 for it is in the key log")
            + (clientRandom.map { " (client random \($0))" } ?? "")
    }

    /// The words for a connection that the key log does not have.
    var missingKey: String {
        guard let clientRandom, clientRandom != TLSRandom.unseen else {
            return "its ClientHello is not in the capture, by which keys are found"
        }
        guard hasServerHello else { return missingHello }
        return "\(Self.noKey) (client random \(clientRandom))"
    }
}
