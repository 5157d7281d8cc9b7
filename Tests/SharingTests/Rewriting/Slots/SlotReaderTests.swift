import TestSupport
import Testing

@testable import Sharing

/// Which values a text has, and under which names.
struct SlotReaderTests {
    /// `name=value` of each slot, in order of their places.
    private static func slots(_ text: String, _ kind: TextKind) -> [String] {
        let bytes = Array(text.utf8)
        return SlotReader.slots(in: bytes[...], as: kind).sorted { $0.range.lowerBound < $1.range.lowerBound }
            .map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }

    @Test(arguments: [
        (
            "https://a.example/x/y?code=1&state=a%20b#id_token=z",
            ["(path)=x", "(path)=y", "code=1", "state=a%20b", "id_token=z"]
        ),
        ("com.example.app:/cb?code=1", ["(path)=com.example.app:", "(path)=cb", "code=1"]),
        ("https://user:pw@a.example/", ["username=user", "password=pw"]),
        ("https://user:p;w@a.example/", ["username=user", "password=p;w"]),
        // What drivers of Java read.
        (
            "jdbc:mysql://db:3306/app?user=bolund&password=x1",
            ["(path)=app", "user=bolund", "password=x1"]
        ),
        (
            "jdbc:sqlserver://db:1433;databaseName=app;password=x1;encrypt=true",
            ["databaseName=app", "password=x1", "encrypt=true"]
        ),
        // The number of an error, and a code of an app's own page.
        ("https://login.example/error?code=700016", ["(path)=error", "error_code=700016"]),
        ("https://login.example/error?code=x700016", ["(path)=error", "code=x700016"]),
        ("https://login.example/cb?code=700016", ["(path)=cb", "code=700016"]),
        // A semicolon separates as well, but for what is secret as a whole.
        (
            "/s?view=public;password=x&a=b;c;d=e",
            ["(path)=s", "view=public", "password=x", "a=b;c;d=e"]
        ),
        ("/s?state=a;b=c", ["(path)=s", "state=a;b=c"]),
        // What lets in who has it, and words that are written together.
        ("/reset/42/GeoZdMEncKhV", ["(path)=reset", "(path)=42", "ticket=GeoZdMEncKhV"]),
        ("/join/Kq7Zt2", ["(path)=join", "ticket=Kq7Zt2"]),
        ("/invitations/4f9a1c/accept", ["(path)=invitations", "ticket=4f9a1c", "(path)=accept"]),
        ("/verify/step10", ["(path)=verify", "(path)=step10"]),
        ("/reset/getUser", ["(path)=reset", "(path)=getUser"]),
        ("/verify/acceptInvitation", ["(path)=verify", "(path)=acceptInvitation"]),
        ("/v3/person/S1234567A/?x=1", ["(path)=v3", "(path)=person", "uinfin=S1234567A", "x=1"]),
        ("/person/S123456/", ["(path)=person", "(path)=S123456"]),
        ("/users(userPrincipalName='quill')/x", ["userPrincipalName=quill", "(path)=x"]),
        // Behind a blank another text stands, but for the mark of a sanitizer, and for values with their spaces.
        ("/s?a=[state redacted]&pwd=x1 b=2", ["(path)=s", "a=[state redacted]", "pwd=x1", "=b=2"]),
        ("/s?a=[state redacted] &pwd=x1\n", ["(path)=s", "a=[state redacted] ", "pwd=x1"]),
        ("/s?a=not found here&pwd=x1\nb=2\n", ["(path)=s", "a=not found here", "pwd=x1", "=b=2"]),
        ("/s?a=1 b=2&pwd=x1", ["(path)=s", "a=1", "=b=2&pwd=x1"]),
        ("/s?a=1 & b=2", ["(path)=s", "a=1", "=& b=2"]),
        ("/s;jsessionid=42?x=1&&y", ["(path)=s", "jsessionid=42", "x=1", "=y"]), ("", []),
    ])
    func partsOfURLs(text: String, expected: [String]) {
        #expect(Self.slots(text, .url) == expected)
    }

