import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import Replay
import Synchronization
import TestSupport
import Testing

/// How often the server of a device login is asked, whatever it wishes (RFC 8628, sections 3.2 and 3.5).
struct DevicePollingTests {
    private static let issuer = "https://id.example"

    /// `isEntered`: whether it has the page at which the code was entered.
    private static func capture(isEntered: Bool = false) -> Capture {
        var capture = CaptureBuilder()
        capture.step = 5
        capture.post(
            issuer + "/device",
            [("client_id", "tv"), ("scope", "openid")],
            body: device(interval: "1")
        )
        if isEntered {
            capture.post(
                issuer + "/act",
                [("user_code", "ABCD-EFGH"), ("action", "allow")],
                body: .html("Done.")
            )
        }
        capture.post(
            issuer + "/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("device_code", "dc-4567890123456789"), ("client_id", "tv"),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return capture.capture
    }

    private static func device(interval: String) -> Body {
        .json(
            #"{"device_code":"dc-4567890123456789","user_code":"ABCD-EFGH","expires_in":600,"interval":\#(interval),"#
                + #""verification_uri":"https://id.example/act"}"#
        )
    }

    @Test(arguments: [
        ("9223372036854775807", "slow_down", 1), ("100000", "authorization_pending", 1),
        ("-5", "authorization_pending", 120), ("0", "authorization_pending", 120),
        ("60", "authorization_pending", 2),
    ])
    func pollingEnds(interval: String, error: String, polls: Int) async throws {
        let flows = FlowFinder.flows(in: Self.capture())
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let count = Mutex(0)
        let environment = FlowDriver.Environment.inMemory { request, _ in
            guard request.url.path == "/token" else {
                return RecordedResponse(status: 200, body: Self.device(interval: interval))
            }
            // A replay that goes on for ever fails the test, and does not hang it.
            let isEnough = count.withLock { count in
                count += 1
                return count > 200
            }
            let body = #"{"error":"\#(isEnough ? "expired_token" : error)"}"#
            return RecordedResponse(status: 400, body: .json(body))
        }
        _ = await FlowDriver(plan, environment).run()
        // The first of them is the one that was recorded.
        #expect(count.withLock { $0 } == 1 + polls)
    }

    /// RFC 7523, section 3: an assertion is good for one request, and so is each of a client that polls.
    @Test func eachPollHasAnAssertionOfItsOwn() async throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let assertion = try JSONWebToken.sign(
            claims: ["iss": "tv", "sub": "tv", "aud": .string(Self.issuer), "jti": "a7Kq2vLx7TzB4nW"],
            header: JSONObject(),
            algorithm: .es256,
            with: .privateKey(key)
        )
        let capture = Self.capture()
        var recorded = capture.indices.map { capture[$0] }
        recorded[1].request.body = Body(
            text: (recorded[1].request.body?.text ?? "")
                + "&"
                + FormBody.encode([
                    ("client_assertion_type", ClientAssertion.type), ("client_assertion", assertion),
                ]),
            mediaType: FormBody.mediaType
        )
        let flows = FlowFinder.flows(in: Capture(recorded))
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let sent = Mutex<[String]>([])
        let environment = FlowDriver.Environment.inMemory { request, _ in
            guard request.url.path == "/token" else {
                return RecordedResponse(status: 200, body: Self.device(interval: "1"))
            }
            let token = FormBody.items(of: request.body)?.first("client_assertion").flatMap(
                JSONWebToken.parse
            )
            let count = sent.withLock { sent in
                sent.append(token?.claim("jti")?.string ?? "")
                return sent.count
            }
            return count < 3
                ? RecordedResponse(status: 400, body: .json(#"{"error":"authorization_pending"}"#))
                : RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8"}"#))
        }
        let credentials = ReplayCredentials(clientKey: .init(key: key, id: nil))
        _ = await FlowDriver(plan, environment, options: .init(credentials: credentials)).run()
        #expect(sent.withLock { $0.count == 3 && Set($0).count == 3 && !$0.contains("") })
    }

    /// Where the code has to be entered, as RFC 8628 and as Google call it, unless the replay does so itself; and how often is asked,
    /// says the answer.
    @Test(arguments: [("verification_uri", false), ("verification_url", false), ("verification_uri", true)])
    func whereToEnterTheCodeIsTold(name: String, isEntered: Bool) async throws {
        let flows = FlowFinder.flows(in: Self.capture(isEntered: isEntered))
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let told = Mutex<[String]>([])
        let pauses = Mutex<[Duration]>([])
        let asked = Mutex(0)
        var environment = FlowDriver.Environment.inMemory { request, _ in
            guard request.url.path == "/token" else {
                let text = Self.device(interval: "7").text ?? ""
                return RecordedResponse(
                    status: 200,
                    body: .json(text.replacing("verification_uri", with: name))
                )
            }
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            return isFirst
                ? RecordedResponse(status: 400, body: .json(#"{"error":"authorization_pending"}"#))
                : RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8"}"#))
        }
        environment.tell = { event in
            switch event {
            case .enterCode(let code, let address): told.withLock { $0.append("\(code) \(address)") }
            case .waiting(let pause, _): pauses.withLock { $0.append(pause) }
            default: break
            }
        }
        _ = await FlowDriver(plan, environment).run()
        #expect(told.withLock { $0 } == (isEntered ? [] : ["ABCD-EFGH https://id.example/act"]))
        #expect(pauses.withLock { $0 }.last == .seconds(7))
    }
}
