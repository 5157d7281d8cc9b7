import Captures
import JSON
import Testing

@testable import Sharing

/// Passwords that stand between the tags of a page.
struct TextOfPageTests {
    @Test(arguments: [
        "<p>password=zem4K!</p>", "<p>[password]=&gt;zem4K!</p>", "<p>as max, password=zem4K!</p>",
        // In a sentence, as mail has it.
        "<p>Dear reader,</p><p>your new password is zem4K!</p>",
        "<p>The password was zem4K!, says the log.</p>",
        // In a table, as mail is laid out.
        "<table><tr><td>password: zem4K!</td></tr></table>",
        "<table><tr><td>Dear reader</td></tr><tr><td>your new password is zem4K!</td></tr></table>",
        "<table><tr><td><p>password=zem4K!</p></td></tr></table>", "<dl><dd>Password: zem4K!</dd></dl>",
        "<table><tr><td>Your new password is <b>zem4K!</b></td></tr></table>",
        // A page that ends with a text.
        "<br>Fatal: [password] =&gt; zem4K!",
    ])
    func passwordIsReplacedInWhateverTextItStands(page: String) throws {
        var world = try SharingWorld()
        world.append("https://id.harbour.example/x", type: "text/html", body: page)
        world.options.keepsAll = true
        #expect(try !world.shared().text.contains("zem4K!"))
    }
}
