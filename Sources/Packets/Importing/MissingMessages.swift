internal import Captures
internal import Wire

/// What is missing of the messages of one connection, which is said once, in one sentence.
struct MissingMessages {
    /// Bytes that are missing.
    private(set) var lostBytes = 0
    private var places = 0
    /// The side whose bytes are missing right before what it says next.
    private var gap: Side?
    /// Whether the client's first bytes are missing, however many.
    var lacksBeginning = false
    /// Answers to nothing that is in the capture.
    var unseenRequests = 0
    /// The first requests that a part of their heads is missing of, see ``MessageReader/halfRequest``.
    private var cutRequests: [String] = []
    private static let mostCutRequests = 4

    /// A side goes on.
    mutating func received(from side: Side) {
        if gap == side { gap = nil }
    }

    mutating func lost(_ count: Int, from side: Side) {
        lostBytes += count
        if gap != side { places += 1 }
        gap = side
    }

    /// Of this request a part of the head is missing.
    mutating func cut(_ request: String) {
        if cutRequests.count < Self.mostCutRequests { cutRequests.append(request) }
    }

    /// Says what is missing, and what that comes to, which is said by then; nil where nothing is.
    ///
    /// `unknown`: what else of the messages is not known with it; nil where nothing is.
    mutating func take(with unknown: String?) -> String? {
        guard lostBytes > 0 || lacksBeginning || unseenRequests > 0 else { return nil }
        defer { self = MissingMessages() }
        let what =
            lostBytes == 0
            ? lacksBeginning ? "its first requests are" : Self.unseen(unseenRequests)
            : places == 1 ? "\(lostBytes) bytes are" : "\(lostBytes) bytes in \(places) places are"
        let cut = cutRequests.joined(separator: ", ")
        let heads = cut.isEmpty ? "" : ", some of a request's head, which is no entry (\(cut))"
        let isMore = unseenRequests > 0 && (lostBytes > 0 || lacksBeginning)
        let others = [isMore ? "the requests of \(unseenRequests.counted("answer"))" : nil, unknown]
            .compactMap { $0 }
        let also = others.isEmpty ? "" : "; with them \(others.joined(separator: " and ")) are not known"
        return "\(what) not in the capture\(heads)\(also)"
    }

    private static func unseen(_ count: Int) -> String {
        count == 1 ? "the request of an answer is" : "the requests of \(count) answers are"
    }
}
