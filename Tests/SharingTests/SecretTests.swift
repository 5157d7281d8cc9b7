import Sharing
import Testing

struct SecretTests {
    @Test func kindsAreNamedOnce() {
        #expect(Set(Secret.Kind.allCases.map(\.rawValue)).count == Secret.Kind.allCases.count)
    }
}
