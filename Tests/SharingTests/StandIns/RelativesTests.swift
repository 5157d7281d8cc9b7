import Testing

@testable import Sharing

/// What a value was before it was changed on its way.
struct RelativesTests {
    /// One of the two is written by way of the other: of both at once neither would fit the other.
    @Test(arguments: ["a%2Fb%3D%3DspigvJWyRkI", "a%252Fb%253D%253DspigvJWyRkI"])
    func anEncodingOfTheTextIsNoRelative(encoded: String) {
        #expect(Relatives([encoded]).nearest(to: Array("a/b==spigvJWyRkI".utf8)) == nil)
    }

    @Test func aCharacterThatChangedIsFound() {
        let other = Relatives(["a%2Fb%3D%3DspigvJWyRkI"]).nearest(to: Array("a%2Fb%3D%3DspigvJWyRkX".utf8))
        #expect(other?.prefix == 21 && other?.suffix == 0)
    }
}
