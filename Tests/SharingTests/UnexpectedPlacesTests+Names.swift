/// What is found by where it stands, and by what devices, places and databases' columns are called.
extension UnexpectedPlacesTests {
    static let namedRows: [Row] = [
        Row(
            name: "a phone number with an extension",
            body: #"{"phone_number":"+49 30 61749284 ext. 8916204","msg":"calling 030 61749284 now"}"#,
            gone: ["61749284", "8916204"],
            stays: [" ext. ", "calling 0"]
        ),
        Row(
            name: "tokens in mail, quoted and with soft line breaks",
            type: "text/plain",
            body:
                "Open=20this:\r\nhttps://x.example/a?lang=3Dde&token=3DKq7ZtPqW9aVbN2mXcD4fGh=\r\nJ5kLmN8oPq&b=3D1\r\n"
                + "> eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI3NzMxIiwibmFtZSI\r\n> 6IktpcmEgVmVsc2VuIiwiaXNzIjoiaHR0cHM6Ly9pZC5leGFtcGxlIn0.SflKxwR\r\n> JSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c\r\nBye\r\n",
            gone: [
                "Kq7ZtPqW9aVb", "J5kLmN8oPq", "zdWIiOiI3NzMxIiwibmFtZSI",
                "JSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
            ],
            stays: ["Open=20this:", "lang=3Dde&token=3D", "&b=3D1", "Bye"]
        ),
        Row(
            name: "a token behind the equals sign of mail",
            type: "text/plain",
            body: "Hello=20there\nhttps://x.example/verify?token=3DeyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
                + "eyJzdWIiOiI3NzMxIiwibmFtZSI6IktpcmEgVmVsc2VuIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c\n",
            gone: ["SflKxwRJSMeK", "eyJzdWIiOiI3NzMxIiwibmFtZSI6IktpcmEg"],
            stays: ["Hello=20there", "verify?token=3DeyJ"]
        ),
        Row(
            name: "a token in a page that is still encoded as mail",
            body: #"{"raw":"<a href=3D\"https://x.example/v?token=3DeyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."#
                + #"eyJzdWIiOiI3NzMxIiwibmFtZSI6IktpcmEgVmVsc2VuIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c\">x</a>"}"#,
            gone: ["SflKxwRJSMeK", "eyJzdWIiOiI3NzMxIiwibmFtZSI6IktpcmEg"],
            stays: ["token=3DeyJ"]
        ),
        Row(
            name: "cookies that somebody pasted",
            body: #"{"comment":"my cookies:\nsid\tzem4Kestrel\tshop.example\t/\tSession\t19\n"#
                + #"got <NSHTTPCookie version:0 name:\"sid\" value:\"zem5Kestrel\" domain:\"shop.example\">"}"#,
            gone: ["zem4Kestrel", "zem5Kestrel"],
            stays: ["my cookies:", "shop.example", "Session", "domain:"]
        ),
        Row(
            name: "what a provider asks for when it is told of an error",
            body: #"{"error":"invalid_client","error_description":"AADSTS700016: No such application."#
                + #" Trace ID: f8cdef31-a31e-4b4a-93e4-5f571e91255a Correlation ID: 2e2f1b1a-9c11-4b4a-93e4-5f571e91255b"#
                + #" Session: 7d1c2f5e-5b1a-4d2c-8e3f-6a7b8c9d0e1f"}"#,
            gone: ["7d1c2f5e-5b1a-4d2c-8e3f-6a7b8c9d0e1f"],
            stays: ["f8cdef31-a31e-4b4a-93e4-5f571e91255a", "2e2f1b1a-9c11-4b4a-93e4-5f571e91255b"]
        ),
        Row(
            name: "the files of a page",
            type: "text/html",
            body:
                "<script src=\"/static/start-page.9c1b7a2f.chunk.js\"></script><a href=\"/p/other-door.7d2e4c9a.thing\">x</a>",
            gone: ["other-door.7d2e4c9a.thing"],
            stays: ["/static/start-page.9c1b7a2f.chunk.js"]
        ),
        Row(
            name: "what programs log of requests",
            type: "text/plain",
            body: "--> POST https://as.example/token\nAccept: text/html\n"
                + "grant_type=refresh_token&refresh_token=rtok77QzXy&client_secret=Zq7csx\n<-- 200 OK\n",
            gone: ["rtok77QzXy", "Zq7csx"],
            stays: ["grant_type=refresh_token&refresh_token=", "&client_secret=", "Accept: text/html"]
        ),
        Row(
            name: "what curl logs, before a document",
            type: "text/plain",
            body: "> GET /me?pin=7712 HTTP/1.1\n> Cookie: sid=cv77Qz; theme=dark\n> X-Api-Key: ak77QzXyZ\n"
                + "> Accept: */*\n< HTTP/1.1 200\n< set-cookie: refresh=cv78Qz; HttpOnly\n{\"theme\":\"darkish\"}\n",
            gone: ["pin=7712", "cv77Qz", "ak77QzXyZ", "cv78Qz"],
            stays: ["> Cookie: sid=", "> Accept: */*", "; HttpOnly", "darkish"]
        ),
        Row(
            name: "a dictionary that an app prints",
            type: "text/plain",
            body: "App[123:456] response = {\n    \"access_token\" = \"atnd77Qz-Xy\";\n"
                + "    \"given_name\" = Kiravel;\n    \"theme\" = darkish;\n}",
            gone: ["atnd77Qz-Xy", "Kiravel"],
            stays: ["darkish"]
        ),
        Row(
            name: "cookies in a file",
            type: "text/plain",
            body: "# Netscape HTTP Cookie File\n.x.example\tTRUE\t/\tTRUE\t1790000000\tSID\tg.a78=qX\n"
                + "#HttpOnly_.x.example\tTRUE\t/\tFALSE\t0\tsessid\tzq78wx\nA\tTRUE\tB\tdarkish\n",
            gone: ["g.a78=qX", "zq78wx"],
            stays: ["SID", "sessid", "darkish"]
        ),
        Row(
            name: "cookies in a file, among settings",
            type: "text/plain",
            body: "jar:\n.x.example\tTRUE\t/\tTRUE\t1790000000.5\tSID\tga78qx\n"
                + ".x.example\tTRUE\t/\tFALSE\t-1\tsessid\tzq78wx\ntheme=darkish\n",
            gone: ["ga78qx", "zq78wx"],
            stays: ["SID", "sessid", "darkish"]
        ),
        Row(
            name: "a dictionary that an app prints, by itself",
            type: "text/plain",
            body: "response = {\n    \"given_name\" = Kiravel;\n    \"theme\" = darkish;\n}",
            gone: ["Kiravel"],
            stays: ["darkish"]
        ),
        Row(
            name: "a device's token as it is printed",
            body:
                #"{"deviceToken":"<740f4707 bebcf74f 9b7c25d4 8e335894 5f6aa01d a5ddb387>","pushToken":"<null>"}"#,
            gone: ["740f4707 bebcf74f", "a5ddb387"],
            stays: ["<null>"]
        ),
        Row(
            name: "lines that end with padding",
            type: "text/plain",
            body: "harbourshopping=\nlighthousekeeper\n",
            stays: ["harbourshopping=", "lighthousekeeper"]
        ),
        Row(
            name: "a register's document in a string",
            body:
                #"{"payload":"{\"uinfin\":{\"value\":\"S9812381D\"},\"name\":{\"value\":\"KIRAVEL MEADLOW\"}}"}"#,
            gone: ["S9812381D", "KIRAVEL", "MEADLOW"]
        ),
        Row(
            name: "attributes that a callback of ForgeRock AM asks for",
            body:
                #"{"callbacks":[{"type":"StringAttributeInputCallback","output":[{"name":"name","value":"givenName"},"#
                + #"{"name":"prompt","value":"First Name"},{"name":"value","value":"Kiravel"}],"#
                + #""input":[{"name":"IDToken1","value":"Meadlowe"}]},{"type":"HiddenValueCallback","#
                + #""output":[{"name":"value","value":"darkish"}]}],"text":"Hello Meadlowe"}"#,
            gone: ["Kiravel", "Meadlowe"],
            stays: ["givenName", "First Name", "darkish"]
        ),
        Row(
            name: "who signs in at ForgeRock AM, and what AM says of them",
            body:
                #"{"callbacks":[{"type":"NameCallback","output":[{"name":"prompt","value":"User Name"}],"#
                + #""input":[{"name":"IDToken1","value":"meadlow"}]},{"type":"PasswordCallback","#
                + #""input":[{"name":"IDToken2","value":"zem4K"}]}],"text":"not zem4K","id":"meadlow","#
                + #""session":{"id":"bolund","dn":"id=bolund,ou=user,dc=am","realm":"/alpha"}}"#,
            gone: ["meadlow", "zem4K", "bolund"],
            stays: ["User Name", "/alpha"]
        ),
        Row(
            name: "somebody in Google's People API",
            body:
                #"{"resourceName":"people/110248495921238986420","nicknames":[{"value":"Kiravel"}],"#
                + #""biographies":[{"value":"I keep bees"}],"relations":[{"person":"Tarn Meadlowe","type":"spouse"}]}"#,
            gone: ["Kiravel", "I keep bees", "Tarn", "Meadlowe"],
            stays: ["spouse"]
        ),
        Row(
            name: "an account in the address for an authenticator",
            body:
                #"{"url":"otpauth://totp/Harbour:kiravel?secret=JBSWY3DPEHPK3PXP&issuer=Harbour","#
                + #""push":"pushauth://push/Harbour%3Ameadlowe?issuer=Harbour","open":"demo://push/Harbour:quill"}"#,
            gone: ["kiravel", "meadlowe", "JBSWY3DPEHPK3PXP"],
            stays: ["otpauth://totp/Harbour:", "issuer=Harbour", "Harbour%3A", "Harbour:quill"]
        ),
        Row(
            name: "where somebody lives, in a register's document",
            body:
                #"{"uinfin":{"value":"S9812381D"},"regadd":{"type":"SG","country":{"code":"SG","desc":"SINGAPORE"}}}"#,
            gone: ["S9812381D", #""type":"SG""#, #""code":"SG""#]
        ),
        Row(
            name: "a company in a register's document",
            body:
                #"{"entity":{"basic-profile":{"uen":{"value":"201912345X"},"entity-name":{"value":"KIRAVEL PTE LTD"}}}}"#,
            gone: ["201912345X", "KIRAVEL"]
        ),
        Row(
            name: "what a register says in a word that is also a name",
            body:
                #"{"uinfin":{"value":"S9812381D"},"housingtype":{"value":"authorization_level"},"authorization_level":"high"}"#,
            gone: ["S9812381D", #""value":"authorization_level""#],
            stays: [#""authorization_level":"#]
        ),
        Row(
            name: "whom somebody signs in for with Corppass",
            body:
                #"{"sub":"x","entityInfo":{"CPEntID":"T08GB0046X","CPEnt_TYPE":"UEN","CPEnt_Status":"Registered"}}"#,
            gone: ["T08GB0046X"],
            stays: [#""CPEnt_TYPE":"UEN","CPEnt_Status":"Registered""#]
        ),
        Row(
            name: "a subject of Singpass",
            body: #"{"sub":"s=S9812381D,u=1c0cee38-3a8f-4f8a-83bc-7a0e4c59d6a9"}"#,
            gone: ["S9812381D", "1c0cee38"],
            stays: [#""sub":"s="#, ",u="]
        ),
        Row(
            name: "links that let somebody in",
            body: #"{"link":"https://www.shop.example/activate/kestrel27xyz","text":"Open "#
                + #"https://www.shop.example/reset-password/mead77owsx now, or https://www.shop.example/pages/quill27xyz"}"#,
            gone: ["kestrel27xyz", "mead77owsx"],
            stays: ["/activate/", "https://www.shop.example/reset-password/", "/pages/quill27xyz"]
        ),
        Row(
            name: "a name in the type of a database",
            body: #"{"Item":{"family_name":{"S":"Kiravel"},"theme":{"S":"darkish"}}}"#,
            gone: ["Kiravel"],
            stays: [#""theme":{"S":"darkish"}"#]
        ),
        Row(
            name: "texts of a page in several languages",
            body: #"{"password":{"en":"Choose one","de":"Bitte wählen"}}"#,
            stays: ["Choose one", "Bitte wählen"]
        ),
        Row(
            name: "what an element of XML has in another one",
            type: "application/xml",
            body: "<?xml version=\"1.0\"?><r><familyName><value>Kiravel</value></familyName>"
                + "<familyName/><value>darkish</value><nickname></nickname><value>lightish</value></r>",
            gone: ["Kiravel"],
            stays: ["<familyName/><value>darkish</value>", "<value>lightish</value>"]
        ),
        Row(
            name: "members of a document among lines",
            type: "text/plain",
            body:
                "status=ok\nmode=3\n{\n  \"aa\": {\n    \"given_name\": \"Kiravel\",\n    \"theme\": \"darkish\"\n  }\n}",
            gone: ["Kiravel"],
            stays: ["status=ok", "\"theme\": \"darkish\""]
        ),
        Row(
            name: "the state of a component in a page",
            type: "text/html",
            body:
                "<div wire:snapshot=\"{&quot;family_name&quot;:&quot;Kiravel&quot;,&quot;a&quot;:&quot;darkish&quot;}\">",
            gone: ["Kiravel"],
            stays: ["&quot;darkish&quot;"]
        ),
        Row(
            name: "a value that is there already, and the columns of its row",
            body:
                #"{"message":"Duplicate entry 'kiravel7' for key 'users_username_unique' (SQL: insert into "#
                + #"`users` (`username`, `password`, `theme`) values (kiravel7, zem4K!x, darkish))"}"#,
            gone: ["kiravel7", "zem4K!x"],
            stays: ["(`username`, `password`, `theme`)", "darkish"]
        ),
        Row(
            name: "the owner of a device in a page",
            type: "text/html",
            body: "<li>Kiravel&#39;s iPhone</li><p>Hi Kiravel</p><p>Open it on your iPhone</p>",
            gone: ["Kiravel"],
            stays: ["s iPhone</li>", "on your iPhone"]
        ),
        Row(
            name: "a device under a name that is somebody's",
            body: #"{"display_name":"Kiravel's iPhone","agent":"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5)"}"#,
            gone: ["Kiravel"],
            stays: ["Mozilla/5.0 (iPhone; CPU iPhone OS 17_5)"]
        ),
        Row(
            name: "where somebody is, and other pairs of numbers",
            body:
                #"{"location":"52.373169,4.890660","ll":"48.8566,2.3522","position":"12,40","size":"1.250,2.500"}"#,
            gone: ["52.373169", "48.8566"],
            stays: ["12,40", "1.250,2.500"]
        ),
        Row(
            name: "where somebody is, west of Greenwich",
            body:
                #"{"geolocation":{"lat":37.7201,"lon":-122.4567},"latitude":-33.8688,"balance":-122.5,"at":-1}"#,
            gone: ["37.7201", "122.4567", "33.8688"],
            stays: [#""balance":-122.5,"at":-1"#]
        ),
        Row(
            name: "a network and what somebody drives",
            body: #"{"ssid":"Kiravels Netz","licensePlate":"SLA1306H","network":"wifi","plates":2}"#,
            gone: ["Kiravels Netz", "SLA1306H"],
            stays: [#""network":"wifi""#]
        ),
        Row(
            name: "whose a card is, and another holder",
            body: #"{"card":{"last4":"1111","holder":"KIRAVEL MEADLOW"},"proof":{"holder":"any wallet"}}"#,
            gone: ["KIRAVEL MEADLOW"],
            stays: [#""holder":"any wallet""#]
        ),
        Row(
            name: "a log of IIS",
            type: "text/plain",
            headers: [("X-Internal-User", "meadlowk")],
            body: "#Software: IIS\r\n#Fields: date s-ip cs-method cs-username sc-status\r\n"
                + "2026-03-01 - GET CORP\\kiravel 200\r\n2026-03-01 - GET - 401\r\n",
            gone: ["kiravel", "meadlowk"],
            stays: ["GET CORP\\", "GET - 401"]
        ),
        Row(
            name: "a dump of Symfony",
            type: "text/html",
            body: "<pre class=sf-dump>\n  \"<span class=sf-dump-key>username</span>\" => "
                + "\"<span class=sf-dump-str title=\"7 characters\">kiravel</span>\"\n"
                + "  #<span class=sf-dump-protected title=\"Protected property\">password</span>: "
                + "\"<span class=sf-dump-str>meadows</span>\"\n  \"<span class=sf-dump-key>theme</span>\" => "
                + "\"<span class=sf-dump-str>darkish</span>\"\n</pre>",
            gone: ["kiravel", "meadows"],
            stays: ["sf-dump-key>username<", "darkish"]
        ),
        Row(
            name: "a document in colours",
            type: "text/html",
            body: "<pre><span>{</span>\n <i>\"given_name\"</i>: <b>\"Kiravel\"</b>,\n <i>\"theme\"</i>: "
                + "<b>\"darkish\"</b>\n}</pre><pre>'password' <b>=&gt;</b> <small>string</small> "
                + "<b>'mead77x'</b> <i>(length=7)</i></pre>",
            gone: ["Kiravel", "mead77x"],
            stays: ["<b>\"darkish\"</b>", "<i>(length=7)</i>"]
        ),
        Row(
            name: "whom a search is for",
            body: #"{"a":"https://api.shop.example/users?q=Kiravel+Meadlow&limit=10","#
                + #""b":"https://graph.shop.example/v1.0/people?%24search=%22Owsell%22","#
                + #""c":"https://api.shop.example/themes?q=darkish","d":"https://api.shop.example/users?q=active"}"#,
            gone: ["Kiravel", "Meadlow", "Owsell"],
            stays: ["&limit=10", "themes?q=darkish", "users?q=active"]
        ),
        Row(
            name: "accounts in addresses",
            body:
                #"{"a":"https://api.shop.example/username/kiravel/exists","b":"https://api.shop.example/users/mead/x","#
                + #""c":"https://api.shop.example/users/sign_in","d":"https://api.shop.example/users/findByEmail?x=1","#
                + #""e":"https://id.other.example/users/owsell/authorize?x=1","f":"https://shop.example/u/zandhaas/posts","#
                + #""g":"https://id.other.example/u/harbour-picker?x=1","h":"https://id.other.example/u/login/id"}"#,
            gone: ["kiravel", "/mead/", "zandhaas"],
            stays: [
                "/u/harbour-picker", "/u/login/id", "/posts", "/exists", "/users/sign_in",
                "/users/findByEmail", "/users/owsell/authorize",
            ]
        ),
        Row(
            name: "who signed in where a page was come from",
            headers: [("Referer", "https://app.shop.example/x?login=kiravel.7&a=b#login=mead_low")],
            body:
                #"{"a":"https://x.example/?login=success","b":"https://x.example/?login=oauth2.google","c":"https://x.example/?login=harbour"}"#,
            gone: ["kiravel.7", "mead_low"],
            stays: ["?login=success", "?login=oauth2.google", "?login=harbour", "&a=b#login="]
        ),
        Row(
            name: "an account that an issuer is called by",
            body:
                #"{"issuer":"https://id.other.example/users/mead-low","a":"https://id.other.example/users/mead-low/x","#
                + #""authorization_endpoint":"https://id.other.example/users/kiravel/authorize"}"#,
            stays: [#"other.example/users/mead-low/x""#, #"other.example/users/kiravel/authorize""#]
        ),
        Row(
            name: "numbers of people in base64",
            body: #"{"a":"UzEyMzQ1NjdE","mobileno":"+65 9123 4567","b":"OTEyMzQ1Njc=","c":"c2hvcC13ZWI3"}"#,
            gone: ["UzEyMzQ1NjdE", "OTEyMzQ1Njc"],
            stays: ["c2hvcC13ZWI3"]
        ),
        Row(
            name: "whose computer a page comes from",
            headers: [
                ("Origin", "http://kiravels-macbook-pro.local:3000"),
                ("Referer", "http://kiravels-macbook-pro.local:3000/a"),
            ],
            body: #"{"a":"https://www-pc.shop.example/","b":"http://build-pc.local"}"#,
            gone: ["kiravel"],
            stays: ["-macbook-pro.local:3000", "https://www-pc.shop.example/", "build-pc.local"]
        ),
        Row(
            name: "what a telephone is known by",
            body: #"{"adid":"696b90f5c848ec50","hardwareId":"5696aee2b852a6a8","vendor":"acmeframe77"}"#,
            gone: ["696b90f5c848ec50", "5696aee2b852a6a8"],
            stays: ["acmeframe77"]
        ),
        Row(
            name: "users to choose from",
            type: "text/html",
            body:
                #"<select name="user"><option value="bolund">Kira Velsen</option><option value="">Choose a user"#
                + #"</option><option value="existing">Existing Customer</option></select><select name="lang"><option value="english">English</option></select>"#,
            gone: ["bolund", "Kira", "Velsen"],
            stays: ["Choose a user", #""existing">Existing Customer"#, #""english">English"#]
        ),
        Row(
            name: "who signs in, in a table with passwords",
            type: "text/html",
            body: "<table><tr><th>User</th><th>Password</th><th>Team</th></tr>"
                + "<tr><td>bolund</td><td>zem4Kq9</td><td>harbour</td></tr></table><table>"
                + "<tr><td>User Flow Chart</td></tr><tr><td>Hello Kira Velsen,</td></tr></table>",
            gone: ["bolund", "zem4Kq9", "Kira", "Velsen"],
            stays: ["harbour", "User Flow Chart"]
        ),
        Row(
            name: "whose a device is, without an apostrophe",
            body: #"{"deviceName":"Kiravels iPhone","model":"iPhone 15","old":{"deviceName":"Windows PC"},"#
                + #""hostname":"docs-mac.local","title":"The Docs","own":[{"deviceName":"Meadas Handy"},"#
                + #"{"deviceName":"Sales phone"}]}"#,
            gone: ["Kiravels", "Meadas"],
            stays: ["iPhone 15", "Windows PC", "docs-mac.local", "The Docs", "Sales phone"]
        ),
        Row(
            name: "settings in a page, in colours",
            type: "text/html",
            body:
                #"<pre><span class="na">username</span><span class="pi">:</span> <span class="s">bolund</span>"#
                + "\n<span>password</span><span>:</span> <span>kestrel</span>\n<b>theme</b>: <b>darkish</b>\n</pre>",
            gone: ["bolund", "kestrel"],
            stays: ["darkish"]
        ),
    ]
}
