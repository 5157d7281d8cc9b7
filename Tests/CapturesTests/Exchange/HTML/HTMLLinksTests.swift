import Captures
import Testing

struct HTMLLinksTests {
    @Test(arguments: [
        ("<a class=menu href=\"/users/sign_out\">Sign out</a>", true),
        ("<form method=post action='/Account/LogOff'>", true),
        ("<a href='/wp-login.php?action=logout&amp;nonce=1'>", true),
        ("<a href='/login'>Log in</a> to log out", false),
        ("<!-- <a href='/logout'> -->", false), ("<a>/logout</a>", false),
        ("<script>link = \"<a href='/logout'>\"</script>", false),
    ])
    func knowsTheWayToSignOut(page: String, isThere: Bool) {
        #expect(HTMLLinks.leadToSignOut(in: Array(page.utf8)) == isThere)
    }
}
