import Flows
import JSON
import Replay
import Testing

/// What whoever drives a login again wants otherwise is told, and no difference; what comes of it is one.
struct GivenValuesTests {
    private func recording() throws -> ComparedRecording {
        try ComparedRecording("captures/healthy/web-code-flow")
    }

    private func difference(
        _ other: ComparedRecording,
        parameters: [String: String] = [:],
        secrets: [String: String] = [:]
    ) throws -> FlowDifference {
        var options = ComparisonOptions()
        options.given = GivenValues(parameters: parameters, secrets: secrets)
        return try #require(recording().difference(from: other, options: options))
    }

    @Test(arguments: ["scope", "authorization_request.scope"])
    func parameterThatWasSetIsANote(name: String) throws {
        let seen = try difference(
            try recording().asking("scope", "openid", at: "/authorize"),
            parameters: [name: "openid"]
        )
        #expect(seen.isSame, "\(seen.places)")
        let notes = seen.steps.flatMap(\.differences).filter { $0.name == "scope" }.map(\.note)
        #expect(notes == ["as given: profile is missing"])
    }

    @Test(arguments: [["scope": "openid email"], ["token_request.scope": "openid"], ["prompt": "openid"]])
    func parameterThatIsAnotherThanWasSetIsADifference(given: [String: String]) throws {
        let seen = try difference(
            try recording().asking("scope", "openid", at: "/authorize"),
            parameters: given
        )
        #expect(seen.places == ["authorization_request scope"])
    }

    @Test func parameterThatWasAddedOrLeftOutIsANote() throws {
        let added = try recording().sending("resource", "https://api.example", to: "/token")
        #expect(try difference(added, parameters: ["token_request.resource": "https://api.example"]).isSame)
        #expect(try difference(added).places == ["token_request resource"])
        let localized = try recording().asking("ui_locales", "de", at: "/authorize")
        var options = ComparisonOptions()
        options.given = GivenValues(parameters: ["ui_locales": ""])
        #expect(try #require(localized.difference(from: recording(), options: options)).isSame)
        let plain = try #require(localized.difference(from: recording()))
        #expect(plain.places == ["authorization_request ui_locales"])
    }

    @Test func secretThatWasGivenIsANoteAndItsRefusalADifference() throws {
        let other = try recording().sending("client_secret", "the-secret-of-the-test-system", to: "/token")
        let secrets = ["client_secret": "the-secret-of-the-test-system"]
        #expect(try difference(other, secrets: secrets).isSame)
        #expect(try difference(other).places == ["token_request client_secret"])
        let refused = other.answering("/token", 401, ["error": "invalid_client"])
        let seen = try difference(refused, secrets: secrets)
        #expect(seen.headline.hasPrefix("token_request: status: 401 instead of 200"), "\(seen.headline)")
    }

    /// Its tokens are for it.
    @Test func clientThatWasSetIsTheOneOfTheTokens() throws {
        let other = try recording().asking("client_id", "shop-test", at: "/authorize")
            .sending("client_id", "shop-test", to: "/token")
            .editingToken(of: "/token", claims: { $0["aud"] = "shop-test" })
        let names = try difference(other, parameters: ["client_id": "shop-test"]).places
        #expect(!names.contains { $0.contains("client_id") || $0.contains("aud") }, "\(names)")
        let plain = try difference(other).places
        #expect(plain.contains { $0.contains("client_id") }, "\(plain)")
    }

    /// Another person has another name, and is the same in all answers of the login.
    @Test func anotherPersonIsANoteAndAStrangerInUserInfoADifference() throws {
        var options = ComparisonOptions()
        options.isOtherUser = true
        let person = try recording().editingAnswer(of: "/userinfo") { answer in
            answer["name"] = "Bob Example"
            answer["nickname"] = "bob"
        }
        let seen = try #require(recording().difference(from: person, options: options))
        #expect(seen.isSame, "\(seen.places)")
        #expect(try difference(person).places.contains("userinfo_request name"))
        let stranger = person.editingAnswer(of: "/userinfo") { $0["sub"] = "somebody-else-5577" }
        let strange = try #require(recording().difference(from: stranger, options: options))
        #expect(strange.places == ["userinfo_request sub"])
        let typed = person.editingAnswer(of: "/userinfo") { $0["sub"] = 5577 }
        let number = try #require(recording().difference(from: typed, options: options))
        #expect(number.places == ["userinfo_request sub"])
        let nobody = person.editingAnswer(of: "/userinfo") { $0["sub"] = nil }
        let lacking = try #require(recording().difference(from: nobody, options: options))
        #expect(lacking.places == ["userinfo_request sub"])
        let shy = person.editingAnswer(of: "/userinfo") { $0["name"] = nil }
        let silent = try #require(recording().difference(from: shy, options: options))
        #expect(silent.isSame, "\(silent.places)")
    }
}
