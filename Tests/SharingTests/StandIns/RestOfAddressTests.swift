import Captures
import JSON
import Sharing
import TestSupport
import Testing

/// Values with more of their address behind them, as a client sends them that cut a callback by hand.
struct RestOfAddressTests {
    private static let code = "cQ8WoqRcna07b9D2fT3CX3J7bzNpG1fR"
    private static let state = "zi42eGSzmvwaOFtTnRKIpl"

    /// Some codes are drawn from letters, some from hexadecimal digits.
    @Test(
        arguments: [code, "0701c5e4-1515-7da4-b880-4e171bc65f4e"],
        ["%23_%3D_", "%23", "%26state%3D\(state)", "%3Fstate%3D\(state)%26session_state%3Dbabb9b3e.1"]
    )
    func restOfTheCallbackStaysBehindTheCode(code: String, rest: String) throws {
        let path = "captures/healthy/web-code-flow.har"
        let text = String(decoding: try Fixtures.bytes(path), as: UTF8.self)
            .replacing(Self.code, with: code)
            .replacing("code=\(code)&redirect_uri", with: "code=\(code)\(rest)&redirect_uri")
        var world = SharingWorld(document: try JSONParser.parse(Array(text.utf8)))
        world.options.keepsAll = true
        world.answer(5, with: #"{"error":"invalid_grant"}"#)
        world.change(5) { entry in
            guard var response = entry["response"]?.object else { return }
            response["status"] = 400
            entry["response"] = .object(response)
        }
        let shared = try world.shared()
        #expect(shared.differences.isEmpty, "\(shared.differences)")
        let other = SharingWorld(document: try JSONParser.parse(shared.bytes))
        let told = try (other.queryValue("code", of: 4), other.queryValue("state", of: 4))
        let sent = try other.formValue("code", of: 5)
        #expect(told.0 != code && sent.hasPrefix(told.0))
        let behind = sent.dropFirst(told.0.count)
        switch rest {
        case "%23_%3D_": #expect(behind == "#_=_")
        case "%23": #expect(behind == "#")
        case "%26state%3D\(Self.state)": #expect(behind == "&state=\(told.1)")
        default:
            #expect(behind.hasPrefix("?state=\(told.1)&") && !behind.contains("babb9b3e"))
        }
    }

    /// What only has such a mark in it is replaced as before.
    @Test func markInAPasswordIsNone() throws {
        var world = try SharingWorld()
        world.send("flow=66xrK51pK7l60Ilqm7vutt&user=alice&password=zem4K!%26state%3Dx9", in: 3)
        let shared = try world.shared()
        #expect(!shared.text.contains("zem4K!") && !shared.text.contains("state%3Dx9"))
        #expect(shared.differences.isEmpty)
    }
}
