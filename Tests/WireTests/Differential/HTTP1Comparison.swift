/// The first message that two readers of the same bytes do not agree on.
struct HTTP1Difference: CustomStringConvertible {
    /// What a reader makes of the message.
    enum Verdict: Equatable, CustomStringConvertible {
        case whole
        /// Whole, though something of it is not allowed.
        case named(String)
        case refused(String)
        /// More would have to come, or nothing is read any more.
        case waits

        var description: String {
            switch self {
            case .whole: "whole"
            case .named(let reason): "whole, names: \(reason)"
            case .refused(let reason): "refuses: \(reason)"
            case .waits: "waits"
            }
        }
    }

    var ours: Verdict
    var theirs: Verdict
    /// Parts that both have, but differ.
    var parts: [String] = []
    var mine: ReadMessage?
    var other: ReadMessage?
    /// What both hold for whole before it.
    var earlier: [ReadMessage]
    /// The method that is answered, and those before; nil of requests.
    var answering: [String]?

    var description: String {
        "\(answering == nil ? "request" : "answer") — we: \(ours) | NIO: \(theirs)"
            + (parts.isEmpty ? "" : " | other \(parts.joined(separator: ", "))")
    }
}

/// Compares two readings message by message.
enum HTTP1Comparison {
    static func difference(_ subject: HTTP1Bytes) -> HTTP1Difference? {
        let ours = subject.byUs()
        let theirs = subject.byNIO()
        for index in 0..<max(ours.messages.count, theirs.messages.count) {
            let mine = index < ours.messages.count ? ours.messages[index] : nil
            let other = index < theirs.messages.count ? theirs.messages[index] : nil
            // As far as both got they have to have got the same; where one has refused it may have got less far.
            let mayDiffer =
                mine == nil || other == nil || mine?.isWhole != true && ours.refusal != nil
                || other?.isWhole != true && theirs.refusal != nil
            let parts = mayDiffer ? [] : other.flatMap { mine?.differences(from: $0) } ?? []
            let isAgreed = mine?.isWhole ?? false == other?.isWhole ?? false
            if isAgreed, parts.isEmpty {
                if mine?.isWhole == true { continue }
                return nil
            }
            let earlier = Array(ours.messages.prefix(index))
            let finals = earlier.count { message in
                guard let status = Int(message.start[0]) else { return false }
                return status == 101 || !(100..<200).contains(status)
            }
            return HTTP1Difference(
                ours: verdict(mine, ours),
                theirs: verdict(other, theirs),
                parts: parts,
                mine: mine,
                other: other,
                earlier: earlier,
                answering: subject.answering.map { Array($0.prefix(finals + 1)) }
            )
        }
        return nil
    }

    private static func verdict(_ message: ReadMessage?, _ reading: Reading) -> HTTP1Difference.Verdict {
        if let message, message.isWhole { return message.named.first.map { .named(kind($0)) } ?? .whole }
        return reading.refusal.map { .refused(kind($0)) } ?? .waits
    }

    /// What was found, without the numbers and values that go with it.
    private static func kind(_ reason: String) -> String {
        reason.hasPrefix("version ") ? "version" : String(reason.prefix { $0 != ":" })
    }
}
