import JSON
import Sharing
import Testing

/// What counts as a secret, where it is looked for, and what a leak says.
struct LeakScanTests {
    static let token = "hVbC2yT0-qLr8Jm_XwZ4kN1dGs7EfUa"

    func scan(_ secrets: [Secret], lawful: [String] = []) -> LeakScan {
        LeakScan(secrets: secrets, lawful: lawful, short: [:])
    }

    // MARK: - Places

    @Test(
        arguments: [
            (#"{"request":{"url":"https://a.example/?code=TOKEN"}}"#, "request.url", 24),
            (
                #"{"request":{"headers":[{"name":"a","value":"b"},{"name":"c","value":"Bearer TOKEN"}]}}"#,
                "request.headers[1].value", 7
            ),
            (#"{"response":{"content":{"text":"TOKEN"}}}"#, "response.content.text", 0),
            (#"{"comment":"saw TOKEN here"}"#, "comment", 4),
            (#"{"_mine":{"deep":[[{"x":"TOKEN"}]]}}"#, "{0}.{0}[0][0].{0}", 0),
            (#"{"response":{"_transferSize":1,"TOKEN":2}}"#, "response.{1} (name)", 0),
            (
                #"{"_webSocketMessages":[{"type":"send","opcode":1,"data":"{\"t\":\"TOKEN\"}"}]}"#,
                "_webSocketMessages[0].data", 6
            ),
            (#"[{"id":"page_1","title":"TOKEN - Sign in"}]"#, "[0].title", 0),
            (#""TOKEN""#, "", 0),
        ]
    )
    func everyStringAndMemberNameIsLookedAt(json: String, path: String, offset: Int) throws {
        let value = try JSONParser.parse(json.replacing("TOKEN", with: Self.token).utf8)
        let leaks = scan([Secret(.accessToken, Self.token)]).leaks(in: value, entry: 3)
        #expect(
            leaks == [
                Leak(
                    kind: .accessToken,
                    entry: 3,
                    path: path,
                    offset: offset,
                    encodings: [],
                    characters: Self.token.count
                )
            ]
        )
    }

    /// What an account is called is a word of its own, as it stands: no part of one, of an escape or of base64.
    @Test func accountsAreLookedForAsWords() {
        let scan = LeakScan(
            secrets: [],
            lawful: [],
            short: [:],
            words: [(Secret(.personal, "wquist"), .name)]
        )
        for text in [
            "/users/wquist", "wquist", "a=wquist&b", "Hi wquist.", "<b>wquist</b>", #"{"a":"wquist"}"#,
        ] {
            #expect(scan.leaks(in: [.string(text)]).map(\.kind) == [.personal], "\(text)")
        }
        for text in [
            "wquists", "my_wquist", "wquist77", "wquistさん", "%wquist%", "a+wquist", "wQuist",
            SecretSpelling.base64.write("the page of wquist is here"),
        ] {
            #expect(scan.leaks(in: [.string(text)]).isEmpty, "\(text)")
        }
    }

    @Test func numbersAreLookedAt() throws {
        let scan = scan([Secret(.sessionState, "918273645546372819")])
        let value = try JSONParser.parse(#"{"a":[1.5,918273645546372819],"b":-9182736455463.0}"#.utf8)
        #expect(scan.leaks(in: value).map(\.path) == ["{0}[1]", "{1}"])
        #expect(scan.leaks(in: value).map(\.characters) == [18, 13])
    }

    @Test func textThatIsNoJSONIsLookedAtAsText() {
        let scan = scan([Secret(.accessToken, Self.token)])
        let line = #"{"request":{"url":"https://a.example/?x=\#(Self.token)"}}"#
        #expect(scan.leaks(inText: Array(line.utf8), entry: 0).map(\.path) == ["request.url"])
        let torn = scan.leaks(inText: Array(line.utf8.dropLast(2)), entry: 0)
        #expect(torn.map(\.path) == [""])
        #expect(torn.map(\.offset) == [40])
        #expect(scan.leaks(inText: [0xff, 0xfe] + Array(Self.token.utf8) + [0xc3]).map(\.offset) == [2])
    }

    // MARK: - How much

    @Test func anyTwelveCharactersAreALeak() {
        let scan = scan([Secret(.authorizationCode, Self.token)])
        for start in 0...Self.token.count - 12 {
            let twelve = Self.token.dropFirst(start).prefix(12)
            #expect(scan.leaks(in: [.string("a=\(twelve)&b=\(twelve.dropLast())")]).map(\.offset) == [2])
            #expect(scan.leaks(in: [.string("\(twelve.dropFirst()).\(twelve.dropLast())")]).isEmpty)
        }
    }

    @Test func charactersAreCountedNotBytes() {
        let scan = scan([Secret(.personal, "密码安全测试字符秘密令牌十四")])
        #expect(scan.leaks(in: ["密码安全测试字符秘密令"]).isEmpty)
        #expect(scan.leaks(in: ["密码安全测试字符秘密令牌"]).map(\.characters) == [12])
        #expect(scan.leaks(in: ["a密码安全测试字符秘密令牌十四b"]).map(\.characters) == [14])
        #expect(scan.leaks(in: ["%E7%A0%81安全测试字符秘密令牌十"]).map(\.encodings) == [[.percent]])
    }

    @Test func caseDoesNotHideALeak() {
        let scan = scan([Secret(.accessToken, Self.token)])
        #expect(scan.leaks(in: [.string(Self.token.uppercased())]).count == 1)
        #expect(scan.leaks(in: [.string(SecretSpelling.base64.write(Self.token.lowercased()))]).count == 1)
    }

    @Test func bothHalvesOfASplitSecretAreFound() throws {
        let half = Self.token.index(Self.token.startIndex, offsetBy: 15)
        let cookies = "sid.0=\(Self.token[..<half]); sid.1=\(Self.token[half...])"
        let leaks = scan([Secret(.cookie, Self.token)]).leaks(in: [.string(cookies)])
        #expect(leaks.map(\.characters) == [15, 16])
        #expect(leaks.map(\.offset) == [6, 29])
    }

    @Test func aSecretAtTheEdgeOfAnotherIsNone() {
        // No twelve characters that stand in neither of the two are looked for.
        let scan = scan([Secret(.state, "abcdefghijkl"), Secret(.nonce, "mnopqrstuvwx")])
        #expect(scan.leaks(in: ["ghijklmnopqr"]).isEmpty)
        #expect(scan.leaks(in: ["abcdefghijklmnopqrstuvwx"]).map(\.kind) == [.state, .nonce])
    }

    @Test func standInsOfTheSameShapeAreNoLeak() {
        let scan = scan([Secret(.accessToken, Self.token)])
        #expect(scan.leaks(in: ["access_token=aQz7Kp3w-nBt5Vc_LsYg9Rj6HxFo0Md&token_type=Bearer"]).isEmpty)
    }

    // MARK: - Lawful text

    @Test func lawfulTextIsNoLeak() {
        let secret = "https://client.example/callback#" + Self.token
        let scan = scan([Secret(.state, secret)], lawful: ["HTTPS://client.example/callback"])
        #expect(scan.leaks(in: ["redirect_uri=https%3A%2F%2Fclient.example%2Fcallback&x"]).isEmpty)
        // Eleven lawful characters and a secret one say nothing: one in forty stand-ins begins with the same.
        #expect(scan.leaks(in: [.string("e/callback#\(Self.token.prefix(1))x")]).isEmpty)
        #expect(scan.leaks(in: [.string("e/callback#\(Self.token.prefix(10))")]).isEmpty)
        #expect(scan.leaks(in: [.string("e/callback#\(Self.token.prefix(11))")]).map(\.characters) == [12])
        #expect(scan.leaks(in: [.string(secret)]).map(\.characters) == [1 + Self.token.count])
    }

    @Test func whatIsSecretInOneTextIsSoBesideLawfulText() {
        // The same characters stand next to lawful ones in the first secret, and by themselves in the second.
        let scan = scan(
            [Secret(.cookie, "public-text-" + Self.token), Secret(.state, "xt-" + Self.token)],
            lawful: ["public-text-"]
        )
        #expect(scan.leaks(in: [.string("xt-" + Self.token.prefix(9))]).map(\.kind) == [.state])
        #expect(scan.leaks(in: [.string("ext-" + Self.token.prefix(8))]).isEmpty)
    }

    @Test func fewerThanTwelveLawfulCharactersHideNothing() {
        let text = "密码安全测试字符秘密令牌"
        #expect(
            scan([Secret(.personal, text)], lawful: ["密码安全", "测试字符秘密令牌"]).leaks(in: [.string(text)]).count
                == 1
        )
        let ascii = "abcdefghijklmnopqrstuvwx"
        #expect(
            scan([Secret(.state, ascii)], lawful: ["abcdefghijk", "lmnopqrstuv"]).leaks(in: [.string(ascii)])
                .count == 1
        )
    }

    @Test func aHeaderInsideOfAnEncodedSecretIsLawful() {
        let header = #"{"alg":"RS256","typ":"JWT","kid":"key-2026-01"}"#
        func cookie(_ signature: String, _ before: String) -> String {
            SecretSpelling.base64.write(before + SecretSpelling.base64URL.write(header) + "." + signature)
        }
        for before in ["", "s", "s:"] {
            let scan = scan(
                [Secret(.cookie, SecretSpelling.base64URL.write(before + header + Self.token))],
                lawful: [header]
            )
            let standIn = SecretSpelling.base64URL.write(before + header + String(Self.token.reversed()))
            #expect(scan.leaks(in: [.string(standIn)]).isEmpty)
            let leak = SecretSpelling.base64URL.write(before + header + Self.token)
            #expect(scan.leaks(in: [.string(leak)]).count == 1)
        }
    }

    @Test func claimsThatRepeatInAStandInAreNoLeak() throws {
        let header = #"{"alg":"ES256","kid":"k1"}"#
        let claims = #"{"iss":"https://idp.example/","aud":"shop-frontend-01","sub":"SUB","exp":1780000000}"#
        func jwt(_ sub: String, _ signature: String) -> String {
            [header, claims.replacing("SUB", with: sub)].map(SecretSpelling.base64URL.write).joined(
                separator: "."
            )
                + "." + signature
        }
        let scan = scan(
            [Secret(.claim, "user-7f3a9c21-4d"), Secret(.idToken, Self.token)],
            lawful: [header, "https://idp.example/", "shop-frontend-01"]
        )
        let original = jwt("user-7f3a9c21-4d", Self.token)
        let standIn = jwt("user-0b8e46d5-1c", "T5kWq3xZb-8nRy_LmCj0VgHs2PdAe7U")
        #expect(scan.leaks(in: [.string(original)]).map(\.kind) == [.idToken, .claim])
        #expect(scan.leaks(in: [.string(standIn)]).isEmpty)
        #expect(scan.leaks(in: [.string(jwt("user-7f3a9c21-4d", ""))]).map(\.encodings) == [[.base64]])
    }

    @Test func whatNothingProtectsIsNamed() {
        let scan = LeakScan(
            secrets: [
                Secret(.password, "hunter2"), Secret(.password, "openid profile"), Secret(.state, Self.token),
                Secret(.oneTimeCode, "123456"),
            ],
            lawful: ["scope=openid profile email"],
            short: [NamedValue("otp", "123456"): .oneTimeCode]
        )
        #expect(scan.unprotected == [Secret(.password, "hunter2"), Secret(.password, "openid profile")])
    }

    // MARK: - What a leak says

    @Test func aLeakInSeveralViewsIsListedOnce() {
        let text = "%26 &amp; \\n \(Self.token) %26 &amp; \\n %2526"
        let leaks = scan([Secret(.state, Self.token)]).leaks(in: [.string(text)])
        #expect(leaks.map(\.encodings) == [[]])
    }

    @Test func aHundredLeaksOfAStringAreListed() {
        let text = String(repeating: Self.token + ".", count: 1000)
        #expect(
            scan([Secret(.state, Self.token)]).leaks(in: [.string(text), .string(Self.token)]).count == 101
        )
    }

    @Test func aDescriptionTellsThePlaceAndNothingOfTheSecret() throws {
        let scan = LeakScan(
            secrets: [Secret(.accessToken, Self.token)],
            lawful: [],
            short: [NamedValue("x", "k"): .oneTimeCode]
        )
        let json =
            #"{"request":{"\#(Self.token)":{"x":"k","url":"?a=\#(SecretSpelling.base64.write(Self.token))"}}}"#
        let leaks = scan.leaks(in: try JSONParser.parse(json.utf8), entry: 12)
        #expect(
            leaks.map(\.description) == [
                "31 characters of a secret (access token) in entry 12, request.{0} (name), byte 0",
                "1 character of a secret (one-time code) in entry 12, request.{0}.{0}, byte 0",
                "31 characters of a secret (access token) in entry 12, request.{0}.url, byte 3, encoded: base64",
            ]
        )
        let shown = String(reflecting: leaks)
        for start in 0...Self.token.count - 4 {
            #expect(!shown.contains(Self.token.dropFirst(start).prefix(4)))
        }
    }

    @Test func anEmptyScanFindsNothing() {
        let scan = LeakScan(secrets: [], lawful: ["abc"], short: [NamedValue("a", ""): .state])
        #expect(scan.leaks(in: ["a": "", "b": "%25", "": [1, true, nil]]).isEmpty)
        #expect(scan.unprotected.isEmpty)
    }

    // MARK: - Equal texts

    /// What is clean under one name need not be so under another.
    @Test func equalTextsInSeveralEntriesAreAllToldOf() {
        let scan = LeakScan(secrets: [], lawful: [], short: [NamedValue("pin", "4711"): .oneTimeCode])
        var clean = CleanTexts()
        let entries: [JSONValue] = [["a": "4711"], ["pin": "4711"], ["a": "4711"], ["pin": "4711"]]
        let counts = entries.map { scan.leaks(in: $0, clean: &clean).count }
        #expect(counts == [0, 1, 0, 1])
    }
}
