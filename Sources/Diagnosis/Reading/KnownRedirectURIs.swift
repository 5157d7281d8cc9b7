import Captures
import Flows
import JSON
import OAuth

/// The redirect URIs of a capture's clients, each where it stands first: in registrations, then in requests.
struct KnownRedirectURIs: Sendable {
    private let byClient: [String?: RedirectURIsInOrder]

    init(in index: CaptureIndex) {
        var found: [String?: [RedirectURIsInOrder.Known]] = [:]
        for call in index.registrations {
            for uri in (call.answer.json?["redirect_uris"]?.array ?? []).compactMap(\.string) {
                found[call.answer.parameters["client_id"], default: []].append(
                    (uri, call.answer.place("redirect_uris"))
                )
            }
        }
        for request in index.authorizationRequests {
            guard let parameter = request.parameters.parameter("redirect_uri") else { continue }
            found[request.clientID, default: []].append((parameter.value, parameter.place))
        }
        byClient = found.mapValues { RedirectURIsInOrder($0) }
    }

    /// The other redirect URI of a client that has most in common with one from the start on, the first of several; nil where it
    /// has no other.
    func nearest(to uri: String, of client: String?) -> RedirectURIsInOrder.Known? {
        byClient[client]?.nearest(to: uri)
    }
}

/// A client's redirect URIs by their bytes: most in common with one has what stands next to it.
struct RedirectURIsInOrder: Sendable {
    typealias Known = (uri: String, place: Place)

    /// In the order of the capture, each once.
    private let known: [Known]
    private let bytes: [[UInt8]]
    /// Indices of `known`, by bytes.
    private let sorted: [Int]
    /// Places in `sorted`.
    private let places: [String: Int]
    /// The least of 1, 2, 4, 8 … indices in `sorted` from each place on.
    private let least: [[Int]]

    /// - Parameter found: in the order of the capture.
    init(_ found: [Known]) {
        var seen: Set<String> = []
        let known = found.filter { seen.insert($0.uri).inserted }
        let bytes = known.map { Array($0.uri.utf8) }
        let sorted = known.indices.sorted { bytes[$0].lexicographicallyPrecedes(bytes[$1]) }
        var least = [sorted]
        var width = 1
        while width * 2 <= sorted.count, let narrow = least.last {
            least.append((0...(sorted.count - width * 2)).map { min(narrow[$0], narrow[$0 + width]) })
            width *= 2
        }
        self.known = known
        self.bytes = bytes
        self.sorted = sorted
        self.least = least
        places = Dictionary(sorted.enumerated().map { (known[$1].uri, $0) }) { first, _ in first }
    }

    /// The one that has most in common with a URI from the start on, that URI aside; of several the first of the capture.
    func nearest(to uri: String) -> Known? {
        let sought = Array(uri.utf8)
        let own = places[uri]
        let behind = sorted.partitionPoint { !bytes[$0].lexicographicallyPrecedes(sought) }
        let above = behind == own ? behind + 1 : behind
        let below = behind - 1 == own ? behind - 2 : behind - 1
        let neighbours = [below, above].filter(sorted.indices.contains)
        guard let length = neighbours.map({ common(bytes[sorted[$0]], sought) }).max() else { return nil }
        // All others that begin as it does stand together.
        let start = sought.prefix(length)
        let low = sorted.partitionPoint { !bytes[$0].lexicographicallyPrecedes(start) }
        let high = sorted.partitionPoint { start.lexicographicallyPrecedes(bytes[$0].prefix(length)) }
        let parts = own.flatMap { low <= $0 && $0 < high ? [low..<$0, $0 + 1..<high] : nil } ?? [low..<high]
        return parts.compactMap(first).min().map { known[$0] }
    }

    /// The least index at some places of `sorted`; nil where there are none.
    private func first(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        let step = Int.bitWidth - 1 - range.count.leadingZeroBitCount
        return min(least[step][range.lowerBound], least[step][range.upperBound - (1 << step)])
    }

    private func common(_ left: [UInt8], _ right: [UInt8]) -> Int {
        zip(left, right).prefix { $0 == $1 }.count
    }
}
