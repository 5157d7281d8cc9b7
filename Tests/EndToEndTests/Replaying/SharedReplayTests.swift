import Foundation
import JSON
import LibCrypto
import TestSupport
import Testing

/// A shared capture plays its provider, and is driven again: with the secrets where the real ones are wanted, with its
/// stand-ins where it plays itself.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedReplayTests {
    /// A capture whose login works, and what its sharing took out that a replay has to be given.
    struct Login: Sendable, CustomTestStringConvertible {
        var path: String
        var needs: [String]

        var testDescription: String { path }
    }

    private static let signIn = ["username", "password"]
    private static let logins = [
        Login(path: "healthy/web-code-flow", needs: signIn + ["client_secret"]),
        Login(path: "healthy/native-app", needs: signIn),
        Login(path: "healthy/refresh", needs: signIn + ["client_secret"]),
        Login(path: "healthy/logout", needs: signIn + ["client_secret"]),
        Login(path: "providers/appauth-ios", needs: signIn),
        Login(path: "providers/curity", needs: signIn),
        Login(path: "providers/forgerock", needs: signIn),
        Login(path: "providers/google", needs: signIn),
        Login(path: "providers/wso2", needs: signIn),
        // No capture holds the key that its client signs with.
        Login(path: "providers/singpass", needs: signIn + ["client_key"]),
        Login(path: "providers/myinfo", needs: signIn + ["client_key"]),
    ]

    /// What the recorded person and the client know.
    private static let known = [
        "LOGIN_NAME": "alice", "PASSWORD": "not-a-password", "CLIENT_SECRET": "not-a-secret-of-anyone",
    ]
    private static func option(_ need: String, _ key: String) -> [String] {
        switch need {
        case "client_key": ["--secret", "client_key=file:\(key)"]
        case "username": ["--secret", "username=env:LOGIN_NAME"]
        default: ["--secret", "\(need)=env:\(need.uppercased())"]
        }
    }

    /// The headline of the first replay; what was said where there is none.
    private static func replay(_ capture: String, _ issuer: String, _ options: [String]) throws -> String {
        let result = try Program.run(
            ["replay", "--against", issuer, "--format", "json"] + options + [capture],
            environment: known
        )
        let replays = try? JSONParser.parse(result.output.utf8)["replays"]?.array
        return replays?.first?["headline"]?.string ?? "\(result.status): \(result.errors)"
    }

    @Test(arguments: logins)
    func sharedLoginIsDrivenAndPlayedLikeItsOriginal(login: Login) throws {
        let original = Fixtures.root.appending(path: "captures/\(login.path).har").path
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let shared = folder.file("shared.har")
        let sharing = try Program.run(["share", original, "--out", shared])
        try #require(sharing.status == 0, "\(sharing.errors)")
        let key = folder.file("key.pem")
        try Data(PrivateKey.generate(.rsa(bits: 2048)).pem.utf8).write(to: URL(filePath: key))

        let provider = try MockedProvider([original])
        defer { provider.end() }
        // Nothing is sent that would only be refused.
        let bare = try Program.run(["replay", "--against", provider.issuer, shared])
        #expect(
            bare.status == 64 && login.needs.allSatisfy { bare.errors.contains("--secret \($0)=") },
            "\(bare.errors)"
        )

        let ownKey = login.needs.contains("client_key") ? Self.option("client_key", key) : []
        let expected = try Self.replay(original, provider.issuer, ownKey)
        let secrets = login.needs.flatMap { Self.option($0, key) }
        #expect(try Self.replay(shared, provider.issuer, secrets) == expected)

        let played = try MockedProvider([shared])
        defer { played.end() }
        #expect(try Self.replay(shared, played.issuer, ["--stand-ins"] + ownKey) == expected)
        if ownKey.isEmpty { #expect(expected == "the same") }
    }

    /// The stand-in of a password opens nothing.
    @Test func standInsAreRefusedByTheProvider() throws {
        let original = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let shared = folder.file("shared.har")
        try #require(Program.run(["share", original, "--out", shared]).status == 0)
        let provider = try MockedProvider([original])
        defer { provider.end() }
        let headline = try Self.replay(shared, provider.issuer, ["--stand-ins"])
        #expect(headline.hasPrefix("first difference: user_interaction"))
    }

    /// What is kept needs not be given.
    @Test func keptNamesAreSentAsTheyStand() throws {
        let original = Fixtures.root.appending(path: "captures/healthy/native-app.har").path
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let shared = folder.file("shared.har")
        try #require(
            Program.run(["share", original, "--out", shared, "--keep-personal", "--keep", "password"]).status
                == 0
        )
        let plan = try Program.run(["replay", "--dry-run", shared])
        #expect(plan.status == 0, "\(plan.errors)")
    }
}
