import Captures

/// The order of what several files were merged of, where their times say that a value was brought before it was given out.
///
/// Two clocks are known to each other up to some milliseconds, and a browser notes when a request began only as nearly as it was
/// busy: a code that the backend spends may be in its time before the callback that brought it. What the values say is surer.
struct HandedOverOrder {
    /// Further apart it is no question of how near a time is noted, but of what happened.
    private static let most = Duration.seconds(1)

    private let capture: Capture
    /// Entries in the order of their times.
    private let entries: [Int]
    /// The first place of what brings a value on, in the file that it was recorded into.
    private var brought: [HandedOverValue: Int] = [:]
    /// The first place of what gives it out.
    private var given: [HandedOverValue: Int] = [:]

    /// `entries`, each that gave a value out ahead of the one that brought it on, with what its file has between the two.
    ///
    /// Of a capture that is no merged one, as they are.
    static func corrected(_ entries: [Int], of capture: Capture) -> [Int] {
        guard (capture.imported?.files.count ?? 0) > 1 else { return entries }
        return HandedOverOrder(entries, capture).corrected()
    }

    private init(_ entries: [Int], _ capture: Capture) {
        self.capture = capture
        self.entries = entries
        for (place, entry) in entries.enumerated() {
            for value in HandedOverValue.all(in: capture[entry]) {
                switch value.use {
                case .spent, .asked: brought[value] = brought[value] ?? place
                case .issued, .called, .pushed: given[value] = given[value] ?? place
                }
            }
        }
    }

    private func corrected() -> [Int] {
        var late: [String: [ClosedRange<Int>]] = [:]
        for (value, place) in brought {
            guard let giver = value.givers.lazy.compactMap({ given[$0] }).first, giver > place,
                let file = file(giver),
                file != self.file(place), start(giver) - start(place) <= Self.most
            else { continue }
            late[file, default: []].append(place...giver)
        }
        guard !late.isEmpty else { return entries }
        var target = Array(entries.indices)
        for (file, spans) in late {
            var next = 0
            // Of two that overlap the one that begins first says how far up it goes.
            for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) where span.upperBound >= next {
                for place in max(next, span.lowerBound)...span.upperBound where self.file(place) == file {
                    target[place] = span.lowerBound
                }
                next = span.upperBound + 1
            }
        }
        let key = { (place: Int) in (target[place], target[place] < place ? 0 : 1, place) }
        return entries.indices.sorted { key($0) < key($1) }.map { entries[$0] }
    }

    private func start(_ place: Int) -> Timestamp { capture[entries[place]].startedAt }

    /// The file whose clock the entry at a place has its time from.
    private func file(_ place: Int) -> String? { capture[entries[place]].provenance.seen.first?.file }
}
