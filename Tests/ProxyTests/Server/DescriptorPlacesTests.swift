import Testing

@testable import Proxy

/// Where the next socket of a client is looked for.
struct DescriptorPlacesTests {
    private func place(_ descriptor: Int, of processID: Int32 = 7) -> DescriptorPlaces.Place {
        .init(processID: processID, descriptor: descriptor)
    }

    @Test func nothingIsLikelyAtFirst() { #expect(DescriptorPlaces().likely.isEmpty) }

    @Test func theLowestPlaceThatHasBecomeFreeComesFirst() {
        var places = DescriptorPlaces()
        let findings = (5...9).map { places.found(at: place($0)) }
        places.left(findings[3])
        places.left(findings[1])
        #expect(Array(places.likely.prefix(2)) == [place(6), place(8)])
        // Then a client that closes nothing, then what we may not have heard of yet.
        #expect(places.likely.dropFirst(2).map(\.descriptor) == [10, 11, 12, 13, 9, 7, 5])
    }

    @Test func aPlaceThatIsTakenAgainIsNotFreedByTheFirst() {
        var places = DescriptorPlaces()
        let first = places.found(at: place(5))
        let second = places.found(at: place(5))
        places.left(first)
        #expect(places.likely.first == place(6))
        places.left(second)
        #expect(places.likely.first == place(5))
    }

    @Test func onlySoManyAreRemembered() {
        var places = DescriptorPlaces()
        var findings = (0..<100).map { places.found(at: place($0, of: Int32($0 / 50))) }
        #expect(places.likely.count == DescriptorPlaces.capacity + DescriptorPlaces.vicinity)
        #expect(places.processIDs == [1])
        // Whose place is forgotten can go all the same.
        places.left(findings.removeFirst())
        _ = places.found(at: place(3, of: 2))
        #expect(places.processIDs == [2, 1])
        #expect(places.likely.first == place(4, of: 2))
    }
}
