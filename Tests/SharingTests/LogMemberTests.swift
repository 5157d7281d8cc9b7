import Captures
import JSON
import Testing

/// What other producers write beside the entries of a log.
struct LogMemberTests {
    @Test(arguments: [
        #"[{"name":"given_name","value":"Kiravel"},{"name":"theme","value":"dark"}]"#,
        #"[{"key":"session_token","value":"Kiravel"},{"key":"theme","value":"dark"}]"#,
        #"[{"origin":"https://app.shop.example","localStorage":[{"name":"given_name","value":"Kiravel"},{"name":"theme","value":"dark"}]}]"#,
    ])
    func listOfNamesAndValuesIsRead(list: String) throws {
        var world = try SharingWorld()
        var root = try #require(world.document.object)
        var log = try #require(root["log"]?.object)
        log["_storage"] = try JSONParser.parse(list.utf8)
        root["log"] = .object(log)
        world.document = .object(root)
        let text = try world.shared().text
        #expect(!text.contains("Kiravel"))
        #expect(text.contains(#""theme""#) && text.contains(#""dark""#))
    }

    /// Rules ask whether the end of a capture is missing.
    @Test(arguments: [0, 40])
    func cutCaptureSaysSoWhenItIsShared(missing: Int) throws {
        let bytes = try JSONWriter.bytes(of: SharingWorld().document).dropLast(missing)
        let capture = try CaptureReader.read(bytes: Array(bytes), name: "original")
        let text = try SharingWorld.texts(of: [capture])[0]
        #expect(try CaptureReader.read(bytes: text, name: "shared").isCutShort == (missing > 0))
    }
}
