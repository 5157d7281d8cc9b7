import Testing

@testable import Sharing

/// Names in a browser's storage with an account in them.
struct StoredAccountsTests {
    private static let client = "CognitoIdentityServiceProvider.3jh7abc"

    @Test(arguments: [
        (".zorblatt.idToken", "zorblatt"), (".zor.blatt.userData=x; a=b", "zor.blatt"),
        (".LastAuthUser", nil), (".user.idToken", nil), (".zor%40x.example.idToken", nil), (".", nil),
    ])
    func accountStandsBehindTheClient(rest: String, account: String?) {
        let keys = StoredAccounts.keys(in: Array("x=1; \(Self.client)\(rest)".utf8))
        #expect(keys.map(\.account) == [account])
    }

    @Test func otherNamesHaveNone() {
        #expect(StoredAccounts.keys(in: Array("amplify-signin-with-hostedUI, \(Self.client)".utf8)).isEmpty)
    }
}
