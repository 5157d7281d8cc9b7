import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// Sign-ins by ForgeRock's SDKs that were refused before the app asked for anything.
struct ForgeRockRefusalTests {
    private static let endpoint =
        "https://am.corp.example/am/json/alpha/authenticate?authIndexType=service&authIndexValue=Login"
    private static let step = #"{"authId":"eyJhbGciOiJIUzI1NiJ9.eyJvdGsiOiIxIn0.c2ln","callbacks":[]}"#
    private static let session = #"{"tokenId":"lniNQTOZmLtmaeSUHA1U6dHZwvs","successUrl":"/am/console"}"#

    private static let metadata = """
        {"issuer":"https://am.corp.example/am/oauth2/alpha",
        "authorization_endpoint":"https://am.corp.example/am/oauth2/alpha/authorize",
        "token_endpoint":"https://am.corp.example/am/oauth2/alpha/access_token",
        "jwks_uri":"https://am.corp.example/am/oauth2/alpha/connect/jwk_uri",
        "response_types_supported":["code"],"subject_types_supported":["public"],
        "id_token_signing_alg_values_supported":["RS256"]}
        """

    private static func refusal(_ message: String) -> String {
        #"{"code":401,"reason":"Unauthorized","message":"\#(message)"}"#
    }

    private func recording(
        _ answers: [(status: Int, body: String)],
        isDiscovered: Bool = false,
        isCodeAsked: Bool = false
    ) -> Recording {
        var capture = CaptureBuilder()
        if isDiscovered {
            capture.get(
                "https://am.corp.example/am/oauth2/alpha/.well-known/openid-configuration",
                body: .json(Self.metadata)
            )
        }
        for answer in answers {
            capture.post(
                Self.endpoint,
                json: "{}",
                answer.status,
                headers: [("User-Agent", "okhttp/4.12.0")],
                body: .json(answer.body)
            )
        }
        if isCodeAsked {
            capture.redirect(
                "https://am.corp.example/am/oauth2/alpha/authorize?client_id=shop-app&response_type=code&redirect_uri=com.shop.app%3A%2Fcb&scope=openid&state=af0ifjsldkj",
                to: "com.shop.app:/cb?code=021AbcDefGhi&state=af0ifjsldkj"
            )
        }
        return Recording(capture.exchanges)
    }

    @Test(arguments: [
        ("User Locked Out.", "Unlock the user"), ("No Configuration found", "Compare authIndexValue"),
        ("Session has timed out", "Begin the journey anew"), ("User is not active.", "Activate the user"),
        ("User Requires Profile to Login", "Have the user in"), ("Login failure", "Sign in with the same"),
        ("Invalid realm, /alpha", "Compare the path"),
        ("Maximum Sessions Limit Reached.", "Sign out elsewhere"),
        ("Module Based Authentication is not allowed.", "Ask for a journey"),
    ])
    func saysWhyTheJourneyWasRefused(message: String, fix: String) throws {
        for isDiscovered in [false, true] {
            let recording = recording(
                [(200, Self.step), (401, Self.refusal(message))],
                isDiscovered: isDiscovered
            )
            let finding = try #require(recording.finding("authorization-error"))
            #expect(finding.isPrimary && finding.fix.hasPrefix(fix))
            #expect(finding.title == "ForgeRock refused the sign-in before the app could ask for a code")
            #expect(finding.evidence.map(\.value) == ["Unauthorized: \(message)", "Login"])
            #expect(recording.outcomes == [.failure])
            #expect(recording.flows.map(\.provider) == [.forgerock])
        }
    }

    /// Where a journey has a Failure URL, its answer names it.
    @Test(arguments: ["https://www.shop.example/blocked", ""])
    func saysWhereTheUserIsSent(url: String) throws {
        let answer =
            #"{"code":401,"reason":"Unauthorized","message":"Login failure","detail":{"failureUrl":"\#(url)"}}"#
        let finding = try #require(
            recording([(200, Self.step), (401, answer)]).finding("authorization-error")
        )
        let sent = finding.evidence.map(\.value).filter { $0.hasPrefix("https:") }
        #expect(sent == (url.isEmpty ? [] : [url]))
    }

    /// Who gets in with the second try, or is still asked, was not refused; nor is an API of that name, in words of its own.
    @Test(arguments: [
        [(401, refusal("Login failure")), (200, step), (200, session)], [(200, step)],
        [(401, refusal("Login failure")), (200, step)], [(401, step)], [(401, #"{"error":"no"}"#)],
        [(500, refusal("Internal error"))], [(401, #"{"status":401,"message":"Bad credentials"}"#)],
    ])
    func leavesOthersAlone(answers: [(Int, String)]) {
        #expect(recording(answers.map { (status: $0.0, body: $0.1) }).flows.isEmpty)
    }

    /// A journey that went well is none of the one that was refused behind it.
    @Test func beginsAnewBehindASession() throws {
        let recording = recording([
            (200, Self.step), (200, Self.session), (200, Self.step), (401, Self.refusal("Login failure")),
        ])
        #expect(recording.flows.map(\.exchanges) == [[2, 3]])
        #expect(recording.finding("authorization-error")?.isPrimary == true)
    }

    /// There was a session all the same: it asks for a code, and gets it.
    @Test func leavesAloneWhatWentOnToACode() {
        let recording = recording(
            [(200, Self.step), (401, Self.refusal("Login failure"))],
            isCodeAsked: true
        )
        #expect(recording.flows.count == 1)
        #expect(recording.finding("authorization-error") == nil)
    }
}
