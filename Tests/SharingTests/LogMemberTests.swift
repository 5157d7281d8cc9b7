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
}
