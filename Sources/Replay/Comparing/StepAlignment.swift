import Captures
import Flows
import OAuth

/// Lays the steps of two flows side by side: those of one kind, in order, as many as can be.
enum StepAlignment {
    /// Steps of a flow that are compared; a capture that has more is no login.
    static let limit = 1500

    /// Pairs of indices; nil where a step has no counterpart.
    ///
    /// `expected`: with the address of each as the second flow ought to have it.
    static func pairs(
        _ expected: [(step: ComparedStep, address: Address)],
        _ seen: [(step: ComparedStep, address: Address)]
    ) -> [(expected: Int?, seen: Int?)] {
        let left = expected.prefix(limit).map { Feature($0.step, $0.address) }
        let right = seen.prefix(limit).map { Feature($0.step, $0.address) }
        return joined(inOrder(left, right), left, right)
    }

    /// Where a request goes.
    struct Address: Equatable {
        /// With the query that is the endpoint's own.
        var path: String
        /// The same without what another run has anew.
        var outline: String

        static func == (one: Address, other: Address) -> Bool {
            one.path == other.path || one.outline == other.outline
        }
    }

    private struct Feature {
        var kind: StepKind
        var grant: String
        var method: String
        var address: Address
        var answer: String

        init(_ step: ComparedStep, _ address: Address) {
            kind = step.kind
            grant = step.step.parameters["grant_type"] ?? ""
            method = step.exchange.request.method
            self.address = address
            let status = step.exchange.response?.status ?? 0
            answer = "\(status / 100)"
        }

        /// How well two go together; zero where they do not.
        ///
        /// A kind that stays the same outweighs everything that may differ: what the method was before is a difference
        /// worth telling, not another step.
        func kinship(_ other: Feature) -> Int32 {
            guard kind == other.kind else { return 0 }
            let isPage = kind == .userInteraction
            // To be shown a page and to send it are two steps.
            if isPage, method != other.method { return 0 }
            if kind == .resourceRequest, address != other.address { return 0 }
            return (isPage ? 8 : 40) + (address == other.address ? 8 : 0) + (grant == other.grant ? 6 : 0)
                + (method == other.method ? 3 : 0) + (answer == other.answer ? 2 : 0)
        }
    }

    /// The alignment with the greatest kinship in all that keeps the order of both.
    private static func inOrder(_ left: [Feature], _ right: [Feature]) -> [(expected: Int?, seen: Int?)] {
        let width = right.count + 1
        // best[i * width + j]: of what begins with i and j.
        var best = [Int32](repeating: 0, count: (left.count + 1) * width)
        for i in left.indices.reversed() {
            for j in right.indices.reversed() {
                let kinship = left[i].kinship(right[j])
                let both = kinship > 0 ? kinship + best[(i + 1) * width + j + 1] : 0
                best[i * width + j] = max(both, best[(i + 1) * width + j], best[i * width + j + 1])
            }
        }
        var pairs: [(expected: Int?, seen: Int?)] = []
        var (i, j) = (0, 0)
        while i < left.count, j < right.count {
            let kinship = left[i].kinship(right[j])
            if kinship > 0, best[i * width + j] == kinship + best[(i + 1) * width + j + 1] {
                pairs.append((i, j))
                (i, j) = (i + 1, j + 1)
            } else if best[i * width + j] == best[(i + 1) * width + j] {
                pairs.append((i, nil))
                i += 1
            } else {
                pairs.append((nil, j))
                j += 1
            }
        }
        pairs += (i..<left.count).map { ($0, nil) }
        pairs += (j..<right.count).map { (nil, $0) }
        return pairs
    }

    /// Joins what is left of one kind on both sides: requests of an app's server run beside the browser's, and come in any order.
    private static func joined(
        _ pairs: [(expected: Int?, seen: Int?)],
        _ left: [Feature],
        _ right: [Feature]
    ) -> [(expected: Int?, seen: Int?)] {
        var pairs = pairs
        var taken: Set<Int> = []
        for place in pairs.indices {
            guard pairs[place].seen == nil, let i = pairs[place].expected, left[i].kind != .userInteraction
            else { continue }
            let partner = pairs.indices.filter { other in
                guard pairs[other].expected == nil, !taken.contains(other), let j = pairs[other].seen else {
                    return false
                }
                return left[i].kinship(right[j]) > 0
            }.max { first, second in
                let kinship = { (other: Int) in pairs[other].seen.map { left[i].kinship(right[$0]) } ?? 0 }
                return (kinship(first), second) < (kinship(second), first)
            }
            guard let partner else { continue }
            pairs[place].seen = pairs[partner].seen
            taken.insert(partner)
        }
        return pairs.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    }
}
