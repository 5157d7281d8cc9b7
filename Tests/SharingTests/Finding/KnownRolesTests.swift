import Testing

@testable import Sharing

struct KnownRolesTests {
    /// Spanish for password, with the tilde in its letter and behind it: Unicode calls them equal.
    @Test func namesAreToldApartByTheirBytes() {
        var roles = KnownRoles()
        _ = roles.role(of: "contrasen\u{303}a", in: .text)
        guard case .secret(.password) = roles.role(of: "contrase\u{f1}a", in: .text) else {
            Issue.record("the name says no password")
            return
        }
    }
}
