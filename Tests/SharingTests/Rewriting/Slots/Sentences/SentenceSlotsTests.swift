import Testing

@testable import Sharing

/// What sentences, commands and pages tell in passing.
struct SentenceSlotsTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var text: String
        /// As `name=value`.
        var told: [String]
        var testDescription: String { text }
    }

    /// A long text is looked at in pieces, of which no line is in two.
    @Test func longLogIsReadToItsEnd() {
        let line = "10:00:00 INFO all is well with widget number seven\n"
        let more = String(repeating: line, count: SentenceSlots.longest / line.utf8.count)
        let text = more + "the password is zem4Kestrel! since\n" + more + "User 'carla' is locked out"
        let bytes = Array(text.utf8)
        let told = Slot.told(SentenceSlots.slots(in: bytes[...]), text)
        #expect(told == ["password=zem4Kestrel!", "username=carla"])
    }

    static let sentences = [
        Row(text: "the password is zem4Kestrel!", told: ["password=zem4Kestrel!"]),
        Row(text: "I used password zem4Kestrel! here", told: ["password=zem4Kestrel!"]),
        Row(text: "Your one-time PIN is 4821.", told: ["pin=4821"]),
        Row(text: "La contraseña es zem4Kestrel!", told: ["contraseña=zem4Kestrel!"]),
        Row(text: "Mot de passe : zem4Kestrel", told: ["password=zem4Kestrel"]),
        Row(text: "Mot de passe: zem4Kestrel", told: ["password=zem4Kestrel"]),
        Row(text: "votre mot de passe est zem4Kestrel", told: ["password=zem4Kestrel"]),
        Row(text: "Mot de passe : oublié, ou passe 2026", told: []),
        Row(text: "User carla.quist7 logged in", told: ["username=carla.quist7"]),
        Row(text: "Cannot find user carla77", told: ["username=carla77"]),
        Row(text: "No such user carla.q7.", told: ["username=carla.q7"]),
        Row(text: "User carla77 does not exist", told: ["username=carla77"]),
        Row(text: "now my login is carla.q7, and it fails", told: ["username=carla.q7"]),
        Row(text: "Cannot find user user48213", told: ["username=user48213"]),
        // They stand in addresses and in texts everywhere, and would be replaced there.
        Row(text: "no such user realm1, login page2 was left, the account client-2 is off", told: []),
        Row(text: "invalid login AADSTS50034, user ORA-01017 is what it says", told: []),
        Row(
            text:
                "my login is broken, find user v2, unknown user agent, user is not here 2026, user base64 is used",
            told: []
        ),
        Row(text: "User successfully logged in, user pool-7 created", told: []),
        Row(text: "tried to log in, Username: carla, result: ok", told: ["username=carla"]),
        Row(text: "Login failed. Username: carla.quist.", told: ["username=carla.quist"]),
        Row(text: "12:00 next try, username: carla\n12:01 done", told: ["username=carla"]),
        Row(text: "Username: is required, Username: required, Username: 2026, Username: {0},", told: []),
        Row(text: "enter Username: and Password: in Username: preferred_username,", told: []),
        Row(text: "Your PIN IS 4821", told: ["pin=4821"]),
        Row(text: "Your PIN\u{a0}is 7734", told: ["pin=7734"]),
        Row(text: "Ihre PIN lautet 4821.", told: ["pin=4821"]),
        Row(text: "Use the PIN 66120 now", told: ["pin=66120"]),
        Row(text: "Your one-time password is 482113", told: ["password=482113"]),
        Row(text: "the PIN 4821 of the board, PIN 20260101", told: []),
        Row(text: "The password is 2026", told: []),
        Row(text: "Die PIN ist 4-stellig. A password is 8-digit.", told: []),
        Row(text: "the pin is 48x1", told: []),
        Row(text: "Password ab12 is too short", told: ["password=ab12"]),
        Row(text: "Password 2fa1 and more", told: []),
        Row(text: "Password sha256 is used", told: []),
        Row(text: #"Login failed for user CORP\carla, from here"#, told: ["username=carla"]),
        Row(
            text: #"Logon failure for CORP\carla; see App\carla, from HKLM\software"#,
            told: ["username=carla"]
        ),
        Row(text: #"user BUILTIN\Guests, user C:\carla, account A1\B\carla, login DONE\nNext"#, told: []),
        Row(text: "password: zem4Kestrel!", told: ["password=zem4Kestrel!"]),
        Row(
            text: "curl -u bob:zem4Kestrel! https://x.example",
            told: ["username=bob", "password=zem4Kestrel!"]
        ),
        Row(text: "-H 'Authorization: Basic Ym9iOnplbTRLZXN0cmVs'", told: ["(basic)=Ym9iOnplbTRLZXN0cmVs"]),
        Row(text: "userName eq \"carla\"", told: ["userName=carla"]),
        Row(text: "User 'carla' is locked out", told: ["username=carla"]),
        Row(text: "Code gNm3T67EuXwO was already used", told: ["code=gNm3T67EuXwO"]),
        Row(
            text: "Found. Redirecting to (https://app.example/cb?state=lo123)",
            told: ["=https://app.example/cb?state=lo123"]
        ),
        Row(
            text: "cannot reach postgres://app:zem4Kestrel!@db/shop",
            told: ["=postgres://app:zem4Kestrel!@db/shop", "password=zem4Kestrel!"]
        ),
        Row(
            text: "at url=redis://:zem4#Kestrel@db/0, 3 times",
            told: ["=redis://:zem4#Kestrel@db/0", "password=zem4#Kestrel"]
        ),
        Row(text: "see https://app.example/@ada:7 or http://a:b/@c", told: []),
        Row(
            text: "Variable \"$password\" got invalid value \"zem4Kestrel\"; Expected type String.",
            told: ["password=zem4Kestrel"]
        ),
        Row(
            text: "Variable \"$in\" got invalid value \"zem4\" at \"in.password\"; Expected an Int.",
            told: ["password=zem4"]
        ),
        Row(
            text: "CREATE USER 'bob' IDENTIFIED BY 'zem4Kestrel'",
            told: ["username=bob", "password=zem4Kestrel"]
        ),
        Row(
            text: "in object 'form' on field 'password': rejected value [zem4K]; codes [Size.password]",
            told: ["password=zem4K"]
        ),
        // Of one word, with marks around what was sent.
        Row(text: "'password=zem4K'", told: ["password=zem4K"]),
        Row(text: "@password=zem4K", told: ["password=zem4K"]),
        Row(text: "bob\n*password=zem4K", told: ["password=zem4K"]),
        Row(text: "'user=bob&password=zem4K'", told: ["=user=bob&password=zem4K"]),
        Row(text: "'scope=openid'", told: []),
        Row(text: "written by 'bob' himself", told: []),
        Row(text: "a = b, see https://app.example/cb or state=lo123", told: []),
        Row(text: "The password must have 12 characters", told: []),
        Row(text: "user may not read", told: []),
        Row(text: "Bearer token missing", told: []),
        Row(text: "The code has expired", told: []),
        Row(text: "Basic authentication failed", told: []),
    ]

    @Test(arguments: sentences)
    func sentenceTells(row: Row) {
        #expect(Slot.told(SentenceSlots.slots(in: Array(row.text.utf8)[...]), row.text) == row.told)
    }

    static let pages = [
        Row(text: "<p>Username: Carla</p>", told: ["Username=Carla"]),
        Row(text: "<p>Username: <b>carla_9</b></p>", told: ["Username=carla_9"]),
        Row(
            text: "<div>Temporary password:</div><div>zem4Kestrel!</div>",
            told: ["Temporary password=zem4Kestrel!"]
        ),
        // Who is greeted, in a tag of its own.
        Row(text: "<p>Hello <b>Ada Quill</b></p>", told: ["display_name=Ada Quill"]),
        Row(text: "<p>Logged in as <a href=/me>Ada</a></p>", told: ["href=/me", "display_name=Ada"]),
        Row(text: "<p>Hello <b>World</b></p><p>User <b>Pool Client</b></p>", told: []),
        Row(text: "<p>Hello, <a href=/in>Sign In</a></p>", told: ["href=/in"]),
        Row(text: "<p>Hello,</p><p>Harbour Shop</p><p>Hello <b>Sign In</b></p>", told: []),
        Row(
            text: "<p>Hello,</p><p>Your password is <b>zem4Kestrel!</b></p>",
            told: ["password=zem4Kestrel!"]
        ),
        // A document is no label.
        Row(
            text: #"<div>{"username":"bob","theme":"zem4"}</div>"#,
            told: [#"={"username":"bob","theme":"zem4"}"#]
        ),
        Row(text: "<input type=\"password\" name=\"q\" value=\"zem4\">", told: ["password=zem4"]),
        Row(
            text: "<input autocomplete=\"section-a given-name\" name=\"q\" value=\"Carla\">",
            told: ["given-name=Carla"]
        ),
        Row(text: "<input type=\"submit\" name=\"q\" value=\"Go\">", told: ["q=Go"]),
        Row(
            text: "<p>Go to /x?a=1&amp;state=lo123</p>or https://b.example/?c=2",
            told: ["=/x?a=1&amp;state=lo123", "=https://b.example/?c=2"]
        ),
        Row(
            text: "<meta http-equiv=refresh content=\"0;URL='/x?state=lo123'\">",
            told: ["content=/x?state=lo123"]
        ),
        Row(text: "<meta http-equiv=refresh content=\"0; url=/x?a='b'\">", told: ["content=/x?a='b'"]),
        Row(text: "<p>Your password is <b>zem4Kestrel!</b></p>", told: ["password=zem4Kestrel!"]),
        Row(text: "<p>Your password is <code>zem4Kestrel!</code></p>", told: ["password=zem4Kestrel!"]),
        Row(
            text: "<table><tr><th>User</th><th>Password</th></tr><tr><td>bob</td><td>zem4</td></tr></table>",
            told: ["username=bob", "Password=zem4"]
        ),
        Row(text: "<table><tr><th>Password</th><td>zem4</td></tr></table>", told: ["Password=zem4"]),
        // A thing's name.
        Row(
            text: "<table><tr><th>Name</th><th>Price</th></tr><tr><td>Bread</td><td>2</td></tr></table>",
            told: ["=Bread", "Bread=2"]
        ),
        Row(
            text:
                "<table><tr><th>Parameter</th><th>Value</th></tr><tr><td>client_secret</td><td>zem4</td></tr></table>",
            told: ["=client_secret", "client_secret=zem4"]
        ),
        Row(
            text: "<table><tr><th>Name</th><th>E-Mail</th></tr><tr><td>Carla</td><td>c@x</td></tr></table>",
            told: ["user_Name=Carla", "E-Mail=c@x"]
        ),
        // Boxes to tick and buttons have no heads.
        Row(
            text: "<table><tr><th><input type=checkbox></th><th>User</th><th>Password</th><th></th></tr>"
                + "<tr><td><input></td><td>bob</td><td>zem4</td><td></td></tr><tr><td></td><td>joe</td></tr></table>",
            told: ["username=bob", "Password=zem4", "username=joe"]
        ),
        Row(
            text: "<table><tr><td></td><th>User</th><th>Password</th></tr>"
                + "<tr><th>1</th><td>bob</td><td>zem4</td></tr></table>",
            told: ["username=bob", "Password=zem4"]
        ),
        Row(
            text: "<table><tr><th></th><th>Password</th></tr><tr><td>bob</td><td>zem4</td></tr></table>",
            told: ["bob=zem4"]
        ),
        // What leads to somebody's page, and what leads to where something is changed.
        Row(
            text: "<table><tr><th><a href=/s>User</a></th><th><a href=/p>Password</a></th></tr>"
                + "<tr><td><a href=/u>bob</a></td><td>zem4</td></tr>"
                + "<tr><td>joe</td><td><a href=/r>Reset</a></td></tr>"
                + "<tr><td><a href=/e>Edit</a></td></tr><tr><th><a href=/s>User</a></th></tr></table>",
            told: [
                "href=/s", "href=/p", "username=bob", "href=/u", "Password=zem4", "username=joe", "href=/r",
                "href=/e", "href=/s",
            ]
        ),
        Row(
            text: "<table><tr><td>Username</td><td><a href=/c>Change</a></td></tr></table>",
            told: ["href=/c"]
        ),
        // Fields whose own names say nothing.
        Row(
            text: "<label for=q7>Last name: *</label><input id=q7 name=q7 value=Quist>",
            told: ["Last name=Quist"]
        ),
        Row(text: "<input name=q9 aria-label='Given name' value=Carla>", told: ["Given name=Carla"]),
        Row(text: "<input name=q9 placeholder=Password value=zem4>", told: ["Password=zem4"]),
        Row(text: "<input name=q9 placeholder=Search value=zem4>", told: ["q9=zem4"]),
        // What was posted, as errors print it, is read as a text.
        Row(text: "<p>[password] =&gt; zem4K!</p>", told: ["=[password] =&gt; zem4K!"]),
        Row(text: "<br>[password] =&gt; zem4K!", told: ["=[password] =&gt; zem4K!"]),
        Row(text: "<style>[type=password]:focus-within{color:red}</style>", told: []),
        Row(text: "<add key=\"SmtpPassword\" value=\"zem4\"/>", told: ["SmtpPassword=zem4"]),
        Row(text: "<property name=\"password\"><value>zem4</value></property>", told: ["password=zem4"]),
        Row(
            text: "<data-source connection=\"Server=db;Password=zem4;\"/>",
            told: ["connection=Server=db;Password=zem4;"]
        ),
        Row(text: "<p>Your PIN: <b>4821</b></p>", told: ["PIN=4821"]),
        Row(text: "<p>Ihre PIN lautet: <b>4821</b></p>", told: ["PIN=4821"]),
        Row(text: "<p>Your PIN&nbsp;is 7734</p>", told: ["=Your PIN&nbsp;is 7734"]),
        Row(text: "<p>The initial password <code>zem4-Kestrel</code></p>", told: ["password=zem4-Kestrel"]),
        // Read as a text, in which nothing is told.
        Row(text: "<p>The initial password <code>app.password</code></p>", told: ["=app.password"]),
        Row(text: "<p>The password is <b>wrong</b></p>", told: []),
        Row(text: "<p>Password: Forgot it?</p>", told: []),
        Row(text: "<label>Username:</label><input><span>Required here</span>", told: []),
        Row(text: "<p>Username: please enter yours</p>", told: []),
        Row(text: "<p>Note: Carla</p>", told: []),
        Row(
            text: "<i>Date of birth</i><i>31/01/1990</i><i>Geburtsdatum</i> <b>Name</b>",
            told: ["Date of birth=31/01/1990"]
        ),
        Row(
            text:
                "<i>DOB</i><i>12 March 1990</i><i>Birthday</i><i>Mar 3, 1990</i><i>birthdate</i><i>Step 2 of 3</i>",
            told: ["DOB=12 March 1990", "Birthday=Mar 3, 1990"]
        ),
    ]

    @Test(arguments: pages)
    func pageTells(row: Row) {
        #expect(Slot.told(MarkupSlots.slots(in: Array(row.text.utf8)[...]), row.text) == row.told)
    }
}
