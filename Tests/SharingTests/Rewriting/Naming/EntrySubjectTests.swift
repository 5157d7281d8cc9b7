import JSON
import Testing

@testable import Sharing

struct EntrySubjectTests {
    /// A route of WordPress ends with its parameter.
    @Test(arguments: [
        ("https://id.example/scim/v2/Bulk", true), ("https://id.example/scimitar/v2/Bulk", false),
        ("https://blog.example/?rest_route=/wp/v2/users/me&x=1", true),
        ("https://blog.example/?rest_route=%2Fwp%2Fv2%2Fusers%2Fme#/orders/7", true),
        ("https://blog.example/?rest_route=/wp/v2/posts&u=/users/me", false),
        ("https://id.example/me?page=/orders", true), ("https://id.example/orders?page=/me", false),
    ])
    func addressTellsWhomAnAnswerIsAbout(url: String, isSomebody: Bool) {
        #expect(EntrySubject.isAboutSomebody(["request": ["url": .string(url)]]) == isSomebody)
    }

    /// PingFederate has `par.oauth2` (RFC 9126, section 2).
    @Test(arguments: [
        ("POST", "https://id.example/as/par.oauth2", true), ("POST", "https://id.example/as/par?x=1", true),
        ("POST", "https://id.example/parcels", false), ("GET", "https://id.example/as/par.oauth2", false),
    ])
    func clientSaysWhoItIsWhereRequestsArePushed(method: String, url: String, isClient: Bool) {
        let entry: JSONValue = ["request": ["method": .string(method), "url": .string(url)]]
        #expect(EntrySubject.authenticatesClient(entry) == isClient)
    }
}
