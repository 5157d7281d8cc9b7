internal import Wire

/// What one side of a TLS connection sends: where its bytes stand, and under which keys.
final class TLSDirection {
    /// Which keys protect what is sent.
    enum Epoch {
        case plain
        /// TLS 1.2 and before, behind ChangeCipherSpec.
        case legacy
        /// Of TLS 1.3, as are the others.
        case early
        case handshake
        case application
    }

    /// What bytes are held back for.
    enum Wait {
        /// A hello, or the word on early data, of the other side.
        case peer
        case keys
    }

    let side: Side
    var epoch = Epoch.plain
    /// Nil where the epoch's keys have not been needed.
    var protection: TLSRecordProtection?
    /// The secret behind `protection` in TLS 1.3.
    var secret: [UInt8] = []
    /// Of the next record under these keys.
    var number: UInt64 = 0
    /// Whether any record of this direction has authenticated.
    var hasAuthenticated = false
    /// Where early data was rejected, the bytes of records that do not authenticate and may still belong to it: they count for
    /// no number.
    var passableEarlyData = 0
    var messages = TLSHandshakeMessages()
    var hasFinished = false
    /// Of hellos that key logs have and nobody saw: those whose secrets were tried on its first protected record.
    var triedHellos: Set<UInt64> = []
    /// Set where the place in the stream is lost.
    var search: TLSRecordSearch?
    /// Bytes that are still to come of a record that is lost.
    var skipped = 0
    /// Nothing more is read.
    var isStopped = false
    /// Nothing more will come.
    var hasEnded = false
    var waits: Wait?

    /// Records that have begun; the unread ones begin at `start`.
    var partial: [UInt8] = []
    var start = 0

    /// Bytes that cannot be read yet; the unread ones begin at `heldStart`.
    var held: [UInt8] = []
    var heldStart = 0
    /// Where in `held` bytes are missing.
    var gaps: [(place: Int, count: Int)] = []

    init(_ side: Side) { self.side = side }

    var unread: Int { partial.count - start }

    /// Whether what is sent now may be application data.
    var carriesData: Bool { epoch == .legacy || epoch == .application || epoch == .early }

    func compact() {
        guard start > 0 else { return }
        if start == partial.count {
            partial.removeAll(keepingCapacity: true)
        } else {
            partial.removeSubrange(..<start)
        }
        start = 0
    }

    func dropUnread() {
        partial.removeAll(keepingCapacity: true)
        start = 0
    }

    func hold(_ bytes: UnsafeRawBufferPointer.SubSequence) { held.append(contentsOf: bytes) }

    func holdGap(_ count: Int) {
        if let last = gaps.last, last.place == held.count {
            gaps[gaps.count - 1].count = last.count &+ count < 0 ? .max : last.count &+ count
        } else {
            gaps.append((held.count, count))
        }
    }

    func enter(_ epoch: Epoch) {
        self.epoch = epoch
        protection = nil
        secret = []
        number = 0
        messages.reset()
    }

    func stop() {
        isStopped = true
        protection = nil
        search = nil
        waits = nil
        partial = []
        start = 0
        held = []
        heldStart = 0
        gaps = []
    }
}

/// Looking for the next record that authenticates.
struct TLSRecordSearch {
    /// Keys that it may be under, and the first number.
    struct Candidate {
        var epoch: TLSDirection.Epoch
        /// Of these keys; nil for those in use.
        var suite: TLSCipherSuite?
        var protection: TLSRecordProtection
        var secret: [UInt8]
        var number: UInt64
        /// Whether what lies in front of it under these keys is not known (they came with a KeyUpdate).
        var isLater: Bool
    }

    /// Numbers that are tried at most for a record.
    static let mostNumbers = 4096
    /// The same of a side whose handshake is ending, as long as nothing is missing of it.
    static let mostNumbersOfHandshake = 64
    /// Records of a server behind its handshake that are of no answer, with most servers.
    static let mostTickets = 2
    /// Of a record under any keys, with its header.
    static let smallestRecord = 22

    /// Nil where they have not been looked up.
    var candidates: [Candidate]?
    /// Bytes that are missing or were passed over.
    var passed: Int
    /// From the first unread byte on; what lies before is no record that authenticates.
    var offset: Int
    /// Records that did not authenticate.
    var attempts = 0
    /// Whether nothing is known of what was said before: it is not missing, and the next record has any number.
    var beginsInTheMiddle = false
    /// Whether it is known that the handshake ended just then.
    var followsHandshake = false
    /// How often the other side's keys had been updated, where it begins in the middle.
    var updates = 0
    /// Where it begins in the middle, bytes that are missing; nil where none are.
    var lost: Int?

    /// How many numbers the next record may have under the keys of a candidate, from the candidate's own on.
    ///
    /// `passed`: bytes that are missing or were passed over in front of it.
    func numbers(_ candidate: Candidate, passed: Int) -> Int {
        let most = passed / Self.smallestRecord + 2
        guard beginsInTheMiddle else { return min(Self.mostNumbers, most) }
        guard followsHandshake else { return Self.mostNumbers }
        return candidate.epoch == .handshake
            ? Self.mostNumbersOfHandshake : min(Self.mostNumbers, Self.mostNumbersOfHandshake + most)
    }
}
