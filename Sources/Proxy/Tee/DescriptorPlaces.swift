/// Where the sockets of clients were found among their descriptors, so that the next one is found with few looks.
///
/// A system gives a new socket the lowest free number (POSIX.1, `socket`): a client that closes and opens connections
/// has the next one where one has just been closed.
struct DescriptorPlaces {
    /// One descriptor of a process.
    struct Place: Hashable, Sendable {
        var processID: Int32
        var descriptor: Int
    }

    /// That a connection was found at a place; handed back when it is over.
    struct Finding: Hashable, Sendable {
        var place: Place
        fileprivate var number: Int
    }

    private struct Known {
        var finding: Finding
        var isOver = false
    }

    /// How many places a look at them is worth.
    static let capacity = 16
    /// How far behind the last place the next one is looked for: a client that opens connections and closes none.
    static let vicinity = 4

    /// The most recent first.
    private var known: [Known] = []
    private var last = 0

    /// Notes that a connection is at a place.
    mutating func found(at place: Place) -> Finding {
        last += 1
        let finding = Finding(place: place, number: last)
        known.removeAll { $0.finding.place == place }
        known.insert(Known(finding: finding), at: 0)
        if known.count > Self.capacity { known.removeLast() }
        return finding
    }

    /// Notes that the connection is over.
    mutating func left(_ finding: Finding) {
        // Another one may have been found there since.
        guard let index = known.firstIndex(where: { $0.finding == finding }) else { return }
        known[index].isOver = true
    }

    /// The places to look at: first those whose connection is over, the lowest number first; then those behind the last
    /// one; then those where we have not heard of an end yet.
    var likely: [Place] {
        guard let newest = known.first?.finding.place else { return [] }
        let free = known.filter(\.isOver).map(\.finding.place).sorted { $0.descriptor < $1.descriptor }
        let next = (1...Self.vicinity).map {
            Place(processID: newest.processID, descriptor: newest.descriptor + $0)
        }
        return free + next + known.filter { !$0.isOver }.map(\.finding.place)
    }

    /// The processes, the most recent first.
    var processIDs: [Int32] {
        var found: [Int32] = []
        for place in known.map(\.finding.place) where !found.contains(place.processID) {
            found.append(place.processID)
        }
        return found
    }
}
