/// Calls whose answers are told later, and say whose they are by their URL alone: the first one's is told first.
struct UnansweredCalls {
    /// Places among the calls.
    private var places: [String: ArraySlice<Int>] = [:]

    mutating func append(_ place: Int, of url: String) { places[url, default: []].append(place) }

    /// That of the call that waits longest; nil where none does.
    mutating func popFirst(of url: String) -> Int? { places[url]?.popFirst() }
}
