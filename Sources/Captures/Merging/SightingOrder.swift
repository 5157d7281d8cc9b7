/// Which sighting of an exchange comes first, and in which order the exchanges of several files stand.
struct SightingOrder {
    private let captures: [Capture]
    private let marks: [CaptureMarks]

    /// `marks`: of each of the captures.
    init(_ captures: [Capture], _ marks: [CaptureMarks]) {
        self.captures = captures
        self.marks = marks
    }

    /// The groups in the order in which their exchanges began by one clock; of each the base first, the others in the order of
    /// the files.
    ///
    /// `ahead`: how far each file's clock is ahead of the common one.
    func sorted(_ groups: SightingGroups, ahead: [Duration]) -> [[SightingGroups.Place]] {
        let starts = starts(ahead: ahead)
        var sorted: [(start: Int64, places: [SightingGroups.Place])] = []
        for places in groups.all {
            guard let base = places.min(by: isFurtherOut) else { continue }
            sorted.append((starts[base.file][base.entry], [base] + places.filter { $0 != base }))
        }
        return sorted.sorted { left, right in
            let (a, b) = (left.places[0], right.places[0])
            return (left.start, a.file, a.entry) < (right.start, b.file, b.entry)
        }.map(\.places)
    }

    /// By file and entry; what has no time stays behind what it stood behind.
    private func starts(ahead: [Duration]) -> [[Int64]] {
        zip(marks, ahead).map { marks, ahead in
            let shift = -ClockSpan.nanoseconds(ahead)
            var last = Int64.min
            return marks.spans.map { span in
                if let span { last = span.moved(by: shift).start }
                return last
            }
        }
    }

    /// Which of two sightings is nearer to who asked: its URL is the one that was meant, and it saw what arrived.
    private func isFurtherOut(_ left: SightingGroups.Place, _ right: SightingGroups.Place) -> Bool {
        // Of both sides of a proxy it is known which is which, however little it took.
        if left.file == right.file {
            let inside = marks[left.file].inside
            if Self.isInside(right.entry, left.entry, inside) { return true }
            if Self.isInside(left.entry, right.entry, inside) { return false }
        }
        let (a, b) = (captures[left.file][left.entry], captures[right.file][right.entry])
        // How long one took that has no answer says nothing of where it was seen.
        if a.response != nil, b.response != nil,
            let first = marks[left.file].spans[left.entry], let second = marks[right.file].spans[right.entry],
            first.isLengthKnown, second.isLengthKnown, abs(first.length - second.length) > 500_000
        {
            return first.length > second.length
        }
        let (isSecure, isOtherSecure) = (
            a.request.url.scheme?.lowercased() == "https", b.request.url.scheme?.lowercased() == "https"
        )
        if isSecure != isOtherSecure { return isSecure }
        return left.file < right.file
    }

    private static func isInside(_ inner: Int, _ outer: Int, _ inside: [Int: Int]) -> Bool {
        var entry = inner
        for _ in 0..<ProxySides.mostSides {
            guard let next = inside[entry] else { return false }
            if next == outer { return true }
            entry = next
        }
        return false
    }
}
