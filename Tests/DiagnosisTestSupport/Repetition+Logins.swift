import Captures
import TestSupport

/// Logins that are asked for again and again.
extension Repetition {
    package static let logins = [
        silentLogin, stayingPage, reload, answer, pushedLogin, loginWithCookie, refusedReload, errorPage,
        circle, probedLogin, handedCode, redeemed, refusedCode,
    ]

    package static let silentLogin = Repetition("silent login") { number, capture in
        capture.redirect(
            "\(login)&prompt=none&state=state-\(number)",
            to: "https://app.example/cb?error=login_required&state=state-\(number)"
        )
    }

    package static let stayingPage = Repetition("staying page") { number, capture in
        // A request that is made again and again, and never answered.
        capture.get("\(login)&state=state", body: .html("<p>Please wait</p>"))
    }

    package static let reload = Repetition("reload") { number, capture in
        capture.redirect("\(login)&state=state", to: "https://app.example/cb?code=code&state=state")
    }

    package static let answer = Repetition("answer") { number, capture in
        if number == 0 { capture.get("\(login)&state=state") }
        capture.get("https://app.example/cb?code=code-\(number)&state=other")
    }

    package static let pushedLogin = Repetition("pushed login") { number, capture in
        let pushed = "urn:ietf:params:oauth:request_uri:\(number)"
        capture.post(
            "https://idp.example/par",
            [
                ("response_type", "code"), ("client_id", "shop"),
                ("redirect_uri", "https://app.example/cb"), ("state", "state-\(number)"),
            ],
            201,
            headers: server,
            body: .json("{\"request_uri\":\"\(pushed)\",\"expires_in\":60}")
        )
        capture.redirect(
            "https://idp.example/authorize?client_id=shop&request_uri=\(pushed)",
            to: "https://app.example/cb?code=code-\(number)&state=state-\(number)"
        )
    }

    /// From the app's own page to the provider and back; the address that the answer is for.
    private static func beginWithCookie(_ number: Int, _ capture: inout CaptureBuilder) -> String {
        let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
        capture.get(
            "https://app.example/login",
            302,
            answer: [
                ("Location", "\(login)&state=state-\(number)"),
                ("Set-Cookie", "login=\(number); Path=/"),
            ]
        )
        capture.redirect("\(login)&state=state-\(number)", to: answer)
        return answer
    }

    package static let loginWithCookie = Repetition("login with cookie") { number, capture in
        let answer = beginWithCookie(number, &capture)
        capture.get(answer, 400)
    }

    package static let refusedReload = Repetition("refused reload") { number, capture in
        capture.redirect("\(login)&state=state", to: "https://app.example/cb?code=code&state=state")
        capture.get("https://app.example/cb?code=code&state=state", 403)
    }

    package static let errorPage = Repetition("error page") { number, capture in
        capture.get(
            "\(login)&state=state-\(number)",
            400,
            body: .html("<h1>Error</h1><p>Invalid parameter: redirect_uri</p>")
        )
    }

    package static let circle = Repetition("circle") { number, capture in
        let answer = beginWithCookie(number, &capture)
        capture.redirect(answer, to: "https://app.example/login")
    }

    package static let probedLogin = Repetition("probed login") { number, capture in
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0")]
        capture.redirect(
            "\(login)&prompt=none&state=probe-\(number)",
            to: "https://app.example/cb?error=login_required&state=probe-\(number)",
            headers: browser
        )
        capture.wait(90)
        let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
        capture.redirect("\(login)&state=state-\(number)", to: answer, headers: browser)
        capture.redirect(answer, to: "/home", headers: browser)
        token(&capture, "authorization_code", ("code", "code-\(number)"), number: number)
    }

    package static let handedCode = Repetition("handed code") { number, capture in
        let app = [("User-Agent", "okhttp/4.12.0")]
        capture.redirect(
            "\(login)&state=state-\(number)",
            to: "shop:/cb?code=code-of-\(number)&state=state-\(number)"
        )
        for path in ["signin", "news"] {
            capture.post(
                "https://api.example/\(path)",
                [(path, "code-of-\(number)")],
                headers: app,
                body: .json("{}")
            )
        }
    }

    package static let redeemed = Repetition("redeemed") { exchange(codeOf: $0, isTaken: true, in: &$1) }

    package static let refusedCode = Repetition("refused code") {
        exchange(codeOf: $0, isTaken: false, in: &$1)
    }

    private static func exchange(codeOf number: Int, isTaken: Bool, in capture: inout CaptureBuilder) {
        let answer = "https://app.example/cb?code=code-\(number)&state=state"
        capture.redirect("\(login)&state=state", to: answer)
        capture.get(answer, isTaken ? 302 : 500, answer: isTaken ? [("Location", "/home")] : [])
        token(
            &capture,
            "authorization_code",
            ("code", "code-\(number)"),
            number: isTaken ? number : nil
        )
    }
}
