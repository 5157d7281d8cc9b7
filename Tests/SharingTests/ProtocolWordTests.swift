import JSON
import Sharing
import Testing

/// Passwords and names of people that are words of the protocol.
struct ProtocolWordTests {
    /// Of twelve characters and more: shorter ones are looked for where they are named anyhow.
    @Test(arguments: [
        ("password", "redirect_uri"), ("password", "access_token"), ("given_name", "Authorization"),
        ("pwd", "Content-Type"),
    ])
    func isReplacedWhereItIsNamed(name: String, word: String) throws {
        var world = try SharingWorld()
        world.append("https://id.harbour.example/x", json: #"{"\#(name)":"\#(word)"}"#)
        world.options.keepsAll = true
        var text = ""
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options) { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes
        }
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")
        #expect(!text.contains(#"\"\#(name)\":\"\#(word)\""#))
        #expect(text.contains(word))
    }

    /// What is no word of anybody's is replaced wherever it stands, also where a document is called so.
    @Test func nameOfOnesOwnIsNoWordOfTheProtocol() throws {
        var world = try SharingWorld()
        world.append(
            "https://id.harbour.example/x",
            json: #"{"password":"correcthorsebattery","correcthorsebattery":1}"#
        )
        world.options.keepsAll = true
        #expect(!(try world.shared().text.contains("correcthorsebattery")))
    }

    /// Of a program's text, as pages of errors show it: what members of the file are called stays, and it is a capture still.
    @Test(arguments: ["request.user", "response.user", "headers.user", "request", "status.name"])
    func isNoNameOfTheFilesOwnMembers(value: String) throws {
        var world = try SharingWorld()
        world.append(
            "https://www.shop.example/x",
            type: "text/html",
            body: "<ul><li><pre>        user=\(value),</pre></li></ul>"
        )
        world.options.keepsAll = true
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options)
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")
    }
}
