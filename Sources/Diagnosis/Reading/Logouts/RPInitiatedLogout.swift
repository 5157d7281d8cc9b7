/// Addresses of the logout specifications.
enum RPInitiatedLogout {
    static let url = "https://openid.net/specs/openid-connect-rpinitiated-1_0.html"
    static let section2 = SpecificationReference(
        text: "OpenID Connect RP-Initiated Logout §2",
        url: url + "#RPLogout"
    )
    static let section3 = SpecificationReference(
        text: "OpenID Connect RP-Initiated Logout §3",
        url: url + "#RedirectionAfterLogout"
    )
    static let section4 = SpecificationReference(
        text: "OpenID Connect RP-Initiated Logout §4",
        url: url + "#ValidationAndErrorHandling"
    )
}
