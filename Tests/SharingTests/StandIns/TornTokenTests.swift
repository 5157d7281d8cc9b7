import JSON
import Sharing
import Testing

/// Tokens of which the end did not come.
struct TornTokenTests {
    private static let tokenAnswer = 5

    /// How much of an answer came is told of one that broke off, so that its stand-in is as long: also where the last
    /// character of the base64 is no byte yet.
    @Test(arguments: 0..<4)
    func isAsLongAsItWas(rest: Int) throws {
        var world = try SharingWorld()
        let token = try world.first("id_token")
        let parts = token.split(separator: ".")
        let payload = parts[1].prefix(parts[1].count / 2 / 4 * 4 + rest)
        let torn = "\(parts[0]).\(payload)"
        world.changeBody(Self.tokenAnswer) { $0["id_token"] = .string(torn) }
        let shared = try world.shared()
        #expect(shared.differences.isEmpty)
        let standIn = try SharingWorld(document: JSONParser.parse(shared.bytes)).first("id_token")
        #expect(standIn != torn && standIn.utf8.count == torn.utf8.count)
    }
}
