import JSON
import Sharing
import Testing

/// Secrets that are too short, or too common, to be looked for by themselves: by the name under which they stand.
struct NamedLeakTests {
    static let scan = LeakScan(
        secrets: [],
        lawful: [],
        short: [
            NamedValue("password", "openid"): .password,
            NamedValue("password", #"a"b&c"#): .password,
            NamedValue("otp", "123456"): .oneTimeCode,
            NamedValue("x-api-key", "k3y"): .apiKey,
            NamedValue("sid", "q7"): .cookie,
            NamedValue("authorization", "YTpi"): .credentials,
            NamedValue("user[email]", "a@b.c"): .email,
            NamedValue("given_name", "Jürgen"): .personal,
            NamedValue("note", "to be or not"): .personal,
        ]
    )

    static func leaks(_ json: JSONValue) -> [Leak] { scan.leaks(in: json) }

    @Test(
        arguments: [
            "https://a.example/login?password=openid", "https://a.example/?x=1&password=openid&y",
            "https://a.example/#password=openid", "com.example:/cb#a;password=openid#x",
            "x=1&password=%6Fpenid",
            "pass%77ord=openid", "x=1&amp;password=openid&amp;y=2", "password=openid\r\n",
            "next=%2Flogin%3Fpassword%3Dopenid%26x", "PASSWORD=OPENID",
            #"{"password":"openid"}"#, #"{ "password" : "openid" }"#, #"{"a":[{"password":"openid"}]}"#,
            #"{\"password\":\"openid\"}"#, #"{\\\"password\\\":\\\"openid\\\"}"#,
            #"{"password":"open\u0069d"}"#,
            #"{"password":["x", "openid"]}"#, #"{"pass\u0077ord":"openid"}"#, "password: 'openid',",
            "{password:\"openid\"}",
            "a=b; password=openid; c=d", "password=\"openid\"; Path=/", "password=openid; Secure",
            "password: openid\r\nHost: a", #"<input name="password" type=text value="openid">"#,
            "<input value=openid name=password>",
            "<input type='hidden' value='openid' class='x' id='password'/>",
            #"<input name="password" value="&#111;penid">"#, #"<meta name="password" content="openid">"#,
            "<textarea name=\"password\">openid</textarea>", "<password>openid</password>",
            "<ns:Password xmlns:ns='x'> openid </ns:Password>", "<a data-x=1 password=openid>",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nopenid\r\n--b--",
            "Content-Disposition: form-data; name=\"password\"; filename=\"x\"\r\nContent-Type: a/b\r\n\r\nopenid\r\n--b",
            "name=\"password\"\n\nopenid\n--b", #"{"name":"password","value":"openid"}"#,
            #"{"value":"openid","comment":"","name":"password"}"#,
            #"{"id":"password","type":"text","value":"openid"}"#,
            #"{"credentials":[{"type":"password","value":"openid"}]}"#,
            #"{"secret":"openid","kind":"password"}"#,
            "password=b3Blbmlk", "password=6f70656e6964&x",
            #"{"password":"b3BlbmlkIA=="}"#.replacing("IA==", with: ""),
        ]
    )
    func aValueUnderItsNameIsALeak(text: String) {
        let leaks = Self.leaks(["text": .string(text)])
        #expect(leaks.map(\.kind) == [.password])
        #expect(leaks.map(\.characters) == [6])
    }

    @Test(
        arguments: [
            "https://a.example/?scope=openid", "scope=openid+profile", "password=openids", "password=xopenid",
            "password=openid-connect", "my_password=openid", "x.password=openid", "password2=openid",
            #"{"password":"openid connect"}"#, #"{"password":"","scope":"openid"}"#,
            #"{"scope":"openid","password":"x"}"#,
            "<input name=password><input name=scope value=openid>",
            "<input name=\"passwords\" value=\"openid\">",
            #"[{"name":"password"},{"name":"scope","value":"openid"}]"#, "password=&scope=openid", "openid",
            "name=\"password\"\r\n\r\nopenid connect",
            "name=\"password\"\r\n\r\n\r\n--b\r\nname=\"scope\"\r\n\r\nopenid\r\n--b",
            "<password/><scope>openid</scope>", "password=openid%20connect".replacing("%20", with: "."),
            "password=3b3BlbmlkIA", "sid=Q7", "sid=q7a", "password=a\"b", "otp=1234567", "otp=0123456",
            #"{"otp":123456.5}"#,
        ]
    )
    func aValueElsewhereIsNoLeak(text: String) {
        #expect(Self.leaks(["text": .string(text)]).isEmpty)
    }

    @Test(
        arguments: [
            (#"{"headers":[{"name":"X-API-Key","value":"k3y"}]}"#, "headers[0].value", Secret.Kind.apiKey),
            (
                #"{"headers":[{"value":"Basic YTpi","name":"Authorization"}]}"#, "headers[0].value",
                .credentials
            ),
            (#"{"queryString":[{"name":"password","value":"openid"}]}"#, "queryString[0].value", .password),
            (#"{"queryString":[{"name":"password","value":"%6fpenid"}]}"#, "queryString[0].value", .password),
            (
                #"{"postData":{"params":[{"name":"user[email]","value":"a@b.c"}]}}"#,
                "postData.params[0].value", .email
            ),
            (#"{"cookies":[{"name":"sid","value":"q7","path":"/"}]}"#, "cookies[0].value", .cookie),
            (#"{"_x":{"password":["a","openid"]}}"#, "{0}.{0}[1]", .password),
            (#"{"otp":123456}"#, "{0}", .oneTimeCode),
            (#"{"otp":["b",123456]}"#, "{0}[1]", .oneTimeCode),
            (#"{"given_name":"J\u00fcrgen"}"#, "{0}", .personal),
            (#"{"note":"to be or not"}"#, "{0}", .personal),
            (#"{"cookies":[{"name":"sid","value":"cTc"}],"x":"note=to+be+or+not"}"#, "{1}", .personal),
        ]
    )
    func theTreeOfTheCaptureNamesValuesToo(json: String, path: String, kind: Secret.Kind) throws {
        let leaks = Self.leaks(try JSONParser.parse(json.utf8))
        #expect(leaks.map(\.path) == [path])
        #expect(leaks.map(\.kind) == [kind])
    }

    @Test(
        arguments: [
            #"{"headers":[{"name":"X-API-Key","value":"k3yy"},{"name":"Accept","value":"k3y"}]}"#,
            #"{"headers":[{"name":"Authorization","value":"Basic YTpi Zg"}]}"#,
            #"{"cookies":[{"name":"sid","value":"q8"},{"name":"sid2","value":"q7"}]}"#,
            #"{"otp":1234567}"#, #"{"password":{"openid":true}}"#, #"{"password":null,"scope":"openid"}"#,
        ]
    )
    func otherValuesInTheTreeAreNoLeak(json: String) throws {
        #expect(Self.leaks(try JSONParser.parse(json.utf8)).isEmpty)
    }

    @Test(arguments: [
        "?x=1&password=a%22b%26c&y", #"{"password":"a\"b&c"}"#,
        "<input name=password value='a&quot;b&amp;c'>",
    ])
    func valuesWithSyntaxInThemAreFound(text: String) {
        let leaks = Self.leaks(["text": .string(text)])
        #expect(leaks.map(\.characters) == [5])
    }

    @Test func aClaimInsideOfATokenIsFound() {
        let payload = SecretSpelling.base64URL.write(#"{"iss":"https://idp.example","otp":123456}"#)
        let leaks = Self.leaks([.string("id_token=eyJhbGciOiJub25lIn0.\(payload).&x")])
        #expect(leaks.map(\.kind) == [.oneTimeCode])
        #expect(leaks.map(\.encodings) == [[.base64]])
        #expect(Self.leaks([.string(SecretSpelling.base64URL.write(#"{"sid":"q7"}"#))]).count == 1)
    }

    @Test func aShortBodyThatIsBase64IsDecoded() throws {
        let json = #"{"content":{"encoding":"base64","text":"b3RwPTEyMzQ1Ng=="}}"#
        #expect(Self.leaks(try JSONParser.parse(json.utf8)).map(\.path) == ["content.text"])
    }

    @Test func longValuesAreComparedWithoutCaseAndShortOnesWithIt() {
        #expect(Self.leaks(["password": "OpenID"]).count == 1)
        #expect(Self.leaks(["X-Api-Key": "K3Y"]).isEmpty)
        #expect(Self.leaks(["X-Api-Key": "k3y"]).count == 1)
    }

    @Test func theOffsetIsThatOfTheValue() {
        let leaks = Self.leaks([.string("a=%26&password=%6Fpenid")])
        #expect(leaks.map(\.offset) == [15])
        #expect(leaks.map(\.encodings) == [[.percent]])
        #expect(Self.leaks([.string("otp=MTIzNDU2")]).map(\.encodings) == [[.base64]])
    }

    @Test func manyValuesUnderOneNameAreTellApart() {
        let values = (0..<5000).map { NamedValue("state", "s\($0)") }
        let scan = LeakScan(
            secrets: [],
            lawful: [],
            short: Dictionary(uniqueKeysWithValues: values.map { ($0, Secret.Kind.state) })
        )
        #expect(scan.leaks(in: ["state=s4999&state=s5000&nonce=s1"]).map(\.offset) == [6])
    }
}