    @Test func mapOfRubyIsReadThoughItBeginsAsJSONDoes() {
        #expect(Self.slots(#"{"user"=>{"username"=>"bolund"}}"#, .json).contains("username=bolund"))
        #expect(!Self.slots(#"{"user":{"label":"username => bolund"}}"#, .json).contains("username=bolund"))
    }

    /// Before JSON, and behind claims, words are read as in a text.
    @Test(arguments: [
        (TextKind.json, #"login failed; password=zem4K {"a":"b"}"#, true),
        (.json, #"login (3) failed: the password is zem4Kestrel {"a":"b"}"#, true),
        (.json, #"const login = f; password=zem4K {"a":"b"}"#, true),
        (.json, #"password=zem4K;f({"a":"b"})"#, false),
    ])
    func wordsBeforeADocumentAreRead(kind: TextKind, text: String, areRead: Bool) {
        #expect(Self.slots(text, kind).contains { $0.hasPrefix("password=zem4K") } == areRead)
    }

    @Test func wordsBehindClaimsAreATextByThemselves() {
        #expect(
            Self.slots(#"{"sub":"x"} see password=zem4K"#, .claims) == ["sub=x", "=see password=zem4K"]
        )
    }

    @Test func elementThatSaysANameIsNobody() {
        func told(_ name: String) -> [String] {
            Self.slots("<a:P><a:Name>\(name)</a:Name><a:Value>bolund</a:Value></a:P>", .html)
        }
        #expect(told("username").contains("username=bolund") && !told("username").contains("name=username"))
        #expect(told("Philippa").contains("name=Philippa"))
    }

    @Test(arguments: [
        (TextKind.form, "a=1&b%5B%5D=2&c=&=3\r\n", ["a=1", "b[]=2", "c=", "=3"]),
        // Who signs in, by the password beside; what else is called so.
        (.form, "log=ada&pwd=x1&rem=1", ["username=ada", "pwd=x1", "rem=1"]),
        (.form, "sap-user=ADA&sap-password=x1", ["username=ADA", "sap-password=x1"]),
        (.form, "benutzer=ada&passwort=x1", ["username=ada", "passwort=x1"]),
        (.form, "Utilisateur=ada&motdepasse=x1", ["username=ada", "motdepasse=x1"]),
        (.form, "usuario=ada&idioma=es", ["usuario=ada", "idioma=es"]),
        (.form, "log=ada&level=x1", ["log=ada", "level=x1"]),
        (.form, "id=42&newuser=true&pwd=x1", ["id=42", "newuser=true", "pwd=x1"]),
        (.form, "a=1;b=2;c;", ["a=1", "b=2", "=c"]), (.form, "a=1;", ["a=1"]),
        // A table, of which the line breaks are encoded.
        (.form, "a=id;name%0A1;Ada", ["a=id;name%0A1;Ada"]), (.form, "id;name%0A1;x", ["=id;name%0A1;x"]),
        (.cookies, "a=1; b=x=y;c ; d = 4", ["a=1", "b=x=y", "=c", "d=4"]),
        (.setCookie, "sid=1; Path=/; HttpOnly\nother=2; Secure", ["sid=1", "other=2"]),
        (.baggage, "userId=ada%40b,node=x;p=1 , c", ["userId=ada%40b", "node=x", "p=1", "=c"]),
        (.authorization, "Bearer abc", ["access_token=abc"]),
        (.authorization, "DPoP  abc ", ["access_token=abc"]),
        (.authorization, "Basic YTpi", ["(basic)=YTpi"]),
        (.authorization, "opaque", ["authorization=opaque"]),
        (.authorization, "Negotiate abc", ["authorization=abc"]),
        (.authorization, "Custom YWJjZA==", ["authorization=YWJjZA=="]),
        (.authorization, "Token token=0a1b2c3d", ["authorization=0a1b2c3d"]),
        (
            .authorization,
            "Digest username=\"ada\", realm=\"r\", nonce=\"8f2c1d9a\", uri=\"/a?b\", response=\"0a1b2c3d\", qop=auth",
            [
                "username=ada", "realm=r", "authorization=8f2c1d9a", "uri=/a?b", "authorization=0a1b2c3d",
                "qop=auth",
            ]
        ),
        (
            .authorization,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/x/s3/aws4_request, SignedHeaders=host;date, Signature=0a1b2c3d",
            ["authorization=AKIDEXAMPLE", "SignedHeaders=host;date", "Signature=0a1b2c3d"]
        ),
        (.authorization, "OAuth a, oauth_token=x", ["authorization=a, oauth_token=x"]),
        (.disposition, "attachment; x=y; FileName=\"a;b.pdf\"; size=3", ["(file)=a;b"]),
        (.disposition, "attachment; filename*=UTF-8''a%20b.pdf", ["(file)=a%20b"]),
        (.disposition, "attachment; filename =a; filename", []),
    ])
    func partsOfFormsAndHeaders(kind: TextKind, text: String, expected: [String]) {
        #expect(Self.slots(text, kind) == expected)
    }

    @Test(arguments: [
        (#"{"a":"1","b":{"c":["2","3"]},"d":4}"#, ["a=1", "c=2", "c=3", "d=4"]),
        (#"{"sub" : "x","n":1.5,"e":-3}"#, ["sub=x", "n=1.5"]),
        // What a value is called by stands around it.
        (#"{"mobileno":{"nbr":{"value":"97"}}}"#, ["mobileno=97"]), (#"{"a":"b\"c","d":"#, [#"a=b\"c"#]),
        (#"{"race":{"code":"CN","desc":"CHINESE"}}"#, ["race=CN", "race=CHINESE"]),
        (#"{"device":{"serialNumber":"x"},"serialNumber":"y"}"#, ["device_serial=x", "serialNumber=y"]),
        (#"{"error":{"code":"CN","desc":"x"}}"#, ["error_code=CN", "desc=x"]),
        // What servers say of a password that they do not take.
        (
            #"{"loc":["body","password"],"msg":"x","input":"zem4K!"}"#,
            ["loc=body", "=password", "msg=x", "password=zem4K!"]
        ),
        (#"{"field":"password","rejectedValue":"zem4K!"}"#, ["=password", "password=zem4K!"]),
        // What it is called by stands beside it, in the words of many makes.
        (#"{"name":"IDToken2","value":"x"}"#, ["=IDToken2", "IDToken2=x"]),
        (#"{"Value":"x","Name":"phone_number"}"#, ["phone_number=x", "=phone_number"]),
        (#"{"typ":"surname","val":"x"}"#, ["=surname", "surname=x"]),
        (#"{"key":"enduser.id","value":{"stringValue":"x"}}"#, ["key=enduser.id", "enduser.id=x"]),
        (#"{"phones":[{"type":"mobile","value":"1x"}]}"#, ["type=mobile", "phones=1x"]),
        // Words for a password say it wherever they stand.
        (#"{"credentials":[{"type":"password","value":"x"}]}"#, ["=password", "password=x"]),
        (#"{"credentials":{"value":"x","type":"pw"}}"#, ["pw=x", "=pw"]),
        (#"{"name":"j_1","type":"password","value":"x"}"#, ["name=j_1", "=password", "password=x"]),
        (#"{"type":"password","name":"j_1","value":"x"}"#, ["=password", "name=j_1", "password=x"]),
        (#"{"kind":"otp","data":"1x"}"#, ["=otp", "otp=1x"]),
        (#"{"kind":"mobile","data":"1x"}"#, ["kind=mobile", "data=1x"]),
        ("f({type: 'password', value: 'x'})", ["=password", "password=x"]),
        ("var s = {\"token\": \"x\", k: 'y'};", ["token=x", "k=y"]),
        // Cut off.
        (#"{"a":1,"password":"never en"#, ["a=1", "password=never en"]), (#"{"a":1,"never"#, ["a=1"]),
        ("var a = \"x\nb()", []), ("var a = 1; // or\" b", ["a=1"]),
    ])
    func stringsAndNumbersOfJSON(text: String, expected: [String]) {
        #expect(Self.slots(text, .json) == expected)
    }

    @Test(arguments: [
        (#"<input type=hidden name="csrf" value="a&amp;b">"#, ["csrf=a&amp;b"]),
        (#"<a href='/x?code=1'>x</a><p class="y">"#, ["href=/x?code=1"]),
        (#"<meta http-equiv="refresh" content="0; url=/cb?code=1">"#, ["content=/cb?code=1"]),
        (#"<meta http-equiv="refresh" content="0;/cb?code=1">"#, ["content=/cb?code=1"]),
        (#"<meta http-equiv="refresh" content=" 1.5 , URL = '/cb?a=1'">"#, ["content=/cb?a=1"]),
        (#"<meta name="csrf-token" content="q7Zr==">"#, ["csrf-token=q7Zr=="]),
        (#"<meta name="csrf-token" content="7Zr=x">"#, ["csrf-token=7Zr=x"]),
        (#"<meta id="to" http-equiv="refresh" content="0;/cb?code=1">"#, ["content=/cb?code=1"]),
        (#"<meta name="phone" content="415 555 0163">"#, ["phone=415 555 0163"]),
        (#"<script>var a = {"token":"x"}</script><input id=q value=1>"#, ["token=x", "q=1"]),
        (#"<SCRIPT>var a = "</b"</SCRIPT><input name=pin value="4829">"#, ["a=</b", "pin=4829"]),
        (#"<script>var a = "x"</Script ><input name=pin value="4829">"#, ["a=x", "pin=4829"]),
        ("<dl><dt> name: </dt><dd>\n x y</dd></dl>", ["name=x y"]),
        ("<tr><td>email</td><td>x</td></tr><tr><td>y</td></tr>", ["email=x"]),
        (#"<meta property="profile:username" content="x">"#, ["profile:username=x"]),
        (#"<img srcset="/a?t=1 1x, /b?t=2&amp;u 2x" alt="/c?t=3">"#, ["=/a?t=1", "=/b?t=2&amp;u"]),
        ("<p style=\"color:red;background:url('/a?t=1')\">", ["=/a?t=1"]),
        ("<p style='background:url(&quot;/a?t=1&amp;u=2&quot;);top:0'>", ["=/a?t=1&amp;u=2"]),
        ("<style>a{b:url(/a?t=1),url(\"/b?t=2\")}c{d:e}</style>", ["=/a?t=1", "=/b?t=2"]),
        ("<video poster=/a?t=1></video><object data=/b?t=2>", ["poster=/a?t=1", "data=/b?t=2"]),
        ("<input name=broken value=\"never ends", ["broken=never ends"]), ("a < b", []),
    ])
    func fieldsOfPages(text: String, expected: [String]) {
        #expect(Self.slots(text, .html) == expected)
    }

    /// What stands between an element of XML and its text, and what stands there instead of it.
    @Test(arguments: [
        ("<a:b><!-- x --><!--y-->z</a:b>", ["b=z"]),
        ("<a:b><!-- x --> y <!-- > --><![CDATA[z]]></a:b>", ["b=z"]),
        ("<a:b><!--> z</a:b>", ["b= z"]), ("<a:b><!-- <p><c:d>z</c:d></a:b>", ["d=z"]),
        ("<a:b><!-- <c:d>x</c:d> -->z</a:b>", ["b=z"]), ("<a:b><![CDATA[<c:d>z</c:d>", ["d=z"]),
        ("<a:b><![CDATA[x]]><c:d><![CDATA[]]></c:d><e:f><![CDATA[z", ["b=x"]),
    ])
    func textOfAnElement(text: String, expected: [String]) {
        #expect(Self.slots(text, .html) == expected)
    }

    /// Comments and `CDATA` that do not end, or end behind many elements; marks behind which no parameter stands.
    @Test(arguments: [
        (TextKind.html, "<a:b><![CDATA[]]]]]]]]", ""), (.html, "<a:b><!--", ""), (.html, "<a:b><!--", "-->"),
        (.html, "<a:b><!--", "--><!--"), (.disposition, ": filenam", ""),
    ])
    func timeGrowsWithTheText(kind: TextKind, unit: String, end: String) {
        func seconds(_ bytes: Int) -> Double {
            let count = bytes / (unit + end).utf8.count
            let text = [unit, end].map { String(repeating: $0, count: count) }.joined()
            return ProcessorTime.seconds { _ = Self.slots(text, kind) }
        }
        let small = seconds(10_000)
        // Eight times the text: linear is 8, quadratic 64.
        #expect(seconds(80_000) < 20 * max(small, 0.002))
    }

    /// A picture that says very often what it shows.
    @Test func timeGrowsWithTheAttributes() {
        func seconds(_ count: Int) -> Double {
            let text = "<img" + String(repeating: " alt=\"Ada Quill\"", count: count) + " class=avatar>"
            return ProcessorTime.seconds { _ = Self.slots(text, .html) }
        }
        let few = seconds(1_000)
        // Eight times the attributes: linear is 8, quadratic 64.
        #expect(seconds(8_000) < 20 * max(few, 0.002))
    }

    @Test(arguments: [
        ("{\"a\":1}", TextKind.json), ("  [1]", .json), ("<p>", .html), ("https://a.example", .url),
        ("/a/b", .url),
        ("/a?b", .url), ("users.add?auth=1", .url), ("a=b?c=d", .form), ("users?a=1", .text),
        ("so? a=b", .text),
        ("app:/cb?code=1", .url), ("a=1&b=2", .form), ("a=b c", .text), ("==", .text),
        ("x", .text),
        ("2+/3=", .text), ("", .text),
    ])
    func kindIsGuessed(text: String, kind: TextKind) {
        #expect(TextKind.guessed(Array(text.utf8)[...]) == kind)
    }

    @Test func partsOfARawMessage() {
        let message = "POST /token?a=1 HTTP/1.1\r\nAuthorization: Basic YTpi\r\nX-A: 2\r\n\r\ncode=3"
        #expect(
            Self.slots(message, .lines) == [
                "url=/token?a=1", "Authorization=Basic YTpi", "X-A=2", "text=code=3",
            ]
        )
        #expect(TextKind.guessed(Array(message.utf8)[...]) == .lines)
    }

    @Test(arguments: ["\r\n", "\n"])
    func partsOfARawMessageWithoutFields(lineBreak: String) {
        let message = "POST /cb HTTP/1.1\(lineBreak)\(lineBreak)code=3"
        #expect(Self.slots(message, .lines) == ["url=/cb", "text=code=3"])
        #expect(Self.slots("HTTP/1.1 204 No Content\(lineBreak)\(lineBreak)", .lines).isEmpty)
    }

    /// Where a value stands in the lines below its name (YAML).
    @Test(arguments: [
        ("db:\n  password: |\n    zem4\n  host: x\n", ["db=", "password=zem4", "host=x"]),
        ("password: >-\n  zem4", ["password=zem4"]), ("password: |\nhost: x", ["host=x"]),
        ("a: |b", ["a=|b"]),
        ("password: |\n  zem4\n\n  kestrel\nhost: x", ["password=zem4", "password=kestrel", "host=x"]),
        ("secret: |\n  -----BEGIN X-----\n  zem4\n  -----END X-----\n", ["secret=zem4"]),
        // What is said in a block is told where it stands.
        ("password: |\n  pin: |\n    zem4", ["password=pin: |", "pin=|", "password=zem4"]),
        ("config: |\n  password: |\n    zem4", ["config=|", "password=zem4"]),
    ])
    func valueMayStandBelowItsName(text: String, slots: [String]) {
        #expect(Self.slots(text, .lines) == slots)
    }

    /// A line without a name of its own is read as any text.
    @Test(arguments: [
        ("a=1\nthe password is zem4Kestrel!\nb=2", ["a=1", "password=zem4Kestrel!", "b=2"]),
        ("a=1\n| password |\n|---|\n| zem4K! |\n", ["a=1", "password=zem4K!"]),
        // What stands in a value is told where that is read.
        ("a=password zem4Kestrel!\n", ["a=password zem4Kestrel!"]),
    ])
    func textBetweenLinesIsRead(text: String, slots: [String]) {
        #expect(Self.slots(text, .lines) == slots)
    }

    /// A name is somebody's beside what only people have.
    @Test(arguments: [
        (
            "users:\n  - name: Ada Quill\n    email: ada@mail.example\n",
            ["users=", "display_name=Ada Quill", "email=ada@mail.example"]
        ),
        (
            "dn: x\nobjectClass: person\ncn: Ada Quill\nsn: Quill\n",
            ["dn=x", "objectClass=person", "display_name=Ada Quill", "display_name=Quill"]
        ),
        ("name: shop\na: 1\nb: 2\nmail: c\n", ["name=shop", "a=1", "b=2", "mail=c"]),
        ("name: shop\npassword: x\n", ["name=shop", "password=x"]),
        ("cn: cn\nsn: sn\nmail: mail\n", ["cn=cn", "sn=sn", "mail=mail"]),
        ("cn: admins\ngid: 7\n", ["cn=admins", "gid=7"]),
    ])
    func linesNameSomebody(text: String, slots: [String]) {
        #expect(Self.slots(text, .lines) == slots)
    }

    /// What the object says, or the one around it, in which the value stands.
    @Test(arguments: [
        (
            #"{"birthdays":[{"date":{"year":1988,"month":11,"day":2},"text":"11/02/1988"}]}"#,
            ["birthyear=1988", "birthmonth=11", "dayofbirth=2", "birthdate=11/02/1988"]
        ),
        (#"{"birthDate":{"year":1988}}"#, ["birthyear=1988"]),
        (#"{"date":{"year":1988},"text":"a"}"#, ["year=1988", "text=a"]),
        (
            #"{"SchemeName":"UK.OBIE.IBAN","Identification":"802001","Name":"Ada Quill"}"#,
            ["SchemeName=UK.OBIE.IBAN", "accountNumber=802001", "displayName=Ada Quill"]
        ),
        (
            #"{"Identification":"802001","Name":"Ada Quill","SchemeName":"UK.OBIE.IBAN"}"#,
            ["accountNumber=802001", "displayName=Ada Quill", "SchemeName=UK.OBIE.IBAN"]
        ),
        (#"{"identification":"76109277673","rel":"CPF"}"#, ["accountNumber=76109277673", "rel=CPF"]),
        (
            #"{"compeCode":"001","number":"94088392","checkDigit":"4"}"#,
            ["compeCode=001", "accountNumber=94088392", "checkDigit=4"]
        ),
        (#"{"rel":"self","number":"94088392"}"#, ["rel=self", "number=94088392"]),
        (#"{"valueQuantity":{"value":72,"unit":"kg"}}"#, ["valueQuantity=72", "=kg"]),
        (#"{"unit":"12","street":"a"}"#, ["unit=12", "street=a"]),
        (#"{"usuario":"bolund","senha":"zem4K!"}"#, ["username=bolund", "senha=zem4K!"]),
        (#"{"usuario":"bolund","scope":"a"}"#, ["usuario=bolund", "scope=a"]),
        (#"{"schemeName":"OAuth2","name":"Shop"}"#, ["schemeName=OAuth2", "name=Shop"]),
        (#"{"Identification":"ACME4","Name":"Shop"}"#, ["Identification=ACME4", "Name=Shop"]),
        (
            #"{"backup_codes":[{"code":"48217730","used":false},{"code":"90271183"}]}"#,
            ["backup_codes=48217730", "backup_codes=90271183"]
        ),
        (
            #"{"error":{"code":"Request_Denied","innerError":{"code":"A_B"}},"code":"c"}"#,
            ["error_code=Request_Denied", "error_code=A_B", "code=c"]
        ),
        (#"{"totp":{"code":"expired"},"codes":[{"code":"E-7"}]}"#, ["code=expired", "code=E-7"]),
    ])
    func memberIsCalledByWhatItStandsIn(text: String, slots: [String]) {
        #expect(Self.slots(text, .json) == slots)
    }

    @Test func mappingOfYAMLInOneLineIsRead() {
        #expect(Self.slots("{user: bo, password: zem4K!}", .json) == ["password=zem4K!"])
    }

    @Test func columnsOfATableNameItsCells() {
        let table = "id,email,birth_date\r\n1,\"a@b.example\",1990-01-31\r\n2,\"x, y\",\r\nno row\r\n"
        #expect(
            Self.slots(table, .text) == [
                "id=1", "email=a@b.example", "birth_date=1990-01-31", "id=2", "email=x, y",
            ]
        )
        #expect(TextKind.guessed(Array(table.utf8)[...]) == .text)
        #expect(Self.slots("id;geburtsdatum\n1;31.01.1990", .text) == ["id=1", "geburtsdatum=31.01.1990"])
        #expect(Self.slots("Hello, you\nand you, too", .text).isEmpty)
    }

    /// As spreadsheets write them, and as they are cut.
    @Test func tablesWithAMarkBlanksAndOtherRows() {
        let table = "\u{feff}Given Name,E-Mail,note\nAda,a@b.example\nMax,,x,password=b\nno row\n"
        #expect(
            Self.slots(table, .text) == [
                "Given Name=Ada", "E-Mail=a@b.example", "Given Name=Max", "note=x", "=password=b",
            ]
        )
        #expect(Self.slots("Dear Ada and all of you,Max\nx,y", .text).isEmpty)
    }

    /// What a contact has of somebody, under the names of other documents.
    @Test func propertiesOfAContact() {
        let card = """
            BEGIN:VCARD\r
            VERSION:3.0\r
            N:Lovelace;Ada;;;\r
            FN:Ada Lovelace\r
            item1.TEL;TYPE=cell:+49 171 5550199\r
            BDAY:1990-01-31\r
            ADR;TYPE=home:;;12 Mill Lane;Ely;;CB7 4AB;UK\r
            END:VCARD\r

            """
        #expect(TextKind.guessed(Array(card.utf8)[...]) == .lines)
        #expect(
            Self.slots(card, .lines) == [
                "BEGIN=VCARD", "VERSION=3.0", "family_name=Lovelace", "given_name=Ada",
                "full_name=Ada Lovelace", "phone_number=+49 171 5550199", "birthdate=1990-01-31",
                "street_address=12 Mill Lane", "=Ely", "postal_code=CB7 4AB", "=UK", "END=VCARD",
            ]
        )
    }

    /// A text is not read less for it that it begins as a contact does.
    @Test func otherLinesOfAContactAreReadToo() {
        let card = "BEGIN:VCARD\nN:Lovelace;;;;pwd=b\nNOTE:password=a\nclient_secret=c\nX-Secret: d\nFN:\n"
        #expect(
            Self.slots(card, .lines) == [
                "BEGIN=VCARD", "family_name=Lovelace", "=pwd=b", "NOTE=password=a", "client_secret=c",
                "X-Secret=d", "FN=",
            ]
        )
        #expect(Self.slots("BEGIN:VCARDS\nN:a", .lines) == ["BEGIN=VCARDS", "N=a"])
    }

    /// A line that goes on in the next one (RFC 6350, section 3.2) is one property; one that is indented is not folded.
    @Test func linesOfAContactGoOn() throws {
        let card =
            "BEGIN:VCARD\r\nFN:Ada Love\r\n lace\r\nTEL;TYPE=\r\n\tcell:\r\n +49 171\r\nN:Love\r\n lace;A\r\n da;;;\r\n"
            + "NOTE:pass\r\n word=a1\r\nEND:VCARD\r\n"
        #expect(
            Self.slots(card, .lines) == [
                "BEGIN=VCARD", "full_name=Ada Love\r\n lace", "phone_number=+49 171",
                "family_name=Love\r\n lace", "given_name=A\r\n da", "NOTE=pass\r\n word=a1", "END=VCARD",
            ]
        )
        #expect(
            Self.slots("  BEGIN:VCARD\n  FN:Ada\n  TEL:12\n", .lines) == [
                "BEGIN=VCARD", "full_name=Ada", "phone_number=12",
            ]
        )
        // Read as one, written as two lines.
        var met: [String] = []
        let walker = TextWalker { value in
            met.append("\(value.name)=\(value.text)")
            return value.name == "full_name" ? Array("Eva Hasenfuß".utf8) : nil
        }
        let other = try #require(walker.rewriting(Array(card.utf8), as: .lines))
        #expect(met.contains("full_name=Ada Lovelace") && met.contains("password=a1"))
        #expect(String(decoding: other, as: UTF8.self).contains("\r\nTEL;TYPE=\r\n\tcell:"))
        let same = TextWalker { $0.name == "full_name" ? Array("Eva Hasobaum".utf8) : nil }
        #expect(
            same.rewriting(Array(card.utf8), as: .lines)
                .map { String(decoding: $0, as: UTF8.self).contains("FN:Eva Haso\r\n baum\r\n") } == true
        )
    }
}
