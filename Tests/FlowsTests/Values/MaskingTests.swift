import Testing

@testable import Flows

struct MaskingTests {
    @Test(arguments: [
        ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "dBjf…(43)"), ("123456789012", "1234…(12)"),
        ("12345678901", "…(11)"), ("hunter2", "…(7)"),
        ("", "…(0)"),
    ])
    func showsAtMostAThirdAndNothingOfShortOnes(value: String, masked: String) {
        #expect(Masking.masked(value) == masked)
    }

    @Test(arguments: [
        "code", "Authorization", "id_token_hint", "client_secret", "code_verifier", "provider_token",
    ])
    func knowsSecretsByName(name: String) {
        #expect(Masking.shown("abcdefghijklmnop", of: name) == "abcd…(16)")
    }

    @Test(arguments: [
        ("https://a.example/cb?code=abcdefghijklmnop&state=1", "https://a.example/cb?code=abcd…(16)&state=1"),
        ("com.a:/cb#id_token=abcdefghijklmnop", "com.a:/cb#id_token=abcd…(16)"), ("a=b", "a=b"),
        ("https://a.example/cb", "https://a.example/cb"),
        ("https://bob:hunter2hunter2@a.example:8443/cb", "https://bob:hunt…(14)@a.example:8443/cb"),
        ("https://a.example:8443/cb/bob@b.example", "https://a.example:8443/cb/bob@b.example"),
        // The number of an error, which a page of errors is told as its code.
        ("https://a.example/error?code=PX-E0013&id=1", "https://a.example/error?code=PX-E0013&id=1"),
        ("https://a.example/error?code=abcdefghijklmnop", "https://a.example/error?code=abcd…(16)"),
        ("https://a.example/error?code=Splx-0b4&state=x", "https://a.example/error?code=…(8)&state=x"),
        ("https://a.example/error?token=PX-E0013", "https://a.example/error?token=…(8)"),
        ("https://a.example/cb?code=PX-E0013", "https://a.example/cb?code=…(8)"),
    ])
    func masksSecretsInsideOfURLs(value: String, shown: String) {
        #expect(Masking.shown(value, of: "redirect_uri") == shown)
    }

    @Test(arguments: [
        ("no code abcdefghijklmnopqrst here, abcdefghijklmnopqrst", "no code abcd…(20) here, abcd…(20)"),
        ("cut: abcdefghijklmno…(300)", "cut: abcd…(20)…(300)"),
        ("abcdefghijk is by chance", "abcdefghijk is by chance"),
    ])
    func hidesASecretThatIsRepeatedWholeOrCut(text: String, hidden: String) {
        #expect(Masking.hiding("abcdefghijklmnopqrst", in: text) == hidden)
    }

    /// As two tokens with the same header do.
    @Test func secretsThatBeginAlikeAreToldApart() {
        let (first, second) = (
            "eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl", "eyJhbGciOiJSUzI1NiJ9.eyJiIjoyfQ.b3RoZXI"
        )
        #expect(
            Masking.hiding([first, second], in: "got \(second), no \(first)") == "got eyJh…(39), no eyJh…(44)"
        )
    }

    @Test func cutsWhatIsLong() {
        #expect(
            Masking.shown(String(repeating: "x", count: 1000), of: "state") == String(
                repeating: "x",
                count: 300
            ) + "…(1000)"
        )
    }

    @Test(arguments: [
        (#"{"access_token": "abcdefghijklmnop", "a": 1}"#, #"{"access_token": "abcd…(16)", "a": 1}"#),
        (#"{'refresh_token':'abcdefghijklmnop'}"#, #"{'refresh_token':'abcd…(16)'}"#),
        (#""{\"id_token\":\"abcdefghijklmnop\"}""#, #""{\"id_token\":\"abcd…(16)\"}""#),
        (#"{"accessToken":"abcdefghijklmnop"#, #"{"accessToken":"abcd…(16)"#),
        (#"{"password" : "hunter 2"}"#, #"{"password" : "…(8)"}"#),
        ("client_secret=abcdefghijklmnop and more", "client_secret=abcd…(16) and more"),
        ("access_token: abcdefghijklmn01, b", "access_token: abcd…(16), b"),
        ("<access_token>abcdefghijklmn01</access_token>", "<access_token>abcd…(16)</access_token>"),
        (#"{"code":"abcdefghijklmn01"}"#, #"{"code":"abcd…(16)"}"#),
        (#"{"t":"eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2ln"}"#, #"{"t":"eyJh…(36)"}"#),
    ])
    func masksSecretsInEverySpelling(text: String, hidden: String) {
        #expect(Masking.hidingSecrets(in: text) == hidden)
        #expect(Masking.hidingSecrets(in: hidden) == hidden)
        #expect(Masking.shown(hidden, of: "body") == hidden)
    }

    @Test(arguments: [
        #"{"code":401,"message":"no token: expired"}"#, #"{"code":"invalid_request_object"}"#,
        "password: is too short", "client_secret is missing", #"{"code":"#, "access_token=", "",
    ])
    func leavesWordsAlone(text: String) {
        #expect(Masking.hidingSecrets(in: text) == text)
    }
}
