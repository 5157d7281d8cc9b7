import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

/// What Cognito tells an app that the identity provider behind it answered.
struct BrokeredErrorTests {
    private func finding(_ words: String) throws -> Finding {
        let recording = try Recording("authorization-response/authorization-error")
            .redirecting(with: [("error_description", words)])
        #expect(recording.findings.filter { $0.severity == .error }.map(\.rule) == ["authorization-error"])
        return try #require(recording.finding("authorization-error"))
    }

    @Test(
        arguments: [
            ("google Error - 400 invalid_client The OAuth client was not found.", "client id and secret"),
            ("SignInWithApple Error - 400 invalid_client null", "for Apple"),
            ("Google Error - 400 - redirect_uri_mismatch Bad Request", "/oauth2/idpresponse"),
            ("Corporate Error - 400 invalid_grant null", "Mend it between the two"),
        ]
    ) func isToldAsTheProvidersOwnAffair(words: String, fix: String) throws {
        let finding = try finding(words)
        #expect(finding.title == "The identity provider behind the provider refused it")
        #expect(finding.fix.contains(fix))
    }

    @Test(arguments: [
        "The parameter is an error - 400 characters are allowed", "Error - 400", "Error",
        "Corporate Error - bad invalid_grant null", "Corporate Error - 4x0 invalid_grant null",
    ])
    func leavesOtherWordsAlone(words: String) throws {
        #expect(try finding(words).title != "The identity provider behind the provider refused it")
    }

    /// Said of the app itself.
    @Test func aClientThatIsNotKnownIsStillTold() throws {
        let recording = try Recording("authorization-response/authorization-error")
            .redirecting(with: [("error_description", "The OAuth client was not found.")])
        #expect(recording.finding("client-id-unknown") != nil)
    }
}
