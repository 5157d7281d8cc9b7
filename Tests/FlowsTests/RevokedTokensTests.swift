import Captures
import Flows
import OAuth
import Testing

struct RevokedTokensTests {
    private static func post(_ path: String, at second: Int64, _ form: String, _ answer: String) -> Exchange {
        var request = RecordedRequest(method: "POST", url: RecordedURL("https://id.harbour.example/\(path)"))
        request.body = Body(text: form, mediaType: FormBody.mediaType)
        var exchange = Exchange(startedAt: Timestamp(seconds: 1_700_000_000 + second), request: request)
        exchange.duration = .milliseconds(40)
        exchange.response = RecordedResponse(status: 200)
        exchange.response?.body = Body(text: answer, mediaType: "application/json")
        return exchange
    }

    private static func tokens(_ access: String, _ refresh: String?) -> String {
        let refresh = refresh.map { ",\"refresh_token\":\"\($0)\"" } ?? ""
        return "{\"access_token\":\"\(access)\",\"token_type\":\"Bearer\"\(refresh)}"
    }

    private static let first = post(
        "token",
        at: 0,
        "grant_type=authorization_code&code=code-5521&client_id=shop",
        tokens("access-one-4411", "refresh-one-4412")
    )

    private static func refresh(at second: Int64, _ access: String, _ refresh: String?) -> Exchange {
        post(
            "token",
            at: second,
            "grant_type=refresh_token&refresh_token=refresh-one-4412&client_id=shop",
            tokens(access, refresh)
        )
    }

    private static func revocation(of token: String, at second: Int64) -> Exchange {
        post("revoke", at: second, "token=\(token)&client_id=shop", "")
    }

    /// The tokens that were revoked, and an exchange behind all of them.
    private func revoked(_ exchanges: [Exchange]) -> (RevokedTokens, last: Int) {
        let index = CaptureIndex(Capture(exchanges + [Self.revocation(of: "none", at: 900)]))
        let messages = index.order.compactMap { index.messages[$0] }
        return (RevokedTokens(among: messages, in: index), exchanges.count)
    }

    @Test func replacedRefreshTokenEndsNoneIssuedLater() {
        let (revoked, last) = revoked([
            Self.first, Self.refresh(at: 10, "access-two-4421", "refresh-two-4422"),
            Self.revocation(of: "refresh-one-4412", at: 20),
        ])
        #expect(revoked.revocation(ofGrantOf: "access-one-4411", before: last) != nil)
        #expect(revoked.revocation(ofGrantOf: "access-two-4421", before: last) == nil)
        #expect(revoked.revocation(ofRefreshToken: "refresh-two-4422", before: last) == nil)
        #expect(revoked.revocation(ofRefreshToken: "refresh-one-4412", before: last)?.exchange == 2)
    }

    @Test func refreshTokenThatIsKeptEndsAll() {
        let (revoked, last) = revoked([
            Self.first, Self.refresh(at: 10, "access-two-4421", nil),
            Self.revocation(of: "refresh-one-4412", at: 20),
        ])
        #expect(revoked.revocation(ofGrantOf: "access-two-4421", before: last)?.exchange == 2)
        #expect(revoked.revocation(ofGrantOf: "access-two-4421", before: 1) == nil)
    }

    @Test func grantThatWorksAfterwardsHasNotEnded() {
        let (revoked, last) = revoked([
            Self.first, Self.revocation(of: "refresh-one-4412", at: 10),
            Self.refresh(at: 20, "access-two-4421", nil),
        ])
        #expect(revoked.revocation(ofRefreshToken: "refresh-one-4412", before: last) == nil)
        #expect(revoked.revocation(ofRefreshToken: "refresh-one-4412", before: 2)?.exchange == 1)
        #expect(revoked.revocation(ofGrantOf: "access-one-4411", before: last) == nil)
    }

    @Test func accessTokenEndsNothingButItself() {
        let (revoked, last) = revoked([Self.first, Self.revocation(of: "access-one-4411", at: 10)])
        #expect(revoked.revocation(ofRefreshToken: "refresh-one-4412", before: last) == nil)
        #expect(revoked.revocation(of: "access-one-4411", before: last)?.exchange == 1)
        #expect(revoked.isAny(before: last) && !revoked.isAny(before: 1))
    }

    /// Saved without its body, a revocation may be of what was given out before it, and of nothing that came later.
    @Test func revocationWithoutItsBodyIsOfNoLaterToken() {
        var metadata = Self.post(
            ".well-known/openid-configuration",
            at: -10,
            "",
            """
            {"issuer":"https://id.harbour.example","token_endpoint":"https://id.harbour.example/token",\
            "revocation_endpoint":"https://id.harbour.example/revoke"}
            """
        )
        metadata.request.method = "GET"
        metadata.request.body = nil
        var unsaved = Self.revocation(of: "", at: 10)
        unsaved.request.body = Body(content: .missing)
        var again = unsaved
        again.startedAt = unsaved.startedAt + .seconds(20)
        let (revoked, last) = revoked([
            metadata, Self.first, unsaved, Self.refresh(at: 20, "access-two-4421", "refresh-two-4422"), again,
        ])
        #expect(revoked.mayHaveTaken("access-one-4411", before: 3))
        #expect(!revoked.mayHaveTaken("access-one-4411", before: 2))
        #expect(!revoked.mayHaveTaken("access-two-4421", before: 4))
        #expect(revoked.mayHaveTaken("access-two-4421", before: last))
    }
}
