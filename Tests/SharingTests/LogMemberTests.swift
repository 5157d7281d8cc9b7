import Captures
import JSON
import Sharing
import Testing

/// What other producers write beside the entries of a log.
struct LogMemberTests {
    @Test(arguments: [
        #"[{"name":"given_name","value":"Kiravel"},{"name":"theme","value":"dark"}]"#,
        #"[{"key":"session_token","value":"Kiravel"},{"key":"theme","value":"dark"}]"#,
        #"[{"origin":"https://app.shop.example","localStorage":[{"name":"given_name","value":"Kiravel"},{"name":"theme","value":"dark"}]}]"#,
        #"[["given_name","Kiravel"],["theme","dark"]]"#, #"{"theme":"dark","form":[["Password","Kiravel"]]}"#,
        #"{"theme":"dark","raw":[["Authorization","Bearer Kiravel"],["x-a","b"]]}"#,
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

    @Test(arguments: [
        #"[["password","Password"],["theme","dark"]]"#, #"[["username","email"],["theme","dark"]]"#,
        #"[["given_name","family_name","email"],["theme","dark"]]"#, #"[["theme"],["theme","dark"]]"#,
    ])
    func listOfNamesStays(list: String) throws {
        var world = try SharingWorld()
        world.append("https://app.example/x", extra: [("_fields", try JSONParser.parse(list.utf8))])
        world.options.keepsAll = true
        #expect(try world.shared().text.contains("\"_fields\":\(list)"))
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
