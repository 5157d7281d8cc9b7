import Captures
import Flows
import JOSE
import OAuth
import TestSupport
import Testing

/// Logins whose beginning is not in the capture.
struct LoneAnswerTests {
    private static let app = "https://shop.example/callback"
    private static let code = "code=SplxlOBeZQQYbYS6WxSbIA"

    @Test(arguments: [
        ("\(code)&state=af0ifjsldkj", 302, Outcome.success), ("\(code)&state=af0ifjsldkj", 500, .failure),
        ("\(code)&iss=https%3A%2F%2Fidp.example", 200, .success),
        ("error=access_denied&state=af0ifjsldkj", 200, .cancelled),
        ("error=invalid_scope&error_description=no+such+scope", 200, .failure),
        ("error=login_required&state=af0ifjsldkj", 200, .failure),
    ]) func answerAloneIsALogin(query: String, status: Int, ending: Outcome) throws {
        let flows = FlowFinder.flows { capture in
            let answer = status == 302 ? [("Location", "/home"), ("Set-Cookie", "session=1")] : []
            capture.get("\(Self.app)?\(query)", status, answer: answer)
        }
        let flow = try #require(flows.first)
        #expect(flows.count == 1 && flow.ending == ending && flow.grant == "authorization_code")
        #expect(flow.steps.map(\.kind) == [.authorizationResponse])
    }

    @Test func redirectAndCallbackAreOne() throws {
        let flows = FlowFinder.flows { capture in
            capture.redirect("https://idp.example/consent", to: "\(Self.app)?\(Self.code)&state=af0ifjsldkj")
            capture.get("\(Self.app)?\(Self.code)&state=af0ifjsldkj")
            // Loaded again.
            capture.get("\(Self.app)?\(Self.code)&state=af0ifjsldkj", 400)
        }
        let flow = try #require(flows.first)
        #expect(flows.count == 1 && flow.exchanges == [0, 1, 2] && flow.ending == .success)
        #expect(flow.authorizationResponses.first?.deliveredBy == 0)
    }

    @Test func pageHandsOnWhatItGot() throws {
        let flows = FlowFinder.flows { capture in
            capture.get("\(Self.app)?\(Self.code)&state=af0ifjsldkj", body: .html("<script></script>"))
            capture.get("https://shop.example/api/login?\(Self.code)&state=af0ifjsldkj", 204)
        }
        #expect(flows.count == 1 && flows.first?.authorizationResponses.count == 1)
    }

    @Test func formIsOneAsWell() throws {
        let form = [("state", "af0ifjsldkj"), ("code", "SplxlOBeZQQYbYS6WxSbIA")]
        let flow = try #require(FlowFinder.flows { $0.post(Self.app, form, 302) }.first)
        #expect(flow.authorizationResponses.first?.mode == .formPost)
    }

    @Test(arguments: [
        "code=94110&state=CA", "code=SplxlOBeZQQYbYS6WxSbIA", "error=access_denied", "state=af0ifjsldkj",
        "error=not_found&state=af0ifjsldkj", "response=ok&id_token=none",
        "\(code)&state=af0ifjsldkj&client_id=shop",
    ]) func otherPagesAreNone(query: String) {
        #expect(FlowFinder.flows { $0.get("\(Self.app)?\(query)") }.isEmpty)
    }

    /// A recorded login says where answers come in; one that nobody awaits there is of another login.
    @Test(arguments: [
        ("error=invalid_scope&state=of-another", true, 2), ("error=invalid_scope&state=of-another", false, 1),
        ("error=login_required&state=of-another", true, 1), ("\(code)&state=of-another", true, 1),
    ]) func besideALoginAnErrorOfTheProvidersCounts(query: String, isDelivered: Bool, count: Int) {
        let flows = FlowFinder.flows { capture in
            if isDelivered { capture.redirect("https://idp.example/consent", to: "\(Self.app)?\(query)") }
            capture.get("\(Self.app)?\(query)")
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=shop&state=xyzxyzxyz"
                    + "&redirect_uri=https%3A%2F%2Fshop.example%2Fcallback",
                to: "\(Self.app)?code=another-code-1&state=xyzxyzxyz"
            )
            capture.get("\(Self.app)?code=another-code-1&state=xyzxyzxyz")
        }
        #expect(flows.count == count)
        #expect(flows.last?.ending == .success)
    }

    /// OpenID4VP, section 8.2: the wallet posts the error itself, in a login whose request is an object that it fetched.
    @Test(arguments: [
        ("error", "access_denied", "of-a-wallet", "application/json", 2),
        ("error", "access_denied", "state-of-one-0001", "application/json", 1),
        ("error", "access_denied", "of-a-wallet", "text/html", 1),
        ("code", "SplxlOBeZQQYbYS6WxSbIA", "of-a-wallet", "application/json", 1),
    ]) func besideALoginAWalletsErrorCounts(
        name: String,
        value: String,
        state: String,
        type: String,
        count: Int
    ) throws {
        let login = ShopLogin()
        let flows = FlowFinder.flows { capture in
            login.authorize(&capture)
            login.answer(&capture)
            login.callback(&capture)
            capture.post(
                "https://verifier.example/response/abc",
                [(name, value), ("state", state)],
                headers: [("User-Agent", "wallet/1.0")],
                body: Body(text: "{}", mediaType: type)
            )
        }
        #expect(flows.count == count)
        #expect(flows.first?.exchanges.starts(with: [0, 1, 2]) == true)
        if count == 2 { #expect(flows[1].exchanges == [3] && flows[1].ending == .cancelled) }
    }

    @Test func codeThatIsRedeemedBelongsToItsTokenRequest() {
        let flows = FlowFinder.flows { capture in
            capture.get("\(Self.app)?\(Self.code)&state=af0ifjsldkj", 302, answer: [("Location", "/")])
            capture.post(
                "https://idp.example/token",
                [("grant_type", "authorization_code"), ("code", "SplxlOBeZQQYbYS6WxSbIA")],
                body: .json(#"{"access_token":"t","token_type":"Bearer"}"#)
            )
        }
        #expect(flows.map(\.exchanges) == [[0, 1]])
    }
}
