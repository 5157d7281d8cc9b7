import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import TestSupport
import Testing

/// The way of each value, through the spellings it meets.
struct LinkFinderTests {
    private func links(_ build: (inout CaptureBuilder, ShopLogin) -> Void) -> [Link] {
        var capture = CaptureBuilder()
        build(&capture, ShopLogin())
        return capture.flows.flatMap(\.links)
    }

    private func uses(_ link: Link?) -> [String] {
        (link?.uses ?? []).map { "\($0.place.exchange ?? -1) \($0.place.part.rawValue) \($0.place.name)" }
    }

    @Test func stateAndCodeGoThroughTheBrowserToTheBackend() throws {
        let found = links { $1.whole(&$0) }
        let state = try #require(found.first { $0.name == "state" })
        #expect(state.origin.place.exchange == 1)
        #expect(uses(state) == ["2 response.location state", "3 request.query state"])
        let code = try #require(found.first { $0.name == "code" })
        #expect(code.origin.place == Place(exchange: 2, part: .responseLocation, name: "code"))
        #expect(uses(code) == ["3 request.query code", "4 request.body code"])
    }

    /// As GitHub's endpoint answers who does not ask for JSON.
    @Test func accessTokenComesInAForm() throws {
        let found = links { capture, login in
            capture.post(
                "https://idp.example/token",
                [("grant_type", "client_credentials"), ("client_id", "shop")],
                body: Body(
                    text: "access_token=gho_16C7e42F292c6912E7710c&token_type=bearer",
                    mediaType: "application/x-www-form-urlencoded; charset=utf-8"
                )
            )
            capture.get(
                "https://api.example/user",
                headers: [("Authorization", "Bearer gho_16C7e42F292c6912E7710c")]
            )
        }
        let token = try #require(found.first { $0.name == "access_token" })
        #expect(token.origin.place == Place(exchange: 0, part: .responseBody, name: "access_token"))
        #expect(uses(token) == ["1 request.header Authorization"])
    }

    @Test func accessTokenGoesIntoTheHeaderWithoutItsScheme() throws {
        let found = links { $1.whole(&$0) }
        let token = try #require(found.first { $0.name == "access_token" })
        #expect(uses(token) == ["5 request.header Authorization"])
        #expect(token.transform == .equal)
    }

    @Test func secretInsideAHeaderIsCalledByItsName() throws {
        let basic = [("Authorization", "Basic " + Base64.encode(Array("shop:secret-0123456789".utf8)))]
        let found = links { capture, login in
            login.authorize(&capture)
            login.callback(&capture)
            let code = [("grant_type", "authorization_code"), ("code", login.code)]
            let tokens = #"{"access_token":"access-0001","refresh_token":"refresh-0001"}"#
            capture.post("https://idp.example/token", code, headers: basic, body: .json(tokens))
            let refresh = [("grant_type", "refresh_token"), ("refresh_token", "refresh-0001")]
            capture.post("https://idp.example/token", refresh, headers: basic, body: .json(tokens))
        }
        let secret = try #require(found.first { $0.origin.place.part == .requestHeader })
        #expect(secret.name == "client_secret" && secret.origin.place.name == "Authorization")
        #expect(uses(secret) == ["3 request.header Authorization"])
    }

    @Test func verifierFitsItsChallengeOrSaysThatItDoesNot() throws {
        let right = try #require(links { $1.whole(&$0) }.first { $0.name == "code_verifier" })
        #expect(right.transform == .s256)
        #expect(uses(right) == ["1 request.query code_challenge"])
        let padded = links { capture, login in
            capture.get(
                login.authorizationURL.replacing(
                    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
                    with: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM%3D"
                )
            )
            login.callback(&capture)
            login.token(&capture)
        }
        #expect(padded.first { $0.name == "code_verifier" }?.transform == .malformedChallenge)
    }

    @Test func hiddenFieldOfAPageComesBackInItsForm() throws {
        let found = links { capture, login in
            capture.get(
                login.authorizationURL,
                body: .html(
                    #"<form method="post" action="/login"><input type="hidden" name="csrf" value="tok&#47;en-4711-abcdef"></form>"#
                )
            )
            capture.post(
                "https://idp.example/login",
                [("csrf", "tok/en-4711-abcdef")],
                302,
                answer: [("Location", login.callbackURL)]
            )
            login.callback(&capture)
        }
        let link = try #require(found.first { $0.name == "csrf" })
        #expect(link.origin.place.part == .responseBody)
        #expect(uses(link) == ["1 request.body csrf"])
    }

    @Test func cookieGoesBackToWhoSetIt() throws {
        let found = links { capture, login in
            capture.get(
                login.authorizationURL,
                answer: [("Set-Cookie", "session=abcdef-0123456789; Path=/")],
                body: .html("<form method=post action=/login></form>")
            )
            capture.post(
                "https://idp.example/login",
                [],
                302,
                headers: [("Cookie", "session=abcdef-0123456789")],
                answer: [("Location", login.callbackURL)]
            )
            login.callback(&capture)
        }
        #expect(uses(found.first { $0.name == "session" }) == ["1 request.cookie session"])
    }

    @Test func stateInsideALongerCookieIsAPartOfIt() throws {
        let found = links { capture, login in
            capture.redirect(
                "https://shop.example/login",
                to: login.authorizationURL,
                headers: ShopLogin.browser
            )
            login.authorize(&capture)
            capture.redirect(
                login.callbackURL,
                to: "/home",
                headers: ShopLogin.browser + [("Cookie", "login=\(login.state)|5f2a9c")]
            )
        }
        let part = try #require(found.first { $0.transform == .part })
        #expect(part.name == "state")
        #expect(part.uses.map(\.place.part) == [.requestCookie])
    }

