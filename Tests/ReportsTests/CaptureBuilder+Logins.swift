import Captures
import TestSupport

extension CaptureBuilder {
    /// A login of three exchanges whose values are its own, and some minutes until the next one.
    ///
    /// `isGood`: else the client's credentials are refused.
    mutating func login(_ number: Int, client: String = "shop", isGood: Bool = true) {
        let back = "https://app.example/cb?code=code-of-login-\(number)&state=state-of-\(number)"
        redirect(
            "https://idp.example/authorize?response_type=code&client_id=\(client)&state=state-of-\(number)",
            to: back
        )
        get(back)
        post(
            "https://idp.example/token",
            [("grant_type", "authorization_code"), ("code", "code-of-login-\(number)")],
            isGood ? 200 : 401,
            body: .json(
                isGood
                    ? #"{"access_token":"access-\#(number)","token_type":"Bearer"}"#
                    : #"{"error":"invalid_client"}"#
            )
        )
        wait(300)
    }
}
