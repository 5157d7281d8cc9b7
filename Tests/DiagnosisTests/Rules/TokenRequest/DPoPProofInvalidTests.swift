import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct DPoPProofInvalidTests {
    private let rule = "dpop-proof-invalid"
    private let broken = "token-request/dpop-proof-invalid"
    private let healthy = "token-request/dpop-proof-invalid.near-miss"

    @Test func namesBothURLs() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["2 jwt.claims htu", "2 request.url ", "2 response.body error"])
        #expect(finding.evidence[0].value == "http://id.harbour.example:8080/token")
        #expect(finding.evidence[1].value == "https://id.harbour.example/token")
    }

    @Test func leavesAnotherSpellingOfTheURLAlone() throws {
        #expect(try Recording(healthy).findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: [("https", false), ("http", true), (nil, false)])
    func goesByTheSchemeThatAProxyTells(scheme: String?, fires: Bool) throws {
        let recording = try Recording(healthy).behindProxy(telling: scheme)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// A server that knows nothing of the https in front of it refuses each proof, and takes one of a client of http that sends the
    /// proxy's header field itself.
    @Test func comparesWithWhatCameToTheServerAsWell() throws {
        let refused = try Recording(healthy).behindProxy(telling: "https")
            .answering("/userinfo", 401, ["error": "invalid_dpop_proof"])
        let finding = try #require(refused.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places.prefix(2) == ["3 jwt.claims htu", "3 request.url "])
        #expect(finding.evidence[1].value == "http://id.harbour.example/userinfo")
        let inner = try Recording(healthy).proving(to: "/userinfo") {
            $0["htu"] = "http://id.harbour.example/userinfo"
        }
        .behindProxy(telling: "https")
        #expect(inner.finding(rule)?.places.contains("3 jwt.claims htu") == false)
    }

    @Test func leavesAHostAloneThatIsNotKnown() throws {
        #expect(try Recording(healthy).withoutHosts().finding(rule) == nil)
    }

    /// In the place of the path there is that of the server's first page.
    @Test func leavesAPathAloneThatIsNotKnown() throws {
        let recording = try Recording(healthy).withoutPath("/token")
        #expect(recording.finding(rule) == nil)
        #expect(recording.editing { $0.failure = nil }.finding(rule) != nil)
    }

    /// The proof may be in a header field that is not in the capture.
    @Test func missesNoProofThatMayBeThere() throws {
        let without = try Recording(broken).sendingHeader("DPoP", nil, to: "/token")
        #expect(without.finding(rule)?.evidence.first?.value == "missing")
        #expect(without.editing { $0.unknownFields.request = 1 }.finding(rule) == nil)
    }

    /// A media type may be written with what it belongs to (RFC 7515, section 4.1.9).
    @Test(arguments: [("application/dpop+jwt", false), ("JWT", true)])
    func looksAtTheType(type: String, isWrong: Bool) throws {
        let recording = try Recording(healthy).provingWithHeader(to: "/userinfo") {
            $0["typ"] = .string(type)
        }
        #expect((recording.finding(rule)?.places.contains("3 jwt.header typ") ?? false) == isWrong)
    }

    @Test func isAnErrorWhereTheServerRefusedItWithSuccess() throws {
        let recording = try Recording(broken).answering("/token", 200, ["error": "invalid_dpop_proof"])
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test func isAWarningWhereTheServerTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test(
        arguments: [
            ("htm", "POST"), ("htu", "https://id.harbour.example/other"),
            ("htu", "https://id.harbour.example/userinfo?a=1"),
            ("htu", "https://id.harbour.example/userinfo#a"),
            ("ath", "another-hash"), ("htm", nil), ("htu", nil), ("ath", nil), ("iat", nil),
        ] as [(String, String?)]
    ) func looksAtTheClaim(name: String, value: String?) throws {
        let recording = try Recording(healthy).proving(to: "/userinfo") {
            $0[name] = value.map { .string($0) }
        }
        #expect(recording.finding(rule)?.places.contains("3 jwt.claims \(name)") == true)
    }

    @Test(arguments: [(300, false), (301, true), (-301, true)] as [(Int64, Bool)]) func comparesTheTime(
        age: Int64,
        isWrong: Bool
    ) throws {
        let recording = try Recording(healthy)
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/userinfo" })
        let date = try #require(recording.exchanges[index].response?.headers.first("date"))
        let now = try #require(Timestamp(httpDate: date)).seconds
        let changed = recording.proving(to: "/userinfo") { $0["iat"] = .number(JSONNumber(now - age)) }
        #expect((changed.finding(rule)?.places.contains("3 response.header Date") ?? false) == isWrong)
    }

    @Test func verifiesTheSignature() throws {
        let finding = try Recording(healthy).proving(to: "/userinfo") { $0["more"] = true }.finding(rule)
        #expect(finding?.places.first == "3 jwt.header jwk")
        #expect(finding?.evidence[0].note == "did not make this signature")
    }

    @Test func namesDER() throws {
        let recording = try Recording(healthy).provingWithHeader(to: "/userinfo") { header in
            header["alg"] = "ES256"
            header["jwk"] = [
                "kty": "EC", "crv": "P-256", "x": "Ju_OvQ7p40pmkYfhizqRIrL3M5RbZJzJ-fkh6fna2BI",
                "y": "kCOL3pzHuzMNFQxncE3SWucFUgV0S28xv0BwdFhy0OY",
            ]
        }
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/userinfo" })
        let proof = try #require(recording.exchanges[index].request.headers.first("dpop"))
        let integer: [UInt8] = [2, 32] + Array(repeating: 7, count: 32)
        let parts =
            proof.split(separator: ".").dropLast() + [Base64URL.encode([0x30, 68] + integer + integer)[...]]
        let finding = recording.replacing("DPoP", with: parts.joined(separator: "."), at: index).finding(rule)
        #expect(finding?.notes.contains { $0.hasPrefix("signature in DER") } == true)
    }

    @Test func looksAtTheHeader() throws {
        let type = try Recording(healthy).provingWithHeader(to: "/userinfo") { $0["typ"] = "JWT" }
        #expect(type.finding(rule)?.places.first == "3 jwt.header typ")
        let key = try Recording(healthy).provingWithHeader(to: "/userinfo") { header in
            var jwk = header["jwk"]?.object ?? JSONObject()
            jwk["d"] = "c2VjcmV0"
            header["jwk"] = .object(jwk)
        }
        #expect(key.finding(rule)?.notes.contains("holds the secret half of the key") == true)
    }

    /// RFC 9449, section 4.2: neither none nor a secret that both sides have.
    @Test(arguments: ["none", "HS256", nil]) func looksAtTheAlgorithm(name: String?) throws {
        let recording = try Recording(healthy).provingWithHeader(to: "/userinfo") {
            $0["alg"] = name.map { .string($0) }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.first == "3 jwt.header alg")
        #expect(finding.evidence[0].value == name ?? "missing")
        #expect(finding.notes == ["has to be a signature by a key pair"])
    }

    /// A server may want more of a proof than the specification does, and says of what.
    @Test(arguments: [("nbf claim is required", true), ("A claim is missing", false)])
    func tellsTheClaimThatTheServerNames(words: String, isTold: Bool) throws {
        let recording = try Recording(healthy).answering(
            "/token",
            400,
            ["error": "invalid_dpop_proof", "error_description": .string(words)]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains("2 jwt.claims nbf") == isTold)
        #expect(finding.notes.contains("the server asks for it") == isTold)
    }

    @Test func tellsAnIdentifierThatRepeats() throws {
        let recording = try Recording(healthy)
        let jti = try #require(
            recording.exchanges.first { $0.request.url.path == "/token" }.flatMap {
                DPoPProof(of: $0.request, exchange: 0)?.identifier
            }
        )
        let finding = recording.proving(to: "/userinfo") { $0["jti"] = .string(jti) }.finding(rule)
        #expect(finding?.places.filter { $0.hasSuffix("jti") } == ["3 jwt.claims jti", "2 jwt.claims jti"])
    }

    /// As a client sends it that adds a header for each try.
    @Test func tellsAProofTooMany() throws {
        let recording = try Recording(healthy).editingLast("/token") { exchange in
            guard let proof = exchange.request.headers.first("dpop") else { return }
            exchange.request.headers.append("DPoP", proof)
        }
        #expect(recording.finding(rule) == nil)
        let refused = recording.answering("/token", 400, ["error": "invalid_dpop_proof"])
        #expect(refused.finding(rule)?.evidence.contains { $0.value == "2 headers" } == true)
    }

    /// A header that holds no proof is there all the same: no more is known than what the server says of it.
    @Test(arguments: [("invalid_dpop_proof", "unreadable"), ("invalid_request", nil)] as [(String, String?)])
    func headerThatHoldsNoProofIsNotMissing(error: String, value: String?) throws {
        let recording = try Recording(broken).sendingHeader("DPoP", "not-a-token", to: "/token").answering(
            "/token",
            400,
            ["error": .string(error), "error_description": "DPoP proof required"]
        )
        #expect(recording.finding(rule)?.evidence[0].value == value)
    }

    /// Nobody proves the possession of a bearer token's key (RFC 9449, section 7.1).
    @Test(arguments: [("Bearer", "dpop-scheme-bearer"), ("DPoP", "dpop-proof-invalid")])
    func tokenInTheWrongSchemeIsToldAsThat(scheme: String, expected: String) throws {
        let recording = try Recording(healthy).sendingHeader("DPoP", nil, to: "/userinfo")
            .editingLast("/userinfo") { exchange in
                let token = exchange.request.headers.first("authorization")?.split(separator: " ").last ?? ""
                exchange.request.headers.replace("Authorization", with: "\(scheme) \(token)")
                exchange.response = RecordedResponse(status: 401)
                exchange.response?.headers.append("WWW-Authenticate", #"DPoP error="invalid_dpop_proof""#)
            }
        #expect(recording.findings.first { $0.isPrimary }?.rule == expected)
        #expect((recording.finding(rule) == nil) == (scheme == "Bearer"))
    }

    /// The second try may have had a good proof, and no luck with its code.
    @Test(arguments: [(200, Severity.note), (400, .error)])
    func proofIsMadeGoodByTokensAlone(status: Int, severity: Severity) throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last)
        second.startedAt = second.endedAt + .seconds(1)
        recording.exchanges.append(second)
        let answer: JSONValue =
            status == 200
            ? ["access_token": "not-a-token", "token_type": "DPoP"] : ["error": "invalid_grant"]
        let again = recording.sendingHeader("DPoP", nil, to: "/token").answering("/token", status, answer)
        #expect(again.finding(rule)?.severity == severity)
    }

    @Test func tellsAProofThatTheServerMisses() throws {
        let recording = try Recording(broken).sendingHeader("DPoP", nil, to: "/token")
        #expect(recording.finding(rule)?.evidence[0].value == "missing")
        #expect(recording.answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil)
    }

    @Test(arguments: [
        "DPoP header missing", "No DPoP proof was found", "The request must contain a DPoP header",
        "DPoP proof JWT required",
    ])
    func knowsTheWordsForAProofThatIsMissing(words: String) throws {
        let recording = try Recording(broken).sendingHeader("DPoP", nil, to: "/token")
            .answering("/token", 400, ["error": "invalid_request", "error_description": .string(words)])
        #expect(recording.finding(rule)?.evidence[0].value == "missing")
    }

    @Test(arguments: [
        "redirect_uri is missing. DPoP is supported but optional",
        "code_verifier is required for DPoP clients",
    ])
    func leavesOtherThingsThatAreMissingAlone(words: String) throws {
        let recording = try Recording(broken).sendingHeader("DPoP", nil, to: "/token")
            .answering("/token", 400, ["error": "invalid_request", "error_description": .string(words)])
        #expect(recording.finding(rule)?.evidence[0].value != "missing")
    }

    @Test func isNoErrorWhereTheNonceWasWhatWasMissing() throws {
        let recording = try Recording(broken).answering("/token", 400, ["error": "use_dpop_nonce"])
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// Where it was refused as a proof, seconds may be why; nothing is signed in the future.
    @Test(
        arguments: [
            (-31, "clock", true), (31, nil, true), (900, nil, true), (-30, nil, false), (0, nil, false),
        ] as [(Int64, String?, Bool)]
    ) func namesTheClockThatSigned(age: Int64, variant: String?, fires: Bool) throws {
        let refused = try Recording(healthy).answering("/token", 400, ["error": "invalid_dpop_proof"])
        let date = refused.exchanges.last { $0.request.url.path == "/token" }?.response?.headers.first("date")
        let now = try #require(date.flatMap { Timestamp(httpDate: $0) }).seconds
        let recording = refused.proving(to: "/token") {
            $0["iat"] = .number(JSONNumber(now - age))
            $0["htu"] = "https://id.harbour.example/token"
        }
        let finding = recording.finding(rule)
        // Its signature does not fit the changed claims, where that can be told.
        let isOfTime = finding?.places.contains { $0.hasSuffix("jwt.claims iat") } ?? false
        #expect(isOfTime == fires)
        if fires, finding?.places.count == 3 {
            #expect(finding?.variant == variant)
            #expect(finding?.explanation.contains("clock") == true)
        }
    }

    @Test(arguments: ["/token", "/userinfo"]) func missesTheIdentifier(path: String) throws {
        let index = path == "/token" ? 2 : 3
        let taken = try Recording(healthy).proving(to: path) { $0["jti"] = nil }
        #expect(taken.finding(rule)?.places.contains("\(index) jwt.claims jti") != true)
        let finding = try #require(
            taken.answering(path, 400, ["error": "invalid_dpop_proof"]).finding(rule)
        )
        #expect(finding.places.contains("\(index) jwt.claims jti"))
        let other = try Recording(healthy).proving(to: path) { $0["jti"] = "another-identifier" }
        #expect(other.finding(rule)?.places.contains("\(index) jwt.claims jti") != true)
    }

    @Test(arguments: [(["ES256"], true), (["ES256", "RS256"], false), ([], false)] as [([JSONValue], Bool)])
    func looksForTheAlgorithmInTheMetadata(algorithms: [JSONValue], fires: Bool) throws {
        let recording = try Recording(healthy).withMetadata()
            .editingAnswer(of: "/.well-known/openid-configuration") {
                $0["dpop_signing_alg_values_supported"] = .array(algorithms)
            }
            .answering("/token", 400, ["error": "invalid_dpop_proof"])
        let finding = recording.finding(rule)
        #expect((finding?.places.contains("3 jwt.header alg") == true) == fires)
        guard let finding, fires else { return }
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "3 jwt.header alg", "0 response.body dpop_signing_alg_values_supported",
                "3 response.body error",
            ]
        )
    }

    /// Some put into the name what others have in the text.
    @Test(arguments: [("Invalid DPoP htu", true), ("invalid_client", false)])
    func readsTheNameOfTheRefusal(error: String, isOfTheProof: Bool) throws {
        let recording = try Recording(broken).answering("/token", 401, ["error": .string(error)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == (isOfTheProof ? .error : .warning))
        #expect(finding.isPrimary == isOfTheProof)
    }

    /// A server that compares the text refuses what the specification calls the same.
    @Test(arguments: [("invalid_dpop_proof", true), ("invalid_grant", false)])
    func namesAnotherSpellingOfTheURL(error: String, fires: Bool) throws {
        let recording = try Recording(healthy).editingLast("/token") {
            $0.request.url = RecordedURL("https://id.harbour.example:443/token")
        }
        .answering("/token", 400, ["error": .string(error)])
        let finding = recording.finding(rule)
        #expect((finding?.notes.contains { $0.contains("another spelling") } ?? false) == fires)
    }

    /// What the specification leaves out, and a server asks for; mockpass does so in the error's name.
    @Test(
        arguments: [
            ("invalid_dpop_proof", "the exp claim is required", true),
            ("Invalid DPoP token signature, missing required \"exp\" claim", nil, true),
            ("invalid_dpop_proof", "the proof has expired", false),
            ("invalid_request", "exp is required", false),
        ] as [(String, String?, Bool)]
    )
    func tellsAClaimThatTheServerAsksFor(error: String, words: String?, fires: Bool) throws {
        let answer: JSONValue =
            words.map { ["error": .string(error), "error_description": .string($0)] }
            ?? ["error": .string(error)]
        let finding = try Recording(healthy).answering("/token", 400, answer).finding(rule)
        #expect((finding?.places.contains("2 jwt.claims exp") ?? false) == fires)
        if fires { #expect(finding?.isPrimary == true) }
    }

    @Test(arguments: [(120, false), (121, true)] as [(Int64, Bool)])
    func proofForSingpassIsGoodForTwoMinutesAtMost(seconds: Int64, fires: Bool) throws {
        let address = "https://stg-id.singpass.gov.sg/fapi/token"
        let recording = try Recording(healthy).answering("/token", 400, ["error": "invalid_dpop_proof"])
            .editingLast("/token") { $0.request.url = RecordedURL(address) }
            // With the key of another algorithm nothing is known of the signature.
            .provingWithHeader(to: "/fapi/token") { $0["alg"] = "ES384" }
            .proving(to: "/fapi/token") {
                let issued = Int64($0["iat"]?.double ?? 0)
                $0["htu"] = .string(address)
                $0["exp"] = .number(JSONNumber(issued + seconds))
            }
        let finding = recording.finding(rule)
        #expect((finding?.places.contains("2 jwt.claims exp") ?? false) == fires)
        if fires { #expect(finding?.notes.first == "121 s after iat; at most 120 s are taken here") }
    }

    /// Okta's APIs answer so with 400; what an API says with 400 of something else is its own affair.
    @Test(arguments: [true, false]) func callThatIsRefusedForItsProofBreaksTheFlow(isSaid: Bool) throws {
        let recording = try Recording(healthy).editingLast("/userinfo") {
            $0.request.url = RecordedURL("https://api.shop.example/orders")
            $0.response?.status = 400
            guard isSaid else { return }
            $0.response?.headers.append("WWW-Authenticate", #"DPoP error="invalid_dpop_proof""#)
        }
        #expect(recording.outcomes == [isSaid ? .failure : .success])
        #expect((recording.finding(rule)?.severity == .error) == isSaid)
        #expect(recording.finding(rule)?.isPrimary == isSaid)
    }
}
