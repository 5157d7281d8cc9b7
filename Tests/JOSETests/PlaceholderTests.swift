import JOSE
import Testing

struct PlaceholderTests {
    @Test(arguments: [
        "[state redacted]", "REDACTED", "<REDACTED_TOKEN>", "[Filtered]", "__REMOVED__", "***", "xxxxxxxx",
        "XXXX",
        "<code>", "{{code_verifier}}", "${CLIENT_SECRET}", "eyJhbGciOi...", "eyJhbGciOi…", "4/0AX4•••",
        "masked",
        "Bearer [redacted]", "redacted for privacy", "██",
    ])
    func marksAreRecognized(value: String) { #expect(Placeholder.isOne(value)) }

    @Test(arguments: [
        "", "x", "xx", "af0ifjsldkj", "urn:ietf:params:oauth:grant-type:device_code", "openid profile",
        #"{"userinfo":{"email":null}}"#, "[1,2]", "[\"a\"]", "https://shop.example/removed",
        "filtered-list-7",
        "https://redacted.example/cb", "The code has been removed",
        "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "{}",
        "[::1]", "[object Object]", "The code is not valid any more...", "<>", "a.b..c",
    ])
    func valuesAreNot(value: String) { #expect(!Placeholder.isOne(value)) }

    private static let head = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9"

    @Test(arguments: ["redacted", "[signature redacted]", "***", "REMOVED", "...", "<signature>"])
    func tokenWithoutItsSignatureIsReadAndNotVerified(signature: String) throws {
        let token = try #require(JSONWebToken.parse("\(Self.head).\(signature)"))
        #expect(token.subject == "alice" && token.isSignatureTakenOut && Placeholder.isTakenOut(token.text))
        #expect(token.verify(keys: []).outcome == .redacted)
    }

    /// An empty signature is what an attacker sends, and a wrong one is a wrong one.
    @Test(arguments: ["", "c2lnbmF0dXJl", "cmVkYWN0ZWQ"])
    func otherSignaturesStandForThemselves(signature: String) throws {
        let token = try #require(JSONWebToken.parse("\(Self.head).\(signature)"))
        #expect(!token.isSignatureTakenOut && token.verify(keys: []).outcome != .redacted)
    }
}
