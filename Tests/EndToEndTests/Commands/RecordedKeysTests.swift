import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// `jwt --jwks` with a capture in place of a key set.
struct RecordedKeysTests {
    private let folder: TemporaryFolder
    /// Of the issuer `joe`, with no key named in it.
    private let token: String
    /// The key that signed it.
    private let key: JSONValue

    init() throws {
        folder = try TemporaryFolder()
        let vector = try Vectors.named("rfc7515-a.3")
        token = try #require(vector["token"]?.string)
        key = try #require(vector["key"])
    }

    /// What `jwt`, or `jwt verify`, says of the token by the keys in `login.har`.
    private func judged(_ isVerify: Bool) throws -> Program.Result {
        defer { folder.remove() }
        try Data("\(token)\n".utf8).write(to: URL(filePath: folder.file("token.txt")))
        return try Program.run(
            (isVerify ? ["jwt", "verify"] : ["jwt"])
                + ["--jwks", "login.har", "--at", "2011-03-01T00:00:00Z", "token.txt"],
            in: folder.path
        )
    }

    /// Writes `login.har`, in which a client reads the metadata of issuers, each at a host of its own, and keys where there are any.
    private func record(_ sets: [(issuer: String, key: JSONValue?)]) throws {
        var capture = CaptureBuilder()
        for (number, set) in sets.enumerated() {
            let host = "https://id-\(number).example"
            let metadata: JSONValue = [
                "issuer": .string(set.issuer), "jwks_uri": .string("\(host)/keys"),
                "authorization_endpoint": .string("\(host)/authorize"),
                "token_endpoint": .string("\(host)/token"),
            ]
            capture.get(
                "\(host)/.well-known/openid-configuration",
                body: .json(JSONWriter.text(of: metadata))
            )
            guard let key = set.key else { continue }
            capture.get("\(host)/keys", body: .json(JSONWriter.text(of: ["keys": [key]])))
        }
        try CaptureWriter(path: folder.file("login.har"), version: "test").append(capture.exchanges)
    }

    @Test(arguments: [false, true])
    func signatureIsVerifiedByTheKeysInACapture(isVerify: Bool) throws {
        try record([("joe", key)])
        let result = try judged(isVerify)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains(isVerify ? "valid\n" : "✓ signature"))
    }

    /// What another issuer signed is not this one's, whose keys are there.
    @Test(arguments: [false, true])
    func keysOfAnotherIssuerVerifyNothing(isVerify: Bool) throws {
        let other = try #require(try Vectors.named("rfc7638-3.1")["key"])
        try record([("joe", other), ("jane", key)])
        let result = try judged(isVerify)
        #expect(
            result.output.contains(isVerify ? "invalid: key: " : "signature  not verified"),
            "\(result.output)"
        )
    }

    /// They are not, either, where its own were not fetched.
    @Test(arguments: [false, true])
    func keysOfAnotherIssuerAreNoneOfOneWithoutKeys(isVerify: Bool) throws {
        try record([("joe", nil), ("jane", key)])
        let result = try judged(isVerify)
        #expect(
            result.output.contains(isVerify ? "invalid: signature: unknown key" : "signature  not verified"),
            "\(result.output)"
        )
    }

    @Test func captureWithoutKeysIsToldFromWhatIsNone() throws {
        var capture = CaptureBuilder()
        capture.get("https://app.example/")
        try CaptureWriter(path: folder.file("login.har"), version: "test").append(capture.exchanges)
        let result = try judged(false)
        #expect(result.status == 65 && result.output.isEmpty, "\(result.output)")
        #expect(
            result.errors.contains("login.har: there is no key set in this capture")
                && result.errors.contains("curl -o keys.json"),
            "\(result.errors)"
        )
    }
}
