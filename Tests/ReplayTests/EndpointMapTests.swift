import Captures
import JSON
import Replay
import Testing

/// Where URLs of the recording are in this run.
struct EndpointMapTests {
    private static func map(_ pairs: (String, String)...) -> EndpointMap {
        EndpointMap(pairs.map { EndpointMap.Entry(old: $0.0, new: $0.1) })
    }

    private static let script = "https://shop.example/index.php?route=oauth/"

    @Test(
        arguments: [
            ("token", "https://id.example/token"), ("token&x=1", "https://id.example/token?x=1"),
            ("authorize&state=s&x=%2F#f", "https://id.example/go?state=s&x=%2F#f"),
            ("OAuth", "https://shop.example/index.php?route=oauth/OAuth"),
        ]
    )
    func endpointsOfOnePathGoTheirOwnWays(asked: String, sent: String) {
        let map = Self.map(
            (Self.script + "token", "https://id.example/token"),
            (Self.script + "authorize", "https://id.example/go")
        )
        #expect(map.mapped(RecordedURL(Self.script + asked)).text == sent)
    }

    /// In any place and spelling, and once.
    @Test func queryOfAnEndpointIsSentOnce() {
        let map = Self.map(
            ("https://t.example/authorize", "http://127.0.0.1:80/authorize?p=B2C_1_in"),
            ("https://u.example/authorize?p=b2c_1_in", "http://127.0.0.1:80/authorize?p=B2C_1_up")
        )
        func sent(_ url: String) -> String { map.mapped(RecordedURL(url)).text }
        #expect(
            sent("https://t.example/authorize?state=s&p=B2C_1_in&x=1")
                == "http://127.0.0.1:80/authorize?p=B2C_1_in&state=s&x=1"
        )
        #expect(
            sent("https://u.example/authorize?state=s&p=B2C_1_in")
                == "http://127.0.0.1:80/authorize?p=B2C_1_up&state=s"
        )
        #expect(sent("https://t.example/authorize/x?p=1") == "http://127.0.0.1:80/authorize/x?p=1")
    }

    /// RFC 8705, section 5: whoever has a certificate asks at an address of its own, at the other provider as well.
    @Test func clientWithACertificateGoesToTheAddressForIt() {
        var map = EndpointMap()
        let (plain, mutual) = ("https://id.example/token", "https://mtls.id.example/token")
        map.add(
            RecordedEndpoints(
                byRole: ["token_endpoint": mutual],
                documented: ["token_endpoint": plain],
                aliases: ["token_endpoint": mutual],
                issuer: nil
            ),
            metadata: [
                "token_endpoint": "http://127.0.0.1:80/token",
                "mtls_endpoint_aliases": ["token_endpoint": "http://127.0.0.1:80/mtls.id.example/token"],
            ],
            at: "http://127.0.0.1:80/.well-known/openid-configuration"
        )
        #expect(map.mapped(RecordedURL(mutual)).text == "http://127.0.0.1:80/mtls.id.example/token")
    }

    /// A second policy at the same paths is where the first one is.
    @Test func otherQueriesGoWithTheirPath() {
        var map = EndpointMap()
        map.add(
            RecordedEndpoints(
                byRole: ["token_endpoint": "https://t.example/oauth2/token?p=in"],
                issuer: nil
            ),
            metadata: ["token_endpoint": "http://127.0.0.1:80/t/oauth2/token?p=in"],
            at: "http://127.0.0.1:80/t/.well-known/openid-configuration"
        )
        #expect(!map.isOtherProvider)
        #expect(
            map.mapped(RecordedURL("https://t.example/oauth2/token?p=edit")).text
                == "http://127.0.0.1:80/t/oauth2/token?p=edit"
        )
        let single = Self.map(("https://t.example/token?p=in", "https://id.example/swap"))
        #expect(
            single.mapped(RecordedURL("https://t.example/token?p=edit")).text
                == "https://id.example/swap?p=edit"
        )
    }

    /// WordPress has all of them at its home page.
    @Test func siteWithItsEndpointsAtTheHomePageIsTheSame() {
        var map = EndpointMap()
        map.add(
            RecordedEndpoints(byRole: ["token_endpoint": "https://blog.example/?oauth=token"], issuer: nil),
            metadata: ["token_endpoint": "http://127.0.0.1:80/?oauth=token"],
            at: "http://127.0.0.1:80/.well-known/openid-configuration"
        )
        #expect(!map.isOtherProvider)
        #expect(map.mapped(RecordedURL("https://blog.example/wp")).text == "http://127.0.0.1:80/wp")
    }
}
