package import Captures
import OAuth
package import TestSupport
import Testing

/// What comes back in great number within one capture, and would be compared with each of its like.
package struct Repetition: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    /// Adds the one of a number, from 0 on.
    package let add: @Sendable (_ number: Int, _ capture: inout CaptureBuilder) -> Void

    package init(_ name: String, _ add: @escaping @Sendable (Int, inout CaptureBuilder) -> Void) {
        testDescription = name
        self.add = add
    }

    package static let all = logins + calls

    // MARK: - What they have in common

    package static let login =
        "https://idp.example/authorize?response_type=code&client_id=shop&redirect_uri=https://app.example/cb"

    package static let document = Body.json(
        """
        {"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/authorize",\
        "token_endpoint":"https://idp.example/token","end_session_endpoint":"https://idp.example/logout",\
        "jwks_uri":"https://idp.example/jwks"}
        """
    )

    package static let server = [("User-Agent", "shop-backend/1")]

    /// A login that goes well, with the tokens `access-0` and `refresh-0`.
    package static func signIn(_ capture: inout CaptureBuilder) {
        let answer = "https://app.example/cb?code=code&state=state"
        capture.get(
            "https://idp.example/.well-known/openid-configuration",
            headers: server,
            body: document
        )
        capture.redirect(
            "https://idp.example/authorize?response_type=code&client_id=shop"
                + "&redirect_uri=https://app.example/cb&scope=openid&state=state",
            to: answer
        )
        capture.redirect(answer, to: "/home")
        token(&capture, "authorization_code", ("code", "code"), number: 0)
    }

    /// The token endpoint, asked for something: answered with tokens of a number, or refused where there is none.
    package static func token(
        _ capture: inout CaptureBuilder,
        _ grant: String,
        _ sent: (String, String),
        number: Int?
    ) {
        let tokens = number.map {
            """
            {"access_token":"access-\($0)","token_type":"Bearer","refresh_token":"refresh-\($0)",\
            "id_token":"\(idToken)"}
            """
        }
        capture.post(
            "https://idp.example/token",
            [("grant_type", grant), sent, ("client_id", "shop")],
            tokens == nil ? 400 : 200,
            headers: server,
            body: .json(tokens ?? #"{"error":"invalid_grant"}"#)
        )
    }

    private static let idToken =
        encoded(#"{"alg":"RS256","kid":"one"}"#) + "."
        + encoded(#"{"iss":"https://idp.example","sub":"alice","aud":"shop","iat":1780000000}"#) + ".AAAA"

    package static func call(_ capture: inout CaptureBuilder, _ status: Int, token: String) {
        capture.get(
            "https://api.example/orders",
            status,
            headers: server + [("Authorization", "Bearer \(token)")]
        )
    }
}
