import Captures
import TestSupport
import Testing

struct RecordedURLTests {
    @Test(
        arguments: [
            ("https://idp.example/a?b#c", "https", "idp.example", "/a", "b", "c", 443),
            ("http://[::1]:8080", "http", "[::1]:8080", "", nil, nil, 8080),
            ("com.example.app:/cb?code=1", "com.example.app", nil, "/cb", "code=1", nil, nil),
            ("/relative?x", nil, nil, "/relative", "x", nil, nil),
            ("https://u:p@h.example:1/", "https", "u:p@h.example:1", "/", nil, nil, 1),
            ("https://h.example:99999/", "https", "h.example:99999", "/", nil, nil, nil),
        ] as [(String, String?, String?, String, String?, String?, Int?)]
    )
    func parts(
        text: String,
        scheme: String?,
        authority: String?,
        path: String,
        query: String?,
        fragment: String?,
        port: Int?
    ) {
        let url = RecordedURL(text)
        #expect(url.scheme == scheme && url.authority == authority && url.path == path)
        #expect(url.query == query && url.fragment == fragment)
        #expect(url.port == port)
    }

    @Test(arguments: [
        ("https://idp.example:8443/a?b#c", "idp.example:8443/a"), ("ws://h.example/s", "h.example/s"),
        ("https://ada:S3cret@h.example/p", "h.example/p"),
        ("com.example.app:/cb?code=1", "com.example.app:/cb"),
        ("com.example.app://cb?code=1", "com.example.app://cb"), ("about:blank", "about:blank"),
        ("/relative?x", "/relative"), ("", ""),
    ])
    func isShownWithoutUserInformation(text: String, shown: String) {
        #expect(RecordedURL(text).shown == shown)
    }

