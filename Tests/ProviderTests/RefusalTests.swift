import Testing

@testable import Provider

struct RefusalTests {
    @Test func everyRefusalIsSaidInOneWay() {
        let said = Refusal.table.map(\.refusal.rawValue)
        #expect(said.sorted() == Refusal.allCases.map(\.rawValue).sorted())
    }
}
