import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Where a flow's endpoints were, by its own requests.
struct RecordedEndpointsTests {
    /// Cognito carries the request's parameters on to its page to sign in at.
    @Test func signInPageWithTheRequestsParametersIsNotTheEndpoint() throws {
        let query =
            "client_id=shop&response_type=code&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&state=state-1-abcdefgh"
        var capture = CaptureBuilder()
        capture.redirect(
            "https://id.example/oauth2/authorize?\(query)",
            to: "https://id.example/login?\(query)"
        )
        capture.get(
            "https://id.example/login?\(query)",
            body: .html("<form method=post><input name=user></form>")
        )
        let flow = try #require(FlowFinder.flows(in: Capture(capture.exchanges)).first)
        #expect(
            RecordedEndpoints(of: flow).byRole["authorization_endpoint"]
                == "https://id.example/oauth2/authorize"
        )
    }

    /// RFC 6749, sections 3.1 and 3.2.
    @Test func endpointsKeepTheQueryThatIsTheirOwn() throws {
        let path = "https://id.example/index.php?route=oauth/"
        var capture = CaptureBuilder()
        for policy in ["other", "own"] {
            capture.get(
                "https://id.example/.well-known/openid-configuration?p=\(policy)",
                body: .json(
                    """
                    {"issuer":"https://id.example","authorization_endpoint":"\(path)authorize&p=\(policy)",
                    "token_endpoint":"\(path)token&p=\(policy)","jwks_uri":"\(path)jwks&p=\(policy)",
                    "end_session_endpoint":"\(path)logout&p=\(policy)"}
                    """
                )
            )
        }
        let state = "state=state-1-abcdefgh"
        let callback = "https://shop.example/cb?code=code-1-abcdefgh&\(state)"
        capture.redirect(
            path + "authorize&p=own&client_id=shop&response_type=code&\(state)"
                + "&redirect_uri=https%3A%2F%2Fshop.example%2Fcb",
            to: callback
        )
        capture.get(callback)
        capture.post(
            path + "token&p=own",
            [("grant_type", "authorization_code"), ("code", "code-1-abcdefgh"), ("client_id", "shop")],
            body: .json(#"{"access_token":"access-1-abcdefgh","token_type":"Bearer"}"#)
        )
        capture.get(path + "jwks&p=own", body: .json(#"{"keys":[]}"#))
        let flow = try #require(FlowFinder.flows(in: Capture(capture.exchanges)).first)
        let endpoints = RecordedEndpoints(of: flow).byRole
        let roles = ["authorization": "authorize", "token": "token", "end_session": "logout"]
        for (role, name) in roles {
            #expect(endpoints[role + "_endpoint"] == "\(path)\(name)&p=own")
        }
        #expect(endpoints["jwks_uri"] == "\(path)jwks&p=own")
    }

    /// RFC 8414, section 3, and OpenID Connect Discovery, section 4: clients look in both places.
    @Test(arguments: [
        (
            #"{"issuer":"https://id.example","token_endpoint":"https://id.example/token"}"#,
            ["openid-configuration"]
        ),
        (#"{"error":"gone"}"#, ["oauth-authorization-server", "openid-configuration"]),
    ]) func placeWithoutMetadataIsNotWhereTheyWere(document: String, names: [String]) throws {
        let place = "https://id.example/.well-known/"
        var capture = CaptureBuilder()
        capture.get(place + "oauth-authorization-server", 404)
        capture.get(place + "openid-configuration", body: .json(document))
        let state = "state=state-1-abcdefgh"
        let callback = "https://shop.example/cb?code=code-1-abcdefgh&\(state)"
        capture.redirect(
            "https://id.example/authorize?client_id=shop&response_type=code&\(state)"
                + "&redirect_uri=https%3A%2F%2Fshop.example%2Fcb",
            to: callback
        )
        capture.get(callback)
        capture.post(
            "https://id.example/token",
            [("grant_type", "authorization_code"), ("code", "code-1-abcdefgh"), ("client_id", "shop")],
            body: .json(#"{"access_token":"access-1-abcdefgh","token_type":"Bearer"}"#)
        )
        let flow = try #require(FlowFinder.flows(in: Capture(capture.exchanges)).first)
        #expect(RecordedEndpoints(of: flow).discoveryURLs == names.map { place + $0 })
    }
}
