import Flows
import Testing

struct ShutOutTests {
    @Test(arguments: [
        "Account Inactive", "Sign Up Closed", "Your account has been locked | Harbour",
        "Account not activated",
        "User account disabled", "Konto gesperrt", "Your account is pending approval",
    ])
    func accountThatMayNotBeUsed(heading: String) { #expect(ShutOut.isOne(heading)) }

    @Test(arguments: [
        "Two-factor authentication is not enabled for your account", "Closed account 123",
        "Blocked user list",
        "Savings account: blocked amount", "Your account is no longer locked", "Your account is not locked",
        "Konto gesperrt? Hilfe", "User account | Closed beta", "Account", "Registration closed",
    ])
    func whatIsSaidOfAccountsOtherwise(heading: String) { #expect(!ShutOut.isOne(heading)) }
}