    /// RFC 3986, section 5.4.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../../../g", "http://a/g"),
        ("g:h", "g:h"),
        ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
    ])
    func references(reference: String, expected: String) {
        #expect(RecordedURL("http://a/b/c/d;p?q").resolving(reference).text == expected)
    }

    @Test(arguments: [
        (false, SentText("/é", isLatin1: true), "https://a.example/é", true),
        (true, SentText("?x=1"), "https://a.example/é?x=1", true),
        (true, SentText("/ü"), "https://a.example/ü", false),
        (false, SentText("/ü"), "https://a.example/ü", false),
        (true, SentText("b?ü"), "https://a.example/b?ü", false),
    ])
    func bytesOfBothAreKept(isBaseLatin1: Bool, reference: SentText, expected: String, isLatin1: Bool) {
        var request = RecordedRequest(
            method: "GET",
            url: RecordedURL(isBaseLatin1 ? "https://a.example/é" : "https://a.example/")
        )
        request.isURLLatin1 = isBaseLatin1
        let target = request.resolving(reference)
        #expect(target.url.text == expected && target.isLatin1 == isLatin1)
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
    ])
    func httpDateComesBack(seconds: Int64, text: String) {
        let time = Timestamp(seconds: seconds)
        #expect(time.httpDate == text && Timestamp(httpDate: text) == time)
    }

    @Test func hostileTextsNeverTrap() {
        var random = SeededGenerator(seed: 3986)
        for _ in 0..<20_000 {
            let text = String(
                decoding: random.hostileBytes(
                    Int.random(in: 0...30, using: &random),
                    among: Array("htps://[]@:?#%.a1".utf8)
                ),
                as: UTF8.self
            )
            let url = RecordedURL(text)
            _ = (url.host, url.port, url.origin, url.queryItems, url.fragmentItems, url.withoutQuery)
            _ = RecordedURL("https://a.example/b").resolving(text)
        }
    }

    @Test(arguments: [
        ("http://localhost:8400?code=1", "http://localhost:8400/"),
        ("HTTPS://App.example:443/Cb#f", "https://app.example:443/Cb"),
        ("https://app.example/Cb?a", "https://app.example:443/Cb"),
        ("https://app.example/caf\u{e9}?a", "https://app.example:443/caf%C3%A9"),
        ("com.example.app:/cb?code=1", "com.example.app:/cb"),
        ("Com.Example.app://Host/Cb?code=1", "com.example.app://Host/Cb"),
    ])
    func addressIsAsABrowserAsksForIt(text: String, expected: String) {
        #expect(RecordedURL(text).normalizedWithoutQuery == expected)
    }

    @Test func urlOfOtherBytesIsAnother() {
        let urls = ["https://a.example/caf\u{e9}", "https://a.example/cafe\u{301}"].map { RecordedURL($0) }
        #expect(urls[0] != urls[1] && Set(urls).count == 2)
        #expect(urls.allSatisfy { $0 == RecordedURL($0.text) })
    }

    /// Two hosts that `String` takes for one are as they were written.
    @Test func serverIsAsItWasWritten() {
        for host in ["\u{e9}.example", "e\u{301}.example", "\u{e9}.example"] {
            let url = RecordedURL("https://\(host)/a")
            #expect(url.authority.map { Array($0.utf8) } == Array(host.utf8))
            #expect(url.withoutQuery.utf8.elementsEqual("https://\(host)/a".utf8))
        }
    }

    @Test(
        arguments: [
            ("https://u@A.example:8443/p?q#f", "a.example", 8443, "https://a.example:8443", "A.example:8443"),
            ("HTTP://[2001:DB8::1]/", "[2001:db8::1]", 80, "http://[2001:db8::1]:80", "[2001:DB8::1]"),
            ("https://a.example:x/", "a.example", nil, nil, "a.example:x"),
            ("com.example.app:/cb?code=1", nil, nil, nil, nil),
            ("//a.example/x", "a.example", nil, nil, "a.example"),
            ("ws://a.example", "a.example", 80, nil, "a.example"), ("/relative:x?a:b", nil, nil, nil, nil),
        ] as [(String, String?, Int?, String?, String?)]
    )
    func serverIsTakenApart(_ text: String, host: String?, port: Int?, origin: String?, place: String?) {
        // The second is made of what is known of the first.
        for url in [RecordedURL(text), RecordedURL(text)] {
            #expect(url.host == host)
            #expect(url.port == port)
            #expect(url.origin == origin)
            #expect(url.hostAndPort == place)
            #expect(url.text == text)
        }
    }

    /// A port of http or https tells no servers apart.
    @Test(arguments: [
        ("https://a.example:443/p", "a.example"), ("http://A.example:80", "a.example"),
        ("http://a.example/", "a.example"), ("https://a.example:80/", "a.example"),
        ("https://u@A.example:8443", "a.example:8443"),
        ("http://[::1]:8080/", "[::1]:8080"),
    ])
    func serverIsToldByHostAndPort(text: String, server: String) {
        #expect(RecordedURL(text).server == server)
    }

    @Test(arguments: [
        ("http://localhost:3000/cb", "http://LOCALHOST:3000/", true),
        ("http://localhost:3000/", "http://localhost:8080/", false),
        ("https://a.example/", "https://u@a.example:443/b", true),
        ("http://a.example/", "https://a.example/", true),
        ("http://a.example:443/", "https://a.example/", true),
        ("http://a.example:8080/", "https://a.example/", false),
        ("https://a.example/", "https://b.example/", false),
        ("com.example.app:/cb", "com.example.app:/cb", false),
    ])
    func serverIsAHostAndAPort(_ one: String, _ other: String, isSame: Bool) {
        #expect(RecordedURL(one).isAtServer(of: RecordedURL(other)) == isSame)
        #expect(RecordedURL(other).isAtServer(of: RecordedURL(one)) == isSame)
    }

    @Test(arguments: ["/", "/a", "/a?", "/a?b=c&d", "/a#f", "/a?b#c?d#e", "/a#b?c", "//x/y?z", "/é?ü=ö"])
    func fromItsPartsItIsTheSame(target: String) {
        let parts = RecordedURL(scheme: "https", authority: "idp.example:8443", target: target)
        let whole = RecordedURL("https://idp.example:8443\(target)")
        #expect(parts == whole)
        #expect(parts.path == whole.path)
        #expect(parts.query == whole.query)
        #expect(parts.fragment == whole.fragment)
    }
}

struct PercentEncodingTests {
    @Test(arguments: [
        ("a%2Fb", "a/b"), ("%", "%"), ("%2", "%2"), ("%zz", "%zz"), ("a+b", "a+b"), ("%C3%A9", "é"),
        ("%ff", "\u{fffd}"), ("%25%32%46", "%2F"),
    ])
    func decoding(text: String, expected: String) { #expect(PercentEncoding.decode(text) == expected) }

    @Test func plusIsASpaceInFormsOnly() {
        #expect(QueryItems("a=x+y%2B").first("a") == "x y+")
        #expect(PercentEncoding.decode("x+y", plusIsSpace: true) == "x y")
    }

    @Test func formsComeBack() {
        let items = [("a", "1 2+3&4=5%é"), ("", "x"), ("b", "")]
        let back = QueryItems(FormBody.encode(items))
        #expect(back.items.map(\.name) == ["a", "", "b"])
        #expect(back.items.map(\.value) == items.map(\.1))
    }

    @Test func repeatedAndEmptyParametersAreKept() {
        let items = QueryItems("a=1&a=2&&b&=c")
        #expect(items.items.map(\.name) == ["a", "a", "b", ""])
        #expect(items.items.map(\.value) == ["1", "2", "", "c"])
    }
}

struct TimestampTests {
    @Test(arguments: [
        ("2026-03-04T09:54:08.356Z", "2026-03-04T09:54:08.356000Z"),
        ("2026-03-04T10:54:08+01:00", "2026-03-04T09:54:08.000000Z"),
        ("2026-03-04T10:54:08.1234567+0100", "2026-03-04T09:54:08.123456Z"),
        ("2024-02-29T23:59:60Z", "2024-03-01T00:00:00.000000Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500000Z"),
        ("2026-03-04 09:54:08", "2026-03-04T09:54:08.000000Z"),
    ])
    func rfc3339(text: String, expected: String) { #expect(Timestamp(rfc3339: text)?.rfc3339 == expected) }

    @Test(
        arguments: [
            (.min, -9_223_372_037, "1677-09-21T00:12:43.145224Z"),
            (-1_000_000_001, -2, "1969-12-31T23:59:58.999999Z"),
            (-1_000_000_000, -1, "1969-12-31T23:59:59.000000Z"), (-1, -1, "1969-12-31T23:59:59.999999Z"),
            (.max, 9_223_372_036, "2262-04-11T23:47:16.854775Z"),
        ] as [(Int64, Int64, String)]
    )
    func everyNanosecondHasItsSecondAndItsText(nanoseconds: Int64, seconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).seconds == seconds)
        #expect(Timestamp(nanoseconds: nanoseconds).rfc3339 == text)
    }

