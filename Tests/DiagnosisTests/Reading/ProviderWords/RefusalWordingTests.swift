import Testing

@testable import Diagnosis

struct RefusalWordingTests {
    @Test(arguments: [
        (
            "The redirect_uri https://app.example/cb is not registered for client shop",
            "redirect_uri https://app.example/cb is not registered"
        ),
        ("redirect_uri does not match any registered redirect URI.", "redirect_uri does not match"),
        // Authlib.
        (
            "Redirect URI https://app.example/cb is not supported by client.",
            "redirect uri https://app.example/cb is not supported by client"
        ),
        ("Error. Invalid value for redirect_uri: https://app.example/cb", "invalid value for redirect_uri"),
        (#"{"target":"redirect_uri","message":"Redirect URI mismatch"}"#, "redirect uri mismatch"),
        // pyoidc.
        ("RedirectURIError:Faulty redirect_uri: https://app.example/cb", "faulty redirect_uri"),
        ("This reply address isn't registered", "reply address isn't registered"),
        ("The callback URL is not in the list of allowed ones", "callback url is not in the list"),
        ("Insecure redirect URI", "insecure redirect uri"),
        ("Invalid redirect: https://app.example/cb (4,700)", "invalid redirect:"),
        ("redirect_uri 参数错误", "redirect_uri 参数错误"),
        ("错误码：20029 redirect_uri 请求不合法", "redirect_uri 请求不合法"),
        ("The redirect URL doesn’t match the registered one", "redirect url doesn't match"),
        (
            "OAuth app with client id 5abc doesn't have redirect URI https://app.example/cb",
            "doesn't have redirect uri"
        ),
        ("The app does not have the redirect URI it sent", "does not have the redirect uri"),
        (
            "Redirect URI: https://app.example/cb doesn't exist in the allowed list",
            "redirect uri: https://app.example/cb doesn't exist in"
        ),
    ])
    func knowsARedirectURIThatIsNotKnown(text: String, words: String) {
        #expect(RefusalWording.unknownRedirectURI(in: text) == words)
    }

    @Test(arguments: [
        "Some scopes were invalid: profil. Request details: redirect_uri=https://app.example/cb invalid",
        #"{"redirect_uri":"https://app.example/cb","hint":"not registered"}"#, "redirect_uri is required",
        "This kind of redirect URI is not supported yet", "Redirect URI. The code_challenge is not valid",
        "response_mode form_post with this redirect URI is not supported by the browser",
        "The scope is not allowed for this redirect URI",
        "my_redirect_uri is invalid", "Invalid client id or web redirect url", "reinvalid redirect_uri", "",
        "The user doesn't have access to callback URL https://app.example/cb",
        "This account does not have a role, redirect URI https://app.example/cb",
        "redirect_uri：https://app.example/cb。state 请求不合法",
        String(repeating: "x", count: 1 << 14) + " invalid redirect_uri",
    ])
    func leavesOtherTextsAlone(text: String) { #expect(RefusalWording.unknownRedirectURI(in: text) == nil) }

    @Test(arguments: [
        ("Client 5abc does not exist.", "client 5abc does not exist"),
        ("Unknown or invalid client_id", "unknown or invalid client_id"),
        ("client_id shop is not registered", "client_id shop is not registered"),
    ])
    func knowsAClientThatIsNotKnown(text: String, words: String) {
        #expect(RefusalWording.unknownClient(in: text) == words)
    }

    @Test(arguments: [
        "redirect_uri of client shop is not registered", "The client's certificate was not found",
        "The client is not registered for this grant", "Client authentication failed",
        "user of client shop not found",
    ])
    func leavesOtherFaultsOfAClientAlone(text: String) {
        #expect(RefusalWording.unknownClient(in: text) == nil)
    }
}
