import Captures
import Testing

@testable import Sharing

/// Pieces of secrets that everybody may know, and that stay where they stand by themselves.
struct PublicPiecesTests {
    private static let client = "3a0e8964bc0245a69c1da636f408c54c"

    private static func isPublic(_ piece: some StringProtocol) -> Bool {
        var found = FoundSecrets()
        found.wellKnown = [client]
        return PublicPieces(of: found).isPublic(Array(piece.utf8))
    }

    private static func base64(_ text: String) -> Substring {
        Base64.encode(Array(text.utf8)).prefix { $0 != "=" }
    }

    @Test(arguments: ["", "x", "xy", "ab:"])
    func nameOfAClientIsPublicHoweverItIsEncoded(before: String) {
        #expect(Self.isPublic(before + Self.client))
        #expect(Self.isPublic(Self.base64(before + Self.client)))
        #expect(Self.isPublic(Self.base64(before + Self.client + ":")))
    }

    @Test func whatIsBesideItIsNot() {
        let secret = "nans1s06c8k1bfa"
        #expect(!Self.isPublic(Self.client + secret))
        #expect(!Self.isPublic(Self.base64(Self.client + ":" + secret)))
        #expect(!Self.isPublic(Self.base64(secret + Self.client)))
        #expect(!Self.isPublic(Self.base64(secret)))
    }
}
