import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// An app on a device that hands its code, or its tokens, to a server of its own.
struct RelayedCodeTests {
    private let rule = "callback-rejected-by-app"

    /// The token request of the native app, sent to the app's own server instead.
    private func relayed(
        _ status: Int?,
        _ body: String = "{}",
        agent: String? = nil,
        to url: String = "https://api.shop.example/session"
    ) throws -> Recording {
        try Recording("healthy/native-app").without {
            ["/jwks", "/userinfo"].contains($0.request.url.path)
        }.editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            let code = FormBody.items(of: exchange.request.body)?.first("code") ?? ""
            exchange.request.url = RecordedURL(url)
            exchange.request.body = .json("{\"code\":\"\(code)\"}")
            exchange.request.headers.remove("content-type")
            if let agent {
                exchange.request.headers.remove("user-agent")
                if !agent.isEmpty { exchange.request.headers.append("User-Agent", agent) }
            }
            exchange.response = status.map {
                RecordedResponse(status: $0, body: .json(body))
            }
            if status == nil { exchange.failure = "NSURLErrorDomain Code=-1004 Could not connect" }
        }
    }

    @Test(
        arguments: [
            (401, "{\"error\":\"invalid_grant\"}", true), (502, "", true),
            (200, "{\"user\":\"alice\"}", false),
            (200, "{\"success\":false,\"message\":\"no such code\"}", true), (nil, "", true),
        ] as [(Int?, String, Bool)]
    )
    func serverThatRefusesTheCodeIsTold(status: Int?, body: String, isRefused: Bool) throws {
        let recording = try relayed(status, body)
        let finding = recording.finding(rule)
        #expect((finding != nil) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        guard let finding else { return }
        #expect(finding.isPrimary)
        #expect(finding.title.hasPrefix("The app's own server"))
        #expect(finding.evidence[0].value == "https://api.shop.example/session")
    }

    /// With a request in front of the login by which the app's server told it a value.
    private func started(_ login: Recording, telling name: String, _ value: String) throws -> Recording {
        var recording = login
        var start = try #require(recording.exchanges.last)
        start.startedAt = recording.exchanges[1].startedAt - .milliseconds(20)
        start.request.url = RecordedURL("https://api.shop.example/start")
        start.request.body = .json("{}")
        start.response = RecordedResponse(status: 200, body: .json("{\"\(name)\":\"\(value)\"}"))
        recording.exchanges.insert(start, at: 1)
        return recording
    }

    /// The server made up what it means to know the login by, and the app's library sent a value of its own.
    @Test(
        arguments: [
            ("state", nil, 401, true), ("nonce", nil, 401, true), ("code_challenge", nil, 401, true),
            ("state", "as sent", 401, false), ("theme", nil, 401, false), ("state", "short", 401, false),
            ("state", nil, 200, false), ("state", "waiting_for_the_user", 401, false),
            ("state", "brought-to-the-server-0001", 401, false),
        ] as [(String, String?, Int, Bool)]
    )
    func valueOfTheServerThatWasNotSent(name: String, value: String?, status: Int, isTold: Bool) throws {
        var recording = try relayed(status, "{\"message\":\"unknown\"}")
        let sent = recording.exchanges[1].request.url.queryItems.first("state") ?? ""
        let told = value == "as sent" ? sent : value ?? "made-up-by-the-server-0001"
        if told.hasPrefix("brought") {
            recording = recording.editingLast("/session") {
                let code = $0.request.body?.text?.dropLast() ?? ""
                $0.request.body = .json("\(code),\"state\":\"\(told)\"}")
            }
        }
        recording = try started(recording, telling: name, told)
        let finding = recording.finding(rule)
        #expect((finding != nil) == (status == 401))
        #expect(
            (finding?.title == "The app did not use the \(name) that its own server had made up") == isTold
        )
        #expect((finding?.places.contains("1 response.body \(name)") == true) == isTold)
    }

    /// It was told to another app, for a login before this one, or is no value; or that of the login is not known.
    @Test(arguments: [
        "", "other app", "long before", "sent empty", "sent hidden", "told hidden", "told words",
    ])
    func valueThatIsNotOfThisLoginIsNotTold(change: String) throws {
        let hidden = "[REDACTED-0001-secret]"
        let value = ["told hidden": hidden, "told words": "Welcome back, no. 12345"][change]
        var recording = try started(
            relayed(401, "{\"message\":\"unknown\"}"),
            telling: "nonce",
            value ?? "made-up-by-the-server-0001"
        )
        switch change {
        case "other app":
            recording = recording.sendingHeader("User-Agent", "Dart/3.5 (dart:io)", to: "/start")
        case "long before":
            for index in 0...1 {
                recording.exchanges[index].startedAt = recording.exchanges[index].startedAt - .seconds(400)
            }
        case "sent empty": recording = recording.asking("nonce", "")
        case "sent hidden": recording = recording.asking("nonce", hidden)
        default: break
        }
        let title = try #require(recording.finding(rule)).title
        #expect(title.hasPrefix("The app did not use the nonce") == change.isEmpty)
    }

    /// Apple is sent the hash of what the server made up.
    @Test(arguments: [("raw-nonce-of-the-server-0001", false), ("another-nonce-0001", true)])
    func hashOfTheServersNonceIsNoOther(hashed: String, isTold: Bool) throws {
        let login = try relayed(401, "{\"message\":\"unknown\"}")
            .asking("nonce", CodeChallenge.s256(of: hashed))
        let recording = try started(login, telling: "nonce", "raw-nonce-of-the-server-0001")
        let title = try #require(recording.finding(rule)).title
        #expect(title.hasPrefix("The app did not use the nonce") == isTold)
    }

    /// Some exports list the fields of a form, and leave its text out.
    @Test func codeInAListedFieldIsHandedOver() throws {
        let code = try #require(relayed(401).flows.first?.authorizationResponses.first?.code)
        let recording = try relayed(401).editingLast("/session") {
            $0.request.body = Body(
                content: .parameters([HeaderFields.Field(name: "code", value: code)]),
                mediaType: FormBody.mediaType
            )
        }
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    /// A recording may end before the server's answer, which says nothing of it.
    @Test func serverThatHadNoTimeToAnswerIsNotTold() throws {
        var recording = try relayed(nil)
        recording.exchanges[recording.exchanges.count - 1].failure = nil
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.incomplete])
    }

    /// At a scheme of its own the app alone gets the code, whatever it calls itself.
    @Test(arguments: [
        "Dart/3.5 (dart:io)", "Shop/5.1 (com.shop.app; build:12; iOS 18.5.0) Alamofire/5.9.1", "axios/1.7.2",
        "UnityPlayer/2022.3", "", "Mozilla/5.0 (Linux; Android 14; wv) Chrome/141 Mobile Safari/537.36",
    ])
    func agentOfTheAppDoesNotMatter(agent: String) throws {
        #expect(try relayed(200, agent: agent).outcomes == [.success])
        #expect(try relayed(401, agent: agent).finding(rule)?.isPrimary == true)
    }

    /// Services for errors and campaigns are told the address with the code in it.
    @Test(arguments: ["https://o1.ingest.sentry.io/api/1/envelope/", "https://api2.branch.io/v1/open"])
    func telemetryTakesNoPart(url: String) throws {
        #expect(try relayed(200, to: url).outcomes != [.success])
        let own = try relayed(200)
        var report = try #require(own.exchanges.last)
        report.request.url = RecordedURL(url)
        report.response?.status = 429
        report.startedAt = report.startedAt + .seconds(1)
        #expect(Recording(own.exchanges + [report]).outcomes == [.success])
    }

    @Test func secondHandoverOfTheSameCodeLosesNothing() throws {
        let own = try relayed(200)
        var second = try #require(own.exchanges.last)
        second.response?.status = 400
        second.startedAt = second.startedAt + .seconds(1)
        let recording = Recording(own.exchanges + [second])
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    /// By a page of its server that leads to the app's scheme.
    @Test(arguments: [(200, Outcome.success), (500, .failure)])
    func pageMayLeadToTheApp(status: Int, outcome: Outcome) throws {
        let recording = try Recording("healthy/web-code-flow").without {
            ["/jwks", "/userinfo", "/"].contains($0.request.url.path)
        }.editing { exchange in
            switch exchange.request.url.path {
            case "/callback":
                let query = exchange.request.url.query ?? ""
                exchange.response?.redirect(to: "shopapp://callback?\(query)")
            case "/token":
                let code = FormBody.items(of: exchange.request.body)?.first("code") ?? ""
                exchange.request.url = RecordedURL("https://api.shop.example/session")
                exchange.request.body = .json("{\"c\":\"\(code)\"}")
                exchange.response = RecordedResponse(status: status)
                exchange.startedAt = exchange.startedAt + .seconds(2)
            default: break
            }
        }
        #expect(recording.outcomes == [outcome])
        #expect((recording.finding(rule) != nil) == (outcome == .failure))
    }

    @Test(arguments: [(401, true), (200, false)])
    func serverThatRefusesTheTokenIsTold(status: Int, isRefused: Bool) throws {
        let app = try Recording("healthy/native-app")
        let granted = try #require(app.exchanges.first { $0.request.url.path == "/token" })
        let token = try #require(
            Answer(of: granted, at: 0).parameters["id_token"]
        )
        var handover = try #require(app.exchanges.last)
        handover.request.method = "POST"
        handover.request.url = RecordedURL("https://api.shop.example/login")
        handover.request.headers.remove("authorization")
        handover.request.body = .json("{\"idToken\":\"\(token)\"}")
        handover.response = RecordedResponse(status: status)
        handover.startedAt = handover.startedAt + .seconds(1)
        let recording = Recording(app.exchanges + [handover])
        let finding = recording.finding(rule)
        #expect((finding != nil) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        if isRefused { #expect(finding?.title == "The app's own server refused the token") }
    }

    /// A web view shows the page's 404, and the app has the code from its address.
    @Test func pageOfErrorsWhoseCodeWasTakenIsNoRefusal() throws {
        let recording = try Recording("healthy/native-app")
        let signIn = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        let location = try #require(recording.exchanges[signIn].response?.location)
        let query = try #require(location.split(separator: "?").last)
        let callback = "https://www.shop.example/callback"
        var page = recording.exchanges[signIn]
        page.request.method = "GET"
        page.request.body = nil
        page.request.url = RecordedURL("\(callback)?\(query)")
        page.response = RecordedResponse(status: 404)
        page.startedAt = page.endedAt
        page.duration = .milliseconds(1)
        var exchanges = recording.asking("redirect_uri", callback).sending("redirect_uri", callback).exchanges
        exchanges[signIn].response?.redirect(to: "\(callback)?\(query)")
        exchanges.insert(page, at: signIn + 1)
        let taken = Recording(exchanges)
        #expect(taken.finding(rule) == nil)
        #expect(taken.outcomes == [.success])
        let lost = Recording(Array(exchanges[...(signIn + 1)]))
        #expect(lost.outcomes == [.failure])
    }

    /// The app's server exchanges the code while it is at work on what the app handed to it.
    private func exchanged(_ status: Int, _ body: String, within time: Duration = .milliseconds(500)) throws
        -> Recording
    {
        var exchanges = try Recording("healthy/native-app").without {
            ["/jwks", "/userinfo"].contains($0.request.url.path)
        }.exchanges
        let place = try #require(exchanges.firstIndex { $0.request.url.path == "/token" })
        var relay = try #require(relayed(status, body).exchanges.last)
        relay.startedAt = exchanges[place].startedAt
        relay.duration = time
        exchanges[place].startedAt = exchanges[place].startedAt + .milliseconds(50)
        exchanges[place].request.headers.replace("User-Agent", with: "shop-backend/2.1")
        exchanges.insert(relay, at: place)
        return Recording(exchanges)
    }

    @Test(arguments: [
        (401, #"{"error":"LOGIN_FAILED"}"#, true), (500, "", true),
        (200, #"{"success":false,"error":"no such user"}"#, true), (200, #"{"user":"alice"}"#, false),
    ])
    func serverThatExchangesTheCodeAndRefusesTheAppIsTold(status: Int, body: String, isRefused: Bool) throws {
        let recording = try exchanged(status, body)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        guard let finding else { return }
        #expect(finding.title == "The app's own server exchanged the code, and refused the app all the same")
        #expect(finding.places.prefix(2) == ["3 request.url ", "3 response.status "])
    }

    /// UserInfo refused the token while the server was at work: that is why it had nothing for the app.
    @Test(arguments: ["bearer-rejected", nil])
    func callThatTheServerWasRefusedIsTheCause(cause: String?) throws {
        var exchanges = try exchanged(502, #"{"error":"LOGIN_FAILED"}"#).exchanges
        let relay = try #require(exchanges.first { $0.response?.status == 502 })
        var userInfo = try #require(
            Recording("healthy/native-app").exchanges.first { $0.request.url.path == "/userinfo" }
        )
        userInfo.startedAt = relay.startedAt + .milliseconds(200)
        if cause != nil {
            userInfo.response = RecordedResponse(status: 401, body: .json(#"{"error":"invalid_token"}"#))
        }
        exchanges.append(userInfo)
        let recording = Recording(exchanges)
        #expect((recording.finding(rule) == nil) == (cause != nil))
        #expect(recording.finding(cause ?? rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    /// It was one more step: a registration, a second factor.
    @Test func serverThatServesTheAppAfterwardsHasNotRefusedIt() throws {
        var exchanges = try exchanged(404, #"{"error":"NEW_USER"}"#).exchanges
        let refusal = try #require(exchanges.first { $0.response?.status == 404 })
        var signUp = refusal
        signUp.startedAt = refusal.endedAt + .seconds(5)
        signUp.request.url = RecordedURL("https://\(refusal.request.url.host ?? "")/sign-up")
        signUp.request.body = .json("{}")
        signUp.response = RecordedResponse(status: 201, body: .json("{}"))
        exchanges.append(signUp)
        let recording = Recording(exchanges)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test func exchangeBehindTheRefusalIsSomebodyElses() throws {
        let recording = try exchanged(401, "{}", within: .milliseconds(10))
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// The app's server signs in for it, and tells it the end of that at a scheme of its own.
    @Test(arguments: [
        ("com.shop.app://auth?error=login_failed", true), ("com.shop.app://auth#error=login_failed", true),
        ("com.shop.app://auth?user=alice", false),
    ])
    func serverThatSendsTheAppAnErrorIsTold(target: String, isRefused: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/" }
            .editing { exchange in
                if exchange.request.url.path == "/callback" { exchange.response?.redirect(to: target) }
            }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        guard let finding else { return }
        #expect(finding.places.first == "4 response.location error")
    }

    /// An ID token says who somebody is, wherever it is brought; an access token is brought for much else.
    @Test(
        arguments: [
            ("id_token", "https://api.shop.example/v1/users/me", nil, 401, true),
            ("id_token", "https://api.shop.example/api/v1/social/google", nil, 401, true),
            ("id_token", "https://api.shop.example/push/register", nil, 401, false),
            ("access_token", "https://api.shop.example/v1/users/me", nil, 401, false),
            ("access_token", "https://api.shop.example/session", nil, 401, true),
            ("id_token", "https://api.shop.example/session", "Mozilla/5.0 Chrome/141.0", 401, false),
            ("id_token", "https://cognito-identity.eu-west-1.amazonaws.com/", nil, 400, true),
        ] as [(String, String, String?, Int, Bool)]
    )
    func tokenThatIsRefusedElsewhereIsTold(
        name: String,
        url: String,
        agent: String?,
        status: Int,
        isRefused: Bool
    ) throws {
        let app = try Recording("healthy/native-app")
        let granted = try #require(app.exchanges.first { $0.request.url.path == "/token" })
        let token = try #require(Answer(of: granted, at: 0).parameters[name])
        var handover = try #require(app.exchanges.last)
        handover.startedAt = handover.startedAt + .seconds(1)
        handover.request.method = "POST"
        handover.request.url = RecordedURL(url)
        handover.request.headers.remove("authorization")
        if let agent { handover.request.headers.replace("User-Agent", with: agent) }
        handover.request.body = .json("{\"token\":\"\(token)\"}")
        handover.response = RecordedResponse(status: status)
        let recording = Recording(app.exchanges + [handover])
        #expect((recording.finding(rule)?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
    }

    @Test(arguments: [(400, true), (200, false), (429, false)])
    func codeThatIsHandedOverTwiceIsTold(status: Int, fires: Bool) throws {
        var recording = try relayed(200, "{\"user\":\"alice\"}")
        var again = try #require(recording.exchanges.last { $0.request.url.path == "/session" })
        again.startedAt = again.endedAt + .milliseconds(30)
        again.response?.status = status
        again.response?.body = .json("{\"error\":\"unknown state\"}")
        if !fires { again.response?.body = nil }
        recording.exchanges.append(again)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(recording.outcomes == [.success])
        guard let finding else { return }
        #expect(finding.severity == .warning)
        #expect(finding.title == "The app handed its code to its own server twice")
        #expect(finding.evidence.map(\.value).prefix(2) == ["200", "400"])
    }

    /// An app may bring its code with other things that it asks its server for.
    @Test(arguments: ["method", "url", "body"])
    func otherRequestWithTheCodeIsNoSecondHandover(part: String) throws {
        var recording = try relayed(200, "{\"user\":\"alice\"}")
        var other = try #require(recording.exchanges.last)
        other.startedAt = other.endedAt + .milliseconds(30)
        switch part {
        case "method": other.request.method = "PUT"
        case "url": other.request.url = RecordedURL("https://api.shop.example/profile")
        default: other.request.body = .json("[\(other.request.body?.text ?? "")]")
        }
        other.response = RecordedResponse(status: 400)
        recording.exchanges.append(other)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }
}
