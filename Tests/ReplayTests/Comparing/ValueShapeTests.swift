import Captures
import Flows
import OAuth
import TestSupport
import Testing

@testable import Replay

/// What is told from the look of a value alone.
struct ValueShapeTests {
    @Test(
        arguments: [
            "LFzuSpSKV38GrYZn4NKIYiTzHutwUhCW", "3w3LeVSwsAXUgjJrxQ2XBd8ooknT7Dp4",
            "2b9a7c1e4d5f60718293a4b5c6d7e8f9",
            "123e4567-e89b-12d3-a456-426614174000", "gxT4WxSBe7vukv4DcPhDs5qzvQL2A1FO4rRc73IhsgE",
            "eyJhbGciOiJub25lIn0.eyJzdWIiOiJib2IifQ.AAAA",
        ]
    )
    func valueThatWasDrawnLooksRandom(value: String) { #expect(ValueShape.looksRandom(value)) }

    @Test(
        arguments: [
            "openid profile email offline_access", "basic-secret-0123456789", "ProfileEmailAddressScope",
            "urn:ietf:params:oauth:grant-type:device_code", "https://id.harbour.example/authorize",
            "1234567890123456",
            "client-id-production-2024", "aaaaaaaaaaaaaaaaaaaaaaaa", "", "alice",
        ]
    )
    func wordsAndNumbersDoNot(value: String) { #expect(!ValueShape.looksRandom(value)) }

    /// One that is taken for a word shows as a difference, so they have to be few.
    @Test func drawnValuesAreSeldomTakenForWords() {
        var random = SeededGenerator(seed: 11)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let missed = (0..<2000).count { _ in
            let value = String(
                decoding: (0..<32).map { _ in alphabet.randomElement(using: &random) ?? 0 },
                as: UTF8.self
            )
            return !ValueShape.looksRandom(value)
        }
        #expect(missed < 20, "\(missed) of 2000")
    }

    @Test(
        arguments: [
            ("cQ8WoqRcna07b9D2fT3CX3J7bzNpG1fR", "e4wAMHtmXd1hgdwd1qGIOtLbrKzAkoDo", true),
            ("cQ8WoqRcna07b9D2fT3CX3J7bzNpG1f_", "e4wAMHtmXd1hgdwd1qGIOtLbrKzAkoDo", true),
            ("123e4567-e89b-12d3-a456-426614174000", "LFzuSpSKV38GrYZn4NKIYiTzHutwUhCW", false),
            ("2b9a7c1e4d5f60718293a4b5c6d7e8f9", "LFzuSpSKV38GrYZn4NKIYiTzHutwUhCW", false),
            ("LFzuSpSKV38GrYZn4NKIYiTzHutwUhC+", "LFzuSpSKV38GrYZn4NKIYiTzHutwUhC-", false),
            ("LFzuSpSKV38GrYZn4NKIYiTz", "LFzuSpSKV38GrYZn4NKIYiTzHutwUhCWLFzuSpSKV38G", false),
            ("12345678", "87654321", true), ("", "87654321", false),
        ]
    )
    func shapesAreAlikeWhereTheyWereMadeAlike(left: String, right: String, isLike: Bool) {
        #expect(ValueShape(left).isLike(ValueShape(right)) == isLike)
        #expect(ValueShape(right).isLike(ValueShape(left)) == isLike)
    }

    @Test func skeletonKeepsWhatEveryRunHas() throws {
        let flow = try #require(ComparedRecording("captures/healthy/web-code-flow").flow)
        let learned = LearnedValues(flow)
        let state = try #require(flow.authorizationRequests.first?.state)
        #expect(learned.skeleton(of: "login_\(state)") == "login_…")
        #expect(
            learned.skeleton(of: "https://id.example/cb?state=\(state)&x=1")
                == "https://id.example/cb?state=…&x=1"
        )
        #expect(
            learned.skeleton(of: "https%3A%2F%2Fid.example%2F%3Fstate%3D\(state)")
                == "https://id.example/?state=…"
        )
        #expect(learned.skeleton(of: "openid profile") == "openid profile")
        #expect(learned.skeleton(of: "/as/LFzuSpSKV38GrYZn4NKI/resume") == "/as/…/resume")
        #expect(learned.skeleton(of: "\(flow.started.seconds + 60)") == "…")
        #expect(learned.skeleton(of: "1000000000") == "1000000000")
    }

    @Test func clientsOwnConstantsAreNotLearned() throws {
        let flow = try #require(ComparedRecording("captures/healthy/web-code-flow").flow)
        let learned = LearnedValues(flow)
        #expect(!learned.contains("shop-web") && !learned.contains("not-a-secret-of-anyone"))
        // Issued by a registration, they are made anew.
        let registered = try #require(ComparedRecording("captures/providers/curity").flow)
        #expect(LearnedValues(registered).contains(try #require(registered.clientID)))
    }
}
