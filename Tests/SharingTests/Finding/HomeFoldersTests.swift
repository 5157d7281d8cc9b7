import Testing

@testable import Sharing

/// The owners of folders in paths of files.
struct HomeFoldersTests {
    @Test(arguments: [
        ("at /home/zorblatt/app/x.js:3", ["zorblatt"]), ("fatal: /home/zorblatt/.git", ["zorblatt"]),
        ("\"/Users/zorblatt/Library/x\"", ["zorblatt"]), ("file:///home/zorblatt/x.html", ["zorblatt"]),
        (#"at C:\Users\zorblatt\app\x.js"#, ["zorblatt"]), (#"C:\\Users\\zorblatt\\app"#, ["zorblatt"]),
        (#"USERPROFILE=C:\Users\zorblatt"#, ["zorblatt"]), ("HOME=/home/zorblatt\n", ["zorblatt"]),
        (#"{"HOME": {"value": "/home/zorblatt"}}"#, ["zorblatt"]), ("see /home/zorblatt", []),
        ("HOMEPAGE=/home/zorblatt\n", []), ("HOME=/root\nX=/home/zorblatt\n", []),
        // Pages, resources of an API, accounts of servers.
        ("https://x.example/home/products/index.html", []), ("GET /home/products/list", []),
        ("/scim/v2/Users/zorblatt/x", []), ("/home/node/app/x.js", []), (" /Users/runner/src/x", []),
    ])
    func ownerIsTold(text: String, names: [String]) {
        #expect(HomeFolders.names(in: Array(text.utf8)) == Set(names))
    }

    /// The same owner in every path, and nobody's word elsewhere.
    @Test(arguments: [
        ("text/plain", "at /home/zorblatt/app/x.js:3, file:///home/zorblatt/y.js; zorblatt"),
        ("text/plain", #"at C:\Users\zorblatt\app\x.js; zorblatt"#),
        ("application/json", #"{"file":"C:\\Users\\zorblatt\\app\\x.js","word":"zorblatt"}"#),
    ])
    func pathsAreSharedWithoutIt(type: String, body: String) throws {
        var world = try SharingWorld()
        world.append("https://api.shop.example/a", type: type, body: body)
        world.options.keepsAll = true
        var text = ""
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options) { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes
        }
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")
        #expect(text.split(separator: "zorblatt", omittingEmptySubsequences: false).count == 2)
    }

    @Test func pathsStayWherePeopleDo() throws {
        var world = try SharingWorld()
        world.append("https://api.shop.example/a", type: "text/plain", body: "at /home/zorblatt/app/x.js:3")
        world.options.keepsAll = true
        world.options.keepsPersonal = true
        #expect(try world.shared().text.contains("/home/zorblatt/"))
    }
}
