import Testing

@testable import Provider

/// Which nonces a DPoP proof may have (RFC 9449, section 8).
struct ProofNoncesTests {
    @Test func nonceIsTakenThatWasGivenAndMoreThanOnce() {
        var nonces = ProofNonces()
        #expect(!nonces.accepts("n1") && !nonces.accepts(nil))
        nonces.give("n1")
        nonces.give("n2")
        #expect(nonces.accepts("n1") && nonces.accepts("n1") && nonces.accepts("n2"))
        #expect(!nonces.accepts("n3") && !nonces.accepts(nil))
    }
}
