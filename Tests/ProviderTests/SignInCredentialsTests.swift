import Captures
import TestSupport
import Testing

@testable import Provider

/// What is read as name and password in what a sign-in page sends.
struct SignInCredentialsTests {
    private static func read(_ body: Body, _ method: String = "POST") -> [String?] {
        let url = RecordedURL("https://id.example/in")
        let credentials = SignInCredentials(of: RecordedRequest(method: method, url: url, body: body))
        return [credentials?.user, credentials?.password]
    }

    @Test(
        arguments: [
            ("username=al&password=pw", "al", "pw"), ("user%5Blogin%5D=al&user%5Bpassword%5D=pw", "al", "pw"),
            ("pf.username=al&pf.password=pw", "al", "pw"), ("username=&password=", nil, nil),
            ("username=al&passwordless=yes", "al", nil), ("comment=al", nil, nil),
        ] as [(String, String?, String?)]
    )
    func formSaysThemByName(form: String, user: String?, password: String?) {
        let body = Body(text: form, mediaType: FormBody.mediaType)
        #expect(Self.read(body) == [user, password])
        #expect(Self.read(body, "GET") == [nil, nil])
    }

    @Test(
        arguments: [
            (#"{"username":"al","password":"pw"}"#, "al", "pw"),
            (#"{"username":"al","password":""}"#, "al", nil),
            (#"{"a":[{"b":{"c":{"d":{"password":"pw"}}}}]}"#, nil, "pw"),
            (#"{"a":[{"b":{"c":{"d":{"e":{"password":"pw"}}}}}]}"#, nil, nil),
            (#"{"type":"Login","name":"al"}"#, "al", nil), (#"{"type":"Callback","name":"al"}"#, "al", nil),
        ] as [(String, String?, String?)]
    )
    func documentSaysThemByNameAnywhereInside(json: String, user: String?, password: String?) {
        #expect(Self.read(.json(json)) == [user, password])
    }

    /// A choice is a number, and what nobody typed has a prompt all the same.
    @Test(
        arguments: [
            ("NameCallback", #""al""#, "al", nil), ("PasswordCallback", #""pw""#, nil, "pw"),
            ("NameCallback", #""""#, nil, nil), ("ChoiceCallback", "1", nil, nil),
            ("TextInputCallback", #""red""#, nil, nil), ("BooleanAttributeInputCallback", "true", nil, nil),
        ] as [(String, String, String?, String?)]
    )
    func callbackSaysThemByItsType(type: String, value: String, user: String?, password: String?) {
        let output = #""type":"\#(type)","output":[{"name":"prompt","value":"What?"}]"#
        let input = #""input":[{"name":"IDToken1","value":\#(value)}]"#
        #expect(Self.read(.json("{\"callbacks\":[{\(output),\(input)}]}")) == [user, password])
        #expect(Self.read(.json("{\"callbacks\":[{\(output)}]}")) == [nil, nil])
    }
}
