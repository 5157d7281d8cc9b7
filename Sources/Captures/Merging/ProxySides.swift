/// Finds what one capture has of an exchange from several sides of the proxies that it passed.
///
/// What is made for one request shows which servers stand behind which; between those, exchanges that hold nothing of that kind
/// are known by place and time.
struct ProxySides: Sendable {
    /// A server, and one that it hands requests on to; both by their ``server(of:)``.
    private struct Way: Hashable {
        var front: Int
        var back: Int
    }

    /// Entries that tell of an exchange on the other side of a proxy, with the entry that tells of it nearer to the client.
    private(set) var outer: [Int: Int] = [:]
    private var ways: Set<Way> = []
    private let capture: Capture
    private let spans: [ClockSpan?]
    /// By entry.
    private let servers: [Int]

    /// A file may have seen both sides of some proxies, not of a whole chain of them.
    static let mostSides = 4
    /// One clock, but packets of two interfaces, in nanoseconds.
    private static let tolerance: Int64 = 1_000_000

    /// `spans`, `servers`: by entry.
    init(_ capture: Capture, spans: [ClockSpan?], servers: [Int]) {
        self.capture = capture
        self.spans = spans
        self.servers = servers
    }

    /// The server that an exchange went to: its address, its name where that is not known.
    ///
    /// By way of a proxy that the client was told of it is not, and the server behind it is another one of the same name.
    /// Hashed, so that it is of use within this process only.
    static func server(of exchange: Exchange) -> Int {
        let address = exchange.connection.serverAddress
        return [address, address == nil ? exchange.request.url.hostAndPort : nil].hashValue
    }

    /// Whether exchanges went to several servers, or came from several machines: all others are each their own.
    static func mayBe(in capture: Capture) -> Bool {
        guard let first = capture.indices.first.map({ capture[$0] }) else { return false }
        return capture.indices.contains { index in
            let other = capture[index]
            return other.request.url.hostAndPort != first.request.url.hostAndPort
                || other.connection.serverAddress != first.connection.serverAddress
                || clientHost(other) != clientHost(first)
        }
    }

    // MARK: - By what was made for them

    /// Joins entries that have in common what is made for one exchange, unless they are several exchanges.
    ///
    /// On each side it goes to another server, or comes from another machine, and takes no longer than on the side before.
    ///
    /// - Returns: the entry on the client's side; nil where they are several.
    mutating func join(_ entries: [Int]) -> Int? {
        guard entries.count <= Self.mostSides else { return nil }
        let sorted = entries.filter { spans[$0] != nil }.sorted { isFurtherOut($0, $1) }
        guard sorted.count == entries.count else { return nil }
        let pairs = Array(zip(sorted, sorted.dropFirst()))
        guard pairs.allSatisfy({ isInside($0.1, $0.0) && isElsewhere($0.0, $0.1) }),
            pairs.allSatisfy({ compare($0.0, $0.1, .strong) })
        else { return nil }
        for (front, back) in pairs {
            outer[back] = front
            ways.insert(Way(front: servers[front], back: servers[back]))
        }
        return sorted.first
    }

    // MARK: - By place and time

    /// Joins what is left of the exchanges between servers of which one is known to stand behind the other, where place and time
    /// leave one way to do it.
    ///
    /// `keys`: of method, end of the path and query, by entry.
    mutating func joinNeighbours(_ keys: [Int]) {
        guard !ways.isEmpty else { return }
        let fronts = Set(ways.map(\.front))
        let backs = Set(ways.map(\.back))
        let taken = Set(outer.values)
        var groups: [Int: NeighbourGroup] = [:]
        for (entry, key) in keys.enumerated() {
            guard let span = spans[entry], span.isLengthKnown else { continue }
            if fronts.contains(servers[entry]), !taken.contains(entry) {
                groups[key, default: NeighbourGroup()].a.append((entry, span))
            }
            if backs.contains(servers[entry]), outer[entry] == nil {
                groups[key, default: NeighbourGroup()].b.append((entry, span))
            }
        }
        for group in groups.values where !group.a.isEmpty && !group.b.isEmpty {
            let found = group.pairs(within: Self.tolerance) { front, back in
                front != back && outer[front] != back && isInside(back, front)
                    && ways.contains(Way(front: servers[front], back: servers[back]))
                    && (servers[front] != servers[back]
                        || (isFurtherOut(front, back) && Self.isTranslated(capture[front], capture[back])))
                    && compare(front, back, .weak)
            }.found
            for pair in found { outer[pair.b] = pair.a }
        }
    }

    // MARK: - Two entries

    private func isInside(_ inner: Int, _ outer: Int) -> Bool {
        guard let inner = spans[inner], let outer = spans[outer] else { return false }
        return inner.isLengthKnown && outer.isLengthKnown && inner.excess(over: outer) <= Self.tolerance
    }

    /// Which of two that took place within each other, as far as clocks can tell, is taken for the one on the client's side.
    private func isFurtherOut(_ front: Int, _ back: Int) -> Bool {
        guard let left = spans[front], let right = spans[back] else { return false }
        return (left.start, -left.length, front) < (right.start, -right.length, back)
    }

    /// Whether two go to different servers, or are one that went through a translation of the client's address.
    private func isElsewhere(_ front: Int, _ back: Int) -> Bool {
        let (left, right) = (capture[front], capture[back])
        return left.request.url.hostAndPort != right.request.url.hostAndPort
            || servers[front] != servers[back] || Self.isTranslated(left, right)
    }

    private func compare(_ front: Int, _ back: Int, _ tie: SightingComparison.Tie) -> Bool {
        SightingComparison(a: capture[front], b: capture[back], tie: tie).holds
    }

    /// Whether two are one that went through a translation of the client's address, as containers' do (NAT, RFC 3022): it
    /// changes nothing else.
    private static func isTranslated(_ left: Exchange, _ right: Exchange) -> Bool {
        guard let client = clientHost(left), let other = clientHost(right) else { return false }
        return client != other && left.request.headers == right.request.headers
            && left.response?.headers == right.response?.headers
    }

    private static func clientHost(_ exchange: Exchange) -> Substring? {
        guard let address = exchange.client.address, let colon = address.lastIndex(of: ":") else {
            return nil
        }
        return address[..<colon]
    }
}
