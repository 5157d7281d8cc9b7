import Captures
import JSON
import Sharing
import Testing

/// Secrets where nobody expects them, and beside each what looks like one, helps, and stays.
struct UnexpectedPlacesTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var name: String
        var type = "application/json"
        var headers: [(String, String)] = []
        var body: String
        var gone: [String] = []
        var stays: [String] = []
        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "who signs in at an identifier-first provider",
            body:
                #"{"identifier":"isaac.brock","credentials":{"passcode":"Tr0ub4dor"},"stateHandle":"02tYS1NHhC"}"#,
            gone: ["isaac.brock", "Tr0ub4dor"]
        ),
        Row(
            name: "an identifier of something else",
            body: #"{"identifier":"isaac.brock","theme":"dark"}"#,
            stays: ["isaac.brock", "dark"]
        ),
        Row(
            name: "an identifier in a line of a log",
            body: #"{"severity":"error","identifier":"AADB2C90080"}"#,
            stays: ["AADB2C90080"]
        ),
        Row(
            name: "where somebody lives, in words that are also names of fields",
            body: #"{"street_address":"Main Street","locality":"Mexico City","formatted":"Street Address"}"#,
            gone: ["Main Street", "Mexico City"]
        ),
        Row(
            name: "a program in a source map",
            body:
                #"{"version":3,"sources":["webpack:///src/login.js"],"sourcesContent":["const clientSecret='mead77owsx'"#
                + #";\nshow('kiravel')"],"mappings":"AAAA"}"#,
            gone: ["mead77owsx"],
            stays: ["webpack:///src/login.js", "const clientSecret=", "show('kiravel')", "AAAA"]
        ),
        Row(
            name: "a program in a page",
            type: "text/html",
            body: "<pre>$auth->login($username, $password); attempt($credentials, $remember)</pre>",
            stays: ["$auth->login($username, $password); attempt($credentials, $remember)"]
        ),
        Row(
            name: "answers to questions that somebody chose",
            body: #"{"answers":[{"question":"First pet?","answer":"Kestrelle"}],"sec_answer_1":"Augsbourg"}"#,
            gone: ["Kestrelle", "Augsbourg"],
            stays: ["First pet?"]
        ),
        Row(
            name: "answers with the marks of a sentence",
            body: #"{"answers":[{"question":"First pet?","answer":"Kestrelle!"}],"#
                + #""login":{"stateToken":"00s7","answer":"My dog Augsbourg."}}"#,
            gone: ["Kestrelle", "Augsbourg"]
        ),
        Row(
            name: "questions that many ask",
            body: #"{"faq":[{"question":"How do I sign in?","answer":"Use your e-mail address."}]}"#,
            stays: ["How do I sign in?", "Use your e-mail address."]
        ),
        Row(
            name: "the owners of an account at Plaid",
            body:
                #"{"owners":[{"names":["Alberta Charleson"],"phone_numbers":[{"data":"1112223333"}]}],"data":"x7"}"#,
            gone: ["Alberta", "Charleson", "1112223333"],
            stays: [#""data":"x7""#]
        ),
        Row(
            name: "what a passkey is made for",
            body:
                #"{"rp":{"id":"harbour.example","name":"Harbour Shop"},"user":{"id":"a2lyYXZl","name":"kiravel9","#
                + #""displayName":"Kira Velsen"}}"#,
            gone: ["a2lyYXZl", "kiravel9", "Velsen"],
            stays: ["Harbour Shop"]
        ),
        Row(
            name: "header fields in a log",
            body: #"{"headers":["cookie: sid=mead77; lang=de","authorization: Bearer owsx7x"],"#
                + #""msg":"Authorization: Bearer token is missing, Cookie: none","#
                + #""out":"got Set-Cookie: sid=owsx77; Path=/app; SameSite=Lax"}"#,
            gone: ["mead77", "owsx7x", "owsx77"],
            stays: ["; Path=/app; SameSite=Lax", "Authorization: Bearer token is missing, Cookie: none"]
        ),
        Row(
            name: "a password with a semicolon in an address",
            type: "text/plain",
            body: "https://kiravel:mead;owsx@db.example/shop",
            gone: ["kiravel", "mead", "owsx"]
        ),
        Row(
            name: "a line of a log in JSON",
            body: #"{"level":"info","msg":"signed in","user":"kiravel"}"#,
            gone: ["kiravel"],
            stays: ["signed in"]
        ),
        Row(
            name: "settings that somebody chose",
            type: "text/plain",
            body: "SESSION_SECRET=keyboard cat\nexport JWT_SECRET=\"my-dev-secret\"\nNODE_ENV=production\n"
                + "GRANT=client_secret\nDJANGO_SECRET_KEY=django-insecure-9x&k^v1z(4w)\n",
            gone: ["keyboard cat", "my-dev-secret", "9x&k^v1z"],
            stays: ["NODE_ENV=production", "GRANT=client_secret"]
        ),
        Row(
            name: "what programs print of somebody",
            body: #"{"msg":"claims {'given_name': 'Kiravel', 'aud': 'shop-web'}","#
                + #""detail":"Key (username)=(mead77x) already exists."}"#,
            gone: ["Kiravel", "mead77x"],
            stays: ["'aud': 'shop-web'", "Key (username)=("]
        ),
        Row(
            name: "what a page shows of a program's map",
            type: "text/html",
            body: "<pre>Array\n(\n    [aud] =&gt; shop-web\n    [given_name] =&gt; Kiravel\n)\n</pre>",
            gone: ["Kiravel"],
            stays: ["[aud] =&gt; shop-web", "[given_name] =&gt; "]
        ),
        Row(
            name: "maps that are written as lists of pairs",
            body: #"{"headers":[["Cookie","sid=mead77x"],["Accept","text/html"]],"#
                + #""form":[["given_name","Kiravel"],["grant_type","password"]]}"#,
            gone: ["mead77x", "Kiravel"],
            stays: ["text/html", #"["grant_type","password"]"#]
        ),
        Row(
            name: "claims and refused fields in lists of objects",
            body: #"{"a":[{"claim":"given_name","value":"Kiravel"},"#
                + #"{"name":"family_name","values":["Meadlow"]},{"name":"Color","values":["Crimson"]}],"#
                + #""errors":[{"field":"username","rejectedValue":"mead77x"},"#
                + #"{"type":"string_too_short","loc":["body","username"],"input":"ows7q"}]}"#,
            gone: ["Kiravel", "Meadlow", "mead77x", "ows7q"],
            stays: ["Crimson", "string_too_short", #"["body","username"]"#]
        ),
        Row(
            name: "members of a cookie that are called as parts of a key",
            headers: [("Cookie", #"shown={"n":"Kira Velsen","x":"mead77","v":2}"#)],
            body: "{}",
            gone: ["Kira Velsen", "mead77"],
            stays: [#""n":"#]
        ),
        Row(
            // Its header is that of another token.
            name: "a token in a sentence in base64",
            type: "text/plain",
            headers: [
                (
                    "Authorization",
                    "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJraXJhdmV4In0"
                        + ".XfNcnuRn-xM2nIPHRVD0S9Q4UyG5ExMBFmVFWe_PPio"
                )
            ],
            body: "payload aGVsbG8geW91IGV5SmhiR2NpT2lKSVV6STFOaUlzSW5SNWNDSTZJa3BYVkNKOS5leUp6ZFdJ"
                + "aU9pSnJhWEpoZG1Wc0luMC5iNVlGSUNiUWY1U2psMFhuWDhJVGRnTEQtRmQ5QVRkZ3RqZklqYlRFWXdz",
            gone: ["NVlGSUNiUWY1", "RkZ3RqZklqYlRF"],
            stays: ["payload aGVsbG8geW91"]
        ),
        Row(
            name: "a document in the text of a page",
            type: "text/html",
            body: #"<p>{"given_name": "Kiravel", "aud": "shop-web"}</p>"#
                + "<p>{&quot;username&quot;:&quot;mead77x&quot;}</p><p>{{ user.given_name }}</p>",
            gone: ["Kiravel", "mead77x"],
            stays: [#""aud": "shop-web"}"#, "{&quot;username&quot;:&quot;", "{{ user.given_name }}"]
        ),
        Row(
            name: "a list of which objects say where their values stand",
            body: #"[{"user":1},{"given_name":2,"theme":3},"Kiravel","darkish"]"#,
            gone: ["Kiravel"],
            stays: [#"[{"user":1},{"given_name":2,"theme":3},""#, "darkish"]
        ),
        Row(
            name: "a document below header fields, as messages of STOMP have it",
            type: "text/plain",
            body: "destination:/queue/1\ncontent-length:24\n\n{\"given_name\":\"Kiravel\",\"a\":\"shop\"}\0",
            gone: ["Kiravel"],
            stays: ["destination:/queue/1", "{\"given_name\":\"", "\"a\":\"shop\"}\0"]
        ),
        Row(
            name: "names of settings in a program",
            body:
                #"{"GRANT_WITH_SECRET":"${SECRET_OF_SHOP}","USES_SECRET":"secret","LABEL_APP_SECRET":"App secret"}"#,
            stays: ["${SECRET_OF_SHOP}", #""secret""#, "App secret"]
        ),
        Row(
            name: "names of errors in a program",
            body: #"{"ERR_NO_SECRET":"invalid_client","INVALID_CLIENT_SECRET":"Secret refused"}"#,
            stays: ["invalid_client", "Secret refused"]
        ),
        Row(
            name: "a file of settings with spaces around its equals signs",
            type: "text/plain",
            body: "[database]\nuser = webapp\npassword = meadow\npool = twelve\n",
            gone: ["meadow"],
            stays: ["[database]", "pool = twelve"]
        ),
        Row(
            name: "how a database is connected to",
            body: #"{"Default":"Server=db;User Id=webapp;Password=meadows;Encrypt=true"}"#,
            gone: ["meadows"],
            stays: ["Server=db;", "Encrypt=true"]
        ),
        Row(
            name: "a cell with an element around its text",
            type: "text/html",
            body: "<table><tr><td>DB_PASSWORD</td><td><pre>meadows</pre></td></tr>"
                + "<tr><td>DEBUG</td><td><pre>True</pre></td></tr></table>",
            gone: ["meadows"],
            stays: ["True"]
        ),
        Row(
            name: "what a command sends",
            type: "text/plain",
            body: "curl https://id.example/token -H \"X-Api-Key: meadows\" -d client_secret=kestrel "
                + "--data \"grant_type=password&client_secret=kestrels\"",
            gone: ["meadows", "kestrel"],
            stays: ["grant_type=password", "-H"]
        ),
        Row(
            name: "a way to reach somebody in FHIR",
            body:
                #"{"telecom":[{"system":"phone","value":"(03) 5555 6473"},{"system":"url","value":"page-7"}]}"#,
            gone: ["5555 6473"],
            stays: ["page-7"]
        ),
        Row(
            name: "texts of an app's pages",
            body: #"{"password":"Password","username":"Benutzername","firstName":"First name","#
                + #""user":{"firstName":"Kirabelle"},"error.password":"Wrong password"}"#,
            gone: ["Kirabelle"],
            stays: [#""Password""#, "Benutzername", "First name", "Wrong password"]
        ),
        Row(
            name: "passwords beside texts of an app's pages",
            body: #"{"password":"Password","username":"Username","db-password":"meadows","#
                + #""admin-password":"Kestrel and four more","new-password-x":"xenon"}"#,
            gone: ["meadows", "Kestrel and four more", "xenon"],
            stays: [#""Password""#, "Username"]
        ),
        Row(
            name: "what a script calls behind somebody's name",
            type: "application/javascript",
            body: #"t.username=this.state.name,a.request("/meadow/","POST",t);"#,
            stays: [#""/meadow/""#, #""POST""#]
        ),
        Row(
            name: "what a script makes of somebody's data",
            type: "application/javascript",
            body: #"u.birthdate=new Date("1990-04-02");u.password=atob("bWVhZG93MTI=");"#
                + #"u.username=decode("kiravel");u.password=(x,"meadow12");u.password="".concat("willow12");"#
                + #"u.clientSecret=env("SECRET","sorrel12")"#,
            gone: ["1990-04-02", "bWVhZG93MTI", "kiravel", "meadow12", "willow12", "sorrel12"]
        ),
        Row(
            name: "a password that is the word for it",
            body: #"{"username":"kiravel","password":"Password"}"#,
            gone: [#""Password""#, "kiravel"]
        ),
        Row(
            name: "the status of a SAML response, and a name of an attribute",
            type: "text/xml",
            body: #"<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/>"#
                + #"<saml:Attribute Name="urn:oid:2.5.4.42"><saml:AttributeValue>Kirabelle</saml:AttributeValue>"#,
            gone: ["Kirabelle"],
            stays: ["urn:oasis:names:tc:SAML:2.0:status:AuthnFailed", "urn:oid:2.5.4.42"]
        ),
        Row(
            name: "grants for a password",
            type: "text/html",
            body: "<p>Supported for password: urn:ietf:params:oauth:grant-type:token-exchange</p>"
                + "<p>Your password: Zk9wq!</p>",
            gone: ["Zk9wq!"],
            stays: ["grant-type:token-exchange"]
        ),
        Row(
            name: "what a provider asks for",
            headers: [
                ("X-Request-Id", "7f3d2c1b-0a9e-4f8d-b7c6-a5e4d3c2b1a0"),
                ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
                ("X-Session", "9e8d7c6b-5a4f-4e3d-92c1-b0a9f8e7d6c5"),
            ],
            body: #"{"error_codes":[7000215],"trace_id":"0a1b2c3d-0f4e-4d4c-8b8a-abcdefabcdef","#
                + #""error_uri":"https://login.example/error?code=7000215"}"#,
            gone: ["9e8d7c6b-5a4f-4e3d-92c1-b0a9f8e7d6c5"],
            stays: [
                "7f3d2c1b-0a9e-4f8d-b7c6-a5e4d3c2b1a0",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "[7000215]",
                "0a1b2c3d-0f4e-4d4c-8b8a-abcdefabcdef", "error?code=7000215",
            ]
        ),
        Row(
            name: "digits of a session, by which a server calls its requests, too",
            headers: [("X-Request-Id", "928374650192837"), ("Cookie", "sid=928374650192837")],
            body: "{}",
            gone: ["928374650192837"]
        ),
        Row(
            name: "somebody's address by which a server calls its requests",
            headers: [("X-Request-Id", "kiravel@harbour.example")],
            body: "{}",
            gone: ["kiravel"]
        ),
        Row(
            name: "a session by which a server calls its requests, too",
            headers: [
                ("X-Request-Id", "9e8d7c6b-5a4f-4e3d-92c1-b0a9f8e7d6c5"),
                ("Cookie", "sid=9e8d7c6b-5a4f-4e3d-92c1-b0a9f8e7d6c5"),
            ],
            body: "{}",
            gone: ["9e8d7c6b-5a4f-4e3d-92c1-b0a9f8e7d6c5"]
        ),
    ]

    static let protocolRows = [
        Row(
            name: "somebody in the address of a FHIR server",
            body:
                #"{"fhirUser":"https://fhir.harbour.example/r4/Practitioner/smart-12","#
                + #""next":"https://fhir.harbour.example/r4/Patient/erXuFYUfucBZ"}"#,
            gone: ["smart-12", "erXuFYUfucBZ"],
            stays: ["https://fhir.harbour.example/r4/Practitioner/", "/r4/Patient/"]
        ),
        Row(
            name: "a relative reference to somebody",
            body: #"{"fhirUser":"Practitioner/smart-12","about":"Observation/lab-7"}"#,
            gone: ["smart-12"],
            stays: [#""Practitioner/"#, "Observation/lab-7"]
        ),
        Row(
            name: "what a FHIR server does",
            body:
                #"{"a":"https://fhir.harbour.example/r4/Patient/_search","b":"https://fhir.harbour.example/Patient/"#
                + #"$everything","c":"https://www.harbour.example/Patient/login","d":"https://x.example/Observation/lab-7"}"#,
            stays: ["/Patient/_search", "/Patient/$everything", "/Patient/login", "/Observation/lab-7"]
        ),
        Row(
            name: "the hash of a query that everybody asks",
            body:
                #"{"operationName":"Me","extensions":{"persistedQuery":{"version":1,"sha256Hash":"#
                + #""ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}}"#,
            stays: ["ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"]
        ),
        Row(
            name: "a hash of something else",
            body:
                #"{"file":{"sha256Hash":"0b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38ecf4edb46db4"}}"#,
            gone: ["0b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38ecf4edb46db4"]
        ),
        Row(
            name: "a token in several lines",
            type: "text/plain",
            body:
                "Here it is:\neyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI3NzMxIiwibmFtZSI\n6IktpcmEgVmVsc2VuIiwiaXNzIjoiaHR0cHM6Ly9pZC5leGFtcGxlIn0.SflKxwR\nJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c\nand bye\n",
            gone: [
                "zdWIiOiI3NzMxIiwibmFtZSI", "6IktpcmEgVmVsc2VuIiwiaXNzIjoiaHR0cHM6Ly9",
                "JSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
            ],
            stays: ["Here it is:\n", "\nand bye\n"]
        ),
        Row(
            name: "a token in several lines that are moved in",
            type: "text/plain",
            body:
                "Here it is:\n  eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI3NzMxIiwibmFtZSI\n  6IktpcmEgVmVsc2VuIiwiaXNzIjoiaHR0cHM6Ly9pZC5leGFtcGxlIn0.SflKxwR\n  JSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c\nand bye\n",
            gone: ["zdWIiOiI3NzMxIiwibmFtZSI"],
            stays: ["Here it is:\n  ", "\nand bye\n"]
        ),
        Row(
            name: "a session in a header of an app's own",
            headers: [
                ("X-Acme-Sid", "9f8e7d6c5b4a"), ("X-Acme-Side", "9f8e7d6c"), ("X-Shop-Sid", "healthy"),
            ],
            body: "{}",
            gone: ["9f8e7d6c5b4a"],
            stays: ["9f8e7d6c", "healthy"]
        ),
        Row(
            name: "a holder that is a key",
            body:
                #"{"holder":"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK","issuer":"did:web:id.example"}"#,
            gone: ["z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"],
            stays: [#""did:key:"#, "did:web:id.example"]
        ),
    ]

    private static let escapes: [(name: String, escape: @Sendable (UInt8) -> String)] = [
        ("character references", { "&#\($0);" }), ("percent signs", { "%" + String($0, radix: 16) }),
        ("escapes of scripts", { "\\x" + String($0, radix: 16) }),
        ("escapes of JSON", { "\\u00" + String($0, radix: 16) }),
    ]

    /// A token each character of which is escaped, so that nothing of it looks drawn as it stands.
    static let escapedRows = escapes.map { escape -> Row in
        let token = "q7Zr2LkX9vTb4WmN8cYp1HsJ".utf8.map(escape.escape).joined()
        let words = "harbour-words-of-nobody".utf8.map(escape.escape).joined()
        return Row(
            name: "a token in \(escape.name)",
            type: "text/html",
            body: "<p>it is \(token) and \(words)</p>",
            gone: [token],
            stays: ["<p>it is ", words]
        )
    }

    @Test(arguments: rows + protocolRows + namedRows + escapedRows + serviceRows + loginRows)
    func secretIsGoneAndItsNeighbourStays(row: Row) throws {
        var world = try SharingWorld()
        world.append("https://app.shop.example/page", headers: row.headers, type: row.type, body: row.body)
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(shared.differences.isEmpty)
        let entry = try shared.entry(shared.capture.count - 1)
        let fields = entry["request"]?["headers"]?.array?.compactMap { $0["value"]?.string } ?? []
        let text = fields.joined(separator: "\n") + (entry["response"]?["content"]?["text"]?.string ?? "")
        for secret in row.gone { #expect(!text.contains(secret)) }
        for harmless in row.stays { #expect(text.contains(harmless)) }
    }

    /// What an app's pages say of passwords stands in their other texts as well, and in the names of these.
    @Test(arguments: [
        #""ldap-password-algorithm":"Algorithm","ldap-password-algorithm-crypt-sha512":"CRYPT-SHA512""#,
        #""format":"e.g. domain/{username}, {username}@id.example","update-password-body":"Body: Use {USERNAME}, {IP}, {PLACE}""#,
        #""connection":"e.g. host=localhost dbname=db user=user password=password""#,
    ])
    func textsOfPagesAreNoReasonToRefuse(more: String) throws {
        var world = try SharingWorld()
        world.append(
            "https://id.harbour.example/locales/en.json",
            json: #"{"password":"Password","username":"Username",\#(more)}"#
        )
        world.options.keepsAll = true
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options)
        #expect(outcome.isProven, "\(outcome.leaks)")
    }
}
