import Captures
import TestSupport

/// What clients ask for besides logins.
extension Repetition {
    package static let calls = [
        metadata, registration, logout, refresh, refusedRefresh, refusedCall, renewedToken, secondTry,
        repeatedUserInfo,
    ]

    package static let metadata = Repetition("metadata") { number, capture in
        capture.get("https://idp.example/.well-known/openid-configuration", body: document)
        guard number % 8 == 0 else { return }
        capture.redirect(
            "\(login)&state=state-\(number)",
            to: "https://app.example/cb?code=code-\(number)&state=state-\(number)"
        )
    }

    package static let registration = Repetition("registration") { number, capture in
        capture.post(
            "https://idp.example/register",
            [("redirect_uris", "https://app.example/cb")],
            body: .json("{\"client_id\":\"client-\(number)\"}")
        )
        guard number % 8 == 0 else { return }
        capture.redirect(
            "\(login)-\(number)&state=state-\(number)",
            to: "https://app.example/cb?code=code-\(number)&state=state-\(number)"
        )
    }

    package static let logout = Repetition("logout") { number, capture in
        if number == 0 { signIn(&capture) }
        capture.redirect(
            "https://idp.example/logout?client_id=shop&post_logout_redirect_uri=https://app.example/bye",
            to: "https://app.example/bye"
        )
        call(&capture, 401, token: "access-0")
    }

    package static let refresh = Repetition("refresh") { number, capture in
        if number == 0 { signIn(&capture) }
        capture.get(
            "https://idp.example/jwks",
            headers: server,
            body: .json(#"{"keys":[{"kty":"RSA","kid":"one","n":"AQAB","e":"AQAB"}]}"#)
        )
        token(
            &capture,
            "refresh_token",
            ("refresh_token", "refresh-\(number)"),
            number: number + 1
        )
    }

    package static let refusedRefresh = Repetition("refused refresh") { number, capture in
        if number == 0 { signIn(&capture) }
        token(&capture, "refresh_token", ("refresh_token", "refresh-0"), number: nil)
    }

    package static let refusedCall = Repetition("refused call") { number, capture in
        if number == 0 { signIn(&capture) }
        token(
            &capture,
            "refresh_token",
            ("refresh_token", "refresh-\(number)"),
            number: number + 1
        )
        call(&capture, 401, token: "access-\(number + 1)")
    }

    package static let renewedToken = Repetition("renewed token") { number, capture in
        token(&capture, "client_credentials", ("scope", "orders"), number: number)
        call(&capture, 200, token: "access-\(number)")
        call(&capture, 401, token: "access-\(number)")
    }

    package static let secondTry = Repetition("second try") { number, capture in
        // Clients that break off at the recorder's certificate, and get through when they are started again.
        let client = ClientFacts(process: "client-\(number)", processID: Int32(number + 1))
        let host = RecordedURL("https://login.microsoftonline.com:443")
        let refused = RecordedRequest(method: "CONNECT", url: host)
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: refused,
                failure: "The client does not trust the proxy's certificate (alert unknown_ca)",
                client: client
            )
        )
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(method: "GET", url: host),
                response: RecordedResponse(status: 200),
                client: client
            )
        )
    }

    package static let repeatedUserInfo = Repetition("repeated user info") { number, capture in
        if number == 0 { signIn(&capture) }
        for status in [503, 503, 503, 200] {
            capture.get(
                "https://idp.example/userinfo",
                status,
                headers: server + [("Authorization", "Bearer access-0")],
                body: .json(status == 200 ? #"{"sub":"alice"}"# : "{}")
            )
        }
    }
}