    @Test func timesThatLieFarApartAreSo() throws {
        let old = try #require(Timestamp(rfc3339: "1700-01-01T00:00:00Z"))
        let new = try #require(Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        #expect(new - old == .seconds(10_287_561_600) && old - new == .seconds(-10_287_561_600))
        #expect(old + (new - old) == new && new - (new - old) == old)
    }

    @Test(arguments: [18_446_744_074, .max] as [Int64])
    func whatIsBeyondAllTimesIsTheFirstOrTheLast(seconds: Int64) {
        let (first, last) = (Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max))
        #expect(last + .seconds(seconds) == last && first - .seconds(seconds) == first)
        #expect(last + .nanoseconds(1) == last && first - .nanoseconds(1) == first)
        #expect(Timestamp(seconds: seconds) == last && Timestamp(seconds: -seconds) == first)
    }

    /// The years 1, 1679, 2260 and 9999, and numbers that are no time.
    @Test(
        arguments: [
            (-62_135_596_800, nil), (-9_183_024_000, "1679-01-01T00:00:00.000000Z"),
            (9_183_110_399, "2260-12-31T23:59:59.000000Z"), (253_402_300_799, nil), (.min, nil), (.max, nil),
        ] as [(Int64, String?)]
    )
    func statedSecondsAreATimeWhereOneCanBeSaid(seconds: Int64, text: String?) {
        #expect(Timestamp(statedSeconds: seconds)?.rfc3339 == text)
    }

    @Test(arguments: [
        "", "yesterday", "2026-13-01T00:00:00Z", "2026-03-04T25:00:00Z", "2026-03-04", "9999-12-31T23:59:59Z",
        "2026-03-04T09:54:08Zulu", "2026-03-04T09:54:08+1", "2026-03-32T09:54:08Z", "2026-03-00T09:54:08Z",
        "2026-03-04T09:60:08Z", "2026-03-04T09:54:61Z",
    ])
    func textsThatAreNoTime(text: String) { #expect(Timestamp(rfc3339: text) == nil) }

    /// RFC 9110, section 5.6.7: the same instant in its three forms.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func httpDates(text: String) { #expect(Timestamp(httpDate: text)?.seconds == 784_111_777) }

    @Test(arguments: [
        "32 Nov 1994 08:49:37", "00 Nov 1994 08:49:37", "06 Nov 1994 24:49:37", "06 Nov 1994 08:60:37",
        "06 Nov 1994 08:49:61", "06 Nov 1994 08:49", "06 Now 1994 08:49:37",
    ])
    func httpDatesThatAreNone(text: String) { #expect(Timestamp(httpDate: "Sun, \(text) GMT") == nil) }

    @Test func hostileTextsNeverTrap() {
        var random = SeededGenerator(seed: 3339)
        for _ in 0..<20_000 {
            let bytes = random.hostileBytes(
                Int.random(in: 0...40, using: &random),
                among: Array("0123456789-:T.Z+ ,SunNov".utf8)
            )
            let text = String(decoding: bytes, as: UTF8.self)
            _ = (Timestamp(rfc3339: text)?.rfc3339, Timestamp(httpDate: text)?.rfc3339)
        }
    }
}

struct SetCookieTests {
    @Test func bytesThatAreNoUTF8AreKept() throws {
        let field = HeaderFields.Field(name: "Set-Cookie", value: "id=é; Path=/", isLatin1: true)
        let response = RecordedResponse(status: 200, headers: HeaderFields([field]))
        let brought = CookieHeader.field(of: response.setCookies.map(\.pair))
        #expect(brought.sentValue.bytes == Array("id=".utf8) + [0xe9])
        let sent = HeaderFields([.init(name: "Cookie", value: "a=1; id=é", isLatin1: true)])
        let request = RecordedRequest(method: "GET", url: RecordedURL("https://a.example/"), headers: sent)
        #expect(try #require(request.cookies.last).sentValue.bytes == [0xe9])
    }

    @Test func attributesWhateverTheirCase() throws {
        let cookie = try #require(
            SetCookie(
                parsing:
                    "id=a=b; path=/x; DOMAIN=.idp.example; max-age=-5; Expires=Sun, 06 Nov 1994 08:49:37 GMT; secure; HTTPOnly; samesite=none; Partitioned"
            )
        )
        #expect(
            cookie.name == "id" && cookie.value == "a=b" && cookie.path == "/x"
                && cookie.domain == ".idp.example"
        )
        #expect(cookie.maxAge == -5 && cookie.isSecure && cookie.isHTTPOnly && cookie.sameSite == "none")
        #expect(cookie.expires == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(cookie.otherAttributes == ["Partitioned"])
    }

    @Test(arguments: ["", ";", "=", " ; Path=/", "novalue"]) func whatAUserAgentIgnores(field: String) {
        #expect(SetCookie(parsing: field) == nil)
    }

    /// What frameworks write for a cookie that never ends, and for one that has ended; a browser takes the last for no date.
    @Test(arguments: [
        ("Fri, 31-Dec-9999 23:59:59 GMT", "2262-04-11T23:47:16.854775Z"),
        ("Mon, 01 Jan 0001 00:00:00 GMT", "1677-09-21T00:12:43.145224Z"),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000000Z"), ("never", nil),
        ("9999-12-31T23:59:59Z", nil),
    ])
    func everyDateOfExpiryIsReadOrTheNearest(text: String, time: String?) {
        #expect(SetCookie(parsing: "a=b; Expires=\(text)")?.expiry?.rfc3339 == time)
    }

    /// Set at the second before the one that `Expires` names, at that, and in a capture without times.
    @Test(
        arguments: [
            ("", [false, false, false]), ("Max-Age=0", [true, true, true]),
            ("Max-Age=-1", [true, true, true]),
            ("Max-Age=1", [false, false, false]),
            ("Expires=Sun, 06 Nov 1994 08:49:37 GMT", [false, true, false]),
            ("Max-Age=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", [false, false, false]),
            ("Max-Age=0; Expires=Fri, 31-Dec-9999 23:59:59 GMT", [true, true, true]),
            ("Expires=Thu, 01-Jan-1970 00:00:10 GMT", [true, true, true]),
            ("Expires=0", [false, false, false]),
        ] as [(String, [Bool])]
    )
    func cookieThatHasRunOutWhenItIsSetIsDeleted(attributes: String, isDeletion: [Bool]) throws {
        let cookie = try #require(SetCookie(parsing: "a=b; \(attributes)"))
        let times = [784_111_776, 784_111_777, 0].map(Timestamp.init(seconds:))
        #expect(times.map(cookie.isDeletion) == isDeletion)
    }

    @Test func pathThatIsNoneCountsAsMissing() {
        #expect(SetCookie(parsing: "a=b; Path=x")?.path == nil)
        #expect(SetCookie(parsing: "a=b; Max-Age=soon")?.maxAge == nil)
    }
}

struct ByteSearchTests {
    @Test(arguments: [
        ("", "", true), ("a", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "bc", true),
        ("abc", "abcd", false),
        ("aaab", "aab", true), ("abab", "bb", false), ("x/é/y", "/é/", true), ("e\u{301}", "é", false),
    ])
    func contains(text: String, other: String, expected: Bool) {
        #expect(ByteSearch.contains(text, other) == expected)
    }

    /// In long texts of few letters, so that every place is nearly one, against the plain definition.
    @Test func placeIsTheFirst() {
        var random = SeededGenerator(seed: 4)
        let letters = Array("eZ_".utf8)
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in letters[Int.random(in: 0..<3, using: &random)] }
        }
        for _ in 0..<3000 {
            let text = bytes(Int.random(in: 0...300, using: &random))
            let wanted = bytes(Int.random(in: 0...7, using: &random))
            let start = Int.random(in: 0...text.count, using: &random)
            let first = (start...text.count).first { text[$0...].starts(with: wanted) }
            #expect(ByteSearch.index(of: wanted, in: text, from: start) == first)
            #expect(text[start...].firstRange(of: wanted)?.lowerBound == first)
            #expect(text[start...].firstRange(of: wanted)?.count == first.map { _ in wanted.count })
        }
    }
}
