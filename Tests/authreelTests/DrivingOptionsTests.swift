import Testing

@testable import authreel

/// What the options of a login that is driven again are read as.
struct DrivingOptionsTests {
    /// What a hint says is typed as it stands there.
    @Test func hintOfASecretThatIsNotThereIsItsOption() throws {
        let named = #expect(throws: CommandFailure.self) {
            try Secret.read("file:/nowhere/secret", name: "password")
        }
        #expect(named?.status == .noInput && named?.hint?.hasSuffix(": --secret password=file:PATH") == true)
        let plain = #expect(throws: CommandFailure.self) {
            try Secret.kept("file:/nowhere/secret", option: "--proxy-auth")
        }
        #expect(plain?.hint?.hasSuffix(": --proxy-auth file:PATH") == true)
    }

    @Test(arguments: [
        ("password=env:PASSWORD", "password", "env:PASSWORD"),
        ("client_secret=file:secrets/a=b", "client_secret", "file:secrets/a=b"),
        ("otp=prompt", "otp", "prompt"), ("field=1=env:FIRST", "field=1", "env:FIRST"),
        ("field==prompt", "field=", "prompt"), ("a=env:B=env:C", "a", "env:B=env:C"),
        // No source: the error says what one is.
        ("password=hunter2", "password", "hunter2"), ("password=prompted", "password", "prompted"),
    ])
    func nameOfASecretEndsWhereItsSourceBegins(text: String, name: String, source: String) throws {
        let read = try DrivingOptions.secret(text)
        #expect(read.name == name && read.source == source)
    }

    @Test(arguments: ["password", "=env:PASSWORD", ""]) func secretWithoutANameIsRefused(text: String) {
        #expect(throws: CommandFailure.self) { try DrivingOptions.secret(text) }
    }
}
