import Captures
import Testing

@testable import Proxy

/// The URL of a proxy on the way, and its credentials.
struct UpstreamProxyTests {
    static let urls: [(text: String, description: String, user: String?, password: String?)] = [
        ("http://proxy.example:3128", "http://proxy.example:3128", nil, nil),
        ("HTTP://Proxy.Example/", "http://proxy.example:80", nil, nil),
        ("https://proxy.example", "https://proxy.example:443", nil, nil),
        ("socks5://127.0.0.1", "socks5://127.0.0.1:1080", nil, nil),
        ("socks5h://[::1]:1081", "socks5h://[::1]:1081", nil, nil),
        ("http://alice:s3cret@proxy.example:1", "http://proxy.example:1", "alice", "s3cret"),
        ("http://alice@proxy.example:1", "http://proxy.example:1", "alice", ""),
        ("http://a%40b:p%3Aw%25%C3%A9%2F@proxy.example:1", "http://proxy.example:1", "a@b", "p:w%é/"),
        ("http://alice:p@ss:word@[2001:db8::1]:8080", "http://[2001:db8::1]:8080", "alice", "p@ss:word"),
    ]

    @Test(arguments: urls.indices)
    func urlIsTakenApart(_ index: Int) throws {
        let row = Self.urls[index]
        let proxy = try UpstreamProxy(row.text)
        #expect(proxy.description == row.description)
        #expect(proxy.credentials?.user == row.user)
        #expect(proxy.credentials?.password == row.password)
    }

    @Test func requestForTheServerItselfHasNoPath() throws {
        let origin = try #require(Origin(authority: "idp.example", defaultPort: 80))
        for target in ["http://idp.example", "http://idp.example/", "http://idp.example/*"] {
            let head = Array("OPTIONS \(target) HTTP/1.1\r\nHost: idp.example\r\n\r\n".utf8)
            let rewritten = try ProxyRequest.parse(head).rewritten
            let again = RetargetingHandler.retarget(rewritten, to: origin, credentials: nil)
            #expect(String(decoding: again, as: UTF8.self) == String(decoding: head, as: UTF8.self))
        }
    }

    static let refused: [(text: String, error: UpstreamProxyError)] = [
        ("proxy.example:3128", .noScheme), ("alice:s3cret@proxy.example", .noScheme), ("", .noScheme),
        ("ftp://s3cret@proxy.example", .unknownScheme("ftp")), ("socks4://x", .unknownScheme("socks4")),
        ("s3 cret://x", .unknownScheme("this")), ("http://", .notAnAddress), ("http://a:0", .notAnAddress),
        ("http://a:65536", .notAnAddress), ("http://[::1", .notAnAddress), ("http://a b", .notAnAddress),
        ("http://alice:s3cret@", .notAnAddress), ("http://alice:s3/cret@proxy.example", .pathInURL),
        ("http://proxy.example/path", .pathInURL), ("http://proxy.example?s3cret", .pathInURL),
        ("http://alice:s3cret%4@proxy.example", .badCredentials), ("http://%zz:s3cret@x", .badCredentials),
        ("http://%+1:s3cret@x", .badCredentials), ("http://:s3cret@x", .badCredentials),
        ("http://a%3Ab:s3cret@x", .badCredentials), ("http://alice:s3cret%0D%0AX:y@x", .badCredentials),
        ("http://alice:%FF@x", .badCredentials),
        ("socks5://\(String(repeating: "u", count: 256)):s3cret@x", .credentialsTooLong),
    ]

    @Test(arguments: refused.indices)
    func whatIsNoneIsNamedAndNotRepeated(_ index: Int) throws {
        let row = Self.refused[index]
        #expect(throws: row.error) { try UpstreamProxy(row.text) }
        #expect(!row.error.description.contains("cret"))
    }

    @Test func longPasswordIsForHTTPOnly() throws {
        let long = try #require(BasicCredentials(user: "a", password: String(repeating: "p", count: 256)))
        var http = try UpstreamProxy("http://x:1")
        try http.setCredentials(long)
        #expect(http.credentials == long)
        var socks = try UpstreamProxy("socks5h://x:1")
        #expect(throws: UpstreamProxyError.credentialsTooLong) { try socks.setCredentials(long) }
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST.", true), ("app.localhost", true), ("127.0.0.1", true),
        ("127.1", true),
        ("2130706433", true), ("0x7f.1", true), ("017700000001", true), ("::1", true),
        ("::ffff:127.9.0.1", true),
        ("0.0.0.0", true), ("::", true), ("intern.example", true), ("a.corp.example", true),
        ("corp.example", true),
        ("10.1.2.3", true), ("2001:db8::5", true), ("idp.example", false), ("notcorp.example", false),
        ("10.1.2.4", false), ("localhost.example", false), ("127.0.0.1.example", false),
    ])
    func someHostsAreReachedWithoutIt(_ row: (host: String, isDirect: Bool)) throws {
        var proxy = try UpstreamProxy("http://proxy.example:3128")
        proxy.directHosts = ["intern.example", "*.corp.example", "10.1.2.3", "2001:db8::5"].map(
            HostPattern.init
        )
        #expect(proxy.isPassedBy(row.host) == row.isDirect, "\(row.host)")
    }

    // MARK: Credentials

    @Test func credentialsAreAcceptedAsTheyAreSent() throws {
        let credentials = try #require(BasicCredentials("Aladdin:open sesame"))
        // RFC 7617, section 2.
        #expect(credentials.fieldValue == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(credentials.accept("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==".utf8))
        #expect(credentials.accept("bASIC   QWxhZGRpbjpvcGVuIHNlc2FtZQ".utf8))
        for wrong in [
            "", "Basic", "Basic ", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZ",
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ== x", "Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            "Basic QWxhZGRpbjpPcGVuIHNlc2FtZQ==", "Basic QWxhZGRpbjo=",
        ] {
            #expect(!credentials.accept(wrong.utf8), "\(wrong)")
        }
    }

    @Test func passwordIsAcceptedInBothEncodingsThatClientsUse() throws {
        let credentials = try #require(BasicCredentials("al:é"))
        #expect(credentials.accept("Basic \(Base64.encode(Array("al:é".utf8)))".utf8))
        #expect(credentials.accept("Basic \(Base64.encode(Array("al:".utf8) + [0xe9]))".utf8))
        let other = try #require(BasicCredentials("al:λ"))
        #expect(!other.accept("Basic \(Base64.encode(Array("al:".utf8) + [0xbb]))".utf8))
    }

    @Test func credentialsStandInAURLAndAreReadFromIt() throws {
        let credentials = try #require(BasicCredentials(user: "ä@b", password: "p:/ %?#é"))
        #expect(credentials.inURL == "%C3%A4%40b:p%3A%2F%20%25%3F%23%C3%A9")
        #expect(try UpstreamProxy("http://\(credentials.inURL)@x:1").credentials == credentials)
        #expect("\(credentials)" == "ä@b:***")
        #expect(String(reflecting: credentials) == "ä@b:***")
    }

    @Test(arguments: ["", "alice", ":password", "alice:pass\r\nword", "al\u{7f}ice:x", "alice:\u{0}"])
    func whatCannotBeSentAreNoCredentials(_ text: String) {
        #expect(BasicCredentials(text) == nil)
    }

    @Test func passwordMayHoldColonsAndBeEmpty() {
        #expect(BasicCredentials("a:b:c")?.password == "b:c")
        #expect(BasicCredentials("a:")?.password == "")
    }
}