    @Test func partsOfACookieAreInItsOrder() {
        let tickets = (1...8).map { "ticket-7d1f-0\($0)" }
        let found = links { capture, login in
            capture.redirect(
                login.authorizationURL + tickets.map { "&ticket=\($0)" }.joined(),
                to: login.callbackURL,
                headers: ShopLogin.browser
            )
            capture.redirect(
                login.callbackURL,
                to: "/home",
                headers: ShopLogin.browser + [("Cookie", "kept=\(tickets.joined(separator: "|"))")]
            )
        }
        #expect(found.filter { $0.transform == .part }.map(\.origin.value) == tickets)
    }

    /// One drawn value in a hundred has no digit; a word has none either.
    @Test(arguments: [
        ("FqhOpUxlxLGYAAAxKNLKtXFVmds", true), ("kQZr-vbTmXHeLUc_pWGa", true),
        ("FqhOpUxlxLGYAAAx3NLKtXFVmds", true), ("applicationPreferences", false),
        ("theUserHasSeenOurBanner", false), ("THEME_DARK_COMPACT", false), ("HTTPServerURLForTheAPI", false),
    ])
    func cookieIsFollowedWhereItsValueIsNoWord(value: String, isLinked: Bool) {
        let found = links { capture, login in
            capture.get(
                login.authorizationURL,
                headers: ShopLogin.browser,
                answer: [("Set-Cookie", "kept=\(value); Path=/; HttpOnly")],
                body: .html("<form method=post action=/login><input name=user></form>")
            )
            capture.post(
                login.issuer + "/login",
                [("user", "alice")],
                302,
                headers: ShopLogin.browser + [("Cookie", "kept=\(value)")],
                answer: [("Location", login.callbackURL)]
            )
            login.callback(&capture)
        }
        #expect(found.contains { $0.name == "kept" } == isLinked)
    }

    @Test func percentEncodedOnceMoreIsStillTheSameValue() throws {
        let found = links { capture, login in
            var login = login
            login.state = "a/b+c=1234567890"
            capture.get(login.authorizationURL)
            let twice = PercentEncoding.encode(PercentEncoding.encode(login.state))
            capture.redirect("https://shop.example/cb?code=\(login.code)&state=\(twice)", to: "/home")
        }
        let link = try #require(found.first { $0.transform == .percent })
        #expect(link.name == "state")
    }

    /// What Unicode calls equal came from somewhere else: é as one code point, and as two.
    @Test(arguments: [("caf\u{e9}-0123456789", true), ("cafe\u{301}-0123456789", false)])
    func valueIsLinkedByItsBytes(came: String, isLinked: Bool) {
        let found = links { capture, login in
            var login = login
            login.state = "caf\u{e9}-0123456789"
            capture.get(login.authorizationURL)
            let state = PercentEncoding.encode(came)
            capture.redirect("https://shop.example/cb?code=\(login.code)&state=\(state)", to: "/home")
        }
        #expect(found.contains { $0.name == "state" } == isLinked)
    }

    @Test func hashesOfTheIDTokenBelongToTokenAndCode() throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let found = links { capture, login in
            let access = "access-token-0001"
            let claims: JSONObject = [
                "iss": "https://idp.example", "aud": "shop", "nonce": .string("nonce-" + login.state),
                "at_hash": .string(JSONWebToken.halfHash(of: access, algorithm: .es256)),
                "c_hash": .string(JSONWebToken.halfHash(of: login.code, algorithm: .es256)),
            ]
            let idToken =
                (try? JSONWebToken.sign(
                    claims: claims,
                    header: [:],
                    algorithm: .es256,
                    with: .privateKey(key)
                )) ?? ""
            login.authorize(&capture)
            login.callback(&capture)
            login.token(&capture, body: #"{"access_token":"\#(access)","id_token":"\#(idToken)"}"#)
        }
        #expect(found.first { $0.transform == .atHash }?.name == "access_token")
        #expect(found.first { $0.transform == .codeHash }?.name == "code")
        let nonce = try #require(found.first { $0.name == "nonce" })
        #expect(uses(nonce) == ["2 jwt.claims nonce"])
    }

    @Test func valuesThatEveryLoginSharesAreNoLinks() {
        let names = Set(links { $1.whole(&$0) }.map(\.name))
        for name in [
            "client_id", "redirect_uri", "scope", "response_type", "grant_type", "code_challenge_method",
            "iss",
        ] {
            #expect(!names.contains(name), "\(name)")
        }
    }

    /// The code of a signed answer that a page posts stands inside of it (JARM, section 2.3.3); other fields stay closed.
    @Test(arguments: [("response", true), ("wresult", false)])
    func codeOfASignedAnswerOnAPageIsFound(field: String, isOpened: Bool) throws {
        let token = try JSONWebToken.sign(
            claims: ["iss": "https://idp.example", "code": "code-0123456789"],
            header: JSONObject(),
            algorithm: .hs256,
            with: .secret(Array("secret-of-the-shop".utf8))
        )
        let page = """
            <form method="post" action="https://shop.example/cb"><input type="hidden" name="\(field)" value="\(token)"></form>
            """
        var builder = CaptureBuilder()
        builder.get("https://idp.example/authorize", body: Body(text: page, mediaType: "text/html"))
        var collector = OccurrenceCollector()
        let found = collector.occurrences(in: builder.capture[0], at: 0)
        #expect(found.contains { $0.place.name == field && $0.value == token })
        let claim = found.first { $0.place.part == .jwtClaims && $0.place.name == "code" }
        #expect(claim?.value == (isOpened ? "code-0123456789" : nil))
    }
}
