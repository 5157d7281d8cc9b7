import Flows
import JSON
import OAuth
import Replay
import Testing

/// One thing changed in a login of another day: it is named, at its place, in words.
struct OnePlaceTests {
    /// Each capture that is changed, and the same login on another day.
    private static let days: [String: (one: ComparedRecording, other: ComparedRecording)] =
        Dictionary(grouping: changes, by: \.capture).compactMapValues { changes in
            guard let one = try? ComparedRecording(changes[0].capture),
                let other = try? AnotherDay(one.capture)
            else { return nil }
            return (one, ComparedRecording(other.exchanges))
        }

    @Test(arguments: changes) func changeIsNamedFirstAtItsPlace(change: Change) throws {
        let days = try #require(Self.days[change.capture])
        let difference = try #require(days.one.difference(from: change.edit(days.other)))
        let first = try #require(difference.first, "nothing was found")
        let place = "\(first.step?.kind.rawValue ?? "flow") \(first.difference.label)"
        #expect(place == change.place, "\(difference.places)")
        #expect(first.difference.note.contains(change.note), "\(first.difference.note)")
    }

    /// Texts that Unicode calls equal are not, where protocols normalise nothing.
    @Test(arguments: ["login_hint", "scope"])
    func anotherNormalFormIsAnotherValue(name: String) throws {
        let days = try #require(Self.days["captures/healthy/web-code-flow"])
        let one = days.one.asking(name, "openid caf\u{e9}", at: "/authorize")
        let same = try #require(
            one.difference(from: days.other.asking(name, "openid caf\u{e9}", at: "/authorize"))
        )
        #expect(!same.places.contains("authorization_request \(name)"))
        let other = try #require(
            one.difference(from: days.other.asking(name, "openid cafe\u{301}", at: "/authorize"))
        )
        #expect(other.places.contains("authorization_request \(name)"), "\(other.places)")
    }

    /// Signed twice within one second it is the same, by chance.
    @Test func refreshedIDTokenThatIsTheFirstOneIsNoDifference() throws {
        let recording = try ComparedRecording("captures/healthy/refresh")
        let token = recording.flow?.tokenRequests.first?.answer.parameters["id_token"] ?? ""
        let same = recording.editingAnswer(of: "/token") { $0["id_token"] = .string(token) }
        for (one, other) in [(same, recording), (recording, same)] {
            let told = try #require(one.difference(from: other)).all.filter {
                $0.difference.name == "id_token" && $0.difference.token == nil && $0.difference.aspect == nil
            }
            #expect(told.isEmpty, "\(told.map(\.difference.note))")
        }
    }

    @Test func redirectURIInAnotherNormalFormIsNotThatOfTheRequest() throws {
        let days = try #require(Self.days["captures/healthy/web-code-flow"])
        let uri = "https://www.shop.example/caf"
        func login(_ recording: ComparedRecording, _ ending: String) -> ComparedRecording {
            recording.asking("redirect_uri", uri + "\u{e9}", at: "/authorize")
                .sending("redirect_uri", uri + ending, to: "/token")
        }
        let difference = try #require(
            login(days.one, "\u{e9}").difference(from: login(days.other, "e\u{301}"))
        )
        let told = difference.all.first {
            $0.step?.kind == .tokenRequest && $0.difference.name == "redirect_uri"
        }
        let note = try #require(told).difference.note
        #expect(note.contains("not that of authorization_request"), "\(note)")
        #expect(note.contains("another Unicode normal form"), "\(note)")
    }

    /// The first line says why there is no code, in the provider's words.
    @Test func errorIsToldWithItsWords() throws {
        let days = try #require(Self.days["captures/healthy/web-code-flow"])
        let refused = days.other.asking("code", nil, at: "/callback")
            .asking("error", "invalid_scope", at: "/callback")
            .asking("error_description", "email is not allowed", at: "/callback")
        #expect(
            days.one.difference(from: refused)?.headline
                == "authorization_response: error: is new: invalid_scope: email is not allowed"
        )
        // A token endpoint that tells of it with the status of success.
        let denied = days.other.answering("/token", 200, ["error": "invalid_grant"])
        let told = try #require(days.one.difference(from: denied)).all.first {
            $0.difference.name == "error"
        }
        #expect(told?.difference.note == "is new: invalid_grant")
    }

    /// What was made anew is not among the differences, whatever else is.
    @Test(arguments: changes) func nothingMadeAnewIsNamedBesides(change: Change) throws {
        let days = try #require(Self.days[change.capture])
        let difference = try #require(days.one.difference(from: change.edit(days.other)))
        let volatile: Set<String> = [
            "state", "code", "jti", "iat", "access_token", "refresh_token", "code_challenge",
        ]
        let told = difference.all.filter { item in
            volatile.contains(item.difference.name) && item.difference.expected != nil
                && item.difference.seen != nil
                && "\(item.step?.kind.rawValue ?? "") \(item.difference.label)" != change.place
        }
        #expect(told.isEmpty, "\(told.map(\.difference.label))")
    }
}
