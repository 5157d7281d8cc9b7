import TestSupport
import Testing

@testable import Sharing

/// Stand-ins that are in their place already.
struct WrittenStandInTests {
    private static let secret = "af0ifjsldkj7Qz93pqr1"

    /// - Returns: with the stand-in of the secret, which was made.
    private static func make() -> (standIns: StandIns, standIn: String) {
        var found = FoundSecrets()
        found.values = [secret: .state]
        let standIns = StandIns.fixed(found)
        return (standIns, standIns.standIn(for: secret))
    }

    @Test func pieceOfOneBelongsToItWhereItStandsByItself() {
        let (standIns, standIn) = Self.make()
        func isWritten(_ before: String, _ behind: String) -> Bool {
            let text = Array((before + standIn + behind).utf8)
            let start = before.utf8.count
            return standIns.written.isOne(around: (start + 4)..<(start + 16), in: text)
        }
        #expect(isWritten("", "") && isWritten("state=", "&x=y"))
        #expect(!isWritten("x", "") && !isWritten("", "x"))
        #expect(!standIns.written.isOne(around: 4..<16, in: Array(Self.secret.utf8)))
    }

    @Test func tokenBelongsToItselfBehindAWord() {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3NzMxIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
        var found = FoundSecrets()
        found.tokens = [token: .token]
        let standIns = StandIns.fixed(found)
        let text = Array("Bearer.\(standIns.standIn(for: token))".utf8)
        #expect(standIns.written.isOne(around: 7..<27, in: text))
        #expect(!standIns.written.isOne(around: 0..<6, in: text))
    }

    @Test func whatStandsBehindAQuotedEqualsSignIsTheSameAsElsewhere() {
        var found = FoundSecrets()
        found.values = [Self.secret: .state, "3D" + Self.secret: .unexplained, "3Dq8Zt1dWv0mE3r7yAb": .state]
        found.named = [
            NamedValue("otp", "482913"): .oneTimeCode, NamedValue("otp", "3D482913"): .oneTimeCode,
        ]
        let standIns = StandIns.fixed(found)
        for own in [Self.secret, "482913"] {
            #expect(standIns.standIn(for: "3D" + own) == "3D" + standIns.standIn(for: own))
        }
        // It only begins so.
        let other = standIns.standIn(for: "3Dq8Zt1dWv0mE3r7yAb")
        #expect(other != "3D" + standIns.standIn(for: "q8Zt1dWv0mE3r7yAb"))
    }

    /// Each piece of one long word.
    @Test func timeGrowsWithTheText() {
        let standIns = Self.make().standIns
        func seconds(_ count: Int) -> Double {
            let text = [UInt8](repeating: 0x61, count: count)
            return ProcessorTime.seconds {
                for start in stride(from: 0, to: count - 16, by: 16) {
                    _ = standIns.written.isOne(around: start..<(start + 16), in: text)
                }
            }
        }
        let small = seconds(5_000)
        // Eight times the text: linear is 8, quadratic 64.
        #expect(seconds(40_000) < 30 * max(small, 0.002))
    }
}
