/// What services beside the login are told of somebody: analytics, trackers of errors, feature flags, networks, remote calls.
extension UnexpectedPlacesTests {
    static let serviceRows: [Row] = [
        Row(
            name: "what accounts are called beside their owners",
            body:
                #"{"author":{"login":"bramblecott"},"items":[{"nick":"velvetinx","email":"a@b.example"}],"#
                + #""viewer":{"__typename":"User","login":"kestrelaw","profile":{"city":"x"}}}"#,
            gone: ["bramblecott", "velvetinx", "kestrelaw"]
        ),
        Row(
            name: "a login that is nobody's, and a handle of a thing",
            body: #"{"links":{"login":"signinpage","handle":"doorhandle"},"author":{"login":"/sign-in"}}"#,
            stays: ["signinpage", "doorhandle", "/sign-in"]
        ),
        Row(
            name: "the number of whoever asks",
            body: #"{"currentUser":{"id":73920185,"theme":"dark"},"shop":{"id":48820193}}"#,
            gone: ["73920185"],
            stays: ["48820193", "dark"]
        ),
        Row(
            name: "whom an event is of",
            body:
                #"[{"user_id":"bolund","event_type":"kestrel"},{"userId":"veldmuis","plan":"pro","messageId":"m1"},"#
                + #"{"$user_id":"hazelaar","distinct_id":"zandhaas"}]"#,
            gone: ["bolund", "veldmuis", "hazelaar", "zandhaas"],
            stays: ["kestrel", "pro", "m1"]
        ),
        Row(
            name: "the number of a user, and one of whom nothing more is told",
            body: #"[{"user_id":77,"event_type":"kestrel"},{"user_id":"bolund","scope":"read"}]"#,
            stays: [#""user_id":77"#, "bolund", "kestrel"]
        ),
        Row(
            name: "the number of a user with an address, and the name of a thing with one",
            body:
                #"[{"user":{"id":12,"email":"kira@mail.example"}},{"item":{"id":"veldmuis","email":"x@mail.example"}}]"#,
            gone: ["kira@mail.example"],
            stays: [#""id":12"#, "veldmuis"]
        ),
        Row(
            name: "the user of an error that a tracker is sent",
            body:
                #"{"user":{"id":"bolund","username":"veldmuis","ip_address":"198.51.100.7"},"message":"kestrel"}"#
                + "\n" + #"{"person":{"email":"kira@mail.example","id":"hazelaar"}}"#,
            gone: ["bolund", "veldmuis", "198.51.100.7", "hazelaar"],
            stays: ["kestrel"]
        ),
        Row(
            name: "what is wrong with the fields of a user",
            body: #"{"errors":{"user":{"id":["is unknown"],"email":["is too short"]}}}"#,
            stays: ["is unknown", "is too short"]
        ),
        Row(
            name: "for whom a flag is asked",
            body: #"{"contexts":[{"kind":"user","key":"bolund"},{"key":"veldmuis","kind":"device"}]}"#,
            gone: ["bolund"],
            stays: [#""kind":"user""#, "veldmuis"]
        ),
        Row(
            name: "a user in the attributes of a trace",
            body:
                #"{"attributes":[{"key":"user.id","value":{"stringValue":"bolund"}},{"key":"usr.id","value":"#
                + #"{"stringValue":"veldmuis"}},{"key":"service.id","value":{"stringValue":"kestrel"}}]}"#,
            gone: ["bolund", "veldmuis"],
            stays: ["kestrel"]
        ),
        Row(
            name: "whose a certificate is, as proxies hand it on",
            headers: [
                ("ssl-client-subject-dn", "CN=Bolund Kestrel"), ("ssl-client-issuer-dn", "CN=Harbour CA"),
                ("X-SSL-Client-CN", "Kira Velsen"), ("X-Client-Cert-CN", "Hazelaar"),
                ("Tailscale-User-Login", "veldmuis"),
            ],
            body: "{}",
            gone: ["Bolund", "Kestrel", "Kira", "Velsen", "Hazelaar", "veldmuis"],
            stays: ["CN=Harbour CA"]
        ),
        Row(
            name: "who is signed in, in the head of a page",
            type: "text/html",
            body:
                #"<meta name="octolytics-actor-login" content="bolund"><meta name="octolytics-actor-id" content="1288771">"#
                + #"<meta name="octolytics-url" content="kestrel">"#,
            gone: ["bolund", "1288771"],
            stays: ["kestrel"]
        ),
        Row(
            name: "whose a card is, in an object of its own",
            body: #"{"holder":{"name":"Kira Velsen"},"issuer":{"name":"Harbour Bank"}}"#,
            gone: ["Kira", "Velsen"],
            stays: ["Harbour Bank"]
        ),
        Row(
            name: "what a page tells behind labels in bold letters",
            type: "text/html",
            body: "<p><b>Last name</b>: Kestrelle<br><b>Home address</b>: 12 Hazelaar Lane, Velsen<br>"
                + "<strong>Billing address:</strong> Zandweg 4b<br><b>Password</b>: zem4Kq9<br><b>Username</b>: <i>veld.muis</i></p>",
            gone: ["Kestrelle", "Hazelaar", "Velsen", "Zandweg", "zem4Kq9", "veld.muis"],
            stays: ["<b>Last name</b>: ", "<b>Home address</b>: "]
        ),
        Row(
            name: "what a page says behind other words in bold letters",
            type: "text/html",
            body:
                "<p><b>Last name</b>: required<br><b>Home address</b>: where you live 2026<br><b>Error</b>: Bad Gateway 502<br>"
                + "<b>Last name</b><h3>: Overview</h3><b>Password</b>: required</p>",
            stays: ["required", "where you live 2026", "Bad Gateway 502", "Overview"]
        ),
        Row(
            name: "what a cache knows a version by",
            headers: [
                (
                    "If-None-Match",
                    #"W/"2a-5f3c9a8b7d6e4f215f3c9a8b7d6e4f2199aabbcc", "c4b1a7e29d3f4a6b8c0d1e2f3a4b5c6d""#
                ),
                ("If-Match", #""7d1c2f5e5b1a4d2c8e3f6a7b8c9d0e1f""#),
                ("Cookie", "sid=7d1c2f5e5b1a4d2c8e3f6a7b8c9d0e1f"),
            ],
            body: #"{"etag":"e6f0c3b9a1d2485f9b7c6d5e4f3a2b1c","other":"a3c1d2e4f5b6978812cd34ef56ab7890"}"#,
            gone: ["7d1c2f5e5b1a4d2c8e3f6a7b8c9d0e1f", "a3c1d2e4f5b6978812cd34ef56ab7890"],
            stays: [
                #"W/"2a-5f3c9a8b7d6e4f215f3c9a8b7d6e4f2199aabbcc""#, "c4b1a7e29d3f4a6b8c0d1e2f3a4b5c6d",
                "e6f0c3b9a1d2485f9b7c6d5e4f3a2b1c",
            ]
        ),
        Row(
            name: "what an authenticator answers, as lists of bytes",
            body:
                #"{"rawId":[23,96,169,242,59,132,205,22,95,168,241,58,131,204,21,94],"response":{"userHandle":{"type":"#
                + #""Buffer","data":[98,111,108,117,110,100,45,55]},"authenticatorData":[73,150,13,229,128,142,140,104,116,"#
                + #"52,23,15,100,118,96,91],"clientDataJSON":[123,34,99,104,97,108,108,101,110,103,101,34,58,34,107,113,56,90,"#
                + #"116,49,100,87,118,48,109,69,51,114,55,121,65,98,34,125]}}"#,
            gone: [
                "23,96,169,242", "98,111,108,117,110,100", "73,150,13,229",
                "107,113,56,90,116,49,100,87,118,48",
            ],
            stays: [
                #""rawId":["#, #""type":"Buffer","data":["#,
                "123,34,99,104,97,108,108,101,110,103,101,34,58,34",
            ]
        ),
        Row(
            name: "numbers of other things",
            body:
                #"{"data":[12,200,45,190,33,255,0,128,64,32,16,8,4,2,1,99,201],"id":[1,2,3,4,5,6,7,8,9,10,11,12,130,140,"#
                + #"150,160,170],"pixels":[65,66,72,81,77,90,48],"#
                + #""places":[97,98,99,100,101,102,103,104,105,106,107,108,109,110,111,112]}"#,
            stays: [
                "[12,200,45,190,33,255,0,128,64,32,16,8,4,2,1,99,201]",
                "[1,2,3,4,5,6,7,8,9,10,11,12,130,140,150,160,170]", "[65,66,72,81,77,90,48]",
            ]
        ),
        Row(
            name: "a call of DWR that signs in",
            type: "text/plain",
            body:
                "callCount=1\npage=/start\nc0-scriptName=Doors\nc0-methodName=login\nc0-id=0\nc0-param0=string:bolund\n"
                + "c0-param1=string:zem4%21Kq\nc0-param2=boolean:false\nbatchId=3\n",
            gone: ["bolund", "zem4%21"],
            stays: [
                "c0-methodName=login", "c0-param0=string:", "c0-param1=string:", "c0-param2=boolean:false",
                "page=/start",
            ]
        ),
        Row(
            name: "calls of DWR with an object, and of something else",
            type: "text/plain",
            body:
                "callCount=2\nc0-scriptName=Doors\nc0-methodName=open\nc0-e1=string:bolund\nc0-e2=string:zem4Kq9\n"
                + "c0-param0=Object_Object:{username:reference:c0-e1, password:reference:c0-e2}\n"
                + "c1-methodName=list\nc1-param0=string:kestrel\nbatchId=3\n",
            gone: ["bolund", "zem4Kq9"],
            stays: ["c0-methodName=open", "c0-e1=string:", "c1-param0=string:kestrel"]
        ),
        Row(
            name: "a table with a line before its head",
            type: "text/csv",
            body: "sep=;\r\nid;name;email;role\r\n1;Kira Velsen;kira@mail.example;editor\r\n",
            gone: ["Kira", "Velsen"],
            stays: ["sep=;", "id;name;email;role", "editor"]
        ),
        Row(
            name: "what is typed while a session is recorded",
            body:
                #"[{"type":3,"data":{"source":5,"text":"bolund","isChecked":false,"id":12}},{"type":3,"data":{"source":2,"text":"#
                + #""kestrel"}},{"eventFieldInfo":{"componentId":4,"fieldValue":"zem4Kq"}},{"fieldValue":"hazelaar"},"#
                + #"{"source":5,"text":"lindeboom"}]"#,
            gone: ["bolund", "zem4Kq"],
            stays: ["kestrel", "hazelaar", "lindeboom", #""source":5"#]
        ),
        Row(
            name: "for whom flags of several kinds are asked",
            body:
                #"{"kind":"multi","user":{"key":"bolund","email":"kira@mail.example"},"organization":{"key":"kestrel"}}"#,
            gone: ["bolund"],
            stays: ["kestrel", "multi"]
        ),
        Row(
            name: "who is shown in a drawing",
            type: "text/html",
            body:
                #"<svg><text class="user-name">Kira Velsen</text><text class="axis">Harbour Bank</text></svg>"#,
            gone: ["Kira", "Velsen"],
            stays: ["Harbour Bank"]
        ),
        Row(
            name: "what a key for two factors answers",
            body: #"{"keyHandle":"kq8Zt1dWv0mE3r7yAb","signatureData":"AQAAAAEwRQIhAK"}"#,
            gone: ["kq8Zt1dWv0mE3r7yAb", "AQAAAAEwRQIhAK"]
        ),
        Row(
            name: "a network to scan",
            body:
                #"{"qr":"WIFI:T:WPA;S:Zandhaas;P:zem4\\;Kq;H:true;;","hint":"scan WIFI:S:Veldmuis;I:bolund;P:hazel7Kq;; now","#
                + #""other":"WIFI:S:kestrel and P:harbour"}"#,
            gone: ["Zandhaas", "zem4", "Veldmuis", "bolund", "hazel7Kq"],
            stays: ["WIFI:T:WPA;S:", "H:true;;", "WIFI:S:kestrel and P:harbour"]
        ),
        Row(
            name: "a token among the protocols of a WebSocket",
            headers: [
                (
                    "Sec-WebSocket-Protocol",
                    "base64url.bearer.authorization.k8s.io.a2VzdHJlbG1lYWRvdw, v4.channel.k8s.io"
                )
            ],
            body: "{}",
            gone: ["a2VzdHJlbG1lYWRvdw"],
            stays: ["base64url.bearer.authorization.k8s.io.", "v4.channel.k8s.io"]
        ),
        Row(
            name: "a token with a word before it",
            headers: [
                (
                    "Sec-WebSocket-Protocol",
                    "graphql-ws, Bearer.eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
                        + "eyJzdWIiOiI3NzMxIiwibmFtZSI6IktpcmEgVmVsc2VuIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
                )
            ],
            body:
                #"{"a":"token-eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI4ODQyIn0.Kq7ZtPqW9aVbN2mXcD4fGhJ5kLmN8oPq"}"#,
            gone: [
                "SflKxwRJSMeKKF2QT4fw", "eyJzdWIiOiI3NzMxIiwibmFtZSI6IktpcmEg", "Kq7ZtPqW9aVbN2mXcD4f",
                "eyJzdWIiOiI4ODQyIn0",
            ],
            stays: ["graphql-ws, Bearer.eyJ", "-eyJ"]
        ),
        Row(
            name: "names in mail, in the encoding of its fields",
            body:
                #"{"headers":[{"name":"From","value":"=?UTF-8?B?S2lyYSBWZWxzZW4=?= <kv@mail.example>"},{"name":"To","value":"#
                + #""=?ISO-8859-1?Q?Z=E9bla_Hazelaar?= <zh@mail.example>"},{"name":"Subject","value":"=?UTF-8?B?S2VzdHJlbA==?="}]}"#,
            gone: ["S2lyYSBWZWxzZW4=", "Hazelaar", "kv@mail.example"],
            stays: ["=?UTF-8?B?", "=?ISO-8859-1?Q?", "=?UTF-8?B?S2VzdHJlbA==?="]
        ),
        Row(
            name: "a table whose rows are numbered",
            type: "text/csv",
            body: "#,Name,Email,Team\n1,Kira Velsen,kira@mail.example,harbour\n",
            gone: ["Kira", "Velsen"],
            stays: ["#,Name,Email,Team", "harbour"]
        ),
        Row(
            name: "settings behind an address",
            type: "text/plain",
            body: "https://shop.example/y\npassword=veldmuis\nclient_secret=hazelaar\n",
            gone: ["veldmuis", "hazelaar"],
            stays: ["https://shop.example/y\npassword="]
        ),
        Row(
            name: "what a line of a log has behind the address that it begins with",
            type: "text/plain",
            body: "https://shop.example/y failed with password=veldmuis77 for kestrel",
            gone: ["veldmuis77"],
            stays: ["https://shop.example/y failed with password=", " for kestrel"]
        ),
        Row(
            name: "addresses one behind the other",
            type: "text/plain",
            body:
                "https://shop.example/x?password=veldmuis https://shop.example/y?password=hazelaar "
                + "https://kestrel:zandhaas@shop.example/z",
            gone: ["veldmuis", "hazelaar", "zandhaas"]
        ),
        Row(
            name: "what a log has behind the document that it begins with",
            type: "text/plain",
            body: #"{"level":"kestrel"}"# + "\nsee password=veldmuis77 now\n",
            gone: ["veldmuis77"],
            stays: [#"{"level":"kestrel"}"#, " now"]
        ),
        Row(
            name: "an address whose values are written with their spaces",
            body: #"{"next":"https://shop.example/n?why=it is so&password=veldmuis"}"#,
            gone: ["veldmuis"],
            stays: ["why=it is so&password="]
        ),
        Row(
            name: "what a log has beside a document, behind words or what is in brackets",
            body:
                #"{"out":["[2026] {\"kestrel\":1} (password=veldmuis77)","login {\"at\":\"x\"} (password=hazel77) {}"],"#
                + #""n":"[2026] {\"kestrel\":1} (retries=many77)"}"#,
            gone: ["veldmuis77", "hazel77"],
            stays: [#"[2026] {\"kestrel\":1} (password="#, "(retries=many77)"]
        ),
        Row(
            name: "when somebody signed in with a password, and a token that is not there",
            body: #"{"password_last_login":1795220930,"password_last_used":"2026-03-25","#
                + #""next":"https://shop.example/n?access_token=(none)","text":"access token: (none)"}"#,
            stays: [
                #""password_last_login":1795220930"#, "2026-03-25", "access_token=(none)",
                "access token: (none)",
            ]
        ),
        Row(
            name: "what says by where it stands, or by its form, that it is somebody's",
            body: #"{"img":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVQ=","#
                + #""device":{"serial_number":"C02XK1ZZJGH5"},"lat":"-33.8688","fileName":"Brannoch Tavish.pdf","#
                + #""enc":"\#(nested)","#
                + #""link":"https://shop.example/a?p=%7B%22name%22%3A%22Corwin+Ashdale%22%2C%22sub%22%3A%22"#
                + #"u7%22%2C%22picture%22%3A%22x%22%7D","given_name":"Bryn\ud835\udc0a","#
                + #""author":{"slug":"holbrookt", "avatar_urls":{"24":"x"}}}"#,
            gone: [
                "iVBORw0KGgo", "C02XK1ZZJGH5", "-33.8688", "Brannoch", nested, "Corwin+Ashdale", "Bryn",
                "udc0a", "holbrookt",
            ],
            stays: [
                "data:image/png;base64,", #".pdf""#, "https://shop.example/a?p=%7B%22name%22%3A%22",
                #""avatar_urls""#,
            ]
        ),
        Row(
            name: "a name in escapes, where other things are percent-encoded",
            body: #"{"given_name":"J\u00fcrgen","message":"Hello J\u00fcrgen","next":"/n?a=b%2Fc","#
                + #""by":["J\u00fcrgen"]}"#,
            gone: [#"J\u00fcrgen"#, "%C3"],
            stays: [#"","message":"Hello "#, #"","next":"/n?a=b%2Fc","by":[""#]
        ),
        Row(
            name: "what a page says of accounts in words of programs",
            type: "text/html",
            body: "<p>Duplicate entry 'bolundx' for key 'users.username'</p>"
                + "<p>at Auth->login('kestrelq', 'zem4K!x7')</p><p>page.fill('#username', 'tarnowy')</p>"
                + "<p>Hallo Özlem Yılmaz</p><p>Su contraseña temporal es <b>veldmuis77</b></p>",
            gone: [
                "bolundx", "kestrelq", "zem4K!x7", "tarnowy", "Özlem", "Yılmaz", "veldmuis77",
            ],
            stays: ["for key 'users.username'", "page.fill('#username', '", "<p>Hallo "]
        ),
    ]

    /// Somebody in base64.
    private static let nested = "eyJuYW1lIjoiTWVyaWRlbiBIb2xjb3R0Iiwic3ViIjoidTciLCJwaWN0dXJlIjoieCJ9"
}
