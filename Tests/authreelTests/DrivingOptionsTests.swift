import Testing

@testable import authreel

/// What the options of a login that is driven again are read as.
struct DrivingOptionsTests {
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
