import Captures
import Testing

struct EachOnceTests {
    @Test func elementStandsWhereItIsMetFirst() {
        #expect(["b", "a", "b", "c", "a"].eachOnce() == ["b", "a", "c"])
        #expect([Int]().eachOnce().isEmpty)
    }

    @Test func firstOfEachKeyIsKept() {
        #expect(["code", "state", "client_id", "scope"].eachOnce(by: \.first) == ["code", "state"])
    }
}
