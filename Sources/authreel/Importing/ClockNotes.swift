import Captures
import JSON

/// Words how the clocks of a capture's files lie to each other.
enum ClockNotes {
    /// Of a capture whose entries have the times of several clocks: that they are read by one.
    static func notes(on capture: Capture) -> [String] {
        guard let imported = capture.imported, !imported.isAligned else { return [] }
        return imported.files.compactMap { file in
            guard case .known(let offset, let other) = file.clock, offset.ahead != .zero else { return nil }
            let isAhead = offset.ahead > .zero
            return
                "entries of \(file.name) are read \(seconds(offset.ahead)) s \(isAhead ? "earlier" : "later") than "
                + "they say: their clock is \(isAhead ? "ahead of" : "behind") that of \(other)"
        }
    }

    /// What is known of a file's clock, or where it was put in without one, for a line about that file.
    static func text(of file: MergeReport.File, isAligned: Bool) -> String {
        guard let isPlaced = file.isPlaced else {
            return text(of: file.clock, isAligned: isAligned)
        }
        return isPlaced
            ? "it has no times, and stands where its codes and the Date fields of its answers put it"
            : "it has no times, and nothing tells where it belongs"
    }

    private static func text(of clock: ImportStatement.Clock, isAligned: Bool) -> String {
        switch clock {
        case .reference: return "its clock is what others are compared with"
        case .unknown: return "nothing tells how its clock lies to the others"
        case .known(let offset, let other):
            let isOn = offset.ahead.magnitude <= offset.within
            let place =
                isOn
                ? "its clock agrees with that of \(other)"
                : "its clock is \(seconds(offset.ahead)) s \(offset.ahead > .zero ? "ahead of" : "behind") that of \(other)"
            let basis =
                switch offset.basis {
                case .exchanges: "by \(offset.count.counted("exchange")) that both have"
                case .date: "by the Date fields of \(offset.count.counted("server"))"
                }
            let moved = isAligned && offset.ahead != .zero ? "; its times were moved" : ""
            return "\(place), give or take \(seconds(offset.within)) s, \(basis)\(moved)"
        }
    }

    /// Without a sign, to the millisecond.
    private static func seconds(_ duration: Duration) -> String {
        let (whole, rest) = duration.magnitude.components
        let thousandths = (rest + 500_000_000_000_000) / 1_000_000_000_000_000
        let text = String(1000 + thousandths % 1000).dropFirst()
        return "\(whole + thousandths / 1000).\(text)"
    }
}

extension Duration {
    /// Without its sign.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
