import Captures
import Flows
import JOSE
import JSON
import Replay
import TestSupport
import Testing

/// Where the values of a plan's requests come from.
struct ParameterPlannerTests {
    private static let issuer = "https://id.example"
    private static let redirectURI = "https://shop.example/cb"
    /// Looks drawn, as those of Google and Entra do.
    private static let client = "4711-hk3vp0avbme7wq2l.apps.id.example"
    private static let access = "at-7Hq2vLx7TzB4nWm8RdYc9Kq2"
    private static let refresh = "rt-5Jq2vLx7TzB4nWm8RdYc9Kq2"

    private static var registration: Exchange {
        Exchange(
            startedAt: Timestamp(seconds: 0),
            request: RecordedRequest(
                method: "POST",
                url: RecordedURL(issuer + "/register"),
                headers: HeaderFields([("Content-Type", "application/json")]),
                body: .json(#"{"redirect_uris":["\#(redirectURI)"]}"#)
            ),
            response: RecordedResponse(
                status: 201,
                headers: HeaderFields([("Content-Type", "application/json")]),
                body: .json(#"{"client_id":"\#(client)","redirect_uris":["\#(redirectURI)"]}"#)
            )
        )
    }

    /// A login whose ID token and userinfo say the client's name, and a refresh; the client may have been registered before.
    private static func plan(isRegistered: Bool) throws -> ReplayPlan {
        var capture = CaptureBuilder()
        if isRegistered { capture.add(registration) }
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirectURI),
            ("scope", "openid"), ("state", "st8Kq2vLx7TzB4nWm8"),
        ])
        capture.redirect(
            issuer + "/authorize?" + query,
            to: redirectURI + "?code=SplxlOBeZQQYbYS6WxSbIA9x&state=st8Kq2vLx7TzB4nWm8"
        )
        let token = try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "aud": .string(client), "azp": .string(client), "sub": "u-77k",
            ],
            header: JSONObject(),
            algorithm: .hs256,
            with: .secret(Array("a secret of the client, long enough".utf8))
        )
        capture.post(
            issuer + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "SplxlOBeZQQYbYS6WxSbIA9x"),
                ("redirect_uri", redirectURI), ("client_id", client),
            ],
            body: .json(
                #"{"access_token":"\#(access)","token_type":"Bearer","refresh_token":"\#(refresh)","id_token":"\#(token)"}"#
            )
        )
        capture.get(
            issuer + "/userinfo",
            headers: [("Authorization", "Bearer \(access)")],
            body: .json(#"{"sub":"u-77k","azp":"\#(client)"}"#)
        )
        capture.post(
            issuer + "/token",
            [("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", client)],
            body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let flows = FlowFinder.flows(in: capture.capture)
        return PlanBuilder(try #require(flows.first), siblings: flows).plan()
    }

    /// Of each step that sends it.
    private static func sources(of name: String, in plan: ReplayPlan) -> [ValueSource] {
        plan.steps.flatMap(\.parameters).filter { $0.name == name }.map(\.source)
    }

    @Test func clientsOwnNameIsNotIssuedByTheTokensThatSayItBack() throws {
        let plan = try Self.plan(isRegistered: false)
        #expect(Self.sources(of: "client_id", in: plan) == [.literal, .literal, .literal])
    }

    @Test func nameOfARegisteredClientIsIssuedByTheRegistration() throws {
        let plan = try Self.plan(isRegistered: true)
        let sources = Self.sources(of: "client_id", in: plan)
        #expect(sources.count == 3)
        for source in sources {
            guard case .issued(let place) = source else {
                Issue.record("\(source)")
                continue
            }
            #expect(place.exchange == 0 && place.name == "client_id")
        }
    }

    @Test func noValueComesFromALaterAnswer() throws {
        for isRegistered in [false, true] {
            for step in try Self.plan(isRegistered: isRegistered).steps {
                for case .issued(let place) in step.parameters.map(\.source) {
                    #expect(place.exchange.map { $0 < step.exchange } ?? false)
                }
            }
        }
    }

    /// A client that was registered in the run is deleted at the address of that run; one that was there before is somebody's.
    @Test(arguments: [true, false]) func deletionGoesToTheClientOfTheRun(isRegistered: Bool) throws {
        let uri = Self.issuer + "/register/" + Self.client
        var capture = CaptureBuilder()
        var request = RecordedRequest(method: "DELETE", url: RecordedURL(uri))
        request.headers.append("Authorization", "Bearer reg-7Hq2vLx7TzB4nWm8")
        let deletion = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: request,
            response: RecordedResponse(status: 204, headers: HeaderFields())
        )
        request.method = isRegistered ? "POST" : "GET"
        if isRegistered {
            request.url = RecordedURL(Self.issuer + "/register")
            request.body = .json(#"{"redirect_uris":["\#(Self.redirectURI)"]}"#)
        }
        let information = """
            {"client_id":"\(Self.client)","registration_client_uri":"\(uri)",\
            "registration_access_token":"reg-7Hq2vLx7TzB4nWm8","redirect_uris":["\(Self.redirectURI)"]}
            """
        let first = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: request,
            response: RecordedResponse(
                status: 200,
                headers: HeaderFields([("Content-Type", "application/json")]),
                body: .json(information)
            )
        )
        capture.add(first)
        capture.add(deletion)
        let flows = FlowFinder.flows(in: capture.capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let step = try #require(plan.steps.last)
        #expect(step.kind == .clientDeleteRequest)
        #expect(step.hasSideEffect == !isRegistered)
    }

    /// With each answer a client may get another address and token for its registration (RFC 7592, section 3).
    @Test(arguments: ["renewed", "behind a proxy"]) func deletionBehindAChangeGoesToTheClientOfTheRun(
        way: String
    ) throws {
        func call(_ method: String, _ url: String, token: String, answer: String?) -> Exchange {
            var request = RecordedRequest(method: method, url: RecordedURL(url))
            request.headers.append("Authorization", "Bearer \(token)")
            if method != "DELETE" { request.body = .json(#"{"redirect_uris":["\#(Self.redirectURI)"]}"#) }
            return Exchange(
                startedAt: Timestamp(seconds: 0),
                request: request,
                response: RecordedResponse(
                    status: answer == nil ? 204 : 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: answer.map(Body.json)
                )
            )
        }
        func information(_ number: Int) -> String {
            """
            {"client_id":"\(Self.client)","registration_client_uri":"\(told(number))",\
            "registration_access_token":"reg-\(number)Hq2vLx7TzB4nWm8","redirect_uris":["\(Self.redirectURI)"]}
            """
        }
        func told(_ number: Int) -> String {
            let host = way == "renewed" ? Self.issuer : "http://inner.example"
            return "\(host)/register/\(way == "renewed" ? "v\(number)/" : "")\(Self.client)"
        }
        func asked(_ number: Int) -> String {
            way == "renewed" ? told(number) : "\(Self.issuer)/register/\(Self.client)"
        }
        var capture = CaptureBuilder()
        capture.add(
            call("POST", Self.issuer + "/register", token: "initial-0123456789", answer: information(1))
        )
        capture.add(call("PUT", asked(1), token: "reg-1Hq2vLx7TzB4nWm8", answer: information(2)))
        capture.add(call("DELETE", asked(2), token: "reg-2Hq2vLx7TzB4nWm8", answer: nil))
        let flows = FlowFinder.flows(in: capture.capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        #expect(plan.steps.map(\.kind) == [.clientRegistration, .clientUpdateRequest, .clientDeleteRequest])
        // What no login uses is made for its own sake.
        #expect(plan.steps.map(\.hasSideEffect) == [true, false, false])
    }

    /// A client is registered after its metadata were read, and no login follows.
    @Test func registrationAloneIsDriven() throws {
        var capture = CaptureBuilder()
        capture.get(
            Self.issuer + "/.well-known/openid-configuration",
            body: .json(
                """
                {"issuer":"\(Self.issuer)","registration_endpoint":"\(Self.issuer)/register",\
                "token_endpoint":"\(Self.issuer)/token"}
                """
            )
        )
        var request = RecordedRequest(method: "POST", url: RecordedURL(Self.issuer + "/register"))
        request.body = .json(#"{"redirect_uris":["\#(Self.redirectURI)"]}"#)
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: request,
                response: RecordedResponse(
                    status: 201,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: .json(#"{"client_id":"\#(Self.client)","redirect_uris":["\#(Self.redirectURI)"]}"#)
                )
            )
        )
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.map(\.grant) == ["registration"])
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        #expect(plan.steps.map(\.kind) == [.discovery, .clientRegistration])
        #expect(plan.steps.map(\.hasSideEffect) == [false, true])
    }
}
