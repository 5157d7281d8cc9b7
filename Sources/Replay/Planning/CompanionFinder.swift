import Captures
import Flows

/// Finds what a flow rests on without being part of it: the sign-in that made the session whose cookie the
/// authorization request carries, the page on which somebody confirmed a device.
struct CompanionFinder {
    private let capture: Capture
    private let position: [Int]
    private let index: PlanningIndex
    private let origins: Set<String>
    private let drivenBefore: Set<Int>

    /// `drivenBefore`: exchanges that an earlier plan drives.
    init(_ flow: Flow, origins: [String], index: PlanningIndex, drivenBefore: Set<Int>) {
        capture = flow.capture
        position = flow.surroundings.position
        self.index = index
        self.origins = Set(origins)
        self.drivenBefore = drivenBefore
    }

    /// Exchanges to be driven besides `driven`, in order of time.
    ///
    /// Backwards in time: whoever set a cookie that is sent, whoever changed something with that cookie, whoever brought one of the
    /// codes, and what those rest on in turn. All come before the last that is driven.
    func companions(of driven: [Int], userCodes: Set<String>) -> [Int] {
        guard let last = driven.max(by: { position[$0] < position[$1] }) else { return [] }
        var found: Set<Int> = []
        /// Cookies that an exchange sent, and that what came before it may have made.
        var open = driven.map { (exchange: $0, cookies: PlanningIndex.cookies(sentBy: capture[$0].request)) }
        func take(_ other: PlanningIndex.Other) {
            guard origins.contains(other.origin), !drivenBefore.contains(other.exchange),
                found.insert(other.exchange).inserted
            else { return }
            open.append((other.exchange, other.sent))
        }
        if !userCodes.isEmpty, let first = driven.min(by: { position[$0] < position[$1] }) {
            // Nobody brings a code before it was given out.
            let (start, end) = (count(before: first), count(before: last))
            for other in index.others[start..<end]
            where userCodes.contains(where: { Self.carries($0, capture[other.exchange].request) }) {
                take(other)
            }
        }
        /// How many of those that a cookie leads to were looked at.
        var seen: [String: Int] = [:]
        while let next = open.popLast() {
            for cookie in next.cookies {
                guard let places = index.othersByCookie[cookie] else { continue }
                let (start, end) = (seen[cookie] ?? 0, count(before: next.exchange, in: places))
                guard end > start else { continue }
                seen[cookie] = end
                let beginning = start..<max(start, min(end, Self.mostAtAnEnd))
                let rest = max(beginning.upperBound, end - Self.mostAtAnEnd)..<end
                for place in [beginning, rest].flatMap({ places[$0] }) { take(index.others[place]) }
            }
        }
        return found.sorted { position[$0] < position[$1] }
    }

    /// Of what was changed with one cookie, which may be everything that a browser did in a session of hours: so many at its beginning,
    /// where somebody signed in, and so many right before what is driven.
    static let mostAtAnEnd = 32

    private func count(before exchange: Int) -> Int { count(before: exchange, in: index.others.indices) }

    /// How many of some others, in order of time, come before an exchange.
    private func count<Places: RandomAccessCollection<Int>>(before exchange: Int, in places: Places) -> Int {
        let end = places.partitionPoint { position[index.others[$0].exchange] >= position[exchange] }
        return places.distance(from: places.startIndex, to: end)
    }

    private static func carries(_ value: String, _ request: RecordedRequest) -> Bool {
        if request.url.text.containsBytes(value) { return true }
        guard let body = request.body, (body.size ?? 0) < 64 << 10 else { return false }
        return body.text?.containsBytes(value) ?? false
    }
}
