import Testing

@testable import Sharing

/// Names of people that mail, greetings, logs, directories and GraphQL servers write in their ways.
struct NamesInTextsTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var text: String
        /// As `name=value`.
        var told: [String]
        var testDescription: String { text }
    }

    private static func told(_ slots: [Slot], _ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return slots.map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }

    @Test(arguments: [
        Row(text: "Ada Quill <ada@mail.example>", told: ["display_name=Ada Quill"]),
        Row(
            text: "\"Quill, Ada\" <a@mail.example>, Max van Dorn <m@mail.example>",
            told: ["display_name=Quill, Ada", "display_name=Max van Dorn"]
        ),
        Row(
            text: "From: Quill, Ada <a@x.example>\nTo: Dorn, Max <m@x.example>; Berg, Eva <e@x.example>",
            told: ["display_name=Quill, Ada", "display_name=Dorn, Max", "display_name=Berg, Eva"]
        ),
        Row(text: "To: a@x.example, Ada <a@x.example>", told: ["display_name=Ada"]),
        Row(text: "Note: Thanks, Ada <a@x.example>", told: ["display_name=Ada"]),
        Row(text: "please write to <ada@mail.example>", told: []),
        Row(text: "Harbour Support <support@mail.example>", told: []),
        Row(text: "a <b> c", told: []),
        // A mark right before the address.
        Row(text: "Mail sent to: <ada@mail.example>", told: []),
        Row(text: "Message-ID: <1@x.example>", told: []),
        Row(
            text: "\"Ada\" <ada@x.example>, <bob@x.example>; Max <m@x.example>",
            told: ["display_name=Ada", "display_name=Max"]
        ),
        // A long name is divided into several.
        Row(
            text: "From: =?UTF-8?B?QWRhIA==?=\r\n =?UTF-8?Q?Quill?= <a@x.example>, ?=?B?QQ==?= <b@x.example>",
            told: ["display_name=QWRhIA==", "display_name=Quill"]
        ),
    ])
    func mailboxNamesItsOwner(row: Row) {
        #expect(Self.told(MailboxSlots.slots(in: Array(row.text.utf8)[...]), row.text) == row.told)
    }

    @Test(arguments: [
        Row(text: "Signed in as Ada Quill.", told: ["display_name=Ada Quill"]),
        Row(text: "Welcome back, Ada!", told: ["display_name=Ada"]),
        Row(text: "you are logged in as ada.q7 now", told: ["username=ada.q7"]),
        Row(text: "User Ada Quill (aq7) logged in", told: ["display_name=Ada Quill", "username=aq7"]),
        Row(text: "Hallo Ada Quill", told: ["display_name=Ada Quill"]),
        Row(text: "Willkommen zurück, Ada!", told: ["display_name=Ada"]),
        Row(text: "Bonjour Ada Quill,", told: ["display_name=Ada Quill"]),
        Row(text: "Connecté en tant que ada.q7", told: ["username=ada.q7"]),
        Row(text: "Continue as Ada", told: ["display_name=Ada"]),
        Row(text: "Avatar of Ada Quill", told: ["display_name=Ada Quill"]),
        Row(text: "Account settings for Ada Quill", told: ["display_name=Ada Quill"]),
        Row(text: "open Ada Quill's profile", told: ["display_name=Ada Quill"]),
        Row(text: "Ada Quill&#39;s Avatar", told: ["display_name=Ada Quill"]),
        Row(text: "Ada van Quill\u{2019}s photo", told: []), Row(text: "Harbour's account", told: []),
        Row(text: "s profile", told: []), Row(text: "'s profile", told: []),
        Row(text: "Account settings for everybody", told: []),
        Row(text: "Hi Ada, your code", told: ["display_name=Ada"]),
        Row(text: "Weiter als Gast", told: []), Row(text: "Continuar como Invitado", told: []),
        Row(text: "Hello Ms. Quill-Ngo,", told: ["display_name=Quill-Ngo"]),
        Row(text: "Sehr geehrte Frau Dr. Quill, Ihr", told: ["display_name=Quill"]),
        Row(text: "Dear Mr Ada Quill", told: ["display_name=Ada Quill"]),
        Row(text: "Sehr geehrte Ada Quill,", told: ["display_name=Ada Quill"]),
        Row(text: "Sehr geehrte Ada Quill und Bo Ek,", told: ["display_name=Ada Quill"]),
        Row(text: "Sehr geehrter Nutzer Ihr Konto wurde gesperrt", told: []),
        Row(text: "Sehr geehrte Damen und Herren,", told: []), Row(text: "Dear Mr and Mrs", told: []),
        Row(text: "Dear Mrs,", told: []), Row(text: "Dear Mr Customer", told: []),
        Row(text: "Dear Applicant,", told: []), Row(text: "Bonjour Madame,", told: []),
        Row(text: "Dear Customer,", told: []), Row(text: "Hello World!", told: []),
        Row(text: "Hi Ada and others", told: []), Row(text: "user Ada, Max", told: []),
        Row(text: "Hallo Welt", told: []), Row(text: "Bonjour et bienvenue", told: []),
        Row(text: "Hello World", told: []), Row(text: "Signed in as administrator", told: []),
        Row(text: "the user Agent", told: []),
    ])
    func greetingNamesSomebody(row: Row) {
        #expect(Self.told(GreetingSlots.slots(in: Array(row.text.utf8)[...]), row.text) == row.told)
    }

    @Test(arguments: [
        Row(text: #"<img class="avatar" alt="Ada Quill">"#, told: ["display_name=Ada Quill"]),
        Row(text: #"<img class="avatar" alt="Profile Picture">"#, told: []),
        Row(text: #"<img class="logo" alt="Harbour Shop">"#, told: []),
        Row(text: #"<img class="avatar" alt="Ada Quill at the sea">"#, told: []),
        Row(
            text: #"<img src="/avatars/7" alt="Ada Quill">"#,
            told: ["display_name=Ada Quill", "src=/avatars/7"]
        ),
        Row(text: #"<img src="/shop.png" alt="Harbour Shop">"#, told: ["src=/shop.png"]),
        Row(text: #"<img alt="@ada-q7">"#, told: ["username=ada-q7"]),
        Row(text: #"<img alt="@ sign"><img alt="@"><img alt="@session">"#, told: []),
    ])
    func pictureNamesWhoIsOnIt(row: Row) {
        let slots = MarkupSlots.slots(in: Array(row.text.utf8)[...])
        #expect(Self.told(slots, row.text) == row.told)
    }

    @Test(arguments: [
        Row(
            text: "level=info user=aq7 name=\"Ada Quill\" token=zem4",
            told: ["level=info", "username=aq7", "display_name=Ada Quill", "token=zem4"]
        ),
        Row(
            text: "token=zem4 email=\"a@b\" name=\"Ada Quill\"",
            told: ["token=zem4", "email=a@b", "display_name=Ada Quill"]
        ),
        Row(
            text: "level=info email=a@b name=\"Send mail\"",
            told: ["level=info", "email=a@b", "name=Send mail"]
        ),
        Row(
            text: "level=info email=a@b name=\"Token Exchange\"",
            told: ["level=info", "email=a@b", "name=Token Exchange"]
        ),
        Row(
            text: #"level=info user=aq7 name="Ada \"Al\" Quill" id=5"#,
            told: ["level=info", "username=aq7", #"display_name=Ada \"Al\" Quill"#, "id=5"]
        ),
        Row(text: #"a=1 b=2 c="x\" d=4"#, told: ["a=1", "b=2", "d=4"]),
        Row(
            text: #"user=aq7 dir="C:\logs\" name="Ada Quill" id=5"#,
            told: ["username=aq7", #"dir=C:\logs\"#, "display_name=Ada Quill", "id=5"]
        ),
        Row(text: "a=1 b=2 name=x", told: ["a=1", "b=2", "name=x"]), Row(text: "a=1 b=2", told: []),
    ])
    func lineOfALogIsReadByItsPairs(row: Row) {
        #expect(Self.told(LogLineSlots.slots(in: Array(row.text.utf8)[...]), row.text) == row.told)
    }

    @Test(arguments: [
        Row(
            text: "198.51.100.17 - aq7 [25/Mar/2026:09:15:20 +0000] \"GET /cb HTTP/1.1\" 302 0",
            told: ["username=aq7"]
        ),
        Row(
            text: "10.0.0.1 - - [25/Mar/2026:09:15:20 +0000] \"GET / HTTP/1.1\" 200 1\n"
                + "10.0.0.1 - aq7 [25/Mar/2026:09:15:21 +0000] \"GET / HTTP/1.1\" 200 1",
            told: ["username=aq7"]
        ),
        Row(text: "see the log [25/Mar/2026]", told: []), Row(text: "at [25/Mar/2026:09:15:20]", told: []),
        Row(text: "a - b [1/2/3:4]", told: []), Row(text: "[", told: []),
        Row(text: "lb1 haproxy[74]: 10.0.1.2:33317 [25/Mar/2026:09:15:20.655] web", told: []),
        Row(text: "79a59d files shop-logins [25/Mar/2026:09:15:20 +0000] 192.0.2.3", told: []),
    ])
    func accessLogNamesWhoSignedIn(row: Row) {
        #expect(Self.told(AccessLogSlots.slots(in: Array(row.text.utf8)[...]), row.text) == row.told)
    }

    @Test(arguments: [
        Row(text: "CN=Ada Quill,OU=Users,DC=mail", told: ["display_name=Ada Quill"]),
        Row(text: "uid=aq7,ou=people,dc=mail", told: ["username=aq7"]),
        // Names of several values.
        Row(text: "CN=Ada Quill+UID=aq7,OU=Sales", told: ["display_name=Ada Quill", "username=aq7"]),
        Row(text: "uid=aq7 + sn=Quill,ou=people", told: ["username=aq7", "surname=Quill"]),
        Row(text: "subject CN=Ada+UID=aq7 was read", told: ["display_name=Ada", "username=aq7"]),
        Row(text: "CN=app+OU=Sales,O=Acme", told: []), Row(text: "CN=Ada\\+UID=aq7,OU=Sales", told: []),
        Row(text: "CN=app,UID=aq7,OU=Sales", told: []), Row(text: "CN=a+b=c,OU=Sales", told: []),
        Row(text: "UID=aq7+L=Bonn,OU=Sales", told: []),
        Row(text: #"CN=Quill\, Ada,OU=Users,DC=mail"#, told: [#"display_name=Quill\, Ada"#]),
        Row(text: #"Subject: CN="Quill, Ada", OU=Users"#, told: ["display_name=Quill, Ada"]),
        Row(text: "uid=aq7, ou=People, dc=mail", told: ["username=aq7"]),
        Row(text: "uid=,ou=people", told: []),
        Row(text: "cn=Domain Users,ou=groups,dc=mail", told: []),
    ])
    func directoryNameIsSomebodysAmongPeople(row: Row) {
        #expect(Self.told(DirectoryNameSlots.slots(in: Array(row.text.utf8)[...]), row.text) == row.told)
    }

    @Test(arguments: [
        ("User:1048219", "1048219"), ("04:User1048219", "1048219"), ("gid://shop/Customer/7", "7"),
        ("AppUser:aq7", "aq7"), ("Order:1048219", nil), ("user: 12", nil), ("https://user/12", nil),
        ("User7q", nil), ("User:octokatze", "octokatze"), ("userName:email_verified", nil),
        ("user:read", nil),
    ])
    func globalIDIsReadByItsType(text: String, id: String?) {
        let bytes = Array(text.utf8)
        #expect(GlobalID(bytes[...]).map { String(decoding: bytes[$0.id], as: UTF8.self) } == id)
    }
}
