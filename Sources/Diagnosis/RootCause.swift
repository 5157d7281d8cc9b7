/// Puts the findings of a flow in order, the root cause first.
///
/// Keys: severity, causes before symptoms, ``Precedence``, the earliest faulty exchange, the order of the
/// catalogue.
enum RootCause {
    /// A finding with what its order depends on.
    struct Candidate: Sendable {
        var finding: Finding
        var isSymptom: Bool
        /// Whether nothing else is its cause (``Violation/isExplained``).
        var isExplained: Bool
        var explains: Set<String>
        /// Position of the faulty exchange in the flow's time order; last where it is computed.
        var time: Int
        /// Whether the faulty exchange was answered, and not with a refusal to serve anybody for a time.
        var isServed: Bool
        /// Position in the catalogue.
        var rank: Int

        init(
            finding: Finding,
            isSymptom: Bool,
            isExplained: Bool = false,
            explains: Set<String>,
            time: Int,
            isServed: Bool = true,
            rank: Int
        ) {
            self.finding = finding
            self.isSymptom = isSymptom
            self.isExplained = isExplained
            self.explains = explains
            self.time = time
            self.isServed = isServed
            self.rank = rank
        }
    }

    /// The findings in order, with primary and effects marked.
    ///
    /// - Parameters:
    ///   - candidates: what fired, in the order of the catalogue.
    ///   - isSuccess: the flow reached its goal; a note is then never primary.
    /// - Returns: every finding, the root cause first.
    static func ordered(_ candidates: [Candidate], isSuccess: Bool) -> [Finding] {
        var rest = candidates
        var sorted: [Candidate] = []
        while !rest.isEmpty {
            // The table is no total order: of those that nothing else explains, the smallest by the other
            // keys.
            let groups = rest.map { group(of: $0, isSuccess: isSuccess) }
            let first = groups.min() ?? 0
            let members = rest.indices.filter { groups[$0] == first }
            let free = members.filter { index in
                !members.contains { $0 != index && goesBefore(rest[$0], rest[index]) }
            }
            // A circle in the table would leave none free; then the other keys decide.
            let next = (free.isEmpty ? members : free).min { sortKey(of: rest[$0]) < sortKey(of: rest[$1]) }
            sorted.append(rest.remove(at: next ?? 0))
        }
        return sorted.indices.map { index in
            var finding = sorted[index].finding
            // What has its cause in another flow stands behind this one's own faults: first, it is all there is.
            guard finding.effectOfFlow == nil else { return finding }
            finding.isPrimary = index == 0 && mayBePrimary(finding, isSuccess: isSuccess)
            finding.effectOf = sorted[..<index].first { goesBefore($0, sorted[index]) }?.finding.rule
            return finding
        }
    }

    /// Notes that are the reason why a flow did not reach its goal.
    private static let reasons: Set<String> = ["user-cancelled", "login-abandoned"]

    private static func mayBePrimary(_ finding: Finding, isSuccess: Bool) -> Bool {
        finding.severity != .note || (!isSuccess && reasons.contains(finding.rule))
    }

    /// Whether the one explains the other, by ``Precedence``.
    static func goesBefore(_ cause: Candidate, _ effect: Candidate) -> Bool {
        !effect.isExplained
            && Precedence.places(
                cause.finding.rule,
                over: effect.finding.rule,
                explained: cause.explains,
                isEarlier: cause.time <= effect.time,
                // A note tells of nothing that did not happen.
                isUnserved: effect.finding.severity != .note
                    && (!effect.isServed || cause.time == effect.time && effect.time != Int.max)
            )
    }

    /// Severity, then causes before symptoms, then the symptoms' own order: one number.
    ///
    /// A note that is the reason why the flow did not reach its goal stands right after the errors: what a
    /// warning speaks of would have let it.
    private static func group(of candidate: Candidate, isSuccess: Bool) -> Int {
        let count = Precedence.symptoms.count + 4
        if !isSuccess, candidate.finding.severity == .note, reasons.contains(candidate.finding.rule) {
            return count - 1
        }
        let severity = Severity.allCases.firstIndex(of: candidate.finding.severity) ?? Severity.allCases.count
        let symptom = Precedence.symptoms.firstIndex(of: candidate.finding.rule) ?? Precedence.symptoms.count
        if candidate.finding.effectOfFlow != nil { return severity * count + count - 2 }
        return severity * count + (candidate.isSymptom ? symptom + 1 : 0)
    }

    private static func sortKey(of candidate: Candidate) -> (Int, Int) { (candidate.time, candidate.rank) }
}
