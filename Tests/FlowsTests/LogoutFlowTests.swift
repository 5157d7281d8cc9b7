import Captures
import Flows
import JOSE
import TestSupport
import Testing

/// Which login a logout is one of, where several users or apps are in the capture.
struct LogoutFlowTests {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    private func token(_ claims: String, typ: String = "JWT") -> String {
        let header = Base64URL.encode(Array(#"{"alg":"RS256","typ":"\#(typ)"}"#.utf8))
        return "\(header).\(Base64URL.encode(Array(claims.utf8))).c2lnbmF0dXJl"
    }

    private func idToken(_ user: String, _ session: String, for client: String = "shop") -> String {
        token(#"{"iss":"https://idp.example","aud":"\#(client)","sub":"\#(user)","sid":"\#(session)"}"#)
    }

    /// A login with an ID token of a user.
    private func signIn(
        _ user: String,
        _ session: String,
        _ login: ShopLogin,
        _ capture: inout CaptureBuilder
    ) {
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        let idToken = idToken(user, session, for: login.client)
        login.token(
            &capture,
            body: """
                {"access_token":"access-of-\(login.state)","token_type":"Bearer","id_token":"\(idToken)"}
                """
        )
    }

    private func last(_ flow: Flow) -> StepKind? { flow.steps.last?.kind }

    @Test(arguments: [#""sid":"session-of-alice""#, #""sub":"alice""#])
    func logoutTokenGoesToWhomItIsAbout(claim: String) {
        var capture = CaptureBuilder()
        signIn("alice", "session-of-alice", ShopLogin("one"), &capture)
        signIn("bob", "session-of-bob", ShopLogin("two"), &capture)
        let claims = #"{"iss":"https://idp.example","aud":"shop",\#(claim),"events":{"\#(Self.event)":{}}}"#
        capture.post("https://shop.example/bye", [("logout_token", token(claims, typ: "logout+jwt"))])
        #expect(capture.flows.map(last) == [.backChannelLogoutRequest, .tokenRequest])
    }

    /// What the app read to verify the token, where the login was before the recording.
    @Test(arguments: [("https://idp.example", [[0, 1, 2]]), ("https://other.example", [[0, 1], [2]])])
    func documentsGoToALogoutTokenOfTheirIssuer(issuer: String, flows: [[Int]]) {
        var capture = CaptureBuilder()
        ShopLogin("one").discovery(&capture)
        capture.get("https://idp.example/jwks", body: .json(#"{"keys":[]}"#))
        let claims = #"{"iss":"\#(issuer)","aud":"shop","sub":"alice","events":{"\#(Self.event)":{}}}"#
        capture.post("https://shop.example/bye", [("logout_token", token(claims, typ: "logout+jwt"))])
        #expect(capture.flows.map { $0.exchanges.sorted() } == flows)
    }

    /// Both apps of one session are told of its end, each at an address of its own.
    @Test func frontChannelLogoutGoesToItsApp() {
        var capture = CaptureBuilder()
        var other = ShopLogin("two")
        other.client = "blog"
        other.redirectURI = "https://blog.example/cb"
        signIn("alice", "session-of-alice", ShopLogin("one"), &capture)
        signIn("alice", "session-of-alice", other, &capture)
        for app in ["shop", "blog"] {
            capture.get(
                "https://\(app).example/bye?iss=https%3A%2F%2Fidp.example&sid=session-of-alice",
                headers: ShopLogin.browser,
                body: .html("bye")
            )
        }
        #expect(capture.flows.map(last) == [.frontChannelLogoutRequest, .frontChannelLogoutRequest])
    }

    /// Two browsers, and a logout that names the client alone.
    @Test(arguments: [("session-one-0001", 0), ("session-two-0001", 1), ("session-of-nobody", 1)])
    func logoutWithoutHintGoesToItsBrowser(cookie: String, place: Int) {
        var capture = CaptureBuilder()
        for name in ["one", "two"] {
            let login = ShopLogin(name)
            login.authorize(&capture)
            login.answer(&capture)
            capture.get(
                login.callbackURL,
                302,
                headers: ShopLogin.browser,
                answer: [("Location", "/home"), ("Set-Cookie", "session=session-\(name)-0001; Path=/")]
            )
            login.token(&capture)
        }
        let logout = "https://idp.example/logout?client_id=shop"
        capture.redirect(
            "https://shop.example/logout",
            to: logout,
            headers: ShopLogin.browser + [("Cookie", "session=\(cookie)")]
        )
        let exchange = capture.redirect(logout, to: "/bye", headers: ShopLogin.browser)
        #expect(capture.flows.map { $0.exchanges.contains(exchange) } == [place == 0, place == 1])
    }

    /// The session lasts: what is ended is the login that the browser made last.
    @Test func logoutWithoutHintGoesToTheLastLoginOfItsBrowser() {
        let cookie = [("Cookie", "session=session-one-0001; consent=given-to-everybody")]
        var capture = CaptureBuilder()
        for name in ["one", "two", "other"] {
            let login = ShopLogin(name)
            let sent = name == "other" ? [("Cookie", "consent=given-to-everybody")] : cookie
            capture.redirect(
                "https://shop.example/login",
                to: login.authorizationURL,
                headers: ShopLogin.browser + sent
            )
            login.authorize(&capture)
            login.answer(&capture)
            login.callback(&capture)
            login.token(&capture)
        }
        let logout = capture.redirect(
            "https://idp.example/logout?client_id=shop",
            to: "/bye",
            headers: ShopLogin.browser + cookie
        )
        #expect(capture.flows.map { $0.exchanges.contains(logout) } == [false, true, false])
    }

    /// The ID token of a refresh that is not in the capture.
    @Test func unknownHintGoesToItsUser() {
        var capture = CaptureBuilder()
        signIn("alice", "session-of-alice", ShopLogin("one"), &capture)
        let later = ShopLogin("two")
        later.authorize(&capture)
        later.answer(&capture)
        later.callback(&capture)
        let hint = token(#"{"iss":"https://idp.example","aud":"shop","sub":"alice","iat":2}"#)
        capture.redirect(
            "https://idp.example/logout?" + FormBody.encode([("id_token_hint", hint)]),
            to: "/bye",
            headers: ShopLogin.browser
        )
        #expect(capture.flows.map(last) == [.endSessionRequest, .authorizationResponse])
    }
}
