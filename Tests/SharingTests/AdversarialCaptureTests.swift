import Captures
import Foundation
import JSON
import Sharing
import Testing

/// Places at which nobody looks for a secret.
struct AdversarialCaptureTests {
    private static let token = "q7Zr2LkX9vTb4WmN8cYp1HsJ6dGf3AeU"

    /// Whether any twelve characters in a row of a secret are in a text, without regard to how.
    private static func holdsPiece(of secret: String, _ text: String) -> Bool {
        let characters = Array(secret.utf8)
        return (0...(characters.count - 12)).contains { start in
            text.contains(String(decoding: characters[start..<(start + 12)], as: UTF8.self))
        }
    }

    /// The access token of the login at an unlikely place.
    @Test(arguments: [
        "<script>var session = {token: 'TOKEN'}; // TOKEN</script>",
        #"{"outer":"{\"inner\":\"{\\\"token\\\":\\\"TOKEN\\\"}\"}"}"#,
        "the request with Bearer TOKEN was refused: TOKEN is not known",
        "<!-- TOKEN -->", "a=1&next=%2Fx%3Ft%3DTOKEN", "x%2527TOKEN%2527",
    ])
    func tokenOfTheLoginIsReplacedInAnyText(text: String) throws {
        var world = try SharingWorld()
        let token = try world.first("access_token")
        world.append(
            "https://stats.example.net/collect",
            headers: [
                ("Referer", "https://www.shop.example/#access_token=\(token)"),
                ("aUTHORIZATION", "bEARER \(token)"),
            ],
            type: "text/html",
            body: text.replacing("TOKEN", with: token),
            extra: [
                ("comment", .string("seen: \(token)")),
                ("_tool", ["deep": [["\(token)": .string("x\(token)y")]]]),
                ("_webSocketMessages", [["type": "send", "data": .string("{\"auth\":\"\(token)\"}")]]),
            ]
        )
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!Self.holdsPiece(of: token, shared.text))
        #expect(shared.differences.isEmpty)
        // What stands for it is the same everywhere.
        let standIn = try SharingWorld(document: JSONParser.parse(shared.bytes)).first("access_token")
        #expect(shared.text.components(separatedBy: standIn).count > 6)
    }

    /// Addresses with a token in them that loads pictures, of twelve characters: too few to be known for one by its look.
    @Test(arguments: [
        ("text/html", "<img srcset='/a.png?token=ab12CD34ef56 1x'>"),
        ("text/html", "<i style='background:url(&quot;/a.png?token=ab12CD34ef56&quot;)'>"),
        ("text/html", "<style>.a{background:url(/a.png?token=ab12CD34ef56)}</style>"),
        ("text/html", "<video poster=/a.png?token=ab12CD34ef56>"),
        ("text/css", ".a:hover{background:url(\"/a.png?token=ab12CD34ef56\")}\n.b{color:red}"),
    ])
    func tokenInTheAddressOfAPictureIsReplaced(type: String, body: String) throws {
        var world = try SharingWorld()
        world.append("https://id.harbour.example/x", type: type, body: body)
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!shared.text.contains("ab12CD34ef56"))
        let after = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string
        let parts = body.components(separatedBy: "ab12CD34ef56")
        #expect(after?.hasPrefix(parts[0]) == true && after?.hasSuffix(parts[1]) == true)
        #expect(shared.differences.isEmpty)
    }

    /// A table whose separators are as they are and whose line breaks are encoded.
    @Test(arguments: [
        ("text/plain", "id;vorname;geburtsdatum%0D%0A1;Brunhild;31.01.1990%0D%0A"),
        ("text/csv", "id,vorname,geburtsdatum%0A1,Brunhild,31.01.1990"),
        ("text/plain", "id%252Cvorname%252Cgeburtsdatum%250A1%252CBrunhild%252C31.01.1990"),
        ("application/x-www-form-urlencoded", "id;vorname;geburtsdatum%0A1;Brunhild;31.01.1990"),
        ("application/x-www-form-urlencoded", "data=id;vorname;geburtsdatum%0A1;Brunhild;31.01.1990"),
        ("application/x-www-form-urlencoded", "data=id,vorname,geburtsdatum%0A1,Brunhild,31.01.1990"),
    ])
    func tableInAnEncodedTextIsRead(type: String, body: String) throws {
        var world = try SharingWorld()
        world.append("https://id.harbour.example/x", type: type, body: body)
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!shared.text.contains("Brunhild") && !shared.text.contains("31.01.1990"))
        let after = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string
        #expect(after?.utf8.count == body.utf8.count)
        #expect(after?.hasPrefix(body.components(separatedBy: "1")[0]) == true)
        #expect(shared.differences.isEmpty)
    }

    /// What somebody typed, wherever forms and programs put it; no word of it looks drawn.
    @Test(arguments: [
        ("application/json", #"{"input":[{"name":"IDToken2","value":"correcthorsebattery"}]}"#),
        ("application/json", #"{"value":"correcthorsebattery","name":"password"}"#),
        ("application/x-www-form-urlencoded", "pf.pass=correcthorsebattery&x=1"),
        ("application/x-www-form-urlencoded", "user%5Bpassword%5D=correcthorsebattery"),
        ("application/x-www-form-urlencoded", "ctl00%24Main%24Password=correcthorsebattery"),
        ("application/x-www-form-urlencoded", "flow=1;password=correcthorsebattery"),
        ("application/x-www-form-urlencoded", "newPwd=correcthorsebattery"),
        ("text/plain", "user=max&password=correcthorsebattery and more"),
        ("text/plain", "user=max\r\npassword=correcthorsebattery\r\n"),
        ("text/plain", "CONNECT\nlogin:max\npasscode:correcthorsebattery\n\n"),
        ("text/plain", #"42["login",{"password":"correcthorsebattery"}]"#),
        (
            "multipart/form-data; boundary=B",
            "--B\nContent-Disposition: form-data; name=password\n\ncorrecthorsebattery\n--B--\n"
        ),
        ("text/xml", "<e><wsse:Password Type=\"x\">correcthorsebattery</wsse:Password></e>"),
        (
            "application/json",
            #"{"query":"mutation{login(user:\"max\",password:\"correcthorsebattery\"){x}}"}"#
        ),
        ("text/html", "<script>cfg({password: 'correcthorsebattery'})</script>"),
        ("text/html", "<script>var access_token = `correcthorsebattery`;</script>"),
        ("text/html", #"<script>document.cookie="sid=correcthorsebattery; path=/"</script>"#),
        ("text/html", "<textarea name=access_token>correcthorsebattery</textarea>"),
    ])
    func typedSecretIsReplacedInAnyForm(type: String, body: String) throws {
        var world = try SharingWorld()
        world.append("https://id.harbour.example/x", type: type, body: body)
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!shared.text.contains("correcthorsebattery"))
        #expect(shared.differences.isEmpty)
        // All around it stays.
        let after = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string ?? ""
        #expect(after.utf8.count == body.utf8.count)
        #expect(
            after.split(whereSeparator: { !$0.isPunctuation }).count
                == body.split(whereSeparator: { !$0.isPunctuation }).count
        )
    }

    /// Addresses of people in every spelling.
    @Test(arguments: [
        "https://a.example/?next=%252Fx%253Fhint%253Dmaximilian%252540harbour.test",
        "maximilian\\u0040harbour.test",
        "maximilian&#64;harbour.test", "mailto:maximilian%40harbour.test", "MAXIMILIAN@harbour.test",
    ])
    func addressIsReplacedInEverySpelling(text: String) throws {
        var world = try SharingWorld()
        world.append("https://id.harbour.example/x", type: "text/html", body: "<p>\(text)</p>")
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!shared.text.lowercased().contains("maximilian"))
        #expect(shared.differences.isEmpty)
    }

    /// Of what is percent-encoded letter by letter, again and again, the pieces are those of all else that is.
    @Test(arguments: 1...4)
    func lettersThatAreEncodedAgainAndAgainAreNoReasonToRefuse(layers: Int) throws {
        func encoded(_ text: String) -> String {
            (1..<layers).reduce(text.utf8.map { "%" + String($0, radix: 16) }.joined()) { text, _ in
                text.replacing("%", with: "%25")
            }
        }
        var world = try SharingWorld()
        let token = try world.first("access_token")
        let drawn = "q7Zr2LkX9vTb4WmN8cYp1HsJ"
        world.append("https://stats.example.net/a", json: "{\"x\":\"\(encoded(drawn))\"}")
        world.append("https://stats.example.net/b", type: "text/plain", body: "it is \(encoded(token)) here")
        world.options.keepsAll = true
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options)
        #expect(outcome.isProven, "\(outcome.leaks)")
        let text = try world.shared().text
        #expect(!text.contains(encoded(drawn)) && !text.contains(encoded(token)))
    }

    /// A token stays a secret where something calls it by a name that is nobody's.
    @Test(arguments: ["x", "error", "kid", "version", "scope", "device", "aud", "host"])
    func openNameIsNoExcuse(name: String) throws {
        var world = try SharingWorld()
        let token = try world.first("access_token")
        world.append(
            "https://stats.example.net/collect",
            json: "{\"\(name)\":\"\(token)\"}"
        )
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!Self.holdsPiece(of: token, shared.text))
        #expect(shared.differences.isEmpty)
    }

    /// A secret that no role explains.
    @Test(arguments: [
        "<script>var s = 'TOKEN';</script>", "window.cfg={k:\"TOKEN\"}", "# TOKEN",
        "wss://live.example.net/s?auth=TOKEN",
    ])
    func unexplainedSecretIsReplacedByItsLook(text: String) throws {
        var world = try SharingWorld()
        world.append(
            "https://stats.example.net/collect",
            type: "text/html",
            body: text.replacing("TOKEN", with: Self.token)
        )
        world.options.keepsAll = true
        #expect(!Self.holdsPiece(of: Self.token, try world.shared().text))
    }

    @Test func tokenInBase64IsReplacedAtEveryAlignment() throws {
        for padding in ["", "a", "ab"] {
            var world = try SharingWorld()
            let token = try world.first("access_token")
            let encoded = Data("\(padding){\"t\":\"\(token)\"}".utf8).base64EncodedString()
            world.append("https://stats.example.net/collect", body: "payload=\(encoded)")
            world.append("https://stats.example.net/raw", body: encoded, encoding: "base64")
            world.options.keepsAll = true
            let shared = try world.shared()
            for index in [shared.capture.count - 2, shared.capture.count - 1] {
                let entry = try shared.entry(index)
                let text = try #require(entry["response"]?["content"]?["text"]?.string)
                let decoded = try #require(Data(base64Encoded: text.replacing("payload=", with: "")))
                let plain = String(decoding: decoded, as: UTF8.self)
                #expect(!Self.holdsPiece(of: token, plain))
                // The rest is as it was.
                #expect(plain.hasPrefix("\(padding){\"t\":\"") && plain.hasSuffix("\"}"))
            }
        }
    }

    @Test func tokenSplitOverTwoCookiesIsReplaced() throws {
        var world = try SharingWorld()
        let token = try world.first("id_token")
        let half = token.index(token.startIndex, offsetBy: 300)
        world.append(
            "https://www.shop.example/",
            headers: [("Cookie", "session.0=\(token[..<half]); session.1=\(token[half...])")]
        )
        world.options.keepsAll = true
        let shared = try world.shared()
        let standIn = try SharingWorld(document: JSONParser.parse(shared.bytes)).first("id_token")
        let cookies = try #require(
            shared.entry(shared.capture.count - 1)["request"]?["headers"]?.array?.first?["value"]?.string
        )
        #expect(cookies == "session.0=\(standIn.prefix(300)); session.1=\(standIn.dropFirst(300))")
        #expect(standIn != token)
    }

    /// Its page says what the field is for.
    @Test(arguments: ["p", "field-4"])
    func passwordUnderANameThatSaysNothingIsReplaced(name: String) throws {
        var world = try SharingWorld()
        world.answer(
            2,
            with:
                "<form method=post action=/sign-in><input name=user><input type=password name=\(name)></form>"
        )
        world.send("user=alice&\(name)=correcthorsebattery", in: 3)
        let shared = try world.shared()
        #expect(!shared.text.contains("correcthorse"))
        #expect(shared.text.contains("&\(name)="))
        #expect(shared.differences.isEmpty)
    }

    @Test func secretOfOneCharacterIsReplaced() throws {
        var world = try SharingWorld()
        world.send("flow=66xrK51pK7l60Ilqm7vutt&user=b&password=x", in: 3)
        let shared = try world.shared()
        #expect(!shared.text.contains("password=x"))
        #expect(shared.text.contains("shop.example"))
        #expect(shared.differences.isEmpty)
    }

    @Test func secretInsideAnotherOneIsReplacedInBoth() throws {
        var world = try SharingWorld()
        let inner = Self.token
        let outer = "v2.\(inner).9KpXr4"
        world.append(
            "https://api.example.net/a?access_token=\(inner)&refresh_token=\(outer)",
            body: "\(outer) and \(inner)"
        )
        world.options.keepsAll = true
        let text = try world.shared().text
        #expect(!Self.holdsPiece(of: inner, text))
        #expect(!text.contains("9KpXr4"))
    }

    @Test func invalidUTF8IsKept() throws {
        var world = try SharingWorld()
        let token = try world.first("access_token")
        let bytes = Data([0xff, 0xfe, 0x00, 0x80]) + Data(token.utf8) + Data([0xc3, 0x28, 0xff])
        world.append("https://stats.example.net/raw", body: bytes.base64EncodedString(), encoding: "base64")
        world.options.keepsAll = true
        let shared = try world.shared()
        let text = try #require(
            shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string
        )
        let other = try #require(Data(base64Encoded: text))
        #expect(other.count == bytes.count)
        #expect(other.prefix(4) == bytes.prefix(4) && other.suffix(3) == bytes.suffix(3))
        #expect(other.dropFirst(4).dropLast(3) != bytes.dropFirst(4).dropLast(3))
    }

    @Test func thousandsOfTokensAreReplacedInALongText() throws {
        var world = try SharingWorld()
        let tokens = (0..<4000).map { number in
            "tk\(number)Qz"
                + String(
                    (0..<28).map {
                        "aB3xY7kL9mN2pR5s".utf8.map { Character(UnicodeScalar($0)) }[
                            ($0 * 7 + number / (1 + $0 * 3)) % 16
                        ]
                    }
                )
        }
        #expect(Set(tokens).count == tokens.count)
        let list = tokens.map { "{\"access_token\":\"\($0)\"}" }.joined(separator: ",")
        let filler = String(repeating: "lorem ipsum dolor sit amet ", count: 24_000)
        world.append("https://api.example.net/tokens", json: "[\(list)]")
        world.append("https://api.example.net/log", body: filler + tokens.joined(separator: " "))
        world.options.keepsAll = true
        let shared = try world.shared()
        let last = try #require(
            shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string
        )
        let standIns = last.dropFirst(filler.count).split(separator: " ").map(String.init)
        #expect(Set(standIns).count == tokens.count)
        #expect(Set(standIns).isDisjoint(with: tokens))
        let first = try #require(
            shared.entry(shared.capture.count - 2)["response"]?["content"]?["text"]?.string
        )
        #expect(first == "[" + standIns.map { "{\"access_token\":\"\($0)\"}" }.joined(separator: ",") + "]")
    }

    /// What somebody chose, at places that are no field of a form.
    @Test(arguments: [
        #"{"secret":"kestrel#27"}"#, #"{"refreshTokens":0,"token":"kestrel#27"}"#,
        #"{"message":"no route to postgres://app:kestrel#27@db/shop"}"#,
        #"{"message":"Variable \"$password\" got invalid value \"kestrel#27\"; no"}"#,
        #"{"a":1,"password":"kestrel#27"#,
    ])
    func chosenSecretIsReplaced(body: String) throws {
        var world = try SharingWorld()
        world.append("https://id.harbour.example/x", json: body)
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!shared.text.contains("kestrel#27"))
        #expect(shared.differences.isEmpty)
    }

    /// Signed with parameters, of which those stay that say how.
    @Test(arguments: [
        #"Digest username="Brunhild", realm="shop", nonce="k3X9", uri="/a", response="SECRET""#,
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/x/shop/aws4_request, SignedHeaders=host, Signature=SECRET",
        #"OAuth realm="shop", oauth_consumer_key="ck", oauth_token="SECRET", oauth_signature="SECRET""#,
        #"Hawk id="Brunhild", ts="1", realm="shop", nonce="a", mac="SECRET""#,
    ])
    func signedRequestIsShared(authorization: String) throws {
        let secret = "b7Kq9ZxW3vTn"
        var world = try SharingWorld()
        let value = authorization.replacing("SECRET", with: secret)
        world.append("https://api.shop.example/a", headers: [("Authorization", value)])
        world.options.keepsAll = true
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options)
        #expect(outcome.isProven, "\(outcome.leaks)")
        let text = try world.shared().text
        #expect(!text.contains(secret) && !text.contains("Brunhild") && !text.contains("AKIDEXAMPLE"))
        #expect(text.contains("shop\\\"") || text.contains("/x/shop/aws4_request"))
    }

    /// An app keeps its place in the fragment.
    @Test(arguments: ["#/reset-password/kestrel27xyz", "#/a?next=b/c%3Ftoken%3Dkestrel27xyz"])
    func ticketInAFragmentIsReplaced(fragment: String) throws {
        var world = try SharingWorld()
        world.append("https://www.shop.example/\(fragment)")
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!shared.text.contains("kestrel27xyz"))
        #expect(shared.differences.isEmpty)
    }

    /// What somebody wrote is replaced with the addresses in it, and before them.
    @Test func addressInATextAboutSomebodyKeepsNothing() throws {
        var world = try SharingWorld()
        let body = #"{"bodyPreview":"Brunhild Quist, see https://shop.example/a"}"#
        world.append("https://id.harbour.example/x", json: body)
        world.options.keepsAll = true
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options)
        #expect(outcome.isProven, "\(outcome.leaks)")
        #expect(try !world.shared().text.contains("Brunhild"))
    }

    /// A proxy says whose certificate it was shown.
    @Test(arguments: [
        ("X-Forwarded-Client-Cert", #"By=spiffe://a;Subject="CN=Brunhild Quist,OU=x";URI=spiffe://b"#),
        ("X-Client-Cert-Subject", "/C=DE/O=Acme/CN=Brunhild Quist"),
    ])
    func subjectOfAClientCertificateIsReplaced(name: String, value: String) throws {
        var world = try SharingWorld()
        world.append("https://api.shop.example/a", headers: [(name, value)])
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(!shared.text.contains("Brunhild") && !shared.text.contains("Quist"))
        #expect(shared.differences.isEmpty)
    }

    /// Equal header fields are looked at once, and counted wherever they stand.
    @Test func whatStandsInSeveralEntriesIsCountedInEach() throws {
        func cookies(in entries: Int) throws -> SharingReport.Row? {
            var world = try SharingWorld()
            world.options.keepsAll = true
            for _ in 0..<entries {
                world.append("https://www.shop.example/a", headers: [("Cookie", "basket=Zk4Xq92LmPv7Tb")])
            }
            return try SharingWorld.outcome(of: world.capture(), world.options).report.rows
                .first { $0.kind == .cookie }
        }
        let none = try #require(try cookies(in: 0))
        let one = try #require(try cookies(in: 1))
        let two = try #require(try cookies(in: 2))
        #expect(one.places > none.places)
        #expect(two.places - one.places == one.places - none.places)
        #expect(two.entries.count == one.entries.count + 1)
    }
}
