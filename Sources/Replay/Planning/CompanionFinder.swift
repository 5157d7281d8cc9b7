import Captures
import Flows

/// Finds what a flow rests on without being part of it: the sign-in that made the session whose cookie the
/// authorization request carries, the page on which somebody confirmed a device.
struct CompanionFinder {
    private let capture: Capture
    private let position: [Int]
    /// In order of time.
    private let candidates: [PlanningIndex.Other]

    /// `drivenBefore`: exchanges that an earlier plan drives.
    init(_ flow: Flow, origins: [String], index: PlanningIndex, drivenBefore: Set<Int>) {
        capture = flow.capture
        let position = flow.surroundings.position
        self.position = position
        candidates = index.others(at: Set(origins)).filter { !drivenBefore.contains($0.exchange) }
            .sorted { position[$0.exchange] < position[$1.exchange] }
    }

    /// Exchanges to be driven besides `driven`, in order of time.
    ///
    /// Backwards in time: whoever set a cookie that is sent, whoever changed something with that cookie, and what those
    /// rest on in turn.
    func companions(of driven: [Int], userCodes: Set<String>) -> [Int] {
        var needed: Set<String> = []
        var found: [Int] = []
        var later = driven.sorted { position[$0] < position[$1] }
        guard let last = later.last else { return [] }
        for candidate in candidates.reversed() where position[candidate.exchange] < position[last] {
            // Of requests that come later than an exchange, only those may have made it necessary.
            while let next = later.last, position[next] > position[candidate.exchange] {
                needed.formUnion(PlanningIndex.cookies(sentBy: capture[next].request))
                later.removeLast()
            }
            let request = capture[candidate.exchange].request
            let isUnsafe = !["GET", "HEAD"].contains(request.method.uppercased())
            let isNeeded =
                !needed.isDisjoint(with: candidate.set)
                || isUnsafe && !needed.isDisjoint(with: candidate.sent)
                || userCodes.contains(where: { Self.carries($0, request) })
            guard isNeeded else { continue }
            needed.formUnion(candidate.sent)
            found.append(candidate.exchange)
        }
        return found.reversed()
    }

    private static func carries(_ value: String, _ request: RecordedRequest) -> Bool {
        if request.url.text.containsBytes(value) { return true }
        guard let body = request.body, (body.size ?? 0) < 64 << 10 else { return false }
        return body.text?.containsBytes(value) ?? false
    }
}
