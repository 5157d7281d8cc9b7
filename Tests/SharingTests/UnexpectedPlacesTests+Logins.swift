/// What sign-in pages, providers' interfaces and the logs of those who sign in somebody hold.
extension UnexpectedPlacesTests {
    static let loginRows: [Row] = [
        Row(
            name: "names of somebody that providers have of their own",
            body:
                #"{"USER_ID_FOR_SRP":"veldmuis","sUserDisplayName":"Hazelaar","custom:employee_no":"K77x","custNo":"57551313","#
                + #""birth_family_name":"Zandhaas","also_known_as":"Bolund","mothersMaidenName":"Wezel","acct":"ijsvogel","#
                + #""secretPhrase":"mead77owsx","displayNames":"kestrel","acct_type":"harbour"}"#,
            gone: [
                "veldmuis", "Hazelaar", "K77x", "57551313", "Zandhaas", "Bolund", "Wezel", "ijsvogel",
                "mead77owsx",
            ],
            stays: ["kestrel", "harbour"]
        ),
        Row(
            name: "what a status says, and whether somebody belongs to a tenant",
            body: #"{"acct":7,"statusMessage":"harbour closed","acct_type":"kestrel"}"#,
            gone: [],
            stays: [#""acct":7"#, "harbour closed"]
        ),
        Row(
            name: "an assertion among the words of a log",
            type: "text/plain",
            body: "09:15 DEBUG decoder - got " + response("mead77x", "Kiravel") + " from idp.example\n"
                + "09:16 DEBUG encoder - size <kestrel> of " + response("owsx88x", "Velsen") + "\n",
            gone: ["mead77x", "Kiravel", "owsx88x", "Velsen"],
            stays: [
                "09:15 DEBUG decoder - got <samlp:Response", "</samlp:Response> from idp.example",
                "09:16 DEBUG encoder - size <kestrel> of ", #"FriendlyName="givenName""#,
            ]
        ),
        Row(
            name: "an assertion that a page shows, and one that is cut",
            type: "text/html",
            body: "<p>got " + escaped(response("mead77x", "Kiravel")) + " from idp.example</p><p>"
                + escaped("cut: " + response("owsx88x", "Velsen").dropLast(20)) + "</p>",
            gone: ["mead77x", "Kiravel", "owsx88x", "Velsen"],
            stays: ["<p>got &lt;samlp:Response", "from idp.example</p>", "<p>cut: "]
        ),
        Row(
            name: "who signs in, as servers log it",
            type: "text/plain",
            body: "2026-03-26 09:15:00 warn: Invalid password for user bolund7.\n"
                + "due to invalid credentials for user hazel8a\nset up for user pool2, a scope for user level3",
            gone: ["bolund7", "hazel8a"],
            stays: ["for user pool2", "for user level3"]
        ),
        Row(
            name: "a log with a document in one of its lines",
            type: "text/plain",
            body: "03-26 09:15:00.125 D OkHttp: grant_type=password&username=bolund&password=mead77owsx\n"
                + #"03-26 09:15:00.126 D OkHttp: {"scope":"openid","given_name":"Kiravel"}"# + "\n"
                + "03-26 09:15:00.127 D Auth: (User{name='Zandhaas', age=7}) kept\n",
            gone: ["bolund", "mead77owsx", "Kiravel", "Zandhaas"],
            stays: [
                "03-26 09:15:00.126 D OkHttp: {\"scope\":\"openid\",", "grant_type=password", " kept",
                "03-26 09:15:00.127 D Auth: (User{name='",
            ]
        ),
        Row(
            name: "a connection to a database in a line of a log",
            type: "text/plain",
            body: "dbug: Npgsql[0]\n      Host=db7;Username=app;Password=mead77owsx;Database=shop\n",
            gone: ["mead77owsx"],
            stays: ["dbug: Npgsql[0]\n      Host=db7;", ";Database=shop"]
        ),
        Row(
            name: "the password that Google's page sends by its place",
            body:
                #"["AEThLl",null,1,null,[1,null,null,null,["mead77owsx",null,true]],[2,["kestrel7x",null,true]]]"#,
            gone: ["mead77owsx"],
            stays: ["AEThLl", "kestrel7x"]
        ),
        Row(
            name: "whom a message of a step of a sign-in names",
            body:
                #"{"type":"authentication-step","actions":[],"messages":[{"text":"Zandhaas","classList":["userName"]},"#
                + #"{"text":"Harbour","classList":["heading"]}]}"#,
            gone: ["Zandhaas"],
            stays: ["Harbour", "userName"]
        ),
        Row(
            name: "a contact as a list",
            body:
                #"{"vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","Kira Velsen"],["n",{},"text","#
                + #"["Velsen","Kira","","",""]],["bday",{"x":"y"},"date","1973-09-19"],["note",{},"text","harbour pilot"]]]}"#,
            gone: ["Velsen", "Kira", "1973-09-19"],
            stays: [#"["version",{},"text","4.0"]"#, #"["fn",{},"text","#, "harbour pilot"]
        ),
        Row(
            name: "what WordPress has of somebody for addresses",
            body: #"[{"id":7,"name":"Harbour","slug":"bolund","avatar_urls":{"24":"https://pic.example/a"}},"#
                + #"{"id":8,"slug":"kestrel-post","link":"https://shop.example/author/veldmuis/"}]"#,
            gone: ["bolund", "veldmuis"],
            stays: ["kestrel-post", "https://shop.example/author/"]
        ),
        Row(
            name: "what somebody answers who is asked how they sign in",
            body:
                #"{"messages":[{"text":"What is your username?"},{"text":"veldmuis"},{"text":"And your password?"},"#
                + #"{"text":"mead77owsx"},{"text":"Forgot your password?"},{"text":"kestrel7x"},"#
                + #"{"text":"Your password:"},{"text":"harbour-pilot"},{"text":"Your username:"},{"text":"onwards"}]}"#,
            gone: ["veldmuis", "mead77owsx"],
            stays: ["What is your username?", "kestrel7x", "harbour-pilot", "onwards"]
        ),
        Row(
            name: "somebody to scan",
            body:
                #"{"qr":"MECARD:N:Velsen,Kira;TEL:+6581234567;BDAY:19730919;NOTE:harbour;;","no":"MECARD:N:Bolund"}"#,
            gone: ["Velsen", "Kira", "81234567", "19730919"],
            stays: ["MECARD:N:", "NOTE:harbour;;", "MECARD:N:Bolund"]
        ),
        Row(
            name: "whose account at Google a page is of",
            type: "text/html",
            body: "<a aria-label=\"Google Account: Kira Velsen (kv@mail.example)\" href=\"/x\">harbour</a>"
                + "<a aria-label=\"Google Account: Settings\">pilot</a>",
            gone: ["Kira", "Velsen", "kv@mail.example"],
            stays: ["\"Google Account: ", "Google Account: Settings"]
        ),
        Row(
            name: "whose account Google offers",
            type: "text/html",
            body:
                "<ul><li data-identifier=\"kv@mail.example\"><div><img alt=\"\"></div> <div>Kira Velsen</div></li>"
                + "<li data-identifier=\"\"><div>Harbour Pilot</div></li></ul>",
            gone: ["Kira", "Velsen", "kv@mail.example"],
            stays: ["Harbour Pilot", "<li data-identifier=\"\">"]
        ),
        Row(
            name: "somebody by a decentralized identifier",
            body:
                #"{"sub":"did:example:zandhaas","subject_id":"did:web7:id.example:kestrelle","a":"did:example:x"}"#,
            gone: ["zandhaas", "kestrelle"],
            stays: [#""did:example:"#, #""did:web7:"#, #""a":"did:example:x""#]
        ),
        Row(
            name: "what a page of ForgeRock AM knows and does not show",
            body:
                #"{"callbacks":[{"type":"HiddenValueCallback","output":[{"name":"value","value":"zandhaas"},{"name":"id","#
                + #""value":"userName"}],"input":[{"name":"IDToken1","value":"userName"}]},{"type":"HiddenValueCallback","#
                + #""output":[{"name":"value","value":"kestrel"},{"name":"id","value":"theme"}],"input":[{"name":"IDToken2","#
                + #""value":"theme"}]}]}"#,
            gone: ["zandhaas"],
            stays: [
                "kestrel", #""name":"IDToken1","value":"userName""#, #""name":"IDToken2","value":"theme""#,
            ]
        ),
        Row(
            name: "whose tokens Amplify keeps",
            headers: [
                (
                    "Cookie",
                    "CognitoIdentityServiceProvider.6k2q5s8t1v3x7z9b4n6m0p2r5d.zandhaas.clockDrift=0; "
                        + "CognitoIdentityServiceProvider.6k2q5s8t1v3x7z9b4n6m0p2r5d.bo.veldmuis.userData=x"
                )
            ],
            body:
                #"{"localStorage":[{"name":"CognitoIdentityServiceProvider.6k2q5s8t1v3x7z9b4n6m0p2r5d.hazelaar7.clockDrift","#
                + #""value":"0"},{"name":"CognitoIdentityServiceProvider.6k2q5s8t1v3x7z9b4n6m0p2r5d.LastAuthUser","value":"x"}]}"#,
            gone: ["zandhaas", "veldmuis", "hazelaar7"],
            stays: [
                "CognitoIdentityServiceProvider.6k2q5s8t1v3x7z9b4n6m0p2r5d.", ".clockDrift=0; ",
                ".clockDrift\"",
            ]
        ),
        Row(
            name: "the second name of a file",
            headers: [
                (
                    "Content-Disposition",
                    "attachment; filename=\"Zandhaas.pdf\"; filename*=UTF-8''Konto%20Hazelaar.pdf"
                )
            ],
            body: "{}",
            gone: ["Zandhaas", "Hazelaar"],
            stays: ["attachment; filename=\"", ".pdf\"; filename*=UTF-8''", ".pdf"]
        ),
        Row(
            name: "who did not sign in, as a page says it",
            type: "text/html",
            body:
                "<title>Login failed for user &#39;bolund&#39;.</title><p>The user &#39;manual&#39; is here.</p>",
            gone: ["bolund"],
            stays: ["<title>Login failed for user &#39;", "<p>The user &#39;manual&#39; is here.</p>"]
        ),
        Row(
            name: "whom a page tells its analytics of",
            type: "text/html",
            body:
                #"<script>Sentry.setUser({id:"bolund",username:"veldmuis"});analytics.identify("hazelaar",{plan:"pro"});"#
                + #"shop.setTheme({id:"kestrel",username:true});shop.find("harbour",{plan:"x"})</script>"#,
            gone: ["bolund", "veldmuis", "hazelaar"],
            stays: [#"{plan:"pro"}"#, #"{id:"kestrel","#, #"shop.find("harbour","#]
        ),
        Row(
            name: "the account beside a password, as a form prints itself",
            type: "text/plain",
            body: "[LoginForm[userId=bolund, pwd=mead77owsx, plan=pro]]",
            gone: ["bolund", "mead77owsx"],
            stays: ["plan=pro"]
        ),
        Row(
            name: "somebody's picture, and who is called when something happens to them",
            body:
                #"{"user":{"email":"kv@mail.example","name":"Kira Velsen","image":"https://pic.example/veldmuis7"},"#
                + #""localAccountId":"bolund.hazelaar"}"#,
            gone: ["Velsen", "veldmuis7", "bolund.hazelaar"],
            stays: ["https://pic.example/"]
        ),
        Row(
            name: "who is called when something happens to somebody, and a thing",
            body:
                #"{"emergencyContact":{"name":"Zandhaas"},"product":{"name":"kestrel","image":"https://x.example/harbour"}}"#,
            gone: ["Zandhaas"],
            stays: ["kestrel", "https://x.example/harbour"]
        ),
        Row(
            name: "claims of wallets and universities, and members of providers' profiles",
            body:
                #"{"resident_address":"Zeedijk 7","resident_city":"Urk","personal_administrative_number":"PA7","#
                + #""family_name_birth":"Zandhaas","eduPersonPrincipalName":"veldmuis@uni","personaname":"Bolund","#
                + #""payer_id":"W7X","profile_image":"https://pic.example/hazelaar","steamid":"76561198000000007","#
                + #""resident_key":"required","bio":"kestrel"}"#,
            gone: [
                "Zeedijk", "Urk", "PA7", "Zandhaas", "veldmuis", "Bolund", "W7X", "hazelaar",
                "76561198000000007",
            ],
            stays: ["https://pic.example/", #""resident_key":"required""#, "kestrel"]
        ),
        Row(
            name: "the fields of a form in pairs",
            type: "application/x-www-form-urlencoded",
            body:
                "fields%5B0%5D%5Bname%5D=password&fields%5B0%5D%5Bvalue%5D=kestrelle&inputs[1].name=given_name"
                + "&inputs[1].value=Zandhaas&x[2].name=theme&x[2].value=harbour",
            gone: ["kestrelle", "Zandhaas"],
            stays: ["%5Bname%5D=password&", "inputs[1].name=given_name&", "x[2].value=harbour"]
        ),
        Row(
            name: "what Python prints of what it sends",
            type: "text/plain",
            body: "DEBUG:urllib3:b'grant_type=password&username=bolund&password=mead77owsx'\n"
                + #"send: b'POST /token HTTP/1.1\r\nHost: x\r\n\r\nscope=openid&client_secret=owsx88kestrel'"#
                + "\n",
            gone: ["bolund", "mead77owsx", "owsx88kestrel"],
            stays: ["b'grant_type=password&", #"send: b'POST /token HTTP/1.1\r\n"#, "scope=openid&"]
        ),
        Row(
            name: "a sign-in with names of one letter",
            body: #"["signin",{"u":"veldmuis","p":"mead77owsx","v":"kestrel"}]"#,
            gone: ["veldmuis", "mead77owsx"],
            stays: ["signin", "kestrel"]
        ),
        Row(
            name: "a session in base64 behind somebody's address",
            body: #"{"email":"kv@mail.example","y":"\#(session)"}"#,
            gone: [String(session.suffix(24))]
        ),
        Row(
            name: "who signed in at a server that shows its variables",
            type: "text/html",
            body:
                "<table><tr><td>$_SERVER['PHP_AUTH_USER']</td><td>veldmuis</td></tr><tr><td>$_SERVER['PHP_AUTH_PW']</td>"
                + "<td>mead77owsx</td></tr><tr><td>$_SERVER['SERVER_SOFTWARE']</td><td>kestrel</td></tr></table>",
            gone: ["veldmuis", "mead77owsx"],
            stays: ["$_SERVER['PHP_AUTH_USER']", "kestrel"]
        ),
        Row(
            name: "an assertion in a log that has a document in another line",
            type: "text/plain",
            body: #"2026-03-26 09:15:00 INFO {"scope":"openid"}"# + "\n2026-03-26 09:15:01 DEBUG (saml) "
                + response("mead77x", "Kiravel") + " done\n",
            gone: ["mead77x", "Kiravel"],
            stays: [#"INFO {"scope":"openid"}"#, "2026-03-26 09:15:01 DEBUG (saml) <samlp:Response", " done"]
        ),
        Row(
            name: "names beside addresses in lists",
            body:
                #"[[null,"Kira Velsen","https://pic.example/a","kv@mail.example"],["bo@mail.example","Bo Zandhaas"],"#
                + #"["Harbour Pilot",["x@mail.example"]],["Kestrel Shop","noreply@mail.example"],["harbour","y@mail.example"]]"#,
            gone: ["Velsen", "Zandhaas", "kv@mail.example"],
            stays: ["Harbour Pilot", "Kestrel Shop", #"["harbour","#]
        ),
        Row(
            name: "who signs in and by what, in more languages",
            body:
                #"{"아이디":"veldmuis","用户名":"bolund","اسم_المستخدم":"hazelaar","รหัสผ่าน":"mead77owsx","סיסמה":"owsx88","#
                + #""kata_laluan":"zem4Kq","nombreCompleto":"Kira Velsen","prénom":"Zandhaas","rememberedUser":"wezel7","#
                + #""κωδικός_σφάλματος":"kestrel","ajs_user_id":"ijsvogel"}"#,
            gone: [
                "veldmuis", "bolund", "hazelaar", "mead77owsx", "owsx88", "zem4Kq", "Velsen", "Zandhaas",
                "wezel7", "ijsvogel",
            ],
            stays: ["kestrel"]
        ),
    ]

    /// A SAML response for somebody.
    private static func response(_ subject: String, _ name: String) -> String {
        #"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"><saml:Subject><saml:NameID>"#
            + subject
            + #"</saml:NameID></saml:Subject><saml:Attribute Name="urn:oid:2.5.4.42" FriendlyName="givenName">"#
            + "<saml:AttributeValue>\(name)</saml:AttributeValue></saml:Attribute></samlp:Response>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }

    /// Bytes, an address and a key, in base64.
    private static let session =
        "Cg9rdkBtYWlsLmV4YW1wbGUSAU1kTXRNN2o0ZzRScTh5Wi1qaVVHV19VVEk3czJQbXNI"
}
