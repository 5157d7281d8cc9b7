import Captures
import LibCrypto
import OAuth
import Replay
import Testing

/// Whether the verifier fits the challenge, as it is told of two logins.
struct ChallengeRelationTests {
    /// A login in good health, and the same on another day.
    private struct Days {
        let one: ComparedRecording
        let other: ComparedRecording

        init() throws {
            one = try ComparedRecording("captures/healthy/web-code-flow")
            other = ComparedRecording(try AnotherDay(one.capture).exchanges)
        }
    }

    private static let verifier = "verifier-of-a-login-with-enough-characters-01"

    /// How a challenge is made of the verifier, with the method that is sent, and what is said of it.
    private static let rows:
        [(method: String?, challenge: @Sendable (String) -> String, sent: String, told: String?)] = [
            ("S256", { CodeChallenge.s256(of: $0) }, verifier, nil),
            // What no method means is the provider's matter.
            (nil, { CodeChallenge.s256(of: $0) }, verifier, nil),
            ("S256", { $0 }, verifier, "does not fit: made as plain"),
            ("plain", { $0 }, verifier, "fits by plain"), (nil, { $0 }, verifier, "fits by plain"),
            ("plain", { CodeChallenge.s256(of: $0) }, verifier, "does not fit: made as s256"),
            (
                "S256", { CodeChallenge.s256(of: $0) }, "\"\(verifier)\"",
                "does not fit: without its quotation marks it does"
            ),
            (
                "S256", { CodeChallenge.s256(of: $0) }, " \(verifier)",
                "does not fit: another spelling of it does"
            ),
            (
                "S256", { String(CodeChallenge.s256(of: $0).dropLast(3)) }, verifier,
                "does not fit: the challenge is too short or too long"
            ),
        ]

    /// A challenge that is made well by another method than the one that is sent fits no more than one that is made wrongly.
    @Test(arguments: rows.indices) func whetherItFitsGoesByTheMethod(index: Int) throws {
        let row = Self.rows[index]
        let days = try Days()
        let changed = days.other.asking("code_challenge", row.challenge(Self.verifier), at: "/authorize")
            .asking("code_challenge_method", row.method, at: "/authorize")
            .sending("code_verifier", row.sent, to: "/token")
        let difference = try #require(days.one.difference(from: changed))
        let told = difference.all.first { $0.difference.aspect == "against code_challenge" }
        #expect(told?.difference.note == row.told.map { "\($0); in the first flow it fits by S256" })
    }

    /// The alphabets of Base64 differ by two characters that a hash need not have.
    @Test func aChallengeMadeWrongInTheSameWayIsTheSame() throws {
        let days = try Days()
        func login(_ recording: ComparedRecording, _ verifier: String, isPadded: Bool = true)
            -> ComparedRecording
        {
            let challenge = Base64.encode(Digest.of(verifier.utf8))
            return recording.asking(
                "code_challenge",
                isPadded ? challenge : String(challenge.dropLast()),
                at: "/authorize"
            )
            .sending("code_verifier", verifier, to: "/token")
        }
        // The first hash has neither `+` nor `/`, the second has both.
        let (bare, rich) = (
            "verifier-of-a-login-with-enough-characters-01", "verifier-of-a-login-with-enough-characters-05"
        )
        let one = login(days.one, bare)
        let same = try #require(one.difference(from: login(days.other, rich)))
        #expect(!same.places.contains { $0.contains("code_verifier") }, "\(same.places)")
        let other = try #require(one.difference(from: login(days.other, rich, isPadded: false)))
        #expect(
            other.all.contains {
                $0.difference.note.contains(
                    "does not fit: made as base64; in the first flow it does not fit: made as base64, with padding"
                )
            }
        )
    }
}
